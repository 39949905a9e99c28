"""Worth: one scale for the results of all objectives, with the base at 0 and more being better.

The worth of a game pair is its score − ½, that of a position −ln(effort/effort of the base).
Where opponents take the place of the base, a point's worth is its score minus the base's score
against the same opponents on the same openings.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from toolkit.stats.elo import ELO_PER_NAT
from toolkit.tuning.space.point import Point

PAIR_VARIANCE = 0.35**2
"""Variance of a pair's score that is assumed before any was seen."""
PRIOR_PAIRS = 4.0
"""The weight of that assumption, in pairs, relative to the measurement."""
WORTH_PER_ELO = 1.0 / (4.0 * ELO_PER_NAT)
"""Slope of the expected score at equal strength; good to 2 % within 50 Elo."""


def resolution(pairs: int, *, shared: bool) -> float:
    """The Elo below which a gain cannot be told from 0 by so many pairs: half of their 95 %
    interval, as expected before any was seen. ``shared``: the point and the base divide the pairs
    among them, and meet opponents in place of each other."""
    ends = 2.0 if shared else 1.0
    return 1.96 * ends * math.sqrt(PAIR_VARIANCE / pairs) / WORTH_PER_ELO


def worths(scores: Sequence[float | None], effort: bool = False) -> tuple[float | None, ...]:
    """Worth of each pair from the scores of an encounter (``effort``: of log ratios)."""
    if effort:
        return tuple(None if score is None else -score for score in scores)
    return tuple(None if score is None else score - 0.5 for score in scores)


def across(rows: Sequence[Sequence[float | None]]) -> tuple[float | None, ...]:
    """Mean over rows, pair number by pair number; None if one of them is missing."""
    means: list[float | None] = []
    for column in zip(*rows, strict=True):
        known = [value for value in column if value is not None]
        means.append(math.fsum(known) / len(known) if len(known) == len(column) else None)
    return tuple(means)


def against_base(
    rows: Sequence[Sequence[float | None]], base: Sequence[Sequence[float | None]]
) -> tuple[float | None, ...]:
    """Mean over opponents (rows) minus the base's, pair number by pair number."""
    pairs = zip(across(rows), across(base), strict=True)
    return tuple(None if one is None or two is None else one - two for one, two in pairs)


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """The result of some pairs for one point."""

    point: Point
    pairs: int
    mean: float
    """Mean worth; 0 if no pair was played."""
    squares: float
    """Sum of the squared deviations from the mean."""
    first_pair: int | None = None
    """Number of the first pair, where pairs of one number always end alike; None where they need
    not."""

    @classmethod
    def of(
        cls, point: Point, values: Iterable[float | None], first_pair: int | None = None
    ) -> Self:
        """Sum up worths; None (a pair that could not be played) is left out."""
        known = [value for value in values if value is not None]
        mean = math.fsum(known) / max(len(known), 1)
        squares = math.fsum((value - mean) ** 2 for value in known)
        return cls(point, len(known), mean, squares, first_pair)


def distinct(measured: Iterable[MeasuredPoint]) -> list[MeasuredPoint]:
    """Each result once: two trials of one point on the same pairs are the same games, if these
    always end alike. The longer one counts."""
    found: dict[object, MeasuredPoint] = {}
    for place, one in enumerate(measured):
        same = (one.first_pair, *sorted(one.point.items()))
        key = place if one.first_pair is None else same
        if key not in found or found[key].pairs < one.pairs:
            found[key] = one
    return list(found.values())


def pair_variance(measured: Iterable[MeasuredPoint], prior: float = PAIR_VARIANCE) -> float:
    """Variance of one pair's worth, pooled within points; ``prior`` weighs as much as 4 pairs."""
    squares, freedom = prior * PRIOR_PAIRS, PRIOR_PAIRS
    for one in measured:
        squares += one.squares
        freedom += max(one.pairs - 1, 0)
    return squares / freedom
