"""Digests of stored rows: they show whether the data read is the data that was stored.

Each row of thirteen tables has a digest of its content, written in the transaction that writes the
row. The content has the names of other rows in place of their keys (an event's key, a variant's
identity). So those rows are covered too, and no digest depends on how rows are numbered. Rows that
belong together have one digest: a book and its lines, a game and its moves, a laboratory
run with engines and positions. ``pairs`` and ``pairings`` repeat the content of games, and have no
digests.

A digest cannot show that its row is missing. So ``stored_rows`` counts the stored rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Table,
    Text,
    and_,
    bindparam,
    case,
    cast,
    delete,
    func,
    insert,
    select,
    tuple_,
    type_coerce,
    update,
)

from db.errors import damage_found
from db.schema.declared import (
    BOOK,
    END_REASON,
    EVENT,
    EVENT_PLAYER,
    GAME,
    GAME_MOVES,
    GAME_PROBLEM,
    LAB_ENGINE,
    LAB_POSITION,
    LAB_RUN,
    LAB_SEARCH,
    NAMED_ENGINE,
    OPENING,
    PAIR_FAILURE,
    PROVENANCE,
    RATING,
    RATING_LIST,
    STORED_ROWS,
    TUNING_CONFIRMATION,
    TUNING_ENCOUNTER,
    TUNING_STUDY,
    TUNING_TRIAL,
    VARIANT,
)

if TYPE_CHECKING:
    from db.records.openings import BookRecord, OpeningRecord

_VERSION = b"\1"
"""The first byte of a digest: how it is computed and what it covers."""
_HASH_BYTES = 7
_PAGE = 500
"""Rows read at a time."""
_MANY = 20
"""The same for rows that have parts, which are read with them."""


def digest_of(what: str, content: Sequence[Any], parts: Sequence[Sequence[Any]] = ()) -> bytes:
    """Eight bytes: the version, and BLAKE2b of the content in Python's ASCII notation, which is the
    same in all its versions. Values are None, int, float, str and bytes; ``parts`` are the rows
    that belong to the row."""
    text = ascii((what, *content, *parts))
    return _VERSION + hashlib.blake2b(text.encode(), digest_size=_HASH_BYTES).digest()


@dataclass(frozen=True, slots=True)
class DigestKind:
    """Rows of one table that have digests."""

    what: str
    """The name in digests, in ``stored_rows`` and in messages."""
    table: Table
    name: str
    """Name of a row in messages; ``{0}`` is the first column of its content, ``{key}`` its key."""
    content: Sequence[Any]
    """What the digest covers of the row, and the names of rows that it refers to."""
    joins: Sequence[tuple[Any, Any]] = ()
    """Tables with those names, and how they are found."""
    parts: Sequence[Select[Any]] = ()
    """Questions for the rows that belong to rows of the keys ``owners``: owner first, then what
    the digest covers."""
    owner: Any = None
    """The event, study or run whose rows are counted; None: all rows of the table are."""
    page: int = _PAGE

    @property
    def keys(self) -> tuple[Any, ...]:
        """The columns of the primary key."""
        return tuple(self.table.primary_key)

    def query(self) -> Select[Any]:
        """Key, owner, digest and content of rows, in the order of their keys."""
        owner = 0 if self.owner is None else self.owner
        statement = select(*self.keys, type_coerce(owner, self.keys[0].type), self.table.c.digest)
        statement = statement.add_columns(*self.content).select_from(self.table)
        for table, condition in self.joins:
            statement = statement.outerjoin(table, condition)
        return statement.order_by(*self.keys)


def as_text(column: Any) -> ColumnElement[str]:
    """A column of JSON as it is stored."""
    return cast(type_coerce(column, Text), Text)


def _part(owner: Any, *columns: Any) -> Select[Any]:
    return select(owner, *columns).where(owner.in_(bindparam("owners", expanding=True)))


def _made_by(table: Table) -> tuple[Any, Any]:
    return PROVENANCE, PROVENANCE.c.id == table.c.provenance_id


_MAKER = (PROVENANCE.c.host, PROVENANCE.c.version, PROVENANCE.c.backend, PROVENANCE.c.signature)
_PLAYED_BY = (
    case(
        (PROVENANCE.c.speed == 0, PROVENANCE.c.host),
        else_=PROVENANCE.c.host + " " + cast(PROVENANCE.c.speed, Text),
    ),
    *_MAKER[1:],
)
"""Digests of games from before there was a speed stay as they are. See :func:`played_by`."""
_FIRST, _FIRST_EVENT = GAME.alias(), EVENT.alias()
_GAME_COLUMNS = (
    *("pairing", "pair", "game", "white_player", "black_player", "white_score", "plies"),
    *("start_fen", "white_nodes", "black_nodes", "white_cpu_us", "black_cpu_us"),
    *("started_ms", "ended_ms", "load", "jobs", "seed", "game_key"),
)
_MOVE_COLUMNS = ("moves_version", "moves", "search_version", "search_data")

VARIANTS = DigestKind(
    "variants",
    VARIANT,
    "variant {4}",
    (
        VARIANT.c.identity,
        VARIANT.c.kind,
        VARIANT.c.driver,
        as_text(VARIANT.c.parameters),
        VARIANT.c.spelling,
    ),
)
NAMED_ENGINES = DigestKind(
    "named engines",
    NAMED_ENGINE,
    "named engine {0}",
    (NAMED_ENGINE.c.name, as_text(NAMED_ENGINE.c.settings), NAMED_ENGINE.c.created_ms),
)
BOOKS = DigestKind(
    "books",
    BOOK,
    "book {1}",
    (BOOK.c.identity, BOOK.c.name, BOOK.c.source, BOOK.c.lines),
    parts=[
        _part(
            *(OPENING.c.book_id, OPENING.c.line, OPENING.c.start_fen),
            *(OPENING.c.moves, OPENING.c.fen),
            OPENING.c.label,
        ).order_by(OPENING.c.book_id, OPENING.c.line)
    ],
    page=1,
)
EVENTS = DigestKind(
    "events",
    EVENT,
    "event {0}",
    (
        *(EVENT.c.key, EVENT.c.uid, EVENT.c.name, EVENT.c.kind),
        *(EVENT.c.status, as_text(EVENT.c.settings), EVENT.c.seed),
        *(BOOK.c.identity, EVENT.c.pairs_planned, EVENT.c.created_ms),
        *(EVENT.c.started_ms, EVENT.c.ended_ms),
        *_MAKER,
    ),
    joins=[(BOOK, BOOK.c.id == EVENT.c.book_id), _made_by(EVENT)],
    parts=[
        _part(
            *(PAIR_FAILURE.c.event_id, PAIR_FAILURE.c.pairing),
            *(PAIR_FAILURE.c.pair, PAIR_FAILURE.c.attempts),
            *(PAIR_FAILURE.c.reason, PAIR_FAILURE.c.failed_ms),
        ).order_by(PAIR_FAILURE.c.event_id, PAIR_FAILURE.c.pairing, PAIR_FAILURE.c.pair)
    ],
    page=_MANY,
)
PLAYERS = DigestKind(
    "players",
    EVENT_PLAYER,
    "event {0}, player {1}",
    (EVENT.c.key, EVENT_PLAYER.c.position, EVENT_PLAYER.c.label, VARIANT.c.identity),
    joins=[
        (EVENT, EVENT.c.id == EVENT_PLAYER.c.event_id),
        (VARIANT, VARIANT.c.id == EVENT_PLAYER.c.variant_id),
    ],
    owner=EVENT_PLAYER.c.event_id,
)
GAMES = DigestKind(
    "games",
    GAME,
    "game {key}",
    (
        *(EVENT.c.key, END_REASON.c.name, BOOK.c.identity, OPENING.c.line, *_PLAYED_BY),
        *(_FIRST_EVENT.c.key, _FIRST.c.pairing, _FIRST.c.pair, _FIRST.c.game),
        *(GAME.c[name] for name in _GAME_COLUMNS),
        *(GAME_MOVES.c[name] for name in _MOVE_COLUMNS),
    ),
    joins=[
        (EVENT, EVENT.c.id == GAME.c.event_id),
        (END_REASON, END_REASON.c.id == GAME.c.end_reason_id),
        (OPENING, OPENING.c.id == GAME.c.opening_id),
        (BOOK, BOOK.c.id == OPENING.c.book_id),
        _made_by(GAME),
        (_FIRST, _FIRST.c.id == GAME.c.repeats_id),
        (_FIRST_EVENT, _FIRST_EVENT.c.id == _FIRST.c.event_id),
        (GAME_MOVES, GAME_MOVES.c.game_id == GAME.c.id),
    ],
    owner=GAME.c.event_id,
)
PROBLEMS = DigestKind(
    "problems of games",
    GAME_PROBLEM,
    "event {0}, a problem of pairing {1}, pair {2}, game {3}",
    (
        *(EVENT.c.key, GAME.c.pairing, GAME.c.pair),
        *(GAME.c.game, GAME_PROBLEM.c.number, GAME_PROBLEM.c.of_white),
        *(GAME_PROBLEM.c.severity, GAME_PROBLEM.c.text, GAME_PROBLEM.c.fen, GAME_PROBLEM.c.command),
    ),
    joins=[
        (EVENT, EVENT.c.id == GAME_PROBLEM.c.event_id),
        (GAME, GAME.c.id == GAME_PROBLEM.c.game_id),
    ],
    owner=GAME_PROBLEM.c.event_id,
)
RATING_LISTS = DigestKind(
    "rating lists",
    RATING_LIST,
    "rating list {key}",
    (
        *(RATING_LIST.c.created_ms, RATING_LIST.c.version, RATING_LIST.c.error_model),
        as_text(RATING_LIST.c.settings),
    ),
    parts=[
        _part(
            *(RATING.c.list_id, RATING.c.rank, VARIANT.c.identity, RATING.c.label, RATING.c.elo),
            *(RATING.c.error95, RATING.c.games, RATING.c.score, RATING.c.los_next),
        )
        .outerjoin(VARIANT, VARIANT.c.id == RATING.c.variant_id)
        .order_by(RATING.c.list_id, RATING.c.rank)
    ],
    page=_MANY,
)
STUDIES = DigestKind(
    "studies",
    TUNING_STUDY,
    "study {0}",
    (
        *(TUNING_STUDY.c.name, TUNING_STUDY.c.uid, TUNING_STUDY.c.status),
        as_text(TUNING_STUDY.c.settings),
        *(TUNING_STUDY.c.created_ms, TUNING_STUDY.c.started_ms, TUNING_STUDY.c.ended_ms, *_MAKER),
        *(EVENT.c.key, as_text(TUNING_STUDY.c.result)),
    ),
    joins=[(EVENT, EVENT.c.id == TUNING_STUDY.c.event_id), _made_by(TUNING_STUDY)],
    parts=[
        _part(TUNING_CONFIRMATION.c.study_id, EVENT.c.key)
        .outerjoin(EVENT, EVENT.c.id == TUNING_CONFIRMATION.c.event_id)
        .order_by(TUNING_CONFIRMATION.c.study_id, EVENT.c.key)
    ],
    page=_MANY,
)
_STUDY_OF_TRIAL = (TUNING_STUDY, TUNING_STUDY.c.id == TUNING_TRIAL.c.study_id)
TRIALS = DigestKind(
    "trials",
    TUNING_TRIAL,
    "study {0}, trial {1}",
    (
        *(TUNING_STUDY.c.name, TUNING_TRIAL.c.number),
        *(TUNING_TRIAL.c.state, as_text(TUNING_TRIAL.c.params)),
        *(as_text(TUNING_TRIAL.c.attributes), as_text(TUNING_TRIAL.c.steps), TUNING_TRIAL.c.value),
        *(TUNING_TRIAL.c.started_ms, TUNING_TRIAL.c.ended_ms),
    ),
    joins=[_STUDY_OF_TRIAL],
    owner=TUNING_TRIAL.c.study_id,
)
ENCOUNTERS = DigestKind(
    "encounters",
    TUNING_ENCOUNTER,
    "study {0}, encounter {1}",
    (
        *(TUNING_STUDY.c.name, TUNING_ENCOUNTER.c.number),
        *(TUNING_ENCOUNTER.c.trial, TUNING_ENCOUNTER.c.phase),
        *(as_text(TUNING_ENCOUNTER.c.first), as_text(TUNING_ENCOUNTER.c.second)),
        *(TUNING_ENCOUNTER.c.opponent, TUNING_ENCOUNTER.c.first_pair, TUNING_ENCOUNTER.c.pairs),
        TUNING_ENCOUNTER.c.scores,
    ),
    joins=[(TUNING_STUDY, TUNING_STUDY.c.id == TUNING_ENCOUNTER.c.study_id)],
    owner=TUNING_ENCOUNTER.c.study_id,
)
LAB_RUNS = DigestKind(
    "laboratory runs",
    LAB_RUN,
    "laboratory run {0}",
    (
        *(LAB_RUN.c.name, LAB_RUN.c.uid, LAB_RUN.c.kind, LAB_RUN.c.status),
        *(as_text(LAB_RUN.c.settings), LAB_RUN.c.created_ms),
        *(LAB_RUN.c.started_ms, LAB_RUN.c.ended_ms, *_MAKER),
    ),
    joins=[_made_by(LAB_RUN)],
    parts=[
        _part(
            *(LAB_ENGINE.c.run_id, LAB_ENGINE.c.engine, LAB_ENGINE.c.label, VARIANT.c.identity),
            *(LAB_ENGINE.c.baseline, LAB_ENGINE.c.parameter, LAB_ENGINE.c.value),
        )
        .outerjoin(VARIANT, VARIANT.c.id == LAB_ENGINE.c.variant_id)
        .order_by(LAB_ENGINE.c.run_id, LAB_ENGINE.c.engine),
        _part(
            LAB_POSITION.c.run_id, LAB_POSITION.c.position, LAB_POSITION.c.label, LAB_POSITION.c.fen
        ).order_by(LAB_POSITION.c.run_id, LAB_POSITION.c.position),
    ],
    page=_MANY,
)
SEARCHES = DigestKind(
    "searches",
    LAB_SEARCH,
    "laboratory run {0}, engine {1} on position {2}",
    (
        *(LAB_RUN.c.name, LAB_SEARCH.c.engine, LAB_SEARCH.c.position),
        *(LAB_SEARCH.c.depth, LAB_SEARCH.c.value),
        *(LAB_SEARCH.c.move, LAB_SEARCH.c.interior, LAB_SEARCH.c.leaves, LAB_SEARCH.c.quiescence),
        *(LAB_SEARCH.c.passes, LAB_SEARCH.c.cpu_us, as_text(LAB_SEARCH.c.iterations)),
        LAB_SEARCH.c.searched_ms,
    ),
    joins=[(LAB_RUN, LAB_RUN.c.id == LAB_SEARCH.c.run_id)],
    owner=LAB_SEARCH.c.run_id,
)
KINDS = (
    *(VARIANTS, NAMED_ENGINES, BOOKS, EVENTS, PLAYERS, GAMES, PROBLEMS),
    RATING_LISTS,
    *(STUDIES, TRIALS, ENCOUNTERS, LAB_RUNS, SEARCHES),
)
_OWNERS = {
    PLAYERS.what: EVENTS,
    GAMES.what: EVENTS,
    PROBLEMS.what: EVENTS,
    TRIALS.what: STUDIES,
    ENCOUNTERS.what: STUDIES,
    SEARCHES.what: LAB_RUNS,
}
"""The owners of the rows that are counted separately."""

_game_values = itemgetter(*_GAME_COLUMNS)
_move_values = itemgetter(*_MOVE_COLUMNS)
_NO_MOVES = (None,) * len(_MOVE_COLUMNS)
_NO_REPETITION = (None,) * 4


def played_by(
    host: str, version: str, backend: str, signature: str, speed: int
) -> tuple[str, str, str, str]:
    """What a game's digest covers of its provenance."""
    return f"{host} {speed}" if speed else host, version, backend, signature


