"""Claim 12: a table entry with two bounds saves MTD(f) nodes that one bound costs."""

from __future__ import annotations

from claims.claim import ChartPoint, Claim, ClaimChart, ClaimPart, Evidence, Weighed
from claims.engines import MTDF, OPEN
from claims.experiment import Experiment, Size, sample
from claims.measured import Figure, Measured, figure_of_logs, figure_of_ratios, nodes
from toolkit.lab.fixed import altered, engines_of, varied
from toolkit.lab.plan import LabPlan, sweep_plan

_ENGINES = (MTDF, "mtd-bi", "sss", "dual")
_COST = 1.01
"""A hundredth more nodes: less than that would not pay for a bound more in each entry."""


def _plan(size: Size) -> LabPlan:
    suite = sample(size, quick=40, full=120)
    depth = 5 if size == "quick" else 7
    return sweep_plan(
        engines_of(*_ENGINES),
        "bounds",
        ["one", "two"],
        suite,
        [depth],
        *engines_of(OPEN),
        vary_baseline=True,
        vary=varied,
    )


BOUNDS = Experiment("bounds", _plan)


def keeping(bounds: str, text: str) -> str:
    """The name of an engine whose entries keep ``one`` bound or ``two``."""
    return altered(text, f"bounds={bounds}")


def _weigh(evidence: Evidence) -> Weighed:
    found = evidence[BOUNDS.name]
    return Weighed(
        figures={
            "mtdf": _loss(found, MTDF),
            "more": figure_of_ratios(*(_logs(found, text) for text in (MTDF, OPEN))),
        },
        further=[
            (f"nodes of {text}, one bound over two", _loss(found, text))
            for text in (OPEN, *_ENGINES[1:])
        ],
        drawing=ClaimChart(
            across="Driver",
            up="All nodes, one bound an entry over two",
            points=[
                ChartPoint.of("one bound over two", text, _loss(found, text))
                for text in (OPEN, *_ENGINES)
            ],
            reference=1.0,
        ),
    )


def _logs(found: Measured, text: str) -> dict[int, float]:
    return found.logs(keeping("one", text), keeping("two", text), nodes)


def _loss(found: Measured, text: str) -> Figure:
    return figure_of_logs([*_logs(found, text).values()])


CLAIM = Claim(
    number=12,
    title="Two bounds an entry against one",
    statement="MTD(f) needs table entries with a lower and an upper bound: with the bound that was "
    "found last alone it searches more nodes, and loses more by that than PVS does.",
    source="AlphaBetaWithMemory in Plaat, Schaeffer, Pijls and de Bruin, Artificial Intelligence "
    "87, 1996, and Plaat's page, 1997, which store both bounds",
    experiments=(BOUNDS,),
    parts=(
        ClaimPart("mtdf", "nodes of MTD(f), one bound over two", "above", _COST),
        ClaimPart("more", "what MTD(f) loses with one bound, over what PVS loses", "above", _COST),
    ),
    weigh=_weigh,
    found="With one bound an entry MTD(f) searches {mtdf} times the nodes of two.",
)
