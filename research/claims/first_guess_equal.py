"""Claim 1: a first guess equal to the minimax value needs two passes, the minimum."""

from __future__ import annotations

from claims.claim import ChartPoint, Claim, ClaimChart, ClaimPart, Evidence, Weighed
from claims.engines import MTDF
from claims.guess_distance import DISTANCES, GUESS_DISTANCE, guessing
from claims.measured import Figure, Measured, figure_of_share, passes

_ALMOST_ALL = 0.9
_ALMOST_NONE = 0.1
"""No finite sample shows that something is always or never so; these are what 40 positions without
an exception can show."""


def _weigh(evidence: Evidence) -> Weighed:
    found = evidence[GUESS_DISTANCE.name]
    return Weighed(
        figures={
            "at-value": _share_of_two(found, 0),
            "above-value": _share_of_two(found, 1),
            "fewer": _share_of_fewer(found),
        },
        drawing=ClaimChart(
            across="First guess minus value, centipawns",
            up="Passes of the iteration, mean",
            points=[ChartPoint.of(MTDF, at, found.mean(guessing(at), passes)) for at in DISTANCES],
            reference=2.0,
            logarithmic=True,
        ),
    )


def _share_of_two(found: Measured, distance: int) -> Figure:
    """The share of positions with exactly two passes."""
    counts = [passes(cost) for cost in found.costs(guessing(distance)).values()]
    return figure_of_share(sum(count == 2 for count in counts), len(counts))


def _share_of_fewer(found: Measured) -> Figure:
    """The share of positions on which any first guess needed fewer than two passes."""
    least: dict[int, int] = {}
    for distance in DISTANCES:
        for place, cost in found.costs(guessing(distance)).items():
            least[place] = min(passes(cost), least.get(place, passes(cost)))
    return figure_of_share(sum(count < 2 for count in least.values()), len(least))


CLAIM = Claim(
    number=1,
    title="A perfect first guess needs two passes",
    statement="With a first guess equal to the minimax value, MTD(f) needs two passes: one proves "
    "the value as a lower bound, the other as an upper bound. No search needs fewer. (In an exact "
    "search this follows from the definitions; here it checks the program.)",
    source="Plaat, Schaeffer, Pijls and de Bruin, Best-first fixed-depth minimax algorithms, "
    "Artificial Intelligence 87, 1996",
    experiments=(GUESS_DISTANCE,),
    parts=(
        ClaimPart(
            "at-value", "share of positions with two passes, guess = value", "above", _ALMOST_ALL
        ),
        ClaimPart(
            "above-value",
            "share of positions with two passes, guess = value + 1",
            "above",
            _ALMOST_ALL,
        ),
        ClaimPart(
            "fewer",
            "share of positions with fewer than two passes, any guess",
            "below",
            _ALMOST_NONE,
        ),
    ),
    weigh=_weigh,
    found="The share of positions with exactly two passes is {at-value} from the value and "
    "{above-value} from the value + 1.",
)
