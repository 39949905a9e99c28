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
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
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
from sqlalchemy.orm import aliased

from db.errors import damage_found
from db.tables.models import (
    Book,
    EndReason,
    Event,
    EventPlayer,
    Game,
    GameMoves,
    GameProblem,
    LabEngine,
    LabPosition,
    LabRun,
    LabSearch,
    NamedEngine,
    Opening,
    PairFailure,
    Provenance,
    Rating,
    RatingList,
    StoredRows,
    TuningConfirmation,
    TuningEncounter,
    TuningStudy,
    TuningTrial,
    Variant,
)

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
class Kind:
    """Rows of one table that have digests."""

    what: str
    """The name in digests, in ``stored_rows`` and in messages."""
    table: type[Any]
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
        return tuple(self.table.__mapper__.primary_key)

    def query(self) -> Select[Any]:
        """Key, owner, digest and content of rows, in the order of their keys."""
        owner = 0 if self.owner is None else self.owner
        source = self.table
        statement = select(*self.keys, type_coerce(owner, self.keys[0].type), self.table.digest)
        statement = statement.add_columns(*self.content).select_from(source)
        for table, condition in self.joins:
            statement = statement.outerjoin(table, condition)
        return statement.order_by(*self.keys)


def as_text(column: Any) -> ColumnElement[str]:
    """A column of JSON as it is stored."""
    return cast(type_coerce(column, Text), Text)


def _part(owner: Any, *columns: Any) -> Select[Any]:
    return select(owner, *columns).where(owner.in_(bindparam("owners", expanding=True)))


def _made_by(table: type[Any]) -> tuple[Any, Any]:
    return Provenance, Provenance.id == table.provenance_id


_MAKER = (Provenance.host, Provenance.version, Provenance.backend, Provenance.signature)
_PLAYED_BY = (
    case(
        (Provenance.speed == 0, Provenance.host),
        else_=Provenance.host + " " + cast(Provenance.speed, Text),
    ),
    *_MAKER[1:],
)
"""Digests of games from before there was a speed stay as they are. See :func:`played_by`."""
_FIRST, _FIRST_EVENT = aliased(Game), aliased(Event)
_GAME_COLUMNS = (
    *("pairing", "pair", "game", "white_player", "black_player", "white_score", "plies"),
    *("start_fen", "white_nodes", "black_nodes", "white_cpu_us", "black_cpu_us"),
    *("started_ms", "ended_ms", "load", "jobs", "seed", "game_key"),
)
_MOVE_COLUMNS = ("moves_version", "moves", "search_version", "search_data")

