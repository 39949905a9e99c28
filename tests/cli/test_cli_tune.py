"""``mtdf tune`` runs, resumes, shows and exports studies of functions, games and nodes."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cases import each
from msgspec.structs import replace

from cli import program
from db.errors import DatabaseUnusable
from db.session import open_database
from engines.spec import UciCommand, UciSetup
from engines.variant import parse_variant
from toolkit.base.rows import field_names
from toolkit.commands._program import run_program
from toolkit.events.memory import table_bytes
from toolkit.events.named_engines import add_named_engine
from toolkit.events.progress import EventPlanRow
from toolkit.show.charts.picture import PlotRow
from toolkit.show.tables.study import confirmation_lines, next_step
from toolkit.tuning.models.gain import Gain
from toolkit.tuning.models.importance import Importance
from toolkit.tuning.study.confirm import _OF_CONFIRMATIONS, ConfirmationRow
from toolkit.tuning.study.export import OptunaStorageRow
from toolkit.tuning.study.report import (
    ExportRow,
    StudyPlanRow,
    StudyReport,
    StudyRow,
    TrialRow,
    find_study,
    study_report,
)

PARITY = parse_variant("mtdf:guess=parity")
Run = Callable[..., Any]
Check = Callable[[Mapping[str, Any], type[Any]], bool]

LANDSCAPE = '''\
"""A hill of known Elo: best at x = 10, y = 0.8."""

import os
import random
import signal


def hill(parameters, opponent, pair_numbers, seed):
    difference = _elo(parameters) - _elo(opponent or {"x": 0, "y": 0.5})
    score = 1 / (1 + 10 ** (-difference / 400))
    draw = random.Random(f"{seed} {sorted(parameters.items())} {list(pair_numbers)}")
    return [score + draw.choice([-0.3, 0.3]) for _ in pair_numbers]


def _elo(point):
    return -0.3 * (point["x"] - 10) ** 2 - 60 * (point["y"] - 0.8) ** 2


def deadly(parameters, opponent, pair_numbers, seed):
    """As ``hill``, but the process dies at the 30th call, and by Ctrl-C at the 60th of all."""
    with open("calls", "a+") as file:
        file.write(".")
        calls = file.tell()
    if calls in (30, 60):
        os.kill(os.getpid(), signal.SIGKILL if calls == 30 else signal.SIGINT)
    return hill(parameters, opponent, pair_numbers, seed)


def talkative(parameters, opponent, pair_numbers, seed):
    print("a function may say what it likes")
    os.write(1, b"however it likes\\n")
    return hill(parameters, opponent, pair_numbers, seed)


def stopped(parameters, opponent, pair_numbers, seed):
    raise KeyboardInterrupt


def leaving(parameters, opponent, pair_numbers, seed):
    raise SystemExit(0)


def broken(parameters, opponent, pair_numbers, seed):
    raise ValueError("no such\\nlandscape")
'''
SIMULATED = ("--objective", "simulated:hill_of_cli_tests:hill")
SPACE = ("--param", "x=-20..20", "--param", "y=0..1.0", "--start", "x=0", "--start", "y=0.5")
DEADLY = ("--objective", "simulated:hill_of_cli_tests:deadly")
GAMES = ("--nodes", "60", "--max-plies", "16", "--book", "default-500", "--quiet")


@pytest.fixture(scope="module")
def landscape(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder on the path of modules that has the landscape."""
    folder = tmp_path_factory.mktemp("landscape")
    (folder / "hill_of_cli_tests.py").write_text(LANDSCAPE, encoding="utf-8")
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))
    sys.modules.pop("hill_of_cli_tests", None)


@pytest.fixture(scope="module")
def studied(landscape: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with four finished studies: ``hill`` by SPSA, ``trees`` by TPE with a pruner, both
    simulated; ``games`` of 20 real pairs; ``effort`` in nodes. Read-only by agreement."""
    path = tmp_path_factory.mktemp("studied") / "tuning.db"
    hook = sys.excepthook
    studies = {
        "hill": (*SIMULATED, *SPACE, "--budget-pairs", "800", "--quiet"),
        "trees": (*SIMULATED, *SPACE, "--sampler", "tpe", "--pruner", "wilcoxon", "--quiet")
        + ("--budget-pairs", "1400", "--pairs-per-trial", "40"),
        "games": ("--base", PARITY.spelling, "--param", "grain=1..90", *GAMES)
        + ("--param", "guess=parity|zero", "--budget-pairs", "20", "--pairs-per-trial", "3"),
        "effort": ("--objective", "nodes", "--param", "convergence", "--param", "guess", "--quiet")
        + ("--depth", "2", "--trials", "6", "--position-count", "4"),
    }
    try:
        for name, words in studies.items():
            line = ["tune", "run", "--db", str(path), "--name", name, "--seed", "1", *words]
            assert run_program(program, line) == 0, name
    finally:
        sys.excepthook = hook
    return path


@pytest.fixture
def tune(mtdf: Run, studied: Path) -> Run:
    """Run a command of ``mtdf tune``, or ``show`` and its like, on a copy of the studies."""
    copy = Path("studies.db").absolute()
    copy.write_bytes(studied.read_bytes())
    top = ("show", "resume", "plot", "rm")
    return lambda *words: mtdf(*(() if words[0] in top else ("tune",)), *words, "--db", str(copy))


def _scores(path: Path, study: str, phase: str) -> list[float]:
    """Pair scores of a phase, read without the program."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT scores FROM tuning_encounters e JOIN tuning_studies s ON s.id = e.study_id "
            "WHERE s.name = ? AND phase = ? ORDER BY e.number",
            (study, phase),
        ).fetchall()
    return [score for (blob,) in rows for (score,) in struct.iter_unpack("<d", blob)]


def test_list(tune: Run, has_fields: Check) -> None:
    rows = tune("list", "--json").json
    assert [row["name"] for row in rows] == ["hill", "trees", "games", "effort"]
    assert all(has_fields(row, StudyRow) for row in rows)
    assert [row["status"] for row in rows] == ["done"] * 4
    assert [row["event"] is not None for row in rows] == [False, False, True, False]
    table = tune("list").out.splitlines()
    assert len(table) == 5 and table[1].startswith("hill")
    assert tune("list", "--csv").out.splitlines()[0].startswith("name,status,objective")


