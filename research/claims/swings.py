"""Claim 8: wide windows forgive odd/even swings of the evaluation."""

from __future__ import annotations

import math

from claims.claim import ChartPoint, Claim, ClaimChart, ClaimPart, Evidence, Weighed
from claims.engines import MTDF, ONE_GUESS, OPEN
from claims.experiment import Experiment, Size, sample
from claims.measured import CostMeasure, Figure, Measured, figure_of_logs, nodes, passes
from toolkit.lab.fixed import altered, engines_of, varied
from toolkit.lab.plan import LabPlan, sweep_plan

_SWINGS = (0, 10, 40)
"""Centipawns that the side to move gets at every leaf: values of odd and even depths then lie up to
twice as far apart."""
_LEVEL, SWUNG = 10, 40
"""The evaluation has a swing of its own, against the side to move in effect; 10 about levels it."""
_WIDE = "pvs:window=100"
"""A window that holds the greatest swing."""
_GRAINS = (1, 10)


def _experiment(grain: int) -> Experiment:
    def plan(size: Size) -> LabPlan:
        # Separate guesses would hide the swing from MTD(f), so one guess is judged.
        texts = (OPEN, ONE_GUESS, MTDF, _WIDE)
        baseline, *engines = engines_of(*(altered(text, f"grain={grain}") for text in texts))
        suite = sample(size, quick=40, full=120)
        depth = 5 if size == "quick" else 7
        swings = [str(one) for one in _SWINGS]
        return sweep_plan(engines, "swing", swings, suite, [depth], baseline, vary=varied)

    return Experiment(f"swings-grain-{grain}", plan)


SWINGS = {grain: _experiment(grain) for grain in _GRAINS}


def _weigh(evidence: Evidence) -> Weighed:
    found = {grain: evidence[SWINGS[grain].name] for grain in _GRAINS}
    return Weighed(
        figures={
            f"grain-{grain}": _over_wide(found[grain], grain, ONE_GUESS, SWUNG) for grain in _GRAINS
        },
        further=[
            *(
                (
                    f"nodes with separate guesses over wide aspiration, swing {SWUNG}, "
                    f"grain {grain}",
                    _over_wide(found[grain], grain, MTDF, SWUNG),
                )
                for grain in _GRAINS
            ),
            *(
                (
                    f"growth of the ratio from swing {_LEVEL} to {SWUNG}, {guesses}, grain {grain}",
                    _growth(found[grain], grain, text, nodes),
                )
                for grain in _GRAINS
                for text, guesses in ((ONE_GUESS, "one guess"), (MTDF, "separate guesses"))
            ),
            *(
                (
                    f"passes of MTD(f) with one guess, swing {swing}, grain {grain}",
                    found[grain].mean(swinging(ONE_GUESS, grain, swing), passes),
                )
                for grain in _GRAINS
                for swing in _SWINGS
            ),
        ],
        drawing=ClaimChart(
            across="Swing, centipawns for the side to move",
            up=f"All nodes over {_WIDE}",
            points=[
                ChartPoint.of(
                    f"MTD(f), {guesses}, grain {grain}",
                    swing,
                    _over_wide(found[grain], grain, text, swing),
                )
                for grain in _GRAINS
                for text, guesses in ((ONE_GUESS, "one guess"), (MTDF, "separate guesses"))
                for swing in _SWINGS
            ],
            reference=1.0,
        ),
    )


def _over_wide(found: Measured, grain: int, text: str, swing: int) -> Figure:
    """The nodes of an engine over those of the wide window, with a swing."""
    return found.ratio(swinging(text, grain, swing), swinging(_WIDE, grain, swing), nodes)


def _growth(found: Measured, grain: int, text: str, cost: CostMeasure) -> Figure:
    """The cost of an engine over that of the wide window with a swing, over the same without."""
    logs = [
        found.logs(swinging(text, grain, swing), swinging(_WIDE, grain, swing), cost)
        for swing in (SWUNG, _LEVEL)
    ]
    places = [place for place in logs[0] if place in logs[1]]
    return figure_of_logs([math.fsum([logs[0][place], -logs[1][place]]) for place in places])


def swinging(text: str, grain: int, swing: int) -> str:
    """The name of an engine on the trees with that grain and swing."""
    return altered(text, f"grain={grain},swing={swing}")


CLAIM = Claim(
    number=8,
    title="Wide windows forgive odd/even swings",
    statement="Where values swing between odd and even depths, MTD(f) with the last value as its "
    "guess loses against aspiration search, whose wide window holds the swing.",
    source="Encyclopaedia articles on MTD(f) and aspiration windows; Plaat's page, 1997",
    experiments=tuple(SWINGS.values()),
    parts=tuple(
        ClaimPart(
            f"grain-{grain}",
            f"nodes over wide aspiration, swing {SWUNG}, grain {grain}",
            "above",
            1.02,  # a loss that would be noticed
        )
        for grain in _GRAINS
    ),
    weigh=_weigh,
    found="With a swing of 40, MTD(f) searches {grain-1} times the nodes of aspiration search; "
    "with grain 10 {grain-10}.",
)
