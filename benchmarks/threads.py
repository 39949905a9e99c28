"""What several threads bring: wall-clock time and nodes to a depth, against one thread.

    python benchmarks/threads.py
    python benchmarks/threads.py --threads 2 4 8 --positions 20 --variant pvs --mode selective

Every position is searched to the last depth that one thread finishes within ``--nodes`` nodes, with
one thread and with each number of threads, by turns. Ratios are geometric means over positions:
``time`` is that of one thread to that of several, ``nodes`` that of several to that of one.
``wrong``: exact searches whose value differs. ``busy`` is the CPU time of all threads over their
number and the wall-clock time. Other programs on the machine lower it, and then ``time`` says
little: so a search is repeated, up to ``--tries`` times, until its threads were busy nearly always.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from dataclasses import dataclass

from engines.backend import make_searcher
from engines.spec import SearchLimit, SearchResult
from engines.variant import parse_variant
from toolkit.lab.positions import load_suite

VARIANTS = ("pvs", "mtdf")
WAYS = ("lazy", "abdada")
BUSY = 0.93
"""Threads are busy nearly always from here on."""


@dataclass(frozen=True, slots=True)
class Row:
    """One way to share a search, over all positions."""

    variant: str
    mode: str
    way: str
    threads: int
    time: float
    """Time of one thread to that of these."""
    nodes: float
    """Nodes of these to those of one thread."""
    busy: float
    """The lowest share of the time that threads of a search were running, as a mean."""
    wrong: int


@dataclass(frozen=True, slots=True)
class Taken:
    """A search, with its wall-clock time."""

    found: SearchResult
    seconds: float
    busy: float


def _search(text: str, fen: str, limit: SearchLimit, exact: bool, tries: int = 1) -> Taken:
    """The one of some equal searches whose threads were running for most of the time."""
    best: Taken | None = None
    for _ in range(tries):
        variant = parse_variant(text)
        player = make_searcher(variant)
        player.set_position(fen)
        start = time.perf_counter()
        found = player.search(limit, exact=exact)
        seconds = time.perf_counter() - start
        taken = Taken(found, seconds, found.cpu_us / 1e6 / seconds / variant.threads)
        if best is None or taken.busy > best.busy:
            best = taken
        if best.busy > BUSY:
            break
    assert best is not None
    return best


def _depth(text: str, fen: str, nodes: int, exact: bool) -> int:
    """The last depth that one thread finishes."""
    return max(1, _search(text, fen, SearchLimit(nodes=nodes), exact).found.depth)


def _with_threads(variant: str, threads: int, way: str) -> str:
    head, _, rest = variant.partition(":")
    parts = [rest] if rest else []
    parts += [f"threads={threads}"] * (threads > 1) + [f"parallel={way}"] * (way != "lazy")
    return f"{head}:{','.join(parts)}" if parts else head


def measure(
    variant: str,
    mode: str,
    fens: list[str],
    nodes: int,
    counts: list[int],
    ways: list[str],
    tries: int,
) -> list[Row]:
    """All numbers of threads in all ways, position by position."""
    exact = mode == "exact"
    shared = [(way, threads) for way in ways for threads in counts]
    times: dict[tuple[str, int], list[float]] = {one: [] for one in shared}
    costs: dict[tuple[str, int], list[float]] = {one: [] for one in shared}
    busy: dict[tuple[str, int], list[float]] = {one: [] for one in shared}
    wrong = dict.fromkeys(shared, 0)
    for fen in fens:
        limit = SearchLimit(depth=_depth(variant, fen, nodes, exact))
        for way, threads in shared:
            alone = _search(variant, fen, limit, exact, tries)
            text = _with_threads(variant, threads, way)
            several = _search(text, fen, limit, exact, tries)
            times[way, threads].append(math.log(alone.seconds / several.seconds))
            costs[way, threads].append(math.log(several.found.nodes / alone.found.nodes))
            busy[way, threads].append(min(alone.busy, several.busy))
            wrong[way, threads] += exact and several.found.value != alone.found.value
    return [
        Row(
            variant=variant,
            mode=mode,
            way=way,
            threads=threads,
            time=math.exp(statistics.mean(times[way, threads])),
            nodes=math.exp(statistics.mean(costs[way, threads])),
            busy=statistics.mean(busy[way, threads]),
            wrong=wrong[way, threads],
        )
        for way, threads in shared
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--nodes", type=int, default=3_000_000)
    parser.add_argument("--tries", type=int, default=4)
    parser.add_argument("--threads", type=int, nargs="+", default=[2])
    parser.add_argument("--variant", action="append")
    parser.add_argument("--way", action="append", choices=WAYS)
    parser.add_argument("--mode", action="append", choices=("exact", "selective"))
    arguments = parser.parse_args()
    fens = [line.fen for line in load_suite("lab-60", arguments.positions).positions]
    print("variant          mode       way     threads    time   nodes   busy  wrong")
    for mode in arguments.mode or ("exact", "selective"):
        for variant in arguments.variant or VARIANTS:
            ways = arguments.way or list(WAYS)
            rows = measure(
                variant, mode, fens, arguments.nodes, arguments.threads, ways, arguments.tries
            )
            for row in rows:
                print(
                    f"{row.variant:16} {row.mode:10} {row.way:7} {row.threads:7} "
                    f"{row.time:7.2f} {row.nodes:7.2f} {row.busy:6.2f} {row.wrong:6}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
