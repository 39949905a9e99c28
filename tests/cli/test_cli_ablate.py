"""``mtdf ablate`` prints the results of its games, also when it is stopped."""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import each

from cli import program
from engines.features import features_of, without_feature
from engines.variant import parse_variant
from toolkit.base.rows import field_names
from toolkit.commands._program import run_program
from toolkit.events.progress import EventPlanRow
from toolkit.reports.ablation import AblationOutcome, AblationRow
from toolkit.stats.match import match_statistics

GREEDY = Path(__file__).parents[1] / "tuning" / "greedy_uci.py"
Run = Callable[..., Any]
Fields = Callable[..., bool]
FEATURES = ("--feature", "null_move", "--feature", "window", "--feature", "late_move_reductions")
LIMITS = ("--nodes", "60", "--max-plies", "14", "--seed", "7", "--quiet")
SHORT = ("ablate", *FEATURES, "--pairs", "4", *LIMITS)
TINY = ("--pairs", "1", "--nodes", "60")
OFF = ["null_move=off", "window=0", "late_move_reductions=off"]
POINTS = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}


@pytest.fixture(scope="module")
def ablated(tmp_path_factory: pytest.TempPathFactory, edited: Run) -> Path:
    """A database with an ablation whose games ended otherwise: without null moves most are lost,
    and more are won without the window. Read-only by agreement."""
    path = tmp_path_factory.mktemp("ablated") / "parts.db"
    hook = sys.excepthook
    assert run_program(program, ["--db", str(path), *SHORT, "--name", "parts"]) == 0
    sys.excepthook = hook
    with edited(path) as connection:
        connection.execute(
            """
            UPDATE games SET white_score = CASE
                WHEN id % 5 = 0 THEN 1
                WHEN (white_player = 0) = (pairing = 0) THEN 2 ELSE 0 END
            """
        )
        for game in (1, 2):
            connection.execute(
                f"""
                UPDATE pairs SET score{game} = (
                    SELECT CASE WHEN g.white_player = 0
                        THEN g.white_score ELSE 2 - g.white_score END
                    FROM games g WHERE g.event_id = pairs.event_id
                        AND g.pairing = pairs.pairing AND g.pair = pairs.pair AND g.game = {game})
                """
            )
    return path


@pytest.fixture
def decided(mtdf: Run, ablated: Path) -> Run:
    """Run a command on a copy of that database."""
    Path("mtdf.db").write_bytes(ablated.read_bytes())
    return mtdf


def test_table_summarizes_the_games(decided: Run, has_fields: Fields) -> None:
    outcome = decided("ablate", "--event", "parts", "--json").json
    assert has_fields(outcome, AblationOutcome)
    assert (outcome["kind"], outcome["games"], outcome["engines"]) == (
        "ablation",
        24,
        ["pvs", *OFF],
    )
    rows = outcome["features"]
    assert all(list(row) == field_names(AblationRow) for row in rows)
    whole, *parts = rows
    assert (whole["engine"], whole["feature"], whole["elo"]) == ("pvs", None, None)
    games = decided("games", "--json").json
    for row in parts:
        own = [game for game in games if row["engine"] in (game["white"], game["black"])]
        points = [
            POINTS[g["result"]] if g["white"] == row["engine"] else 2 - POINTS[g["result"]]
            for g in own
        ]
        assert len(own) == row["games"] == 8
        assert [row["losses"], row["draws"], row["wins"]] == [points.count(n) for n in range(3)]
        pairs = Counter(one + two for one, two in zip(points[::2], points[1::2], strict=True))
        assert row["pentanomial"] == [pairs[n] for n in range(5)]
        match = match_statistics(row["pentanomial"])
        assert (row["elo"], row["error95"], row["los"]) == (match.elo, match.elo_error95, match.los)
        assert f"{row['feature']}={row['off']}" == row["engine"]
    assert {row["engine"] for row in parts} == set(OFF)
    elos = [row["elo"] for row in parts]
    assert elos == sorted(elos) and elos[0] < 0 < elos[-1], "the worst loss stands first"
    assert parts[0]["engine"] == "null_move=off"


def _searches(run: Run) -> dict[str, list[dict[str, Any]]]:
    """The searches of each player, told by who had to move."""
    found: dict[str, list[dict[str, Any]]] = {}
    for game in run("games", "--json").json:
        white_starts = " w " in game["start_fen"]
        for search in run("game", game["id"], "--json").json["searches"]:
            mover = "white" if (search["ply"] % 2 == 1) == white_starts else "black"
            found.setdefault(game[mover], []).append(search)
    return found


