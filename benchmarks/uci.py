"""CPU time a ply of our runner with external engines, beside fastchess and python-chess.

    python benchmarks/uci.py
    python benchmarks/uci.py --fastchess ~/fastchess/fastchess --engine stockfish --quick

The runners play the same games with two processes of one engine, pairs from the same openings, to
the end or to 200 plies. ``at once``: a stub recites a game, after 20 ``info`` lines a move that it
writes at once. ``flushed``: it writes each line for itself, as real engines do. Then a real engine
plays at fixed nodes. The CPU time is that of the runner's own process, user and system, without the
engines'. Ours is what a worker process and the storing of its games do, here in one process;
python-chess's engine module plays without checks or storing. Of fastchess the difference between a
long and a short run is divided by the difference in plies, and what a run costs without any ply is
shown beside it. The runners take turns, several times in one run. ``same games``: how many of our
games of the last turn fastchess played, too, move by move.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import chess
import chess.engine
import chess.pgn
from fastchess import RunError, say

from db.session import open_database
from engines.limit import Limit
from engines.moves import decode_move
from toolkit.base.version import this_program
from toolkit.books.book import default_book, load_book
from toolkit.events.event import assigned_to, make_assignment, store_event
from toolkit.events.runner import PlayedPair
from toolkit.events.schedule import Schedule
from toolkit.events.settings import match_settings
from toolkit.events.storing import PairStore
from toolkit.events.worker import PairWorker
from toolkit.referee.adjudication import Adjudication
from toolkit.referee.searchdata import decode_moves

_PLIES = 200
_PAIRS = {100: 20, 1_000: 8, 10_000: 2}
"""Pairs of a turn, at nodes a move; stubs play as many as at 100 nodes."""
_QUICK_PAIRS = {100: 3, 1_000: 2, 10_000: 1}
_SEED = 7
_PV = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7"

_STUB = """#!{python} -S
import os, sys
MOVES = {moves!r}.split()
INFO = {info!r}
ply = 0
for line in sys.stdin:
    if line.startswith("position"):
        ply = len(line.partition(" moves ")[2].split())
    elif line.startswith("go"):
        answer = b"bestmove %s\\n" % MOVES[ply].encode()
        for text in INFO:
            os.write(1, text)
        os.write(1, answer)
    elif line == "isready\\n":
        os.write(1, b"readyok\\n")
    elif line == "uci\\n":
        os.write(1, b"id name stub\\nid author nobody\\nuciok\\n")
    elif line == "quit\\n":
        break
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is played."""

    name: str
    """Of the row in the table."""
    engine: str
    """Path of a program."""
    nodes: int
    pairs: int
    """Of a turn."""
    directory: Path

    @property
    def book(self) -> Path:
        """The openings, as EPD."""
        return self.directory / f"{self.name}.epd"


Game = tuple[str, bool, str]
"""Opening as EPD, whether the first player is White, moves in UCI."""


@dataclass(slots=True)
class Tally:
    """What one runner used for one plan."""

    runner: str
    us_a_ply: list[float] = field(default_factory=list)
    """Of each turn."""
    launch_ms: list[float] = field(default_factory=list)
    """CPU time of a run without any ply, of each turn."""
    last: frozenset[Game] = frozenset()
    """Games of the last turn."""

    def add(self, cpu_s: float, launch_s: float, games: Sequence[Game]) -> None:
        """Count a turn: CPU seconds of its plies and of its start."""
        plies = sum(len(moves.split()) for _, _, moves in games)
        self.us_a_ply.append(cpu_s * 1e6 / plies)
        self.launch_ms.append(launch_s * 1e3)
        self.last = frozenset(games)


def scripted_game(plies: int) -> tuple[str, ...]:
    """A random game that no rule ends before so many plies."""
    rng = random.Random(_SEED)
    while True:
        board = chess.Board()
        while len(board.move_stack) < plies and not board.is_game_over(claim_draw=True):
            board.push(rng.choice(list(board.legal_moves)))
        if not board.is_game_over(claim_draw=True):
            return tuple(move.uci() for move in board.move_stack)


def write_stub(path: Path, moves: Sequence[str], lines: int, *, flushed: bool) -> None:
    """An executable stub engine that prints so many ``info`` lines a move, at once or one by
    one."""
    info = [
        f"info depth {n} seldepth {n + 3} multipv 1 score cp {n} nodes {n * 100} nps 123456 "
        f"hashfull 0 tbhits 0 time {n} pv {_PV}\n".encode()
        for n in range(1, lines + 1)
    ]
    shown = info if flushed else [b"".join(info)]
    path.write_text(_STUB.format(python=sys.executable, moves=" ".join(moves), info=shown))
    path.chmod(0o755)


def play_ours(plan: Plan, tally: Tally) -> None:
    """A turn of ours; the first pair counts as its start."""
    begin = time.process_time()
    book = load_book(str(plan.book))
    settings = match_settings(
        *(f"uci:{plan.engine}?name={name}" for name in ("a", "b")),
        pairs=plan.pairs + 1,
        limit=Limit(nodes=plan.nodes),
        book=book,
        order="sequential",
        repeat_openings=True,
        adjudication=Adjudication(_PLIES, None, None),
    )
    schedule = Schedule(settings, book)
    games: list[Game] = []
    with open_database(plan.directory / "games.db") as db:
        program = this_program()
        event = store_event(db, settings, book, program)
        job = assigned_to(make_assignment(settings, 1, program), event)
        worker, store = PairWorker(job), PairStore(db.repository, event)
        launched = 0.0
        for number in range(plan.pairs + 1):
            task = schedule.task(0, number)
            played = worker.play(task)
            if not isinstance(played, tuple):
                raise RunError(f"ours did not play: {played.reason}")
            stored = store.keep([PlayedPair(task, played)])
            launched = launched or time.process_time()
            games += [
                (_epd(game.start_fen), game.white == "a", _moves(decode_moves(game.moves)))
                for game in stored[0]
            ]
        ended = time.process_time()
        for ready in worker._external.values():
            ready.player.close()
    tally.add(ended - launched, launched - begin, games[2:])


def _moves(codes: Sequence[int]) -> str:
    return " ".join(map(decode_move, codes))


def play_python_chess(plan: Plan, tally: Tally) -> None:
    """A turn of python-chess's engine module, as its documentation plays a game."""
    begin = time.process_time()
    engines = [chess.engine.SimpleEngine.popen_uci(plan.engine) for _ in range(2)]
    launched = time.process_time()
    limit = chess.engine.Limit(nodes=plan.nodes)
    games: list[Game] = []
    for number in range(2 * plan.pairs):
        lines = plan.book.read_text().splitlines()
        opening = lines[(number // 2) % len(lines)]
        board = chess.Board(f"{opening} 0 1")
        while len(board.move_stack) < _PLIES and not board.is_game_over():
            mover = engines[(len(board.move_stack) + number) % 2]
            told = mover.play(board, limit, game=number, info=chess.engine.INFO_SCORE)
            if told.move is None:
                raise RunError("python-chess got no move")
            board.push(told.move)
        games.append((opening, number % 2 == 0, " ".join(m.uci() for m in board.move_stack)))
    played = time.process_time()
    for engine in engines:
        engine.quit()
    closed = time.process_time()
    tally.add(played - launched, launched - begin + closed - played, games)


def play_fastchess(program: str, plan: Plan, tally: Tally) -> None:
    """A turn of fastchess: a run of one pair and a longer one."""
    few_s, first = _run_fastchess(program, plan, 1)
    many_s, games = _run_fastchess(program, plan, plan.pairs + 1)
    a_ply_s = (many_s - few_s) / (_plies(games) - _plies(first))
    later = games[len(first) :]
    tally.add(a_ply_s * _plies(later), few_s - _plies(first) * a_ply_s, later)


def _plies(games: Sequence[Game]) -> int:
    return sum(len(moves.split()) for _, _, moves in games)


def _run_fastchess(program: str, plan: Plan, pairs: int) -> tuple[float, list[Game]]:
    pgn = plan.directory / "games.pgn"
    pgn.unlink(missing_ok=True)
    engines: list[str] = []
    for name in ("a", "b"):
        engines += ["-engine", f"cmd={plan.engine}", f"name={name}"]
    command = [
        *(program, *engines, "-each", "proto=uci", f"nodes={plan.nodes}"),
        *("-openings", f"file={plan.book}", "format=epd", "order=sequential"),
        *("-rounds", str(pairs), "-games", "2", "-concurrency", "1"),
        *("-maxmoves", str(_PLIES // 2)),
        *("-pgnout", f"file={pgn}", "notation=uci", "append=false"),
        *("-ratinginterval", "0", "-autosaveinterval", "0"),
    ]
    cpu_s = own_cpu(command, plan.directory)
    games: list[Game] = []
    with pgn.open() as file:
        while (game := chess.pgn.read_game(file)) is not None:
            moves = " ".join(move.uci() for move in game.mainline_moves())
            opening = game.headers.get("FEN", chess.STARTING_FEN)
            games.append((_epd(opening), game.headers["White"] == "a", moves))
    if len(games) != 2 * pairs:
        raise RunError(f"fastchess played {len(games)} of {2 * pairs} games")
    return cpu_s, games


def _epd(fen: str) -> str:
    return " ".join(fen.split()[:4])


def own_cpu(command: Sequence[str], directory: Path) -> float:
    """Run a command to its end; CPU seconds of its own process, without its children's.

    Its CPU clock can be read until it is waited for. Linux only. Raises RunError when it fails.
    """
    log = directory / "log.txt"
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=directory, stdout=output, stderr=output)
        try:
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            used = time.clock_gettime((~process.pid << 3) | 2)
        except BaseException:
            process.kill()
            raise
        finally:
            process.wait()
    if process.returncode:
        said = log.read_text(errors="replace").strip().splitlines()[-3:]
        raise RunError(f"{Path(command[0]).name} ended with {process.returncode}: {said}")
    return used


def result_row(plan: Plan, tallies: Sequence[Tally]) -> dict[str, Any]:
    """What was measured of one plan: medians of the turns."""
    row: dict[str, Any] = {"engine": plan.name, "turns": len(tallies[0].us_a_ply)}
    for tally in tallies:
        row[f"{tally.runner}_us_a_ply"] = round(median(tally.us_a_ply), 1)
        row[f"{tally.runner}_launch_ms"] = round(median(tally.launch_ms), 1)
    theirs = next((tally for tally in tallies if tally.runner == "fastchess"), None)
    if theirs is not None:
        ratio = row["mtdf_us_a_ply"] / row["fastchess_us_a_ply"]
        same = f"{len(tallies[0].last & theirs.last)}/{len(tallies[0].last)}"
        row |= {"ratio": round(ratio, 2), "same_games": same}
    return row


def render(rows: Sequence[dict[str, Any]], runners: Sequence[str]) -> str:
    """The rows as a table."""
    head = "".join(f" {runner:>13}" for runner in runners)
    table = [
        f"{'engine':<22}{head} {'ratio':>6} {'same games':>11}   (CPU of the runner, µs a ply)"
    ]
    for row in rows:
        costs = "".join(f" {row.get(f'{runner}_us_a_ply', '-'):>13}" for runner in runners)
        rest = f" {row.get('ratio', '-'):>6} {row.get('same_games', '-'):>11}"
        table.append(f"{row['engine']:<22}{costs}{rest}")
    return "\n".join(table)


def parse_arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("--fastchess", default="fastchess", metavar="PATH", help="the program (default: in PATH)")
    add("--engine", default="stockfish", metavar="PATH", help="a real engine (default: stockfish)")
    add("--turns", type=int, help="how often each runner plays (default 5; quick: 2)")
    add("--lines", type=int, default=20, help="info lines a move of the stubs (default 20)")
    add("--quick", action="store_true", help="a few short turns")
    add("--json", action="store_true", help="an array on standard output instead of the table")
    arguments = parser.parse_args(words)
    arguments.turns = arguments.turns or (2 if arguments.quick else 5)
    return arguments


def make_plans(arguments: argparse.Namespace, directory: Path) -> list[Plan]:
    """The stubs, and the real engine if it is there."""
    pairs = _QUICK_PAIRS if arguments.quick else _PAIRS
    moves, plans = scripted_game(_PLIES), []
    for name, flushed in (("at once", False), ("flushed", True)):
        stub = directory / name.replace(" ", "-")
        write_stub(stub, moves, arguments.lines, flushed=flushed)
        plans.append(Plan(f"stub {name}", str(stub), 100, pairs[100], directory))
        plans[-1].book.write_text(f"{_epd(chess.STARTING_FEN)}\n")
    engine = shutil.which(arguments.engine)
    if engine is None:
        say(f"no program {arguments.engine}: stubs only; give --engine PATH")
        return plans
    for nodes, count in pairs.items():
        plans.append(Plan(f"{Path(engine).name} {nodes}", engine, nodes, count, directory))
        openings = default_book().openings[: count + 1]
        plans[-1].book.write_text("".join(f"{_epd(opening.fen)}\n" for opening in openings))
    return plans


def main(words: Sequence[str] | None = None) -> int:
    """Exit code: 0 measured, 1 a runner failed."""
    arguments = parse_arguments(words)
    runners: dict[str, Callable[[Plan, Tally], None]] = {
        "mtdf": play_ours,
        "python-chess": play_python_chess,
    }
    fastchess = shutil.which(arguments.fastchess)
    if fastchess is None:
        say(f"no program {arguments.fastchess}: without fastchess; give --fastchess PATH")
    else:
        program = str(Path(fastchess).resolve())
        runners["fastchess"] = lambda plan, tally: play_fastchess(program, plan, tally)
    rows = []
    with tempfile.TemporaryDirectory(prefix="mtdf-uci-") as name:
        for plan in make_plans(arguments, Path(name)):
            tallies = [Tally(runner) for runner in runners]
            for turn in range(arguments.turns):
                for tally in tallies:
                    if tally.runner == "python-chess" and not plan.name.startswith("stub"):
                        continue
                    try:
                        runners[tally.runner](plan, tally)
                    except RunError as error:
                        say(f"error: {error}")
                        return 1
                    cost = f"{tally.us_a_ply[-1]:.1f} µs a ply"
                    say(f"{plan.name}, turn {turn + 1}: {tally.runner} {cost}")
            rows.append(result_row(plan, [tally for tally in tallies if tally.us_a_ply]))
    print(json.dumps(rows, indent=1) if arguments.json else render(rows, list(runners)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
