"""How fast questions are on a large database: 1,000,000 games of 1,000 players.

    python benchmarks/scale.py [--games N] [--players N] [--db FILE] [--json]

Builds the database in a temporary folder (or at FILE, which is kept and used again), runs every
question once to warm up and once to measure, and each rating fit in a fresh process, of which CPU
time and the peak of memory are told. Exit code 1 when an aim is missed: a second for a question,
three seconds of CPU and 500 MB for ratings of 1,000 players, one second for 100.
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
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import insert

from db.models import (
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
from db.session import Database, open_database
from toolkit import queries, rating
from toolkit.play.outcome import EndReason as Reason

EVENTS = 20
LINES = 20_000
QUESTION_S = 1.0
_DAY_MS = 86_400_000
_START_MS = 1_767_225_600_000


def build(path: Path, games: int, players: int) -> None:
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


def _small_tables(players: int) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    core = {"host": "tower", "version": "0.1.0", "backend": "native"}
    yield Provenance, [{"id": 1, "signature": "0123456789abcdef", **core}]
    yield EndReason, [{"id": n, "name": str(reason)} for n, reason in enumerate(Reason, 1)]
    yield Book, [{"id": 1, "identity": "b" * 16, "name": "big", "source": "big", "lines": LINES}]
    yield Opening, [
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
    ]
    yield Variant, [
        {
            "id": n,
            "identity": f"{n:016x}",
            "kind": "native",
            "driver": "mtdf",
            "parameters": {"hash": n},
            "spelling": f"mtdf:hash={n}",
        }
        for n in range(1, players + 1)
    ]


def _event_rows(event: int, pairs: int, players: int) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    random = np.random.default_rng(event)
    started = _START_MS + event * 10 * _DAY_MS
    yield Event, [
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
    ]
    yield EventPlayer, [
        {"event_id": event, "position": n, "label": f"p{n + 1}", "variant_id": n + 1}
        for n in range(players)
    ]
    # Everybody meets the next players of the list, another distance each event.
    meetings = max(1, pairs // (players * 5))
    met = [
        (n, n + 1 + (event * meetings + step) % max(1, players // 4))
        for n in range(players)
        for step in range(meetings)
    ]
    met = [(one, two) for one, two in met if two < players] or [(0, 1)]
    yield Pairing, [
        {"event_id": event, "pairing": n, "first_player": one, "second_player": two}
        for n, (one, two) in enumerate(met)
    ]
    place = np.arange(pairs)
    pairing, pair = place * len(met) // pairs, np.zeros(pairs, dtype=int)
    begins = np.searchsorted(pairing, np.arange(len(met)))
    pair = place - begins[pairing]
    one = np.array([a for a, _ in met])[pairing]
    two = np.array([b for _, b in met])[pairing]
    # Strength falls along the list; White is worth 30 Elo; two games in five are drawn.
    first = _scores(random, (two - one) * 0.6 + 30.0)
    second = _scores(random, (two - one) * 0.6 - 30.0)
    yield Pair, [
        {
            "event_id": event,
            "pairing": int(pairing[n]),
            "pair": int(pair[n]),
            "first_is_white": True,
            "score1": int(first[n]),
            "score2": int(second[n]),
            "counted": True,
        }
        for n in range(pairs)
    ]
    plies = random.integers(20, 300, (pairs, 2))
    reasons = random.integers(1, len(Reason) + 1, (pairs, 2))
    nodes = plies * 1000
    rows = [
        {
            "id": (event - 1) * 2 * pairs + 2 * n + game + 1,
            "event_id": event,
            "pairing": int(pairing[n]),
            "pair": int(pair[n]),
            "game": game + 1,
            "white_player": int(two[n] if game else one[n]),
            "black_player": int(one[n] if game else two[n]),
            "white_score": int(2 - second[n] if game else first[n]),
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
    yield Game, rows
    # Real games take about three bytes a ply and search; a fifth of that is enough to be in the way.
    moves = b"\x0c\x07" * 40
    yield GameMoves, [
        {
            "game_id": row["id"],
            "moves_version": 1,
            "moves": moves,
            "search_version": 1,
            "search_data": b"\x00" * 100,
        }
        for row in rows
    ]


def _scores(random: np.random.Generator, difference: Any) -> Any:
    """Half points of the first player of each game."""
    expected = 1.0 / (1.0 + 10.0 ** (-difference / 400.0))
    draw = 0.4 * 4.0 * expected * (1.0 - expected)
    win = expected - draw / 2.0
    u = random.random(expected.size)
    return np.where(u < win, 2, np.where(u < win + draw, 1, 0))
