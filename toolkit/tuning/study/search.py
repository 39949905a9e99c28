"""The search of a study: trials are sampled, measured, and reported in the order of their numbers.

Trial ``n`` is sampled exactly when trial ``n - in_flight`` has been reported to the sampler, and no
later one. So the sampler's knowledge depends only on the settings and the scores; the number of
workers and interruptions do not affect it. Still, many pairs are in flight. An SPSA step uses
information that is ``in_flight`` trials old, which matters little with hundreds of trials.
"""

from __future__ import annotations

import warnings
from bisect import insort
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import optuna
from msgspec.structs import replace
from optuna.exceptions import ExperimentalWarning
from optuna.storages import InMemoryStorage
from optuna.trial import TrialState as OptunaState

from db.records.studies import EncounterRecord, StudyRecord, TrialRecord, TrialState
from db.repository import Repository
from toolkit.base.errors import EngineProblem
from toolkit.base.printable import in_one_line
from toolkit.tuning.models import pruning
from toolkit.tuning.models.worth import MeasuredPoint, against_base, worths
from toolkit.tuning.samplers.attributes import PRUNED
from toolkit.tuning.samplers.sampler import SamplerOfTrial, suggested
from toolkit.tuning.settings import StudySettings
from toolkit.tuning.study.ledger import Ledger
from toolkit.tuning.study.numbers import PairNumbers
from toolkit.tuning.study.recall import Trial, opponent_of
from toolkit.tuning.study.store import StoredStudy

PAIRS_AFTER_STARTUP = 8
"""Between two questions to the pruner."""
OWN_SAMPLERS = ("spsa", "grid")
"""Whose failures are ours."""


@dataclass(slots=True)
class _TrialAsked:
    """A sampled trial that has not been reported yet."""

    record: TrialRecord
    pending: set[int] = field(default_factory=set)
    """Numbers of the encounters that are being measured."""
    finished: list[EncounterRecord] = field(default_factory=list)
    """In the order of their numbers, in which they were submitted."""

    @property
    def number(self) -> int:
        """Of the trial."""
        return self.record.number

    def add(self, encounter: EncounterRecord) -> None:
        """Note an encounter that was measured."""
        self.pending.discard(encounter.number)
        insort(self.finished, encounter, key=lambda one: one.number)


