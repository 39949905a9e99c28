"""The stated gain: the measured gain of the recommended point over the base, on separate pairs.

Neither the search nor the final choice saw the pairs of the gain, so their mean is free of the
winner's curse and an ordinary interval is valid. They decide one thing: a point without a measured
gain is not recommended. Stated gains near 0 are therefore too high on average (docs/tuning.md gives
numbers). A pair number (an opening with both colours, or a position) is one unit; the scores
against several opponents on one opening are also one unit. Pairs against the base are a match, with
the interval of a match (:mod:`toolkit.stats.match`). For the rest, with n units, mean m, standard
deviation s (n − 1) and the quantile t of Student's distribution:

======================  ==========================================================================
simulated pair scores   Elo of m; ends: Elo of m ± t·s/√n
opponents               Elo of the point's mean score − Elo of the base's; error by the delta
                        method from the differences on the same openings
effort                  100·(1 − exp m) per cent saved, m the mean log ratio; ends: of m ± t·s/√n
======================  ==========================================================================
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
from msgspec import Struct

from toolkit.stats.elo import ELO_PER_NAT, elo_of_score
from toolkit.stats.match import match_statistics
from toolkit.stats.outcome import Floats
from toolkit.stats.student import mean_error
from toolkit.tuning.models.worth import across

GainUnit = Literal["elo", "percent"]

_EMPTY = "no pair could be played"
_FEW = "a single pair has no spread"
_EQUAL = "every pair scored the same"
_PERFECT = "one side scored everything; the value is a finite substitute"
_CLIPPED = "an end of the interval is open"
_DOUBTFUL = "it may be luck: only gains above 0 are recommended, so small ones are overstated"
PERFECT = 0.125
"""Pair scores missing to a perfect (or null) total, to have a finite Elo: half a pair counts one
step further, as in a match (:func:`toolkit.stats.match.match_statistics`)."""
NO_SPREAD = 1e-12
"""Variances below this are rounding."""


class Gain(Struct, frozen=True):
    """A gain over the base, measured on fresh pairs that played no part in the choice."""

    unit: Annotated[GainUnit, "`elo`, or `percent` of effort saved"]
    value: Annotated[float, "the gain"]
    low95: Annotated[float | None, "lower end of its 95 % interval; null if open"]
    high95: Annotated[float | None, "upper end; null if open"]
    error95: Annotated[float | None, "half the width of the interval; null if an end is open"]
    pairs: Annotated[int, "number of fresh pairs (positions) measured"]
    note: Annotated[str, "remark on the measurement, as text; usually empty"]

    @property
    def is_positive(self) -> bool:
        """Whether there is a gain: an estimate above 0, however wide its interval."""
        return self.pairs > 0 and self.value > 0.0


def unchanged(unit: GainUnit) -> Gain:
    """The gain where the base is recommended: exactly none, no pair needed."""
    return Gain(unit, 0.0, 0.0, 0.0, 0.0, 0, "the base is recommended")


def gain_of_pairs(scores: Sequence[float | None]) -> Gain:
    """Elo over the base from pair scores against it; None (not played) is left out.

    Scores that are quarters from 0 to 1 are those of a match. Others, of simulated objectives, are
    taken as they are, outside 0 to 1 too.
    """
    known = _known(scores)
    if not len(known):
        return _open("elo", 0, 0.0, _EMPTY)
    quarters = known * 4.0
    if np.isin(quarters, range(5)).all():
        return _gain_of_match(np.bincount(quarters.astype(np.int64), minlength=5).tolist())
    mean, half, spread = _interval(known)
    estimate = elo_of_score(_inside(mean, len(known)))
    if not spread:
        return _open("elo", len(known), estimate, _FEW if len(known) == 1 else _EQUAL)
    low = elo_of_score(mean - half) if 0.0 < mean - half < 1.0 else None
    high = elo_of_score(mean + half) if 0.0 < mean + half < 1.0 else None
    return _closed("elo", len(known), estimate, low, high, _CLIPPED)


def gain_against(
    recommended: Sequence[Sequence[float | None]], base: Sequence[Sequence[float | None]]
) -> Gain:
    """Elo over the base from both ends' pair scores against the same opponents (rows).

    A column is one pair number: the same opening in every row of both. Pair numbers of which
    anything is missing are left out.

    :raises ValueError: rows of different lengths.
    """
    columns = zip(across(recommended), across(base), strict=True)
    known = [(one, two) for one, two in columns if one is not None and two is not None]
    if not known:
        return _open("elo", 0, 0.0, _EMPTY)
    scores = np.array(known)
    number = len(known)
    means = scores.mean(axis=0)
    inside = [_inside(float(mean), number) for mean in means]
    estimate = elo_of_score(inside[0]) - elo_of_score(inside[1])
    if tuple(means) != tuple(inside):
        return _open("elo", number, estimate, _PERFECT)
    slopes = np.array([ELO_PER_NAT / (mean * (1.0 - mean)) for mean in inside])
    _, half, spread = _interval((scores - means) @ (slopes * (1.0, -1.0)))
    if not spread:
        return _open("elo", number, estimate, _FEW if number == 1 else _EQUAL)
    return _closed("elo", number, estimate, estimate - half, estimate + half, "")


def gain_of_effort(log_ratios: Sequence[float | None]) -> Gain:
    """Per cent of effort saved from ln(effort/effort of the base) of positions, None left out."""
    known = _known(log_ratios)
    if not len(known):
        return _open("percent", 0, 0.0, _EMPTY)
    mean, half, spread = _interval(known)
    estimate = -100.0 * math.expm1(mean)
    if len(known) == 1:
        return _open("percent", 1, estimate, _FEW)
    low, high = -100.0 * math.expm1(mean + half), -100.0 * math.expm1(mean - half)
    return _stated("percent", len(known), estimate, low, high, "" if spread else _EQUAL)


def _known(values: Sequence[float | None]) -> Floats:
    return np.array([value for value in values if value is not None], dtype=np.float64)


def _interval(values: Floats) -> tuple[float, float, bool]:
    """Mean, half-width of its 95 % interval, and whether the values have any spread.

    The half-width is infinite for a single value.
    """
    number = len(values)
    mean = math.fsum(values) / number
    if number == 1:
        return mean, math.inf, False
    variance = float(np.square(values - mean).sum()) / (number - 1)
    return mean, mean_error(variance, number), variance > NO_SPREAD


def _inside(mean: float, number: int) -> float:
    """A mean score at or beyond an end of the scale as the last one within it."""
    end = PERFECT / number
    return min(max(mean, end), 1.0 - end) if not 0.0 < mean < 1.0 else mean


def _gain_of_match(counts: Sequence[int]) -> Gain:
    """The gain that pairs by points, worst first, show."""
    match = match_statistics(counts)
    low, high = match.elo_low95, match.elo_high95
    return _closed("elo", match.units, match.elo, low, high, _PERFECT)


def _open(unit: GainUnit, pairs: int, value: float, note: str) -> Gain:
    """A gain that the pairs do not bound."""
    return _stated(unit, pairs, value, None, None, note)


def _closed(
    unit: GainUnit, pairs: int, value: float, low: float | None, high: float | None, note: str
) -> Gain:
    """A gain with its interval; ``note`` holds where an end is open."""
    return _stated(unit, pairs, value, low, high, note if low is None or high is None else "")


def _stated(
    unit: GainUnit, pairs: int, value: float, low: float | None, high: float | None, note: str
) -> Gain:
    """A gain, with what luck may have to do with it, unless its interval lies above 0."""
    error = None if low is None or high is None else (high - low) / 2.0
    doubtful = pairs > 0 and value > 0.0 and (low is None or low <= 0.0)
    notes = (note, _DOUBTFUL if doubtful else "")
    return Gain(unit, value, low, high, error, pairs, "; ".join(filter(None, notes)))