def test_show_reports_the_measurement(tune: Run, has_fields: Check) -> None:
    report = tune("show", "hill", "--json").json
    assert has_fields(report, StudyReport)
    gain = _scores(Path("studies.db"), "hill", "gain")
    mean = sum(gain) / len(gain)
    assert report["gain"]["pairs"] == len(gain) == 200
    assert math.isclose(report["gain_elo"], 400 * math.log10(mean / (1 - mean)))
    spread = math.sqrt(sum((one - mean) ** 2 for one in gain) / (len(gain) - 1) / len(gain))
    assert report["gain_error95"] == pytest.approx(1.97 * spread * 400 / math.log(10) * 4, rel=0.2)
    phases = {row["phase"]: row for row in report["phases"]}
    for phase in ("search", "choice", "gain"):
        assert phases[phase]["pairs"] == len(_scores(Path("studies.db"), "hill", phase))
    assert report["pairs_used"] == sum(row["pairs"] for row in report["phases"]) <= 800
    assert {row["parameter"]: row["base"] for row in report["tuned"]} == {"x": 0, "y": 0.5}
    assert report["best_trial"] is None and report["winners_curse"] is None
    text = tune("show", "hill").out
    assert "on 200 fresh pairs not used in the choice" in text
    assert re.search(r"^x +-20\.\.20 +0 +-?\d+$", text, re.MULTILINE)


def test_show_hides_the_score_of_the_best_trial(tune: Run) -> None:
    report = tune("show", "trees", "--json").json
    trials = tune("trials", "trees", "--json").json
    best = max(row["worth"] for row in trials if row["state"] == "complete" and row["pairs"])
    claimed = report["winners_curse"] + report["gain_elo"]
    assert claimed > report["gain_elo"]
    assert best > 0 and claimed > 100 * best
    text = tune("show", "trees").out
    assert f"{claimed:.1f}" not in text and f"{report['winners_curse']:.1f} Elo more" in text
    assert report["pruned"] == sum(row["state"] == "pruned" for row in trials) > 0
    assert f"{report['pruned']} pruned, {report['falsely_pruned']} of them falsely" in text


def test_show_of_games_names_the_conditions(tune: Run, mtdf: Run) -> None:
    report = tune("show", "games", "--json").json
    assert (report["book"], report["book_slice"]) == ("default-500", "1/2")
    assert (report["base"], report["limit"]) == (PARITY.label, "60 nodes/move")
    text = tune("show", "games").out
    assert "limit  60 nodes/move   book default-500 slice 1/2" in text
    with closing(sqlite3.connect("studies.db")) as connection:
        played = connection.execute("SELECT count(*) FROM games").fetchone()[0]
        lists = connection.execute("SELECT count(*) FROM rating_lists").fetchone()[0]
    assert 0 < played <= 2 * report["pairs_used"] <= 40
    assert lists == 0, "games of tuning are in no list"
    listed = mtdf("events", "--db", "studies.db").out
    assert re.search(r" and \d+ points of the study$", listed, re.MULTILINE) and "#" not in listed


def test_show_of_effort_is_in_percent(tune: Run) -> None:
    report = tune("show", "effort", "--json").json
    assert report["gain_elo"] is None
    ratios = _scores(Path("studies.db"), "effort", "gain")
    if not report["is_base"]:
        saved = 100 * (1 - math.exp(sum(ratios) / len(ratios)))
        assert report["gain_percent"] == pytest.approx(saved)
    assert "% of effort saved" in tune("show", "effort").out or report["is_base"]
    assert report["trials_done"] == 6
    assert "depth 2, 4 positions and 4 others" in tune("show", "effort").out


def test_spsa_trials_are_not_ranked(tune: Run, has_fields: Check) -> None:
    rows = tune("trials", "hill", "--json").json
    assert all(has_fields(row, TrialRow) for row in rows)
    assert [row["trial"] for row in rows] == list(range(len(rows)))
    assert rows[0]["theta"] == {"x": 0, "y": 0.5}
    for row in rows:
        assert row["parameters"] != row["opponent"]
    scores = _scores(Path("studies.db"), "hill", "search")
    first = scores[: rows[0]["pairs"]]
    assert rows[0]["worth"] == pytest.approx(sum(first) / len(first) - 0.5)
    result = tune("trials", "hill", "--top", "3")
    assert result.code == 2 and len(result.errors) == 1
    assert "none of them is best" in result.err
    assert tune("trials", "hill").out.splitlines()[0].split()[-3:] == ["theta", "plus", "minus"]


def test_compared_trials_are_ranked(tune: Run) -> None:
    rows = tune("trials", "trees", "--json").json
    assert all(row["theta"] is None and row["opponent"] is None for row in rows)
    worths = [row["worth"] for row in tune("trials", "trees", "--top", "4", "--json").json]
    assert worths == sorted((r["worth"] for r in rows if r["pairs"]), reverse=True)[:4]
    assert "partly luck" in tune("trials", "trees", "--top", "4").err
    assert tune("trials", "trees", "--top", "0").code == 2
    lines = tune("trials", "trees", "--csv").out.splitlines()
    assert len(lines) == len(rows) + 1


def test_importance(tune: Run, has_fields: Check) -> None:
    for study, method in (("hill", "surface"), ("trees", "ped-anova")):
        rows = tune("importance", study, "--json").json
        assert all(has_fields(row, Importance) for row in rows)
        assert {row["parameter"] for row in rows} == {"x", "y"}
        assert {row["method"] for row in rows} == {method}
        assert rows[0]["importance"] >= rows[1]["importance"]
        assert rows[0]["parameter"] in tune("importance", study).out.splitlines()[1]
    # x costs 30 Elo over the range of ±10, y at most 38 at its worst end, 14 in the middle.
    assert tune("importance", "hill", "--json").json[0]["parameter"] == "x"
    few = tune("importance", "effort")
    assert few.code == 5 and "too few" in few.err


def test_export(tune: Run, has_fields: Check) -> None:
    row = tune("export", "hill", "--format", "json").json
    assert has_fields(row, ExportRow)
    report = tune("show", "hill", "--json").json
    assert row["parameters"] == {one["parameter"]: one["recommended"] for one in report["tuned"]}
    assert (row["gain_elo"], row["gain_error95"]) == (report["gain_elo"], report["gain_error95"])
    assert row["pairs_used"] == report["pairs_used"]
    assert row["variant"] is None
    refused = tune("export", "hill", "--format", "variant")
    assert refused.code == 2 and "no engine" in refused.err


