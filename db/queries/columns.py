"""Counts of many games by numpy columns, without Python objects per game or meeting.

The database sums by pairing; players are added here by number, which is faster than joins. Of the
chosen games with the same key only the first counts, see :mod:`db.queries.choice`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    and_,
    case,
    cast,
    func,
    or_,
    select,
)

from db.errors import DatabaseCorrupt
from db.queries.choice import (
    ChoiceLike,
    as_choice,
    chosen_games,
    chosen_pairs,
    has_stand_ins,
    of_pairings,
)
from db.queries.counts import white_moves_first
from db.queries.events import event_limits
from db.records.engines import Core
from db.records.events import SHARED_OPENINGS, Entrant, EventCounts
from db.records.games import GameColumns, PairColumns, SharedColumns, SourceColumns
from db.schema.declared import (
    END_REASON,
    EVENT,
    EVENT_PLAYER,
    GAME,
    PAIR,
    PAIRING,
    PROVENANCE,
    VARIANT,
)

if TYPE_CHECKING:
    from db.records.games import Ints

_AT_ONCE = 20_000
"""Rows fetched at a time."""
_KEYS = 1 << 31
"""More than any key of a table."""
_POSITIONS = 1 << 30
"""More than any position in an event; three times its square fits into 64 bits."""
_FEW_PAIRS = 50_000
"""Up to this many pairs, looking up their games one by one is faster than counting all games."""
_READ_IN_ORDER = 8
"""How many games can be read in sequence in the time of one lookup."""
_DENSE = 4
"""Up to this many times as many possible keys as rows, a table of all keys is faster than sorting
the rows."""
# Where the nine counts by half points (first game, second game) of the pairing's first player stand
# in those by result, 0 White won to 2 Black won; first those where it had White in the first game.
_JOINT = np.array(
    [3 * (2 - i) + j for i in range(3) for j in range(3)]
    + [3 * i + 2 - j for i in range(3) for j in range(3)]
)
# An outer join, so that the planner starts from the pairs.
_GAMES_OF_PAIRS = (
    select(GAME.c.event_id, GAME.c.white_player, GAME.c.black_player, GAME.c.white_score)
    .select_from(PAIR)
    .outerjoin(
        GAME,
        and_(
            GAME.c.event_id == PAIR.c.event_id,
            GAME.c.pairing == PAIR.c.pairing,
            GAME.c.pair == PAIR.c.pair,
        ),
    )
    .where(GAME.c.repeats_id.is_(None))
)


def game_columns(connection: Connection, chosen: ChoiceLike) -> GameColumns:
    """Counted games by what played them and by who had which colour."""
    games = chosen_games(connection, chosen)
    # Only an index is read. Most of the time goes into fetching values, so each number holds two.
    # The rows are summed here, which is faster than fetching groups.
    query = select(
        cast(games.c.event_id, BigInteger) * _KEYS + games.c.provenance_id,
        (3 * cast(games.c.white_player, BigInteger) + games.c.white_score) * _POSITIONS
        + games.c.black_player,
    )
    place, encounter = fetched(connection, query)
    event, provenance = np.divmod(place, _KEYS)
    white_and_score, had_black = np.divmod(encounter, _POSITIONS)
    had_white, score = np.divmod(white_and_score, 3)
    number = np.ones_like(score)
    players = _Players(connection)
    cores, core_of = _cores(connection)
    return _summed_games(
        players.entrants,
        cores,
        core_of[provenance],
        players.at(event, had_white),
        players.at(event, had_black),
        2 - score,
        number,
    )


def source_columns(connection: Connection, chosen: ChoiceLike) -> SourceColumns:
    """Counted games with their events and openings."""
    games = chosen_games(connection, chosen, GAME.c.opening_id)
    columns = (games.c.white_player, games.c.black_player, games.c.white_score)
    opening = func.coalesce(games.c.opening_id, 0).label("opening")
    query = select(games.c.event_id, games.c.provenance_id, *columns, opening)
    event, provenance, white, black, score, openings = fetched(connection, query)
    players = _Players(connection)
    cores, core_of = _cores(connection)
    return SourceColumns(
        players.entrants,
        cores,
        core_of[provenance],
        players.at(event, white),
        players.at(event, black),
        2 - score,
        event,
        openings,
    )


def pair_columns(connection: Connection, chosen: ChoiceLike) -> PairColumns:
    """Counted pairs by who had White in the first game and by both results."""
    pairs = chosen_pairs(connection, chosen)
    code = (case((pairs.c.first_is_white, 0), else_=9) + 3 * pairs.c.score1 + pairs.c.score2).label(
        "code"
    )
    columns = (pairs.c.event_id, pairs.c.pairing, code)
    query = select(*columns, func.count()).group_by(*columns)
    event, pairing, codes, number = fetched(connection, query)
    players = _Players(connection)
    if not codes.size:  # as in imports whose games were not paired
        none = np.zeros(0, dtype=np.int64)
        return PairColumns(players.entrants, none, none, np.zeros((9, 0), dtype=np.int64))
    first, second = _paired_players(connection, players, event, pairing)
    # Scores are half points of the pairing's first player, who has one colour in each game.
    turned = codes >= 9
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    size = len(players.entrants)
    keys, joint = _sums(first * size + second, _JOINT[codes], number, 9)
    shared = _shared_columns(connection, chosen, players)
    return PairColumns(players.entrants, keys // size, keys % size, joint, shared)


def _shared_columns(
    connection: Connection, chosen: ChoiceLike, players: _Players
) -> SharedColumns | None:
    """The chosen pairs of events whose pairings share their openings."""
    sharing = select(EVENT.c.id).where(EVENT.c.settings["openings"].as_string() == SHARED_OPENINGS)
    events = list(connection.execute(sharing).scalars())
    if not events:
        return None
    pairs = chosen_pairs(connection, chosen)
    code = case((pairs.c.first_is_white, 0), else_=9) + 3 * pairs.c.score1 + pairs.c.score2
    query = select(pairs.c.event_id, pairs.c.pairing, pairs.c.pair, code.label("code"))
    event, pairing, pair, codes = fetched(connection, query.where(pairs.c.event_id.in_(events)))
    if not codes.size:
        return None
    first, second = _paired_players(connection, players, event, pairing)
    turned = codes >= 9
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    return SharedColumns(event * _POSITIONS + pair, first, second, _JOINT[codes])


def games_and_pairs(connection: Connection, chosen: ChoiceLike) -> tuple[GameColumns, PairColumns]:
    """:func:`game_columns` and :func:`pair_columns`. Where one core played everything, the games of
    whole pairs are counted by their pairs, and only the others are looked at one by one."""
    pairs = pair_columns(connection, chosen)
    core = _only_core(connection)
    choice = as_choice(chosen)
    if core is None or not choice.of_whole_pairings or has_stand_ins(connection, choice):
        return game_columns(connection, choice), pairs
    alone = [
        or_(PAIR.c.counted.is_(False), PAIR.c.score2.is_(None)),
        *of_pairings(choice, PAIR),
    ]
    rest = connection.execute(select(func.count()).select_from(PAIR).where(*alone)).scalar_one()
    if rest > _FEW_PAIRS:
        return game_columns(connection, choice), pairs
    taken = _games_of_whole_pairs(pairs)
    if rest:
        event, white, black, score = fetched(connection, _GAMES_OF_PAIRS.where(*alone))
        players = _Players(connection)
        single = players.at(event, white), players.at(event, black), 2 - score, np.ones_like(score)
        taken = [np.concatenate(both) for both in zip(taken, single, strict=True)]
    all_of_it = np.zeros_like(taken[0])
    return _summed_games(pairs.players, (core,), all_of_it, *taken), pairs


def _games_of_whole_pairs(pairs: PairColumns) -> list[Ints]:
    """White, Black, result and number of the games of pairs; a row for each such result."""
    table = pairs.joint.reshape(3, 3, -1)
    number = np.concatenate([*table.sum(axis=1), *table.sum(axis=0)])
    white = np.concatenate([*[pairs.first] * 3, *[pairs.second] * 3])
    black = np.concatenate([*[pairs.second] * 3, *[pairs.first] * 3])
    result = np.repeat(np.tile(np.arange(3), 2), pairs.first.size)
    return [column[number > 0] for column in (white, black, result, number)]


def player_games(connection: Connection, chosen: ChoiceLike) -> dict[str, int]:
    """Counted games of each variant by its identity; one against itself is one game."""
    games = chosen_games(connection, chosen).c
    place = (games.event_id, games.pairing, games.white_player, games.black_player)
    query = select(games.event_id, games.white_player, games.black_player, func.count())
    event, white, black, number = fetched(connection, query.group_by(*place))
    players = _Players(connection)
    one, other = players.at(event, white), players.at(event, black)
    number_of_other = np.where(one == other, 0, number)
    size = len(players.entrants)
    played = np.bincount(one, number, size) + np.bincount(other, number_of_other, size)
    found: dict[str, int] = {}
    for entrant, count in zip(players.entrants, played.tolist(), strict=True):
        if count:
            found[entrant.identity] = found.get(entrant.identity, 0) + int(count)
    return found


def event_counts(connection: Connection, event_id: int) -> list[EventCounts]:
    """Games of one event by player, colour, points and end reason, repetitions included: each game
    once for White and once for Black. Raises DatabaseCorrupt if a player or reason is missing.
    """
    kind = (
        (cast(GAME.c.plies, BigInteger) * _KEYS + GAME.c.end_reason_id) * 3 + GAME.c.white_score
    ) * 4
    first = white_moves_first(GAME) * 2 + case((GAME.c.repeats_id.is_(None), 0), else_=1)
    white, black, kinds, *costs = fetched(
        connection,
        select(
            *(GAME.c.white_player, GAME.c.black_player, (kind + first).label("kind")),
            *(GAME.c.white_nodes, GAME.c.black_nodes, GAME.c.white_cpu_us, GAME.c.black_cpu_us),
        ).where(_is_of_event(connection, event_id)),
    )
    kinds, repeats = np.divmod(kinds, 2)
    kinds, white_first = np.divmod(kinds, 2)
    kinds, score = np.divmod(kinds, 3)
    plies, reason = np.divmod(kinds, _KEYS)
    white_plies = (plies + white_first) // 2
    played = _EventGames(connection, event_id, reason, plies, repeats)
    return [
        *played.of_side(white, score, white_plies, costs[0], costs[2], is_white=True),
        *played.of_side(black, 2 - score, plies - white_plies, costs[1], costs[3], is_white=False),
    ]


class _EventGames:
    """What the games of an event are for both sides, and the names of players and end reasons."""

    def __init__(
        self, connection: Connection, event_id: int, reason: Ints, plies: Ints, repeats: Ints
    ) -> None:
        self._reason, self._plies, self._repeats = reason, plies, repeats
        labels = select(EVENT_PLAYER.c.position, EVENT_PLAYER.c.label)
        found = connection.execute(labels.where(EVENT_PLAYER.c.event_id == event_id))
        self._labels = {position: label for position, label in found}
        reasons = connection.execute(select(END_REASON.c.id, END_REASON.c.name))
        self._names = {key: name for key, name in reasons}

    def of_side(
        self,
        player: Ints,
        points: Ints,
        own_plies: Ints,
        nodes: Ints,
        cpu_us: Ints,
        *,
        is_white: bool,
    ) -> Iterator[EventCounts]:
        """One side's counts. Raises DatabaseCorrupt."""
        width = int(self._reason.max(initial=0)) + 1
        groups, at = _numbered((player * 3 + points) * width + self._reason)
        size = groups.size
        most, least = np.zeros(size, np.int64), np.full(size, _KEYS)
        np.maximum.at(most, at, self._plies)
        np.minimum.at(least, at, self._plies)
        searched = np.where(nodes > 0, own_plies, 0)
        sums = [
            _added(at, values, size)
            for values in (self._repeats, self._plies, searched, nodes, cpu_us)
        ]
        games = np.bincount(at, minlength=size)
        columns = [games, sums[0], least, most, *sums[1:]]
        rows = zip(groups.tolist(), *(column.tolist() for column in columns), strict=True)
        for key, *numbers in rows:
            position, own_points = divmod(key // width, 3)
            label, reason = self._labels.get(position), self._names.get(key % width)
            if label is None:
                raise DatabaseCorrupt("the database is damaged (a game refers to missing players)")
            if reason is None:
                raise DatabaseCorrupt("the database is damaged (a game has an unknown end reason)")
            yield EventCounts(label, is_white, own_points, reason, *numbers)


def _is_of_event(connection: Connection, event_id: int) -> ColumnElement[bool]:
    """Condition: a game belongs to the event. If most games between its first and its last belong
    to it, the condition lets the database read them in sequence: looking up each one in an index
    takes eight times as long."""
    query = select(func.min(GAME.c.id), func.max(GAME.c.id), func.count())
    first, last, games = connection.execute(query.where(GAME.c.event_id == event_id)).one()
    if not games or last - first > _READ_IN_ORDER * games:
        return GAME.c.event_id == event_id
    # No index contains a sum.
    return and_(GAME.c.id.between(first, last), GAME.c.event_id + 0 == event_id)


class _Players:
    """The player at each position of each event, with its limit."""

    def __init__(self, connection: Connection) -> None:
        query = select(EVENT_PLAYER.c.event_id, EVENT_PLAYER.c.position, EVENT_PLAYER.c.variant_id)
        event, position, variant = fetched(connection, query)
        named = connection.execute(
            select(VARIANT.c.id, VARIANT.c.identity).where(
                VARIANT.c.id.in_(select(EVENT_PLAYER.c.variant_id))
            )
        )
        name = {key: identity for key, identity in named}
        identities = sorted(name.values())
        number = {identity: at for at, identity in enumerate(identities)}
        keys = np.array(sorted(name), dtype=np.int64)
        numbers = np.array([number[name[key]] for key in sorted(name)], dtype=np.int64)
        limits, limit = _limits(connection, event, position)
        both = numbers[np.searchsorted(keys, variant)] * len(limits) + limit
        found, self._numbers = np.unique(both, return_inverse=True)
        self._places = _Index(event, position)
        self.entrants = tuple(
            Entrant(identities[key // len(limits)], limits[key % len(limits)])
            for key in found.tolist()
        )
        """In order; a player's number is its place."""

    def at(self, event: Ints, position: Ints) -> Ints:
        """The players' numbers."""
        return np.asarray(self._numbers[self._places.rows(event, position)])


def _limits(connection: Connection, event: Ints, position: Ints) -> tuple[list[str], Ints]:
    """Every limit in order, and for each event player the index of its limit."""
    found = event_limits(connection)
    limits = found.in_order()
    place = {limit: at for at, limit in enumerate(limits)}
    try:
        players = zip(event.tolist(), position.tolist(), strict=True)
        each = [place[found.of(event_id, at)] for event_id, at in players]
    except KeyError as error:
        raise DatabaseCorrupt("the database is damaged (a player of a missing event)") from error
    return limits, np.array(each, dtype=np.int64)


class _Index:
    """Rows by two whole numbers from 0 up."""

    def __init__(self, first: Ints, second: Ints) -> None:
        self._span = int(second.max(initial=0)) + 1
        keys = first * self._span + second
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]

    def rows(self, first: Ints, second: Ints) -> Ints:
        """The row of each two numbers."""
        keys = first * self._span + second
        at = np.minimum(np.searchsorted(self._keys, keys), max(self._keys.size - 1, 0))
        if keys.size and (
            not self._keys.size
            or bool((second >= self._span).any())
            or bool((self._keys[at] != keys).any())
        ):
            raise DatabaseCorrupt("the database is damaged (a game refers to missing players)")
        return np.asarray(self._order[at])


def _paired_players(
    connection: Connection, players: _Players, event: Ints, pairing: Ints
) -> tuple[Ints, Ints]:
    """First and second player of each pairing."""
    query = select(
        PAIRING.c.event_id, PAIRING.c.pairing, PAIRING.c.first_player, PAIRING.c.second_player
    )
    of_event, number, first, second = fetched(connection, query)
    rows = _Index(of_event, number).rows(event, pairing)
    return players.at(event, first[rows]), players.at(event, second[rows])


def _cores(connection: Connection) -> tuple[tuple[Core, ...], Ints]:
    """Every core in order, and the index of the core for each key of the table `provenance`."""
    rows = connection.execute(
        select(PROVENANCE.c.id, PROVENANCE.c.backend, PROVENANCE.c.signature)
    ).all()
    cores = tuple(sorted({(backend, signature) for _, backend, signature in rows}))
    place = np.zeros(max((key for key, _, _ in rows), default=0) + 1, dtype=np.int64)
    for key, backend, signature in rows:
        place[key] = cores.index((backend, signature))
    return cores, place


def _only_core(connection: Connection) -> Core | None:
    """The core that played every game of the database; None if there were several."""
    query = select(PROVENANCE.c.backend, PROVENANCE.c.signature).distinct().limit(2)
    cores = [(backend, signature) for backend, signature in connection.execute(query)]
    return cores[0] if len(cores) == 1 else None


def _summed_games(
    players: tuple[Entrant, ...],
    cores: tuple[Core, ...],
    core: Ints,
    white: Ints,
    black: Ints,
    result: Ints,
    number: Ints,
) -> GameColumns:
    """Each encounter of each core once; ``result``: 0 White won, 1 draw, 2 Black won."""
    size = max(len(players), 1)
    keys, counts = _sums((core * size + white) * size + black, result, number, 3)
    encounter = keys % (size * size)
    return GameColumns(
        players, cores, keys // (size * size), encounter // size, encounter % size, counts
    )


def _sums(keys: Ints, rows: Ints, number: Ints, height: int) -> tuple[Ints, Ints]:
    """The keys in order, each once, and a table of the sums of ``number`` by row and key."""
    unique, place = _numbered(keys)
    # Floats hold whole numbers up to 2^53 without loss.
    table = np.bincount(rows * unique.size + place, number, height * unique.size)
    return unique, table.astype(np.int64).reshape(height, unique.size)


def _added(at: Ints, values: Ints, size: int) -> Ints:
    """The sums of the values of each place."""
    sums = np.zeros(size, dtype=np.int64)
    np.add.at(sums, at, values)
    return sums


def _numbered(keys: Ints) -> tuple[Ints, Ints]:
    """The keys in order, each once, and the place of each row's key among them."""
    span = int(keys.max(initial=-1)) + 1
    if span > _DENSE * keys.size:
        unique, place = np.unique(keys, return_inverse=True)
        return unique, place
    is_there = np.zeros(span, dtype=bool)
    is_there[keys] = True
    return np.flatnonzero(is_there), (np.cumsum(is_there) - 1)[keys]


def fetched(connection: Connection, query: Select[*tuple[Any, ...]]) -> Ints:
    """The columns of a query for whole numbers, none of them NULL. Raises DatabaseCorrupt.

    SQLite gives each column as one text, because making Python objects of a row takes longer than
    reading it. A text may have 10^9 bytes, about fifty million numbers.
    """
    if connection.dialect.name == "sqlite":
        return _fetched_as_text(connection, query)
    result = connection.execute(query)
    width = len(result.keys())
    parts: list[Ints] = []
    if result.cursor is not None:
        while rows := result.cursor.fetchmany(_AT_ONCE):
            flat = chain.from_iterable(rows)
            parts.append(np.fromiter(flat, np.int64, len(rows) * width).reshape(-1, width))
    result.close()
    if not parts:
        return np.zeros((width, 0), dtype=np.int64)
    return np.ascontiguousarray(np.concatenate(parts).T)


def _fetched_as_text(connection: Connection, query: Select[*tuple[Any, ...]]) -> Ints:
    columns = query.subquery().c
    together = select(func.count(), *(func.group_concat(column) for column in columns))
    number, *texts = connection.execute(together).one()
    table = np.zeros((len(columns), number), dtype=np.int64)
    for row, text in zip(table, texts, strict=True):
        try:
            found = np.fromstring(text or "", np.int64, sep=",")
        except (DeprecationWarning, ValueError):  # older versions of numpy only stop there
            found = np.zeros(0, dtype=np.int64)
        # A missing value is left out of the text.
        if found.size != number:
            raise DatabaseCorrupt("the database is damaged (a value is missing or not a number)")
        row[:] = found
    return table
