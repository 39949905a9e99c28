"""``mtdf suite``: results, stored runs, other games, bad input, and a count by another program."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import chess
import chess.engine
import pytest

from toolkit.base.rows import field_names
from toolkit.suites.report import SuitePair, SuiteReport, SuiteRow, SuiteSearchRow

Run = Callable[..., Any]
Check = Callable[[Mapping[str, Any], type[Any]], bool]
MATES = """\
6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; dm 1; c0 "Rd8#=10, Rd7=2"; id "back rank";
3r2k1/5ppp/8/8/8/8/5PPP/6K1 b - - bm d8d1; id "black";
k7/8/8/3q4/4P3/8/8/7K w - - am Kh2; c0 "exd5=5, Kh2=1"; id "free queen";
"""
FAST = ("--engine", "pvs:eval=pst", "--engine", "mtdf:eval=pst", "--depth", "3", "--quiet")


@pytest.fixture
def mates(tmp_path: Path) -> str:
    (tmp_path / "mates.epd").write_text(MATES)
    return str(tmp_path / "mates.epd")


def test_results_are_stored_and_shown(mtdf: Run, mates: str, has_fields: Check) -> None:
    report = mtdf("suite", mates, *FAST, "--name", "first", "--json").json
    assert has_fields(report, SuiteReport)
    assert (report["kind"], report["suite"], report["status"]) == ("suite", "mates", "done")
    first, second = report["rows"]
    assert list(first) == field_names(SuiteRow) and list(report["pairs"][0]) == field_names(
        SuitePair
    )
    assert (first["solved"], first["points"], first["points_most"]) == (3, 15, 15)
    assert first["share_low95"] == pytest.approx(0.025 ** (1 / 3)) and first["share_high95"] == 1
    pair = report["pairs"][0]
    assert (pair["both"], pair["p_value"], pair["verdict"]) == (3, 1, "no difference shown")
    assert mtdf("show", "first", "--json").json == report
    assert mtdf("resume", "first", "--json").json == report, "nothing is searched again"
    searches = mtdf("show", "first", "--searches", "--json").json
    assert all(has_fields(row, SuiteSearchRow) for row in searches) and len(searches) == 6
    assert [row["move"] for row in searches[:2]] == ["Rd8#", "Rd8#"]
    assert searches[0]["answer"] == "Rd8#, mate in 1" and searches[4]["answer"] == "not Kh2"
    assert first["nodes"] == sum(row["nodes"] for row in searches[::2])
    table = mtdf("show", "first").out
    assert "3/3" in table and "15/15" in table and "exact McNemar p = 1" in table
    assert "first" in mtdf("lab", "list").out
    views = mtdf("query", "SELECT sum(nodes) AS n FROM v_lab_iterations", "--json").json
    assert views[0]["n"] == first["nodes"] + second["nodes"]
    assert mtdf("db", "check").code == 0
    assert mtdf("rm", "first", "--yes").code == 0


def test_a_suite_goes_on_where_it_stopped(
    mtdf: Run, mates: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolkit.suites import searching

    whole = mtdf("suite", mates, *FAST, "--name", "whole", "--json").json
    real, done = searching.search_position, []

    def fail_once(player: Any, task: Any) -> Any:
        done.append((task.engine, task.position))
        if len(done) == 4:
            raise searching.EngineError("the engine died")
        return real(player, task)

    monkeypatch.setattr(searching, "search_position", fail_once)
    failed = mtdf("suite", mates, *FAST[:-1], "--name", "twice")
    assert (
        failed.code == 4 and "the engine died" in failed.err and "mtdf resume twice" in failed.err
    )
    assert mtdf("resume", "twice", "--quiet").code == 0
    assert len(done) == 7 and len(set(done)) == 6, "only what was missing was searched"
    again = mtdf("show", "twice", "--json").json
    counted = ("solved", "points", "solution_nodes", "nodes", "share_low95")
    for one, other in zip(whole["rows"], again["rows"], strict=True):
        assert [one[name] for name in counted] == [other[name] for name in counted]


def test_another_game_has_its_own_suites(mtdf: Run, tmp_path: Path) -> None:
    from engines.rules.catalog import rules_of

    rules = rules_of("othello")
    (tmp_path / "discs.txt").write_text(f'{rules.start}; am d3; id "start";\n')
    words = ("--game", "othello", "--engine", "pvs", "--depth", "2", "--quiet", "--json")
    row = mtdf("suite", "discs.txt", *words).json["rows"][0]
    assert row["searched"] == 1


def test_bad_input_is_one_line(mtdf: Run, mates: str, tmp_path: Path) -> None:
    (tmp_path / "plain.epd").write_text("8/8/8/8/8/5k2/5p2/5K2 b - -\n")
    engine = ("--engine", "pvs")
    cases = {
        ("plain.epd", *engine, "--depth", "1"): "neither bm, am nor dm, nor points",
        ("nothing.epd", *engine, "--depth", "1"): "no suite `nothing.epd`",
        (mates, *engine): "a limit is missing",
        (mates, *engine, *engine, "--depth", "1"): "two engines are called pvs",
        (mates, *engine, "--depth", "0"): "from 1 to",
        (mates, *engine, "--game", "othello", "--depth", "1"): "line 1",
        ("bratko-kopec", *engine, "--game", "draughts", "--depth", "1"): "are of chess",
    }
    for words, problem in cases.items():
        done = mtdf("suite", *words)
        assert done.code == 2 and problem in done.err, (words, done)
        assert len(done.errors) == 1, (words, done.errors)
    assert not (tmp_path / "mtdf.db").exists(), "nothing of it was stored"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("stockfish") is None, reason="stockfish is not installed")
def test_results_are_those_of_python_chess(mtdf: Run) -> None:
    nodes = 20_000
    words = ("--engine", "uci:stockfish?Threads=1", "--nodes", str(nodes), "--quiet", "--jobs", "2")
    told = mtdf("suite", "bratko-kopec", *words, "--json").json["rows"][0]
    searches = mtdf("show", "last", "--searches", "--json").json
    file = Path(__file__).parents[2] / "toolkit" / "data" / "bratko-kopec.epd"
    lines = [one for one in file.read_text().splitlines() if not one.startswith("#")]
    solved = 0
    with chess.engine.SimpleEngine.popen_uci("stockfish") as engine:
        engine.configure({"Threads": 1})
        for line, row in zip(lines, searches, strict=True):
            board, operations = chess.Board.from_epd(line)
            best = operations["bm"]
            assert isinstance(best, list)
            with engine.analysis(board, chess.engine.Limit(nodes=nodes), game=object()) as found:
                moves = [info["pv"][0] for info in found if "pv" in info]
                move = found.wait().move
            solved += move in best
            assert (row["move"], row["solved"]) == (board.san(move), move in best), row["position"]
            assert not row["solved"] or moves[-1] in best
    assert told["solved"] == solved
