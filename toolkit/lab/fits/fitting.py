"""Fitting the first guesses ``regression`` and ``quantile`` to searches.

Pure functions: they take search results and return parameters of a variant and statistics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.reference.drivers.guess import Seen, first_guess
from engines.reference.evaluation.tapered import round_half_away
from engines.registry import PARAMETERS
from engines.spec import MATE_BOUND, Value
from toolkit.lab.cost import LEAST_POSITIONS, RESAMPLES, SEED

Floats = NDArray[np.float64]

FIRST_DEPTH = 3
"""At lower depths, guesses use substitutes for unknown values, and cost almost nothing."""
PHASE_SPREAD = 2.0
"""Standard deviation of the phase below which it is not fitted: a fit to openings alone would
extrapolate wildly to endgames."""
FAR_CP = 60
"""An error of a guess costs no more beyond this: passes then go by ever longer steps."""
_ROUNDS = 60
_SMALLEST_CP = 5.0
"""Errors below this weigh alike."""
_VALUES = ("last", "before", "static", "quiescence")
_PARITIES = ("odd", "even")
_NAMES = (*_VALUES, *_PARITIES, *(f"{parity}_phase" for parity in _PARITIES))
_MADE_UP = {
    0: (100.0, 0.0),
    1: (100.0, 100.0),
    2: (100.0, 0.0),
    3: (100.0, 0.0),
    6: (24.0, 0.0),
    7: (24.0, 0.0),
}
"""Made-up examples by the place in the names of the one feature that is not 0: its size, and the
value."""


@dataclass(frozen=True, slots=True)
class Example:
    """An iteration with its value and the inputs available to a guess before it."""

    position: int
    seen: Seen
    value: int


@dataclass(frozen=True, slots=True)
class GuessTrial:
    """An iteration that began at some guess."""

    position: int
    depth: int
    """Iterations of one position and depth search the same tree."""
    error: int
    """Value less guess: from 0 on the first pass fails high, below it fails low."""
    nodes: int


@dataclass(frozen=True, slots=True)
class FailingCosts:
    """What an iteration costs more for each centipawn of its guess's error, as a share."""

    high: float
    """Where the guess is too low and passes fail high."""
    low: float
    """Where it is too high and passes fail low."""
    high_ends: tuple[float, float] | None = None
    """Its 95 % interval over positions; None for too few of them."""
    low_ends: tuple[float, float] | None = None
    """The same of the other."""

    @property
    def share_above(self) -> float:
        """The share of values that should lie above the guess: low / (high + low).

        The expected cost high x E(v - g)+ + low x E(g - v)+ is least where the share of values
        below g is high / (high + low). Raises ValueError where neither costs anything.
        """
        high, low = max(self.high, 0.0), max(self.low, 0.0)
        if high + low == 0:
            raise ValueError("neither failing high nor failing low costs anything")
        return low / (high + low)


def examples_of(
    position: int, static: int, quiescence: int, phase: int, values: Sequence[int]
) -> list[Example]:
    """The examples in the values of a search, depth 1 first; none that a mate has a part in."""
    found = []
    for place in range(FIRST_DEPTH - 1, len(values)):
        seen = Seen(values[:place], static, (), quiescence, phase)
        if all(abs(v) <= MATE_BOUND for v in (*values[place - 2 : place + 1], quiescence)):
            found.append(Example(position, seen, values[place]))
    return found


def fit_coefficients(examples: Sequence[Example]) -> dict[str, int]:
    """The coefficients of guess=regression with the least mean absolute error.

    Errors count by their size, not its square, since a search pays for them so; found by
    reweighted least squares. What the examples leave open is decided by a few made-up ones that
    say `as two iterations back`. Raises ValueError without examples.
    """
    if not examples:
        raise ValueError("there is no example to fit to")
    phases = np.array([example.seen.phase for example in examples], dtype=np.float64)
    with_phase = float(phases.std()) >= PHASE_SPREAD
    rows = [_features(example.seen) for example in examples]
    wanted = [float(example.value) for example in examples]
    for place, (size, answer) in _MADE_UP.items():
        rows.append([size if place == column else 0.0 for column in range(len(_NAMES))])
        wanted.append(answer)
    matrix, target = np.array(rows), np.array(wanted)
    if not with_phase:
        matrix[:, 6:] = 0.0
    solution = _least_absolute(matrix, target)
    names = [f"regression_{name}" for name in _NAMES]
    return {
        name: _within(name, round_half_away(1000 * float(number)))
        for name, number in zip(names, solution, strict=True)
    }


