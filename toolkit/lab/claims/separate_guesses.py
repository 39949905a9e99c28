"""Claim 6: separate guesses for odd and even depths need fewer passes where these differ."""

from __future__ import annotations

import math

from toolkit.lab.claims.claim import Claim, Drawing, Evidence, Part, Point, Weighed
from toolkit.lab.claims.experiment import Experiment, Size, engines_of, sample
from toolkit.lab.claims.measured import (
    Cost,
    Figure,
    Measured,
    figure_of_logs,
    iteration_nodes,
    nodes,
    passes,
)
from toolkit.lab.plan import LabPlan, compare_plan

_SEPARATE = "mtdf:convergence=plaat"
_ONE = "mtdf:guess=previous,convergence=plaat"
_DIFFERENT = 10
"""Centipawns between the values of the last two iterations from which odd and even ones differ. The
values are older than the iteration that is judged, so they do not depend on its result."""
_NEAR = (3, 6, 10, 20, 40)
"""The same, of the classes of the chart."""


def _plan(size: Size) -> LabPlan:
    suite = sample(size, quick=60, full=240)
    depths = range(2, (5 if size == "quick" else 7) + 1)
    return compare_plan(engines_of(_SEPARATE, _ONE), suite, [*depths])


GUESSES = Experiment("separate-guesses", _plan)


def _weigh(evidence: Evidence) -> Weighed:
    found = evidence[GUESSES.name]
    return Weighed(
        figures={"passes": _gain(found, passes, _DIFFERENT)},
        further=[
            (
                f"passes, where the last two values differ by less than {_DIFFERENT}",
                _gain(found, passes, 0, _DIFFERENT),
            ),
            (
                f"nodes of the iteration, where they differ by {_DIFFERENT} or more",
                _gain(found, iteration_nodes, _DIFFERENT),
            ),
            ("all nodes, all positions", found.ratio(_SEPARATE, _ONE, nodes)),
        ],
        drawing=Drawing(
            across="Least difference of the last two values, centipawns",
            up="Separate guesses over one guess",
            points=[
                Point(series, least, _gain(found, cost, least))
                for series, cost in (
                    ("passes", passes),
                    ("nodes of the iteration", iteration_nodes),
                )
                for least in (0, *_NEAR)
            ],
            reference=1.0,
        ),
    )


def _gain(found: Measured, cost: Cost, least: int, below: float = math.inf) -> Figure:
    """The ratio of a cost of an iteration at the last two depths, one odd and one even; of the
    iterations for which the two values before it lie ``least`` or more apart, but less than
    ``below``."""
    logs: dict[int, list[float]] = {}
    for depth in (found.depth - 1, found.depth):
        last, before = found.costs(_ONE, depth - 1), found.costs(_ONE, depth - 2)
        for place, own, other in found.pairs(_SEPARATE, _ONE, depth):
            gap = abs(last[place].iteration.value - before[place].iteration.value)
            if least <= gap < below:
                logs.setdefault(place, []).append(math.log(cost(own) / cost(other)))
    return figure_of_logs([math.fsum(some) / len(some) for some in logs.values()])


CLAIM = Claim(
    number=6,
    title="Separate guesses for odd and even depths",
    statement="Where the values of odd and even iterations differ, the value of two iterations "
    "back as the first guess needs fewer passes than the value of the last one.",
    source="Plaat, MTD(f), a minimax algorithm faster than NegaScout (web page, 1997); "
    "encyclopaedia articles on MTD(f)",
    experiments=(GUESSES,),
    parts=(
        Part(
            "passes",
            f"passes over those with one guess, where the last two values differ by {_DIFFERENT}",
            "below",
            1.0,
        ),
    ),
    weigh=_weigh,
)
