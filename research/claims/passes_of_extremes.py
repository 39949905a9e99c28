"""Claim 4: SSS* and DUAL* take hundreds of passes and lose on total nodes; leaf counts of all
drivers are close."""

from __future__ import annotations

import math

from claims.claim import ChartPoint, Claim, ClaimChart, ClaimPart, Evidence, Weighed
from claims.engines import ASPIRATION, MTDF
from claims.fewer_leaves import DRIVERS
from claims.measured import Figure, Measured, leaves, nodes, passes

_COMPARED = ("alphabeta", ASPIRATION, MTDF, "sss", "dual")


def _weigh(evidence: Evidence) -> Weighed:
    found = evidence[DRIVERS.name]
    return Weighed(
        figures={
            "sss-passes": found.mean("sss", passes),
            "dual-passes": found.mean("dual", passes),
            "sss-nodes": found.ratio("sss", ASPIRATION, nodes),
            "dual-nodes": found.ratio("dual", ASPIRATION, nodes),
            "leaves": _leaf_spread(found),
        },
        drawing=ClaimChart(
            across="Driver",
            up=f"Cost over {ASPIRATION}",
            points=[
                ChartPoint.of(series, engine, found.ratio(engine, ASPIRATION, cost))
                for series, cost in (("all nodes", nodes), ("leaves", leaves))
                for engine in _COMPARED
            ],
            reference=1.0,
            logarithmic=True,
        ),
    )


def _leaf_spread(found: Measured) -> Figure:
    """The leaves of the driver with most over those of the driver with fewest. Both are chosen by
    the same figures, so the ratio is rather too great."""
    mean = {
        engine: math.fsum(logs := [*found.logs(engine, ASPIRATION, leaves).values()]) / len(logs)
        for engine in _COMPARED
    }
    most, fewest = max(mean, key=mean.__getitem__), min(mean, key=mean.__getitem__)
    return found.ratio(most, fewest, leaves)


CLAIM = Claim(
    number=4,
    title="SSS* and DUAL* take hundreds of passes",
    statement="With a fine-grained evaluation SSS* and DUAL* take hundreds of passes an iteration "
    "and search more nodes in total than aspiration NegaScout. The leaf counts of all drivers lie "
    "within about 20 %.",
    source="Plaat, Schaeffer, Pijls and de Bruin, Artificial Intelligence 87, 1996",
    experiments=(DRIVERS,),
    parts=(
        ClaimPart("sss-passes", "passes of SSS* an iteration", "above", 100),
        ClaimPart("dual-passes", "passes of DUAL* an iteration", "above", 100),
        ClaimPart("sss-nodes", "all nodes of SSS* over aspiration NegaScout", "above", 1.0),
        ClaimPart("dual-nodes", "all nodes of DUAL* over aspiration NegaScout", "above", 1.0),
        # About 20 %: what rounds to it in steps of 10 %.
        ClaimPart(
            "leaves",
            "leaves of the driver with most over that with fewest, both chosen by this figure",
            "below",
            1.25,
        ),
    ),
    weigh=_weigh,
    found="SSS* takes {sss-passes} passes and {sss-nodes} times the nodes of aspiration "
    "NegaScout, DUAL* {dual-passes} and {dual-nodes}.",
)
