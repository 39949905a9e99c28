"""Statistics of one match from its counts: Elo, error, LOS, normalized Elo, ratios.

Counts run from worst to best. Trinomial, a unit is a game: [losses, draws, wins]. Pentanomial, a
unit is a game pair: the number of pairs with 0, ½, 1, 1½, 2 points. Outcome i of k is worth
a_i = i/(k − 1). The two games of a pair share an opening, so their results are not independent: if
pairs were played, the pentanomial error is the correct one.

The interval and LOS come from the profile likelihood of the mean score
(:mod:`toolkit.stats.profile`), for every number of units. For many units with some spread they are
those of the normal distribution, as in fishtest and fastchess.

Sources: fishtest ``server/fishtest/stats/stat_util.py``, fastchess ``elo_pentanomial.cpp`` and
``elo_wdl.cpp`` (point estimates); M. Van den Bergh, "Normalized Elo" (2020).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from msgspec import Struct

from .counts import checked_counts
from .elo import NORMALIZED_ELO, Z95, elo_of_score, normal_cdf
from .profile import added_games, elo_intervals, signed_roots, widening

Unit = Literal["game", "pair"]
Flag = Literal["", "empty", "perfect"]

EMPTY_ELO_ERROR = 1200.0
"""Error printed for a match without a result: about where a score of 0.999 would be."""

_LEVEL = 1e-4
"""Standard deviations. Below it a lead counts as none: a quotient of nearly 0/0 is replaced by its
limit."""


class MatchStatistics(Struct, frozen=True):
    """Estimates from one match. Every number is finite; ``flag`` marks substitutes."""

    unit: Unit
    """What is counted: games (trinomial) or game pairs (pentanomial)."""
    counts: tuple[int, ...]
    """From worst to best."""
    units: int
    """Sum of the counts."""
    games: int
    score: float
    """Mean score of a game, 0 to 1; ½ for an empty match."""
    elo: float
    """Elo of the score."""
    elo_error95: float
    """Half of the 95 % interval, or the distance to the end that it has."""
    elo_low95: float | None
    """Lower end of the 95 % interval; ``None``: the counts set no lower bound."""
    elo_high95: float | None
    """Upper end of the 95 % interval; ``None``: the counts set no upper bound."""
    los: float
    """Likelihood of superiority, 0 to 1."""
    nelo: float
    """Normalized Elo: Elo in units of a game's standard deviation, free of the draw rate."""
    nelo_error95: float
    draw_ratio: float
    """Share of units with half the points: draws, or pairs of one point (two draws, or a win
    each)."""
    pairs_ratio: float | None
    """Pairs won over pairs lost; ``None`` for games, or where no pair was lost."""
    flag: Flag
    """``""``: as the formulas say. ``empty``: no result yet. ``perfect``: only wins or only
    losses; Elo is a stand-in and the interval is open on one side."""


def match_statistics(counts: Sequence[int]) -> MatchStatistics:
    """All statistics of a match from three (trinomial) or five (pentanomial) counts, worst first.

    With N units, mean mu, variance var (divided by N) and c = 2 for pairs, 1 for games:
    Elo = −400·log10(1/mu − 1), normalized Elo = (mu − ½)/√(c·var)·800/ln 10. Where every unit
    scored the same, half a unit counts one step further, to either side where there are two: a
    perfect score then lies midway to the next lower one, and a variance of 0 becomes a small one.
    Interval, error and LOS: :mod:`toolkit.stats.profile`. Error of normalized Elo:
    :func:`_nelo_error`.

    :raises StatisticsError: not three or five counts, or a negative one.
    """
    return _match_statistics(checked_counts(counts))


