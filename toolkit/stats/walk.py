"""A random walk between two absorbing bounds, result by result.

Where a sequential test takes few and large steps, its log-likelihood ratio is far from a Brownian
motion: how far it passes a bound depends on the steps themselves. Here the walk is followed on a
grid; a step that ends between two points is shared among them so that its mean is kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .outcome import Floats

_POINTS = 1024
"""Of the grid between the bounds: sharing adds at most a quarter of a squared distance to the
variance of a step, 1e-5 of it where steps are a tenth of the way."""
_OVER = 1e-7
"""The walk counts as ended when the probability that it continues is below this."""


@dataclass(frozen=True, slots=True)
class WalkEnding:
    """How a walk ends."""

    upper: float
    """Chance to end at the upper bound."""
    lower: float
    """Chance to end at the lower bound; with a limit the two leave room for neither."""
    mean_steps: float
    steps95: float
    """With 95 % chance it has ended by then; the limit where that comes first."""


def walk_ending(
    jumps: Sequence[float],
    chances: Sequence[float],
    *,
    low: float,
    high: float,
    limit: int | None = None,
) -> WalkEnding:
    """Follow a walk from 0 between ``low`` < 0 < ``high`` whose steps are ``jumps``, with
    ``chances`` that add up to 1, for at most ``limit`` steps. It must have steps of some size: the
    work grows with the number of steps that it takes."""
    size = (high - low) / _POINTS
    first, last = math.floor(low / size) + 1, math.ceil(high / size) - 1
    moves = _moves(jumps, chances, size, last - first + 1)
    here: Floats = np.zeros(last - first + 1)
    here[-first] = 1.0
    upper = lower = steps = 0.0
    steps95 = math.inf
    running, number = 1.0, 0
    while running > _OVER and number != limit:
        steps += running
        number += 1
        here, down, up = _step(here, moves)
        lower, upper = lower + down, upper + up
        running = float(here.sum())
        if running <= 0.05 and math.isinf(steps95):
            steps95 = float(number)
    return WalkEnding(upper, lower, steps, min(steps95, float(number)))


def _moves(
    jumps: Sequence[float], chances: Sequence[float], size: float, points: int
) -> dict[int, float]:
    """Chances of moves by whole points of the grid; none is longer than the grid."""
    moves: dict[int, float] = {}
    for jump, chance in zip(jumps, chances, strict=True):
        whole = math.floor(jump / size)
        share = jump / size - whole
        for move, part in ((whole, 1.0 - share), (whole + 1, share)):
            move = min(max(move, -points), points)
            moves[move] = moves.get(move, 0.0) + chance * part
    return moves


def _step(here: Floats, moves: dict[int, float]) -> tuple[Floats, float, float]:
    """Where the walk is after a step, and the chances that it ended below and above in it."""
    after = np.zeros_like(here)
    down = up = 0.0
    for move, chance in moves.items():
        if move > 0:
            after[move:] += chance * here[:-move]
            up += chance * float(here[-move:].sum())
        elif move < 0:
            after[:move] += chance * here[-move:]
            down += chance * float(here[:-move].sum())
        else:
            after += chance * here
    return after, down, up
