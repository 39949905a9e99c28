"""Removing, renaming and annotating stored runs: events, studies and laboratory runs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from db.errors import RecordError
from db.records.events import IMPORT_KIND, TUNING_KIND, EventRecord
from db.records.runs import NOTE, RunRecord
from db.records.studies import StudyRecord
from toolkit.base.errors import UsageError
from toolkit.base.format import event_text
from toolkit.base.names import Named, check_name, check_note
from toolkit.runs.lifecycle import lock_of, named_command, title_of

if TYPE_CHECKING:
    from db.records.runs import Removed
    from db.session import Database


class RemovedRow(Struct, frozen=True):
    """What was removed."""

    events: Annotated[list[str], "ids of the removed events, those of removed studies included"]
    studies: Annotated[list[str], "names of the removed studies"]
    runs: Annotated[list[str], "names of the removed laboratory runs"]
    games: Annotated[int, "removed games"]
    searches: Annotated[int, "removed searches of laboratory runs"]
    engines: Annotated[int, "removed variants: those that nothing refers to any more"]
    books: Annotated[int, "removed books: those that no event refers to any more"]
    now_counted: Annotated[
        int, "games of other events that repeated a removed one and count in its place"
    ]


class NamedRow(Struct, frozen=True):
    """A run with its name and note."""

    kind: Annotated[str, "`event`, `study` or `run`"]
    id: Annotated[str, "short id of an event; else the name"]
    name: Annotated[str, "name; empty if an event has none"]
    note: Annotated[str, "what a user noted; empty if nothing"]


def full_title(run: RunRecord) -> str:
    """The name of a run in messages; of an event its id and name."""
    if isinstance(run, EventRecord):
        return f"event {event_text(run.key, run.name)}"
    return title_of(run)


def named_row(run: RunRecord) -> NamedRow:
    """A run with its name and note."""
    key = run.key if isinstance(run, EventRecord) else run.name
    return NamedRow(kind=_kind(run), id=key, name=run.name, note=run.note)


def remove_runs(db: Database, runs: Sequence[RunRecord]) -> Removed:
    """Remove runs with all that hangs on them, in one transaction: games or searches, players,
    failures, the event of a study, and the variants and books that nothing refers to any more.
    Games of other events that repeated a removed one count in its place. Stored rating lists stay.

    Raises UsageError for the event of a study, DatabaseError: also if another process continues
    one of the runs.
    """
    runs = list({(type(run), run.id): run for run in runs}.values())
    check_removable(db, runs)
    with ExitStack() as stack:
        for run in runs:
            stack.enter_context(lock_of(db, run))
        return db.repository.remove_runs(runs)


def check_removable(db: Database, runs: Sequence[RunRecord]) -> None:
    """Raises UsageError for the event of a study, DatabaseError for a run that another process
    continues."""
    for run in runs:
        _check_no_part(db, run, "rm")
        with lock_of(db, run):
            pass


def rename_run(db: Database, run: RunRecord, name: str) -> None:
    """Give a run another name; a study's event gets it too.

    Raises UsageError for a name that is no good or taken, or for the event of a study,
    DatabaseError: also if another process continues the run.
    """
    _check_no_part(db, run, "rename")
    check_name(_kind(run), name)
    stored = db.repository
    for one in (*stored.studies(), *stored.lab_runs(), *stored.events_named(name)):
        same = name == one.name or isinstance(one, EventRecord)
        if same and (one.what, one.id) != (run.what, run.id):
            raise UsageError(f"{one.what} `{name}` already exists: choose another name")
    with lock_of(db, run):
        try:
            db.repository.rename_run(run, name)
        except RecordError as error:
            raise UsageError(f"{error}: choose another name") from error


def annotate_run(db: Database, run: RunRecord, note: str) -> None:
    """Keep a note with a run in place of an earlier one; an empty one only removes that. The run
    may be in progress, unless files are being imported into it.

    Raises UsageError for a note that is no line of text or too long, or for the event of a study,
    DatabaseError.
    """
    _check_no_part(db, run, "annotate")
    check_note(note)
    with ExitStack() as stack:
        if isinstance(run, EventRecord) and run.kind == IMPORT_KIND:
            stack.enter_context(lock_of(db, run))  # an import replaces the settings
        db.repository.note(run, **{NOTE: note or None})


def _check_no_part(db: Database, run: RunRecord, verb: str) -> None:
    """Raises UsageError for an event with the games of a study, which belong to that."""
    if not isinstance(run, EventRecord) or run.kind != TUNING_KIND:
        return
    study = db.repository.study_of_event(run.id)
    if study is not None:
        raise UsageError(
            f"{title_of(run)} has the games of study {study}: {named_command(verb, study)}"
        )


def _kind(run: RunRecord) -> Named:
    if isinstance(run, EventRecord):
        return "event"
    return "study" if isinstance(run, StudyRecord) else "run"
