"""Bringing the runs of other databases into one: each run once, with all that belongs to it.

What is missing is added run after run, in short transactions under the lock of the run, so a killed
merge is continued by the next one. A run that contradicts the same run here is refused as a whole,
and the others are merged.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct
from msgspec.structs import replace

from db.errors import (
    DatabaseCorrupt,
    DatabaseOlder,
    EventLocked,
    MergeConflict,
    NotFound,
    RecordError,
)
from db.records.events import EventRecord
from db.records.laboratory import LabRunRecord
from db.records.runs import MergedRows, RunRecord
from db.records.studies import StudyRecord
from toolkit.base.errors import DatabaseProblem, UsageError
from toolkit.runs.lifecycle import lock_of

if TYPE_CHECKING:
    from db.merging.merge import Merge
    from db.session import Database


_ITSELF = "{} is the database itself: give another one"
_KINDS: dict[type[RunRecord], str] = {
    EventRecord: "event",
    StudyRecord: "study",
    LabRunRecord: "run",
}


class MergedRun(Struct, frozen=True):
    """A run of another database, and what of it was added."""

    kind: Annotated[str, "`event`, `study` with the event of its games, or `run`"]
    name: Annotated[str, "short id of an event in the other database; else the name there"]
    into: Annotated[str | None, "the same in this database; null if it is not there"]
    renamed: Annotated[
        str | None, "its name here if that is another one than in the other database; else null"
    ]
    state: Annotated[
        str,
        "`new`; `added` if the run was known and something was missing; `known`; `refused`",
    ]
    pairs: Annotated[int, "added game pairs, and imported games without a partner"]
    games: Annotated[int, "added games"]
    repeats: Annotated[
        int | None,
        "added games that repeat others of this database and do not count; null with `--dry-run`",
    ]
    trials: Annotated[int, "added trials of a study"]
    encounters: Annotated[int, "added encounters of a study"]
    searches: Annotated[int, "added searches of a laboratory run"]
    in_progress: Annotated[bool, "whether it is in progress in the other database"]
    problem: Annotated[str | None, "why it was refused"]


class MergeOutcome(Struct, frozen=True):
    """What came of merging a database."""

    database: Annotated[str, "path, or URL without password"]
    source: Annotated[str, "the other database"]
    dry_run: Annotated[bool, "whether nothing was added"]
    runs: Annotated[list[MergedRun], "all runs of the other database"]
    engines: Annotated[list[str], "names of external engines that are kept here now, too"]
    other_engines: Annotated[
        list[str], "names under which another external engine is kept here, which stays"
    ]
    rating_lists: Annotated[int, "stored rating lists of the other database; they stay there"]


@dataclass(frozen=True, slots=True)
class MergeProgress:
    """How far a merge is."""

    run: str
    """Key or name of the run in the other database."""
    adding: bool
    """Whether rows are added, or compared before that."""
    rows: int
    """Games and searches of the run so far."""


ProgressCallback = Callable[[MergeProgress], None]


def merge_database(
    db: Database,
    location: str | Path,
    *,
    dry_run: bool = False,
    on_progress: ProgressCallback | None = None,
) -> MergeOutcome:
    """Add to ``db`` what another database has beyond it: events, studies and laboratory runs with
    all that belongs to them, and named external engines. Merging the same or an older state again
    adds nothing. ``dry_run``: only find out what would be added.

    Raises UsageError if both are the same database, DatabaseProblem for one of an older schema,
    DatabaseError. A run that cannot be merged is a row with its ``problem``.
    """
    from db.session import open_database

    if _is_file_of(db, location):
        raise UsageError(_ITSELF.format(location))
    try:
        other = open_database(location, create=False, read_only=True)
    except DatabaseOlder as error:
        raise DatabaseProblem(
            f"{location} has an older schema: mtdf db vacuum --db {location}"
        ) from error
    say = on_progress or _ignore
    with ExitStack() as stack:
        stack.enter_context(other)
        if db.name == other.name or (other.path is not None and _is_file_of(db, other.path)):
            raise UsageError(_ITSELF.format(other.name))
        if not dry_run:
            stack.enter_context(db.run_lock("merge", "a merge"))
        merge = stack.enter_context(db.merging(other))
        playing = other.running_events()
        rows = [_merged(db, merge, run, playing, dry_run, say) for run in merge.runs()]
        if not dry_run:
            merge.link_confirmations()
        engines, other_engines = merge.add_named_engines(dry_run=dry_run)
        return MergeOutcome(
            database=db.name,
            source=other.name,
            dry_run=dry_run,
            runs=rows,
            engines=engines,
            other_engines=other_engines,
            rating_lists=merge.rating_lists(),
        )


def _is_file_of(db: Database, location: str | Path) -> bool:
    """Whether both are one file. A path is looked at before it is opened under a second name,
    because SQLite would make a log of that name."""
    if db.path is None or "://" in str(location):
        return False
    try:
        return os.path.samefile(db.path, location)
    except OSError:
        return False


def _merged(
    db: Database,
    merge: Merge,
    run: RunRecord,
    playing: Collection[str],
    dry_run: bool,
    say: ProgressCallback,
) -> MergedRun:
    """What came of one run."""
    known = merge.known(run)
    row = MergedRun(
        kind=_KINDS[type(run)],
        name=shown_name(run),
        into=None,
        renamed=None,
        state="known",
        pairs=0,
        games=0,
        repeats=None,
        trials=0,
        encounters=0,
        searches=0,
        in_progress=_lock_key(merge, run) in playing,
        problem=None,
    )
    try:
        added, here = _add(db, merge, run, known, dry_run, say)
    except (MergeConflict, DatabaseCorrupt, EventLocked, RecordError, NotFound) as error:
        return replace(row, state="refused", problem=str(error))
    changed = "new" if known is None else "added"
    return replace(
        row,
        into=None if here is None else shown_name(here),
        renamed=None if here is None or here.name == run.name else here.name,
        state=changed if added.changed else "known",
        pairs=added.pairs,
        games=added.games,
        repeats=None if dry_run else added.repeats,
        trials=added.trials,
        encounters=added.encounters,
        searches=added.searches,
    )


def _add(
    db: Database,
    merge: Merge,
    run: RunRecord,
    known: RunRecord | None,
    dry_run: bool,
    say: ProgressCallback,
) -> tuple[MergedRows, RunRecord | None]:
    """Add what is missing of a run; what that was, and the run here."""
    counting = _Counting(shown_name(run), say)
    with ExitStack() as stack:
        if known is not None and not dry_run:
            stack.enter_context(lock_of(db, known))
        missing = merge.missing(run, counting.compared)
        if dry_run or not missing.changed:
            return missing, known
        if known is None:
            merge.begin(run)
            known = merge.known(run)
            stack.enter_context(lock_of(db, known))
        return merge.fill(run, counting.added), merge.known(run)


def shown_name(run: RunRecord) -> str:
    """What names a run in tables: the key of an event."""
    return run.key if isinstance(run, EventRecord) else run.name


def _lock_key(merge: Merge, run: RunRecord) -> str:
    """The key of the lock of a run of the other database."""
    if isinstance(run, EventRecord):
        return run.key
    if isinstance(run, StudyRecord):
        return f"study{run.id}" if run.event_id is None else merge.key(run.event_id)
    return f"lab{run.id}"


class _Counting:
    """Tells how many rows of a run were compared and added."""

    def __init__(self, name: str, say: ProgressCallback) -> None:
        self._name = name
        self._say = say
        self._rows = {False: 0, True: 0}

    def compared(self, rows: int) -> None:
        """So many more were compared."""
        self._count(rows, adding=False)

    def added(self, rows: int) -> None:
        """So many more were looked at, to add those that are missing."""
        self._count(rows, adding=True)

    def _count(self, rows: int, *, adding: bool) -> None:
        self._rows[adding] += rows
        self._say(MergeProgress(self._name, adding, self._rows[adding]))


def _ignore(_: MergeProgress) -> None:
    """Hear of progress and do nothing."""
