"""Removing events, studies and laboratory runs, with everything that belongs to them.

Stored rating lists are history and stay, with the variants in them. Provenance and end reasons stay
too, because other processes cache their keys.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    delete,
    exists,
    select,
    text,
    union,
)

from db.errors import RecordError
from db.queries import events, lab, studies
from db.queries.pairs import leave_to_next
from db.records.events import EventRecord
from db.records.laboratory import LabRunRecord
from db.records.runs import Removed, RunRecord
from db.records.studies import StudyRecord
from db.schema.declared import (
    BOOK,
    EVENT,
    EVENT_PLAYER,
    GAME,
    GAME_MOVES,
    GAME_PROBLEM,
    LAB_ENGINE,
    LAB_POSITION,
    LAB_RUN,
    LAB_SEARCH,
    METADATA,
    OPENING,
    PAIR,
    PAIR_FAILURE,
    PAIRING,
    TUNING_CONFIRMATION,
    TUNING_ENCOUNTER,
    TUNING_STUDY,
    TUNING_TRIAL,
    VARIANT,
)

_AT_ONCE = 500
"""Keys in one statement."""
_INDEX = "ix_games_opening_while_removing"


def remove_runs(connection: Connection, runs: Sequence[RunRecord]) -> Removed:
    """Remove runs, the event of each study included, and the variants and books that nothing
    refers to any more. A game elsewhere that repeats a removed one counts in its place, as if that
    had never been played.

    Raises NotFound for a run that is not stored, RecordError for the event of a study that is not
    removed with it.
    """
    event_ids, study_ids, lab_ids = _ids(connection, runs)
    variants = _variants_of(connection, event_ids, lab_ids)
    books = select(EVENT.c.book_id).where(EVENT.c.id.in_(event_ids))
    book_keys = {key for key in connection.execute(books).scalars() if key is not None}
    keys = select(EVENT.c.key).where(EVENT.c.id.in_(event_ids)).order_by(EVENT.c.id)
    event_keys = tuple(connection.execute(keys).scalars())
    _remove_studies(connection, study_ids)
    games, now_counted = _remove_events(connection, event_ids)
    searches = _remove_lab_runs(connection, lab_ids)
    return Removed(
        events=event_keys,
        games=games,
        searches=searches,
        variants=_remove_variants(connection, variants),
        books=_remove_books(connection, book_keys),
        now_counted=now_counted,
    )


def owner_of(connection: Connection, event_id: int) -> str | None:
    """The name of the study that an event belongs to, if any."""
    query = select(TUNING_STUDY.c.name).where(TUNING_STUDY.c.event_id == event_id)
    return connection.execute(query).scalar_one_or_none()


def _ids(
    connection: Connection, runs: Sequence[RunRecord]
) -> tuple[list[int], list[int], list[int]]:
    """The ids of events, studies and laboratory runs. Raises NotFound, RecordError."""
    event_ids: dict[int, None] = {}
    study_ids: dict[int, None] = {}
    lab_ids: dict[int, None] = {}
    for run in runs:
        if isinstance(run, EventRecord):
            events.TABLE.check_same(connection, run)
            event_ids[run.id] = None
        elif isinstance(run, StudyRecord):
            studies.TABLE.check_same(connection, run)
            study_ids[run.id] = None
            if run.event_id is not None:
                event_ids[run.event_id] = None
        else:
            assert isinstance(run, LabRunRecord)
            lab.TABLE.check_same(connection, run)
            lab_ids[run.id] = None
    kept = select(TUNING_STUDY.c.name).where(
        TUNING_STUDY.c.event_id.in_(event_ids), TUNING_STUDY.c.id.not_in(study_ids)
    )
    name = connection.execute(kept).scalars().first()
    if name is not None:
        raise RecordError(f"study `{name}` needs the games of its event: remove the study")
    return list(event_ids), list(study_ids), list(lab_ids)


def _remove_studies(connection: Connection, ids: Sequence[int]) -> None:
    for table in (TUNING_ENCOUNTER, TUNING_TRIAL, TUNING_CONFIRMATION):
        _removed(connection, table, table.c.study_id.in_(ids))
    _removed(connection, TUNING_STUDY, TUNING_STUDY.c.id.in_(ids))


def _remove_events(connection: Connection, ids: Sequence[int]) -> tuple[int, int]:
    """Remove events; returns the number of removed games, and of games that count in their
    place."""
    now_counted = leave_to_next(connection, ids)
    own = select(GAME.c.id).where(GAME.c.event_id.in_(ids))
    _removed(connection, GAME_MOVES, GAME_MOVES.c.game_id.in_(own))
    _removed(connection, GAME_PROBLEM, GAME_PROBLEM.c.event_id.in_(ids))
    games = _removed(connection, GAME, GAME.c.event_id.in_(ids))
    for table in (TUNING_CONFIRMATION, PAIR_FAILURE, PAIR, PAIRING, EVENT_PLAYER):
        _removed(connection, table, table.c.event_id.in_(ids))
    _removed(connection, EVENT, EVENT.c.id.in_(ids))
    return games, now_counted


def _remove_lab_runs(connection: Connection, ids: Sequence[int]) -> int:
    """Remove laboratory runs; returns the number of removed searches."""
    searches = _removed(connection, LAB_SEARCH, LAB_SEARCH.c.run_id.in_(ids))
    for table in (LAB_POSITION, LAB_ENGINE):
        _removed(connection, table, table.c.run_id.in_(ids))
    _removed(connection, LAB_RUN, LAB_RUN.c.id.in_(ids))
    return searches


def _variants_of(
    connection: Connection, event_ids: Sequence[int], lab_ids: Sequence[int]
) -> set[int]:
    """Keys of the variants in these events and laboratory runs."""
    query = union(
        select(EVENT_PLAYER.c.variant_id).where(EVENT_PLAYER.c.event_id.in_(event_ids)),
        select(LAB_ENGINE.c.variant_id).where(LAB_ENGINE.c.run_id.in_(lab_ids)),
    )
    return set(connection.execute(query).scalars())


def _remove_variants(connection: Connection, keys: Iterable[int]) -> int:
    """Remove the variants that nothing refers to any more; returns their number."""
    free = _unreferenced(VARIANT)
    number = 0
    every = sorted(keys)
    for start in range(0, len(every), _AT_ONCE):
        some = VARIANT.c.id.in_(every[start : start + _AT_ONCE])
        number += _removed(connection, VARIANT, some, *free)
    return number


def _remove_books(connection: Connection, keys: Collection[int]) -> int:
    """Remove the books that nothing refers to any more, with their lines; returns their number."""
    free = _unreferenced(BOOK, besides=OPENING)
    query = select(BOOK.c.id).where(BOOK.c.id.in_(keys), *free)
    unused = list(connection.execute(query).scalars()) if keys else []
    if not unused:
        return 0
    # For each removed line the database looks for games that begin with it. Without this index it
    # would read all games each time.
    where = " WHERE opening_id IS NOT NULL"
    connection.execute(text(f"CREATE INDEX {_INDEX} ON games (opening_id){where}"))
    begun = exists().where(GAME.c.opening_id == OPENING.c.id, GAME.c.opening_id.is_not(None))
    used = select(OPENING.c.book_id).where(OPENING.c.book_id.in_(unused), begun)
    still = set(connection.execute(used.distinct()).scalars())
    gone = [key for key in unused if key not in still]
    _removed(connection, OPENING, OPENING.c.book_id.in_(gone))
    connection.execute(text(f"DROP INDEX {_INDEX}"))
    _removed(connection, BOOK, BOOK.c.id.in_(gone))
    return len(gone)


def _unreferenced(table: Table, *, besides: Table | None = None) -> list[ColumnElement[bool]]:
    """Conditions: no row of any table, ``besides`` one, refers to a row of this one."""
    key = table.c.id
    return [
        ~exists().where(reference.parent == key)
        for other in METADATA.sorted_tables
        if other is not besides
        for reference in other.foreign_keys
        if reference.column is key
    ]


def _removed(connection: Connection, table: Table, *which: ColumnElement[bool]) -> int:
    """Remove rows; returns their number."""
    return connection.execute(delete(table).where(*which)).rowcount
