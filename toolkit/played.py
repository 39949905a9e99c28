"""Counts of the chosen games, by player: what ratings and crosstables are made from.

A player is an engine. Where different cores (backend or signature) played one of our engines, they
may have played differently under one name, so each core's games belong to a player of their own,
unless they are to be mixed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from db.records import Core, GameColumns
from toolkit.selection import Chosen

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.stats.tables import GameTable

_AT = "@"
"""Between identity and core; identities are hex digits."""


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """Counts of games between different players."""

    table: GameTable
    excluded: int
    """Games left out because they repeat others."""
    self_games: int
    """Games of an engine against itself, left out of the counts."""
    apart: dict[str, tuple[Core, ...]]
    """Engines that several cores played and that are several players, by identity."""
    below_minimum: int = 0
    """Players left out because they have too few games."""

    @property
    def players(self) -> tuple[str, ...]:
        """Everybody who played, in order."""
        return self.table.players

    def identity(self, player: str) -> str:
        """The engine that a player is."""
        return identity_of(player)

    def core(self, player: str) -> Core | None:
        """The core that a player is of, where its engine has several."""
        return core_of(player)


def identity_of(player: str) -> str:
    """The identity of the engine that a player is."""
    return player.partition(_AT)[0]


def core_of(player: str) -> Core | None:
    """The core that a player is of, where its engine has several."""
    _, at, core = player.partition(_AT)
    backend, _, signature = core.partition(":")
    return (backend, signature) if at else None


def read_games(
    db: Database, chosen: Chosen, *, mix: bool = False, min_games: int = 0
) -> PlayedGames:
    """The counts of the chosen games, added up by the database."""
    import numpy as np

    from toolkit.stats.likelihood import PoolGames
    from toolkit.stats.tables import PoolPairs, merge

    columns, pairs = db.repository.games_and_pairs(chosen.games)
    other = columns.white != columns.black
    own = int(columns.counts[:, ~other].sum())
    columns = replace(
        columns,
        core=columns.core[other],
        white=columns.white[other],
        black=columns.black[other],
        counts=columns.counts[:, other],
    )
    apart = {} if mix else _cores_apart(db, columns)
    if apart:
        table = _split(db, chosen, columns, apart)
    else:
        met = pairs.first != pairs.second
        counts, joint = columns.counts.astype(np.float64), pairs.joint.astype(np.float64)
        table = merge(
            columns.players,
            PoolGames(len(columns.players), columns.white, columns.black, counts),
            PoolPairs(pairs.first[met], pairs.second[met], joint[:, met]),
        )
    games = PlayedGames(
        table=table,
        excluded=db.repository.excluded_games(chosen.games),
        self_games=own,
        apart=apart,
    )
    if chosen.engines is not None:
        wanted = chosen.engines
        games = _only(games, [identity_of(player) in wanted for player in games.players])
    return _with_enough(games, min_games) if min_games else games


def player_labels(db: Database, chosen: Chosen, games: PlayedGames) -> dict[str, str]:
    """A name for each player; where two would have the same, with the beginning of the id, and
    where one engine is two players, with the core."""
    identities = {games.identity(player) for player in games.players}
    found: dict[str, str] = {}
    event_ids = chosen.games.event_ids
    if event_ids is None or len(event_ids) != 1:
        found = db.repository.labels(sorted(identities))
    else:
        for row in db.repository.event_players(event_ids[0]):
            before = found.get(row.variant_id)
            found[row.variant_id] = f"{before} = {row.label}" if before else row.label
    times = Counter(found.values())
    labels = {}
    for player in games.players:
        identity, core = games.identity(player), games.core(player)
        label = found[identity]
        if times[label] > 1:
            label += f" [{identity[:6]}]"
        labels[player] = label if core is None else f"{label} @{core[0]}:{core[1][:8]}"
    return labels


def _cores_apart(db: Database, games: GameColumns) -> dict[str, tuple[Core, ...]]:
    """Our engines that several cores played. Of imported engines nobody knows the core."""
    import numpy as np

    played = np.unique(games.core).tolist()
    if len(played) < 2:
        return {}
    ours = {variant.id for variant in db.repository.variants() if variant.kind == "native"}
    found: dict[str, list[Core]] = {}
    for core in played:
        here = games.core == core
        for player in np.unique(np.concatenate([games.white[here], games.black[here]])).tolist():
            if games.players[player] in ours:
                found.setdefault(games.players[player], []).append(games.cores[core])
    return {player: tuple(cores) for player, cores in sorted(found.items()) if len(cores) > 1}


def _split(
    db: Database, chosen: Chosen, games: GameColumns, apart: dict[str, tuple[Core, ...]]
) -> GameTable:
    """Games and pairs with each core's engines as players of their own."""
    import numpy as np

    from toolkit.stats.likelihood import PoolGames
    from toolkit.stats.tables import PoolPairs, merge

    number: dict[str, int] = {}

    def numbers(identities: Iterable[str], core: Core) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        names = (f"{p}{_AT}{core[0]}:{core[1]}" if p in apart else p for p in identities)
        return np.array([number.setdefault(name, len(number)) for name in names], dtype=np.intp)

    white, black = games.white.copy(), games.black.copy()
    first, second, joint = [], [], []
    for place in np.unique(games.core).tolist():
        core = games.cores[place]
        here, known = games.core == place, numbers(games.players, core)
        white[here], black[here] = known[games.white[here]], known[games.black[here]]
        pairs = db.repository.pair_columns(replace(chosen.games, core=core))
        known, met = numbers(pairs.players, core), pairs.first != pairs.second
        first.append(known[pairs.first[met]])
        second.append(known[pairs.second[met]])
        joint.append(pairs.joint[:, met].astype(np.float64))
    return merge(
        tuple(number),
        PoolGames(len(number), white, black, games.counts.astype(np.float64)),
        PoolPairs(np.concatenate(first), np.concatenate(second), np.concatenate(joint, axis=1)),
    )


def _only(games: PlayedGames, wanted: Iterable[bool]) -> PlayedGames:
    """The games between some players."""
    import numpy as np

    from toolkit.stats.tables import merge, restrict

    table = games.table
    members = np.flatnonzero(np.array(list(wanted), dtype=np.bool_))
    names = [table.players[player] for player in members.tolist()]
    return replace(games, table=merge(names, *restrict(table.games, table.pairs, members)))


def _with_enough(games: PlayedGames, least: int) -> PlayedGames:
    """Without players of too few games: leaving one out takes games from others."""
    dropped = 0
    while True:
        enough = games.table.results().sum(axis=1) >= least
        if enough.all():
            return replace(games, below_minimum=dropped)
        dropped += int((~enough).sum())
        games = _only(games, enough.tolist())
