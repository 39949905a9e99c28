"""Games per CPU-second of our runner beside fastchess, both playing the same games of our engines.

    python benchmarks/fastchess.py --fastchess fastchess
    python benchmarks/fastchess.py --fastchess ~/fastchess/fastchess --quick

Both play the same two variants at the same nodes a move, one game at a time, from the same EPD
file in its order, every opening twice with colours reversed, nothing adjudicated: ours with
``mtdf match``, fastchess with two processes of ``mtdf uci``. The two take turns, several times in
one run. CPU time is that of all processes, user and system, their start included, as the kernel
adds it up when they are waited for; so a turn must be long beside a second. Our runner keeps its
games in a database, fastchess in a PGN file. Because the limit is nodes, the games should be the
same move by move; the last column counts how many of the last turn are, and where they are not,
plies per CPU-second are the fairer comparison.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess.pgn

from toolkit.books.book import default_book

_AIMS = {100: 4.0, 1_000: 1.7, 10_000: 1.05}
"""Our games per CPU-second over fastchess's, at nodes a move."""
_PAIRS = {100: 2_000, 1_000: 150, 10_000: 20}
_QUICK_PAIRS = {100: 200, 1_000: 40, 10_000: 5}
_OTHER_PAIRS = 10
"""Pairs of one turn at other numbers of nodes."""


class RunError(RuntimeError):
    """A runner failed; the message has the end of what it said."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What both runners play in a turn."""

    engines: tuple[str, str]
    """Variants of ours."""
    nodes: int
    pairs: int
    mtdf: str
    fastchess: str
    directory: Path
    """Where everything is written."""

    @property
    def book(self) -> Path:
        """The openings, as EPD."""
        return self.directory / f"book-{self.nodes}.epd"

    def write_book(self) -> None:
        """The first openings of the package's book."""
        openings = default_book().openings[: self.pairs]
        # Clocks are left out: fastchess would take the move number, and mtdf both.
        lines = (" ".join(opening.fen.split()[:4]) for opening in openings)
        self.book.write_text("".join(f"{line}\n" for line in lines))


Game = tuple[str, bool, str]
"""Opening as EPD, whether the first engine is White, moves in UCI."""


@dataclass(slots=True)
class Tally:
    """What one runner did at one number of nodes, over all turns."""

    runner: str
    nodes: int
    games: int = 0
    plies: int = 0
    cpu_s: float = 0.0
    wall_s: float = 0.0
    last: frozenset[Game] = frozenset()
    """Games of the last turn."""

    def add(self, games: Sequence[Game], cpu_s: float, wall_s: float) -> None:
        """Count a turn."""
        self.games += len(games)
        self.plies += sum(len(moves.split()) for _, _, moves in games)
        self.cpu_s += cpu_s
        self.wall_s += wall_s
        self.last = frozenset(games)

    @property
    def games_per_cpu_s(self) -> float:
        """The figure that is compared."""
        return self.games / self.cpu_s


