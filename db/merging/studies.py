"""One study of another database, with the event that has its games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from db.errors import MergeConflict
from db.merging.events import EventMerge, Say, Sides
from db.merging.heads import Lead, at_rest, head_changes, renamed
from db.merging.origins import free_name
from db.queries.studies import TABLE
from db.records import MergedRows, StudyRecord
from db.schema.declared import TUNING_ENCOUNTER, TUNING_STUDY, TUNING_TRIAL
from db.schema.digests import ENCOUNTERS, STUDIES, TRIALS, resealed, seal

_TRIAL = [c for c in TUNING_TRIAL.c if c.name not in ("study_id", "digest")]
_ENCOUNTER = [c for c in TUNING_ENCOUNTER.c if c.name not in ("study_id", "digest")]
_OUTCOME = {"state", "value", "attributes", "steps", "ended_ms"}
"""What a trial gets when it ends."""
_TIMES = {"started_ms", "ended_ms"}
_KINDS = (TRIALS, ENCOUNTERS)
_Rows = dict[int, dict[str, Any]]


class StudyMerge:
    """A study on its way. ``known``: the same study here, None: there is none yet. ``games``: the
    same of its event; None: it plays no games."""

    def __init__(
        self,
        sides: Sides,
        source: StudyRecord,
        known: StudyRecord | None,
        games: EventMerge | None,
    ) -> None:
        self.source = source
        self.known = known
        self._sides = sides
        self._games = games
        self._lead = Lead()
        """In trials and scores."""

    def compare(self, say: Say) -> MergedRows:
        """As :meth:`db.merging.events.EventMerge.compare`."""
        sides, study_id = self._sides, self.source.id
        sides.verify(STUDIES, TUNING_STUDY.c.id == study_id)
        for kind in _KINDS:
            sides.verify(kind, kind.owner == study_id)
            sides.check_all_there(kind, study_id, f"study {self.source.name}")
        found = MergedRows() if self._games is None else self._games.compare(say)
        with self._sides.target.read() as target:
            trials, ended, encounters, measured = self._missing(target)
        changed = bool(trials or ended or encounters or measured or self.known is None)
        if self.known is not None:
            changed |= self._head() != {}
        own = MergedRows(trials=len(trials), encounters=len(encounters), changed=changed)
        return found + own

    def begin(self) -> StudyRecord:
        """Store the study with its event, without trials and games, if it is new, under its name or
        a free one."""
        with self._sides.target.write() as target:
            name = free_name(target, self.source)
            event_id = None
            if self._games is not None:
                if self._games.known is None:
                    self._games.known = self._games.begun(target, name)
                event_id = self._games.known.id
            study = replace(
                self.source,
                name=name,
                settings=renamed(self.source.settings, name),
                status="interrupted" if self.source.status == "done" else at_rest(self.source),
            )
            study_id = TABLE.insert(target, study, event_id=event_id, result=None)
            seal(target, STUDIES, TUNING_STUDY.c.id == study_id)
            self.known = TABLE.get(target, study_id)
        return self.known

    def fill(self, say: Say) -> MergedRows:
        """Add what is missing. The games come first: what a trial has measured is there when it
        is."""
        added = MergedRows() if self._games is None else self._games.fill(say)
        with self._sides.target.write() as target:
            trials, ended, encounters, measured = self._missing(target)
            self._add(target, TRIALS, trials)
            self._end_trials(target, ended)
            self._add(target, ENCOUNTERS, encounters)
            self._measure(target, measured)
            assert self.known is not None
            head = self._head()
            if head:
                TABLE.change(target, self.known.id, **head)
            self.known = TABLE.get(target, self.known.id)
        return added + MergedRows(trials=len(trials), encounters=len(encounters), changed=True)

    def _missing(self, target: Connection) -> tuple[_Rows, _Rows, _Rows, _Rows]:
        """New trials, those that have ended, new encounters, and those that have been measured, by
        number. Raises MergeConflict."""
        known = None if self.known is None else self.known.id
        trials, encounters = (
            self._rows(self._sides.source, kind, self.source.id) for kind in _KINDS
        )
        ours, met = (self._rows(target, kind, known) for kind in _KINDS)
        ended, measured = {}, {}
        for number in trials.keys() & ours.keys():
            if self._has_ended(number, trials[number], ours[number]):
                ended[number] = trials[number]
        for number in encounters.keys() & met.keys():
            if self._was_measured(number, encounters[number], met[number]):
                measured[number] = encounters[number]
        here, there = _far(ours, met), _far(trials, encounters)
        self._lead = Lead(here=bool(here - there), there=bool(there - here))
        new = {number: row for number, row in trials.items() if number not in ours}
        return new, ended, {n: row for n, row in encounters.items() if n not in met}, measured

    def _has_ended(self, number: int, theirs: dict[str, Any], ours: dict[str, Any]) -> bool:
        """Whether a trial has ended only in the other database."""
        over = ours["state"] != "running" and theirs["state"] != "running"
        ignored = _TIMES if over else _TIMES | _OUTCOME
        if _without(theirs, ignored) != _without(ours, ignored):
            raise MergeConflict(f"trial {number} is another one here")
        return not over and theirs["state"] != "running"

    def _was_measured(self, number: int, theirs: dict[str, Any], ours: dict[str, Any]) -> bool:
        """Whether an encounter was measured only in the other database."""
        both = theirs["scores"] is not None and ours["scores"] is not None
        ignored = set() if both else {"scores"}
        if _without(theirs, ignored) != _without(ours, ignored):
            raise MergeConflict(f"encounter {number} is another one here")
        return not both and theirs["scores"] is not None

    def _rows(self, connection: Connection, kind: Any, study_id: int | None) -> _Rows:
        if study_id is None:
            return {}
        columns = _TRIAL if kind is TRIALS else _ENCOUNTER
        query = select(*columns).where(kind.owner == study_id)
        rows: Sequence[Row[Any]] = connection.execute(query).all()
        return {row.number: dict(row._mapping) for row in rows}

    def _add(self, target: Connection, kind: Any, rows: _Rows) -> None:
        assert self.known is not None
        if rows:
            own = {"study_id": self.known.id}
            target.execute(insert(kind.table), [own | row for row in rows.values()])
            numbers = kind.table.c.number.in_(list(rows))
            seal(target, kind, kind.owner == self.known.id, numbers)

    def _end_trials(self, target: Connection, rows: _Rows) -> None:
        assert self.known is not None
        for number, row in rows.items():
            own = (TUNING_TRIAL.c.study_id == self.known.id, TUNING_TRIAL.c.number == number)
            values = {name: row[name] for name in _OUTCOME}
            with resealed(target, TRIALS, *own):
                target.execute(update(TUNING_TRIAL).where(*own).values(values))

    def _measure(self, target: Connection, rows: _Rows) -> None:
        assert self.known is not None
        for number, row in rows.items():
            own = (
                TUNING_ENCOUNTER.c.study_id == self.known.id,
                TUNING_ENCOUNTER.c.number == number,
            )
            with resealed(target, ENCOUNTERS, *own):
                target.execute(update(TUNING_ENCOUNTER).where(*own).values(scores=row["scores"]))

    def _head(self) -> dict[str, Any]:
        """The columns of the study here that change."""
        assert self.known is not None
        result = self.source.result
        more = {"result": None if result is None else dict(result)}
        return head_changes(self.source, self.known, self._lead, more)


def _far(trials: _Rows, encounters: _Rows) -> set[tuple[str, int]]:
    """How far a study is: what was begun, and what has an outcome."""
    return {
        *(("trial", number) for number in trials),
        *(("ended", number) for number, row in trials.items() if row["state"] != "running"),
        *(("encounter", number) for number in encounters),
        *(("measured", number) for number, row in encounters.items() if row["scores"] is not None),
    }


def _without(row: dict[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}
