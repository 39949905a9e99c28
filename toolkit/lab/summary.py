"""A summary of a run's stored searches: costs relative to the baseline, and agreement of values.

For each position x and each cost c, r(x) = ln(c of the engine / c of its baseline). The ratio shown
is exp(mean r), with the bootstrap interval of the mean over positions, which are the independent
units. So both engines of a ratio always use the same positions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Annotated, Any

from msgspec import Struct

from db.records.laboratory import LabSearchRecord
from toolkit.lab.agreement import agrees
from toolkit.lab.cost import DepthCost, Ratio, geometric_mean, search_costs
from toolkit.lab.parallel import WAY, Costs, against_of, first_of, times_of
from toolkit.lab.plan import LabEngine, LabPlan

_SHOWN = 100
"""How many disagreements are listed."""


class LabRow(Struct, frozen=True):
    """One engine at one depth, relative to its baseline on the same positions. Ratios are geometric
    means over positions; values below 1 are cheaper than the baseline. Null means that there is
    nothing to compare."""

    engine: Annotated[str, "label"]
    depth: Annotated[int, "depth"]
    positions: Annotated[int, "positions searched by both engine and baseline"]
    agree: Annotated[
        int, "positions on which the value, or the value of the move, equals the baseline's"
    ]
    baseline: Annotated[str, "label of the baseline, as in `engines` of the run"]
    parameter: Annotated[str | None, "parameter that a sweep varies"]
    parameter_value: Annotated[str | None, "value of that parameter"]
    nodes: Annotated[float | None, "ratio of all nodes"]
    nodes_low95: Annotated[float | None, "lower end of its 95 % interval, by paired bootstrap"]
    nodes_high95: Annotated[float | None, "upper end"]
    leaves: Annotated[float | None, "ratio of leaves"]
    leaves_low95: Annotated[float | None, "lower end of its interval"]
    leaves_high95: Annotated[float | None, "upper end"]
    interior: Annotated[float | None, "ratio of interior nodes"]
    interior_low95: Annotated[float | None, "lower end of its interval"]
    interior_high95: Annotated[float | None, "upper end"]
    quiescence: Annotated[float | None, "ratio of nodes below the leaves; null if there are none"]
    quiescence_low95: Annotated[float | None, "lower end of its interval"]
    quiescence_high95: Annotated[float | None, "upper end"]
    cpu: Annotated[
        float | None, "ratio of CPU time; its interval does not include disturbances of the machine"
    ]
    cpu_low95: Annotated[float | None, "lower end of its interval"]
    cpu_high95: Annotated[float | None, "upper end"]
    threads: Annotated[int, "threads that search together"]
    parallel: Annotated[
        str | None,
        "what they search: `lazy` or `abdada`; null with one thread, which has no others",
    ]
    speedup: Annotated[
        float | None,
        "sweep over threads: the time of one thread over the time of the engine; null if the "
        "machine has fewer cores than the engine threads",
    ]
    speedup_low95: Annotated[float | None, "lower end of its interval"]
    speedup_high95: Annotated[float | None, "upper end"]
    wall_ms: Annotated[
        float | None, "sweep over threads: geometric mean of the time to the depth, in milliseconds"
    ]
    idle: Annotated[
        float | None,
        "sweep over threads: share of the time of all threads in which they used no processor; "
        "null like `speedup`",
    ]
    against: Annotated[
        str | None,
        "sweep over threads: the first engine of the run; the next six fields compare with its "
        "gain by as many threads in the same way; null in its own rows and in those of one thread",
    ]
    speedup_against: Annotated[
        float | None,
        "`speedup` over that of the first engine, position by position; above 1: the engine gains "
        "more; null like `speedup`",
    ]
    speedup_against_low95: Annotated[float | None, "lower end of its interval"]
    speedup_against_high95: Annotated[float | None, "upper end"]
    nodes_against: Annotated[
        float | None,
        "`nodes` over that of the first engine, position by position; above 1: the engine pays a "
        "greater search overhead",
    ]
    nodes_against_low95: Annotated[float | None, "lower end of its interval"]
    nodes_against_high95: Annotated[float | None, "upper end"]
    p95: Annotated[float | None, "95th percentile of the positions' ratios of all nodes"]
    worst: Annotated[float | None, "maximum of these ratios"]
    worst_position: Annotated[str | None, "position with the maximum ratio"]
    nodes_mean: Annotated[float | None, "geometric mean of the engine's nodes"]
    passes: Annotated[float | None, "mean number of passes in the iteration of this depth"]
    passes_most: Annotated[int | None, "maximum number of passes for any position"]
    first_share: Annotated[
        float | None,
        "mean share of the first pass in the iteration's nodes; like the next six fields null with "
        "several threads, whose nodes belong to no pass",
    ]
    high_passes: Annotated[float | None, "mean number of passes of the iteration that fail high"]
    low_passes: Annotated[float | None, "mean number of passes of the iteration that fail low"]
    first_high: Annotated[
        float | None,
        "nodes of first passes that fail high, relative to the baseline's whole iteration",
    ]
    first_low: Annotated[float | None, "the same for first passes that fail low"]
    later_high: Annotated[float | None, "the same for each later pass that fails high"]
    later_low: Annotated[float | None, "the same for each later pass that fails low"]
    driver: Annotated[str, "driver of the variant"]
    engine_id: Annotated[str, "identity of the variant"]


class LabDisagreement(Struct, frozen=True):
    """A search whose result differs from its baseline's."""

    engine: Annotated[str, "label"]
    position: Annotated[str, "label of the position in the suite"]
    fen: Annotated[str, "the position"]
    depth: Annotated[int, "depth"]
    value: Annotated[int, "value found by the engine; a lower bound for drivers that prove a move"]
    move: Annotated[str, "move found by the engine, UCI"]
    move_value: Annotated[
        int | None, "exact value of the move, for drivers that prove a move; else null"
    ]
    true_value: Annotated[int, "value found by the baseline"]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run says so far."""

    rows: list[LabRow]
    disagreements: list[LabDisagreement]
    agree: int
    compared: int
    """Searches of engines that are no baselines, at each depth."""

    @property
    def values_agree(self) -> bool:
        """Whether all that was compared agrees."""
        return self.agree == self.compared


@dataclass(slots=True)
class _Pairs:
    """The costs of an engine and of its baseline on the positions that both have searched."""

    places: list[int] = field(default_factory=list)
    own: list[DepthCost] = field(default_factory=list)
    base: list[DepthCost] = field(default_factory=list)

    @property
    def costs(self) -> Costs:
        """The costs by position."""
        return dict(zip(self.places, zip(self.own, self.base, strict=True), strict=True))

    def ratio(self, cost: Callable[[DepthCost], int]) -> Ratio:
        """The geometric mean of the ratios of a cost; positions without it are left out."""
        return geometric_mean(
            [
                math.log(cost(own) / cost(base))
                for own, base in zip(self.own, self.base, strict=True)
                if cost(own) > 0 and cost(base) > 0
            ]
        )


def summarise(plan: LabPlan, searches: Iterable[LabSearchRecord]) -> Summary:
    """The rows of all engines at all depths, from the searches that are stored."""
    costs = {
        (one.engine, one.position): search_costs(one, last_only=plan.last_only) for one in searches
    }
    summary = Summary([], [], 0, 0)
    agree = compared = 0
    for depth in plan.depths:
        paired = [_paired(plan, costs, number, depth) for number in range(len(plan.engines))]
        for number, engine in enumerate(plan.engines):
            pairs = paired[number]
            first = paired[first_of(plan, number) or 0]
            against = against_of(plan, number, pairs.costs, first.costs)
            wrong = _disagreements(plan, engine, pairs)
            summary.rows.append(_row(plan, engine, depth, pairs, against, len(wrong)))
            if plan.mode == "selective":
                continue
            if engine.baseline != number:  # a baseline itself is compared with nothing
                compared += len(pairs.places)
                agree += len(pairs.places) - len(wrong)
            summary.disagreements.extend(wrong[: _SHOWN - len(summary.disagreements)])
    return Summary(summary.rows, summary.disagreements, agree, compared)


def _paired(
    plan: LabPlan, costs: dict[tuple[int, int], dict[int, DepthCost]], number: int, depth: int
) -> _Pairs:
    pairs = _Pairs()
    base = plan.engines[number].baseline
    for place in range(len(plan.positions)):
        own, other = costs.get((number, place), {}), costs.get((base, place), {})
        if depth in own and depth in other:
            pairs.places.append(place)
            pairs.own.append(own[depth])
            pairs.base.append(other[depth])
    return pairs


def _disagreements(plan: LabPlan, engine: LabEngine, pairs: _Pairs) -> list[LabDisagreement]:
    found = []
    for place, own, base in zip(pairs.places, pairs.own, pairs.base, strict=True):
        iteration, truth = own.iteration, base.iteration
        if not agrees(iteration, truth):
            position = plan.positions[place]
            found.append(
                LabDisagreement(
                    engine=engine.variant.label,
                    position=position.label,
                    fen=position.fen,
                    depth=iteration.depth,
                    value=iteration.value,
                    move=iteration.move,
                    move_value=iteration.move_value,
                    true_value=truth.value,
                )
            )
    return found


def _row(
    plan: LabPlan,
    engine: LabEngine,
    depth: int,
    pairs: _Pairs,
    against: Mapping[str, Any],
    wrong: int,
) -> LabRow:
    found: dict[str, Any] = {}
    for name in ("nodes", "leaves", "interior", "quiescence", "cpu"):
        found |= pairs.ratio(attrgetter("cpu_us" if name == "cpu" else name)).named(name)
    threads = engine.variant.threads
    ratios = [o.nodes / b.nodes for o, b in zip(pairs.own, pairs.base, strict=True)]
    worst = max(range(len(ratios)), key=ratios.__getitem__, default=None)
    counts = [len(cost.iteration.passes) for cost in pairs.own]
    # What several threads search meanwhile is no part of a pass: it would tell nothing of it.
    alone = pairs if threads == 1 else _Pairs()
    iterations = [cost.iteration for cost in alone.own]
    directions = _directions(alone)
    return LabRow(
        engine=engine.variant.label,
        depth=depth,
        positions=len(ratios),
        agree=len(ratios) - wrong,
        baseline=plan.names[engine.baseline],
        parameter=engine.parameter,
        parameter_value=engine.value,
        threads=threads,
        parallel=str(engine.variant.parameters[WAY]) if threads > 1 else None,
        **found,
        **times_of(plan, engine, pairs.costs),
        **against,
        p95=_quantile(ratios, 0.95),
        worst=None if worst is None else ratios[worst],
        worst_position=None if worst is None else plan.positions[pairs.places[worst]].label,
        nodes_mean=_geometric([cost.nodes for cost in pairs.own]),
        passes=_mean(counts),
        passes_most=max(counts, default=None),
        first_share=_mean([one.passes[0].nodes / max(one.nodes, 1) for one in iterations]),
        high_passes=_mean([sum(p.fails_high for p in one.passes) for one in iterations]),
        low_passes=_mean([sum(p.fails_low for p in one.passes) for one in iterations]),
        first_high=_geometric(directions[True, True]),
        first_low=_geometric(directions[True, False]),
        later_high=_geometric(directions[False, True]),
        later_low=_geometric(directions[False, False]),
        driver=engine.variant.driver,
        engine_id=engine.variant.identity,
    )


def _directions(pairs: _Pairs) -> dict[tuple[bool, bool], list[float]]:
    """Nodes of passes over those of the baseline's iteration, by (first of its iteration, failed
    high). A pass that searched nothing, and one that failed neither way, is left out."""
    found: dict[tuple[bool, bool], list[float]] = {
        (first, high): [] for first in (True, False) for high in (True, False)
    }
    for own, base in zip(pairs.own, pairs.base, strict=True):
        for number, one in enumerate(own.iteration.passes):
            if one.nodes and (one.fails_high or one.fails_low):
                share = one.nodes / base.iteration.nodes
                found[number == 0, one.fails_high].append(share)
    return found


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _geometric(values: Sequence[float]) -> float | None:
    return math.exp(math.fsum(map(math.log, values)) / len(values)) if values else None


def _quantile(values: Sequence[float], share: float) -> float | None:
    """By linear interpolation between neighbours."""
    if not values:
        return None
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])
