"""Fitting a first guess to stored searches: half of their positions to fit it, half to measure it.

Searches are always made as a laboratory run and read from the database for the fit; another run
measures the fitted guess. So a fit from a stored run repeats the fit that made the run.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import chess
from msgspec.structs import replace

from db.records.laboratory import LabRunRecord, LabSearchRecord
from db.session import Database
from engines.reference.evaluation.chess import load_evaluation
from engines.reference.games.chess import ChessGame
from engines.reference.search.game import INFINITY
from engines.reference.search.quiescence import Leaves, quiesce
from engines.spec import Value, Variant
from engines.variant import variant_of
from toolkit.base.errors import OperationFailed, UsageError
from toolkit.base.version import this_program
from toolkit.lab.cost import SEED, interval_of, iterations_of
from toolkit.lab.fits.fitting import (
    FIRST_DEPTH,
    Example,
    FailingCosts,
    GuessTrial,
    examples_of,
    failing_costs,
    fit_coefficients,
    fit_shifts,
    mean_errors,
)
from toolkit.lab.fits.rows import LabFitReport, LabFitRow
from toolkit.lab.fits.stored import (
    StoredSearches,
    check_depth,
    check_guesses,
    name_runs,
    runs_that_tell_costs,
    without_guess,
)
from toolkit.lab.plan import LabPlan, compare_plan
from toolkit.lab.run import LabOutcome, ProgressCallback, cores_of, resume_lab, start_lab
from toolkit.lab.suite import Suite, divide
from toolkit.runs.jobs import Jobs

GUESSES = ("regression", "quantile")
"""What can be fitted."""
BASELINES = ("parity", "previous")
"""What a fitted guess is measured against, and what searches are made by to fit one."""


@dataclass(frozen=True, slots=True)
class FittedGuess:
    """What was fitted, before it is measured."""

    stored: StoredSearches
    guess: str
    parameters: Mapping[str, int]
    costs: FailingCosts | None
    """None for regression."""
    fitted: Suite
    held_out: Suite

    @property
    def variant(self) -> Variant:
        """The engine with the fitted parameters."""
        return variant_of(self.stored.base, {"guess": self.guess, **self.parameters})


def searches_plan(engine: Variant, suite: Suite, depth: int) -> LabPlan:
    """The searches to fit a guess of ``engine`` to: of all positions, by two guesses.

    Raises UsageError for an engine without a guess, and for a depth or positions too few.
    """
    check_depth(depth)
    check_guesses(engine)
    divide(suite, SEED)
    return _against_baselines(engine, (), suite, depth)


def fit_guess(db: Database, stored: StoredSearches, guess: str) -> FittedGuess:
    """Fit a guess to one half of the positions. Raises UsageError for unsuitable searches; the
    error then names suitable runs of ``db``."""
    fitted, held_out = divide(stored.suite, SEED)
    examples = examples_in(stored, fitted)
    if not examples:
        raise UsageError(f"{name_runs(stored.runs)}: no values to fit to except mates")
    parameters = fit_coefficients(examples)
    costs = None
    if guess == "quantile":
        if len(stored.guessing) < 2:
            raise UsageError(_no_costs(db, stored))
        shifts, costs = _shifts(trials_in(stored, fitted), examples, parameters)
        parameters |= shifts
    return FittedGuess(stored, guess, parameters, costs, fitted, held_out)


def measure_guess(
    db: Database,
    fit: FittedGuess,
    *,
    jobs: Jobs = 1,
    on_progress: ProgressCallback | None = None,
    stop: threading.Event | None = None,
) -> LabOutcome:
    """Search the held-out positions with the fitted guess and the guesses it is compared with, as a
    separate run. If there is a stored run, it is used; otherwise a new one starts with the searches
    that are already stored. Raises as :func:`toolkit.lab.run.start_lab` and ``resume_lab``."""
    stored = fit.stored
    plan = _against_baselines(stored.base, (fit.variant,), fit.held_out, stored.depth)
    same = _same_run(db, plan)
    if same is not None:
        return resume_lab(db, same.name, jobs=jobs, on_progress=on_progress, stop=stop)
    return start_lab(
        db,
        plan,
        name=_name_of(db, f"{stored.runs[0].name}-{fit.guess}"),
        jobs=jobs,
        known=_known(stored, plan),
        on_progress=on_progress,
        stop=stop,
    )


def fit_report(db: Database, fit: FittedGuess, measured: LabRunRecord) -> LabFitReport:
    """The fitted guess and its gain, from the run that measured it.

    Raises OperationFailed if that run found other values than the runs of the fit.
    """
    stored, costs, variant = fit.stored, fit.costs, fit.variant
    searches = db.repository.lab_searches(measured.id)
    _check_values(fit, measured, searches)
    nodes = {
        (one.engine, one.position): one.interior + one.leaves + one.quiescence for one in searches
    }
    examples = examples_in(stored, fit.held_out)
    own = mean_errors(examples, variant.parameters)
    places = range(len(fit.held_out))
    rows = []
    for number, rival in enumerate(_baselines(stored.base)):
        logs = [math.log(nodes[len(BASELINES), k] / nodes[number, k]) for k in places]
        rows.append(_row(rival, own, mean_errors(examples, rival.parameters), logs))
    first = stored.runs[0]
    return LabFitReport(
        engine=variant.spelling,
        engine_id=variant.identity,
        guess=fit.guess,
        parameters=dict(fit.parameters),
        suite=stored.suite.name,
        depth=stored.depth,
        fitted=len(fit.fitted),
        held_out=len(fit.held_out),
        error=_mean(list(own.values())),
        cost_high=costs.high if costs else None,
        cost_high_low95=costs.high_ends[0] if costs and costs.high_ends else None,
        cost_high_high95=costs.high_ends[1] if costs and costs.high_ends else None,
        cost_low=costs.low if costs else None,
        cost_low_low95=costs.low_ends[0] if costs and costs.low_ends else None,
        cost_low_high95=costs.low_ends[1] if costs and costs.low_ends else None,
        share_above=costs.share_above if costs else None,
        rows=rows,
        runs=[record.name for record in stored.runs],
        measured_by=measured.name,
        left_out=stored.left_out,
        notes=list(stored.notes),
        versions=list(dict.fromkeys(record.version for record in stored.runs)),
        backend=first.backend,
        signature=first.signature,
    )


def examples_in(stored: StoredSearches, suite: Suite) -> list[Example]:
    """What the stored searches of these positions teach about values."""
    parameters = stored.base.parameters
    evaluation = load_evaluation(str(parameters["eval"]))
    found: list[Example] = []
    for number, opening in enumerate(suite.positions):
        grain, swing = int(parameters["grain"]), int(parameters["swing"])
        game = ChessGame(chess.Board(opening.fen), evaluation, grain, swing)
        quiet = static = game.static()
        if parameters["quiescence"]:
            quiet = quiesce(game, -INFINITY, INFINITY, Leaves())
        found += examples_of(number, static, quiet, game.phase(), stored.values[opening.fen])
    return found


def trials_in(stored: StoredSearches, suite: Suite) -> list[GuessTrial]:
    """What they teach about costs."""
    found = []
    for number, opening in enumerate(suite.positions):
        values = stored.values[opening.fen]
        for identity in stored.guessing:
            search = stored.searches.get((opening.fen, identity))
            iterations = [] if search is None else iterations_of(search)
            found += [
                GuessTrial(number, one.depth, values[one.depth - 1] - one.first_guess, one.nodes)
                for one in iterations[FIRST_DEPTH - 1 : stored.depth]
                if one.first_guess is not None
            ]
    return found


def _baselines(engine: Variant) -> list[Variant]:
    return [variant_of(without_guess(engine), {"guess": name}) for name in BASELINES]


def _against_baselines(
    engine: Variant, more: Sequence[Variant], suite: Suite, depth: int
) -> LabPlan:
    """The searches by the baselines' guesses, in their order, and by ``more`` engines."""
    rivals = _baselines(engine)
    return compare_plan([*rivals, *more], suite, (depth,), baseline=rivals[0])


