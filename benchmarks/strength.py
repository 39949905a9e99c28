"""Elo of our engine against other programs at equal CPU time, from the package's opening book.

    python benchmarks/strength.py --quick
    python benchmarks/strength.py --pairs 100 --movetime 25 --movetime 100 --out strength.jsonl
    python benchmarks/strength.py --opponent toga2 --opponent 'sunfish=sunfish-uci' --tc 2+0.02

Each opening is played twice with colours reversed, each game by engines started afresh, and all
opponents get the same openings at all limits, in turn: the first opening against all of them, then
the second. With ``--out`` finished pairs are kept, and the same command goes on where it stopped.

Time. ``--movetime`` is the fair limit and the default: CPU time of the search a move. The opponent
is told it through its own protocol (see :mod:`opponents`), corrected for what a busy machine takes
away, and uses of it what it uses; our engine is told, move by move, as much as makes it use what
the opponent's search used on average (:class:`contest.Pacer`; ``--no-pacing``: both are told the
limit itself). So the two use the same CPU time whatever an engine makes of the limit, and the
column ``ratio`` (our search time a move over theirs) tells how well that worked; below 1 also where
we stop early, having found a mate. CPU time is measured from outside, move by move, for the whole
process (``cpu``) and its busiest thread (``search``); ``idle`` is what was used while the other
side was to move, ``late`` counts moves that took 0.25 s longer than the limit. ``--tc BASE+INC``
gives both sides the same clock and leaves its use to each: closer to a tournament, but the CPU
times differ. Phalanx reads the settings of a clock in whole seconds, so it plays below its strength
there.

Endings are judged by python-chess: mate, stalemate, insufficient material, the third repetition,
fifty moves; a draw at 600 plies. Nothing else is adjudicated, and no engine is asked to resign. A
game in which the opponent crashes is begun anew, twice at most (``crashes``); an illegal move, no
answer within 15 s, and a crash of ours lose (``forfeits``). The Elo is pentanomial, from our side.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import shutil
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import chess
import chess.engine
from contest import (
    EngineStartError,
    GameReport,
    Pacer,
    Program,
    StoppedError,
    TimeLimit,
    Who,
    play_game,
)
from match_scores import (
    MatchScore,
    PairReport,
    ResultFile,
    half_points,
    render_table,
    score_matches,
)
from opponents import OPPONENTS, Opponent, parse_opponent
from process_cpu import cpu_spent, read_cpu

from engines.backend import backend_name, signature
from engines.limit import parse_clock
from toolkit.base.errors import UsageError
from toolkit.books.book import Opening, default_book

_PROBE_S = 0.2
"""Time for the first move of the start position, in which an engine with a book would not think."""
_BOOK_MS = 5.0
"""CPU time of an answer that was looked up, with room to spare."""
_MAX_CRASHES = 2
"""How often a game is begun anew when the opponent crashes; gnuchess does, once in a while."""
_DEFAULT_MOVETIMES = (25, 100)


@dataclass(frozen=True, slots=True)
class Task:
    """A game pair to play."""

    opponent: Opponent
    limit: TimeLimit
    pair: int
    opening: Opening


@dataclass(frozen=True, slots=True)
class Settings:
    """What all games have in common."""

    ours: Opponent
    hash_mb: int
    pacing: bool
    stop: threading.Event


def play_pair(task: Task, settings: Settings) -> PairReport:
    """Both games of an opening, our engine White first. Raises EngineStartError, StoppedError."""
    pacer = None
    if settings.pacing and task.limit.move_s is not None:
        pacer = Pacer(task.limit.move_s)
    first, crashes = play_out(task, settings, "ours", pacer)
    second, more = play_out(task, settings, "theirs", pacer)
    return PairReport(
        opponent=task.opponent.name,
        limit=str(task.limit),
        pair=task.pair,
        line=task.opening.line,
        games=(first, second),
        crashes=crashes + more,
        load=round(os.getloadavg()[0], 2),
        ended_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def play_out(
    task: Task, settings: Settings, white: Who, pacer: Pacer | None
) -> tuple[GameReport, int]:
    """One game, begun anew while the opponent crashes in it, twice at most; how often it did.

    A crash of ours is a loss at once.
    """
    crashes = 0
    while True:
        with (
            Program(settings.ours, settings.hash_mb) as ours,
            Program(task.opponent, settings.hash_mb) as theirs,
        ):
            programs: dict[Who, Program] = {"ours": ours, "theirs": theirs}
            fen, stop = task.opening.fen, settings.stop
            report = play_game(programs, white, fen, task.limit, pacer, stop)
        crashed = report.reason == "engine-failure" and half_points(report) == 2
        if not crashed or crashes == _MAX_CRASHES:
            return report, crashes
        crashes += 1


def probe(engine: Opponent, hash_mb: int) -> str:
    """Start an engine, ask it for a move from the start position, and tell what it is.

    Raises EngineStartError, also when it answers without thinking: then it has a book.
    """
    with Program(engine, hash_mb) as program:
        before = read_cpu(program.pid)
        limit = chess.engine.Limit(time=_PROBE_S * engine.pace)
        try:
            answer = program.engine.play(chess.Board(), limit)
        except (chess.engine.EngineError, TimeoutError) as error:
            raise EngineStartError(f"{engine.name} does not play: {error!r}") from error
        spent = cpu_spent(before, read_cpu(program.pid))
        name = program.engine.id.get("name", "?")
        if spent.search_ms < _BOOK_MS:
            raise EngineStartError(f"{engine.name} answered without thinking: it uses a book")
        left = program.files_left()
    files = f", wrote {' '.join(left)}" if left else ""
    return f"{name}: {answer.move} after {spent.search_ms:.0f} of {_PROBE_S * 1000:.0f} ms{files}"


def usable(opponents: Sequence[Opponent], hash_mb: int) -> list[Opponent]:
    """The opponents that are there and play; what is amiss with the others is said."""
    found = []
    for opponent in opponents:
        try:
            say(f"{opponent.name}  {probe(opponent, hash_mb)}")
        except FileNotFoundError as error:
            hint = f" (Debian: apt-get install {opponent.package})" if opponent.package else ""
            say(f"{opponent.name}  skipped: no program {error}{hint}")
        except EngineStartError as error:
            say(f"{opponent.name}  skipped: {error}")
        else:
            found.append(opponent)
    return found


def tasks(
    opponents: Sequence[Opponent], limits: Sequence[TimeLimit], pairs: int, seed: int
) -> Iterator[Task]:
    """All pairs, opening by opening, in an order of openings that the seed decides."""
    openings = list(default_book().openings)
    random.Random(seed).shuffle(openings)
    for pair in range(pairs):
        for limit in limits:
            for opponent in opponents:
                yield Task(opponent, limit, pair, openings[pair % len(openings)])


def run(todo: Sequence[Task], settings: Settings, results: ResultFile, jobs: int) -> list[str]:
    """Play all tasks; the problems met. An opponent that fails to start is left alone then."""
    problems: dict[str, str] = {}
    pool = ThreadPoolExecutor(jobs)
    futures: dict[Future[PairReport], Task] = {
        pool.submit(play_pair, task, settings): task for task in todo
    }
    try:
        for number, future in enumerate(as_completed(futures), 1):
            opponent = futures[future].opponent.name
            if future.cancelled():
                continue
            try:
                report = future.result()
            except EngineStartError as error:
                problems[opponent] = str(error)
                for other, task in futures.items():
                    if task.opponent.name == opponent:
                        other.cancel()
                continue
            results.add(report)
            say(f"[{number}/{len(todo)}] {progress(report, results.pairs)}")
    finally:
        settings.stop.set()
        pool.shutdown(cancel_futures=True)
    return [f"{name}: {problem}" for name, problem in problems.items()]


def progress(report: PairReport, pairs: Sequence[PairReport]) -> str:
    """A line about a pair and its match so far."""
    match = MatchScore(report.opponent, report.limit)
    for pair in pairs:
        if (pair.opponent, pair.limit) == (report.opponent, report.limit):
            match.add(pair)
    reasons = ", ".join(f"{game.reason} {game.plies}" for game in report.games)
    return (
        f"{report.opponent} {report.limit} pair {report.pair}: {report.half_points / 2:g}/2 "
        f"({reasons})  +{match.wins} -{match.losses} ={match.draws}"
    )


def our_engine(arguments: argparse.Namespace) -> Opponent:
    """The engine under test. Raises UsageError."""
    if arguments.command:
        return Opponent("ours", tuple(shlex.split(arguments.command)))
    beside = Path(sys.executable).with_name("mtdf")
    program = str(beside) if beside.exists() else shutil.which("mtdf")
    if program is None:
        raise UsageError("no mtdf is installed here; give --command")
    return Opponent("ours", (program, "uci", "--engine", arguments.engine))


def limits_of(arguments: argparse.Namespace) -> list[TimeLimit]:
    """The limits asked for, or the usual ones. Raises UsageError."""
    limits = [TimeLimit(move_s=ms / 1000) for ms in arguments.movetime or ()]
    for text in arguments.tc or ():
        clock = parse_clock(text)
        limits.append(TimeLimit(base_s=(clock.base_ms or 0) / 1000, inc_s=clock.inc_ms / 1000))
    usual = _DEFAULT_MOVETIMES[:1] if arguments.quick else _DEFAULT_MOVETIMES
    return limits or [TimeLimit(move_s=ms / 1000) for ms in usual]


def settings_record(arguments: argparse.Namespace, ours: Opponent) -> dict[str, Any]:
    """What the games of one file have in common."""
    tested = not arguments.command
    return {
        "engine": arguments.engine if tested else arguments.command,
        "command": list(ours.command),
        "backend": backend_name() if tested else None,
        "signature": signature() if tested else None,
        "book": default_book().id,
        "seed": arguments.seed,
        "hash_mb": arguments.hash,
        "pacing": not arguments.no_pacing,
        "jobs": arguments.jobs,
    }


def say(text: str) -> None:
    """Tell on standard error."""
    print(text, file=sys.stderr, flush=True)


def parse_arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("--engine", default="mtdf", help="variant to test, such as pvs:hash=16 (default mtdf)")
    add("--command", help="any UCI engine to test instead")
    add("--opponent", action="append", metavar="NAME[=COMMAND]",
        help=f"repeatable; of {', '.join(OPPONENTS)} (default: all), or NAME=COMMAND")  # fmt: skip
    add("--movetime", action="append", type=int, metavar="MS", help="a time a move; repeatable")
    add("--tc", action="append", metavar="BASE+INC", help="a clock in seconds; repeatable")
    add("--pairs", type=int, help="game pairs of each match (default 100; quick: 3)")
    add("--quick", action="store_true", help="3 pairs each at the first limit")
    add("--jobs", type=int, default=2, help="games at once (default 2)")
    add("--seed", type=int, default=1, help="order of the openings")
    add("--hash", type=int, default=16, metavar="MB", help="table of each engine (default 16)")
    add("--no-pacing", action="store_true", help="our engine gets the limit itself")
    add("--out", type=Path, metavar="FILE", help="keep finished pairs, and go on from them")
    add("--json", action="store_true", help="an object on standard output instead of the table")
    arguments = parser.parse_args(words)
    arguments.pairs = arguments.pairs or (3 if arguments.quick else 100)
    numbers = (arguments.pairs, arguments.jobs, arguments.hash, *(arguments.movetime or ()))
    if min(numbers) < 1:
        parser.error("pairs, jobs, hash and movetime must be at least 1")
    return arguments


def main(words: Sequence[str] | None = None) -> int:
    """Exit code: 0 played, 1 nothing to play or a problem on the way, 2 usage."""
    arguments = parse_arguments(words)
    try:
        chosen = [parse_opponent(text) for text in arguments.opponent or OPPONENTS]
        limits = limits_of(arguments)
        ours = our_engine(arguments)
        record = settings_record(arguments, ours)
        results = ResultFile(arguments.out, record)
        say(f"ours  {probe(ours, arguments.hash)}")
    except (ValueError, UsageError, OSError, EngineStartError) as error:
        say(f"error: {error}")
        return 2
    cores = os.cpu_count() or 1
    if arguments.jobs > cores:
        say(f"warning: {arguments.jobs} games at once on {cores} cores: times will be unfair")
    opponents = usable(chosen, arguments.hash)
    done = {(pair.opponent, pair.limit, pair.pair) for pair in results.pairs}
    todo = [
        task
        for task in tasks(opponents, limits, arguments.pairs, arguments.seed)
        if (task.opponent.name, str(task.limit), task.pair) not in done
    ]
    settings = Settings(ours, arguments.hash, not arguments.no_pacing, threading.Event())
    try:
        problems = run(todo, settings, results, arguments.jobs)
    except (KeyboardInterrupt, StoppedError):
        problems = ["stopped; the same command with --out goes on"]
    scores = score_matches(results.pairs)
    if arguments.json:
        matches = [score.to_json() for score in scores]
        print(json.dumps({**record, "matches": matches}, indent=1))
    elif scores:
        print(f"{record['engine']} against others; CPU ms a move and counts are ours/theirs")
        print(render_table(scores))
        load = sum(pair.load for pair in results.pairs) / len(results.pairs)
        print(f"load of the machine while playing: {load:.1f}, games at once: {arguments.jobs}")
    for problem in problems:
        say(f"problem: {problem}")
    return 1 if problems or not scores else 0


if __name__ == "__main__":
    sys.exit(main())