@lru_cache(maxsize=1024)  # a live table asks for the same counts again and again
def _match_statistics(counts: tuple[int, ...]) -> MatchStatistics:
    total = sum(counts)
    pairs = len(counts) == 5
    flag = _flag(counts)
    mean, variance = _moments(_with_spread(counts))
    elo, nelo = 0.0, 0.0
    if total:
        elo = elo_of_score(mean)
        nelo = (mean - 0.5) / math.sqrt((2.0 if pairs else 1.0) * variance) * NORMALIZED_ELO
    row = np.array([counts], dtype=np.float64)
    ahead = float(signed_roots(row)[0])
    low, high, error = _interval(counts, flag)
    return MatchStatistics(
        unit="pair" if pairs else "game",
        counts=counts,
        units=total,
        games=total * 2 if pairs else total,
        score=_moments([float(count) for count in counts])[0] if total else 0.5,
        elo=elo,
        elo_error95=error,
        elo_low95=low,
        elo_high95=high,
        los=normal_cdf(ahead),
        nelo=nelo,
        nelo_error95=_nelo_error(counts, nelo, ahead),
        draw_ratio=counts[len(counts) // 2] / total if total else 0.0,
        pairs_ratio=_pairs_ratio(counts),
        flag=flag,
    )


def _flag(counts: tuple[int, ...]) -> Flag:
    """Whether the counts bound the strength on both sides."""
    total = sum(counts)
    if not total:
        return "empty"
    return "perfect" if total in (counts[0], counts[-1]) else ""


def _with_spread(counts: Sequence[float]) -> list[float]:
    """The counts; where all units scored the same, half a unit counts one step further."""
    weights = [float(count) for count in counts]
    at = max(range(len(counts)), key=lambda k: counts[k])
    if not counts[at] or sum(counts) != counts[at]:
        return weights
    beside = [k for k in (at - 1, at + 1) if 0 <= k < len(counts)]
    for k in beside:
        weights[k] = 0.5 / len(beside)
    weights[at] -= 0.5
    return weights


def _moments(weights: Sequence[float]) -> tuple[float, float]:
    """Mean and variance of the score."""
    size = math.fsum(weights) or 1.0
    values = [i / (len(weights) - 1) for i in range(len(weights))]
    mean = math.fsum(w * a for w, a in zip(weights, values, strict=True)) / size
    variance = math.fsum(w * (a - mean) ** 2 for w, a in zip(weights, values, strict=True)) / size
    return mean, variance


def _interval(counts: tuple[int, ...], flag: Flag) -> tuple[float | None, float | None, float]:
    """Ends of the 95 % interval of Elo, None for one that is open, and the error."""
    if flag == "empty":
        return None, None, EMPTY_ELO_ERROR
    ends = elo_intervals(np.array([counts], dtype=np.float64))
    low, high = (float(end[0]) for end in ends)
    if flag != "perfect":
        return low, high, (high - low) / 2.0
    error = _error_of_perfect(counts, low, high)
    return (low, None, error) if counts[-1] else (None, high, error)


def _error_of_perfect(counts: Sequence[float], low: float, high: float) -> float:
    """Distance from the stand-in for a perfect or null score to the end that it has."""
    stand_in = elo_of_score(_moments(_with_spread(counts))[0])
    return stand_in - low if counts[-1] else high - stand_in


def _nelo_error(counts: tuple[int, ...], nelo: float, ahead: float) -> float:
    """Half of the 95 % interval of normalized Elo; ``ahead`` is the signed root of which LOS is Φ.

    By the delta method the variance of t = (mu − ½)/σ is (1 − t·γ + t²·(κ − 1)/4)/N with the
    skewness γ and the kurtosis κ of the score, because σ is estimated too; they are taken of the
    counts with one game added, and the error is widened like that of
    Elo. It is at least so large that normalized Elo is no surer than LOS.
    """
    row = np.array([counts], dtype=np.float64)
    weights = added_games(row)[0]
    size = float(weights.sum())
    number = float(row.sum()) or size
    p, a = weights / size, np.linspace(0.0, 1.0, len(counts))
    away = a - float(p @ a)
    sigma = math.sqrt(float(p @ away**2))
    away /= sigma
    t = (float(p @ a) - 0.5) / sigma
    spread = 1.0 - t * float(p @ away**3) + t * t * (float(p @ away**4) - 1.0) / 4.0
    widened = float(widening(row)[0])
    unit = NORMALIZED_ELO / math.sqrt(2.0 if len(counts) == 5 else 1.0)
    error = unit * math.sqrt(spread * widened / number)
    if abs(ahead) > _LEVEL:
        return Z95 * max(error, abs(nelo / ahead))
    plain_sigma = math.sqrt(_moments(_with_spread(counts))[1]) or sigma
    return Z95 * max(error, unit * sigma * math.sqrt(size * widened) / (number * plain_sigma))


def _pairs_ratio(counts: tuple[int, ...]) -> float | None:
    """(WW + WD)/(LD + LL)."""
    if len(counts) != 5 or not counts[0] + counts[1]:
        return None
    return (counts[3] + counts[4]) / (counts[0] + counts[1])