class TrialSearch:
    """The trials of a study, including those of earlier runs."""

    def __init__(
        self,
        repository: Repository,
        record: StudyRecord,
        settings: StudySettings,
        ledger: Ledger,
        sampler_of: SamplerOfTrial,
        on_told: Callable[[Trial], None] = lambda told: None,
    ) -> None:
        self._repository = repository
        self._record = record
        self._settings = settings
        self._ledger = ledger
        self._sampler_of = sampler_of
        self._on_told = on_told
        self._numbers = PairNumbers.of(settings)
        self._spsa = settings.sampler == "spsa"
        self._base = settings.space.restrict(settings.start)
        self._base_rows: dict[int, list[tuple[float | None, ...]]] = {}
        """Worths of the base against every opponent, by round."""
        self._open: dict[int, _TrialAsked] = {}
        self.told: list[Trial] = []
        self._stored = StoredStudy(settings, InMemoryStorage())
        self._rebuild()

    @property
    def study(self) -> optuna.Study:
        """Optuna's study, with every trial that was asked for."""
        return self._stored.study

    @property
    def asked(self) -> int:
        """Number of trials sampled so far."""
        return len(self.told) + len(self._open)

    def run(self) -> bool:
        """Ask, measure and tell until the search has spent its pairs. False: asked to stop."""
        while True:
            while len(self._open) < self._settings.in_flight and self._may_ask():
                self._ask()
            if self._tell_next():
                continue
            if not self._open:
                return True
            finished = self._ledger.next_finished()
            if finished is None:
                return False
            self._add(finished)

    def _rebuild(self) -> None:
        """Optuna's study out of the database; trials under way are measured on."""
        if self._settings.pruner is not None:
            self.study.pruner = pruning.pruner(self._settings.pruner)
        records = self._repository.trials(self._record.id)
        self._stored.add(records)
        if not records and not self._spsa:
            self.study.enqueue_trial(dict(self._base))
        for record in records:
            one = _TrialAsked(record)
            if record.state == "running":
                one.pending = {e.number for e in self._ledger.trial_encounters(record.number)}
                self._open[record.number] = one
                for finished in self._ledger.recall_trial(record.number):
                    one.add(finished)
                continue
            one.finished = self._ledger.trial_scores(record.number)
            self._keep(one)

    def _may_ask(self) -> bool:
        number = self.asked
        if self._settings.pruner is None:
            return number < self._settings.trials + (0 if self._spsa else 1)
        if self._settings.sampler == "grid" and number > self._settings.trials:
            return False
        # What pruning saved is spent on more trials.
        spent = sum(told.pairs for told in self.told) + sum(map(self._whole_cost, self._open))
        return spent + self._whole_cost(number) <= self._settings.budget.search

    def _whole_cost(self, number: int) -> int:
        """Pairs of a trial that is not pruned."""
        if number == 0 and not self._spsa:
            return 0
        return self._settings.pairs_per_trial * self._settings.encounters_per_trial

    def _ask(self) -> None:
        number = self.asked
        with self._sampling(number):
            trial = self.study.ask()
            point = suggested(trial, self._settings.space)
        one = _TrialAsked(
            TrialRecord(
                study_id=self._record.id,
                number=number,
                state="running",
                params=dict(point),
                attributes=self._stored.attributes(number),
            )
        )
        encounters = self._first_stage(one)
        one.pending = {encounter.number for encounter in encounters}
        self._open[number] = one
        self._ledger.begin_trial(one.record, encounters)

    @contextmanager
    def _sampling(self, number: int) -> Iterator[None]:
        """The study with the sampler of a trial. Raises EngineProblem if that fails."""
        name = self._settings.sampler
        self.study.sampler = self._sampler_of(number)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExperimentalWarning)
            try:
                yield
            except Exception as error:
                if name in OWN_SAMPLERS:
                    raise
                # Options that only their use shows to be wrong, and samplers of the user's.
                raise EngineProblem(f"sampler {name} failed: {in_one_line(error)}") from error

    def _first_stage(self, one: _TrialAsked) -> list[EncounterRecord]:
        """The encounters that a trial starts with: all of them unless there is a pruner."""
        settings, number = self._settings, one.number
        if number == 0 and not self._spsa:
            return []  # the base, which is worth 0 over itself
        first = self._numbers.of_trial(settings, number)
        pairs, point, second = settings.pairs_per_trial, one.record.params, opponent_of(one.record)
        ask = partial(self._ledger.encounter, "search", trial=number)
        opponents = range(len(settings.against))
        if not opponents:
            if settings.pruner is not None:
                pairs = min(pairs, settings.pruner.startup_steps)
            return [ask(point, first, pairs, second=second)]
        ends = [point]
        if second is not None:
            ends.append(second)
        elif number == 1 or settings.round_of(number) != settings.round_of(number - 1):
            ends.append(self._base)
        return [ask(end, first, pairs, opponent=k) for end in ends for k in opponents]

    def _add(self, finished: EncounterRecord) -> None:
        assert finished.trial is not None
        self._open[finished.trial].add(finished)

    def _tell_next(self) -> bool:
        """Tell the next trial if it is finished, or let it play on; whether there was one."""
        one = self._open.get(len(self.told))
        if one is None or one.pending:
            return False
        if not self._goes_on(one):
            self._tell(one)
        return True

    def _goes_on(self, one: _TrialAsked) -> bool:
        """Whether a trial with a pruner has pairs left and may play on; then it does."""
        pruner, wanted = self._settings.pruner, self._settings.pairs_per_trial
        if pruner is None:
            return False
        if one.number == 0:
            # The base is worth 0 in every pair, and the best trial until one is better.
            self._stored.report(0, dict.fromkeys(range(wanted), 0.0))
            return False
        steps = [score for part in one.finished for score in part.scores]
        known = [(k, w) for k, w in enumerate(worths(steps, self._effort)) if w is not None]
        self._stored.report(one.number, dict(known))
        if len(steps) >= wanted:
            return False
        if self.study.pruner.prune(self.study, self._stored.trial(one.number)):
            self._stored.note(one.number, PRUNED, len(steps))
            return False
        last = one.finished[-1]
        more = self._ledger.encounter(
            "search",
            one.record.params,
            last.first_pair + last.pairs,
            min(PAIRS_AFTER_STARTUP, wanted - len(steps)),
            trial=one.number,
        )
        one.pending.add(more.number)
        self._ledger.add([more])
        return True

    def _tell(self, one: _TrialAsked) -> None:
        del self._open[one.number]
        state, value = self._outcome(one)
        with self._sampling(one.number):
            if value is None:
                self.study.tell(one.number, state=OptunaState.FAIL)
            else:
                self.study.tell(one.number, value)
        self._repository.finish_trial(
            self._record.id,
            one.number,
            state,
            value,
            attributes=self._stored.attributes(one.number),
            steps=self._stored.steps(one.number),
        )
        one.record = replace(one.record, state=state, value=value)
        self._on_told(self._keep(one))

    def _outcome(self, one: _TrialAsked) -> tuple[TrialState, float | None]:
        """State and value of a trial whose encounters are finished."""
        if one.number == 0 and not self._spsa:
            return "complete", 0.0
        measured = self._measured(one)
        if not measured.pairs:
            return "failed", None
        pruned = PRUNED in self._stored.trial(one.number).user_attrs
        return ("pruned" if pruned else "complete"), measured.mean

    def _measured(self, one: _TrialAsked) -> MeasuredPoint:
        """Worths of a trial over the base, or over the other end of an SPSA trial."""
        parts, point = one.finished, one.record.params
        first_pair = self._numbers.repeated(self._settings, one.number)
        if not self._settings.against:
            values = [w for part in parts for w in worths(part.scores, self._effort)]
            return MeasuredPoint.of(point, values, first_pair)
        count = len(self._settings.against)
        rows = [worths(part.scores) for part in parts]
        if not rows:
            return MeasuredPoint.of(point, [])
        if self._spsa:
            return MeasuredPoint.of(point, against_base(rows[:count], rows[count : 2 * count]))
        if len(rows) > count:
            self._base_rows[self._settings.round_of(one.number)] = rows[count:]
        base = self._base_rows[self._settings.round_of(one.number)]
        return MeasuredPoint.of(point, against_base(rows[:count], base), first_pair)

    def _keep(self, one: _TrialAsked) -> Trial:
        pairs = sum(finished.pairs for finished in one.finished)
        told = Trial(one.record, self._measured(one), pairs)
        self.told.append(told)
        return told

    @property
    def _effort(self) -> bool:
        return self._settings.objective.is_effort
