"""Which runs of two databases are the same run, and what a run is called where its key or name is
taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, Table, select

from db.queries import events, lab, studies
from db.records import ORIGIN, EventRecord, LabRunRecord, RunRecord, StudyRecord
from db.schema.declared import EVENT, LAB_RUN, TUNING_STUDY

_Record = TypeVar("_Record", bound=RunRecord)
Origin = tuple[Any, ...]
_TABLES: dict[type[RunRecord], Table] = {
    EventRecord: EVENT,
    StudyRecord: TUNING_STUDY,
    LabRunRecord: LAB_RUN,
}


def event_origin(event: EventRecord) -> Origin:
    """What identifies an event in all databases: the key that it was given first, when, where and
    by what it was stored, and what never changes of its settings. Its name, notes, labels and the
    number of its pairs may change."""
    key = event.settings.get(ORIGIN, event.key)
    return ("event", key, *_stored(event), event.kind, event.seed, event.book_id)


def study_origin(study: StudyRecord, event: EventRecord | None) -> Origin:
    """The same of a study, with the event that has its games."""
    games = None if event is None else event_origin(event)
    return ("study", *_stored(study), study.settings.get("seed"), games)


def lab_origin(run: LabRunRecord) -> Origin:
    """The same of a laboratory run."""
    depths = run.settings.get("depths", ())
    return ("lab", *_stored(run), run.kind, run.settings.get("suite_id"), tuple(depths))


def same_run(run: _Record, candidates: Sequence[_Record]) -> _Record | None:
    """Which of the runs with its origin a run is: of several, which were stored in one millisecond,
    the one of the same name."""
    named = [one for one in candidates if one.name == run.name]
    return next(iter(named or (candidates if len(candidates) == 1 else [])), None)


def all_events(connection: Connection) -> dict[int, EventRecord]:
    """Every event by id, the oldest first; digests are not compared."""
    return {event.id: event for event in events.TABLE.where(connection)}


def all_studies(connection: Connection) -> list[StudyRecord]:
    """The same of studies."""
    return studies.TABLE.where(connection)


def all_lab_runs(connection: Connection) -> list[LabRunRecord]:
    """The same of laboratory runs."""
    return lab.TABLE.where(connection)


def free_name(connection: Connection, run: RunRecord) -> str:
    """The name of a run, with a number if another run of its kind has it; an empty one stays."""
    taken = set(connection.execute(select(_TABLES[type(run)].c.name)).scalars())
    name, number = run.name, 1
    while name and name in taken:
        number += 1
        name = f"{run.name}-{number}"
    return name


def _stored(run: RunRecord) -> Origin:
    return run.created_at, run.host, run.version, run.backend, run.signature