def _spread_median(depths: list[int]) -> float:
    """The median where depth d stands for all between d - 1/2 and d + 1/2, evenly."""
    middle = sorted(depths)[len(depths) // 2]
    below = sum(depth < middle for depth in depths)
    return middle - 0.5 + (len(depths) / 2 - below) / depths.count(middle)


def test_costs_summarize_the_searches(decided: Run) -> None:
    rows = {r["engine"]: r for r in decided("ablate", "--event", "last", "--json").json["features"]}
    searches = _searches(decided)
    for player in decided("stats", "last", "--json").json["players"]:
        row, own = rows[player["engine"]], searches[player["engine"]]
        assert row["nodes_per_second"] == player["nodes_per_second"]
        nodes = sum(search["nodes"] for search in own)
        assert row["nodes_per_move"] == pytest.approx(nodes / len(own))
        assert row["depth"] == pytest.approx(_spread_median([search["depth"] for search in own]))


def test_depth_belongs_to_the_side_that_searched(mtdf: Run, tmp_path: Path) -> None:
    """Also where Black begins; a side without quiescence finishes more depths."""
    lines = (
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR",
        "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/",
    )
    book = tmp_path / "black.epd"
    book.write_text(f"{lines[0]} b KQkq -\n{lines[1]}RNBQKBNR b KQkq -\n")
    words = ("ablate", "--feature", "quiescence", "--pairs", "2", "--book", str(book))
    row = mtdf(*words, *LIMITS, "--json").json
    depths = {
        player: _spread_median([search["depth"] for search in own])
        for player, own in _searches(mtdf).items()
    }
    assert {line["engine"]: line["depth"] for line in row["features"]} == pytest.approx(depths)
    assert depths["pvs"] != depths["quiescence=off"], "they would prove nothing"


def test_text_and_csv(decided: Run) -> None:
    rows = decided("ablate", "--event", "last", "--json").json["features"]
    text = decided("ablate", "--event", "last")
    heading, whole, *lines = text.out.splitlines()
    assert heading.split() == "engine Elo ±95 LOS W-L-D Ptnml nodes/move depth nodes/s".split()
    assert whole.split()[:4] == ["pvs", "--", "--", "--"]
    for line, row in zip(lines, rows[1:], strict=False):
        assert line.startswith(f"{row['engine']}  ")
        assert f"{row['elo']:+.1f}" in line and str(row["pentanomial"]) in line
        assert f" {row['wins']}-{row['losses']}-{row['draws']} " in line
    assert "against pvs" in lines[-1] and "24 games" in lines[-1]
    table = list(csv.DictReader(io.StringIO(decided("ablate", "--event", "last", "--csv").out)))
    assert list(table[0]) == field_names(AblationRow)
    assert [line["engine"] for line in table] == [row["engine"] for row in rows]
    assert (table[0]["elo"], float(table[1]["elo"])) == ("", rows[1]["elo"])


def test_playing_prints_the_table(mtdf: Run) -> None:
    played = mtdf(*SHORT, "--csv")
    assert played.code == 0
    assert played.out == mtdf("ablate", "--event", "last", "--csv").out
    again = mtdf("resume", "last")
    assert again.code == 0
    assert again.out == mtdf("ablate", "--event", "last").out
    assert {row["engine"] for row in mtdf("ratings", "--json").json} == {"pvs", *OFF}
    assert mtdf("events", "--json").json[0]["kind"] == "ablation"
    assert mtdf("db", "check", "--replay").code == 0


def test_resume_plays_missing_games(leave_unfinished: Run, mtdf: Run) -> None:
    def games() -> list[Any]:
        return [(row["white"], row["black"], row["moves"]) for row in mtdf("games", "--json").json]

    assert mtdf(*SHORT).code == 0
    before = games()
    leave_unfinished("mtdf.db", 1)
    part = mtdf("ablate", "--event", "last", "--json").json
    assert (part["status"], part["games"]) == ("interrupted", 6)
    assert [row["games"] for row in part["features"][1:]] == [2, 2, 2]
    resumed = mtdf("resume", "--json", "--quiet", "--jobs", "2")
    assert resumed.code == 0
    assert (resumed.json["status"], resumed.json["games"]) == ("done", 24)
    assert resumed.json == mtdf("ablate", "--event", "last", "--json").json
    assert games() == before
    leave_unfinished("mtdf.db", 0)
    empty = mtdf("ablate", "--event", "last")
    assert (empty.code, empty.out) == (5, "") and "has no games yet" in empty.errors[0]


def test_plan_covers_every_feature(mtdf: Run, has_fields: Fields) -> None:
    words = ("ablate", "--engine", "mtdf:hash=1", "--pairs", "2", "--dry-run", *LIMITS)
    row = mtdf(*words, "--json").json
    assert has_fields(row, EventPlanRow)
    names = features_of(parse_variant("mtdf:hash=1"))
    assert [second.partition("=")[0] for _, second in row["pairings"]] == list(names)
    assert {first for first, _ in row["pairings"]} == {"mtdf:hash=1"}
    assert (row["kind"], row["games"]) == ("ablation", 4 * len(names))
    plan = mtdf(*words).out.splitlines()[0]
    assert plan.startswith(f"plan   ablation, {len(names)} features, 2 pairs each")
    twice = mtdf(*SHORT, "--feature", "window", "--dry-run", "--json").json
    assert [second for _, second in twice["pairings"]] == OFF


@each(
    "words, code, message",
    [
        (["--nodes", "60"], 2, "--pairs N is missing, or --event EVENT"),
        (["--pairs", "1"], 2, "a limit is missing"),
        (["--feature", "grain", *TINY], 2, "no value that switches it"),
        (["--feature", "winow", *TINY], 2, "did you mean `window`"),
        (["--engine", "pvs:window=0", "--feature", "window", *TINY], 2, "already off"),
        (["--csv", "--json", *TINY], 2, "exclude each other"),
        (["--event", "short"], 2, "is not an ablation, but of kind gauntlet"),
        (["--event", "short", "--pairs", "3"], 2, "--event plays nothing: leave --pairs out"),
        (["--event", "short", "--feature", "window"], 2, "leave --feature out"),
        (["--event", "nothing"], 5, "no event `nothing`"),
    ],
)
def test_bad_options_are_refused(words: list[str], code: int, message: str, on: Run) -> None:
    result = on("ablate", *words)
    assert (result.code, result.out, len(result.errors)) == (code, "", 1)
    assert message in result.errors[0]
    assert len(on("events", "--json").json) == 1, "nothing was started"


def test_field_compares_copies_through_common_opponents(mtdf: Run, has_fields: Fields) -> None:
    """The oracle is the rating list of the event: Elo of a copy minus that of the engine."""
    other = "mtdf:hash=1,eval=pst,nodes=40,name=other"
    field = ("--field", "pvs:hash=1,nodes=20,name=small", "--field", other)
    two = ("--feature", "null_move", "--feature", "hash")
    longer = [word if word != "14" else "60" for word in LIMITS]
    asked = ("ablate", "--engine", "pvs:hash=1", *two, *field, "--pairs", "6", *longer)
    plan = mtdf(*asked, "--dry-run")
    assert "ablation, 2 features and the full engine x 2 opponents, 6 pairs each = 72" in plan.out
    outcome = mtdf(*asked, "--json").json
    assert has_fields(outcome, AblationOutcome)
    assert (outcome["opponents"], outcome["games"]) == (["small", "other"], 72)
    full, *copies = outcome["features"]
    assert (full["engine"], full["feature"], full["elo"], full["games"]) == (
        "pvs:hash=1",
        None,
        None,
        24,
    )
    assert {row["engine"] for row in copies} == {"null_move=off", "hash=0"}
    # The small opponent is the same engine under another limit.
    lines = mtdf("ratings", "--event", "last", "--json").json
    rated = {row["engine_id"]: row for row in lines if row["limit"] == {"nodes": 60}}
    base = parse_variant("pvs:hash=1")
    games = mtdf("games", "--json", "--limit", "100").json
    for row in copies:
        without = without_feature(base, row["feature"])
        difference = rated[without.identity]["elo"] - rated[base.identity]["elo"]
        assert row["elo"] == pytest.approx(difference, abs=1e-6)
        assert row["low95"] < row["elo"] < row["high95"]
        assert row["error95"] > 0 and (row["los"] > 0.5 + 1e-9) == (row["elo"] > 1e-6)
        own = [game for game in games if row["engine"] in (game["white"], game["black"])]
        assert {game["white"] for game in own} | {game["black"] for game in own} == {
            row["engine"],
            "small",
            "other",
        }
        assert row["wins"] + row["draws"] + row["losses"] == row["games"] == len(own) == 24
    assert "relative to pvs:hash=1 by games against 2 opponents" in (
        mtdf("ablate", "--event", "last").out
    )


def test_external_engine_has_no_features(mtdf: Run) -> None:
    ended = mtdf("ablate", "--engine", "uci:stockfish", *TINY)
    assert ended.code == 2
    assert ended.errors == [
        "error: --engine: `uci:stockfish` is an external engine, and this needs one of ours"
    ]
