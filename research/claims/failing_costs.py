"""Claim 14: failing high and failing low differ much in cost, and practice disagrees which is
dearer."""

from __future__ import annotations

import math

from claims.claim import ChartPoint, Claim, ClaimChart, ClaimPart, Evidence, Weighed
from claims.engines import MTDF, OPEN
from claims.experiment import Experiment, Size, sample
from claims.measured import Figure, Measured, figure_of_logs
from toolkit.lab.fixed import engines_of
from toolkit.lab.plan import SHIFT, LabPlan, listed_name, sweep_plan

DISTANCES = (0, 5, 10, 20, 40)
"""Centipawns between the value and the nearer end of a null window on either side of it."""
_JUDGED = 10
"""About the error of a usual first guess."""
_DEPTHS = {"odd": {"quick": 5, "full": 7}, "even": {"quick": 4, "full": 6}}
_MUCH = 1.5
"""1.5 times the cost: the smallest effect either side would have reported."""
_REVERSE = 0.67
"""The same the other way round."""
_CLAIMED = 30
"""What was claimed to be the least factor."""


def _below(distance: int) -> int:
    """The first guess whose null window fails high that far below the value: its beta."""
    return -distance


def _above(distance: int) -> int:
    """The first guess whose null window fails low that far above the value: its beta."""
    return distance + 1


def _experiment(parity: str) -> Experiment:
    def plan(size: Size) -> LabPlan:
        guesses = sorted({side(one) for side in (_below, _above) for one in DISTANCES})
        shifts = [str(guess) for guess in guesses]
        suite = sample(size, quick=30, full=120)
        depth = _DEPTHS[parity][size]
        return sweep_plan(engines_of(MTDF), SHIFT, shifts, suite, [depth], *engines_of(OPEN))

    return Experiment(f"failing-{parity}", plan)


FAILING = {parity: _experiment(parity) for parity in _DEPTHS}


def _weigh(evidence: Evidence) -> Weighed:
    found = {parity: evidence[FAILING[parity].name] for parity in FAILING}
    ratios = {parity: _low_over_high(found[parity], _JUDGED) for parity in FAILING}
    return Weighed(
        figures={
            **{f"{parity}-low": ratio for parity, ratio in ratios.items()},
            **{f"{parity}-high": ratio for parity, ratio in ratios.items()},
            "thirty": _both(found, _JUDGED),
        },
        further=[
            (f"nodes of failing low over failing high at the value, {parity} depth",
             _low_over_high(found[parity], 0))
            for parity in FAILING
        ],
        drawing=ClaimChart(
            across="Distance of the null window from the value, centipawns",
            up="Nodes of a pass that fails low over one that fails high",
            points=[
                ChartPoint.of(f"depth {found[parity].depth}", distance,
                      _low_over_high(found[parity], distance))
                for parity in FAILING
                for distance in DISTANCES
            ],
            reference=1.0,
            logarithmic=True,
        ),
    )  # fmt: skip


def _logs(found: Measured, distance: int) -> dict[int, float]:
    """By position, the first pass above the value over the first one below it."""
    low, high = (listed_name(MTDF, SHIFT, str(side(distance))) for side in (_above, _below))
    return {
        place: math.log(own.iteration.passes[0].nodes / other.iteration.passes[0].nodes)
        for place, own, other in found.pairs(low, high)
        if own.iteration.passes[0].nodes and other.iteration.passes[0].nodes
    }


def _low_over_high(found: Measured, distance: int) -> Figure:
    return figure_of_logs([*_logs(found, distance).values()])


def _both(found: dict[str, Measured], distance: int) -> Figure:
    """The mean over an odd and an even depth, by position."""
    odd, even = (_logs(one, distance) for one in found.values())
    return figure_of_logs([(odd[place] + even[place]) / 2 for place in odd if place in even])


CLAIM = Claim(
    number=14,
    title="Failing high and failing low differ much in cost",
    statement="A pass that fails low costs much more than one that fails high, 30 to 50 times; or "
    "the reverse, so that the value should be approached from above.",
    source="Failing low dearer: Cozzie, on Zappa; the reverse: Hyatt, Computer Chess Club, 2002",
    experiments=tuple(FAILING.values()),
    parts=(
        *(
            part
            for parity in FAILING
            for part in (
                ClaimPart(f"{parity}-low", f"failing low over failing high, {parity} depth",
                          "above", _MUCH),
                ClaimPart(f"{parity}-high", f"failing low over failing high, {parity} depth, "
                          "reverse", "below", _REVERSE),
            )
        ),
        ClaimPart("thirty", "failing low over failing high, both depths, Zappa's factor", "above",
                  _CLAIMED),
    ),
    weigh=_weigh,
    found="A pass that fails low costs {odd-low} times one that fails high at an odd depth, and "
    "{even-low} times at an even one.",
)  # fmt: skip
