"""A limit of a single player is kept in settings, games, keys, replays and ratings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from msgspec import convert, to_builtins
from msgspec.structs import replace

from db.limits import EventLimits, limit_key
from db.records.games import GameFilter, GameRecord
from db.session import Database
from engines.limit import Limit
from engines.spec import UciCommand, UciEngine
from engines.variant import parse_variant
from toolkit.base.errors import DatabaseProblem, UsageError
from toolkit.books.book import package_book
from toolkit.events.event import start_event
from toolkit.events.plan import plan_event
from toolkit.events.players import Contender
from toolkit.events.settings import EventSettings, gauntlet_settings, match_settings
from toolkit.ratings.rating import rate_games
from toolkit.referee.adjudication import Adjudication
from toolkit.referee.replay import ReplayMismatch, replay_game
from toolkit.reports.outcome import overruns

Failing = Callable[..., list[str]]

NODES = Limit(nodes=400)
SHORT = Adjudication(max_plies=12, draw=None, resign=None)
EXTERNAL = UciEngine(
    command=UciCommand(("fake", "x"), "/opt", (("A", "b"),)),
    options=(("Hash", "4"),),
    facts={"name": "Fake"},
    spelling="uci:fake x",
    label="fake",
    restart=True,
    defaults=(("Hash", "16"), ("UCI_Chess960", "false")),
)

FIRST_KEYS: Mapping[str, set[str]] = {
    "": {
        *("kind", "players", "heroes", "pairs", "limit", "book", "adjudication"),
    },
    "limit": {"nodes"},
    "book": {"id", "name", "source", "lines"},
    "adjudication": {"max_plies", "draw", "resign", "tablebases"},
}
"""The keys that the settings of every event have."""


def test_settings_without_new_fields_keep_their_keys() -> None:
    data = gauntlet_settings(["mtdf"], ["pvs", "alphabeta"], pairs=2, limit=NODES).to_json()
    assert set(data) == FIRST_KEYS[""]
    for name in ("limit", "book", "adjudication"):
        assert set(data[name]) == FIRST_KEYS[name]
    for player in data["players"]:
        assert set(player) == {"kind", "label", "spelling", "driver", "parameters", "effective"}
    assert json.loads(json.dumps(data)) == data


def test_every_new_setting_is_kept(failing: Failing) -> None:
    def check(values: dict[str, Any]) -> None:
        plain = match_settings("mtdf:nodes=7", Contender(EXTERNAL), pairs=2, limit=NODES)
        if "limit" in values and values["limit"].cpu_ms:
            plain = match_settings("mtdf:nodes=7", "pvs", pairs=2, limit=NODES)
        settings = replace(plain, **values)
        data = json.loads(json.dumps(settings.to_json()))
        assert EventSettings.from_json(data) == settings != plain
        assert data != plain.to_json()

    assert not failing(
        check,
        zip(
            [
                {"patience_ms": 5},
                {"chess960": True},
                {"openings": "shared"},
                {"extensions": (3, 1)},
                {"limit": Limit(base_ms=60_000, moves=40, inc_ms=500)},
                {"limit": Limit(cpu_ms=9)},
            ]
        ),
    )


def test_player_survives_json(failing: Failing) -> None:
    def check(limit: Limit | None, engine: Any) -> None:
        player = Contender(engine, limit)
        data = json.loads(json.dumps(to_builtins(player)))
        again = convert(data, Contender)
        assert again == player and json.loads(json.dumps(to_builtins(again))) == data
        assert (again.playable(), again.id) == (engine, engine.identity)
        assert ("limit" in data) == (limit is not None)

    assert not failing(
        check,
        [
            (limit, engine)
            for limit in [
                None,
                Limit(nodes=5),
                Limit(depth=3),
                Limit(movetime_ms=9),
                Limit(base_ms=1000, moves=2),
            ]
            for engine in [parse_variant("mtdf:hash=1,name=x"), EXTERNAL]
        ],
    )


def test_damaged_limits_are_refused() -> None:
    data = match_settings("mtdf:nodes=7", "pvs", pairs=2, limit=NODES).to_json()
    assert data["limits"] == {"0": {"nodes": 7}}
    for broken in ({"0": {"nods": 7}}, {"0": 7}, 7):
        with pytest.raises(DatabaseProblem, match="damaged"):
            EventSettings.from_json({**data, "limits": broken})


def test_limits_are_found_by_position_and_label() -> None:
    settings = match_settings("mtdf:nodes=7", "pvs", pairs=2, limit=NODES)
    assert settings.limits == (Limit(nodes=7), NODES)
    assert settings.limits_of("pvs", "mtdf:nodes=7") == (NODES, Limit(nodes=7))
    timed = match_settings("mtdf:tc=1+0.1", "pvs", pairs=2, limit=NODES)
    assert (timed.deterministic, timed.is_timed) == (False, True)
    assert (settings.deterministic, settings.is_timed) == (True, False)
    with pytest.raises(UsageError, match="cannot be limited by CPU time"):
        match_settings("pvs", Contender(EXTERNAL), pairs=1, limit=Limit(cpu_ms=5))
    match_settings("pvs", Contender(EXTERNAL, NODES), pairs=1, limit=Limit(cpu_ms=5))


def test_plan_includes_own_limits() -> None:
    settings = match_settings("mtdf:tc=2+0", "pvs:tc=1+0", pairs=1, limit=NODES)
    plan = plan_event(settings, warm_up=False)
    assert plan.limit == "400 nodes/move; mtdf:tc=2+0: 2+0 s; pvs:tc=1+0: 1+0 s"
    assert not plan.deterministic
    assert plan.estimate_s == pytest.approx(2 * 0.85 * (2 + 1))
    one = match_settings("mtdf:tc=2+0", "pvs", pairs=1, limit=NODES)
    assert plan_event(one, warm_up=False).estimate_s is None
    assert plan_event(match_settings("mtdf", "pvs", pairs=1, limit=NODES), warm_up=False).limit == (
        "400 nodes/move"
    )


def play(db: Database, first: str, second: str, limit: Limit = NODES) -> list[GameRecord]:
    book = package_book("default-500")  # each database stores it
    settings = match_settings(first, second, pairs=2, limit=limit, book=book, adjudication=SHORT)
    event = start_event(db, settings).event
    return list(db.repository.games(GameFilter(event_id=event.id)))


@pytest.mark.native
def test_each_player_searches_with_its_own_limit(db: Database) -> None:
    limits = {"less": Limit(nodes=500), "pvs": Limit(nodes=1500)}
    for game in play(db, "mtdf:nodes=500,name=less", "pvs", Limit(nodes=1500)):
        per_side = (game.plies + 1) // 2
        nodes = {game.white: game.white_nodes, game.black: game.black_nodes}
        replay_game(game, SHORT, tuple(limits[label] for label in (game.white, game.black)))
        wrong = (limits[game.black], limits[game.white])
        with pytest.raises(ReplayMismatch, match="key"):
            replay_game(game, SHORT, wrong)
        assert nodes["less"] is not None and nodes["pvs"] is not None
        assert nodes["less"] / per_side < 650 and nodes["pvs"] / per_side > 1400


@pytest.mark.native
def test_games_do_not_depend_on_how_limit_is_given(db: Database) -> None:
    """As the event's or as a player's: the limits are equal, so the second games repeat the first;
    other limits are other games."""
    first = play(db, "mtdf:nodes=150", "pvs")
    second = play(db, "mtdf", "pvs:nodes=400", Limit(nodes=150))
    assert [game.moves for game in first] == [game.moves for game in second]
    assert [game.game_key for game in first] == [game.game_key for game in second]
    assert [game.repeats for game in second] == [game.id for game in first]
    other = play(db, "mtdf", "pvs")
    swapped = play(db, "mtdf", "pvs:nodes=150")
    keys = [{game.game_key for game in games} for games in (first, other, swapped)]
    assert not keys[0] & keys[1] and not keys[0] & keys[2] and not keys[1] & keys[2]
    report = rate_games(db)
    found = {(one.identity, one.limit) for one in report.players.values()}
    assert len(found) == 4  # each of the two under 150 and under 400 nodes


@pytest.mark.native
def test_low_limit_is_reported_for_its_player_only(db: Database) -> None:
    play(db, "mtdf:nodes=1,name=low", "pvs")
    assert list(overruns(db, db.repository.find_event("last"))) == ["low"]
    play(db, "mtdf:name=high", "pvs:nodes=400", Limit(nodes=1))
    assert list(overruns(db, db.repository.find_event("last"))) == ["high"]


def test_limits_of_players_are_stored() -> None:
    limits = EventLimits()
    limits.add(1, {"nodes": 5}, {"1": {"nodes": 9}})
    limits.add(2, {"nodes": 9}, None)
    limits.add(3, None, None)
    assert limits.of(1, 0) == limit_key({"nodes": 5})
    assert limits.of(1, 1) == limits.of(2, 0) == limits.of(2, 7) == limit_key({"nodes": 9})
    assert limits.of(3, 0) == limit_key({})
    assert limits.in_order() == sorted({limits.of(1, 0), limits.of(1, 1), limits.of(3, 0)})
    with pytest.raises(KeyError):
        limits.of(4, 0)
