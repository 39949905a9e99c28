"""The end of a study: what it recommends, and the measured gain of that.

SPSA recommends where it stands on average over its last half. Of trials that are compared, the
leading points by a posterior mean, the base among them, are played again on fresh openings. What
is recommended then plays the base on pairs that chose nothing; only these state its gain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engines.spec import Value
from toolkit.tuning import posterior
from toolkit.tuning.choice import BASE, Candidate, Choice
from toolkit.tuning.encounter import Finished, Phase, Point
from toolkit.tuning.estimates import compared, gain_of_worth
from toolkit.tuning.gain import (
    Gain,
    GainUnit,
    gain_against,
    gain_of_effort,
    gain_of_pairs,
    unchanged,
)
from toolkit.tuning.ledger import Ledger, Wanted
from toolkit.tuning.numbers import PairNumbers
from toolkit.tuning.pruning import Ended, false_pruning
from toolkit.tuning.result import Leader, StudyResult
from toolkit.tuning.search import Search, Told
from toolkit.tuning.settings import StudySettings
from toolkit.tuning.spsa import SpsaSampler
from toolkit.tuning.worth import across, pair_variance, worths

_PAIRS_AT_ONCE = 50
"""Pairs of one encounter of the gain, so that progress is seen."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is recommended, and how it was chosen."""

    point: Point
    is_base: bool
    leaders: tuple[Leader, ...] = ()
    best: Told | None = None
    pruned: int = 0
    falsely_pruned: int | None = None
    falsely_pruned_expected: float | None = None


def choose(
    settings: StudySettings, search: Search, ledger: Ledger, spsa: SpsaSampler | None
) -> Chosen | None:
    """Decide what is recommended; None when the study is to stop. Raises EngineProblem."""
    base = settings.space.restrict(settings.start)
    if spsa is not None:
        point = dict(spsa.recommendation(search.study))
        return Chosen(point, point == base)
    trials = compared(search.told)
    best = max(trials, key=lambda told: told.measured.mean, default=None)
    if best is None:
        return Chosen(base, True)
    if settings.objective.deterministic:
        # Searching the same positions again would say the same again.
        better = best.measured.mean > 0
        return Chosen(best.point if better else base, not better, best=best)
    return _played_again(settings, search, ledger, best)


def measure(settings: StudySettings, ledger: Ledger, chosen: Chosen) -> StudyResult | None:
    """Measure the gain of what was chosen; None when the study is to stop. Raises EngineProblem."""
    gain: Gain | None = None
    unit: GainUnit = "percent" if settings.objective.is_effort else "elo"
    if chosen.is_base:
        gain = unchanged(unit)
    elif settings.budget.gain:
        gain = _measured_gain(settings, ledger, chosen.point)
        if gain is None:
            return None
    parameters: dict[str, Value] = {
        name: chosen.point.get(name, settings.start[name]) for name in settings.space.names
    }
    best = chosen.best
    return StudyResult(
        recommended=chosen.point,
        parameters=parameters,
        is_base=chosen.is_base,
        gain=gain,
        pairs_used=dict(ledger.pairs_done),
        best_trial=None if best is None else best.number,
        best_trial_gain=None
        if best is None
        else gain_of_worth(best.measured.mean, settings.objective.is_effort),
        pruned=chosen.pruned,
        falsely_pruned=chosen.falsely_pruned,
        falsely_pruned_expected=chosen.falsely_pruned_expected,
        leaders=chosen.leaders,
    )


def _played_again(
    settings: StudySettings, search: Search, ledger: Ledger, best: Told
) -> Chosen | None:
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
            Wanted(
                base if replay.candidate == BASE else candidates[replay.candidate].point,
                replay.first_pair,
                replay.pairs,
                opponent=opponent,
            )
            for replay in asked
            for opponent in (range(opponents) if opponents else (None,))
        ]
        finished = ledger.measure(wanted, "choice")
        if finished is None:
            return None
        each = max(1, opponents)
        told = {
            replay.candidate: _mean_worths(settings, finished[k * each : (k + 1) * each])
            for k, replay in enumerate(asked)
        }
        choice.tell(told)
    winner = choice.winner
    pruned = [told for told in trials if told.state == "pruned"]
    report = None
    if settings.pruner is not None:
        ended = [Ended(t.number, t.point, t.state == "pruned", t.measured.mean) for t in trials]
        report = false_pruning(surrogate, ended)
    return Chosen(
        point=base if winner is None else candidates[winner].point,
        is_base=winner is None,
        leaders=_leaders(choice, candidates, trials),
        best=best,
        pruned=len(pruned),
        falsely_pruned=None if report is None else report.above,
        falsely_pruned_expected=None if report is None else report.expected,
    )


def _mean_worths(settings: StudySettings, finished: Sequence[Finished]) -> tuple[float | None, ...]:

    return across([worths(one.scores, settings.objective.is_effort) for one in finished])


def _leaders(
    choice: Choice, candidates: Sequence[Candidate], trials: Sequence[Told]
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
        trial = next((told.number for told in trials if told.point == candidate.point), None)
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


def _measured_gain(settings: StudySettings, ledger: Ledger, point: Point) -> Gain | None:
    """The stated gain; None when the study is to stop."""
    base = settings.space.restrict(settings.start)
    numbers = PairNumbers.of(settings)
    opponents = range(len(settings.against))
    if not opponents:
        scores = _scores(ledger, "gain", point, None, numbers.gain, settings.budget.gain)
        if scores is None:
            return None
        return gain_of_effort(scores) if settings.objective.is_effort else gain_of_pairs(scores)
    pairs = max(1, settings.budget.gain // (2 * len(opponents)))
    rows: dict[bool, list[list[float | None]]] = {True: [], False: []}
    for opponent in opponents:
        for is_base in (False, True):
            end = base if is_base else point
            scores = _scores(ledger, "gain", end, opponent, numbers.gain, pairs)
            if scores is None:
                return None
            rows[is_base].append(scores)
    return gain_against(rows[False], rows[True])


def _scores(
    ledger: Ledger, phase: Phase, point: Point, opponent: int | None, first: int, pairs: int
) -> list[float | None] | None:
    """Scores of a point over many pairs; None when the study is to stop."""
    wanted = [
        Wanted(point, start, min(_PAIRS_AT_ONCE, first + pairs - start), opponent=opponent)
        for start in range(first, first + pairs, _PAIRS_AT_ONCE)
    ]
    finished = ledger.measure(wanted, phase)
    if finished is None:
        return None
    return [score for one in finished for score in one.scores]
