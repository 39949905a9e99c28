"""Speed of the core: nodes a CPU-second, exact and selective, beside the move generator's.

    python benchmarks/core.py
    python benchmarks/core.py --quick --json
    python benchmarks/core.py --against OTHER/engines/_core.abi3.so

``generator``: perft of the six well-known test positions; ``leaves`` are counted without being
made, ``made`` are the positions that were made and whose moves were generated. ``exact`` and
``selective``: every driver from openings of the package's book, with a fresh table each, by the
evaluation ``full`` where the variant does not say ``pst``. The figures are medians over rounds in
which all rows take turns; node counts are the same on every machine.

``--against`` compares with another build of the same signature: both play the same games, by turns
first. The ratio is of the CPU time of all searches of a game, the geometric mean over games with a
95 % interval; above 1 this build is faster.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import math
import re
import statistics
import time
from dataclasses import asdict, dataclass
from importlib.machinery import ExtensionFileLoader
from types import ModuleType

from msgspec import structs

from engines.backend import backend_name, make_searcher, perft
from engines.errors import VariantError
from engines.native import NativeSearcher
from engines.spec import EngineGame, GameSearches, SearchLimit, Variant
from engines.variant import parse_variant
from toolkit.books.book import package_book

PERFT = (
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4),
)
VARIANTS = ("alphabeta", "pvs", "mtdf", "mtdf:grain=10", "pvs:eval=pst", "mtdf:eval=pst")
EXACT_DEPTH = 4
SELECTIVE_NODES = 200_000
PAIRED_VARIANTS = ("pvs", "mtdf")
PAIRED_NODES = (1_000, 5_000)


@dataclass(frozen=True, slots=True)
class Speed:
    """One row: work of one kind and the CPU time that it took."""

    kind: str
    what: str
    nodes: int
    cpu_s: float

    @property
    def per_second(self) -> float:
        """Nodes a CPU-second."""
        return self.nodes / self.cpu_s


def generator() -> list[Speed]:
    """Leaves counted and positions made by perft."""
    begin = time.process_time()
    counts = [perft(fen, depth) for fen, depth in PERFT]
    cpu_s = time.process_time() - begin
    made = sum(perft(fen, d) for fen, depth in PERFT for d in range(1, depth))
    return [
        Speed("generator", "leaves", sum(counts), cpu_s),
        Speed("generator", "made", made, cpu_s),
    ]


def searches(variant: str, fens: list[str], *, exact: bool) -> Speed:
    """All nodes of a search from each position."""
    searcher = make_searcher(parse_variant(variant))
    limit = SearchLimit(depth=EXACT_DEPTH) if exact else SearchLimit(nodes=SELECTIVE_NODES)
    nodes, cpu_us = 0, 0
    for fen in fens:
        searcher.new_game()
        searcher.set_position(fen)
        result = searcher.search(limit, exact=exact)
        nodes += result.nodes
        cpu_us += result.cpu_us
    searcher.close()
    return Speed("exact" if exact else "selective", variant, nodes, cpu_us / 1e6)


def measure(rounds: int, positions: int) -> list[Speed]:
    """Every row with the median CPU time of its rounds."""
    lines = package_book("default-500").openings
    fens = [line.fen for line in lines[:: max(1, len(lines) // positions)]][:positions]
    taken = [_round(fens) for _ in range(rounds)]
    return [
        Speed(row[0].kind, row[0].what, row[0].nodes, statistics.median(r.cpu_s for r in row))
        for row in zip(*taken, strict=True)
    ]


def _round(fens: list[str]) -> list[Speed]:
    rows = generator()
    for exact in (True, False):
        rows += [searches(variant, fens, exact=exact) for variant in VARIANTS]
    return rows


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as fast as another build this one is, with a 95 % interval."""

    variant: str
    nodes_a_move: int
    games: int
    ratio: float
    low: float
    high: float
    per_second: float
    """Nodes a CPU-second of this build."""


