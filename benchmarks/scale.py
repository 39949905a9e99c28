"""How large databases of 1,000,000 games are, and how fast they are written and asked.

    python benchmarks/scale.py [--games N] [--players N] [--keep FOLDER] [--only NAME] [--json]

`played` is round robins of neighbours in strength, in pairs, under two limits, with short games.
`imported` is as many games without moves, read from PGN files, in which everybody meets everybody
at random: most two players have a game or two. `searched` is gauntlets with games of 80 plies and
the data of every search, stored by running events whose workers recite really played games
(`recital.py`). These have 20 events; `single` is one imported event of as many games. The databases
are built in a temporary folder, or in FOLDER, where they are kept and used again; each takes
minutes. With fewer games, `--games N`, all times but those of the smallest questions are in
proportion.

Every question is asked once to warm up and once to measure. A plain scan of the table of games is
measured before and after each database's questions; `x` is the CPU time as a multiple of its
fastest run, which depends less on the machine and its load. `ratings`, `report`, `db
check` and `db vacuum` are the commands, in fresh processes, of which CPU time (imports included)
and the peak of memory are told. `report` has no aim: it replays the games that it shows.

Exit code 1 when an aim is missed: a second of CPU for a question, three seconds and 500 MB for
ratings of 1,000 players, one second for 100 players who played as many games; for `searched` 1,500
bytes a game and 2,000 games a second of the coordinator's CPU time; 300 MB for `db check`, whose
time has no aim. Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is there, as `ratings` does

import numpy as np
from recital import PLIES, play_repertoire, recite, recited_settings, repertoire_book
from sqlalchemy import insert

from db.records.events import IMPORT_KIND
from db.records.games import GameFilter
from db.schema.declared import (
    BOOK,
    END_REASON,
    EVENT,
    EVENT_PLAYER,
    GAME,
    GAME_MOVES,
    OPENING,
    PAIR,
    PAIRING,
    PROVENANCE,
    VARIANT,
)
from db.schema.soundness import game_digest
from db.session import Database, open_database
from engines.spec import Variant
from toolkit.base.errors import NothingMatched
from toolkit.imports.run import import_file
from toolkit.ratings import history, rating
from toolkit.referee.outcome import EndReason as Reason
from toolkit.reports import (
    catalog,
    crosstables,
    event_statistics,
    events,
    games,
    meetings,
    openings,
    sql,
    upkeep,
)
from toolkit.selection.games import Selection

EVENTS = 20
LINES = 20_000
SMALL_PLAYERS = 100
QUESTION_S = 1.0
RATINGS_S = 3.0
RATINGS_MB = 500.0
SMALL_S = 1.0
CHECK_MB = 300.0
BYTES_A_GAME = 1500.0
GAMES_A_SECOND = 2000.0
_BUILD = 3
"""Raised whenever other databases are built: those that were kept are of their build."""
_SIZES = 6
"""Tables and indexes whose size is told."""
_DAY_MS = 86_400_000
_START_MS = 1_767_225_600_000
_LAST_MS = _START_MS + EVENTS * 10 * _DAY_MS


@dataclass(frozen=True, slots=True)
class Cost:
    """What a question took."""

    cpu_s: float
    wall_s: float
    peak_mb: float | None = None
    """Of the process, where it did nothing else."""
    scans: float | None = None
    """CPU time as a multiple of a plain scan."""

    def __str__(self) -> str:
        memory = f"  {self.peak_mb:.0f} MB" if self.peak_mb else ""
        scans = "" if self.scans is None else f" {self.scans:6.1f} x"
        return f"{self.cpu_s:7.3f} s CPU{scans} {self.wall_s:8.3f} s wall{memory}"


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that is not the cost of a question."""

    value: float
    unit: str

    def __str__(self) -> str:
        return f"{self.value:,.1f} {self.unit}"


Found = dict[str, tuple[Cost | Figure, bool]]
"""What was measured, and whether its aim is missed."""


