"""CPU time a ply of our referee with external engines, beside fastchess and python-chess.

    python benchmarks/uci.py
    python benchmarks/uci.py --fastchess ~/fastchess/fastchess --quick

All three play the same game again and again with two processes of a stub engine, which answers at
once with the moves of a fixed game and some ``info`` lines. So what is measured is the runner
alone: starting games, writing to pipes, reading, checking moves, adjudicating by length. The CPU
time is that of the runner's own process, user and system, without the engines'. Ours and
python-chess's engine module run within this process; of fastchess the difference between a long and
a short run is divided by the difference in plies, and what a run costs without any ply is shown
beside it. The runners take turns, several times in one run.
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
from fastchess import RunError, say

from engines.external.identify import identify
from engines.external.player import UciPlayer
from engines.limit import Limit
from engines.moves import decode_move
from engines.spec import UciCommand, UciSetup
from toolkit.referee.adjudication import Adjudication
from toolkit.referee.referee import GameRules, play_refereed

_AIM_US = 60
_PLIES = 200
_GAMES = 40
_QUICK_GAMES = 5
_SHORT = 2
"""Games of fastchess's short run."""
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
        os.write(1, b"%sbestmove %s\\n" % (INFO, MOVES[ply].encode()))
    elif line == "isready\\n":
        os.write(1, b"readyok\\n")
    elif line == "uci\\n":
        os.write(1, b"id name {name}\\nid author nobody\\nuciok\\n")
    elif line == "quit\\n":
        break
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is played."""

    moves: tuple[str, ...]
    """The game, in UCI."""
    stubs: tuple[Path, Path]
    games: int
    """Of a turn."""
    directory: Path


@dataclass(slots=True)
class Tally:
    """What one runner used."""

    runner: str
    us_a_ply: list[float] = field(default_factory=list)
    """Of each turn."""
    launch_ms: list[float] = field(default_factory=list)
    """CPU time of a run without any ply, of each turn."""


def scripted_game(plies: int) -> tuple[str, ...]:
    """A random game that no rule ends before so many plies."""
    rng = random.Random(_SEED)
    while True:
        board = chess.Board()
        while len(board.move_stack) < plies and not board.is_game_over(claim_draw=True):
            board.push(rng.choice(list(board.legal_moves)))
        if not board.is_game_over(claim_draw=True):
            return tuple(move.uci() for move in board.move_stack)


def write_stub(path: Path, moves: Sequence[str], lines: int) -> None:
    """An executable stub engine that prints so many ``info`` lines a move."""
    info = "".join(
        f"info depth {n} seldepth {n + 3} multipv 1 score cp {n} nodes {n * 100} nps 123456 "
        f"hashfull 0 tbhits 0 time {n} pv {_PV}\n"
        for n in range(1, lines + 1)
    )
    text = _STUB.format(
        python=sys.executable, moves=" ".join(moves), info=info.encode(), name=path.name
    )
    path.write_text(text)
    path.chmod(0o755)


def play_ours(plan: Plan, tally: Tally) -> None:
    """A turn of our referee."""
    begin = time.process_time()
    players = []
    for stub in plan.stubs:
        command = UciCommand((str(stub),))
        engine = identify(UciSetup(command=command, spelling=stub.name, label=stub.name)).engine
        players.append(UciPlayer(engine))
        players[-1].new_game()
    launched = time.process_time()
    rules = GameRules(Limit(nodes=100), Adjudication(len(plan.moves), None, None))
    for _ in range(plan.games):
        game = play_refereed(chess.STARTING_FEN, players[0], players[1], rules)
        if tuple(map(decode_move, game.searches.moves)) != plan.moves:
            raise RunError(f"ours played another game, which ended by {game.outcome.reason}")
    played = time.process_time()
    for player in players:
        player.close()
    closed = time.process_time()
    tally.us_a_ply.append((played - launched) * 1e6 / (plan.games * len(plan.moves)))
    tally.launch_ms.append((launched - begin + closed - played) * 1e3)


def play_python_chess(plan: Plan, tally: Tally) -> None:
    """A turn of python-chess's engine module, as its documentation plays a game."""
    begin = time.process_time()
    engines = [chess.engine.SimpleEngine.popen_uci(str(stub)) for stub in plan.stubs]
    launched = time.process_time()
    limit = chess.engine.Limit(nodes=100)
    for number in range(plan.games):
        board = chess.Board()
        while len(board.move_stack) < len(plan.moves) and not board.is_game_over():
            mover = engines[len(board.move_stack) % 2]
            told = mover.play(board, limit, game=number, info=chess.engine.INFO_SCORE)
            if told.move is None:
                raise RunError("python-chess got no move")
            board.push(told.move)
        if tuple(move.uci() for move in board.move_stack) != plan.moves:
            raise RunError("python-chess played another game")
    played = time.process_time()
    for engine in engines:
        engine.quit()
    closed = time.process_time()
    tally.us_a_ply.append((played - launched) * 1e6 / (plan.games * len(plan.moves)))
    tally.launch_ms.append((launched - begin + closed - played) * 1e3)


