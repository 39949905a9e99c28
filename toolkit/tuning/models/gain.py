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
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.stats import t as student

from toolkit.stats.elo import ELO_PER_NAT, elo_of_score
from toolkit.stats.match import match_statistics
from toolkit.stats.outcome import Floats
from toolkit.tuning.models.worth import across

GainUnit = Literal["elo", "percent"]
GainFlag = Literal["", "same", "empty", "few", "no-spread", "perfect", "clipped"]

PERFECT = 0.125
"""Pair scores missing to a perfect (or null) total, to have a finite Elo: half a pair counts one
step further, as in a match (:func:`toolkit.stats.match.match_statistics`)."""
NO_SPREAD = 1e-12
"""Variances below this are rounding."""


@dataclass(frozen=True, slots=True)
class Gain:
    """How much better than the base, with a 95 % interval."""

    unit: GainUnit
    """Elo, or per cent of effort saved."""
    pairs: int
    """Units that count: pair numbers or positions."""
    estimate: float
    low95: float | None
    """None: the pairs set no lower bound."""
    high95: float | None
    """None: the pairs set no upper bound."""
    error95: float | None
    """Half the width of the interval; None if an end is open."""
    flag: GainFlag
    """``""``: the formulas apply. ``same``: the point is the base. ``empty``: no pairs. ``few``: a
    single pair, which has no spread. ``no-spread``: all units are equal. ``perfect``: one side
    scored everything or nothing; the estimate is a substitute. ``clipped``: an end of the interval
    is beyond the scale and is open. For pairs against the base, only ``same``, ``empty`` and
    ``perfect`` occur."""

    @property
    def is_positive(self) -> bool:
        """Whether there is a gain: an estimate above 0, however wide its interval."""
        return self.pairs > 0 and self.estimate > 0.0

    @property
    def may_be_none(self) -> bool:
        """Whether the interval of a measured gain reaches down to 0 or is open there."""
        return self.is_positive and (self.low95 is None or self.low95 <= 0.0)


def unchanged(unit: GainUnit) -> Gain:
    """The gain where the base is recommended: exactly none, no pair needed."""
    return Gain(unit, 0, 0.0, 0.0, 0.0, 0.0, "same")


def gain_of_pairs(scores: Sequence[float | None]) -> Gain:
    """Elo over the base from pair scores against it; None (not played) is left out.

    Scores that are quarters from 0 to 1 are those of a match. Others, of simulated objectives, are
    taken as they are, outside 0 to 1 too.
    """
    known = _known(scores)
    if not len(known):
        return _open("elo", 0, 0.0, "empty")
    quarters = known * 4.0
    if np.isin(quarters, range(5)).all():
        return _gain_of_match(np.bincount(quarters.astype(np.int64), minlength=5).tolist())
    mean, half, spread = _interval(known)
    estimate = elo_of_score(_inside(mean, len(known)))
    if not spread:
        return _open("elo", len(known), estimate, "few" if len(known) == 1 else "no-spread")
    low = elo_of_score(mean - half) if 0.0 < mean - half < 1.0 else None
    high = elo_of_score(mean + half) if 0.0 < mean + half < 1.0 else None
    return _closed("elo", len(known), estimate, low, high, "clipped")


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
        return _open("elo", 0, 0.0, "empty")
    scores = np.array(known)
    number = len(known)
    means = scores.mean(axis=0)
    inside = [_inside(float(mean), number) for mean in means]
    estimate = elo_of_score(inside[0]) - elo_of_score(inside[1])
    if tuple(means) != tuple(inside):
        return _open("elo", number, estimate, "perfect")
    slopes = np.array([ELO_PER_NAT / (mean * (1.0 - mean)) for mean in inside])
    _, half, spread = _interval((scores - means) @ (slopes * (1.0, -1.0)))
    if not spread:
        return _open("elo", number, estimate, "few" if number == 1 else "no-spread")
    return _closed("elo", number, estimate, estimate - half, estimate + half, "")


def gain_of_effort(log_ratios: Sequence[float | None]) -> Gain:
    """Per cent of effort saved from ln(effort/effort of the base) of positions, None left out."""
    known = _known(log_ratios)
    if not len(known):
        return _open("percent", 0, 0.0, "empty")
    mean, half, spread = _interval(known)
    estimate = -100.0 * math.expm1(mean)
    if len(known) == 1:
        return _open("percent", 1, estimate, "few")
    low, high = -100.0 * math.expm1(mean + half), -100.0 * math.expm1(mean - half)
    return Gain("percent", len(known), estimate, low, high, (high - low) / 2.0,
                "" if spread else "no-spread")  # fmt: skip


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
    half = float(student.ppf(0.975, number - 1)) * math.sqrt(variance / number)
    return mean, half, variance > NO_SPREAD


def _inside(mean: float, number: int) -> float:
    """A mean score at or beyond an end of the scale as the last one within it."""
    end = PERFECT / number
    return min(max(mean, end), 1.0 - end) if not 0.0 < mean < 1.0 else mean


def _gain_of_match(counts: Sequence[int]) -> Gain:
    """The gain that pairs by points, worst first, show."""
    match = match_statistics(counts)
    low, high = match.elo_low95, match.elo_high95
    return _closed("elo", match.units, match.elo, low, high, "perfect")


def _open(unit: GainUnit, pairs: int, estimate: float, flag: GainFlag) -> Gain:
    """A gain that the pairs do not bound."""
    return Gain(unit, pairs, estimate, None, None, None, flag)


def _closed(
    unit: GainUnit, pairs: int, estimate: float, low: float | None, high: float | None,
    flag: GainFlag,
) -> Gain:  # fmt: skip
    """A gain with its interval; ``flag`` holds where an end is open."""
    if low is None or high is None:
        return Gain(unit, pairs, estimate, low, high, None, flag)
    return Gain(unit, pairs, estimate, low, high, (high - low) / 2.0, "")
