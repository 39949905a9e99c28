"""Claim 3: MTD(f) searches fewer leaves and fewer nodes than aspiration NegaScout."""

from __future__ import annotations

from claims.claim import (
    ChartPoint,
    Claim,
    ClaimChart,
    ClaimPart,
    Evidence,
    Relation,
    Weighed,
)
from claims.engines import ASPIRATION, MTDF, ONE_GUESS, OPEN
from claims.experiment import Experiment, Size, sample
from claims.measured import Figure, leaves, nodes, passes
from toolkit.lab.fixed import altered, engines_of
from toolkit.lab.plan import LabPlan, compare_plan

_COARSE = 10
"""The sources do not say how fine their evaluations were, so two grains are judged: centipawns, and
tenths of a pawn."""


def _plan(size: Size) -> LabPlan:
    texts = ("alphabeta", ASPIRATION, MTDF, ONE_GUESS, "sss", "dual")
    depths = range(2, (6 if size == "quick" else 8) + 1)
    suite = sample(size, quick=40, full=120)
    return compare_plan(engines_of(*texts), suite, [*depths], *engines_of(OPEN))


def _coarse_plan(size: Size) -> LabPlan:
    texts = (with_grain(text, _COARSE) for text in (OPEN, ASPIRATION, MTDF))
    baseline, *engines = engines_of(*texts)
    depths = range(2, (6 if size == "quick" else 8) + 1)
    return compare_plan(engines, sample(size, quick=40, full=120), [*depths], baseline)


DRIVERS = Experiment("drivers", _plan)
DRIVERS_COARSE = Experiment("drivers-grain-10", _coarse_plan)


def with_grain(text: str, grain: int) -> str:
    """The name of an engine with that grain."""
    return text if grain == 1 else altered(text, f"grain={grain}")


_BY_GRAIN = {1: DRIVERS, _COARSE: DRIVERS_COARSE}
_PARTS: tuple[tuple[str, str, Relation, float], ...] = (
    ("leaves", "leaves over those of aspiration NegaScout", "below", 0.95),
    ("fewest-leaves", "leaves over those of aspiration NegaScout", "above", 0.9),
    ("nodes", "all nodes over those of aspiration NegaScout", "below", 1.0),
    # 3 to 6 passes: what rounds to these numbers.
    ("fewest-passes", "passes an iteration, at least 3", "above", 2.5),
    ("most-passes", "passes an iteration, at most 6", "below", 6.5),
)


def _weigh(evidence: Evidence) -> Weighed:
    figures: dict[str, Figure] = {}
    points: list[ChartPoint] = []
    for grain, experiment in _BY_GRAIN.items():
        found, own, other = (
            evidence[experiment.name],
            *(with_grain(text, grain) for text in (MTDF, ASPIRATION)),
        )
        figures[f"leaves-{grain}"] = found.ratio(own, other, leaves)
        figures[f"fewest-leaves-{grain}"] = figures[f"leaves-{grain}"]
        figures[f"nodes-{grain}"] = found.ratio(own, other, nodes)
        figures[f"fewest-passes-{grain}"] = figures[f"most-passes-{grain}"] = found.mean(
            own, passes
        )
        points += [
            ChartPoint.of(f"{series}, grain {grain}", depth, found.ratio(own, other, cost, depth))
            for series, cost in (("all nodes", nodes), ("leaves", leaves))
            for depth in found.plan.depths
        ]
    return Weighed(
        figures=figures,
        drawing=ClaimChart(
            across="Depth",
            up=f"Cost over {ASPIRATION}",
            points=points,
            reference=1.0,
        ),
    )


CLAIM = Claim(
    number=3,
    title="Fewer leaves and nodes than aspiration NegaScout",
    statement="MTD(f) searches 5 to 10 % fewer leaves than aspiration NegaScout, and fewer nodes "
    "in total, with 3 to 6 passes an iteration.",
    source="Plaat, Schaeffer, Pijls and de Bruin, Artificial Intelligence 87, 1996",
    experiments=tuple(_BY_GRAIN.values()),
    parts=tuple(
        ClaimPart(f"{key}-{grain}", f"{text}, grain {grain}", relation, threshold)
        for grain in _BY_GRAIN
        for key, text, relation, threshold in _PARTS
    ),
    weigh=_weigh,
    found="MTD(f) searches {leaves-1} times the leaves and {nodes-1} times the nodes, in "
    "{most-passes-1} passes an iteration; with grain 10 {leaves-10}, {nodes-10} and "
    "{most-passes-10}.",
)
