"""What playing costs beside the search: referee, events, share of CPU in the search.

    python benchmarks/play.py
    python benchmarks/play.py --quick --json

``referee``: CPU microseconds a ply of checking a move, playing it and looking for every ending and
adjudication (``rules``), and of the whole loop around players that only recite (``loop``): the
Python referee, which plays timed games and those of the reference. Then events of ``mtdf`` against
``pvs`` are played into a temporary database, as any event of a node limit is: on the native core
the game loop is the core's. Each figure is the difference of a longer and a shorter event, so that
starting processes does not count: games a CPU-second of all processes together, CPU microseconds a
ply that no search used (``beside``), and the share of CPU inside searches. Timings depend on the
machine and on what else it does.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from db.records.games import GameRecord
from db.session import open_database
from engines.backend import backend_name
from engines.limit import Limit
from engines.rules.chess_rules import referee_board
from engines.spec import MoveReport, SearchLimit
from toolkit.events.event import start_event
from toolkit.events.settings import match_settings
from toolkit.referee.adjudication import Adjudication, Adjudicator
from toolkit.referee.referee import GameRules, play_game
from toolkit.referee.searchdata import decode_moves, decode_searches

SHORT_PAIRS = 10


@dataclass(frozen=True, slots=True)
class RefereeCost:
    """CPU microseconds a ply."""

    plies: int
    rules_us: float
    loop_us: float


@dataclass(frozen=True, slots=True)
class EventCost:
    """What the games of an event cost, without its start."""

    nodes: int
    jobs: int
    games: int
    plies: int
    games_per_cpu_s: float
    games_per_s: float
    search_us: float
    """CPU microseconds a ply inside searches."""
    beside_us: float
    """CPU microseconds a ply in all processes beside the searches."""
    coordinator_us: float
    """The coordinator's part of that."""
    search_share: float


@dataclass(frozen=True, slots=True)
class Usage:
    """What one event used."""

    games: int
    plies: int
    wall_s: float
    coordinator_s: float
    workers_s: float
    search_s: float


class Reciter:
    """A player that plays the moves of a stored game and costs nothing else."""

    def __init__(self, reports: Sequence[MoveReport]) -> None:
        self._reports = iter(reports)

    def new_game(self) -> None:
        """Nothing to forget."""

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        """Nothing to set."""

    def push(self, move: int) -> None:
        """Nothing to play."""

    def go(self, limit: SearchLimit) -> MoveReport:
        """The next move."""
        return next(self._reports)

    def close(self) -> None:
        """Nothing to free."""


def event_usage(pairs: int, nodes: int, jobs: int) -> tuple[Usage, list[GameRecord]]:
    """Play an event into a database of its own."""
    settings = match_settings(
        "mtdf", "pvs", pairs=pairs, limit=Limit(nodes=nodes), seed=1, repeat_openings=True
    )
    with tempfile.TemporaryDirectory() as folder, open_database(Path(folder) / "b.db") as db:
        wall, own, workers = time.perf_counter(), time.process_time(), _children_s()
        outcome = start_event(db, settings, jobs=jobs)
        wall, own = time.perf_counter() - wall, time.process_time() - own
        workers = _children_s() - workers
        if outcome.status != "done":
            raise SystemExit(f"the event was {outcome.status}")
        games = list(db.repository.games())
    search_us = sum(game.white_cpu_us + game.black_cpu_us for game in games)
    plies = sum(game.plies for game in games)
    return Usage(len(games), plies, wall, own, workers, search_us / 1e6), games


def event_cost(pairs: int, nodes: int, jobs: int) -> EventCost:
    """The difference of an event of ``pairs`` pairs and a short one."""
    short, _ = event_usage(SHORT_PAIRS, nodes, jobs)
    whole, _ = event_usage(pairs + SHORT_PAIRS, nodes, jobs)
    games, plies = whole.games - short.games, whole.plies - short.plies
    search_s = whole.search_s - short.search_s
    coordinator_s = whole.coordinator_s - short.coordinator_s
    cpu_s = coordinator_s + whole.workers_s - short.workers_s
    return EventCost(
        nodes=nodes,
        jobs=jobs,
        games=games,
        plies=plies,
        games_per_cpu_s=games / cpu_s,
        games_per_s=games / (whole.wall_s - short.wall_s),
        search_us=1e6 * search_s / plies,
        beside_us=1e6 * (cpu_s - search_s) / plies,
        coordinator_us=1e6 * coordinator_s / plies,
        search_share=search_s / cpu_s,
    )


