"""How much faster an engine is with several threads, and what they search in vain.

Each engine is compared with itself on one thread, on the same positions, one search at a time. Time
to depth tells the speed-up, nodes the *search overhead*: what several threads search more than one.
What another engine gains is compared with what the first one gains, position by position.
Searches with several threads do not repeat themselves, so figures of two runs differ.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgspec import structs

from engines.registry import DRIVERS, PARAMETERS
from engines.spec import Value, Variant
from engines.variant import is_named, label_with, variant_of
from toolkit.base.errors import UsageError
from toolkit.lab.cost import DepthCost, Ratio, geometric_mean
from toolkit.lab.plan import LabEngine, LabPlan, Mode, check_swept, parse_list, plan_of
from toolkit.lab.suite import Suite

THREADS = "threads"
WAY = "parallel"
DEPTHS: Mapping[Mode, int] = {"exact": 7, "selective": 14}
"""Depths of chess at which a search takes some 40 ms: pruning goes twice as deep in that time."""
Costs = Mapping[int, tuple[DepthCost, DepthCost]]
"""By position: the costs of an engine and of its baseline, where both have searched."""


def parse_threads(text: str) -> tuple[int, ...]:
    """Numbers of threads above 1, such as ``2,4,8`` or ``2..4``: one thread is always measured.
    Raises UsageError."""
    numbers = [int(one) for one in parse_list("--param threads", text, numbers=True)]
    most = int(PARAMETERS[THREADS].high or 1)
    if not all(1 <= one <= most for one in numbers):
        raise UsageError(f"--param threads `{text}`: numbers of threads are from 1 to {most}")
    several = tuple(dict.fromkeys(one for one in numbers if one > 1))
    if not several:
        raise UsageError(
            f"--param threads `{text}`: one thread is always measured; give numbers above 1 to "
            "compare with it, as in 2,4"
        )
    return several


def parallel_plan(
    engines: Sequence[Variant],
    threads: Sequence[int],
    ways: Sequence[str],
    suite: Suite,
    depths: Sequence[int],
    *,
    mode: Mode,
    cores: int,
) -> LabPlan:
    """Each engine with each number of ``threads``, all above 1, by each of the ``ways`` to use them
    (values of ``parallel``), relative to itself on one thread. ``cores``: how many this machine
    has. Raises UsageError, VariantError."""
    if len(depths) > 1:
        raise UsageError("threads are compared at one depth: give one --depth")
    found: list[LabEngine] = []
    for place, engine in enumerate(engines):
        if engine in engines[:place]:
            raise UsageError(f"engine `{engine.label}` is given twice")
        if THREADS not in DRIVERS[engine.driver].parameters:
            raise UsageError(f"engine `{engine.label}` searches with one thread only")
        if engine.threads > 1:
            raise UsageError(
                f"engine `{engine.label}`: --param threads and --parallel say how many threads and "
                "which way, so name the engine without them"
            )
        base = len(found)
        found.append(LabEngine(_threaded(engine, 1, ways[0]), base, THREADS, "1"))
        found += [
            LabEngine(_threaded(engine, number, way), base, THREADS, str(number))
            for way in dict.fromkeys(ways)
            for number in threads
        ]
    check_swept(found)
    return replace(plan_of("parallel", found, suite, depths), mode=mode, cores=cores)


def _threaded(engine: Variant, threads: int, way: str) -> Variant:
    """The engine with so many threads; it keeps a given name, with what is new."""
    values: dict[str, Value] = {THREADS: threads}
    if threads > 1:
        values[WAY] = way
    changed = variant_of(engine, values)
    if not is_named(engine):
        return changed
    label = engine.label if threads == 1 else label_with(engine, values, f"{way}-{threads}")
    return structs.replace(changed, label=label)


def times_of(plan: LabPlan, engine: LabEngine, costs: Costs) -> dict[str, Any]:
    """Fields of the row of an engine: its times relative to its baseline, position by position; all
    None where the clock says nothing."""
    none: dict[str, Any] = {**Ratio().named("speedup"), "wall_ms": None, "idle": None}
    if plan.cores is None or not costs:
        return none
    own = [cost for cost, _ in costs.values()]
    wall_ms = math.exp(math.fsum(math.log(cost.wall_us) for cost in own) / len(own)) / 1000
    threads = engine.variant.threads
    if threads > plan.cores:
        return none | {"wall_ms": wall_ms}
    speedup = geometric_mean([_log_speedup(*pair) for pair in costs.values()])
    used = sum(cost.cpu_us for cost in own)
    idle = 1 - used / (threads * sum(cost.wall_us for cost in own))
    return {**speedup.named("speedup"), "wall_ms": wall_ms, "idle": max(idle, 0.0)}


def first_of(plan: LabPlan, number: int) -> int | None:
    """The place of the first engine with as many threads used in the same way as the engine of this
    number; None for the first engine itself, and for baselines."""
    engine = plan.engines[number]
    if plan.kind != "parallel" or engine.baseline in (0, number):
        return None
    # All engines of a run have the same numbers of threads and ways in the same order.
    return number - engine.baseline


def against_of(plan: LabPlan, number: int, costs: Costs, first: Costs) -> dict[str, Any]:
    """Fields of the row of the engine of this number: what it gains over its baseline, over what
    the first engine (:func:`first_of`) gains over its own: position by position, on those that all
    four have searched; all None where there is none."""
    place = first_of(plan, number)
    unknown = speedup = nodes = Ratio()
    if place is not None:
        both = [(costs[position], first[position]) for position in costs if position in first]
        nodes = geometric_mean([_log_nodes(*own) - _log_nodes(*other) for own, other in both])
        speedup = geometric_mean([_log_speedup(*own) - _log_speedup(*other) for own, other in both])
    if plan.cores is None or plan.engines[number].variant.threads > plan.cores:
        speedup = unknown
    return {
        "against": None if place is None else plan.names[0],
        **speedup.named("speedup_against"),
        **nodes.named("nodes_against"),
    }


def _log_speedup(own: DepthCost, base: DepthCost) -> float:
    return math.log(base.wall_us / own.wall_us)


def _log_nodes(own: DepthCost, base: DepthCost) -> float:
    return math.log(own.nodes / base.nodes)