VARIANTS = Kind(
    "variants",
    Variant,
    "variant {4}",
    (Variant.identity, Variant.kind, Variant.driver, as_text(Variant.parameters), Variant.spelling),
)
NAMED_ENGINES = Kind(
    "named engines",
    NamedEngine,
    "named engine {0}",
    (NamedEngine.name, as_text(NamedEngine.settings), NamedEngine.created_ms),
)
BOOKS = Kind(
    "books",
    Book,
    "book {1}",
    (Book.identity, Book.name, Book.source, Book.lines),
    parts=[
        _part(
            *(Opening.book_id, Opening.line, Opening.start_fen, Opening.moves, Opening.fen),
            Opening.label,
        ).order_by(Opening.book_id, Opening.line)
    ],
    page=1,
)
EVENTS = Kind(
    "events",
    Event,
    "event {0}",
    (
        *(Event.key, Event.name, Event.kind, Event.status, as_text(Event.settings), Event.seed),
        *(Book.identity, Event.pairs_planned, Event.created_ms, Event.started_ms, Event.ended_ms),
        *_MAKER,
    ),
    joins=[(Book, Book.id == Event.book_id), _made_by(Event)],
    parts=[
        _part(
            *(PairFailure.event_id, PairFailure.pairing, PairFailure.pair, PairFailure.attempts),
            *(PairFailure.reason, PairFailure.failed_ms),
        ).order_by(PairFailure.event_id, PairFailure.pairing, PairFailure.pair)
    ],
    page=_MANY,
)
PLAYERS = Kind(
    "players",
    EventPlayer,
    "event {0}, player {1}",
    (Event.key, EventPlayer.position, EventPlayer.label, Variant.identity),
    joins=[
        (Event, Event.id == EventPlayer.event_id),
        (Variant, Variant.id == EventPlayer.variant_id),
    ],
    owner=EventPlayer.event_id,
)
GAMES = Kind(
    "games",
    Game,
    "game {key}",
    (
        *(Event.key, EndReason.name, Book.identity, Opening.line, *_PLAYED_BY),
        *(_FIRST_EVENT.key, _FIRST.pairing, _FIRST.pair, _FIRST.game),
        *(getattr(Game, name) for name in _GAME_COLUMNS),
        *(getattr(GameMoves, name) for name in _MOVE_COLUMNS),
    ),
    joins=[
        (Event, Event.id == Game.event_id),
        (EndReason, EndReason.id == Game.end_reason_id),
        (Opening, Opening.id == Game.opening_id),
        (Book, Book.id == Opening.book_id),
        _made_by(Game),
        (_FIRST, _FIRST.id == Game.repeats_id),
        (_FIRST_EVENT, _FIRST_EVENT.id == _FIRST.event_id),
        (GameMoves, GameMoves.game_id == Game.id),
    ],
    owner=Game.event_id,
)
PROBLEMS = Kind(
    "problems of games",
    GameProblem,
    "event {0}, a problem of pairing {1}, pair {2}, game {3}",
    (
        *(Event.key, Game.pairing, Game.pair, Game.game, GameProblem.number, GameProblem.of_white),
        *(GameProblem.severity, GameProblem.text, GameProblem.fen, GameProblem.command),
    ),
    joins=[(Event, Event.id == GameProblem.event_id), (Game, Game.id == GameProblem.game_id)],
    owner=GameProblem.event_id,
)
RATING_LISTS = Kind(
    "rating lists",
    RatingList,
    "rating list {key}",
    (
        *(RatingList.created_ms, RatingList.version, RatingList.error_model),
        as_text(RatingList.settings),
    ),
    parts=[
        _part(
            *(Rating.list_id, Rating.rank, Variant.identity, Rating.label, Rating.elo),
            *(Rating.error95, Rating.games, Rating.score, Rating.los_next),
        )
        .outerjoin(Variant, Variant.id == Rating.variant_id)
        .order_by(Rating.list_id, Rating.rank)
    ],
    page=_MANY,
)
STUDIES = Kind(
    "studies",
    TuningStudy,
    "study {0}",
    (
        *(TuningStudy.name, TuningStudy.status, as_text(TuningStudy.settings)),
        *(TuningStudy.created_ms, TuningStudy.started_ms, TuningStudy.ended_ms, *_MAKER),
        *(Event.key, as_text(TuningStudy.result)),
    ),
    joins=[(Event, Event.id == TuningStudy.event_id), _made_by(TuningStudy)],
    parts=[
        _part(TuningConfirmation.study_id, Event.key)
        .outerjoin(Event, Event.id == TuningConfirmation.event_id)
        .order_by(TuningConfirmation.study_id, Event.key)
    ],
    page=_MANY,
)
_STUDY_OF_TRIAL = (TuningStudy, TuningStudy.id == TuningTrial.study_id)
TRIALS = Kind(
    "trials",
    TuningTrial,
    "study {0}, trial {1}",
    (
        *(TuningStudy.name, TuningTrial.number, TuningTrial.state, as_text(TuningTrial.params)),
        *(as_text(TuningTrial.attributes), as_text(TuningTrial.steps), TuningTrial.value),
        *(TuningTrial.started_ms, TuningTrial.ended_ms),
    ),
    joins=[_STUDY_OF_TRIAL],
    owner=TuningTrial.study_id,
)
ENCOUNTERS = Kind(
    "encounters",
    TuningEncounter,
    "study {0}, encounter {1}",
    (
        *(TuningStudy.name, TuningEncounter.number, TuningEncounter.trial, TuningEncounter.phase),
        *(as_text(TuningEncounter.first), as_text(TuningEncounter.second)),
        *(TuningEncounter.opponent, TuningEncounter.first_pair, TuningEncounter.pairs),
        TuningEncounter.scores,
    ),
    joins=[(TuningStudy, TuningStudy.id == TuningEncounter.study_id)],
    owner=TuningEncounter.study_id,
)
LAB_RUNS = Kind(
    "laboratory runs",
    LabRun,
    "laboratory run {0}",
    (
        *(LabRun.name, LabRun.kind, LabRun.status, as_text(LabRun.settings), LabRun.created_ms),
        *(LabRun.started_ms, LabRun.ended_ms, *_MAKER),
    ),
    joins=[_made_by(LabRun)],
    parts=[
        _part(
            *(LabEngine.run_id, LabEngine.engine, LabEngine.label, Variant.identity),
            *(LabEngine.baseline, LabEngine.parameter, LabEngine.value),
        )
        .outerjoin(Variant, Variant.id == LabEngine.variant_id)
        .order_by(LabEngine.run_id, LabEngine.engine),
        _part(
            LabPosition.run_id, LabPosition.position, LabPosition.label, LabPosition.fen
        ).order_by(LabPosition.run_id, LabPosition.position),
    ],
    page=_MANY,
)
SEARCHES = Kind(
    "searches",
    LabSearch,
    "laboratory run {0}, engine {1} on position {2}",
    (
        *(LabRun.name, LabSearch.engine, LabSearch.position, LabSearch.depth, LabSearch.value),
        *(LabSearch.move, LabSearch.interior, LabSearch.leaves, LabSearch.quiescence),
        *(LabSearch.passes, LabSearch.cpu_us, as_text(LabSearch.iterations)),
        LabSearch.searched_ms,
    ),
    joins=[(LabRun, LabRun.id == LabSearch.run_id)],
    owner=LabSearch.run_id,
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


@dataclass(frozen=True, slots=True)
class _Sealed:
    """A row with its stored digest and the digest of its content."""

    key: tuple[Any, ...]
    owner: int
    name: str
    stored: bytes | None
    digest: bytes


def seal(
    connection: Connection, kind: Kind, *conditions: ColumnElement[bool], count: bool = True
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
            statement = update(kind.table.__table__).where(*places)
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
    connection: Connection, kind: Kind, *conditions: ColumnElement[bool]
) -> Iterator[None]:
    """Change stored rows, or rows that belong to them, within the context. Raises DatabaseCorrupt
    first if one of them is not what was stored."""
    verify(connection, kind, *conditions)
    yield
    seal(connection, kind, *conditions)


def seal_all(connection: Connection) -> None:
    """Set the digests of all rows that have none, as after an upgrade. Rows that were never counted
    are counted."""
    counted = connection.execute(select(StoredRows.kind).limit(1)).first() is not None
    for kind in KINDS:
        seal(connection, kind, kind.table.digest.is_(None), count=not counted)


def count_stored(connection: Connection, kind: Kind, owner: int, number: int) -> None:
    """Record that this many more rows of the event, study or run were stored."""
    place = and_(StoredRows.kind == kind.what, StoredRows.owner == owner)
    changed = connection.execute(
        update(StoredRows).where(place).values(rows=StoredRows.rows + number)
    )
    if changed.rowcount == 0:
        values = {"kind": kind.what, "owner": owner, "rows": number}
        connection.execute(insert(StoredRows), values)


def forget_rows(connection: Connection, kinds: Sequence[Kind], owners: Sequence[int]) -> None:
    """Stop counting the rows of events, studies or runs that are removed."""
    names = [kind.what for kind in kinds]
    gone = and_(StoredRows.kind.in_(names), StoredRows.owner.in_(owners))
    connection.execute(delete(StoredRows).where(gone))


def count_gone(connection: Connection, kind: Kind, owner: int) -> int:
    """How many stored rows of an event, study or run are missing."""
    place = and_(StoredRows.kind == kind.what, StoredRows.owner == owner)
    stored = connection.execute(select(StoredRows.rows).where(place)).scalar_one_or_none() or 0
    present = select(func.count()).select_from(kind.table).where(kind.owner == owner)
    return max(stored - connection.execute(present).scalar_one(), 0)


def verify(connection: Connection, kind: Kind, *conditions: ColumnElement[bool]) -> None:
    """Raises DatabaseCorrupt for the first row that is not what was stored."""
    for _, finding in findings(connection, kind, *conditions):
        raise damage_found(finding)


def findings(
    connection: Connection,
    kind: Kind,
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
    rows = connection.execute(select(StoredRows.kind, StoredRows.owner, StoredRows.rows))
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


def _owner_name(connection: Connection, kind: Kind, key: int) -> str:
    row = connection.execute(
        select(kind.content[0]).select_from(kind.table).where(kind.keys[0] == key)
    ).first()
    name = kind.name.format(*row) if row is not None else None
    return name or f"{kind.name.partition(' {')[0]} with key {key}, which is missing"


def _pages(
    connection: Connection, kind: Kind, conditions: Sequence[ColumnElement[bool]]
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
    connection: Connection, kind: Kind, owners: Sequence[int]
) -> dict[int, list[Sequence[Any]]]:
    """The rows that belong to rows with these keys, each group in order."""
    found: dict[int, list[Sequence[Any]]] = {}
    for number, query in enumerate(kind.parts):
        rows = connection.execute(query, {"owners": owners})
        for owner, group in groupby(rows, key=itemgetter(0)):
            found.setdefault(owner, []).extend((number, *row[1:]) for row in group)
    return found


def _sealed(kind: Kind, row: Row[Any], parts: Sequence[Sequence[Any]]) -> _Sealed:
    width = len(kind.keys)
    content = row[width + 2 :]
    return _Sealed(
        key=tuple(row[:width]),
        owner=row[width],
        name=kind.name.format(*content, key=row[0]),
        stored=row[width + 1],
        digest=digest_of(kind.what, content, parts),
    )
