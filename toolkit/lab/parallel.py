"""How much faster an engine is with several threads, and what they search in vain.

Each engine is compared with itself on one thread, on the same positions, one search at a time. Time
to depth tells the speed-up, nodes the *search overhead*: what several threads search more than one.
Searches with several threads do not repeat themselves, so figures of two runs differ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TypedDict

from engines.registry import DRIVERS, PARAMETERS
from engines.spec import Value, Variant
from engines.variant import variant_of
from toolkit.base.errors import UsageError
from toolkit.lab.cost import DepthCost, geometric_mean
from toolkit.lab.plan import LabEngine, LabPlan, Mode, check_swept, parse_list, plan_of
from toolkit.lab.suite import Suite

THREADS = "threads"
_WAY = "parallel"


class Times(TypedDict):
    """What the clock says of an engine; all None where it says nothing."""

    speedup: float | None
    speedup_low95: float | None
    speedup_high95: float | None
    wall_ms: float | None
    idle: float | None


def parse_threads(text: str) -> tuple[int, ...]:
    """Numbers of threads above 1, such as ``2,4,8`` or ``2..4``: one thread is always measured.
    Raises UsageError."""
    numbers = [int(one) for one in parse_list("--threads", text, numbers=True)]
    most = int(PARAMETERS[THREADS].high or 1)
    if not all(1 <= one <= most for one in numbers):
        raise UsageError(f"--threads `{text}`: numbers of threads are from 1 to {most}")
    several = tuple(dict.fromkeys(one for one in numbers if one > 1))
    if not several:
        raise UsageError(
            f"--threads `{text}`: one thread is always measured; give numbers above 1 to compare "
            "with it, as in 2,4"
        )
    return several


def parallel_plan(
    engines: Sequence[Variant],
    threads: Sequence[int],
    ways: Sequence[str],
    suite: Suite,
    depth: int,
    *,
    mode: Mode,
    cores: int,
) -> LabPlan:
    """Each engine with each number of ``threads``, all above 1, by each of the ``ways`` to use them
    (values of ``parallel``), relative to itself on one thread. ``cores``: how many this machine
    has. Raises UsageError, VariantError."""
    found: list[LabEngine] = []
    for place, engine in enumerate(engines):
        if engine in engines[:place]:
            raise UsageError(f"engine `{engine.label}` is given twice")
        if THREADS not in DRIVERS[engine.driver].parameters:
            raise UsageError(f"engine `{engine.label}` searches with one thread only")
        if engine.threads > 1:
            raise UsageError(
                f"engine `{engine.label}`: --threads and --parallel say how many threads and which "
                "way, so name the engine without them"
            )
        base = len(found)
        found.append(LabEngine(_threaded(engine, 1, ways[0]), base, THREADS, "1"))
        found += [
            LabEngine(_threaded(engine, number, way), base, THREADS, str(number))
            for way in dict.fromkeys(ways)
            for number in threads
        ]
    check_swept(found)
    return replace(plan_of("parallel", found, suite, [depth]), mode=mode, cores=cores)


def _threaded(engine: Variant, threads: int, way: str) -> Variant:
    """The engine with so many threads; it keeps a given name, with what is new."""
    values: dict[str, Value] = {THREADS: threads}
    if threads > 1:
        values[_WAY] = way
    label = None
    if engine.label != engine.spelling:
        label = engine.label if threads == 1 else f"{engine.label}:{way}-{threads}"
    return variant_of(engine, values, label)


def times_of(
    plan: LabPlan, engine: LabEngine, own: Sequence[DepthCost], base: Sequence[DepthCost]
) -> Times:
    """The times of an engine relative to its baseline, position by position."""
    none = Times(speedup=None, speedup_low95=None, speedup_high95=None, wall_ms=None, idle=None)
    if plan.cores is None or not own:
        return none
    wall_ms = math.exp(math.fsum(math.log(cost.wall_us) for cost in own) / len(own)) / 1000
    threads = engine.variant.threads
    if threads > plan.cores:
        return none | {"wall_ms": wall_ms}
    speedup = geometric_mean(
        [math.log(b.wall_us / o.wall_us) for o, b in zip(own, base, strict=True)]
    )
    used = sum(cost.cpu_us for cost in own)
    idle = 1 - used / (threads * sum(cost.wall_us for cost in own))
    return Times(
        speedup=speedup["ratio"],
        speedup_low95=speedup["low"],
        speedup_high95=speedup["high"],
        wall_ms=wall_ms,
        idle=max(idle, 0.0),
    )
