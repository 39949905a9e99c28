"""Claim 9: a null window cuts off more than a wide one, and tells less."""

from __future__ import annotations

import math

from claims.claim import ChartPoint, Claim, ClaimChart, ClaimPart, Evidence, Weighed
from claims.engines import OPEN
from claims.guess_distance import DISTANCES, GUESS_DISTANCE, guessing
from claims.measured import (
    CostMeasure,
    Figure,
    Measured,
    figure_of_logs,
    figure_of_share,
    nodes,
)
from toolkit.lab.cost import DepthCost

_APART = 10
"""Centipawns between the null window and the value: about the error of a usual first guess."""


def _weigh(evidence: Evidence) -> Weighed:
    found = evidence[GUESS_DISTANCE.name]
    return Weighed(
        figures={
            "below": _over_open(found, -_APART, _first_pass),
            "above": _over_open(found, _APART, _first_pass),
            "told-below": _share_told(found, -_APART),
            "told-above": _share_told(found, _APART),
        },
        further=[
            (f"all passes to the value, from {_APART} below", _over_open(found, -_APART, nodes)),
            (f"all passes to the value, from {_APART} above", _over_open(found, _APART, nodes)),
        ],
        drawing=ClaimChart(
            across="Null window minus value, centipawns",
            up="Nodes of the iteration over an open window",
            points=[
                ChartPoint.of(series, at, _over_open(found, at, cost))
                for series, cost in (("first null window", _first_pass), ("all passes", nodes))
                for at in DISTANCES
            ],
            reference=1.0,
        ),
    )


def _first_pass(cost: DepthCost) -> int:
    """Nodes of the first pass of the iteration."""
    return cost.iteration.passes[0].nodes


def _over_open(found: Measured, distance: int, cost: CostMeasure) -> Figure:
    """A cost of the iteration with null windows over the nodes of the one with an open window."""
    return figure_of_logs(
        [
            math.log(cost(own) / nodes(base))
            for _, own, base in found.pairs(guessing(distance), OPEN)
            if cost(own) > 0
        ]
    )


def _share_told(found: Measured, distance: int) -> Figure:
    """The share of positions whose value the first pass returned, as its bound."""
    told = [
        cost.iteration.passes[0].value == cost.iteration.value
        for cost in found.costs(guessing(distance)).values()
    ]
    return figure_of_share(sum(told), len(told))


CLAIM = Claim(
    number=9,
    title="A null window cuts off more and tells less",
    statement="A search with a null window visits fewer nodes than one with a wide window, and "
    "returns only a bound of the value where the wide one returns the value.",
    source="Plaat, Schaeffer, Pijls and de Bruin, Artificial Intelligence 87, 1996; Marsland and "
    "Campbell, Computing Surveys 14, 1982",
    experiments=(GUESS_DISTANCE,),
    parts=(
        # Fewer: by a twentieth at least.
        ClaimPart(
            "below", f"nodes of a null window {_APART} below the value over open", "below", 0.95
        ),
        ClaimPart(
            "above", f"nodes of a null window {_APART} above the value over open", "below", 0.95
        ),
        # An open window returns the value always; less than half as often is clearly less.
        ClaimPart("told-below", "share of values it returns, from below", "below", 0.5),
        ClaimPart("told-above", "share of values it returns, from above", "below", 0.5),
    ),
    weigh=_weigh,
    found="A null window 10 below the value visits {below} times the nodes of an open window, "
    "one 10 above {above}. The shares of searches that return the value are {told-below} "
    "and {told-above}.",
)
