"""A worker keeps the latest players that joined; one that it dropped plays the same games again."""

from __future__ import annotations

from types import ModuleType

import pytest
from msgspec import structs
from msgspec.structs import asdict

from db.records.games import GameRecord
from engines.limit import Limit
from engines.spec import Player, Variant
from engines.variant import parse_variant
from toolkit.base.version import Provenance
from toolkit.books.book import package_book
from toolkit.events import worker as worker_module
from toolkit.events.event import make_assignment
from toolkit.events.schedule import Schedule
from toolkit.events.settings import EventSettings, match_settings
from toolkit.events.worker import Assignment, PairTask, PairWorker
from toolkit.referee.adjudication import Adjudication

BOOK = package_book("default-500")
PROGRAM = Provenance(version="1", backend="toy", signature="0" * 16, host="here")
POINTS = [
    parse_variant(f"mtdf:hash=1,grain={grain},name=#{number}")
    for number, grain in enumerate((2, 3, 5, 8, 13, 21))
]
ROUNDS = [(0, 1), (2, 3), (0, 2), (4, 5), (1, 0), (3, 5), (0, 1)]
"""Points that meet, one pair each."""


def settings(nodes: int, plies: int) -> EventSettings:
    short = Adjudication(max_plies=plies, draw=None, resign=None)
    of = match_settings(
        "mtdf:hash=1,name=base",
        "pvs",
        pairs=1,
        limit=Limit(nodes=nodes),
        book=BOOK,
        adjudication=short,
    )
    return structs.replace(of, kind="tuning", players=of.players[:1], pairs=100)


def tasks(of: EventSettings) -> list[PairTask]:
    """Pairs of points with each other, and of each with the base."""
    schedule = Schedule(of, BOOK)
    base = of.players[0].variant()
    found = []
    for number, (one, two) in enumerate(ROUNDS):
        pair = (POINTS[one], POINTS[two])
        found.append(schedule.common_task(2 * number, number, (one + 1, two + 1), pair))
        found.append(schedule.common_task(2 * number + 1, 0, (one + 1, 0), (pair[0], base)))
    return found


def essence(game: GameRecord) -> dict[str, object]:
    fields = asdict(game)
    varying = ("started_at", "ended_at", "load", "search_data", "white_cpu_us", "black_cpu_us")
    return {key: value for key, value in fields.items() if key not in varying}


def test_dropped_player_plays_same_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of = settings(nodes=40, plies=24)
    played = []
    for kept in (2, 3, 100):
        monkeypatch.setattr(worker_module, "JOINED_KEPT", kept)
        worker = PairWorker(make_assignment(of, 1, PROGRAM))
        played.append([essence(game) for task in tasks(of) for game in worker.play(task)])
    assert played[0] == played[1] == played[2]
    assert {game["white"] for game in played[0]} == {"base", *(f"#{n}" for n in range(6))}


def test_only_latest_joined_players_are_kept(
    toys: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    closed: list[str] = []

    def make(variant: Variant) -> Player:
        made.append(variant.label)
        player: Player = toys.RandomPlayer(variant)
        monkeypatch.setattr(player, "close", lambda: closed.append(variant.label))
        return player

    monkeypatch.setattr(worker_module, "JOINED_KEPT", 3)
    of = settings(nodes=1, plies=4)
    assignment: Assignment = make_assignment(of, 1, PROGRAM, make)
    worker = PairWorker(assignment)
    for task in tasks(of):
        worker.play(task)
    assert made == "#0 #1 base #2 #3 #4 #5 #1 #0 #3 #5 #0 #1".split()
    assert closed == "#1 #3 #2 #0 #5 #4 #0 #1 #5".split()