def test_exported_variant_has_the_values(tune: Run, edited: Run) -> None:
    import tomllib

    _let_it_recommend(edited, "games", {"grain": 60, "guess": "zero"})

    row = tune("export", "games", "--format", "json").json
    variant = parse_variant(tune("export", "games", "--format", "variant").out.strip())
    assert variant.label == "games"
    for name, value in row["parameters"].items():
        assert variant.parameters[name] == value
    said = tomllib.loads(tune("export", "games").out)
    assert said["parameters"] == row["parameters"]
    assert parse_variant(said["engine"]).identity == variant.identity
    assert parse_variant(said["base"]).identity == PARITY.identity


def test_export_for_optuna(tune: Run, has_fields: Check) -> None:
    import optuna

    row = tune("export", "trees", "--optuna-storage", "out.sqlite", "--json").json
    assert has_fields(row, OptunaStorageRow)
    storage = optuna.storages.RDBStorage("sqlite:///out.sqlite")
    study = optuna.load_study(study_name="trees", storage=storage)
    trials = tune("trials", "trees", "--json").json
    assert [trial.params for trial in study.trials] == [one["parameters"] for one in trials]
    assert [trial.value for trial in study.trials] == [one["worth"] for one in trials]
    storage.remove_session()
    storage.engine.dispose()
    again = tune("export", "hill", "--optuna-storage", "out.sqlite")
    assert again.code == 2 and "out.sqlite exists" in again.err


def test_export_for_optuna_refuses(tune: Run) -> None:
    for path, code, said in (
        ("nowhere/out.sqlite", 1, "cannot write nowhere/out.sqlite: No such file"),
        ("out?.sqlite", 2, "cannot name a file with `?`"),
    ):
        refused = tune("export", "hill", "--optuna-storage", path)
        assert refused.code == code and said in refused.err
        assert len(refused.err.splitlines()) == 1 and not Path("out").exists()


def test_parameters_without_effect_on_effort_are_named(mtdf: Run) -> None:
    words = ("tune", "run", "--param", "grain", "--param", "futility", "--depth", "3", "--dry-run")
    for objective in ("nodes", "time"):
        planned = mtdf(*words, "--objective", objective)
        assert planned.code == 0
        assert "effort does not depend on futility: tune it by elo" in planned.err
    assert "does not depend on" not in mtdf(*words).err  # games to a depth


