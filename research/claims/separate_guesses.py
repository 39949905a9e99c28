"""Claim 6: separate guesses for odd and even depths need fewer passes where these differ."""

from __future__ import annotations

import math

from claims.claim import ChartPoint, Claim, ClaimChart, ClaimPart, Evidence, Weighed
from claims.engines import MTDF, ONE_GUESS, OPEN
from claims.experiment import Experiment, Size, sample
from claims.measured import (
    CostMeasure,
    Figure,
    Measured,
    figure_of_logs,
    iteration_nodes,
    nodes,
    passes,
)
from claims.swings import SWINGS, SWUNG, swinging
from toolkit.lab.fixed import engines_of
from toolkit.lab.plan import LabPlan, compare_plan

_DIFFERENT = 10
"""Centipawns by which the last value lies nearer to that of its own parity than to the one before
it, from which on odd and even iterations differ. These values are older than the iteration that is
judged, so they do not depend on its result."""
_FEWER = 0.95
"""Fewer passes: by a twentieth at least."""
_CLASSES = (-20, -10, 0, 10, 20)
"""The same, of the chart."""


def _plan(size: Size) -> LabPlan:
    suite = sample(size, quick=60, full=240)
    depths = range(2, (5 if size == "quick" else 8) + 1)
    return compare_plan(engines_of(MTDF, ONE_GUESS), suite, [*depths], *engines_of(OPEN))


GUESSES = Experiment("separate-guesses", _plan)


def _weigh(evidence: Evidence) -> Weighed:
    found = evidence[GUESSES.name]
    return Weighed(
        figures={
            "passes": _gain(found, passes, _DIFFERENT),
            "swung": evidence[SWINGS[1].name].ratio(
                swinging(MTDF, 1, SWUNG), swinging(ONE_GUESS, 1, SWUNG), passes
            ),
        },
        further=[
            (
                "passes over one guess, all other iterations",
                _gain(found, passes, -math.inf, _DIFFERENT),
            ),
            (
                "nodes of the iteration over one guess, where odd and even values differed before",
                _gain(found, iteration_nodes, _DIFFERENT),
            ),
            ("all nodes over one guess, all positions", found.ratio(MTDF, ONE_GUESS, nodes)),
        ],
        drawing=ClaimChart(
            across="Least distance to the value before it less that to its own parity, centipawns",
            up="Separate guesses over one guess",
            points=[
                ChartPoint.of(series, least, _gain(found, cost, least))
                for series, cost in (
                    ("passes", passes),
                    ("nodes of the iteration", iteration_nodes),
                )
                for least in _CLASSES
            ],
            reference=1.0,
        ),
    )


def _gain(found: Measured, cost: CostMeasure, least: float, below: float = math.inf) -> Figure:
    """The ratio of a cost of the iterations at the last two depths, one odd and one even; of those
    iterations before which the last value lay nearer to that of its own parity than to the one
    before it by ``least`` or more, and less than ``below``."""
    logs: dict[int, list[float]] = {}
    for depth in (found.depth - 1, found.depth):
        known = [found.costs(ONE_GUESS, depth - back) for back in (1, 2, 3)]
        for place, own, other in found.pairs(MTDF, ONE_GUESS, depth):
            last, before, parity = (costs[place].iteration.value for costs in known)
            gap = abs(last - before) - abs(last - parity)
            if least <= gap < below:
                logs.setdefault(place, []).append(math.log(cost(own) / cost(other)))
    return figure_of_logs([math.fsum(some) / len(some) for some in logs.values()])


CLAIM = Claim(
    number=6,
    title="Separate guesses for odd and even depths",
    statement="Where the values of odd and even iterations differ, the value of two iterations "
    "back as the first guess needs fewer passes than the value of the last one. (They differ where "
    f"the last value lies at least {_DIFFERENT} centipawns nearer to that of two iterations before "
    "it than to that of the one before it.)",
    source="Plaat, MTD(f), a minimax algorithm faster than NegaScout (web page, 1997); "
    "encyclopaedia articles on MTD(f)",
    experiments=(GUESSES, SWINGS[1]),
    parts=(
        ClaimPart(
            "passes",
            "passes over one guess, where odd and even values differed before",
            "below",
            _FEWER,
        ),
        ClaimPart(
            "swung", f"passes over one guess, swing {SWUNG} added to values", "below", _FEWER
        ),
    ),
    weigh=_weigh,
    found="Two guesses take {passes} times the passes of one where odd and even values differed "
    "before, and {swung} if a swing of 40 is added to all values.",
)
