"""Node counts of every driver on the laboratory's suite, which are the same on every machine.

    python benchmarks/laboratory.py            # compare with laboratory.json
    python benchmarks/laboratory.py --write    # after a change that is meant to change them

Every driver of the registry, with values that no default changes, searches the 60 positions of
``lab-60`` exactly, to depth 4 with grain 1 and 10 (``minimax``, which cuts nothing, to depth 2).
Beside the count stands how it differs in per cent; CPU time is for the eye alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from engines.backend import backend_name, make_searcher
from engines.registry import DRIVERS
from engines.spec import SearchLimit
from toolkit.lab.fixed import engine_of
from toolkit.lab.suite import read_suite

KEPT = Path(__file__).with_suffix(".json")
SUITE = Path(__file__).parent.parent / "toolkit" / "data" / "lab-60.epd"
GRAINS = (1, 10)
VALUES = {"window": "25", "guess": "parity", "convergence": "growth", "stride": "50"}
"""What :mod:`toolkit.lab.fixed` does not say; a driver takes those that it has."""


def variants() -> dict[str, int]:
    """What is searched, with the depth."""
    found = {}
    for driver, spec in DRIVERS.items():
        for grain in GRAINS:
            own = [f"{name}={VALUES[name]}" for name in VALUES if name in spec.parameters]
            text = ",".join([*own, "eval=full", f"grain={grain}"])
            found[f"{driver}:{text}"] = 2 if driver == "minimax" else 4
    return found


def counted(spelling: str, depth: int) -> tuple[int, float]:
    """Nodes and CPU seconds over the whole suite."""
    searcher = make_searcher(engine_of(spelling))
    nodes = cpu_us = 0
    for position in read_suite(SUITE).positions:
        searcher.new_game()
        searcher.set_position(position.fen)
        result = searcher.search(SearchLimit(depth=depth), exact=True)
        nodes += result.nodes
        cpu_us += result.cpu_us
    searcher.close()
    return nodes, cpu_us / 1e6


def main() -> int:
    """Count, and compare or write."""
    parser = argparse.ArgumentParser(description="Node counts of every driver on lab-60.")
    parser.add_argument("--write", action="store_true", help="keep what was counted")
    arguments = parser.parse_args()
    if backend_name() != "native":
        sys.exit("the counts are those of the native core, which is not installed")
    kept = {} if arguments.write else json.loads(KEPT.read_text(encoding="utf-8"))
    counts, differ = {}, False
    for spelling, depth in variants().items():
        counts[spelling], cpu_s = counted(spelling, depth)
        was = kept.get(spelling)
        change = "" if was in (None, counts[spelling]) else f"  {counts[spelling] / was - 1:+.2%}"
        differ = differ or (not arguments.write and was != counts[spelling])
        print(f"{spelling:58} depth {depth} {counts[spelling]:>12,} {cpu_s:7.2f} s{change}")
    if arguments.write:
        KEPT.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
    elif differ or set(kept) != set(counts):
        print("node counts differ from laboratory.json; --write keeps these", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
