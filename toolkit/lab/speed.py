"""The speed of two engines, compared: nodes per second of CPU time in the same searches."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from typing import Annotated, Literal

from msgspec import Struct

from engines.limit import Limit
from engines.players import make_player
from engines.spec import Engine, SearchLimit
from engines.speed import TimedEngine
from toolkit.stats.student import FEWEST, ratio_interval

ROUNDS = 30
NODES = 50_000
POSITIONS = 10
"""Positions of a round, in which each engine searches them four times."""
ENOUGH = 0.01
"""Half the width of the interval of the ratio at which the comparison ends."""
PATIENCE_MS = 60_000
"""How long an external engine may take for one search."""


class EngineSpeed(Struct, frozen=True):
    """One of the two engines."""

    engine: Annotated[str, "the engine"]
    id: Annotated[str, "identity of the engine"]
    nodes: Annotated[int, "nodes of all its searches"]
    cpu_us: Annotated[int, "CPU time of all its searches in microseconds"]
    time_us: Annotated[int, "wall clock of all its searches in microseconds"]
    nodes_per_second: Annotated[int, "nodes per second of CPU time"]
    repeats: Annotated[bool, "whether it searched each position alike every time"]


class SpeedReport(Struct, frozen=True):
    """The output of `bench` of two engines."""

    first: Annotated[EngineSpeed, "the first engine"]
    second: Annotated[EngineSpeed, "the second engine"]
    ratio: Annotated[
        float, "speed of the second engine over that of the first, geometric mean over the rounds"
    ]
    low: Annotated[float | None, "lower end of its 95 % interval; null after one or two rounds"]
    high: Annotated[float | None, "upper end of its 95 % interval"]
    verdict: Annotated[
        Literal["faster", "slower", "no difference shown"], "the second engine against the first"
    ]
    same_search: Annotated[
        bool, "whether nodes, depth, value and move of every search are those of the other engine"
    ]
    limit: Annotated[str, "limit of each search"]
    positions: Annotated[int, "positions of a round"]
    rounds: Annotated[int, "rounds, each with new processes"]
    load_before: Annotated[float, "load average of the machine before"]
    load_after: Annotated[float, "load average of the machine afterwards; this program adds 1"]


class SpeedProgress(Struct, frozen=True):
    """How far a comparison is."""

    rounds: int
    ratio: float


def compare_speed(
    first: Engine,
    second: Engine,
    positions: Sequence[str],
    limit: Limit,
    *,
    rounds: int = ROUNDS,
    on_round: Callable[[SpeedProgress], None] | None = None,
) -> SpeedReport:
    """Search each position by one engine, twice by the other, and by the first again, each time
    from an empty memory; then start both anew, and do the same with the other one first. Such a
    round gives one ratio of speeds, and rounds are repeated until the 95 % interval of their mean
    is within ± 1 %. New starts by turns are needed because the engine that starts first gets better
    memory, worth up to 15 % of the speed.

    ``limit``: nodes or depth. Raises EngineFailure for an engine that does not work, or does not
    report its nodes.
    """
    load, ratios = os.getloadavg()[0], list[float]()
    pair = TimedEngine(first), TimedEngine(second)
    told = SearchLimit(nodes=limit.nodes, depth=limit.depth, patience_ms=PATIENCE_MS)
    _half_round(pair, positions[:1], told)  # the first memory of a program is the best
    while len(ratios) < rounds:
        halves = [_half_round(order, positions, told) for order in (pair, pair[::-1])]
        # Each is a ratio of the engine that starts second to the one that starts first.
        ratios.append(math.sqrt(halves[0] / halves[1]))
        ratio, low, high = ratio_interval(ratios)
        if on_round is not None:
            on_round(SpeedProgress(len(ratios), ratio))
        if len(ratios) >= FEWEST and high / ratio <= 1 + ENOUGH:
            break
    return SpeedReport(
        first=_summary(pair[0]),
        second=_summary(pair[1]),
        ratio=ratio,
        low=low if math.isfinite(high) else None,
        high=high if math.isfinite(high) else None,
        verdict="faster" if low > 1 else "slower" if high < 1 else "no difference shown",
        same_search=pair[0].found == pair[1].found,
        limit=limit.spelling,
        positions=len(positions),
        rounds=len(ratios),
        load_before=load,
        load_after=os.getloadavg()[0],
    )


def _half_round(
    order: Sequence[TimedEngine], positions: Sequence[str], limit: SearchLimit
) -> float:
    """Let both search all positions; returns the speed of the second over that of the first. What
    a new process does for the first time is not counted."""
    with ExitStack() as stack:
        for one in order:
            one.begin(stack.enter_context(closing(make_player(one.engine))), positions[0], limit)
        for fen in positions:
            for number in (0, 1, 1, 0):
                order[number].search(fen, limit)
    first, second = (one.end() for one in order)
    return second / first


def _summary(timed: TimedEngine) -> EngineSpeed:
    """All searches of an engine."""
    nodes, cpu_us, time_us = timed.spent
    return EngineSpeed(
        engine=timed.engine.label,
        id=timed.engine.identity,
        nodes=nodes,
        cpu_us=cpu_us,
        time_us=time_us,
        nodes_per_second=round(nodes * 1_000_000 / cpu_us),
        repeats=all(len(some) == 1 for some in timed.found.values()),
    )
