"""The encounters of one study, kept in the database and measured by an evaluator.

The encounters of a study are determined by its settings and the scores, so a resumed study requests
the same encounters in the same order; stored ones are answered at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import get_args

from msgspec.structs import replace

from db.records.studies import EncounterRecord, Phase, StudyRecord, TrialRecord
from db.repository import Repository
from toolkit.base.errors import DatabaseProblem
from toolkit.tuning.measuring.encounter import Evaluator
from toolkit.tuning.space.point import Point


class Ledger:
    """The finished and the running encounters."""

    def __init__(
        self,
        repository: Repository,
        study: StudyRecord,
        evaluator: Evaluator,
        on_stored: Callable[[], None] = lambda: None,
    ) -> None:
        self._on_stored = on_stored
        self._repository = repository
        self._study = study
        self._evaluator = evaluator
        records = repository.encounters(study.id)
        self._read = self._next = len(records)
        self.pairs_done = {"search": 0, "choice": 0, "gain": 0}
        """Pairs of finished encounters by phase."""
        self.gain_scores: list[float | None] = []
        """Scores of the phase ``gain`` as far as it is, in no order; of opponents no sides."""
        self._stored: dict[Phase, deque[EncounterRecord]] = {
            phase: deque() for phase in get_args(Phase)
        }
        self._of_trials: dict[int, list[EncounterRecord]] = {}
        for record in records:
            if record.trial is not None:
                self._of_trials.setdefault(record.trial, []).append(record)
            else:
                self._stored[record.phase].append(record)
            self._count(record.phase, record.scores)

    def encounter(
        self,
        phase: Phase,
        first: Point,
        first_pair: int,
        pairs: int,
        *,
        trial: int | None = None,
        second: Point | None = None,
        opponent: int | None = None,
    ) -> EncounterRecord:
        """The next encounter, not submitted yet: a new one or, without a trial, the one that an
        earlier run stored. Raises DatabaseProblem if that is another one."""
        new = EncounterRecord(self._next, phase, first, first_pair, pairs, trial, second, opponent)
        if trial is not None or not self._stored[phase]:
            self._next += 1
            return new
        stored = self._stored[phase].popleft()
        if stored != replace(new, number=stored.number, scores=stored.scores):
            raise DatabaseProblem(
                f"study {self._study.name} was started by a program that measures other "
                f"points (encounter {stored.number}): it cannot be continued"
            )
        return stored

    def begin_trial(self, trial: TrialRecord, encounters: Sequence[EncounterRecord]) -> None:
        """Store a new trial with its encounters, and submit these for measurement."""
        self._repository.begin_trial(trial, encounters)
        self._submit(encounters)

    def add(self, encounters: Sequence[EncounterRecord]) -> None:
        """Store more encounters, and submit these for measurement."""
        self._repository.add_encounters(self._study.id, encounters)
        self._submit(encounters)

    def recall_trial(self, number: int) -> list[EncounterRecord]:
        """Restore the stored part of an unfinished trial, and measure the rest."""
        self._submit(one for one in self.trial_encounters(number) if not one.scores)
        return self.trial_scores(number)

    def trial_encounters(self, number: int) -> list[EncounterRecord]:
        """The stored encounters of a trial as they were when this run began."""
        return self._of_trials.get(number, [])

    def trial_scores(self, number: int) -> list[EncounterRecord]:
        """Those of them that were measured."""
        return [one for one in self.trial_encounters(number) if one.scores]

    def next_finished(self) -> EncounterRecord | None:
        """Wait for any encounter and store its scores; None when the study is to stop."""
        finished = self._evaluator.next_finished()
        if finished is not None:
            number, scores = finished.number, finished.scores
            self._repository.finish_encounter(self._study.id, number, scores)
            self._count(finished.phase, scores)
            self._on_stored()
        return finished

    def measure(self, asked: Sequence[EncounterRecord]) -> list[EncounterRecord] | None:
        """Have encounters without a trial measured, and give them in their order; None when the
        study is to stop."""
        done = {one.number: one for one in asked if one.scores}
        self._submit(one for one in asked if not one.scores and one.number < self._read)
        if fresh := [one for one in asked if one.number >= self._read]:
            self.add(fresh)
        while len(done) < len(asked):
            finished = self.next_finished()
            if finished is None:
                return None
            done[finished.number] = finished
        return [done[one.number] for one in asked]

    def _count(self, phase: Phase, scores: Sequence[float | None]) -> None:
        self.pairs_done[phase] += len(scores)
        if phase == "gain":
            self.gain_scores += scores

    def _submit(self, encounters: Iterable[EncounterRecord]) -> None:
        for encounter in encounters:
            self._evaluator.submit(encounter)
