"""The encounters of one study, kept in the database and measured by an evaluator.

The encounters of a study are determined by its settings and the scores, so a resumed study requests
the same encounters in the same order; stored ones are answered at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from db.records import EncounterRecord, StudyRecord, TrialRecord
from db.repository import Repository
from toolkit.base.errors import DatabaseProblem
from toolkit.tuning.measuring.encounter import Encounter, Evaluator, Finished, Phase
from toolkit.tuning.space.point import Point


@dataclass(frozen=True, slots=True)
class Wanted:
    """An encounter that has no number yet."""

    first: Point
    first_pair: int
    pairs: int
    second: Point | None = None
    opponent: int | None = None


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
        self._next = len(records)
        self.pairs_done = {"search": 0, "choice": 0, "gain": 0}
        """Pairs of finished encounters by phase."""
        self.gain_scores: list[float | None] = []
        """Scores of the phase ``gain`` as far as it is, in no order; of opponents no sides."""
        self._stored: dict[Phase, deque[EncounterRecord]] = {"choice": deque(), "gain": deque()}
        self._of_trials: dict[int, list[EncounterRecord]] = {}
        for record in records:
            if record.trial is not None:
                self._of_trials.setdefault(record.trial, []).append(record)
            elif record.phase != "search":
                self._stored[record.phase].append(record)
            if record.scores is not None:
                self._count(record.phase, record.scores)

    def number(self, wanted: Wanted, phase: Phase, trial: int | None = None) -> Encounter:
        """The next encounter; not stored and not submitted yet."""
        encounter = Encounter(
            number=self._next,
            phase=phase,
            first=wanted.first,
            first_pair=wanted.first_pair,
            pairs=wanted.pairs,
            trial=trial,
            second=wanted.second,
            opponent=wanted.opponent,
        )
        self._next += 1
        return encounter

    def begin_trial(self, trial: TrialRecord, encounters: Sequence[Encounter]) -> None:
        """Store a new trial with its encounters, and submit these for measurement."""
        self._repository.begin_trial(trial, [self._record(one) for one in encounters])
        self._submit(encounters)

    def add_to_trial(self, encounters: Sequence[Encounter]) -> None:
        """Store more encounters of a trial and have them measured."""
        self._repository.add_encounters([self._record(one) for one in encounters])
        self._submit(encounters)

    def recall_trial(self, number: int) -> list[Finished]:
        """Restore the stored part of an unfinished trial, and measure the rest."""
        missing = [one for one in self._of_trials.get(number, ()) if one.scores is None]
        self._submit(map(_encounter, missing))
        return self.trial_scores(number)

    def trial_encounters(self, number: int) -> list[Encounter]:
        """The stored encounters of a trial as they were when this run began."""
        return [_encounter(record) for record in self._of_trials.get(number, ())]

    def trial_scores(self, number: int) -> list[Finished]:
        """The stored scores of a trial as they were when this run began."""
        records = self._of_trials.get(number, ())
        return [Finished(_encounter(r), r.scores) for r in records if r.scores is not None]

    def next_finished(self) -> Finished | None:
        """Wait for any encounter and store its scores; None when the study is to stop."""
        finished = self._evaluator.next_finished()
        if finished is not None:
            encounter = finished.encounter
            self._repository.finish_encounter(self._study.id, encounter.number, finished.scores)
            self._count(encounter.phase, finished.scores)
            self._on_stored()
        return finished

    def measure(self, wanted: Sequence[Wanted], phase: Phase) -> list[Finished] | None:
        """Have encounters without a trial measured, and give them in their order; None when the
        study is to stop. Raises DatabaseProblem where others are stored in their place."""
        done: dict[int, Finished] = {}
        asked: list[Encounter] = []
        fresh: list[Encounter] = []
        for one in wanted:
            if self._stored[phase]:
                record = self._stored[phase].popleft()
                encounter = _encounter(record)
                if _wanted(encounter) != one:
                    raise DatabaseProblem(
                        f"study {self._study.name} was started by a program that measures other "
                        f"points (encounter {encounter.number}): it cannot be continued"
                    )
                if record.scores is None:
                    self._submit([encounter])
                else:
                    done[encounter.number] = Finished(encounter, record.scores)
            else:
                encounter = self.number(one, phase)
                fresh.append(encounter)
            asked.append(encounter)
        if fresh:
            self._repository.add_encounters([self._record(one) for one in fresh])
            self._submit(fresh)
        while len(done) < len(asked):
            finished = self.next_finished()
            if finished is None:
                return None
            done[finished.encounter.number] = finished
        return [done[encounter.number] for encounter in asked]

    def _count(self, phase: Phase, scores: Sequence[float | None]) -> None:
        self.pairs_done[phase] += len(scores)
        if phase == "gain":
            self.gain_scores += scores

    def _submit(self, encounters: Iterable[Encounter]) -> None:
        for encounter in encounters:
            self._evaluator.submit(encounter)

    def _record(self, encounter: Encounter) -> EncounterRecord:
        return EncounterRecord(
            study_id=self._study.id,
            number=encounter.number,
            trial=encounter.trial,
            phase=encounter.phase,
            first=encounter.first,
            second=encounter.second,
            opponent=encounter.opponent,
            first_pair=encounter.first_pair,
            pairs=encounter.pairs,
        )


def _encounter(record: EncounterRecord) -> Encounter:
    return Encounter(
        number=record.number,
        phase=record.phase,
        first=dict(record.first),
        first_pair=record.first_pair,
        pairs=record.pairs,
        trial=record.trial,
        second=None if record.second is None else dict(record.second),
        opponent=record.opponent,
    )


def _wanted(encounter: Encounter) -> Wanted:
    return Wanted(
        dict(encounter.first),
        encounter.first_pair,
        encounter.pairs,
        None if encounter.second is None else dict(encounter.second),
        encounter.opponent,
    )
