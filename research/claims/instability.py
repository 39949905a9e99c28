"""Claim 15: MTD(f) suffers more than PVS from search instability in selective mode."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from claims.claim import ChartPoint, Claim, ClaimChart, ClaimPart, Evidence, Weighed
from claims.engines import ASPIRATION, MTDF
from claims.experiment import Experiment, Size, sample
from claims.measured import Figure, Measured, figure_of_mean
from engines.reference.drivers.bounds import contradictions
from engines.spec import Pass
from toolkit.lab.fixed import engines_of
from toolkit.lab.plan import LabPlan, compare_plan

_GROWING = "guess=parity,convergence=growth"
_ENGINES = (MTDF, f"mtdf:{_GROWING}", f"hybrid:{_GROWING}")
"""MTD(f) as published, with steps that grow, and with PVS after two passes."""
_GREAT = 10
"""Centipawns: changes of a value that may change the move."""
_THOUSAND = 1000
_MORE = 20
"""Of 1,000 searches: one in fifty more. A difference that happens more rarely than that could not
be noticed in games."""
PassCount = Callable[[Sequence[Pass]], float]
"""What is counted in the passes of an iteration."""


def _plan(size: Size) -> LabPlan:
    suite = sample(size, quick=60, full=240)
    depths = range(1, (8 if size == "quick" else 12) + 1)
    (baseline,) = engines_of(ASPIRATION)
    return compare_plan(engines_of(*_ENGINES), suite, [*depths], baseline, mode="selective")


INSTABILITY = Experiment("instability", _plan)


def _weigh(evidence: Evidence) -> Weighed:
    found = evidence[INSTABILITY.name]
    engines = (ASPIRATION, *_ENGINES)
    return Weighed(
        figures={
            "crossings": _more(found, MTDF, _crossings),
            "changes": _more(found, MTDF, _changes),
        },
        further=[
            *((f"iterations with crossed bounds of 1,000, {engine}",
               _per_thousand(found, engine, _crossings)) for engine in engines),
            *((f"iterations whose value changes by {_GREAT} or more of 1,000, {engine}",
               _per_thousand(found, engine, _changes)) for engine in engines),
            *((f"mean change where bounds cross, centipawns, {engine}",
               _mean_change(found, engine)) for engine in engines),
            *((f"passes an iteration, {engine}", _mean(found, engine, len)) for engine in engines),
        ],
        drawing=ClaimChart(
            across="Depth",
            up="Iterations with crossed bounds, of 1,000",
            points=[
                ChartPoint.of(engine, depth, _per_thousand(found, engine, _crossings, depth))
                for engine in engines
                for depth in found.plan.depths[2:]
            ],
        ),
    )  # fmt: skip


def _crossings(passes: Sequence[Pass]) -> int:
    """Whether a pass contradicted an earlier one."""
    return int(bool(contradictions(passes)))


def _changes(passes: Sequence[Pass]) -> int:
    """Whether it did so by much."""
    return int(any(size >= _GREAT for size in contradictions(passes)))


def _per_thousand(
    found: Measured, engine: str, count: PassCount, depth: int | None = None
) -> Figure:
    return figure_of_mean(
        [_THOUSAND * one for one in _counted(found, engine, count, depth).values()]
    )


def _mean(found: Measured, engine: str, count: PassCount) -> Figure:
    return figure_of_mean([*_counted(found, engine, count).values()])


def _mean_change(found: Measured, engine: str) -> Figure:
    """The size of the contradictions; of the positions that have any."""
    sizes: dict[int, list[int]] = {}
    for depth in found.plan.depths:
        for place, cost in found.costs(engine, depth).items():
            if by := contradictions(cost.iteration.passes):
                sizes.setdefault(place, []).extend(by)
    return figure_of_mean([sum(some) / len(some) for some in sizes.values()])


def _more(found: Measured, engine: str, count: PassCount) -> Figure:
    """How many more iterations of 1,000 than PVS."""
    own, other = (_counted(found, one, count) for one in (engine, ASPIRATION))
    return figure_of_mean(
        [_THOUSAND * (own[place] - other[place]) for place in own if place in other]
    )


def _counted(
    found: Measured, engine: str, count: PassCount, depth: int | None = None
) -> dict[int, float]:
    """The mean of a count over the iterations of a position, or of one depth."""
    counts: dict[int, list[float]] = {}
    for one in found.plan.depths if depth is None else (depth,):
        for place, cost in found.costs(engine, one).items():
            counts.setdefault(place, []).append(count(cost.iteration.passes))
    return {place: sum(some) / len(some) for place, some in counts.items()}


CLAIM = Claim(
    number=15,
    title="MTD(f) suffers more from search instability",
    statement="With pruning, reductions and extensions the passes of MTD(f) contradict each other, "
    "and the value changes between them, more often than with PVS.",
    source="Letouzey, Rajlich and van Horssen, as quoted in the ICGA Journal 41; Hyatt, Computer "
    "Chess Club, 2002",
    experiments=(INSTABILITY,),
    parts=(
        ClaimPart("crossings", "crossed iterations of 1,000, less those of PVS", "above",
                  _MORE),
        ClaimPart(
            "changes",
            f"those whose value changes by {_GREAT} or more, of 1,000, less those of PVS",
            "above",
            _MORE,
        ),
    ),
    weigh=_weigh,
    found="Per 1,000 iterations, {crossings} more have crossed bounds than with PVS. The "
    "difference in iterations whose value changes by 10 or more is {changes}.",
)  # fmt: skip
