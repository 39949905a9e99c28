"""Fitting a first guess: searching positions, half of them to fit it and half to measure it."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import chess

from engines.reference.chess_game import ChessGame
from engines.reference.evaluation import load_evaluation
from engines.reference.game import INFINITY
from engines.reference.quiescence import quiesce
from engines.spec import Value, Variant
from toolkit.errors import EngineProblem, UsageError
from toolkit.lab.effort import Effort, SearchTask
from toolkit.lab.fit_rows import LabFitReport, LabFitRow
from toolkit.lab.fitting import (
    FIRST_DEPTH,
    Example,
    FailingCosts,
    Trial,
    examples_of,
    failing_costs,
    fit_coefficients,
    fit_shifts,
    mean_errors,
)
from toolkit.lab.pool import search_all
from toolkit.lab.suite import Suite, divide
from toolkit.lab.summary import RESAMPLES, SEED
from toolkit.play.ranges import check_whole
from toolkit.stats.bootstrap import mean_interval
from toolkit.tuning.space import variant_of

GUESSES = ("regression", "quantile")
"""What can be fitted."""
BASELINES = ("parity", "previous")
"""What a fitted guess is measured against, and what gives the searches that it is fitted to."""

OnStep = Callable[[str, int], None]
"""Told what is searched next, and how many positions."""


@dataclass(frozen=True, slots=True)
class Searches:
    """Positions that were searched by some variants."""

    suite: Suite
    efforts: list[tuple[Effort, ...]]
    """By position, one a variant."""


def fit_guess(
    base: Variant, guess: str, suite: Suite, depth: int, jobs: int, on_step: OnStep
) -> LabFitReport:
    """Fit ``guess`` for ``base``, whose other parameters stay, and measure it.

    Raises UsageError for a driver that uses no guess, a depth or positions too few to learn from,
    and EngineProblem.
    """
    check_whole("--depth", depth, FIRST_DEPTH, 60)
    if "guess" not in base.parameters:
        raise UsageError(f"{base.label} uses no first guess: there is nothing to fit")
    fitted, held_out = divide(suite, SEED)
    rivals = tuple(variant_of(base, {"guess": name}) for name in BASELINES)
    on_step("to fit the guess", len(fitted))
    known = search_suite(rivals, fitted, depth, jobs)
    examples = examples_in(base, known)
    if not examples:
        raise UsageError(f"suite {suite.name} has no value to learn from that is not a mate")
    parameters: dict[str, int] = fit_coefficients(examples)
    costs = None
    if guess == "quantile":
        shifts, costs = _shifts(known, examples, parameters)
        parameters |= shifts
    variant = variant_of(base, {"guess": guess, **parameters})
    on_step("to measure it", len(held_out))
    measured = search_suite((variant, *rivals), held_out, depth, jobs)
    return _report(variant, guess, parameters, costs, known, measured, rivals)


def search_suite(variants: Sequence[Variant], suite: Suite, depth: int, jobs: int) -> Searches:
    """Exact searches of all positions by all variants. Raises EngineProblem."""
    tasks = [
        SearchTask(number, tuple(variants), opening.fen, depth, judge=variants[0])
        for number, opening in enumerate(suite.positions)
    ]
    found: dict[int, tuple[Effort, ...]] = {}
    for searched in search_all(tasks, jobs, threading.Event()):
        found[searched.task.number] = searched.efforts
        for variant, effort in zip(variants, searched.efforts, strict=True):
            if len(effort.iterations) != depth:
                raise EngineProblem(
                    f"{variant.label} ended at depth {len(effort.iterations)} of {depth} in "
                    f"{searched.task.fen}"
                )
    return Searches(suite, [found[number] for number in range(len(suite))])


def examples_in(base: Variant, searches: Searches) -> list[Example]:
    """What the searches teach about values, which are the same for all their variants."""
    evaluation = load_evaluation(str(base.parameters["eval"]))
    grain = int(base.parameters["grain"])
    found: list[Example] = []
    for number, efforts in enumerate(searches.efforts):
        board = chess.Board(searches.suite.positions[number].fen)
        game = ChessGame(board, evaluation, grain)
        static = game.static()
        quiet = static
        if base.parameters["quiescence"]:
            quiet = quiesce(game, -INFINITY, INFINITY, lambda: None)
        values = [one.value for one in efforts[0].iterations]
        found += examples_of(number, static, quiet, game.phase(), values)
    return found


def trials_in(searches: Searches) -> list[Trial]:
    """What the searches teach about costs."""
    return [
        Trial((number, one.depth), one.value - one.first_guess, one.nodes)
        for number, efforts in enumerate(searches.efforts)
        for effort in efforts
        for one in effort.iterations[FIRST_DEPTH - 1 :]
        if one.first_guess is not None
    ]


def _shifts(
    known: Searches, examples: Sequence[Example], coefficients: Mapping[str, Value]
) -> tuple[dict[str, int], FailingCosts]:
    """The shifts, and what failing costs. Raises UsageError where that cannot be told."""
    try:
        costs = failing_costs(trials_in(known))
        return fit_shifts(examples, coefficients, costs.share_above), costs
    except ValueError as error:
        raise UsageError(f"{error} in these searches: give more positions") from error


def _report(
    variant: Variant,
    guess: str,
    parameters: Mapping[str, int],
    costs: FailingCosts | None,
    known: Searches,
    measured: Searches,
    rivals: Sequence[Variant],
) -> LabFitReport:
    examples = examples_in(variant, measured)
    own = mean_errors(examples, variant.parameters)
    return LabFitReport(
        engine=variant.spelling,
        engine_id=variant.identity,
        guess=guess,
        parameters=dict(parameters),
        suite=known.suite.name.removesuffix(", first half"),
        depth=len(measured.efforts[0][0].iterations),
        fitted=len(known.suite),
        held_out=len(measured.suite),
        error=_mean(list(own.values())),
        cost_high=costs.high if costs else None,
        cost_low=costs.low if costs else None,
        share_above=costs.share_above if costs else None,
        rows=[
            _row(rival, place, own, mean_errors(examples, rival.parameters), measured)
            for place, rival in enumerate(rivals, start=1)
        ],
    )


def _row(
    rival: Variant,
    place: int,
    own: Mapping[int, float],
    other: Mapping[int, float],
    measured: Searches,
) -> LabFitRow:
    gains = [other[position] - error for position, error in own.items()]
    logs = [math.log(each[0].nodes / each[place].nodes) for each in measured.efforts]
    gain, ratio = _ends(gains), _ends(logs)
    return LabFitRow(
        against=rival.label,
        error=_mean(list(other.values())),
        gain=_mean(gains),
        gain_low95=gain[0],
        gain_high95=gain[1],
        nodes=math.exp(_mean(logs)),
        nodes_low95=None if ratio[0] is None else math.exp(ratio[0]),
        nodes_high95=None if ratio[1] is None else math.exp(ratio[1]),
    )


def _ends(values: Sequence[float]) -> tuple[float | None, float | None]:
    found = mean_interval(values, size=RESAMPLES, seed=SEED)
    return (None, None) if found is None else found


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0
