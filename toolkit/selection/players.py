"""Counts of the chosen games, by player: what ratings and crosstables are made from.

A player is an engine under conditions: the core (backend and signature) that played it and the
limit that it had. Either changes how strong an engine is, so games under other conditions belong to
another player, unless they are to be mixed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from msgspec import Struct, structs
from msgspec.structs import replace

from db.records.engines import IMPORTED_BACKEND, UCI_KIND, Core
from db.records.events import Entrant
from db.records.games import GameColumns, PairColumns
from engines.limit import limit_of_key, order_of_limit, without_limit
from toolkit.base.errors import DatabaseProblem
from toolkit.base.format import format_core
from toolkit.referee.signature import MARK_DIGITS, split_signature
from toolkit.selection.games import ChosenGames
from toolkit.selection.labels import marked_label, shown_names

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from db.session import Database
    from toolkit.stats.tables import GameTable, SharedPairs


class RatedPlayer(Struct, frozen=True):
    """An engine under conditions."""

    identity: str
    core: Core | None
    """The core that played it, for an external engine ``uci`` and the first digits of its identity;
    None if cores are mixed, and for imported engines, where it is unknown."""
    limit: str | None
    """Key of its limit, see :func:`db.limits.limit_key`; None if limits are mixed."""

    @property
    def id(self) -> str:
        """The player's name in statistics; it is never parsed."""
        return f"{self.identity}@{self.core_text or ''}@{self.limit or ''}"

    @property
    def core_text(self) -> str | None:
        """The core as ``backend:signature``."""
        return None if self.core is None else ":".join(self.core)

    @property
    def limit_data(self) -> dict[str, int] | None:
        """The limit as printed by ``--json``: empty if unknown, None if mixed."""
        return None if self.limit is None else limit_of_key(self.limit)


class Mixing(Struct, frozen=True):
    """Which conditions are not to keep the games of an engine apart."""

    cores: bool = False
    limits: bool = False


class PlayedGames(Struct, frozen=True):
    """Counts of games between different players."""

    table: GameTable
    """Its players are ids of :attr:`known`."""
    known: Mapping[str, RatedPlayer]
    """Players by id; some may have no game in the table."""
    excluded: int
    """Games left out because they repeat others."""
    self_games: int
    """Games of an engine against itself, excluded from the counts."""
    below_minimum: int = 0
    """Players left out because they have too few games."""

    @property
    def players(self) -> tuple[RatedPlayer, ...]:
        """All players with games, in the order of the table."""
        return tuple(self.known[name] for name in self.table.players)


def cores_apart(players: Iterable[RatedPlayer]) -> dict[str, tuple[Core, ...]]:
    """Engines that are several players because several cores played them, by identity."""
    found: dict[str, set[Core]] = {}
    for player in players:
        if player.core is not None:
            found.setdefault(player.identity, set()).add(player.core)
    return {key: tuple(sorted(cores)) for key, cores in sorted(found.items()) if len(cores) > 1}


def limits_of(players: Iterable[RatedPlayer]) -> tuple[str, ...]:
    """The keys of the limits of these players, each once."""
    found = {player.limit for player in players if player.limit is not None}
    return tuple(sorted(found, key=order_of_limit))


def read_games(
    db: Database, chosen: ChosenGames, *, mixing: Mixing | None = None, min_games: int = 0
) -> PlayedGames:
    """The counts of the chosen games, added up by the database."""
    from toolkit.stats.errors import StatisticsError

    columns, pairs = db.repository.games_and_pairs(chosen.games)
    other = columns.white != columns.black
    own = int(columns.counts[:, ~other].sum())
    columns = columns.only(other)
    parts = list(_parts(db, chosen, columns, pairs))
    try:
        games = _added(parts, mixing or Mixing())
    except StatisticsError as error:  # pairs and games are stored together
        raise DatabaseProblem(
            f"{db.name} is damaged ({error}): mtdf db check lists all damage"
        ) from error
    games = replace(
        games,
        excluded=db.repository.excluded_games(chosen.games),
        self_games=own + games.self_games,
    )
    return _with_enough(games, min_games) if min_games else games