def game_digest(
    names: Sequence[Any], game: Mapping[str, Any], moves: Mapping[str, Any] | None
) -> bytes:
    """The digest of a game that repeats no other, from the values of its rows. ``names``: the
    event's key, the end reason, the book's identity and the line, and :func:`played_by`. It is what
    :func:`seal` would compute, without reading the game again."""
    values = _NO_MOVES if moves is None else _move_values(moves)
    return digest_of(GAMES.what, (*names, *_NO_REPETITION, *_game_values(game), *values))


def book_digest(book: BookRecord, openings: Sequence[OpeningRecord]) -> bytes:
    """The digest of a book, likewise without reading its lines again."""
    lines = [(0, *opening) for opening in sorted(openings)]
    return digest_of(BOOKS.what, (book.id, book.name, book.source, book.lines), lines)


@dataclass(frozen=True, slots=True)
class _Sealed:
    """A row with its stored digest and the digest of its content."""

    key: tuple[Any, ...]
    owner: int
    name: str
    stored: bytes | None
    digest: bytes


def seal(
    connection: Connection, kind: DigestKind, *conditions: ColumnElement[bool], count: bool = True
) -> None:
    """Set the digests of new rows to those of their current content, and ``count`` the rows without
    one. Call it in the transaction that stored them. Change older rows within :func:`resealed`:
    sealing alone would hide damage to them."""
    new: dict[int, int] = {}
    for page in _pages(connection, kind, conditions):
        changed = [row for row in page if row.stored != row.digest]
        for row in page:
            if row.stored is None:
                new[row.owner] = new.get(row.owner, 0) + 1
        if changed:
            places = [column == bindparam(f"at{i}") for i, column in enumerate(kind.keys)]
            statement = update(kind.table).where(*places)
            connection.execute(
                statement.values(digest=bindparam("new_digest")),
                [
                    {f"at{i}": part for i, part in enumerate(row.key)} | {"new_digest": row.digest}
                    for row in changed
                ],
            )
    for owner, number in new.items() if count else ():
        count_stored(connection, kind, owner, number)