def failing_costs(trials: Sequence[GuessTrial]) -> FailingCosts:
    """The costs of errors of either sign, from iterations that searched the same trees with
    different guesses: ln(nodes) = constant of the tree + high x (v - g)+ + low x (g - v)+, by least
    squares.

    Raises ValueError if no tree was searched from two guesses.
    """
    trees: dict[tuple[int, int], list[GuessTrial]] = {}
    for trial in trials:
        trees.setdefault((trial.position, trial.depth), []).append(trial)
    squares: dict[int, Floats] = {}
    products: dict[int, Floats] = {}
    for (position, _), group in trees.items():
        errors = np.array([trial.error for trial in group], dtype=np.float64)
        sides = np.stack([np.clip(errors, 0, FAR_CP), np.clip(-errors, 0, FAR_CP)], axis=1)
        nodes = np.log([trial.nodes for trial in group])
        sides, nodes = sides - sides.mean(axis=0), nodes - nodes.mean()
        squares[position] = squares.get(position, np.zeros((2, 2))) + sides.T @ sides
        products[position] = products.get(position, np.zeros(2)) + sides.T @ nodes
    matrices = np.array(list(squares.values())).reshape(-1, 2, 2)
    vectors = np.array(list(products.values())).reshape(-1, 2)
    if not matrices.any():
        raise ValueError("no tree was searched from two different guesses")
    high, low = np.linalg.pinv(matrices.sum(axis=0)) @ vectors.sum(axis=0)
    return FailingCosts(float(high), float(low), *_cost_ends(matrices, vectors))


def _cost_ends(
    matrices: Floats, vectors: Floats
) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """Percentile intervals of both costs from resamples of the positions, whose parts of the normal
    equations have shapes (n, 2, 2) and (n, 2)."""
    number = len(matrices)
    if number < LEAST_POSITIONS:
        return None, None
    random = np.random.default_rng([SEED, number])
    counts = random.multinomial(number, np.full(number, 1 / number), RESAMPLES).astype(np.float64)
    sums = np.einsum("rn,nij->rij", counts, matrices)
    costs = np.einsum("rij,rj->ri", np.linalg.pinv(sums), counts @ vectors)
    (high, low), (high_most, low_most) = np.quantile(costs, (0.025, 0.975), axis=0)
    return (float(high), float(high_most)), (float(low), float(low_most))


def fit_shifts(
    examples: Sequence[Example], coefficients: Mapping[str, Value], share_above: float
) -> dict[str, int]:
    """The shifts of guess=quantile over those coefficients: of each parity the quantile of the
    errors that leaves this share of values above. 0 for a parity without an example."""
    shifts = {}
    for odd, parity in ((1, "odd"), (0, "even")):
        errors = [
            example.value - guess_of({**coefficients, "guess": "regression"}, example)
            for example in examples
            if example.seen.depth % 2 == odd
        ]
        name = f"quantile_{parity}"
        shift = float(np.quantile(errors, 1 - share_above)) if errors else 0.0
        shifts[name] = _within(name, round_half_away(shift))
    return shifts


def guess_of(parameters: Mapping[str, Value], example: Example) -> int:
    """What the variant with these parameters of guesses would have begun with."""
    return first_guess(parameters, example.seen)


def mean_errors(examples: Sequence[Example], parameters: Mapping[str, Value]) -> dict[int, float]:
    """The mean size of the guess's error in centipawns, by position."""
    sizes: dict[int, list[int]] = {}
    for example in examples:
        error = example.value - guess_of(parameters, example)
        sizes.setdefault(example.position, []).append(abs(error))
    return {position: sum(errors) / len(errors) for position, errors in sizes.items()}


def _features(seen: Seen) -> list[float]:
    """What the coefficients are multiplied by, in the order of their names."""
    parity = [float(seen.depth % 2), float(1 - seen.depth % 2)]
    values = [seen.back(1), seen.back(2), seen.static, seen.quiescence]
    return [*map(float, values), *parity, *(seen.phase * here for here in parity)]


def _least_absolute(matrix: Floats, target: Floats) -> Floats:
    """The solution with the least sum of absolute errors, nearly."""
    weights = np.ones(len(target))
    solution: Floats = np.zeros(matrix.shape[1])
    for _ in range(_ROUNDS):
        roots = np.sqrt(weights)
        found = np.linalg.lstsq(matrix * roots[:, None], target * roots, rcond=None)[0]
        solution = np.asarray(found, dtype=np.float64)
        weights = 1 / np.maximum(np.abs(target - matrix @ solution), _SMALLEST_CP)
    return solution


def _within(name: str, number: int) -> int:
    """The nearest value that the parameter takes."""
    param = PARAMETERS[name]
    return min(max(number, int(param.low or 0)), int(param.high or 0))