class SourcedGames(Struct, frozen=True, eq=False):
    """Games between different players of a table, one a place, and where each is from."""

    white: NDArray[np.intp]
    """Number of the player in the table."""
    black: NDArray[np.intp]
    result: NDArray[np.intp]
    """0 White won, 1 draw, 2 Black won."""
    event: NDArray[np.intp]
    """Id of the event."""
    opening: NDArray[np.intp]
    """Key of the line of a book; 0 if there is none."""


def sourced_games(
    db: Database, chosen: ChosenGames, games: PlayedGames, *, mixing: Mixing | None = None
) -> SourcedGames:
    """The chosen games of ``games`` one by one, read with the same ``mixing``."""
    import numpy as np

    columns = db.repository.source_columns(chosen.games)
    number = {player: at for at, player in enumerate(games.table.players)}
    external, size = _external(db), max(len(columns.players), 1)

    def numbers(entrant: NDArray[np.intp]) -> NDArray[np.intp]:
        found, place = np.unique(columns.core * size + entrant, return_inverse=True)
        players = []
        for key in found.tolist():
            who = columns.players[key % size]
            core = _known_core(columns.cores[key // size], who, external)
            players.append(number.get(_player(who, core, mixing or Mixing()).id, -1))
        return np.array(players, dtype=np.intp)[place]

    white, black = numbers(columns.white), numbers(columns.black)
    here = (white >= 0) & (black >= 0) & (white != black)
    own = (white, black, columns.result, columns.event, columns.opening)
    return SourcedGames(*(column[here] for column in own))


class PlayerNames(Struct, frozen=True):
    """What players are called; by their ids."""

    labels: Mapping[str, str]
    """The labels in ``--json``, which are unique per engine and core: with a prefix of the id if
    two engines share a label, and with the core if several cores played an engine."""
    shown: Mapping[str, str]
    """The names in tables, with the parameters in which the engines differ."""


def player_names(db: Database, chosen: ChosenGames, games: PlayedGames) -> PlayerNames:
    """Names for the players of these games."""
    players = games.players
    found = _stored_labels(db, chosen, {player.identity for player in players})
    engines = [(label, key) for key, label in sorted(found.items())]
    shown = {key: text for (_, key), text in shown_names(db, engines).items()}
    apart = cores_apart(players)
    return PlayerNames(_distinct(players, found, apart), _distinct(players, shown, apart))


def _stored_labels(db: Database, chosen: ChosenGames, identities: set[str]) -> dict[str, str]:
    """The labels of engines in the one event that was chosen, else in their newest ones. A limit in
    a label is left out: it is the player's, and an engine may have others."""
    event_ids = chosen.games.event_ids
    if event_ids is None or len(event_ids) != 1:
        labels = db.repository.labels(sorted(identities))
        return {identity: without_limit(label) for identity, label in labels.items()}
    found: dict[str, dict[str, None]] = {}
    for row in db.repository.event_players(event_ids[0]):
        if row.variant_id in identities:
            found.setdefault(row.variant_id, {})[without_limit(row.label)] = None
    return {identity: " = ".join(labels) for identity, labels in found.items()}


def _distinct(
    players: Sequence[RatedPlayer], found: Mapping[str, str], apart: Mapping[str, tuple[Core, ...]]
) -> dict[str, str]:
    """Labels of players, by id, unique per engine and core."""
    times = Counter(found.values())
    labels = {}
    for player in players:
        label = found[player.identity]
        if times[label] > 1:
            label = marked_label(label, player.identity)
        if player.core_text is not None and player.identity in apart:
            label += f" @{format_core(player.core_text)}"
        labels[player.id] = label
    return labels


class _Part(Struct, frozen=True):
    """Games and pairs of which every entrant was played by one core."""

    games: GameColumns
    pairs: PairColumns
    cores: Mapping[Entrant, Core | None]


def _parts(
    db: Database, chosen: ChosenGames, games: GameColumns, pairs: PairColumns
) -> Iterator[_Part]:
    """The games as a whole where each entrant has one core, else core by core."""
    import numpy as np

    external = _external(db)
    size = max(len(games.players), 1)
    both = np.concatenate([games.core * size + games.white, games.core * size + games.black])
    played = np.unique(both)
    entrant, core = played % size, played // size
    if np.unique(entrant).size == entrant.size:
        each = zip(entrant.tolist(), core.tolist(), strict=True)
        known = {
            games.players[who]: _known_core(games.cores[at], games.players[who], external)
            for who, at in each
        }
        yield _Part(games, pairs, known)
        return
    for place in np.unique(games.core).tolist():
        some = games.only(games.core == place)
        own = db.repository.pair_columns(structs.replace(chosen.games, core=games.cores[place]))
        known = {
            who: _known_core(games.cores[place], who, external)
            for who in (*games.players, *own.players)
        }
        yield _Part(some, own, known)


def _external(db: Database) -> set[str]:
    """The identities of external engines."""
    return {one.id for one in db.repository.variants() if one.kind == UCI_KIND}


def _player(entrant: Entrant, core: Core | None, mixing: Mixing) -> RatedPlayer:
    """The player that an entrant is if this core played it."""
    return RatedPlayer(
        entrant.identity,
        None if mixing.cores else core,
        None if mixing.limits else entrant.limit,
    )


def _known_core(core: Core, entrant: Entrant, external: AbstractSet[str]) -> Core | None:
    """What played an entrant in games of this core. Our core plays no part in how an external
    engine plays; what counts is which engine it was."""
    backend, signature = core[0], split_signature(core[1])
    if backend == IMPORTED_BACKEND:
        return None
    if entrant.identity in external:
        own = entrant.identity[:MARK_DIGITS]
        return UCI_KIND, signature.changed.get(own, own)
    return backend, signature.core


def _added(parts: Sequence[_Part], mixing: Mixing) -> PlayedGames:
    """Everything together, by player."""
    import numpy as np

    from toolkit.stats.likelihood import PoolGames
    from toolkit.stats.tables import PoolPairs, SharedPairs, merge

    number: dict[RatedPlayer, int] = {}

    def numbers(part: _Part, entrants: Sequence[Entrant]) -> NDArray[np.intp]:
        players = (_player(entrant, part.cores.get(entrant), mixing) for entrant in entrants)
        return np.array([number.setdefault(who, len(number)) for who in players], dtype=np.intp)

    white, black, counts, first, second, joint = [], [], [], [], [], []
    shared: list[SharedPairs] = []
    for part in parts:
        known = numbers(part, part.games.players)
        white.append(known[part.games.white])
        black.append(known[part.games.black])
        counts.append(part.games.counts.astype(np.float64))
        known, met = numbers(part, part.pairs.players), part.pairs.first != part.pairs.second
        first.append(known[part.pairs.first[met]])
        second.append(known[part.pairs.second[met]])
        joint.append(part.pairs.joint[:, met].astype(np.float64))
        some = part.pairs.shared
        if some is not None:
            shared.append(
                SharedPairs(some.opening, known[some.first], known[some.second], some.result)
            )
    names = tuple(player.id for player in number)
    table = merge(
        names,
        PoolGames(
            len(number),
            np.concatenate(white),
            np.concatenate(black),
            np.concatenate(counts, axis=1),
        ),
        PoolPairs(
            np.concatenate(first),
            np.concatenate(second),
            np.concatenate(joint, axis=1),
            _joined(shared),
        ),
    )
    by_id = {player.id: player for player in number}
    return PlayedGames(table, by_id, excluded=0, self_games=table.self_games)


def _joined(shared: Sequence[SharedPairs]) -> SharedPairs | None:
    """All these pairs; None if there are none. One opening may have pairs of several cores."""
    import numpy as np

    from toolkit.stats.tables import SharedPairs

    if not shared:
        return None
    names = ("opening", "first", "second", "result")
    return SharedPairs(
        *(np.concatenate([getattr(part, name) for part in shared]) for name in names)
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
    before = len(games.players)
    while True:
        enough = games.table.results().sum(axis=1) >= least
        if enough.all():
            return replace(games, below_minimum=before - len(games.players))
        games = _only(games, enough.tolist())