@contextmanager
def resealed(
    connection: Connection, kind: DigestKind, *conditions: ColumnElement[bool]
) -> Iterator[None]:
    """Change stored rows, or rows that belong to them, within the context. Raises DatabaseCorrupt
    first if one of them is not what was stored."""
    verify(connection, kind, *conditions)
    yield
    seal(connection, kind, *conditions)


def seal_all(connection: Connection) -> None:
    """Set the digests of all rows that have none, as after an upgrade. Rows that were never counted
    are counted."""
    counted = connection.execute(select(STORED_ROWS.c.kind).limit(1)).first() is not None
    for kind in KINDS:
        seal(connection, kind, kind.table.c.digest.is_(None), count=not counted)


def count_stored(connection: Connection, kind: DigestKind, owner: int, number: int) -> None:
    """Record that this many more rows of the event, study or run were stored."""
    place = and_(STORED_ROWS.c.kind == kind.what, STORED_ROWS.c.owner == owner)
    changed = connection.execute(
        update(STORED_ROWS).where(place).values(rows=STORED_ROWS.c.rows + number)
    )
    if changed.rowcount == 0:
        values = {"kind": kind.what, "owner": owner, "rows": number}
        connection.execute(insert(STORED_ROWS), values)


def forget_rows(connection: Connection, kinds: Sequence[DigestKind], owners: Sequence[int]) -> None:
    """Stop counting the rows of events, studies or runs that are removed."""
    names = [kind.what for kind in kinds]
    gone = and_(STORED_ROWS.c.kind.in_(names), STORED_ROWS.c.owner.in_(owners))
    connection.execute(delete(STORED_ROWS).where(gone))


