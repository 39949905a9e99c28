"""Memory of an event's two processes: while engines flood them, and over many games.

    python benchmarks/memory.py
    python benchmarks/memory.py --quick

Four events are played with one worker, each by the command line: engines that print 100 MB before
every move, on standard output and on standard error; 10,000 short games of our own engines; and as
many of a stub engine that answers at once. Coordinator and worker are looked at while they run:
their peak, and what they hold after every thousand games. ``growth`` is the difference between the
end and the first fifth of the games. ``output`` is all that the event printed.

Exit code 1 when an aim is missed: 150 MB for each process, 16 MB of growth, 1 MB of output. Linux
only.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chess

_PEAK_MB = 150.0
_GROWTH_MB = 16.0
_OUTPUT_MB = 1.0
_GAMES = 10_000
_QUICK_GAMES = 2000
_FLOOD_MB = 100
_QUICK_FLOOD_MB = 20
_POINTS = 10
"""How often memory is noted over the games."""
_SEED = 7
_PROC = Path("/proc")
_PROCESSES = ("coordinator", "worker")

_STUB = """#!{python} -S
import os, sys
STREAM, MB = {stream}, {mb}
CHUNK = b"info depth 1 seldepth 1 score cp 1 nodes 1 string flood\\n" * 20000
MOVES = {{"w": (b"g1f3", b"f3g1"), "b": (b"g8f6", b"f6g8")}}
side = "w"
ply = 0
for line in sys.stdin:
    if line.startswith("position"):
        before, _, moves = line.partition(" moves ")
        ply = len(moves.split())
        first = before.split()[3] if " fen " in before else "w"
        side = first if ply % 2 == 0 else "wb"[first == "w"]
    elif line.startswith("go"):
        left = MB << 20
        while left > 0:
            left -= os.write(STREAM, CHUNK)
        os.write(1, b"info depth 1 score cp 0 nodes 1\\nbestmove %s\\n" % MOVES[side][ply // 2 % 2])
    elif line == "isready\\n":
        os.write(1, b"readyok\\n")
    elif line == "uci\\n":
        os.write(1, b"id name {name}\\nuciok\\n")
    elif line == "quit\\n":
        break
"""


@dataclass(frozen=True, slots=True)
class Case:
    """An event to be measured."""

    name: str
    engines: tuple[str, str]
    games: int
    options: tuple[str, ...]


@dataclass(slots=True)
class Seen:
    """What one process held, in MB."""

    peak: float = 0.0
    after: dict[int, float] = field(default_factory=dict)
    """By number of games."""

    @property
    def growth(self) -> float:
        """From the first fifth of the games to the last look."""
        if not self.after:
            return 0.0
        last = max(self.after)
        first = min(games for games in self.after if games >= last / 5)
        return self.after[last] - self.after[first]


def write_stub(path: Path, name: str, stream: int = 1, mb: int = 0) -> Path:
    """An executable engine that moves its knight to and fro, and prints so much before a move."""
    path.write_text(_STUB.format(python=sys.executable, name=name, stream=stream, mb=mb))
    path.chmod(0o755)
    return path


def write_openings(path: Path, number: int) -> Path:
    """Positions after moves of pawns that leave the knights their way."""
    rng = random.Random(_SEED)
    found: dict[str, None] = {}
    while len(found) < number:
        board = chess.Board()
        for file in (0, 1, 2, 7):
            for first, step in ((8, 8), (48, -8)):
                square = first + file
                target = square + step * rng.randrange(3)
                piece = board.remove_piece_at(square)
                assert piece is not None
                board.set_piece_at(target, piece)
        if board.is_valid():
            found[board.epd()] = None
    path.write_text("".join(f"{line}\n" for line in found))
    return path


def measure(case: Case, folder: Path) -> dict[str, Any]:
    """Play the event and look at its processes. Raises RuntimeError when it fails."""
    database, output = folder / f"{case.name}.db", folder / f"{case.name}.txt"
    command = [sys.executable, "-m", "cli", "match", *case.engines, "--db", str(database)]
    command += ["--pairs", str(case.games // 2), "--draw", "off", "--resign", "off"]
    command += ["--jobs", "1", *case.options]
    seen = {name: Seen() for name in _PROCESSES}
    begin = time.monotonic()
    with output.open("wb") as file, subprocess.Popen(command, stdout=file, stderr=file) as process:
        try:
            _watch(process, database, case.games, seen)
        finally:
            process.kill()
    if process.returncode or _stored(database) != case.games:
        said = output.read_text(errors="replace").splitlines()[-3:]
        raise RuntimeError(
            f"{case.name}: {_stored(database)} games, exit code {process.returncode}: {said}"
        )
    return {
        "case": case.name,
        "games": case.games,
        "seconds": round(time.monotonic() - begin, 1),
        **{f"{name}_peak_mb": round(one.peak, 1) for name, one in seen.items()},
        **{f"{name}_growth_mb": round(one.growth, 1) for name, one in seen.items()},
        **{
            f"{name}_after_mb": {games: round(mb, 1) for games, mb in one.after.items()}
            for name, one in seen.items()
        },
        "output_mb": round(output.stat().st_size / 2**20, 3),
    }


def _watch(
    process: subprocess.Popen[bytes], database: Path, games: int, seen: dict[str, Seen]
) -> None:
    """Look at the processes until the event ends."""
    step = max(games // _POINTS, 1)
    next_look = step
    while process.poll() is None:
        stored = _stored(database)
        for name, pid in zip(_PROCESSES, (process.pid, _worker_of(process.pid)), strict=True):
            now, peak = _memory_mb(pid)
            seen[name].peak = max(seen[name].peak, peak)
            if now and stored >= next_look:
                seen[name].after[stored] = now
        if stored >= next_look:
            next_look = (stored // step + 1) * step
        time.sleep(0.05)


def _stored(database: Path) -> int:
    """Games that are stored so far."""
    with suppress(sqlite3.Error):
        uri = f"file:{database}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM games").fetchone()[0])
    return 0


def _worker_of(pid: int) -> int | None:
    """The worker process of an event's."""
    with suppress(OSError):
        for child in (_PROC / f"{pid}/task/{pid}/children").read_text().split():
            with suppress(OSError):
                if b"spawn_main" in (_PROC / child / "cmdline").read_bytes():
                    return int(child)
    return None


def _memory_mb(pid: int | None) -> tuple[float, float]:
    """What a process holds and held at most; 0 when it has ended."""
    found = {"VmRSS": 0.0, "VmHWM": 0.0}
    with suppress(OSError):
        for line in (_PROC / str(pid) / "status").read_text().splitlines():
            name, _, rest = line.partition(":")
            if name in found:
                found[name] = int(rest.split()[0]) / 1024
    return found["VmRSS"], found["VmHWM"]


def cases(folder: Path, games: int, flood_mb: int) -> list[Case]:
    """The events of a measurement."""
    book = write_openings(folder / "pawns.epd", min(games // 2, 3000))
    lines = ("--book", f"{book}:repeat=on", "--nodes", "100")
    found = []
    for number, stream in enumerate(("stdout", "stderr"), 1):
        stubs = [
            f"uci:{write_stub(folder / f'{stream}-{name}', name, number, flood_mb)}"
            for name in ("a", "b")
        ]
        flood = (*lines, "--max-plies", "2")
        found.append(Case(f"flood-{stream}", (stubs[0], stubs[1]), 2, flood))
    found.append(
        Case("native", ("mtdf:hash=1", "pvs:hash=1"), games, ("--nodes", "30", "--max-plies", "12"))
    )
    stubs = [f"uci:{write_stub(folder / f'stub-{name}', name)}" for name in ("a", "b")]
    found.append(Case("uci", (stubs[0], stubs[1]), games, (*lines, "--max-plies", "6")))
    return found


def missed(row: dict[str, Any]) -> list[str]:
    """The aims that a case misses."""
    wrong = []
    for name in _PROCESSES:
        if row[f"{name}_peak_mb"] > _PEAK_MB:
            wrong.append(f"{row['case']}: peak of the {name} above {_PEAK_MB:g} MB")
        if row[f"{name}_growth_mb"] > _GROWTH_MB:
            wrong.append(f"{row['case']}: growth of the {name} above {_GROWTH_MB:g} MB")
        if not row[f"{name}_peak_mb"]:
            wrong.append(f"{row['case']}: the {name} was not seen")
    if row["output_mb"] > _OUTPUT_MB:
        wrong.append(f"{row['case']}: output above {_OUTPUT_MB:g} MB")
    return wrong


def render(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as a table."""
    table = [
        f"{'event':<13} {'games':>6} {'seconds':>8}   {'coordinator: peak, growth':>26}   "
        f"{'worker: peak, growth':>22}   {'output':>8}"
    ]
    for row in rows:
        both = [
            f"{row[f'{name}_peak_mb']:.1f} MB, {row[f'{name}_growth_mb']:+.1f}"
            for name in _PROCESSES
        ]
        table.append(
            f"{row['case']:<13} {row['games']:>6} {row['seconds']:>8.1f}   {both[0]:>26}   "
            f"{both[1]:>22}   {row['output_mb']:>5.3f} MB"
        )
    return "\n".join(table)


def parse_arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("--games", type=int, help=f"games of the long events (default {_GAMES})")
    add("--flood", type=int, metavar="MB", help=f"printed before a move (default {_FLOOD_MB})")
    add("--only", metavar="NAME", help="one event: flood-stdout, flood-stderr, native or uci")
    add("--quick", action="store_true", help=f"{_QUICK_GAMES} games, {_QUICK_FLOOD_MB} MB a move")
    add("--json", action="store_true", help="an array on standard output instead of the table")
    arguments = parser.parse_args(words)
    arguments.games = arguments.games or (_QUICK_GAMES if arguments.quick else _GAMES)
    arguments.flood = arguments.flood or (_QUICK_FLOOD_MB if arguments.quick else _FLOOD_MB)
    return arguments


def main(words: Sequence[str] | None = None) -> int:
    """Exit code: 0 all aims are met, 1 one is missed or an event failed."""
    arguments = parse_arguments(words)
    rows = []
    with tempfile.TemporaryDirectory(prefix="mtdf-memory-") as name:
        folder = Path(name)
        for case in cases(folder, arguments.games, arguments.flood):
            if arguments.only in (None, case.name):
                try:
                    rows.append(measure(case, folder))
                except RuntimeError as error:
                    print(f"error: {error}", file=sys.stderr)
                    return 1
    print(json.dumps(rows, indent=1) if arguments.json else render(rows))
    wrong = [text for row in rows for text in missed(row)]
    for text in wrong:
        print(f"missed: {text}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
