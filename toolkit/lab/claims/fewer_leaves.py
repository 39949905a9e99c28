"""Claim 3: MTD(f) searches fewer leaves and fewer nodes than aspiration NegaScout."""

from __future__ import annotations

from toolkit.lab.claims.claim import Claim, Drawing, Evidence, Part, Point, Weighed
from toolkit.lab.claims.experiment import Experiment, Size, engines_of, sample
from toolkit.lab.claims.measured import leaves, nodes, passes
from toolkit.lab.plan import LabPlan, compare_plan

MTDF = "mtdf:convergence=plaat"
"""MTD(f) as published, with separate guesses for odd and even depths."""
ASPIRATION = "pvs"
"""NegaScout with an aspiration window: PVS with the default window."""


def _plan(size: Size) -> LabPlan:
    texts = ("alphabeta", ASPIRATION, MTDF, f"{MTDF},guess=previous", "sss", "dual")
    depths = range(2, (6 if size == "quick" else 8) + 1)
    return compare_plan(engines_of(*texts), sample(size, quick=20, full=60), [*depths])


DRIVERS = Experiment("drivers", _plan)


def _weigh(evidence: Evidence) -> Weighed:
    found = evidence[DRIVERS.name]
    mean_passes = found.mean(MTDF, passes)
    return Weighed(
        figures={
            "leaves": found.ratio(MTDF, ASPIRATION, leaves),
            "nodes": found.ratio(MTDF, ASPIRATION, nodes),
            "most-passes": mean_passes,
            "fewest-passes": mean_passes,
        },
        drawing=Drawing(
            across="Depth",
            up=f"Cost over {ASPIRATION}",
            points=[
                Point(series, depth, found.ratio(MTDF, ASPIRATION, cost, depth))
                for series, cost in (("all nodes", nodes), ("leaves", leaves))
                for depth in found.plan.depths
            ],
            reference=1.0,
        ),
    )


CLAIM = Claim(
    number=3,
    title="Fewer leaves and nodes than aspiration NegaScout",
    statement="MTD(f) searches 5 to 10 % fewer leaves than aspiration NegaScout, and fewer nodes "
    "in total, with 3 to 6 passes an iteration.",
    source="Plaat, Schaeffer, Pijls and de Bruin, Artificial Intelligence 87, 1996",
    experiments=(DRIVERS,),
    parts=(
        Part("leaves", "leaves over those of aspiration NegaScout", "below", 0.95),
        Part("nodes", "all nodes over those of aspiration NegaScout", "below", 1.0),
        # 3 to 6 passes: what rounds to these numbers.
        Part("fewest-passes", "passes an iteration, at least 3", "above", 2.5),
        Part("most-passes", "passes an iteration, at most 6", "below", 6.5),
    ),
    weigh=_weigh,
)
