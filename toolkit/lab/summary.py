"""A summary of a run's stored searches: costs relative to the baseline, and agreement of values.

For each position x and each cost c, r(x) = ln(c of the engine / c of its baseline). The ratio shown
is exp(mean r), with the bootstrap interval of the mean over positions, which are the independent
units. So both engines of a ratio always use the same positions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from db.records import LabSearchRecord
from toolkit.lab.agreement import agrees
from toolkit.lab.cost import DepthCost, Ratio, geometric_mean, search_costs
from toolkit.lab.parallel import WAY, Against, Costs, against_of, first_of, times_of
from toolkit.lab.plan import LabEngine, LabPlan
from toolkit.lab.rows import LabDisagreement, LabRow

_SHOWN = 100
"""How many disagreements are listed."""


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
    plan: LabPlan, engine: LabEngine, depth: int, pairs: _Pairs, against: Against, wrong: int
) -> LabRow:
    nodes = pairs.ratio(lambda cost: cost.nodes)
    leaves = pairs.ratio(lambda cost: cost.leaves)
    interior = pairs.ratio(lambda cost: cost.interior)
    quiescence = pairs.ratio(lambda cost: cost.quiescence)
    cpu = pairs.ratio(lambda cost: cost.cpu_us)
    speed = times_of(plan, engine, pairs.costs)
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
        nodes=nodes["ratio"],
        nodes_low95=nodes["low"],
        nodes_high95=nodes["high"],
        leaves=leaves["ratio"],
        leaves_low95=leaves["low"],
        leaves_high95=leaves["high"],
        interior=interior["ratio"],
        interior_low95=interior["low"],
        interior_high95=interior["high"],
        quiescence=quiescence["ratio"],
        quiescence_low95=quiescence["low"],
        quiescence_high95=quiescence["high"],
        cpu=cpu["ratio"],
        cpu_low95=cpu["low"],
        cpu_high95=cpu["high"],
        threads=threads,
        parallel=str(engine.variant.parameters[WAY]) if threads > 1 else None,
        **speed,
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