def play_ours(plan: Plan, tally: Tally) -> None:
    """A turn of ``mtdf match``."""
    database = plan.directory / "games.db"
    for old in plan.directory.glob("games.db*"):
        old.unlink()
    first, second = plan.engines
    command = [
        *(plan.mtdf, "--db", str(database), "--quiet", "match", first, second),
        *("--nodes", str(plan.nodes), "--pairs", str(plan.pairs), "--jobs", "1"),
        *("--book", f"{plan.book}:order=sequential"),
        *("--draw", "off", "--resign", "off", "--max-plies", "off"),
    ]
    cpu_s, wall_s = measured(command, plan.directory)
    listed = subprocess.run(
        [plan.mtdf, "--db", str(database), "games", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    games = []
    for row in json.loads(listed.stdout):
        moves = row["moves"] if isinstance(row["moves"], str) else " ".join(row["moves"])
        games.append((_epd(row["start_fen"]), row["white"] == first, moves))
    tally.add(games, cpu_s, wall_s)


def play_fastchess(plan: Plan, tally: Tally) -> None:
    """A turn of fastchess with two of our engines."""
    pgn = plan.directory / "games.pgn"
    pgn.unlink(missing_ok=True)
    engines: list[str] = []
    for variant in plan.engines:
        arguments = f"args=uci --engine {variant}"
        engines += ["-engine", f"cmd={plan.mtdf}", arguments, f"name={variant}"]
    command = [
        *(plan.fastchess, *engines, "-each", "proto=uci", f"nodes={plan.nodes}"),
        *("-openings", f"file={plan.book}", "format=epd", "order=sequential"),
        *("-rounds", str(plan.pairs), "-games", "2", "-concurrency", "1"),
        *("-pgnout", f"file={pgn}", "notation=uci", "append=false"),
        *("-ratinginterval", "0", "-autosaveinterval", "0"),
    ]
    cpu_s, wall_s = measured(command, plan.directory)
    games = []
    with pgn.open() as file:
        while (game := chess.pgn.read_game(file)) is not None:
            moves = " ".join(move.uci() for move in game.mainline_moves())
            white = game.headers["White"] == plan.engines[0]
            games.append((_epd(game.headers["FEN"]), white, moves))
    tally.add(games, cpu_s, wall_s)


def _epd(fen: str) -> str:
    return " ".join(fen.split()[:4])


def measured(command: Sequence[str], directory: Path) -> tuple[float, float]:
    """Run a command to its end; CPU seconds of it and all its children, and wall seconds.

    Raises RunError when it fails.
    """
    log = directory / "log.txt"
    begun = time.perf_counter()
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=directory, stdout=output, stderr=output)
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except KeyboardInterrupt:
            process.kill()
            raise
    wall_s = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        said = log.read_text(errors="replace").strip().splitlines()[-3:]
        name, code = Path(command[0]).name, process.returncode
        raise RunError(f"{name} ended with {code}: {' / '.join(said)}")
    return usage.ru_utime + usage.ru_stime, wall_s


def compare(plan: Plan, turns: int) -> tuple[Tally, Tally]:
    """Both runners in turn. Raises RunError."""
    plan.write_book()
    ours, theirs = Tally("mtdf", plan.nodes), Tally("fastchess", plan.nodes)
    for turn in range(turns):
        play_ours(plan, ours)
        play_fastchess(plan, theirs)
        ratio = ours.games_per_cpu_s / theirs.games_per_cpu_s
        say(f"{plan.nodes} nodes, turn {turn + 1} of {turns}: {ratio:.2f} times so far")
    return ours, theirs


def result_row(ours: Tally, theirs: Tally) -> dict[str, Any]:
    """What was measured at one number of nodes."""
    row: dict[str, Any] = {"nodes": ours.nodes}
    for tally in (ours, theirs):
        row[tally.runner] = {
            "games": tally.games,
            "plies": tally.plies,
            "cpu_s": round(tally.cpu_s, 3),
            "wall_s": round(tally.wall_s, 3),
            "games_per_cpu_s": round(tally.games_per_cpu_s, 2),
            "plies_per_cpu_s": round(tally.plies / tally.cpu_s, 1),
        }
    row["ratio"] = round(ours.games_per_cpu_s / theirs.games_per_cpu_s, 3)
    row["ratio_by_plies"] = round(ours.plies / ours.cpu_s / (theirs.plies / theirs.cpu_s), 3)
    row["aim"] = _AIMS.get(ours.nodes)
    row["same_games"] = len(ours.last & theirs.last)
    row["games_of_a_turn"] = len(ours.last)
    return row


def render(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as a table."""
    lines = [
        f"{'nodes':>6} {'games':>6} {'mtdf':>9} {'fastchess':>10} {'ratio':>6} {'by plies':>9}"
        f" {'aim':>6} {'same games':>11}   (games per CPU-second)"
    ]
    for row in rows:
        aim = "-" if row["aim"] is None else f"{row['aim']:.2f}"
        same = f"{row['same_games']}/{row['games_of_a_turn']}"
        lines.append(
            f"{row['nodes']:>6} {row['mtdf']['games']:>6} {row['mtdf']['games_per_cpu_s']:>9.2f} "
            f"{row['fastchess']['games_per_cpu_s']:>10.2f} {row['ratio']:>6.2f} "
            f"{row['ratio_by_plies']:>9.2f} {aim:>6} {same:>11}"
        )
    return "\n".join(lines)


def say(text: str) -> None:
    """Tell on standard error."""
    print(text, file=sys.stderr, flush=True)


def parse_arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("--fastchess", default="fastchess", metavar="PATH", help="the program (default: in PATH)")
    add("--nodes", action="append", type=int, help="nodes a move; repeatable")
    add("--pairs", type=int, help="game pairs of a turn, at all nodes")
    add("--turns", type=int, help="how often each runner plays (default 3; quick: 1)")
    add("--quick", action="store_true", help="one short turn each")
    add("--engine", action="append", help="the two variants (default: mtdf and pvs)")
    add("--json", action="store_true", help="an array on standard output instead of the table")
    arguments = parser.parse_args(words)
    arguments.nodes = arguments.nodes or list(_AIMS)
    arguments.turns = arguments.turns or (1 if arguments.quick else 3)
    arguments.engine = arguments.engine or ["mtdf", "pvs"]
    if len(arguments.engine) != 2 or arguments.engine[0] == arguments.engine[1]:
        parser.error("--engine: give two different variants")
    return arguments


def main(words: Sequence[str] | None = None) -> int:
    """Exit code: 0 measured or skipped, 1 a runner failed, 2 usage."""
    arguments = parse_arguments(words)
    beside = Path(sys.executable).with_name("mtdf")
    mtdf = str(beside) if beside.exists() else shutil.which("mtdf")
    fastchess = shutil.which(arguments.fastchess)
    if mtdf is None:
        say("error: no mtdf is installed here")
        return 2
    if fastchess is None:
        say(f"skipped: no program {arguments.fastchess}; give --fastchess PATH")
        return 0
    usual = _QUICK_PAIRS if arguments.quick else _PAIRS
    rows = []
    with tempfile.TemporaryDirectory(prefix="mtdf-fastchess-") as name:
        for nodes in arguments.nodes:
            pairs = arguments.pairs or usual.get(nodes, _OTHER_PAIRS)
            engines = (arguments.engine[0], arguments.engine[1])
            plan = Plan(engines, nodes, pairs, mtdf, str(Path(fastchess).resolve()), Path(name))
            try:
                rows.append(result_row(*compare(plan, arguments.turns)))
            except (RunError, subprocess.CalledProcessError) as error:
                say(f"error: {error}")
                return 1
    print(json.dumps(rows, indent=1) if arguments.json else render(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
