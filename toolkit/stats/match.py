"""Statistics of one match from its counts: Elo, error, LOS, normalized Elo, ratios.

Counts run from worst to best. Trinomial, a unit is a game: [losses, draws, wins]. Pentanomial, a
unit is a game pair: how many pairs scored 0, ½, 1, 1½, 2 points. Outcome i of k is worth
a_i = i/(k − 1). The two games of a pair share an opening, so their results are not independent:
the pentanomial error is the right one wherever pairs were played.

Sources: fishtest ``server/fishtest/stats/stat_util.py``, fastchess ``elo_pentanomial.cpp`` and
``elo_wdl.cpp`` (formulas); M. Van den Bergh, "Normalized Elo" (2020).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .elo import NORMALIZED_ELO, Z95, elo_of_score, normal_cdf
from .errors import StatisticsError

Unit = Literal["game", "pair"]
Flag = Literal["", "empty", "perfect", "no-spread", "clipped"]

EMPTY_ELO_ERROR = 1200.0
"""Error printed for a match without a result: about where a score of 0.999 would be."""


@dataclass(frozen=True, slots=True)
class MatchStatistics:
    """Estimates from one match. Every number is finite; ``flag`` says when one is a stand-in."""

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
    elo_error95: float
    """Half of the 95 % interval."""
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
    """Share of units scored half: draws, or pairs of one point (two draws, or a win each)."""
    pairs_ratio: float | None
    """Pairs won over pairs lost; ``None`` for games, or where no pair was lost."""
    flag: Flag
    """``""``: as the formulas say. ``empty``: no result yet. ``perfect``: only wins or only
    losses, the Elo is a stand-in and the interval open on one side. ``no-spread``: every unit
    scored the same, the error is an exact bound. ``clipped``: so few units that the interval
    reaches an end of the scale."""


def match_statistics(counts: Sequence[int]) -> MatchStatistics:
    """All statistics of a match from three (trinomial) or five (pentanomial) counts, worst first.

    With N units, mean mu and variance var (divided by N), sd = √(var/N), z = 1.96:
    Elo = −400·log10(1/mu − 1), error = (elo(mu + z·sd) − elo(mu − z·sd))/2,
    LOS = Φ((mu − ½)/sd), normalized Elo = (mu − ½)/√(c·var)·800/ln 10 with error
    z·(800/ln 10)/√(c·N), where c is 2 for pairs and 1 for games.

    Where all units scored the same, var is 0 and these fail: then LOS, normalized Elo and a
    perfect score's Elo are taken as if one more unit had been played, spread evenly over the
    outcomes, the interval is exact (see :func:`interval_without_spread`), and ``flag`` says so.

    :raises StatisticsError: not three or five counts, or a negative one.
    """
    counts = checked_counts(counts)
    total = sum(counts)
    pairs = len(counts) == 5
    weights = [float(count) for count in counts]
    flag = _flag(counts)
    if flag:
        weights = [weight + 1.0 / len(counts) for weight in weights]
    mean, variance, size = _moments(weights)
    sd = math.sqrt(variance / size)
    per_pair = 2.0 if pairs else 1.0
    score = _moments([float(count) for count in counts])[0] if total else 0.5
    elo = elo_of_score(score if flag == "no-spread" else mean)
    low, high, error = _interval(flag, score, sd, total, len(counts), elo)
    return MatchStatistics(
        unit="pair" if pairs else "game",
        counts=counts,
        units=total,
        games=total * 2 if pairs else total,
        score=score,
        elo=elo,
        elo_error95=error,
        elo_low95=low,
        elo_high95=high,
        los=normal_cdf((mean - 0.5) / sd),
        nelo=(mean - 0.5) / math.sqrt(per_pair * variance) * NORMALIZED_ELO,
        nelo_error95=Z95 * NORMALIZED_ELO / math.sqrt(per_pair * size),
        draw_ratio=counts[len(counts) // 2] / total if total else 0.0,
        pairs_ratio=_pairs_ratio(counts),
        flag=flag or ("clipped" if low is None or high is None else ""),
    )


def checked_counts(counts: Sequence[int]) -> tuple[int, ...]:
    """The counts as a tuple.

    :raises StatisticsError: not three or five counts, or a negative one.
    """
    if len(counts) not in (3, 5):
        raise StatisticsError(
            f"expected 3 counts (losses, draws, wins) or 5 (pairs by points), not {len(counts)}"
        )
    if any(count < 0 for count in counts):
        raise StatisticsError(f"counts must not be negative: {', '.join(map(str, counts))}")
    return tuple(int(count) for count in counts)


def swapped(counts: Sequence[int]) -> tuple[int, ...]:
    """The same match from the other player's view."""
    return tuple(reversed(counts))


def _flag(counts: tuple[int, ...]) -> Flag:
    """Whether the counts have no variance, and how."""
    total = sum(counts)
    if not total:
        return "empty"
    if total in (counts[0], counts[-1]):
        return "perfect"
    return "no-spread" if total in counts else ""


def _moments(weights: Sequence[float]) -> tuple[float, float, float]:
    """Mean and variance of the score, and the sum of the weights."""
    size = math.fsum(weights)
    values = [i / (len(weights) - 1) for i in range(len(weights))]
    mean = math.fsum(w * a for w, a in zip(weights, values, strict=True)) / size
    variance = math.fsum(w * (a - mean) ** 2 for w, a in zip(weights, values, strict=True)) / size
    return mean, variance, size


def _interval(
    flag: Flag, score: float, sd: float, total: int, outcomes: int, elo: float
) -> tuple[float | None, float | None, float]:
    """Ends of the 95 % interval of Elo and the error to print beside the estimate."""
    if flag == "empty":
        return None, None, EMPTY_ELO_ERROR
    if flag:
        return interval_without_spread(score, total, elo)
    # No N units can score nearer to an end than 1/((k−1)·N) without being perfect, so half of
    # that stands for the end itself when the error bar runs over it.
    end = 0.5 / ((outcomes - 1) * total)
    low, high = score - Z95 * sd, score + Z95 * sd
    low_elo, high_elo = elo_of_score(max(low, end)), elo_of_score(min(high, 1.0 - end))
    error = (high_elo - low_elo) / 2.0
    return (low_elo if low > 0.0 else None), (high_elo if high < 1.0 else None), error


def interval_without_spread(
    score: float, total: int, elo: float
) -> tuple[float | None, float | None, float]:
    """The interval when all ``total`` units scored ``score``.

    If other outcomes have probability e together, the chance to see none is (1 − e)^total; what
    that leaves possible at 95 % is e <= 1 − 0.05^(1/total) (one end of a perfect score: 97.5 %),
    and the mean is extreme when all of e lies on the worst or the best outcome.
    """
    if score in (0.0, 1.0):
        bound = 0.025 ** (1.0 / total)
        end = elo_of_score(bound if score else 1.0 - bound)
        return (end, None, elo - end) if score else (None, end, end - elo)
    other = 1.0 - math.pow(0.05, 1.0 / total)
    low = elo_of_score((1.0 - other) * score)
    high = elo_of_score((1.0 - other) * score + other)
    return low, high, (high - low) / 2.0


def _pairs_ratio(counts: tuple[int, ...]) -> float | None:
    """(WW + WD)/(LD + LL)."""
    if len(counts) != 5 or not counts[0] + counts[1]:
        return None
    return (counts[3] + counts[4]) / (counts[0] + counts[1])
