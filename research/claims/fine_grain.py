"""Claim 7: fine-grained evaluations cost MTD(f) passes."""

from __future__ import annotations

import math

from claims.claim import ChartPoint, Claim, ClaimChart, ClaimPart, Evidence, Weighed
from claims.engines import MTDF, OPEN
from claims.experiment import Experiment, Size, sample
from claims.measured import Figure, Measured, figure_of_logs, nodes, passes
from toolkit.lab.fixed import altered, engines_of, varied
from toolkit.lab.plan import LabPlan, sweep_plan

_GRAINS = (1, 2, 5, 10, 25)
_FINE, _COARSE = 1, 10


def _plan(size: Size) -> LabPlan:
    suite = sample(size, quick=40, full=120)
    grains = [str(grain) for grain in _GRAINS]
    depth = 5 if size == "quick" else 7
    engines, baseline = engines_of(MTDF), engines_of(OPEN)
    return sweep_plan(engines, "grain", grains, suite, [depth], *baseline, vary=varied)


GRAINS = Experiment("grains", _plan)


def _weigh(evidence: Evidence) -> Weighed:
    found = evidence[GRAINS.name]
    return Weighed(
        figures={"passes": found.ratio(_with(_FINE), _with(_COARSE), passes)},
        further=[
            (
                f"nodes relative to PVS, grain {_FINE} over grain {_COARSE}",
                _over_pvs(found, _FINE, _COARSE),
            ),
            *((f"passes, grain {grain}", found.mean(_with(grain), passes)) for grain in _GRAINS),
        ],
        drawing=ClaimChart(
            across="Grain of the evaluation, centipawns",
            up="Passes of the iteration, mean",
            points=[
                ChartPoint.of(MTDF, str(grain), found.mean(_with(grain), passes))
                for grain in _GRAINS
            ],
            reference=2.0,
        ),
    )


def _over_pvs(found: Measured, fine: int, coarse: int) -> Figure:
    """The nodes relative to PVS on the same trees, with one grain over another one."""
    own = found.logs(_with(fine), _base(fine), nodes)
    other = found.logs(_with(coarse), _base(coarse), nodes)
    return figure_of_logs(
        [math.fsum([own[place], -other[place]]) for place in own if place in other]
    )


def _with(grain: int) -> str:
    return altered(MTDF, f"grain={grain}")


def _base(grain: int) -> str:
    return altered(OPEN, f"grain={grain}")


CLAIM = Claim(
    number=7,
    title="Fine-grained evaluations cost passes",
    statement="The finer the grain of the evaluation, the more passes MTD(f) needs.",
    source="Plaat's page on MTD(f), 1997; encyclopaedia articles; Diepeveen, Computer Chess Club, "
    "2002",
    experiments=(GRAINS,),
    parts=(
        # No source has a number: a tenth more is the least that anybody would call a cost.
        ClaimPart("passes", f"passes with grain {_FINE} over grain {_COARSE}", "above", 1.1),
    ),
    weigh=_weigh,
    found="Grain 1 takes {passes} times the passes of grain 10.",
)