def count_gone(connection: Connection, kind: DigestKind, owner: int) -> int:
    """How many stored rows of an event, study or run are missing."""
    place = and_(STORED_ROWS.c.kind == kind.what, STORED_ROWS.c.owner == owner)
    stored = connection.execute(select(STORED_ROWS.c.rows).where(place)).scalar_one_or_none() or 0
    present = select(func.count()).select_from(kind.table).where(kind.owner == owner)
    return max(stored - connection.execute(present).scalar_one(), 0)


def verify(connection: Connection, kind: DigestKind, *conditions: ColumnElement[bool]) -> None:
    """Raises DatabaseCorrupt for the first row that is not what was stored."""
    for _, finding in findings(connection, kind, *conditions):
        raise damage_found(finding)


def findings(
    connection: Connection,
    kind: DigestKind,
    *conditions: ColumnElement[bool],
    on_page: Callable[[int], None] | None = None,
) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Key and a line for each row that is not what was stored. ``on_page`` hears of each some
    hundred rows that were read."""
    for page in _pages(connection, kind, conditions):
        if on_page is not None:
            on_page(len(page))
        for row in page:
            if row.stored != row.digest:
                problem = "it has no digest" if row.stored is None else "it is not what was stored"
                yield row.key, f"{row.name}: {problem}"


def missing_rows(connection: Connection) -> list[str]:
    """A line for each event, study or run, and for each table, whose number of rows differs from
    the number stored."""
    found = []
    kinds = {kind.what: kind for kind in KINDS}
    rows = connection.execute(select(STORED_ROWS.c.kind, STORED_ROWS.c.owner, STORED_ROWS.c.rows))
    stored = {(row.kind, row.owner): row.rows for row in rows}
    present: dict[tuple[str, int], int] = {}
    for kind in KINDS:
        owner = type_coerce(0, kind.keys[0].type) if kind.owner is None else kind.owner
        query = select(owner, func.count()).select_from(kind.table).group_by(owner)
        present |= {(kind.what, at): number for at, number in connection.execute(query)}
    for what, owner in sorted(stored.keys() | present.keys(), key=repr):
        before, now = stored.get((what, owner), 0), present.get((what, owner), 0)
        if before == now:
            continue
        of = ""
        if what in kinds and kinds[what].owner is not None:
            of = f"{_owner_name(connection, _OWNERS[what], owner)}: "
        found.append(f"{of}{what}: {before} stored, {now} present")
    return found


def _owner_name(connection: Connection, kind: DigestKind, key: int) -> str:
    row = connection.execute(
        select(kind.content[0]).select_from(kind.table).where(kind.keys[0] == key)
    ).first()
    name = kind.name.format(*row) if row is not None else None
    return name or f"{kind.name.partition(' {')[0]} with key {key}, which is missing"


def _pages(
    connection: Connection, kind: DigestKind, conditions: Sequence[ColumnElement[bool]]
) -> Iterator[list[_Sealed]]:
    """The rows in pages, to hold neither memory nor a cursor."""
    query = kind.query().where(*conditions).limit(kind.page)
    width = len(kind.keys)
    page = connection.execute(query).all()
    while page:
        parts = _parts_of(connection, kind, [row[0] for row in page])
        yield [_sealed(kind, row, parts.get(row[0], ())) for row in page]
        if len(page) < kind.page:
            return
        after = tuple_(*kind.keys) > tuple_(*page[-1][:width])
        page = connection.execute(query.where(after)).all()


def _parts_of(
    connection: Connection, kind: DigestKind, owners: Sequence[int]
) -> dict[int, list[Sequence[Any]]]:
    """The rows that belong to rows with these keys, each group in order."""
    found: dict[int, list[Sequence[Any]]] = {}
    for number, query in enumerate(kind.parts):
        rows = connection.execute(query, {"owners": owners})
        for owner, group in groupby(rows, key=itemgetter(0)):
            found.setdefault(owner, []).extend((number, *row[1:]) for row in group)
    return found


def _sealed(kind: DigestKind, row: Row[Any], parts: Sequence[Sequence[Any]]) -> _Sealed:
    width = len(kind.keys)
    content = row[width + 2 :]
    return _Sealed(
        key=tuple(row[:width]),
        owner=row[width],
        name=kind.name.format(*content, key=row[0]),
        stored=row[width + 1],
        digest=digest_of(kind.what, content, parts),
    )
