"""Every option that selects games agrees with SQL, in every command that has it."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any

import click
import pytest
from command_tree import LEAVES
from msgspec import to_builtins

from db.records.engines import VariantRecord
from db.records.events import TUNING_KIND, EventRecord
from db.session import open_database
from engines.spec import Variant

Mtdf = Callable[..., Any]
ANNA, BERT, CARL, DORA = "a" * 16, "b" * 16, "c" * 16, "d" * 16
THREE = {"anna": ANNA, "bert": BERT, "carl": CARL}
DISCS = {"anna": "e" * 16, "bert": "f" * 16, "carl": "9" * 16}
SLOW = {"base_ms": 200, "inc_ms": 10, "moves": 40}
FAST = {"base_ms": 200, "inc_ms": 10}
EVENTS: list[tuple[str, dict[str, str], dict[str, Any]]] = [
    ("short", THREE, {"limit": {"nodes": 200}}),
    ("controls", THREE, {"limit": SLOW}),
    ("increments", THREE, {"limit": FAST}),
    (
        "own",
        {"anna": ANNA, "bert:nodes=300": BERT, "carl:nodes=600": CARL, "dora": DORA},
        {"limit": {"nodes": 200}, "limits": {"1": {"nodes": 300}, "2": {"nodes": 600}}},
    ),
    (
        "alike",
        {"anna:nodes=200": ANNA, "bert:nodes=200": BERT, "carl": CARL, "dora": DORA},
        {"limit": {"nodes": 300}, "limits": {"0": {"nodes": 200}, "1": {"nodes": 200}}},
    ),
    ("renamed", {"old": ANNA, "anna": DORA, "bert": BERT}, {"limit": {"nodes": 200}}),
    ("deep", THREE, {"limit": {"depth": 3}}),
    ("times", THREE, {"limit": {"movetime_ms": 50}}),
    ("processor", THREE, {"limit": {"cpu_ms": 20}}),
    ("discs", DISCS, {"limit": {"nodes": 200}}),
    ("tuned", THREE, {"limit": {"nodes": 200}}),
]
"""Name, identity by label, and settings; on one day each, from the first of the month."""
NODES = "white_limit = '{{\"nodes\":{0}}}' AND black_limit = '{{\"nodes\":{0}}}'"
BOTH = "white {0} AND black {0}"
ANNAS = "IN ('anna', 'anna:nodes=200')"
BERTS = "IN ('bert', 'bert:nodes=200', 'bert:nodes=300')"
Case = tuple[str, str]
SHARED: dict[str, list[Case]] = {
    "--game": [
        ("--game chess", "game_played = 'chess'"),
        ("--game othello", "game_played = 'othello'"),
        ("--game othello --nodes 200", "game_played = 'othello'"),
    ],
    "--nodes": [(f"--nodes {n}", NODES.format(n)) for n in (200, 300, 600)],
    "--depth": [("--depth 3", "event_name = 'deep'")],
    "--movetime": [("--movetime 50", "event_name = 'times'")],
    "--cpu-ms": [("--cpu-ms 20", "event_name = 'processor'")],
    "--tc": [
        ("--tc 40/0.2+0.01", "event_name = 'controls'"),
        ("--tc 0.2+0.01", "event_name = 'increments'"),
    ],
    "--since": [("--since 2026-11-04", "started_at >= '2026-11-04'")],
    "--until": [("--until 2026-11-04", "started_at < '2026-11-04'")],
    "--event": [
        ("--event own", "event_name = 'own'"),
        ("--event own --nodes 200", f"event_name = 'own' AND {NODES.format(200)}"),
        ("--event tuned", "event_name = 'tuned'"),
    ],
}
BETWEEN: list[Case] = [
    (
        "--engine anna --engine bert",
        BOTH.format("IN ('anna','anna:nodes=200','bert','bert:nodes=200','bert:nodes=300')"),
    ),
    (
        f"--engine {ANNA} --engine bert:nodes=300",
        f"(white_id = '{ANNA}' OR white = 'bert:nodes=300') AND "
        f"(black_id = '{ANNA}' OR black = 'bert:nodes=300')",
    ),
    (
        "--engine *r* --nodes 200",
        f"white GLOB '*r*' AND black GLOB '*r*' AND {NODES.format(200)}",
    ),
]
"""Games between some engines; a label means its games, an identity those under every label."""
OF_ENGINE: list[Case] = [
    ("--engine anna", f"(white {ANNAS} OR black {ANNAS})"),
    (f"--engine {ANNA[:6]}", f"'{ANNA}' IN (white_id, black_id)"),
    ("--engine bert:nodes=300", "'bert:nodes=300' IN (white, black)"),
]
LISTED: dict[str, list[Case]] = {
    "--engine": OF_ENGINE,
    "--opponent": [
        (
            "--engine anna --opponent bert",
            f"(white {ANNAS} AND black {BERTS} OR white {BERTS} AND black {ANNAS})",
        ),
    ],
    "--result": [
        (
            "--engine anna --result win",
            f"(white {ANNAS} AND result = '1-0' OR black {ANNAS} AND result = '0-1')",
        ),
        ("--result 0-1", "result = '0-1'"),
        ("--result draw", "result = '1/2-1/2'"),
    ],
    "--side": [("--engine anna --side black", f"black {ANNAS}")],
    "--end-reason": [("--end-reason time", "end_reason = 'time-forfeit'")],
    "--opening": [
        ("--opening small:2", "book_id = 'feedbeef' AND opening_line = 2"),
        ("--opening 1", "opening_line = 1"),
    ],
    "--min-plies": [("--min-plies 12", "plies >= 12")],
    "--max-plies": [("--max-plies 12", "plies <= 12")],
    "--limit": [("--limit 5", "true LIMIT 5")],
}
COMMANDS: dict[str, dict[str, list[Case]]] = {
    "games": LISTED,
    "ratings": {"--engine": BETWEEN},
    "crosstable": {"--engine": BETWEEN},
    "h2h": {},
    "openings stats": {},
}


@pytest.fixture
def selected(mtdf: Mtdf, store_event: Callable[..., EventRecord]) -> Mtdf:
    """Those events in the database, each with four games of every two players."""
    with open_database("mtdf.db", create=True) as db:
        for day, (name, players, settings) in enumerate(EVENTS, start=1):
            _store(db, store_event, day, name, players, dict(settings))
    return mtdf


def _store(
    db: Any,
    store_event: Callable[..., EventRecord],
    day: int,
    name: str,
    players: Mapping[str, str],
    settings: dict[str, Any],
) -> None:
    game = "othello" if players is DISCS else "chess"
    db.repository.add_variants(
        VariantRecord(identity, "native", "mtdf", {"game": game, "name": identity}, identity)
        for identity in players.values()
    )
    settings["players"] = [
        to_builtins(Variant("mtdf", {"game": game}, {"game": game}, label, label))
        for label in players
    ]
    pairs = []
    for number, (one, two) in enumerate(2 * list(itertools.combinations(players, 2))):
        common = {
            "started_at": f"2026-11-{day:02}T10:00:00.000Z",
            "ended_at": f"2026-11-{day:02}T10:01:00.000Z",
            "plies": 10 + number,
            "moves": b"",
            "search_data": b"",
            "search_version": 0,
            "moves_version": 3 if game == "othello" else 1,
            "book_id": "feedbeef",
            "opening_line": 1 + number % 2,
            "end_reason": "time-forfeit" if number % 3 else "checkmate",
        }
        results = ("1-0", "1/2-1/2", "0-1")
        # The first pair of every event of 200 nodes is the same one.
        key = f"{number:02x}" if number == 0 and settings["limit"] == {"nodes": 200} else None
        pairs.append(
            [
                (one, two, results[number % 3], common | {"game_key": key and key + "01"}),
                (two, one, results[number % 2], common | {"game_key": key and key + "02"}),
            ]
        )
    kind = {"kind": TUNING_KIND} if name == "tuned" else {}
    store_event(db, players, pairs, name=name, settings=settings, **kind)


def in_sql(condition: str, columns: str) -> list[Any]:
    """Columns of the games that meet a condition; ``white_limit`` is the limit of White."""
    limit = (
        "(SELECT coalesce(json_extract(e.settings, '$.limits.' || p.position), "
        "json_extract(e.settings, '$.limit')) FROM events e JOIN event_players p "
        "ON p.event_id = e.id WHERE e.key = g.event AND p.label = g.{0}) AS {0}_limit"
    )
    at = "(SELECT id FROM events e WHERE e.key = g.event) AS at"
    games = f"SELECT g.*, {at}, {limit.format('white')}, {limit.format('black')} FROM v_games g"
    own_tuning = "" if "'tuned'" in condition else "event_kind <> 'tuning' AND "
    with closing(sqlite3.connect("mtdf.db")) as connection:
        ordered = f"SELECT {columns} FROM ({games} ORDER BY at, pairing, pair, game)"
        return connection.execute(f"{ordered} WHERE {own_tuning}{condition}").fetchall()


def distinct(condition: str) -> int:
    """How many different games meet a condition."""
    return len({key or number for key, number in in_sql(condition, "game_key, id")})


def numbers(selected: Mtdf, command: str, words: Sequence[str]) -> tuple[Any, Callable[[str], Any]]:
    """What a command finds, and the same of a condition in SQL."""
    if command == "games":
        result = selected("games", "--jsonl", *words)
        assert result.code in (0, 5), result.err
        found = [int(json.loads(line)["id"][1:]) for line in result.out.splitlines()]
        return found, lambda sql: [number for (number,) in in_sql(sql, "id")]
    names: tuple[str, ...] = ()
    met = ""
    if command == "h2h":
        names = ("anna", "bert", "--mix", "--mix-limits")
        met = f"(white {ANNAS} AND black {BERTS} OR white {BERTS} AND black {ANNAS}) AND "
    elif command == "crosstable" and "--event" not in words:
        names = ("--all-events",)  # the default is the newest one
    result = selected(*command.split(), *names, "--json", *words)
    assert result.code in (0, 5), result.err
    rows = result.json if result.code == 0 else []
    games = sum(row["games"] for row in (rows if isinstance(rows, list) else [rows]))
    return games / (2 if command == "ratings" else 1), lambda sql: distinct(met + sql)


def selecting(command: str) -> set[str]:
    """The options of a command that select games, as its help says."""
    options = (one for one in LEAVES[command].params if isinstance(one, click.Option))
    return {
        one.opts[0]
        for one in options
        if (one.help or "").startswith(("Only games", "Only what", "Only the first"))
    }


@pytest.mark.slow
def test_selections_are_those_of_sql(selected: Mtdf) -> None:
    checked = 0
    for command, own in COMMANDS.items():
        cases = SHARED | own
        assert cases.keys() == selecting(command), command
        everything = [case for found in cases.values() for case in found]
        for words, condition in everything:
            game = [] if "--game" in words else ["--game", "chess"]
            found, oracle = numbers(selected, command, [*words.split(), *game])
            wanted = oracle(condition if not game else f"game_played = 'chess' AND {condition}")
            assert found == wanted, (command, words)
            checked += bool(found)
    assert checked > 80
