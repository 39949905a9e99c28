"""How fast questions are on large databases: 1,000,000 games of 1,000 players, played and imported.

    python benchmarks/scale.py [--games N] [--players N] [--keep FOLDER] [--only NAME] [--json]

`played` is round robins of neighbours in strength, in pairs, under two limits. `imported` is as
many games without moves, read from PGN files, in which everybody meets everybody at random: most
two players have a game or two. Both have 20 events; `single` is one imported event of as many
games. The databases are built in a temporary folder, or in FOLDER, where they are kept and used
again; each import takes about two minutes.

Every question is asked once to warm up and once to measure, and ratings are fitted in fresh
processes, of which CPU time (imports included) and the peak of memory are told. Exit code 1 when an
aim is missed: a second of CPU for a question, three seconds and 500 MB for ratings of 1,000
players, one second for 100 players who played as many games; `db check` has no aim. Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is there, as `ratings` does

import numpy as np
from sqlalchemy import insert

from db.session import Database, open_database
from db.tables.digests import seal_all
from db.tables.models import (
    Book,
    EndReason,
    Event,
    EventPlayer,
    Game,
    GameMoves,
    Opening,
    Pair,
    Pairing,
    Provenance,
    Variant,
)
from toolkit.base.errors import NothingMatched
from toolkit.games.outcome import EndReason as Reason
from toolkit.imports.run import import_file
from toolkit.ratings import history, rating
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
_BUILD = 2
"""Raised whenever other databases are built: those that were kept are of their build."""
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
        with store.write() as connection:
            seal_all(connection)
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


def _small_tables(players: int) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    core = {"host": "tower", "version": "0.1.0", "backend": "native"}
    yield Provenance, [{"id": 1, "signature": "0123456789abcdef", **core}]
    yield EndReason, [{"id": n, "name": str(reason)} for n, reason in enumerate(Reason, 1)]
    yield Book, [{"id": 1, "identity": "b" * 16, "name": "big", "source": "big", "lines": LINES}]
    yield (
        Opening,
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
        Variant,
        [
            {
                "id": n,
                "identity": f"{n:016x}",
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
        Event,
        [
            {
                "id": event,
                "key": f"r{event:03x}",
                "name": f"event {event}",
                "kind": "round-robin",
                "status": "done",
                "settings": {"limit": {"nodes": 1000 * (1 + event % 2)}},
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
        EventPlayer,
        [
            {"event_id": event, "position": n, "label": f"p{n + 1}", "variant_id": n + 1}
            for n in range(players)
        ],
    )
    met = _met(event, pairs, players)
    yield (
        Pairing,
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
    yield Pair, _pair_rows(played)
    games = _game_rows(played, random, started)
    yield Game, games
    yield GameMoves, _move_rows(games)


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
        }
        for n in range(pairs)
        for game in range(2)
    ]


def _move_rows(games: list[dict[str, Any]]) -> list[dict[str, Any]]:
    # Real games take more; this is enough to be in the way of what reads no moves.
    return [
        {
            "game_id": row["id"],
            "moves_version": 1,
            "moves": b"\x0c\x07" * 40,
            "search_version": 1,
            "search_data": b"\x00" * 100,
        }
        for row in games
    ]


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


def rate_once(path: Path, players: int, *, mix_limits: bool) -> Cost:
    """Counts, fit and errors of all players in a process of their own; under each limit apart, or
    under all together."""
    script = [sys.executable, __file__, "--rate", str(path)]
    if mix_limits:
        script.append("--mix-limits")
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    cpu, wall, peak_mb, rated = json.loads(done.stdout)
    if rated != players:
        raise SystemExit(f"{rated} of {players} players were rated")
    return Cost(cpu, wall, peak_mb)


def _rate(path: Path, *, mix_limits: bool) -> None:
    wall = time.perf_counter()
    with open_database(path) as db:
        report = rating.rate_games(db, rating.RatingQuery(mix_limits=mix_limits))
    # The clock of the process runs from its start. Its peak is its own: `getrusage` would tell that
    # of the process which started it.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak_kb = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    players = len({row["engine_id"] for row in report.rows()})
    spent = (time.process_time(), time.perf_counter() - wall)
    print(json.dumps([*spent, int(peak_kb) / 1024, players]))


def _moment(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--players", type=int, default=1000)
    parser.add_argument("--keep", type=Path, help="keep the databases here, and use them again")
    parser.add_argument("--only", choices=BUILDERS, help="measure one of the databases")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rate", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--mix-limits", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


BUILDERS = {"played": build_played, "imported": build_imported, "single": build_single}


def _built(folder: Path, name: str, games: int, players: int) -> Path:
    """The database of that name, made if it is not there."""
    path = folder / f"{name}-{games}-{players}-build{_BUILD}.db"
    if not path.exists():
        BUILDERS[name](path, games, players)
    return path


def _measured(path: Path, players: int) -> dict[str, tuple[Cost, bool]]:
    """What everything takes on one database, and whether the aim is missed."""
    with open_database(path) as db:
        costs = {name: measure(question) for name, question in questions(db).items()}
        whole = measure(lambda: (db.check(), db.repository.damage()))
    found = {name: (cost, cost.cpu_s >= QUESTION_S) for name, cost in costs.items()}
    found[f"db check of {path.stat().st_size / 1e6:.0f} MB"] = (whole, False)
    return found | _ratings(path, players, RATINGS_S)


def _ratings(path: Path, players: int, most_s: float) -> dict[str, tuple[Cost, bool]]:
    found = {}
    for limits in ("apart", "mixed"):
        cost = rate_once(path, players, mix_limits=limits == "mixed")
        missed = cost.cpu_s >= most_s or (cost.peak_mb or 0.0) >= RATINGS_MB
        found[f"ratings of {players} players, limits {limits}"] = (cost, missed)
    return found


def main() -> int:
    """Build, measure, print; 1 when an aim is missed."""
    arguments = _arguments()
    if arguments.rate is not None:
        _rate(arguments.rate, mix_limits=arguments.mix_limits)
        return 0
    found: dict[str, tuple[Cost, bool]] = {}
    with tempfile.TemporaryDirectory(prefix="mtdf-scale-") as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in [arguments.only] if arguments.only else BUILDERS:
            path = _built(folder, name, arguments.games, arguments.players)
            costs = _measured(path, arguments.players)
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
        memory = f"  {cost.peak_mb:.0f} MB" if cost.peak_mb else ""
        print(f"{name:<44} {cost.cpu_s:6.3f} s CPU {cost.wall_s:7.3f} s wall{memory}")
    print(f"missed: {', '.join(missed) or 'nothing'}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
