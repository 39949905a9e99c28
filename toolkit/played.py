"""Counts of the chosen games, by player: what ratings and crosstables are made from.

A player is an engine. Where different cores (backend or signature) played one of our engines, they
may have played differently under one name, so each core's games belong to a player of their own,
unless they are to be mixed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from db.records import Core, JointCounts, ScoreCounts
from toolkit.selection import Chosen

if TYPE_CHECKING:
    from db.session import Database

_AT = "@"
"""Between identity and core; identities are hex digits."""


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """Counts of games between different players."""

    encounters: Sequence[ScoreCounts]
    pairs: Sequence[JointCounts]
    excluded: int
    """Games left out because they repeat others."""
    self_games: int
    """Games of an engine against itself, left out of the counts."""
    apart: dict[str, tuple[Core, ...]]
    """Engines that several cores played and that are several players, by identity."""
    below_minimum: int = 0
    """Players left out because they have too few games."""

    def players(self) -> list[str]:
        """Everybody who played, in order."""
        return sorted({player for row in self.encounters for player in row[:2]})

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
    repository = db.repository
    by_core, joint = repository.games_and_pairs(chosen.games)
    apart = {} if mix or len(by_core) < 2 else _cores_apart(db, by_core)
    if apart:
        encounters, pairs = _split(db, chosen, by_core, apart)
    else:
        encounters = _summed([row for rows in by_core.values() for row in rows], len(by_core))
        pairs = joint
    own = sum(sum(row[2:]) for row in encounters if row[0] == row[1])
    games = PlayedGames(
        encounters=[row for row in encounters if row[0] != row[1]],
        pairs=[row for row in pairs if row[0] != row[1]],
        excluded=repository.excluded_games(chosen.games),
        self_games=own,
        apart=apart,
    )
    if chosen.engines is not None:
        games = _only(games, {p for p in games.players() if identity_of(p) in chosen.engines})
    return _with_enough(games, min_games) if min_games else games


def player_labels(db: Database, chosen: Chosen, games: PlayedGames) -> dict[str, str]:
    """A name for each player; where two would have the same, with the beginning of the id, and
    where one engine is two players, with the core."""
    identities = {games.identity(player) for player in games.players()}
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
    for player in games.players():
        identity, core = games.identity(player), games.core(player)
        label = found[identity]
        if times[label] > 1:
            label += f" [{identity[:6]}]"
        labels[player] = label if core is None else f"{label} @{core[0]}:{core[1][:8]}"
    return labels


def _cores_apart(
    db: Database, by_core: dict[Core, list[ScoreCounts]]
) -> dict[str, tuple[Core, ...]]:
    """Our engines that several cores played. Of imported engines nobody knows the core."""
    ours = {variant.id for variant in db.repository.variants() if variant.kind == "native"}
    found: dict[str, list[Core]] = {}
    for core, rows in by_core.items():
        for player in {player for row in rows for player in row[:2]} & ours:
            found.setdefault(player, []).append(core)
    return {player: tuple(cores) for player, cores in sorted(found.items()) if len(cores) > 1}


def _split(
    db: Database,
    chosen: Chosen,
    by_core: dict[Core, list[ScoreCounts]],
    apart: dict[str, tuple[Core, ...]],
) -> tuple[list[ScoreCounts], list[JointCounts]]:
    """Games and pairs with each core's engines as players of their own."""
    encounters: list[ScoreCounts] = []
    pairs: list[JointCounts] = []
    for core, rows in by_core.items():
        name = {identity: f"{identity}{_AT}{core[0]}:{core[1]}" for identity in apart}
        encounters += [
            ScoreCounts(name.get(row[0], row[0]), name.get(row[1], row[1]), *row[2:])
            for row in rows
        ]
        pairs += [
            JointCounts(name.get(row[0], row[0]), name.get(row[1], row[1]), row.joint)
            for row in db.repository.joint_counts(replace(chosen.games, core=core))
        ]
    return _summed(encounters, len(by_core)), pairs


def _summed(rows: list[ScoreCounts], lists: int) -> list[ScoreCounts]:
    """Each two players once."""
    if lists == 1:
        return rows
    sums: dict[tuple[str, str], tuple[int, int, int]] = {}
    for white, black, wins, draws, losses in rows:
        had = sums.get((white, black), (0, 0, 0))
        sums[white, black] = (had[0] + wins, had[1] + draws, had[2] + losses)
    return [ScoreCounts(*key, *table) for key, table in sorted(sums.items())]


def _only(games: PlayedGames, players: set[str]) -> PlayedGames:
    """The games between these players."""
    return replace(
        games,
        encounters=[row for row in games.encounters if row[0] in players and row[1] in players],
        pairs=[row for row in games.pairs if row[0] in players and row[1] in players],
    )


def _with_enough(games: PlayedGames, least: int) -> PlayedGames:
    """Without players of too few games: leaving one out takes games from others."""
    dropped = 0
    while True:
        number: Counter[str] = Counter()
        for row in games.encounters:
            for player in row[:2]:
                number[player] += sum(row[2:])
        enough = {player for player, count in number.items() if count >= least}
        if len(enough) == len(number):
            return replace(games, below_minimum=dropped)
        dropped += len(number) - len(enough)
        games = _only(games, enough)
