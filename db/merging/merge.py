"""The runs of one database, in the order in which they are brought into another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from sqlalchemy import Connection, insert, select

from db.merging.events import EventMerge, Say, Sides
from db.merging.lab import LabMerge
from db.merging.origins import (
    Origin,
    all_events,
    all_lab_runs,
    all_studies,
    event_origin,
    lab_origin,
    same_run,
    study_origin,
)
from db.merging.studies import StudyMerge
from db.queries import events, named_engines
from db.queries.ratings import count_rating_lists
from db.records import EventRecord, LabRunRecord, RunRecord, StudyRecord
from db.schema.declared import TUNING_CONFIRMATION, TUNING_STUDY
from db.schema.digests import STUDIES, resealed
from db.storage.engine import Store

RunMerge = EventMerge | StudyMerge | LabMerge
__all__ = ["Merge", "RunMerge", "Say", "reading_merge"]


class Merge:
    """All runs of one state of another database.

    Runs come in the order of their events there, studies in the place of the event with their
    games, those without one and laboratory runs last. So the runs of the source follow those of the
    target, as if they had been played here after them, and of games that repeat each other the same
    ones count.
    """

    def __init__(self, source: Connection, source_name: str, target: Store) -> None:
        self._source = source
        self._target = target
        self._sides = Sides(source, source_name, target)
        self._events = all_events(source)
        self._studies = all_studies(source)
        self._ours: dict[Origin, list[RunRecord]] = {}
        self._look_up()

    def _look_up(self) -> None:
        """The runs of the target by their origins."""
        self._ours.clear()
        with self._target.read() as connection:
            ours = all_events(connection)
            runs = (*ours.values(), *all_studies(connection), *all_lab_runs(connection))
        for run in runs:
            self._ours.setdefault(_origin(run, ours), []).append(run)
        for event in self._events.values():
            known = self.known(event)
            if known is not None:
                self._sides.event_ids[event.id] = known.id

    def runs(self) -> list[RunRecord]:
        """The runs of the source."""
        of_event = {study.event_id: study for study in self._studies if study.event_id is not None}
        found: list[RunRecord] = [of_event.get(event.id, event) for event in self._events.values()]
        found += [study for study in self._studies if study.event_id is None]
        return found + list(all_lab_runs(self._source))

    def known(self, run: RunRecord) -> RunRecord | None:
        """The same run in the target, as it was at the beginning."""
        return same_run(run, self._ours.get(_origin(run, self._events), []))

    def merging(self, run: RunRecord, known: RunRecord | None) -> RunMerge:
        """The way of a run into the target, where it is ``known`` as it is now."""
        if isinstance(run, EventRecord):
            assert known is None or isinstance(known, EventRecord)
            return EventMerge(self._sides, run, known)
        if isinstance(run, StudyRecord):
            assert known is None or isinstance(known, StudyRecord)
            return StudyMerge(self._sides, run, known, self._games_of(run))
        assert isinstance(run, LabRunRecord)
        assert known is None or isinstance(known, LabRunRecord)
        return LabMerge(self._sides, run, known)

    def key(self, event_id: int) -> str:
        """The key of an event of the source."""
        return self._events[event_id].key

    def link_confirmations(self) -> None:
        """Note which events confirm which studies, where both are in the target."""
        query = select(TUNING_CONFIRMATION.c.study_id, TUNING_CONFIRMATION.c.event_id)
        links = self._source.execute(query).all()
        if not links:
            return
        by_id = {study.id: study for study in self._studies}
        self._look_up()
        for study_id, event_id in links:
            known = self.known(by_id[study_id])
            ours = self._sides.event_ids.get(event_id)
            if known is not None and ours is not None:
                self._link(known.id, ours)

    def add_named_engines(self, *, dry_run: bool) -> tuple[list[str], list[str]]:
        """Keep the external engines of the source here too, by their names; returns those that are
        new, and those whose names others have here, which are not changed. Raises
        DatabaseCorrupt."""
        theirs = named_engines.named_engines(self._source)
        with self._target.read() as connection:
            ours = {one.name: one for one in named_engines.named_engines(connection)}
        new = [one for one in theirs if one.name not in ours]
        other = [
            one.name
            for one in theirs
            if one.name in ours and dict(one.settings) != dict(ours[one.name].settings)
        ]
        if new and not dry_run:
            with self._target.write() as connection:
                for engine in new:
                    named_engines.add_named_engine(connection, engine)
        return [one.name for one in new], other

    def rating_lists(self) -> int:
        """How many rating lists the source has. They stay there: they say what was known there."""
        return count_rating_lists(self._source)

    def _link(self, study_id: int, event_id: int) -> None:
        values = {"study_id": study_id, "event_id": event_id}
        own = (
            TUNING_CONFIRMATION.c.study_id == study_id,
            TUNING_CONFIRMATION.c.event_id == event_id,
        )
        with self._target.write() as connection:
            if connection.execute(select(TUNING_CONFIRMATION).where(*own)).first() is None:
                with resealed(connection, STUDIES, TUNING_STUDY.c.id == study_id):
                    connection.execute(insert(TUNING_CONFIRMATION), values)

    def _games_of(self, run: StudyRecord) -> EventMerge | None:
        """The way of a study's event, as it is now in the target."""
        if run.event_id is None:
            return None
        event = self._events[run.event_id]
        ours = self.known(event)
        if ours is not None:
            with self._target.read() as target:
                ours = events.TABLE.get(target, ours.id)
        assert ours is None or isinstance(ours, EventRecord)
        return EventMerge(self._sides, event, ours)


def _origin(run: RunRecord, all_events: Mapping[int, EventRecord]) -> Origin:
    if isinstance(run, EventRecord):
        return event_origin(run)
    if isinstance(run, StudyRecord):
        return study_origin(run, None if run.event_id is None else all_events[run.event_id])
    assert isinstance(run, LabRunRecord)
    return lab_origin(run)


@contextmanager
def reading_merge(source: Store, target: Store) -> Iterator[Merge]:
    """The merge of one state of the source, which stays the same within the context."""
    with source.read() as connection:
        if connection.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ")
        yield Merge(connection, source.name, target)