def build_played(path: Path, games: int, players: int) -> None:
    """A database of so many games: round robins of neighbours in strength, pair after pair."""
    with open_database(path) as db:
        store = db.repository._store
        with store.write() as connection:
            connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
            for model, rows in _small_tables(players):
                connection.execute(insert(model), rows)
        for event in range(1, EVENTS + 1):
            with store.write() as connection:
                for model, rows in _event_rows(event, games // (2 * EVENTS), players):
                    connection.execute(insert(model), rows)
        rating.rate_games(db, event="last", store=True)


def build_imported(path: Path, games: int, players: int, events: int = EVENTS) -> None:
    """A database of so many games without moves, of players who met at random."""
    random = np.random.default_rng(1)
    names = ("0-1", "1/2-1/2", "1-0")
    with open_database(path) as db, tempfile.TemporaryDirectory(prefix="mtdf-scale-") as folder:
        for event in range(1, events + 1):
            white = random.integers(0, players, games // events)
            black = (white + random.integers(1, players, white.size)) % players
            scores = _scores(random, (black - white) * 0.6 + 30.0)
            pgn = Path(folder) / f"file{event}.pgn"
            with pgn.open("w", encoding="ascii") as file:
                for number, (one, two, score) in enumerate(
                    zip(white.tolist(), black.tolist(), scores.tolist(), strict=True)
                ):
                    file.write(
                        f'[Event "e{event}"]\n[Date "2026.{event % 12 + 1:02}.01"]\n'
                        f'[Round "{number}"]\n[White "Player {one}"]\n[Black "Player {two}"]\n'
                        f'[Result "{names[score]}"]\n\n{names[score]}\n\n'
                    )
            import_file(db, pgn)
            pgn.unlink()
        rating.rate_games(db, event="last", store=True)


def build_single(path: Path, games: int, players: int) -> None:
    """The same in one event, as of one large file."""
    build_imported(path, games, players, events=1)


def build_searched(path: Path, games: int, players: int) -> None:
    """Events whose workers recite games that were really played; what it took is kept beside."""
    repertoire = path.with_name(f"repertoire-build{_BUILD}.db")
    if not repertoire.exists():
        play_repertoire(repertoire)
    book = repertoire_book(repertoire)
    with open_database(path) as db:
        taken = [
            recite(db, repertoire, recited_settings(event, games // EVENTS, book), book)
            for event in range(EVENTS)
        ]
    path.with_suffix(".json").write_text(json.dumps([asdict(one) for one in taken]))


def written(path: Path) -> Found:
    """How large the games of `searched` are, and how fast they were written."""
    taken = json.loads(path.with_suffix(".json").read_text())
    games = sum(one["games"] for one in taken)
    found: Found = {}
    with closing(sqlite3.connect(path)) as connection:
        sizes = connection.execute(
            "SELECT name, sum(pgsize) FROM dbstat GROUP BY 1 ORDER BY 2 DESC"
        )
        for name, size in sizes.fetchmany(_SIZES):
            found[f"bytes a game, {name}"] = Figure(size / games, "bytes"), False
    size = path.stat().st_size / games
    played = _moves_a_game(path.with_name(f"repertoire-build{_BUILD}.db"))
    rates = {
        "all events": taken,
        "the first event": taken[:1],
        "the last event": taken[-1:],
    }
    found |= {
        "size": (Figure(path.stat().st_size / 1e6, "MB"), False),
        "bytes a game": (Figure(size, "bytes"), size > BYTES_A_GAME),
        "moves and searches, recited": (Figure(_moves_a_game(path), "bytes a game"), False),
        "moves and searches, really played": (Figure(played, "bytes a game"), False),
        "games a transaction": (Figure(games / sum(n["transactions"] for n in taken), ""), False),
    }
    for name, some in rates.items():
        number = sum(one["games"] for one in some)
        by_cpu, by_clock = (number / sum(n[key] for n in some) for key in ("cpu_s", "wall_s"))
        missed = by_cpu < GAMES_A_SECOND
        found[f"written, {name}"] = Figure(by_cpu, "games a second of CPU"), missed
        found[f"written, {name}, by the clock"] = Figure(by_clock, "games a second"), False
    return found


def _moves_a_game(path: Path) -> float:
    """Bytes that moves and search data of games of the full length take on average."""
    with closing(sqlite3.connect(path)) as connection:
        query = """SELECT avg(length(m.moves) + length(m.search_data)) FROM game_moves m
            JOIN games g ON g.id = m.game_id WHERE g.plies = ?"""
        (found,) = connection.execute(query, [PLIES]).fetchone()
    return float(found)


def _small_tables(players: int) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    core = {"host": "tower", "version": "0.1.0", "backend": "native", "speed": 0}
    yield PROVENANCE, [{"id": 1, "signature": "0123456789abcdef", **core}]
    yield END_REASON, [{"id": n, "name": str(reason)} for n, reason in enumerate(Reason, 1)]
    yield BOOK, [{"id": 1, "identity": "b" * 16, "name": "big", "source": "big", "lines": LINES}]
    yield (
        OPENING,
        [
            {
                "id": line,
                "book_id": 1,
                "line": line,
                "start_fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "moves": b"\x0c\x07" * 8,
                "fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "label": "",
            }
            for line in range(1, LINES + 1)
        ],
    )
    yield (
        VARIANT,
        [
            {
                "id": n,
                "identity": Variant("mtdf", {}, {"hash": n}, "", "").identity,
                "kind": "native",
                "driver": "mtdf",
                "parameters": {"hash": n},
                "spelling": f"mtdf:hash={n}",
            }
            for n in range(1, players + 1)
        ],
    )


def _event_rows(event: int, pairs: int, players: int) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    started = _START_MS + event * 10 * _DAY_MS
    yield (
        EVENT,
        [
            {
                "id": event,
                "key": f"r{event:03x}",
                "uid": f"{event:032x}",
                "name": f"event {event}",
                "kind": IMPORT_KIND,
                "status": "done",
                "settings": {"limit": {"nodes": 1000 * (1 + event % 2)}, "files": []},
                "seed": event,
                "book_id": 1,
                "pairs_planned": pairs,
                "created_ms": started,
                "started_ms": started,
                "ended_ms": started + _DAY_MS,
                "provenance_id": 1,
            }
        ],
    )
    yield (
        EVENT_PLAYER,
        [
            {"event_id": event, "position": n, "label": f"p{n + 1}", "variant_id": n + 1}
            for n in range(players)
        ],
    )
    met = _met(event, pairs, players)
    yield (
        PAIRING,
        [
            {"event_id": event, "pairing": n, "first_player": one, "second_player": two}
            for n, (one, two) in enumerate(met)
        ],
    )
    yield from _played_rows(event, pairs, met, started)


def _met(event: int, pairs: int, players: int) -> list[tuple[int, int]]:
    """Pairings: everybody meets the next players of the list, another distance each event."""
    each = max(1, min(players // 4, pairs // (players * 5)))
    met = [
        (n, n + 1 + (event * each + step) % max(1, players // 4))
        for n in range(players)
        for step in range(each)
    ]
    return [(one, two) for one, two in met if two < players] or [(0, 1)]


def _played_rows(
    event: int, pairs: int, met: list[tuple[int, int]], started: int
) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    """Game pairs, games and moves of an event."""
    random = np.random.default_rng(event)
    place = np.arange(pairs)
    pairing = place * len(met) // pairs
    pair = place - np.searchsorted(pairing, np.arange(len(met)))[pairing]
    one, two = np.array(met)[pairing].T
    # Strength falls along the list; White is worth 30 Elo; two games in five are drawn.
    first = _scores(random, (two - one) * 0.6 + 30.0)
    second = _scores(random, (two - one) * 0.6 - 30.0)
    played = _Played(event, pairing, pair, one, two, first, second)
    yield PAIR, _pair_rows(played)
    games = _game_rows(played, random, started)
    yield GAME, games
    yield GAME_MOVES, _move_rows(games)


@dataclass(frozen=True, slots=True)
class _Played:
    """The pairs of an event: arrays of their places, players and half points."""

    event: int
    pairing: Any
    pair: Any
    one: Any
    two: Any
    """Positions of the pairing's players."""
    first: Any
    second: Any
    """Half points of the pairing's first player in the two games."""


def _pair_rows(played: _Played) -> list[dict[str, Any]]:
    return [
        {
            "event_id": played.event,
            "pairing": int(played.pairing[n]),
            "pair": int(played.pair[n]),
            "first_is_white": True,
            "score1": int(played.first[n]),
            "score2": int(played.second[n]),
            "counted": True,
        }
        for n in range(played.pair.size)
    ]


def _game_rows(played: _Played, random: np.random.Generator, started: int) -> list[dict[str, Any]]:
    event, pairs, one, two = played.event, played.pair.size, played.one, played.two
    plies = random.integers(20, 300, (pairs, 2))
    reasons = random.integers(1, len(Reason) + 1, (pairs, 2))
    nodes = plies * 1000
    return [
        {
            "id": (event - 1) * 2 * pairs + 2 * n + game + 1,
            "event_id": event,
            "pairing": int(played.pairing[n]),
            "pair": int(played.pair[n]),
            "game": game + 1,
            "white_player": int(two[n] if game else one[n]),
            "black_player": int(one[n] if game else two[n]),
            "white_score": int(2 - played.second[n] if game else played.first[n]),
            "repeats_id": None,
            "end_reason_id": int(reasons[n, game]),
            "plies": int(plies[n, game]),
            "opening_id": 1 + int(n) % LINES,
            "start_fen": None,
            "white_nodes": int(nodes[n, game]),
            "black_nodes": int(nodes[n, game]),
            "white_cpu_us": int(nodes[n, game]),
            "black_cpu_us": int(nodes[n, game]),
            "started_ms": started + 1000 * int(n),
            "ended_ms": started + 1000 * int(n) + 900,
            "provenance_id": 1,
            "load": 0.5,
            "jobs": 2,
            "seed": int(n),
            "game_key": random.bytes(16),
            "digest": game_digest(
                int(2 - played.second[n] if game else played.first[n]),
                **_moves(int(plies[n, game])),
            ),
        }
        for n in range(pairs)
        for game in range(2)
    ]


def _move_rows(games: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"game_id": row["id"], **_moves(row["plies"])} for row in games]


def _moves(plies: int) -> dict[str, Any]:
    # Searches of real games take more; this is enough to be in the way of what reads no moves.
    return {
        "moves_version": 1,
        "moves": b"\x0c\x07" * plies,
        "search_version": 1,
        "search_data": b"\x00" * 100,
    }


def _scores(random: np.random.Generator, difference: Any) -> Any:
    """Half points of the first player of each game."""
    expected = 1.0 / (1.0 + 10.0 ** (-difference / 400.0))
    draw = 0.4 * 4.0 * expected * (1.0 - expected)
    win = expected - draw / 2.0
    u = random.random(expected.size)
    return np.where(u < win, 2, np.where(u < win + draw, 1, 0))


def questions(db: Database) -> dict[str, Callable[[], object]]:
    """What commands ask, by their names."""
    repository = db.repository
    last = repository.events()[-1].id
    score = repository.event_pair_scores(last)[0]
    first, second = score.first, score.second
    key = repository.event(last).key
    reason = min(repository.end_reasons())
    event = Selection(events=("last",))

    def page(query: games.GameQuery, rows: int = 50) -> object:
        return list(islice(games.list_games(db, query), rows))

    def ask(statement: str) -> object:
        with sql.ask(db, statement) as answer:
            return list(answer.rows)

    return {
        "events": lambda: events.list_events(db),
        "show": lambda: events.event_row(db, repository.event(last)),
        "game last": lambda: list(
            repository.games(GameFilter(game_id=repository.newest_game(repository.tuning_events())))
        ),
        "engines list": lambda: catalog.list_engines(db),
        "db info": lambda: upkeep.database_info(db),
        "games, first page": lambda: page(games.GameQuery()),
        "games --engine": lambda: page(games.GameQuery(engine=first)),
        "games --engine --colour --result": lambda: page(
            games.GameQuery(engine=first, colour="white", result="loss")
        ),
        "games --engine --opponent": lambda: page(games.GameQuery(engine=first, opponent=second)),
        "games --end-reason": lambda: page(games.GameQuery(end_reason=reason)),
        "games --opening": lambda: page(games.GameQuery(opening=LINES // 2)),
        "games --since": lambda: page(games.GameQuery(since=_moment(_LAST_MS))),
        "games --min-plies": lambda: page(games.GameQuery(min_plies=299)),
        "crosstable": lambda: crosstables.crosstable(db, event),
        "h2h": lambda: meetings.heads_to_heads(db, first, second),
        "h2h --event": lambda: meetings.head_to_head(db, first, second, event),
        "stats": lambda: event_statistics.event_stats(db, "last"),
        "openings stats": lambda: openings.opening_stats(db),
        "openings stats --event": lambda: openings.opening_stats(db, event),
        "history": lambda: history.rating_history(db, first),
        "query, games by end reason": lambda: ask(
            "SELECT end_reason, count(*) FROM v_games GROUP BY 1"
        ),
        "query, the three most common ends": lambda: ask(
            "SELECT end_reason, count(*) FROM v_games GROUP BY 1 ORDER BY 2 DESC LIMIT 3"
        ),
        "query, one event by engine": lambda: ask(
            f"SELECT white, avg(white_score) FROM v_games WHERE event = '{key}' GROUP BY 1"
        ),
    }


def measure(question: Callable[[], object]) -> Cost:
    """CPU and wall time of the second time it is asked. That there is nothing of that kind, as the
    openings of imported games, is an answer too."""
    with suppress(NothingMatched):
        question()
    cpu, wall = time.process_time(), time.perf_counter()
    with suppress(NothingMatched):
        question()
    return Cost(time.process_time() - cpu, time.perf_counter() - wall)


def plain_scan(db: Database) -> float:
    """CPU seconds of reading every row of the table of games once."""
    with db._store.read() as connection:
        begin = time.process_time()
        connection.exec_driver_sql(
            "SELECT count(*), sum(black_nodes + black_cpu_us) FROM games"
        ).one()
        return time.process_time() - begin


def run_command(path: Path, *arguments: str) -> tuple[Cost, str]:
    """What a command of ``mtdf`` takes in a fresh process, and what it prints."""
    script = Path(__file__).with_name("fresh.py")
    line = [sys.executable, str(script), *arguments, "--db", str(path)]
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"mtdf {' '.join(arguments)}: {done.stdout}{done.stderr}")
    cpu, wall, peak_mb = json.loads(done.stderr.splitlines()[-1])
    return Cost(cpu, wall, peak_mb), done.stdout


def _moment(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--players", type=int, default=1000)
    parser.add_argument("--keep", type=Path, help="keep the databases here, and use them again")
    parser.add_argument("--only", choices=BUILDERS, help="measure one of the databases")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args()


BUILDERS = {
    "played": build_played,
    "imported": build_imported,
    "single": build_single,
    "searched": build_searched,
}


def _built(folder: Path, name: str, games: int, players: int) -> Path:
    """The database of that name, made if it is not there."""
    path = folder / f"{name}-{games}-{players}-build{_BUILD}.db"
    if not path.exists():
        BUILDERS[name](path, games, players)
    return path


def _measured(path: Path, players: int) -> Found:
    """What everything takes on one database, and whether the aim is missed."""
    with open_database(path) as db:
        scans = [plain_scan(db) for _ in range(3)]
        costs = {name: measure(question) for name, question in questions(db).items()}
        scans += [plain_scan(db) for _ in range(3)]
    scan = min(scans)
    found: Found = {"a plain scan": (Cost(scan, scan), False)}
    for name, cost in costs.items():
        told = replace(cost, scans=cost.cpu_s / scan)
        found[name] = told, cost.cpu_s >= QUESTION_S
    found |= _ratings(path, players, RATINGS_S, scan)
    checked, _ = run_command(path, "db", "check")
    size = path.stat().st_size / 1e6
    missed = (checked.peak_mb or 0.0) >= CHECK_MB
    found[f"db check of {size:.0f} MB"] = replace(checked, scans=checked.cpu_s / scan), missed
    return found


def _ratings(path: Path, players: int, most_s: float, scan: float | None = None) -> Found:
    found: Found = {}
    for limits in ("apart", "mixed"):
        more = ["--mix-limits"] if limits == "mixed" else []
        cost, printed = run_command(path, "ratings", "--json", *more)
        rated = len({row["engine_id"] for row in json.loads(printed)})
        if players and rated != players:
            raise SystemExit(f"{rated} of {players} players were rated")
        missed = cost.cpu_s >= most_s or (cost.peak_mb or 0.0) >= RATINGS_MB
        if scan is not None:
            cost = replace(cost, scans=cost.cpu_s / scan)
        found[f"ratings of {rated} players, limits {limits}"] = (cost, missed)
    return found


def main() -> int:
    """Build, measure, print; 1 when an aim is missed."""
    arguments = _arguments()
    found: Found = {}
    with tempfile.TemporaryDirectory(prefix="mtdf-scale-") as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in [arguments.only] if arguments.only else BUILDERS:
            path = _built(folder, name, arguments.games, arguments.players)
            # The engines of `searched` are those of its gauntlets.
            costs = _measured(path, 0 if name == "searched" else arguments.players)
            if name == "searched":
                costs |= written(path)
                page = str(folder / "report.html")
                costs["report"] = (
                    run_command(path, "report", "--event", "last", "-o", page)[0],
                    False,
                )
                costs["db vacuum"] = run_command(path, "db", "vacuum")[0], False
            if name == "played":
                path = _built(folder, name, arguments.games, SMALL_PLAYERS)
                costs |= _ratings(path, SMALL_PLAYERS, SMALL_S)
            found |= {f"{name}: {question}": cost for question, cost in costs.items()}
    missed = [name for name, (_, is_missed) in found.items() if is_missed]
    if arguments.json:
        told = {name: asdict(cost) for name, (cost, _) in found.items()}
        print(json.dumps({"costs": told, "missed": missed}))
        return 1 if missed else 0
    for name, (cost, _) in found.items():
        print(f"{name:<48} {cost}")
    print(f"missed: {', '.join(missed) or 'nothing'}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