def against(path: str, games: int) -> list[Ratio]:
    """This build against the core in a file. Raises AssertionError if they play differently."""
    if backend_name() != "native":
        raise SystemExit("the reference has no speed to compare: build the core first")
    # The file exports its module under this name only.
    loader = ExtensionFileLoader("_core", path)
    spec = importlib.util.spec_from_loader("_core", loader)
    assert spec is not None
    other = importlib.util.module_from_spec(spec)
    loader.exec_module(other)
    lines = package_book("default-500").openings
    fens = [line.fen for line in lines[:: max(1, len(lines) // games)]][:games]
    return [
        _ratio(variant, nodes, fens, other) for nodes in PAIRED_NODES for variant in PAIRED_VARIANTS
    ]


def _ratio(variant: str, nodes: int, fens: list[str], other: ModuleType) -> Ratio:
    parsed = parse_variant(variant)
    # Two players for each build: this one, then the other.
    cores = (importlib.import_module("engines._core"), other)
    builds = [(_player(core, parsed), _player(core, parsed)) for core in cores]
    counted, spent, logs = 0, 0, []
    for number, fen in enumerate(fens):
        order = (0, 1) if number % 2 == 0 else (1, 0)
        played = {build: _game(builds[build], fen, SearchLimit(nodes=nodes)) for build in order}
        this, that = played[0], played[1]
        same = (this.moves, this.nodes, this.values) == (that.moves, that.nodes, that.values)
        assert same, f"the builds play different games from {fen}"
        cpu_us = [sum(us or 0 for us in game.cpu_us) for game in (this, that)]
        counted, spent = counted + sum(n or 0 for n in this.nodes), spent + cpu_us[0]
        logs.append(math.log(cpu_us[1] / cpu_us[0]))
    mean, error = statistics.mean(logs), statistics.stdev(logs) / math.sqrt(len(logs))
    low, middle, high = (math.exp(mean + z * error) for z in (-1.96, 0, 1.96))
    return Ratio(variant, nodes, len(fens), middle, low, high, 1e6 * counted / spent)


def _player(core: ModuleType, variant: Variant) -> NativeSearcher:
    """A player of a build, without the parameters that an older one does not know."""
    parameters = dict(variant.parameters)
    while True:
        try:
            return NativeSearcher(core, structs.replace(variant, parameters=parameters))
        except VariantError as error:
            unknown = re.search(r"knows no parameter `(\w+)`", str(error))
            if unknown is None:
                raise
            del parameters[unknown[1]]


def _game(
    players: tuple[NativeSearcher, NativeSearcher], fen: str, limit: SearchLimit
) -> GameSearches:
    """A game without adjudication."""
    for player in players:
        player.new_game()
    white, black = players
    played: EngineGame[None] = white.contest(black, fen, limit, lambda white_moved, value: None)
    return played.searches


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="one round of few positions")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--against", metavar="FILE", help="compare with the core in this file")
    arguments = parser.parse_args()
    if arguments.against is not None:
        ratios = against(arguments.against, 4 if arguments.quick else 40)
        if arguments.json:
            print(json.dumps([asdict(ratio) for ratio in ratios], indent=2))
            return
        print(f"{'variant':<10}{'nodes a move':>12}{'games':>7}{'ratio':>8}  95 % interval    M/s")
        for pair in ratios:
            interval = f"[{pair.low:.3f}, {pair.high:.3f}]"
            print(
                f"{pair.variant:<10}{pair.nodes_a_move:>12}{pair.games:>7}{pair.ratio:>8.3f}"
                f"  {interval:<16}{pair.per_second / 1e6:>5.2f}"
            )
        return
    rows = measure(1, 5) if arguments.quick else measure(5, 40)
    if arguments.json:
        data = [asdict(row) | {"per_second": row.per_second} for row in rows]
        print(json.dumps({"backend": backend_name(), "rows": data}, indent=2))
        return
    print(f"{'kind':<11}{'what':<16}{'nodes':>12}  M/s a CPU-second   ({backend_name()})")
    for row in rows:
        print(f"{row.kind:<11}{row.what:<16}{row.nodes:>12}  {row.per_second / 1e6:.2f}")


if __name__ == "__main__":
    main()