def play_fastchess(program: str, plan: Plan, tally: Tally) -> None:
    """A turn of fastchess: a short and a long run."""
    long = _SHORT + plan.games
    few_s, many_s = (_cpu_of_fastchess(program, plan, games) for games in (_SHORT, long))
    a_ply_s = (many_s - few_s) / ((long - _SHORT) * len(plan.moves))
    tally.us_a_ply.append(a_ply_s * 1e6)
    tally.launch_ms.append((few_s - _SHORT * len(plan.moves) * a_ply_s) * 1e3)


def _cpu_of_fastchess(program: str, plan: Plan, games: int) -> float:
    pgn = plan.directory / "games.pgn"
    pgn.unlink(missing_ok=True)
    engines: list[str] = []
    for stub in plan.stubs:
        engines += ["-engine", f"cmd={stub}", f"name={stub.name}"]
    command = [
        *(program, *engines, "-each", "proto=uci", "nodes=100"),
        *("-rounds", str(games), "-games", "1", "-concurrency", "1"),
        *("-maxmoves", str(len(plan.moves) // 2)),
        *("-pgnout", f"file={pgn}", "notation=uci", "append=false"),
        *("-ratinginterval", "0", "-autosaveinterval", "0"),
    ]
    cpu_s = own_cpu(command, plan.directory)
    moves = " ".join(plan.moves[-2:])
    found = sum(moves in " ".join(_words(text)) for text in pgn.read_text().split("[Event ")[1:])
    if found != games:
        raise RunError(f"fastchess played {found} of {games} games as it should")
    return cpu_s


def _words(game: str) -> list[str]:
    """The moves of a game in PGN, without numbers and comments."""
    words, comment = [], False
    for word in game.rpartition("]")[2].split():
        comment = comment or word.startswith("{")
        if not comment and not word[0].isdigit():
            words.append(word)
        comment = comment and not word.endswith("}")
    return words


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


def result_row(tally: Tally, ours: Tally) -> dict[str, Any]:
    """What was measured of one runner: medians of the turns."""
    us = median(tally.us_a_ply)
    return {
        "runner": tally.runner,
        "us_a_ply": round(us, 1),
        "ratio": round(us / median(ours.us_a_ply), 2),
        "launch_ms": round(median(tally.launch_ms), 1),
        "turns": len(tally.us_a_ply),
    }


def render(rows: Sequence[dict[str, Any]], lines: int) -> str:
    """The rows as a table."""
    title = f"CPU of the runner, {lines} info lines a move (aim: {_AIM_US} µs a ply)"
    table = [title, f"{'runner':<14} {'µs a ply':>9} {'ratio':>7} {'launch':>10}"]
    for row in rows:
        launch = f"{row['launch_ms']:.1f} ms"
        table.append(
            f"{row['runner']:<14} {row['us_a_ply']:>9.1f} {row['ratio']:>7.2f} {launch:>10}"
        )
    return "\n".join(table)


def parse_arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("--fastchess", default="fastchess", metavar="PATH", help="the program (default: in PATH)")
    add("--games", type=int, help=f"games of a turn (default {_GAMES}; quick: {_QUICK_GAMES})")
    add("--turns", type=int, help="how often each runner plays (default 5; quick: 2)")
    add("--lines", type=int, default=20, help="info lines a move (default 20)")
    add("--quick", action="store_true", help="a few short turns")
    add("--json", action="store_true", help="an array on standard output instead of the table")
    arguments = parser.parse_args(words)
    arguments.games = arguments.games or (_QUICK_GAMES if arguments.quick else _GAMES)
    arguments.turns = arguments.turns or (2 if arguments.quick else 5)
    return arguments


def main(words: Sequence[str] | None = None) -> int:
    """Exit code: 0 measured, 1 a runner failed."""
    arguments = parse_arguments(words)
    runners: list[tuple[Tally, Callable[[Plan, Tally], None]]] = [
        (Tally("mtdf"), play_ours),
        (Tally("python-chess"), play_python_chess),
    ]
    fastchess = shutil.which(arguments.fastchess)
    if fastchess is None:
        say(f"no program {arguments.fastchess}: without fastchess; give --fastchess PATH")
    else:
        program = str(Path(fastchess).resolve())
        runners.append(
            (Tally("fastchess"), lambda plan, tally: play_fastchess(program, plan, tally))
        )
    with tempfile.TemporaryDirectory(prefix="mtdf-uci-") as name:
        directory = Path(name)
        moves = scripted_game(_PLIES)
        stubs = (directory / "stub-a", directory / "stub-b")
        for stub in stubs:
            write_stub(stub, moves, arguments.lines)
        plan = Plan(moves, stubs, arguments.games, directory)
        for turn in range(arguments.turns):
            for tally, play in runners:
                try:
                    play(plan, tally)
                except RunError as error:
                    say(f"error: {error}")
                    return 1
                say(f"turn {turn + 1}: {tally.runner} {tally.us_a_ply[-1]:.1f} µs a ply")
    rows = [result_row(tally, runners[0][0]) for tally, _ in runners]
    print(json.dumps(rows, indent=1) if arguments.json else render(rows, arguments.lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