def _shifts(
    trials: Sequence[GuessTrial], examples: Sequence[Example], coefficients: Mapping[str, Value]
) -> tuple[dict[str, int], FailingCosts]:
    """The shifts and the costs of failing. Raises UsageError if these cannot be estimated."""
    try:
        costs = failing_costs(trials)
        return fit_shifts(examples, coefficients, costs.share_above), costs
    except ValueError as error:
        raise UsageError(f"{error} in these searches: give more positions") from error


def _no_costs(db: Database, stored: StoredSearches) -> str:
    """Why there is no quantile, and from which runs there would be."""
    others = runs_that_tell_costs(db)
    hint = (
        f"runs that have two guesses: {', '.join(others)}"
        if others
        else "mtdf lab fit without --run makes such a run"
    )
    return (
        f"{name_runs(stored.runs)}: no two engines differ from {stored.base.label} only in the "
        f"first guess, so the cost of failing is unknown ({hint})"
    )


def _same_run(db: Database, plan: LabPlan) -> LabRunRecord | None:
    """The run of these very searches by this core."""
    core, repository = this_program(plan.game).core, db.repository
    wanted = [engine.variant.identity for engine in plan.engines]
    fens = [position.fen for position in plan.positions]
    for record in repository.lab_runs():
        if (
            cores_of(record) == (core,)
            and record.settings["depths"] == list(plan.depths)
            and [one.variant_id for one in repository.lab_engines(record.id)] == wanted
            and [one.fen for one in repository.lab_positions(record.id)] == fens
        ):
            return record
    return None


def _name_of(db: Database, name: str) -> str:
    """``name``, with a number where it is taken."""
    taken = set(db.repository.lab_names())
    numbered = (f"{name}-{number}" for number in range(2, len(taken) + 3))
    return next(each for each in (name, *numbered) if each not in taken)


def _known(stored: StoredSearches, plan: LabPlan) -> list[LabSearchRecord]:
    """What of the plan the runs have searched: by this core on this machine, since CPU times come
    along, and to this very depth."""
    program = this_program(plan.game)
    now = ((program.core,), program.host)
    if any((cores_of(run), run.host) != now for run in stored.runs):
        return []
    found = []
    for number, engine in enumerate(plan.engines):
        for place, position in enumerate(plan.positions):
            search = stored.searches.get((position.fen, engine.variant.identity))
            if search is not None and search.depth == stored.depth:
                found.append(replace(search, engine=number, position=place))
    return found


def _check_values(
    fit: FittedGuess, measured: LabRunRecord, searches: Sequence[LabSearchRecord]
) -> None:
    """Raise OperationFailed for a value that is not the stored one: by another core the positions
    may be worth something else."""
    for search in searches:
        opening = fit.held_out.positions[search.position]
        values = tuple(one.value for one in iterations_of(search))
        if values != fit.stored.values[opening.fen]:
            raise OperationFailed(
                f"run {measured.name} found other values in {opening.fen} than "
                f"{name_runs(fit.stored.runs)}: the evaluation has changed, so make new searches "
                "(mtdf lab fit without --run)"
            )


def _row(
    rival: Variant, own: Mapping[int, float], other: Mapping[int, float], logs: Sequence[float]
) -> LabFitRow:
    gains = [other[position] - error for position, error in own.items()]
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
    found = interval_of(values)
    return (None, None) if found is None else found


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0
