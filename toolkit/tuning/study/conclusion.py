"""The end of a study: its recommendation and the measured gain.

SPSA chooses the mean of θ over the last half of the search. With other samplers, the leading points
by posterior mean, including the base, play again on fresh openings. The chosen point then plays the
base on fresh pairs that played no part in the choice; only these pairs state its gain. Unless they
measure a gain above 0, the point is refused and the base is recommended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from db.records.studies import EncounterRecord
from engines.spec import Value
from toolkit.tuning.models import posterior
from toolkit.tuning.models.final_choice import BASE, Candidate, Choice
from toolkit.tuning.models.gain import (
    Gain,
    GainUnit,
    gain_against,
    gain_of_effort,
    gain_of_pairs,
    unchanged,
)
from toolkit.tuning.models.pruning import Ended, false_pruning
from toolkit.tuning.models.worth import across, pair_variance, worths
from toolkit.tuning.samplers.spsa import SpsaSampler
from toolkit.tuning.settings import StudySettings
from toolkit.tuning.space.point import Point
from toolkit.tuning.study.estimates import compared, gain_of_worth
from toolkit.tuning.study.ledger import Ledger
from toolkit.tuning.study.numbers import PairNumbers
from toolkit.tuning.study.recall import Trial
from toolkit.tuning.study.result import Leader, StudyResult
from toolkit.tuning.study.search import TrialSearch

_PAIRS_AT_ONCE = 50
"""Pairs of one encounter of the gain, so that progress is seen."""


@dataclass(frozen=True, slots=True)
class ChosenPoint:
    """What is recommended, and how it was chosen."""

    point: Point
    is_base: bool
    next_pair: int
    """First pair number that nothing has played."""
    leaders: tuple[Leader, ...] = ()
    best: Trial | None = None
    pruned: int = 0
    falsely_pruned: int | None = None
    falsely_pruned_expected: float | None = None


def choose(
    settings: StudySettings, search: TrialSearch, ledger: Ledger, spsa: SpsaSampler | None
) -> ChosenPoint | None:
    """Choose the recommendation; None if the study is to stop. Raises EngineProblem."""
    base, fresh = settings.space.restrict(settings.start), PairNumbers.of(settings).gain
    if spsa is not None:
        point = dict(spsa.recommendation(search.study))
        return ChosenPoint(point, point == base, fresh)
    trials = compared(search.told)
    best = max(trials, key=lambda told: told.measured.mean, default=None)
    if best is None:
        return ChosenPoint(base, True, fresh)
    if settings.objective.deterministic:
        # Searching the same positions again would say the same again.
        better = best.measured.mean > 0
        return ChosenPoint(best.measured.point if better else base, not better, fresh, best=best)
    return _played_again(settings, search, ledger, best)


def measure(settings: StudySettings, ledger: Ledger, chosen: ChosenPoint) -> StudyResult | None:
    """Measure the gain of the chosen point, and recommend it if the gain is above 0, else the base.
    If the budget has no pairs for the gain, the chosen point is recommended without a measurement.
    Returns None if the study is to stop. Raises EngineProblem."""
    gain: Gain | None = None
    refused: Gain | None = None
    unit: GainUnit = "percent" if settings.objective.is_effort else "elo"
    if not chosen.is_base and settings.budget.gain:
        gain = _measured_gain(settings, ledger, chosen)
        if gain is None:
            return None
        if not gain.is_positive:
            refused = gain
    is_base = chosen.is_base or refused is not None
    recommended = settings.space.restrict(settings.start) if is_base else chosen.point
    if is_base:
        gain = unchanged(unit)
    parameters: dict[str, Value] = {
        name: recommended.get(name, settings.start[name]) for name in settings.space.names
    }
    best = chosen.best
    return StudyResult(
        recommended=recommended,
        parameters=parameters,
        is_base=is_base,
        gain=gain,
        refused=None if refused is None else chosen.point,
        refused_gain=refused,
        pairs_used=dict(ledger.pairs_done),
        best_trial=None if best is None else best.record.number,
        best_trial_gain=None
        if best is None
        else gain_of_worth(best.measured.mean, settings.objective.is_effort),
        pruned=chosen.pruned,
        falsely_pruned=chosen.falsely_pruned,
        falsely_pruned_expected=chosen.falsely_pruned_expected,
        leaders=chosen.leaders,
    )


def _played_again(
    settings: StudySettings, search: TrialSearch, ledger: Ledger, best: Trial
) -> ChosenPoint | None:
    """The final choice among the leading points."""
    base = settings.space.restrict(settings.start)
    trials = compared(search.told)
    measured = [told.measured for told in trials]
    surrogate = posterior.fit(settings.space, base, measured)
    candidates = posterior.leading(surrogate, measured, base)
    opponents = len(settings.against)
    choice = Choice(
        candidates,
        PairNumbers.of(settings).choice,
        settings.budget.choice,
        variance=pair_variance(measured),
        opponents=max(1, opponents),
        base_plays=opponents > 0,
    )
    while asked := choice.round():
        wanted = [
            ledger.encounter(
                "choice",
                base if replay.candidate == BASE else candidates[replay.candidate].point,
                replay.first_pair,
                replay.pairs,
                opponent=opponent,
            )
            for replay in asked
            for opponent in (range(opponents) if opponents else (None,))
        ]
        finished = ledger.measure(wanted)
        if finished is None:
            return None
        each = max(1, opponents)
        told = {
            replay.candidate: _mean_worths(settings, finished[k * each : (k + 1) * each])
            for k, replay in enumerate(asked)
        }
        choice.tell(told)
    winner = choice.winner
    pruned = [told.record.state == "pruned" for told in trials]
    report = None
    if settings.pruner is not None:
        ended = [
            Ended(told.record.number, told.measured.point, early, told.measured.mean)
            for told, early in zip(trials, pruned, strict=True)
        ]
        report = false_pruning(surrogate, ended)
    return ChosenPoint(
        point=base if winner is None else candidates[winner].point,
        is_base=winner is None,
        # Positions of the gain are held out; of openings the choice has left some.
        next_pair=PairNumbers.of(settings).gain
        if settings.objective.is_effort
        else choice.next_pair,
        leaders=_leaders(choice, candidates, trials),
        best=best,
        pruned=sum(pruned),
        falsely_pruned=None if report is None else report.above,
        falsely_pruned_expected=None if report is None else report.expected,
    )


def _mean_worths(
    settings: StudySettings, finished: Sequence[EncounterRecord]
) -> tuple[float | None, ...]:

    return across([worths(one.scores, settings.objective.is_effort) for one in finished])


def _leaders(
    choice: Choice, candidates: Sequence[Candidate], trials: Sequence[Trial]
) -> tuple[Leader, ...]:
    """The candidates, the best after the last round that they played first."""
    leaders = []
    for index, candidate in enumerate(candidates):
        rounds = [
            (number, standing)
            for number, played in enumerate(choice.rounds, 1)
            for standing in played
            if standing.candidate == index
        ]
        last, standing = rounds[-1] if rounds else (0, None)
        estimate, sd = choice.estimate(index)
        trial = next((t.record.number for t in trials if t.measured.point == candidate.point), None)
        leaders.append(
            Leader(
                point=candidate.point,
                trial=trial,
                mean=candidate.mean,
                sd=candidate.sd,
                pairs=standing.pairs if standing else 0,
                fresh=standing.fresh if standing else 0.0,
                estimate=estimate,
                estimate_sd=sd,
                round=last,
            )
        )
    return tuple(sorted(leaders, key=lambda leader: (-leader.round, -leader.estimate)))


def _measured_gain(settings: StudySettings, ledger: Ledger, chosen: ChosenPoint) -> Gain | None:
    """The stated gain; None when the study is to stop."""
    base = settings.space.restrict(settings.start)
    first, point, opponents = chosen.next_pair, chosen.point, range(len(settings.against))
    number = _pairs_of_gain(settings, ledger, first) // (2 * len(opponents) or 1)
    if not opponents:
        scores = _scores(ledger, point, None, first, number)
        if scores is None:
            return None
        return gain_of_effort(scores) if settings.objective.is_effort else gain_of_pairs(scores)
    rows: dict[bool, list[list[float | None]]] = {True: [], False: []}
    for opponent in opponents:
        for is_base in (False, True):
            end = base if is_base else point
            scores = _scores(ledger, end, opponent, first, number)
            if scores is None:
                return None
            rows[is_base].append(scores)
    return gain_against(rows[False], rows[True])


def _pairs_of_gain(settings: StudySettings, ledger: Ledger, first: int) -> int:
    """Pairs that measure the gain: its own, and what search and choice left of theirs.

    These only as far as the book has openings that nothing has played.
    """
    budget, done = settings.budget, ledger.pairs_done
    if settings.objective.is_effort:
        return budget.gain
    left = budget.total - done["search"] - done["choice"]
    if settings.event is None:
        return left
    fresh = (settings.event.book.lines - first) * (2 * len(settings.against) or 1)
    return min(left, max(budget.gain, fresh))


def _scores(
    ledger: Ledger, point: Point, opponent: int | None, first: int, pairs: int
) -> list[float | None] | None:
    """Scores of a point over many pairs of the gain; None when the study is to stop."""
    wanted = [
        ledger.encounter(
            "gain", point, start, min(_PAIRS_AT_ONCE, first + pairs - start), opponent=opponent
        )
        for start in range(first, first + pairs, _PAIRS_AT_ONCE)
    ]
    finished = ledger.measure(wanted)
    if finished is None:
        return None
    return [score for one in finished for score in one.scores]
