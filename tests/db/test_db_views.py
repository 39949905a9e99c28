"""The documented views are the views that there are, and say what the repository says."""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import inspect, text

from db.records.events import EventRecord, PairFailureRecord
from db.records.games import GameProblemRecord, GameRecord
from db.records.laboratory import LabEngineRecord, LabPositionRecord, LabRunRecord, LabSearchRecord
from db.records.ratings import RatingListRecord, RatingRow
from db.records.studies import EncounterRecord, StudyRecord, TrialRecord
from db.schema import views
from db.schema.declared import METADATA
from db.session import Database
from engines.spec import MATE

DOCUMENT = Path(__file__).parents[2] / "docs" / "database.md"


EVENT_COLUMNS = ("event", "event_name", "event_kind", "white_score", "game_played")


def documented_views() -> dict[str, list[str]]:
    """Views and their columns as docs/database.md has them."""
    sections = re.split(r"^### ", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    found = {}
    for section in sections:
        heading, *lines = section.splitlines()
        rows = [re.match(r"\| `(\w+)` \| \S", line) for line in lines]
        same = re.search(r"^The columns of `(\w+)`", section, re.MULTILINE)
        found[heading.strip("`")] = found[same[1]] if same else [row[1] for row in rows if row]
    return found


def rows_of(database: Database, view: str, order: str) -> list[dict[str, Any]]:
    """All rows of a view."""
    with database.repository._store.read() as connection:
        rows = connection.execute(text(f"SELECT * FROM {view} ORDER BY {order}"))
        return [dict(row) for row in rows.mappings()]


def json_of(value: Any) -> Any:
    """What a JSON column holds: SQLite gives its text, PostgreSQL's driver the value."""
    return json.loads(value) if isinstance(value, str) else value


@pytest.fixture
def filled(
    database: Database,
    event: EventRecord,
    make_game: Callable[..., GameRecord],
    make_study: Callable[..., StudyRecord],
) -> Database:
    """A database with something in every view."""
    repository = database.repository
    for pair, keys in enumerate((("aa", "bb"), ("aa", None))):
        games = [make_game(event.id, 0, pair, n + 1, game_key=keys[n]) for n in range(2)]
        problem = GameProblemRecord(False, "fault", "died", games[0].start_fen, "engine --loud")
        games[0] = replace(games[0], result="1-0", problems=(problem,))
        repository.commit_pairs(event.id, [games])
    repository.record_failures([PairFailureRecord(event.id, 0, 2, 2, "worker died twice")])
    row = RatingRow("a" * 16, "A", 12.5, 8.0, 4, 0.75, None)
    fit = RatingListRecord(0, "2026-11-21T12:00:00.000Z", "0.1.0", "pairs", {"mean": 0}, (row,))
    repository.add_rating_list(fit)
    study = repository.create_study(make_study(result={"gain_elo": 3.5}))
    trial = TrialRecord(study.id, 0, "running", {"grain": 4}, started_at="2026-11-21T13:00:00.000Z")
    some = [
        EncounterRecord(0, "search", {"grain": 4}, 0, 3, 0, {"grain": 2}, None),
        EncounterRecord(1, "search", {"grain": 4}, 3, 5, 0, None, 1),
        EncounterRecord(2, "gain", {"grain": 3}, 8, 2, None, None, None, (0.25, None)),
    ]
    repository.begin_trial(trial, some[:2])
    repository.add_encounters(study.id, some[2:])
    repository.finish_encounter(study.id, 0, (0.0, 1.0, 0.5))
    repository.finish_trial(study.id, 0, "pruned", 0.5, {"own": 1}, [0.25, 0.5])
    run = repository.create_lab_run(
        LabRunRecord(
            *(0, "drivers", "planned"),
            {"suite": "some", "suite_id": "0123abcd", "depths": [2]},
            "2026-11-21T14:00:00.000Z",
            *(None, None, "0.1.0", "native", "0123456789abcdef", "tower", "sweep"),
        ),
        [
            LabEngineRecord(0, "base", "a" * 16, 0),
            LabEngineRecord(1, "B", "b" * 16, 0, "grain", "4"),
        ],
        [LabPositionRecord(0, "lab-01", "some fen")],
    )
    passes = [
        {"alpha": 19, "beta": 20, "value": -3, "nodes": 9},
        {"alpha": -32700, "beta": 32700, "value": -3, "nodes": 10},
        {"alpha": -5, "beta": -4, "value": -4, "nodes": 30, "move": "d2d4"},
    ]
    data = [
        {"depth": 2, "value": -3, "move": "d2d4", "move_value": None, "first_guess": 20}
        | {"interior": 5, "leaves": 40, "quiescence": 4, "probes": 9, "hits": 3, "cutoffs": 1}
        | {"cpu_us": 150, "wall_us": 170, "passes": passes}
    ]
    found = LabSearchRecord(1, 0, 2, -3, "d2d4", 5, 40, 4, 1, 150, data, "2026-11-21T14:00:01.000Z")
    repository.add_lab_searches(run.id, [found])
    return database


def test_every_view_and_column_is_documented(database: Database) -> None:
    with database.repository._store.read() as connection:
        inspector = inspect(connection)
        existing = {
            view: [column["name"] for column in inspector.get_columns(view)]
            for view in inspector.get_view_names()
        }
    assert documented_views() == existing


def test_every_table_is_documented() -> None:
    section = DOCUMENT.read_text(encoding="utf-8").split("## Tables")[1].split("## Views")[0]
    lines = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    named = {name for line in lines for name in re.findall(r"`(\w+)`", line)}
    assert named == set(METADATA.tables)


def test_every_view_has_rows(filled: Database) -> None:
    for view in documented_views():
        assert rows_of(filled, view, "1"), view


def test_games_are_those_of_the_repository(filled: Database, event: EventRecord) -> None:
    names = [c for c in documented_views()["v_games"] if c not in EVENT_COLUMNS]
    rows = rows_of(filled, "v_games", "id")
    games = list(filled.repository.games())
    for row, game in zip(rows, games, strict=True):
        stored = {name: getattr(game, name) for name in names}
        stored["speed"] = game.speed or None  # an unknown speed is null in SQL
        stored["lines"] = filled.repository.game_lines(game.id) or None
        assert {name: row[name] for name in names} == stored
        assert [row[name] for name in EVENT_COLUMNS[:3]] == [event.key, event.name, event.kind]
        assert float(row["white_score"]) == {"1-0": 1.0, "1/2-1/2": 0.5}[game.result]


def test_games_of_tuning_are_marked(
    filled: Database,
    make_event: Callable[..., EventRecord],
    make_game: Callable[..., GameRecord],
    event: EventRecord,
) -> None:
    repository = filled.repository
    players = repository.event_players(event.id)
    tuning = repository.create_event(make_event(kind="tuning", name="better"), players)
    repository.commit_pairs(tuning.id, [[make_game(tuning.id, 0, 0, n) for n in (1, 2)]])
    every, matches = (rows_of(filled, view, "id") for view in ("v_games", "v_match_games"))
    assert [row for row in every if row["event_kind"] != "tuning"] == matches
    assert len(every) == len(matches) + 2
    assert every[-1]["event_name"] == "better"
    kinds = {(row["event"], row["event_kind"]) for row in rows_of(filled, "v_pairs", "pair")}
    assert kinds == {(event.key, event.kind), (tuning.key, "tuning")}


def test_events_have_their_name_in_every_view(filled: Database, event: EventRecord) -> None:
    for view, columns in documented_views().items():
        if "event" in columns:
            assert "event_name" in columns, view
            for row in rows_of(filled, view, "1"):
                assert row["event_name"] == (event.name if row["event"] else None)


def test_events_are_those_of_the_repository(filled: Database) -> None:
    (event,) = filled.repository.events()
    (row,) = rows_of(filled, "v_events", "id")
    for name in documented_views()["v_events"]:
        if name not in ("id", "book", "settings", "game_played"):
            assert row[name] == getattr(event, name), name
    assert (row["id"], row["book"]) == (event.key, "small")


@pytest.mark.parametrize("game", [None, "othello"])
def test_events_and_games_name_the_game_of_their_players(
    filled: Database, game: str | None
) -> None:
    parameters = "{}" if game is None else json.dumps({"game": game})
    found = {}
    with pytest.raises(ZeroDivisionError), filled.repository._store.write() as connection:
        connection.exec_driver_sql(f"UPDATE variants SET parameters = '{parameters}'")
        for view in ("v_events", "v_games", "v_match_games"):
            rows = connection.exec_driver_sql(f"SELECT game_played FROM {view}")
            found[view] = set(rows.scalars())
        raise ZeroDivisionError  # so that nothing of it is stored
    assert list(found.values()) == [{game or "chess"}] * 3


def test_pairs_have_the_points_of_the_first_player(filled: Database, event: EventRecord) -> None:
    rows = rows_of(filled, "v_pairs", "pairing, pair")
    for number, row in enumerate(rows):
        assert (row["pair"], row["first"], row["second_id"]) == (number, "A", "b" * 16)
        assert [float(row[name]) for name in ("score1", "score2", "points")] == [1.0, 0.5, 1.5]
        assert row["first_is_white"] == 1
    assert [row["counted"] for row in rows] == [True, False]


def test_other_views(filled: Database, event: EventRecord) -> None:
    (failure,) = rows_of(filled, "v_failures", "pair")
    assert (failure["event"], failure["pair"], failure["attempts"]) == (event.key, 2, 2)
    (rating,) = rows_of(filled, "v_ratings", "rank")
    assert (rating["engine"], rating["engine_id"], rating["elo"]) == ("A", "a" * 16, 12.5)
    assert rating["created_at"] == "2026-11-21T12:00:00.000Z"
    players = rows_of(filled, "v_players", "position")
    assert [(p["label"], p["spelling"]) for p in players] == [
        ("A", "mtdf:guess=A"),
        ("B", "mtdf:guess=B"),
    ]
    openings = rows_of(filled, "v_openings", "line")
    assert [(o["line"], o["label"], o["fen"]) for o in openings] == [
        (1, "Open", "after e4 b"),
        (2, "", "after d4 b"),
    ]
    assert [v["id"] for v in rows_of(filled, "v_variants", "id")] == ["a" * 16, "b" * 16]


def test_ratings_have_limit_and_core(filled: Database) -> None:
    """Of the row that has this rank in the list."""
    row = RatingRow("a" * 16, "A", 12.5, 8.0, 4, 0.75, None)
    players = [{"core": "native:0123", "limit": {"nodes": 60}}, {"limit": {}}, {}]
    fit = RatingListRecord(0, "", "0.1.0", "pairs", {"mean": 0, "players": players}, (row,) * 3)
    number = filled.repository.add_rating_list(fit).id
    rows = [row for row in rows_of(filled, "v_ratings", "list, rank") if row["list"] == number]
    assert [row["core"] for row in rows] == ["native:0123", None, None]
    limits = [row["search_limit"] and json_of(row["search_limit"]) for row in rows]
    assert limits == [{"nodes": 60}, {}, None]


def test_views_of_tuning(filled: Database) -> None:
    (study,) = rows_of(filled, "v_tuning_studies", "name")
    assert (study["name"], study["event"], study["trials"], study["pairs"]) == ("lmr", None, 1, 5)
    assert (study["host"], study["signature"]) == ("tower", "0123456789abcdef")
    assert json_of(study["settings"]) == {"sampler": "spsa"}
    assert json_of(study["result"]) == {"gain_elo": 3.5}
    (trial,) = rows_of(filled, "v_tuning_trials", "trial")
    assert (trial["study"], trial["trial"], trial["state"]) == ("lmr", 0, "pruned")
    assert (trial["value"], trial["pairs"]) == (0.5, 3)
    told = [json_of(trial[name]) for name in ("params", "attributes", "steps")]
    assert told == [{"grain": 4}, {"own": 1}, [0.25, 0.5]]
    assert trial["started_at"] == "2026-11-21T13:00:00.000Z"
    rows = rows_of(filled, "v_tuning_encounters", "encounter")
    columns = ("encounter", "trial", "phase", "opponent", "first_pair", "pairs", "finished")
    assert [tuple(row[name] for name in columns) for row in rows] == [
        (0, 0, "search", None, 0, 3, True),
        (1, 0, "search", 1, 3, 5, False),
        (2, None, "gain", None, 8, 2, True),
    ]
    assert [json_of(row["first"])["grain"] for row in rows] == [4, 4, 3]
    assert [row["second"] is None for row in rows] == [False, True, True]
    assert struct.unpack("<3d", rows[0]["scores"]) == (0.0, 1.0, 0.5)
    score, unknown = struct.unpack("<2d", rows[2]["scores"])
    assert score == 0.25 and math.isnan(unknown)


def test_views_of_the_laboratory(filled: Database) -> None:
    (run,) = rows_of(filled, "v_lab_runs", "name")
    assert (run["name"], run["kind"], run["status"]) == ("drivers", "sweep", "planned")
    assert (run["engines"], run["positions"], run["searches"]) == (2, 1, 1)
    assert (run["host"], run["signature"]) == ("tower", "0123456789abcdef")
    assert run["created_at"] == "2026-11-21T14:00:00.000Z"
    (search,) = rows_of(filled, "v_lab_searches", "engine_number")
    assert (search["run"], search["engine_number"], search["engine"]) == ("drivers", 1, "B")
    assert (search["engine_id"], search["baseline_number"]) == ("b" * 16, 0)
    assert (search["parameter"], search["parameter_value"]) == ("grain", "4")
    assert (search["position_label"], search["fen"]) == ("lab-01", "some fen")
    assert (search["nodes"], search["leaves"], search["value"]) == (49, 40, -3)
    assert json_of(search["iterations"])[0]["passes"][0]["alpha"] == 19
    assert search["searched_at"] == "2026-11-21T14:00:01.000Z"
    assert search["wall_us"] == 170


def test_times_of_a_search_are_the_sum_of_its_iterations(filled: Database) -> None:
    (run,) = filled.repository.lab_runs()
    (known,) = filled.repository.lab_searches(run.id)
    timed = [{**known.iterations[0], "wall_us": wall_us} for wall_us in (70, 2**33)]
    filled.repository.add_lab_searches(run.id, [replace(known, engine=0, iterations=timed)])
    search, _ = rows_of(filled, "v_lab_searches", "engine_number")
    assert search["wall_us"] == 70 + 2**33
    assert type(search["wall_us"]) is int
    rows = rows_of(filled, "v_lab_iterations", "engine_number, wall_us")
    assert [row["wall_us"] for row in rows] == [70, 2**33, 170]


def test_views_of_iterations_and_passes(filled: Database) -> None:
    (row,) = rows_of(filled, "v_lab_iterations", "depth")
    assert (row["run"], row["engine_number"], row["engine"]) == ("drivers", 1, "B")
    assert (row["engine_id"], row["driver"]) == ("b" * 16, "mtdf")
    assert (row["parameter"], row["parameter_value"]) == ("grain", "4")
    assert (row["position"], row["position_label"]) == (0, "lab-01")
    names = ("depth", "value", "move", "first_guess", "interior", "leaves", "quiescence", "nodes")
    assert [row[name] for name in names] == [2, -3, "d2d4", 20, 5, 40, 4, 49]
    names = ("probes", "hits", "cutoffs", "cpu_us", "move_value", "passes")
    assert [row[name] for name in names] == [9, 3, 1, 150, None, 3]
    rows = rows_of(filled, "v_lab_passes", "number")
    common = ("run", "engine_number", "engine", "parameter", "parameter_value", "position", "depth")
    assert {tuple(one[name] for name in common) for one in rows} == {
        ("drivers", 1, "B", "grain", "4", 0, 2)
    }
    columns = ("number", "alpha", "beta", "value", "nodes", "fails", "move")
    assert [tuple(one[name] for name in columns) for one in rows] == [
        (1, 19, 20, -3, 9, "low", None),
        (2, None, None, -3, 10, None, None),
        (3, -5, -4, -4, 30, "high", "d2d4"),
    ]


def test_greatest_value_is_that_of_the_engines() -> None:
    assert views._FINITE == MATE


def test_question_about_one_run_reads_no_other(database: Database) -> None:
    """Thousands of searches of other runs are not unpacked."""
    with database.repository._store.read() as connection:
        for view in ("v_lab_iterations", "v_lab_passes"):
            query = f"SELECT * FROM {view} WHERE run = 'x' AND engine_number = 1"
            if connection.dialect.name != "sqlite":
                connection.execute(text(query))
                continue
            plan = [row[3] for row in connection.execute(text(f"EXPLAIN QUERY PLAN {query}"))]
            assert "SEARCH r USING COVERING INDEX" in plan[0] or "SEARCH r USING INDEX" in plan[0]
            searches = next(line for line in plan if line.startswith("SEARCH s"))
            assert "(run_id=? AND engine=?)" in searches