def test_stats_of_study_games_are_short(
    tune: Run, mtdf: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The most played engines, since the best scores of few games are luck; all of them as data."""
    from toolkit.show.tables import stats

    monkeypatch.setattr(stats, "_MOST_PLAYERS", 2)
    event = tune("show", "games", "--json").json["event"]
    players = mtdf("stats", event, "--json", "--db", "studies.db").json["players"]
    assert len(players) > 2
    shown = mtdf("stats", event, "--db", "studies.db")
    table = shown.out.split("nodes/s")[1].strip().splitlines()
    most = sorted(players, key=lambda row: (-row["games"], row["engine"]))[:2]
    assert [line.split()[0] for line in table] == [row["engine"] for row in most]
    assert f"{len(players) - 2} more engine" in shown.err


def test_damaged_study_is_refused(tune: Run, edited: Run) -> None:
    for column, value, said in (
        ("settings", "json_set(settings, '$.verve', 99)", "study settings are damaged"),
        ("result", "json_set(result, '$.verve', 1)", "results of the study are damaged"),
        ("settings", "'[]'", "settings of study hill"),
    ):
        with edited("studies.db") as db:
            (before,) = db.execute(
                f"SELECT {column} FROM tuning_studies WHERE name = 'hill'"
            ).fetchone()
            db.execute(f"UPDATE tuning_studies SET {column} = {value} WHERE name = 'hill'")
        refused = tune("show", "hill")
        with edited("studies.db") as db:
            db.execute(f"UPDATE tuning_studies SET {column} = ? WHERE name = 'hill'", (before,))
        assert refused.code == 3 and said in refused.err
        assert len(refused.err.splitlines()) == 1


def test_damaged_trial_is_refused(tune: Run, edited: Run) -> None:
    where = "WHERE number = 0 AND study_id = (SELECT id FROM tuning_studies WHERE name = 'hill')"
    for column in ("params", "attributes", "steps"):
        with edited("studies.db") as db:
            query = f"SELECT {column} FROM tuning_trials {where}"
            (before,) = db.execute(query).fetchone()
            db.execute(f"UPDATE tuning_trials SET {column} = '3' {where}")
        refused = tune("show", "hill")
        with edited("studies.db") as db:
            db.execute(f"UPDATE tuning_trials SET {column} = ? {where}", (before,))
        assert refused.code == 3 and "trial 0 of a study" in refused.err
        assert len(refused.err.splitlines()) == 1


def test_plot(tune: Run, has_fields: Check) -> None:
    wide = ("--width", "900", "--title", "Mine", "--legend", "none")
    for study in ("hill", "effort"):
        row = tune("plot", "study", study, "-o", "all.svg", "--json").json
        assert has_fields(row, PlotRow) and row["kind"] == "study"
        picture = Path("all.svg").read_text(encoding="utf-8")
        assert f">Study {study}<" in picture and f">Parameters of study {study}<" in picture
        # Trials of SPSA are no strengths: they are not drawn as such.
        assert ("parallel coordinates" in picture) == (study == "effort")
    assert tune("plot", "study", "trees", "--chart", "gain", "-o", "all.svg", *wide).code == 0
    assert ">Mine<" in Path("all.svg").read_text(encoding="utf-8")


def test_confirm_plays_other_openings(edited: Run, tune: Run, mtdf: Run, has_fields: Check) -> None:
    _let_it_recommend(edited, "games", {"grain": 60, "guess": "zero"})
    row = tune("confirm", "games", "--pairs", "3", "--json", "--quiet").json
    assert has_fields(row, ConfirmationRow)
    assert (row["kind"], row["verdict"], row["book_slice"]) == ("match", None, "2/2")
    assert row["pairs"] == sum(row["pentanomial"]) == 3
    report = tune("show", "games", "--json").json
    openings = [
        {game["start_fen"] for game in mtdf(*words, event, "--json").json}
        for words in [("games", "--db", "studies.db", "--event")]
        for event in (report["event"], row["event"])
    ]
    assert len(openings[1]) == 3 and openings[0] and openings[0].isdisjoint(openings[1])
    (confirmation,) = report["confirmations"]
    assert confirmation == {name: value for name, value in row.items() if name in confirmation}
    assert confirmation["gap"] == pytest.approx(report["gain_elo"] - row["elo"])
    assert "confirmed on 3 other pairs" in tune("show", "games").out


def test_confirmation_is_stored_with_its_study_or_not_at_all(
    edited: Run, tune: Run, mtdf: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    _let_it_recommend(edited, "games", {"grain": 60, "guess": "zero"})
    before = mtdf("events", "--db", "studies.db", "--json").json

    def fail(*_: object) -> None:
        raise DatabaseUnusable("as if the disk were full")

    with monkeypatch.context() as patch:
        patch.setattr("db.queries.studies.confirmations", fail)
        patch.setattr("toolkit.tuning.study.confirm._confirmations", lambda *_: [])
        failed = tune("confirm", "games", "--pairs", "3", "--quiet")
    assert failed.code == 3 and "as if the disk were full" in failed.err
    assert mtdf("events", "--db", "studies.db", "--json").json == before


def test_second_confirmation_plays_other_lines(edited: Run, tune: Run, mtdf: Run) -> None:
    _let_it_recommend(edited, "games", {"grain": 60, "guess": "zero"})
    events = [
        tune("confirm", "games", "--pairs", "3", "--json", "--quiet").json["event"]
        for _ in range(2)
    ]
    words = ("games", "--db", "studies.db", "--json", "--event")
    one, other = ({game["start_fen"] for game in mtdf(*words, event).json} for event in events)
    assert len(one) == len(other) == 3 and one.isdisjoint(other)
    plan = tune("confirm", "games", "--dry-run", "--json").json
    assert plan["pairs"] == plan["lines"] - 6
    refused = tune("confirm", "games", "--pairs", str(plan["lines"] - 5), "--dry-run")
    assert refused.code == 2 and "earlier confirmations of study games have 6 of" in refused.err


def test_interrupted_confirmation_shows_how_to_continue(edited: Run, tune: Run) -> None:
    _let_it_recommend(edited, "games", {"grain": 60, "guess": "zero"})
    row = tune("confirm", "games", "--pairs", "2", "--json", "--quiet").json
    go_on = f"continue with: mtdf resume {row['event']}"
    known = {name: row[name] for name in field_names(ConfirmationRow)}
    told = ConfirmationRow(**known | {"status": "interrupted"})
    confirmed, said, *_ = confirmation_lines(told)
    assert "on 2 other pairs" in confirmed and said == f"confirmation interrupted; {go_on}"
    told = replace(told, pairs=0, elo=None, low95=None, high95=None)
    assert confirmation_lines(told) == [f"confirmation interrupted, no pair is played; {go_on}"]


def test_confirm_by_sprt(edited: Run, tune: Run) -> None:
    _let_it_recommend(edited, "games", {"grain": 60, "guess": "zero"})
    words = ("--elo0", "0", "--elo1", "200", "--max-pairs", "4", "--json", "--quiet")
    row = tune("confirm", "games", *words).json
    assert row["kind"] == "sprt" and row["pairs"] <= 4
    assert row["verdict"] in ("H0", "H1", "inconclusive")
    assert tune("show", "games", "--json").json["confirmations"][0]["verdict"] == row["verdict"]


def test_confirm_keeps_the_conditions_of_the_study(edited: Run, tune: Run) -> None:
    _let_it_recommend(edited, "games", {"grain": 60, "guess": "zero"})
    conditions = {"patience_ms": 45_000, "time_margin_ms": 70, "openings": "shared"}
    with edited("studies.db") as connection:
        query = "SELECT settings FROM tuning_studies WHERE name = 'games'"
        study = json.loads(connection.execute(query).fetchone()[0])
        study["event"] |= conditions
        update = "UPDATE tuning_studies SET settings = ? WHERE name = 'games'"
        connection.execute(update, (json.dumps(study),))
    assert tune("confirm", "games", "--pairs", "1", "--quiet").code == 0
    with edited("studies.db") as connection:
        query = "SELECT settings FROM events ORDER BY id DESC LIMIT 1"
        event = json.loads(connection.execute(query).fetchone()[0])
    assert {name: event.get(name) for name in conditions} == conditions
    differs = {
        name for name in {*event, *study["event"]} if event.get(name) != study["event"].get(name)
    }
    assert differs <= {*_OF_CONFIRMATIONS, "limits"}


@each(
    "words, message",
    [
        (("hill",), "plays no games; its gain was measured on fresh pairs"),
        (("games", "--book", ":slice=1/2"), "were used by study games and cannot confirm"),
        (("games", "--book", ":slice=1/3"), "were used by study games"),
        (("games", "--pairs", "4", "--elo1", "9"), "--elo1 belongs to a test, --pairs to a match"),
        (("games", "--elo0", "5", "--elo1", "1"), "elo0"),
        (("games", "--jobs", "0"), "jobs (0)"),
    ],
)
def test_confirm_refuses(edited: Run, words: tuple[str, ...], message: str, tune: Run) -> None:
    _let_it_recommend(edited, "games", {"grain": 60, "guess": "zero"})
    result = tune("confirm", *words)
    assert result.code == 2 and message in result.err and len(result.errors) == 1


def test_confirm_of_the_base_does_nothing(edited: Run, tune: Run) -> None:
    _store_result(edited, "games", recommended={"grain": 1, "guess": "parity"}, is_base=False)
    result = tune("confirm", "games", "--json")
    assert result.code == 5 and result.out == "" and len(result.errors) == 1
    assert "study games recommends its base: there is nothing to confirm" in result.err


def test_output_of_objective_is_not_in_the_json(mtdf: Run, landscape: Path) -> None:
    objective = ("--objective", "simulated:hill_of_cli_tests:talkative")
    words = ("tune", "run", *objective, *SPACE, "--budget-pairs", "60", "--quiet")
    result = mtdf(*words, "--json")
    assert result.code == 0 and result.json["status"] == "done"
    assert "a function may say what it likes" in result.err


def test_ctrl_c_in_objective_saves_the_study(mtdf: Run, landscape: Path) -> None:
    objective = ("--objective", "simulated:hill_of_cli_tests:stopped")
    result = mtdf("tune", "run", *objective, *SPACE, "--budget-pairs", "60", "--name", "s")
    assert result.code == 130
    assert "0 of 60 pairs are measured; continue with: mtdf resume s" in result.err


def test_objective_that_exits_fails_the_study(mtdf: Run, landscape: Path) -> None:
    objective = ("--objective", "simulated:hill_of_cli_tests:leaving")
    result = mtdf("tune", "run", *objective, *SPACE, "--budget-pairs", "60", "--name", "s", "-q")
    assert result.code == 4 and result.errors == [
        "error: objective simulated:hill_of_cli_tests:leaving failed: SystemExit: 0; stopped, "
        "everything measured is saved"
    ]


@each("sampler", ["spsa", "tpe", "grid"])
def test_powers_of_two_are_tuned(sampler: str, mtdf: Run) -> None:
    """From a file, by what compares its ends, by a sampler of Optuna's, and by all points."""
    Path("table.toml").write_text(
        f'base = "mtdf:entries=2^12"\nsampler = "{sampler}"\n'
        '[parameters]\nentries = "2^10..2^14"\n',
        encoding="utf-8",
    )
    words = ("table.toml", *GAMES, "--budget-pairs", "24", "--pairs-per-trial", "3", "--name", "t")
    report = mtdf("tune", "run", *words, "--json").json
    assert report["tuned"][0]["range"] == "2^10..2^14"
    powers = {2**exponent for exponent in range(10, 15)}
    trials = mtdf("tune", "trials", "t", "--json").json
    tried = {row["parameters"]["entries"] for row in trials} | {report["tuned"][0]["recommended"]}
    assert tried <= powers and len(tried) > 1
    assert mtdf("report", "--study", "t", "-o", "t.html").code == 0


def test_too_large_tables_are_refused(mtdf: Run) -> None:
    words = ("--base", "mtdf:entries=2^12", "--param", "entries=2^10..2^30", *GAMES[:-1])
    result = mtdf("tune", "run", *words, "--jobs", "100", "--budget-pairs", "300")
    told = "76 pairs measure the gain: below about 55 Elo it can't be told from 0"
    assert told in result.errors, "what a study can find is said before anything else"
    # 100 times a table of 16 384 MB and 1.5 MB for a thread.
    assert result.code == 2 and "need 1638550 MB" in result.errors[-1]
    assert mtdf("tune", "list").code == 5


def test_point_without_gain_is_refused_by_every_command(edited: Run, tune: Run, mtdf: Run) -> None:
    assert tune("rm", "hill", "trees", "effort", "--yes").code == 0
    gain = {"unit": "elo", "pairs": 400, "value": -13.9, "low95": -28.4, "high95": 0.6}
    gain |= {"error95": 14.5, "note": ""}
    base = {"grain": 1, "guess": "parity"}
    zero = {"pairs": 0, "value": 0.0, "low95": 0.0, "high95": 0.0, "error95": 0.0}
    _store_result(
        edited,
        "games",
        recommended=base,
        is_base=True,
        gain=gain | zero | {"note": "the base is recommended"},
        refused={"grain": 60, "guess": "zero"},
        refused_gain=gain,
    )
    refusal = (
        "grain=60,guess=zero measured -13.9 ± 14.5 Elo over the base (95 %, on 400 fresh pairs "
        "not used in the choice)"
    )
    shown = tune("show", "games").out
    assert "recommended  the base: the point found by the search measured no gain\n" in shown
    assert f"refused      {refusal}\n" in shown
    report = tune("show", "games", "--json").json
    assert report["is_base"] and report["gain_elo"] == 0
    assert report["refused"] == {"grain": 60, "guess": "zero"}
    assert report["refused_gain"]["value"] == -13.9
    row = next(line for line in tune("list").out.splitlines() if line.startswith("games"))
    assert re.search(r" base +-- ", row)
    assert mtdf("report", "--all", "-o", "all.html", "--db", "studies.db", "--quiet").code == 0
    page = Path("all.html").read_text(encoding="utf-8")
    rows = [one for one in page.split("<tr>") if 'href="#study-games"' in one]
    assert any(">the base is best</td>" in one.split("</tr>")[0] for one in rows)
    assert "0.0 ± 0.0" not in page
    exported = tune("export", "games")
    assert f"# refused: {refusal}\n" in exported.out
    assert f'engine = "{PARITY.spelling}"' in exported.out
    told = r"recommends its base: nothing better was found \(\d+ pairs? measures? the gain: below "
    assert re.search(told + r"about \d+ Elo it can't be told from 0\)", exported.err)
    assert tune("export", "games", "--format", "variant").out == f"{PARITY.spelling}\n"
    values = tune("export", "games", "--json").json
    assert values["is_base"] and values["parameters"] == base
    assert values["refused_gain"]["value"] == -13.9
    confirmed = tune("confirm", "games")
    assert confirmed.code == 5 and confirmed.errors == [
        "error: study games recommends its base and refused grain=60,guess=zero: there is nothing "
        "to confirm (mtdf show games)"
    ]


def _let_it_recommend(edited: Run, study: str, point: Mapping[str, Any]) -> None:
    _store_result(edited, study, recommended=point, parameters=point, is_base=False)


def _store_result(edited: Run, study: str, **fields: Any) -> None:
    """Replace parts of the stored result of a study in the copy."""
    with edited("studies.db") as connection:
        (text,) = connection.execute(
            "SELECT result FROM tuning_studies WHERE name = ?", (study,)
        ).fetchone()
        connection.execute(
            "UPDATE tuning_studies SET result = ? WHERE name = ?",
            (json.dumps(json.loads(text) | fields), study),
        )


def test_pipe_gets_one_line_per_trial(mtdf: Run, landscape: Path) -> None:
    result = mtdf("tune", "run", *SIMULATED, *SPACE, "--budget-pairs", "100", "--name", "a")
    assert result.code == 0
    trials = re.findall(r"^\S+Z a trial=(\d+) complete pairs=\d+ ", result.err, re.MULTILINE)
    done = mtdf("show", "a", "--json").json["trials_done"]
    assert trials == [str(number) for number in range(done)]
    assert "mtdf resume a" in result.err.splitlines()[1]
    assert "phase=gain" in result.err
    quiet = mtdf("tune", "run", *SIMULATED, *SPACE, "--budget-pairs", "20", "--quiet")
    assert quiet.errors == []


def test_seed_determines_the_study(mtdf: Run, landscape: Path) -> None:
    words = (*SIMULATED, *SPACE, "--budget-pairs", "100", "--quiet", "--json", "--seed", "5")
    first, second = (mtdf("tune", "run", *words).json for _ in range(2))
    assert first["name"] != second["name"]
    assert first["tuned"] == second["tuned"] and first["gain"] == second["gain"]
    resumed = mtdf("resume", first["name"], "--json").json
    assert resumed == first


def test_plan(mtdf: Run, has_fields: Check) -> None:
    words = ("tune", "run", "--param", "grain", "--nodes", "100", "--dry-run")
    row = mtdf(*words, "--budget-pairs", "100", "--json").json
    assert has_fields(row, StudyPlanRow)
    assert row["sampler"] == "spsa"
    assert sum(one["budget"] for one in row["phases"]) <= 100
    text = mtdf(*words)
    assert "nothing was started" in text.err and not Path("mtdf.db").exists()
    assert "measured gain 1 000" in text.out and "1..200,log" in text.out
    unmeasured = mtdf(*words, "--measure", "0").out
    assert "measured gain" not in unmeasured


def test_trials_share_openings_if_asked(mtdf: Run) -> None:
    words = ("tune", "run", "--param", "grain=1..90", *GAMES[:4], "--sampler", "random")
    words = (*words, "--budget-pairs", "80", "--pairs-per-trial", "2", "--trials", "12")
    for openings, switch in (("distinct", "off"), ("shared", "on")):
        done = mtdf(*words, "--book", f"default-500:shared={switch}", "--name", openings)
        assert done.code == 0, done.err
    with open_database(Path("mtdf.db")) as db:
        first = {
            study.name: {
                one.first_pair
                for one in db.repository.encounters(study.id)
                if one.phase == "search"
            }
            for study in db.repository.studies()
        }
    assert first == {"distinct": {0, 2}, "shared": {0}}


def test_too_short_book_is_accepted_if_asked(mtdf: Run) -> None:
    words = ("tune", "run", "--param", "grain", "--nodes", "60", "--max-plies", "8")
    words = (*words, "--dry-run", "--book")
    assert "too few for this budget" in mtdf(*words, "default-500").err
    assert "too few" not in mtdf(*words, "default-500:repeat=on").err


def test_workers_of_a_study_are_pinned(mtdf: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolkit.tuning.measuring import games

    seen, play = [], games.play_pairs

    def noted(tasks: Any, assignment: Any, jobs: Any, **more: Any) -> Any:
        seen.append([len(cores) for cores in assignment.cores])
        return play(tasks, replace(assignment, cores=()), jobs, **more)  # in this process

    monkeypatch.setattr(games, "play_pairs", noted)
    words = ("--param", "grain=1..90", *GAMES, "--budget-pairs", "16", "--pairs-per-trial", "4")
    for more, cores in (((), []), (("--affinity",), [1])):
        assert mtdf("tune", "run", *words, *more).code == 0
        assert seen.pop() == cores
    refused = mtdf("tune", "run", *words, "--affinity", "--jobs", "500")
    assert refused.code == 2 and "--affinity: 500 jobs need 500 processor cores" in refused.err
    refused = mtdf("tune", "run", "--param", "grain", "--objective", "nodes", "--affinity")
    assert refused.code == 2 and "--affinity: this study plays no games" in refused.err


@pytest.mark.slow
def test_hanging_engine_of_a_study_loses(mtdf: Run) -> None:
    fake = Path(__file__).parents[1] / "engines" / "fake_uci.py"
    rival = f"uci:{sys.executable} -I -S {fake} hang=go?name=rival"
    words = ("--param", "grain=1..90", "--against", rival, *GAMES, "--hang-after", "0.4")
    mtdf("tune", "run", *words, "--budget-pairs", "24", "--pairs-per-trial", "4")
    with open_database(Path("mtdf.db")) as db:
        (event,) = db.repository.events()
        found = list(db.repository.games())
    assert event.settings["patience_ms"] == 400
    assert found and {game.end_reason for game in found} == {"engine-failure"}


@each(
    "words, basis",
    [
        (("--nodes", "60", "--max-plies", "8"), r"from \d+ warm-up games"),
        (("--nodes", "60", "--max-plies", "8", "--against", "pvs"), r"from \d+ warm-up games"),
        (("--movetime", "5"), "from the clock"),
        (("--objective", "nodes", "--depth", "1"), r"from \d+ warm-up search(es)? of the base"),
        (("--objective", "time", "--depth", "1"), r"from \d+ warm-up search(es)? of the base"),
    ],
)
def test_dry_run_estimates_the_time(words: tuple[str, ...], basis: str, mtdf: Run) -> None:
    line = ("tune", "run", "--param", "grain", *words, "--jobs", "2", "--dry-run")
    row = mtdf(*line, "--json").json
    assert row["estimate_s"] > 0 and re.fullmatch(basis, row["estimate_basis"])
    assert re.search(rf"^est\.   ~\S+ at 2 jobs \({basis}\)$", mtdf(*line).out, re.MULTILINE)
    assert not Path("mtdf.db").exists()


def test_estimate_covers_the_whole_budget(mtdf: Run) -> None:
    """By the clock a game takes 120 times 5 ms, and 4,000 pairs are 8,000 games."""
    line = ("tune", "run", "--param", "grain", "--movetime", "5", "--dry-run", "--json")
    assert mtdf(*line).json["estimate_s"] == pytest.approx(8000 * 120 * 0.005)
    half = mtdf(*line, "--budget-pairs", "2000", "--jobs", "2").json["estimate_s"]
    assert half == pytest.approx(8000 * 120 * 0.005 / 4)


def test_time_of_a_function_is_unknown(mtdf: Run, landscape: Path) -> None:
    result = mtdf("tune", "run", *SIMULATED, *SPACE, "--dry-run")
    assert "est.   unknown (a function is not called before the study starts)" in result.out


def test_dry_run_of_confirmation_plays_nothing(tune: Run, edited: Run, has_fields: Check) -> None:
    _let_it_recommend(edited, "games", {"grain": 60, "guess": "zero"})
    before = tune("show", "games", "--json").json
    row = tune("confirm", "games", "--pairs", "7", "--dry-run", "--json").json
    assert has_fields(row, EventPlanRow)
    assert (row["kind"], row["games"], row["book_slice"]) == ("match", 14, "2/2")
    assert row["estimate_s"] > 0
    shown = tune("confirm", "games", "--max-pairs", "9", "--dry-run")
    assert shown.code == 0 and "plan   sprt" in shown.out and "est.   ~" in shown.out
    assert tune("show", "games", "--json").json == before and before["confirmations"] == []


def test_options_go_before_the_file(mtdf: Run) -> None:
    Path("lmr.toml").write_text(
        'base = "mtdf:guess=blend"\nnodes = 700\nmax_plies = 8\nbudget_pairs = 300\nseed = 4\n'
        '[parameters]\ngrain = "1..9"\nweight = true\n[sampler_options]\nc = 0.2\nr = 0.1\n',
        encoding="utf-8",
    )
    words = ("tune", "run", "lmr.toml", "--dry-run", "--json")
    row = mtdf(*words).json
    assert (row["base"], row["limit"], row["seed"]) == ("mtdf:guess=blend", "700 nodes/move", 4)
    assert row["sampler_options"] == {"c": 0.2, "r": 0.1}
    assert [one["range"] for one in row["tuned"]] == ["1..9,log", "0.0..1.0"]
    more = ("--seed", "9", "--param", "grain=1..5", "--sampler-option", "c=0.1")
    row = mtdf(*words, *more).json
    assert (row["seed"], row["limit"]) == (9, "700 nodes/move")
    assert row["sampler_options"] == {"c": 0.1, "r": 0.1}
    assert {one["parameter"]: one["range"] for one in row["tuned"]} == {
        "grain": "1..5,log",
        "weight": "0.0..1.0",
    }


@each(
    "words, message",
    [
        (("--nodes", "9"), "nothing to tune: give at least one --param NAME"),
        (("--param", "grian", "--nodes", "9"), "no parameter `grian`; did you mean `grain`?"),
        (("--param", "grain"), "a limit is missing"),
        (("--param", "grain", "--nodes", "9", "--budget-pairs", "3"), "not enough"),
        (
            ("--param", "grain", "--nodes", "9", "--name", "last"),
            "name of the study `last`: it means the newest",
        ),
        (("--param", "grain", "--nodes", "9", "--start", "grain=3"), "--start belongs to a sim"),
        (("--param", "grain", "--nodes", "9", "--sampler", "tpee"), "sampler `tpee`"),
        (("--param", "grain", "--nodes", "9", "--sampler-option", "c"), "expected NAME=SETTING"),
        (("--param", "grain", "--nodes", "9", "--sampler-option", "q=1"), "spsa has no option `q`"),
        (("--param", "futility", "--objective", "nodes"), "depend on futility: tune it by elo"),
        (("--param", "leaf_bounds", "--nodes", "9"), "on leaf_bounds: tune it by nodes or time"),
        (("--param", "grain", "--objective", "time", "--book", ":slice=1/3"), "leave out --book"),
        (("--param", "grain", "--objective", "nodes", "--pairs-per-trial", "9"), "all positions"),
        ((*SIMULATED, *SPACE, "--position-count", "5"), "leave --position-count out"),
        ((*SIMULATED, *SPACE, "--book", ":slice=1/3"), "leave --book out"),
        (("--param", "grain", "--nodes", "9", "--jobs", "0"), "jobs (0)"),
        (("--param", "grain", "--objective", "elos"), "objective `elos`"),
        (("--param", "x=0..1", "--objective", "simulated:nowhere:f"), "cannot import nowhere"),
        ((*SIMULATED, *SPACE, "--base", "pvs"), "a simulated objective has no engine"),
        ((*SIMULATED, *SPACE, "--nodes", "5"), "a simulated objective has no games"),
        ((*SIMULATED, *SPACE, "--depth", "5"), "leave --depth out"),
        ((*SIMULATED, "--param", "x=0..1", "--start", "x=5"), "--start x=5: the value is outside"),
        (("no.toml",), "no.toml: No such file"),
    ],
)
def test_errors_are_one_line(words: tuple[str, ...], message: str, mtdf: Run) -> None:
    result = mtdf("tune", "run", *words)
    assert result.code == 2 and len(result.errors) == 1, result.err
    assert message in result.err
    assert not Path("mtdf.db").exists(), "nothing was stored"


def test_failing_objective_stops_the_study(mtdf: Run, landscape: Path) -> None:
    words = ("--objective", "simulated:hill_of_cli_tests:broken", *SPACE, "--name", "b", "--quiet")
    result = mtdf("tune", "run", *words)
    assert result.code == 4
    assert result.errors[0].endswith("no such landscape; stopped, everything measured is saved")
    assert result.out == "", "nothing was measured"
    assert mtdf("show", "b", "--json").json["status"] == "failed"
    unfinished = mtdf("tune", "export", "b")
    assert unfinished.code == 2 and "mtdf resume b" in unfinished.err
    taken = mtdf("tune", "run", *words)
    assert taken.code == 2 and "study `b` exists" in taken.err


@each("base, size", [("mtdf", 20), ("mtdf:hash=1,grain=4", 16)])
def test_hash_in_megabytes_is_a_point_of_entries(mtdf: Run, base: str, size: int) -> None:
    words = ("tune", "run", "--base", base, "--param", "entries=2^10..2^20", "--dry-run", *GAMES)
    text = mtdf(*words).out
    assert re.search(rf"^entries +2\^10\.\.2\^20 +2\^{size}$", text, re.M)
    row = mtdf(*words, "--json").json
    assert row["tuned"][0]["base"] == 2**size
    mine, theirs = parse_variant(row["base"]), parse_variant(base)
    assert mine.parameters["entries"] == 2**size and table_bytes(mine) == table_bytes(theirs)


@each("base", ["mtdf:hash=3", "mtdf:hash=0", "mtdf:entries=2^24", "mtdf:hash=64"])
def test_base_suggested_by_a_refusal_works(mtdf: Run, base: str) -> None:
    words = ("--param", "entries=2^10..2^20", "--dry-run", *GAMES)
    refused = mtdf("tune", "run", "--base", base, *words)
    assert refused.code == 2
    other = re.search(r"such as (\S+)", refused.errors[0])
    assert other is not None
    assert mtdf("tune", "run", "--base", other[1], *words).code == 0


@each("low95", [-1.0, 1.0])
@each("name", ["hill", "trees", "games", "effort"])
def test_confirmation_is_suggested_only_for_games(studied: Path, name: str, low95: float) -> None:
    with open_database(studied) as db:
        report = study_report(db, find_study(db, name))
    gain = Gain(value=5.0, low95=low95, high95=9.0, error95=4.0, unit="elo", pairs=9, note="")
    hint = next_step(replace(report, is_base=False, gain=gain))
    assert (f"mtdf tune confirm {name}" in hint) == (name == "games")
    assert "--budget-pairs" not in hint or name != "effort"
    assert f"mtdf tune export {name}" in hint
    base = next_step(replace(report, is_base=True, gain=gain))
    assert "confirm" not in base and ("--trials" in base) == (name == "effort")


@pytest.mark.slow
def test_killed_study_has_the_same_result(mtdf: Run, landscape: Path) -> None:
    words = (*SPACE, "--budget-pairs", "400", "--seed", "3", "--quiet")
    whole = mtdf("tune", "run", "--name", "whole", *SIMULATED, *words)
    assert whole.code == 0
    killed = _process(landscape, "tune", "run", "--name", "cut", *words, *DEADLY)
    assert killed.returncode == -signal.SIGKILL
    assert mtdf("show", "cut", "--json").json["status"] == "interrupted"
    stopped = _process(landscape, "resume", "cut")
    assert stopped.returncode == 130
    assert "continue with: mtdf resume cut" in stopped.stderr
    assert re.match(r"best point so far, after \d+ of 400 pairs: x=", stopped.stdout)
    resumed = _process(landscape, "resume", "cut", "--quiet")
    assert resumed.returncode == 0

    def told(name: str) -> Any:
        report = mtdf("show", name, "--json").json
        differs = ("name", "objective", "created_at", "started_at", "ended_at")
        return {key: value for key, value in report.items() if key not in differs}

    assert told("cut") == told("whole")
    trials = [mtdf("tune", "trials", name, "--json").json for name in ("cut", "whole")]
    points = [[(t["parameters"], t["opponent"], t["worth"]) for t in one] for one in trials]
    assert points[0] == points[1]


def _process(landscape: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", "import cli; cli.main()", *words],
        env=os.environ | {"PYTHONPATH": str(landscape)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_unknown_study(tune: Run, mtdf: Run) -> None:
    for name in ("show", "trials", "importance", "export", "confirm", "resume"):
        result = tune(name, "nothing")
        assert result.code == 5 and len(result.errors) == 1 and "mtdf tune list" in result.err
    open_database("empty.db", create=True).close()
    empty = mtdf("tune", "list", "--db", "empty.db")
    assert empty.code == 5 and "no study" in empty.err


def test_resume_takes_the_newest_unfinished(mtdf: Run, landscape: Path) -> None:
    def run(name: str, function: str) -> None:
        objective = ("--objective", f"simulated:hill_of_cli_tests:{function}")
        mtdf("tune", "run", *objective, *SPACE, "--budget-pairs", "60", "--name", name)

    run("done", "hill")
    nothing = mtdf("resume")
    assert nothing.code == 5 and nothing.err.startswith("error: no unfinished run in ")
    for name in ("one", "two", "three"):
        run(name, "stopped")
    run("later", "hill")
    resumed = mtdf("resume")
    assert resumed.code == 130 and "continue with: mtdf resume three" in resumed.err
    assert "2 older runs are not finished either: study two, study one\n" in resumed.err


def test_resumed_finished_study_shows_its_result(tune: Run) -> None:
    assert tune("resume", "games", "--json").json == tune("show", "games", "--json").json
    assert tune("resume", "last", "--json").json["name"] == "effort"
    assert tune("resume", "hill").out == tune("show", "hill").out


def test_study_names_are_completed(tune: Run) -> None:
    from click.shell_completion import ShellComplete

    def completed(*words: str) -> list[str]:
        complete = ShellComplete(program, {}, "mtdf", "_MTDF_COMPLETE")
        return [item.value for item in complete.get_completions(list(words[:-1]), words[-1])]

    assert {"effort", "games", "trees", "hill", "last"} <= {
        *completed("show", "--db", "studies.db", "")
    }
    assert completed("tune", "export", "--db", "studies.db", "g") == ["games"]
    assert completed("show", "--db", "none.db", "") == []
    assert completed("tune", "run", "--param", "gra") == ["grain"]
    assert "hash" not in completed("tune", "run", "--param", "ha")


GREEDY = Path(__file__).parents[1] / "tuning" / "greedy_uci.py"


def keep(name: str) -> None:
    """Keep the external engine under a name in the database of the test."""
    with open_database(Path("mtdf.db"), create=True) as db:
        command = UciCommand((sys.executable, str(GREEDY)))
        setup = UciSetup(command=command, options=(("Bold", "true"),), spelling=name, label=name)
        add_named_engine(db, setup)


def test_options_of_a_named_engine_from_a_file(mtdf: Run, tmp_path: Path) -> None:
    keep("greedy")
    (tmp_path / "study.toml").write_text(
        """
        base = "greedy:Skill=40"
        against = ["mtdf:hash=1,nodes=5", "greedy:skill={60,80}"]
        nodes = 1
        budget_pairs = 400
        [parameters]
        "lazy move" = "-3..3"
        bold = true
        style = ["calm", "wild"]
        """
    )
    plan = mtdf("tune", "run", "study.toml", "--param", "Skill=10..90,log", "--dry-run", "--json")
    assert [(row["parameter"], row["range"], row["base"]) for row in plan.json["tuned"]] == [
        ("Lazy Move", "-3..3", 0),
        ("Bold", "off|on", True),
        ("Style", "Calm|Wild", "Calm"),
        ("Skill", "10..90,log", 40),
    ]
    assert (plan.json["base"], plan.json["estimate_s"] > 0) == ("greedy:Skill=40", True)
    against = ["mtdf:hash=1,nodes=5", "greedy:skill=60", "greedy:skill=80"]
    assert plan.json["against"] == against


@each(
    "args, said",
    [
        (("--base", "greedy:Skill={1,2}", "--param", "Skill"), "stands for 2 engines"),
        (("--base", "greedi", "--param", "Skill"), "did you mean `greedy`"),
        (("--base", "greedy", "--param", "Skil=1..5"), "did you mean `Skill`"),
        (("--base", "greedy", "--param", "Skill=1..101"), "`Skill` goes from 0 to 100"),
        (("--base", "greedy:nodes=5", "--param", "Skill"), "a limit of its own"),
        (
            ("--base", "greedy", "--param", "Skill", "--objective", "effort"),
            "expected elo, nodes, time or simulated",
        ),
    ],
)
def test_errors_of_external_engines(mtdf: Run, args: tuple[str, ...], said: str) -> None:
    keep("greedy")
    ended = mtdf("tune", "run", *args, "--nodes", "1", "--budget-pairs", "40", "--name", "s")
    assert (ended.code, ended.out, len(ended.errors)) == (2, "", 1)
    assert said in ended.errors[0]
    assert mtdf("tune", "list").code == 5


def test_position_objective_refuses_external_engines(mtdf: Run) -> None:
    keep("greedy")
    asked = ("--base", "greedy", "--param", "Skill", "--objective", "nodes", "--depth", "3")
    ended = mtdf("tune", "run", *asked)
    assert ended.code == 2 and "is an external engine: tune it by elo" in ended.errors[0]