def referee_cost(games: Sequence[GameRecord], repeat: int) -> RefereeCost:
    """The best of ``repeat`` runs over real games."""
    plies = sum(game.plies for game in games)
    return RefereeCost(
        plies=plies,
        rules_us=min(_rules_s(games) for _ in range(repeat)) / plies * 1e6,
        loop_us=min(_loop_s(games) for _ in range(repeat)) / plies * 1e6,
    )


def _rules_s(games: Sequence[GameRecord]) -> float:
    decoded = [(game.start_fen, _reports(game)) for game in games]
    begin = time.process_time()
    for fen, reports in decoded:
        board, adjudicator, white = referee_board(fen), Adjudicator(Adjudication()), True
        for report in reports:
            if not board.push(report.move):
                raise SystemExit("a stored game holds an illegal move")
            if board.ending() is None:
                adjudicator.judge(white, report.value)
            white = not white
    return time.process_time() - begin


def _loop_s(games: Sequence[GameRecord]) -> float:
    rules = GameRules(Limit(nodes=1))
    prepared = []
    for game in games:
        reports = _reports(game)
        players = Reciter(reports[::2]), Reciter(reports[1::2])
        white, black = players if game.start_fen.split()[1] == "w" else players[::-1]
        prepared.append((game, white, black))
    begin = time.process_time()
    for game, white, black in prepared:
        if play_game(game.start_fen, white, black, rules).outcome.result != game.result:
            raise SystemExit("a recited game ended otherwise")
    return time.process_time() - begin


def _reports(game: GameRecord) -> list[MoveReport]:
    searches = decode_searches(game.search_data, game.plies)
    return [
        MoveReport(move, s.value, s.depth, s.nodes, s.passes, s.time_us, 0)
        for move, s in zip(decode_moves(game.moves), searches, strict=True)
    ]


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--nodes", type=int, action="append", help="default: 100 and 1000")
    parser.add_argument("--jobs", type=int, action="append", help="default: 1 and 2")
    parser.add_argument("--pairs", type=int, default=400, help="of an event; default 400")
    parser.add_argument("--quick", action="store_true", help="40 pairs")
    parser.add_argument("--json", action="store_true", help="one object on standard output")
    arguments = parser.parse_args()
    pairs = 40 if arguments.quick else arguments.pairs
    _, games = event_usage(50, 100, 1)
    referee = referee_cost(games, 2 if arguments.quick else 5)
    events = [
        event_cost(pairs, nodes, jobs)
        for nodes in arguments.nodes or (100, 1000)
        for jobs in arguments.jobs or (1, 2)
    ]
    if arguments.json:
        rows = [asdict(event) for event in events]
        print(json.dumps({"backend": backend_name(), "referee": asdict(referee), "events": rows}))
        return
    print(
        f"referee ({referee.plies} plies): {referee.rules_us:.1f} us a ply for rules and ", end=""
    )
    print(f"adjudication, {referee.loop_us:.1f} us for the whole loop")
    print(f"events on the {backend_name()} backend, mtdf against pvs")
    print("nodes jobs games games/CPU-s games/s  search  beside (coordinator) us/ply   in search")
    for row in events:
        print(
            f"{row.nodes:>5} {row.jobs:>4} {row.games:>5} {row.games_per_cpu_s:>11.1f} "
            f"{row.games_per_s:>7.1f} {row.search_us:>7.1f} {row.beside_us:>7.1f} "
            f"{row.coordinator_us:>13.1f} {'':8} {row.search_share:>10.1%}"
        )


if __name__ == "__main__":
    main()
