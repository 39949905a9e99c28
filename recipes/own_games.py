"""Games of the core against itself, played by a Rust example of a recipe."""

from __future__ import annotations

import argparse
import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
BATCHES = 8
"""Into so many parts the games are divided, played side by side."""


def add_options(step: argparse.ArgumentParser, *, games: int, seed: int) -> None:
    """The options of :func:`play`, with these defaults."""
    step.add_argument("folder", type=Path)
    step.add_argument("--games", type=int, default=games)
    step.add_argument("--nodes", type=int, default=1_000)
    step.add_argument("--seed", type=int, default=seed)
    step.add_argument("--jobs", type=int, default=2)


def play(example: str, given: argparse.Namespace) -> None:
    """Play the games into FOLDER/games.txt, and keep their number, limit and seed beside them."""
    cargo = ["cargo", "build", "--release", "--locked", "--example", example]
    subprocess.run([*cargo, "--target-dir", str(ROOT / "target")], cwd=ROOT, check=True)
    program = ROOT / "target" / "release" / "examples" / example
    bounds = [given.games * part // BATCHES for part in range(BATCHES + 1)]

    def batch(part: int) -> bytes:
        numbers = (bounds[part], bounds[part + 1] - bounds[part], given.nodes, given.seed)
        done = subprocess.run([program, *map(str, numbers)], check=True, stdout=subprocess.PIPE)
        return done.stdout

    folder: Path = given.folder
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(given.jobs) as pool:
        (folder / "games.txt").write_bytes(b"".join(pool.map(batch, range(BATCHES))))
    about = {"games": given.games, "nodes": given.nodes, "seed": given.seed}
    (folder / "games.json").write_text(json.dumps(about), encoding="utf-8")
