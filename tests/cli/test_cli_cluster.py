"""Runs on a cluster have the same results as on one machine, whichever process is killed."""

from __future__ import annotations

import os
import platform
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from ended import COMMIT, ended, signalling

Mtdf = Callable[..., Any]
MATCH = ("match", "mtdf", "pvs", "--nodes", "60", "--max-plies", "16", "--seed", "7")
PATIENCE_S = 600.0
GAMES = """
    SELECT g.pairing, g.pair, g.game, g.white_score, g.plies, g.seed, g.white_nodes, g.black_nodes,
    g.game_key, m.moves FROM games g JOIN game_moves m ON m.game_id = g.id ORDER BY 1, 2, 3
"""


@pytest.fixture(scope="module")
def running(
    local_cluster: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    """A cluster with two workers, for tests that leave it as it is."""
    with local_cluster(tmp_path_factory.mktemp("cluster")) as processes:
        processes.start_worker("one", wait=False)
        processes.start_worker("two")
        processes.wait_for("one", "connected to")
        yield processes


@pytest.fixture
def processes(local_cluster: Callable[..., Any], tmp_path: Path) -> Iterator[Any]:
    """A cluster without workers, for tests that kill."""
    with local_cluster(tmp_path) as made:
        yield made


def rows(path: Path, question: str = GAMES) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(question).fetchall()


def started(folder: Path, *words: str, **environment: str) -> subprocess.Popen[str]:
    """A command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", "import cli; cli.main()", *words],
        cwd=folder,
        env={**os.environ, "MTDF_DB": str(folder / "mtdf.db"), **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def played_alone(mtdf: Mtdf, tmp_path: Path, *words: str) -> list[Any]:
    """The games of the same command without a cluster."""
    alone = tmp_path / "alone.db"
    assert mtdf(*words, "--db", str(alone)).code == 0
    return rows(alone)


@pytest.mark.slow
def test_cluster_plays_the_same_games(mtdf: Mtdf, tmp_path: Path, running: Any) -> None:
    words = (*MATCH, "--pairs", "6")
    result = mtdf(*words, "--cluster", running.address)
    assert result.code == 0 and "retried" not in result.err
    assert rows(tmp_path / "mtdf.db") == played_alone(mtdf, tmp_path, *words)
    assert mtdf("db", "check", "--replay").code == 0
    assert {row[0] for row in rows(tmp_path / "mtdf.db", "SELECT jobs FROM games")} == {2}


@pytest.mark.slow
def test_timed_games_store_the_speed_of_their_machine(mtdf: Mtdf, running: Any) -> None:
    words = ("match", "mtdf", "pvs", "--cpu-ms", "2", "--max-plies", "10", "--pairs", "4")
    assert mtdf(*words, "--cluster", running.address).code == 0
    assert mtdf(*words, "--jobs", "1", "--name", "here").code == 0
    assert mtdf(*MATCH, "--pairs", "2").code == 0
    timed, others = [], []
    for game in mtdf("games", "--json", "--limit", "100").json:
        (timed if game["speed"] else others).append(game)
    assert (len(timed), len(others)) == (16, 4)
    assert {game["host"] for game in timed} == {platform.node()}
    told = mtdf("game", timed[0]["id"]).out
    assert f"played on {platform.node()} ({timed[0]['speed'] / 1e6:.2f} million nodes/s)" in told
    assert "machine " in mtdf("show", "here").out


@pytest.mark.slow
def test_cluster_from_environment_and_file(
    mtdf: Mtdf, tmp_path: Path, running: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler = tmp_path / "scheduler.json"
    scheduler.write_text(f'{{"address": "{running.address}"}}')
    event = tmp_path / "event.toml"
    event.write_text(
        'command = "match"\npairs = 2\nnodes = 60\nmax_plies = "16"\n'
        f'cluster = "{scheduler}"\n[[engine]]\ndriver = "mtdf"\n[[engine]]\ndriver = "pvs"\n'
    )
    assert mtdf("run", str(event)).code == 0
    assert mtdf("run", str(event), "--jobs", "1").code == 0, "and so it does over a file"
    monkeypatch.setenv("MTDF_CLUSTER", "nonsense")
    assert mtdf(*MATCH, "--pairs", "2", "--jobs", "1").code == 0
    monkeypatch.setenv("MTDF_CLUSTER", running.address)
    assert mtdf(*MATCH, "--pairs", "2").code == 0
    assert mtdf(*MATCH, "--pairs", "2", "--jobs", "1").code == 0, "what is typed holds"
    jobs = rows(tmp_path / "mtdf.db", "SELECT jobs FROM games ORDER BY id")
    assert [row[0] for row in jobs] == [2] * 4 + [1] * 8 + [2] * 4 + [1] * 4


def test_bad_cluster_options_are_refused(
    mtdf: Mtdf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And before a database is made."""
    monkeypatch.setattr("toolkit.runs.dask.cluster._CONNECT_S", 0.2)
    words = (*MATCH, "--pairs", "2", "--cluster")
    for more, told in {
        ("tcp://127.0.0.1:1", "--jobs", "2"): "--jobs and --cluster exclude each other",
        ("tcp://127.0.0.1:1", "--affinity"): "--affinity works with processes of this machine only",
        ("nowhere",): "`nowhere` is not a scheduler",
        ("missing.json",): "cannot read the scheduler file missing.json",
        ("tcp://127.0.0.1:1",): "no scheduler answers at tcp://127.0.0.1:1",
    }.items():
        result = mtdf(*words, *more)
        assert result.code in (1, 2) and told in result.err, result.err
        assert "Traceback" not in result.err and len(result.err.splitlines()) <= 3
    assert not (tmp_path / "mtdf.db").exists()


@pytest.mark.slow
@pytest.mark.native
def test_other_core_is_refused(tmp_path: Path, running: Any) -> None:
    run = started(
        tmp_path, *MATCH, "--pairs", "1", "--cluster", running.address, MTDF_BACKEND="reference"
    )
    _, err = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 1 and "Traceback" not in err
    assert f"no worker of the cluster at {running.address} can do this: tcp://" in err
    assert "it searches on the native backend with core " in err
    assert "install the same mtdf there" in err
    running.wait_for("one", "refused a run: it searches on the native backend")


@pytest.mark.slow
def test_other_program_of_external_engine_is_refused(
    mtdf: Mtdf, tmp_path: Path, processes: Any
) -> None:
    """Each worker starts the engine where it is, and compares it with the event's."""
    fake = (Path(__file__).parents[1] / "engines" / "fake_uci.py").read_text()
    program = tmp_path / "engine.py"
    own = 'say("id name " + os.environ.get("V", "") + "'
    program.write_text(fake.replace('say("id name ', own))
    assert program.read_text() != fake
    words = ("match", "pvs", f"uci:{sys.executable} -S {program}", *MATCH[3:], "--cluster")
    processes.start_worker("same")
    assert mtdf(*words, processes.address, "--pairs", "2").code == 0
    processes.start_worker("other", V="2")
    again = mtdf(*words, processes.address, "--pairs", "8", "--name", "again")
    assert again.code == 0
    (refusal,) = [line for line in again.errors if "refused" in line]
    assert "is another one there" in refusal and refusal.endswith("install the same program")


@pytest.mark.slow
def test_killed_scheduler_interrupts_the_event(mtdf: Mtdf, tmp_path: Path, processes: Any) -> None:
    processes.start_worker()
    words = (*MATCH, "--pairs", "40", "--cluster", processes.address)
    run = signalling(COMMIT, 3, signal.SIGKILL, *words, victim=processes.scheduler.pid)
    assert run.returncode == 1 and "Traceback" not in run.stderr
    assert f"the scheduler at {processes.address} is gone" in run.stderr
    (before,) = rows(tmp_path / "mtdf.db", "SELECT count(*) FROM games")
    assert 6 <= before[0] < 80
    assert mtdf("db", "check").code == 0
    listed = mtdf("events", "--json").json
    assert [event["status"] for event in listed] == ["interrupted"]
    assert mtdf("resume", listed[0]["id"]).code == 0
    assert rows(tmp_path / "mtdf.db") == played_alone(mtdf, tmp_path, *words[:-2])


@pytest.mark.slow
def test_killed_coordinator_is_resumed(mtdf: Mtdf, tmp_path: Path, running: Any) -> None:
    words = (*MATCH, "--pairs", "40", "--cluster", running.address)
    ended(COMMIT, 3, signal.SIGKILL, *words)
    ended(COMMIT, 2, signal.SIGKILL, "resume", "--quiet", *words[-2:])
    assert mtdf("resume", "--quiet", *words[-2:]).code == 0
    assert rows(tmp_path / "mtdf.db") == played_alone(mtdf, tmp_path, *words[:-2])


@pytest.mark.slow
def test_stopping_a_run_keeps_the_cluster(mtdf: Mtdf, running: Any) -> None:
    run = ended(COMMIT, 3, signal.SIGINT, *MATCH, "--pairs", "3000", "--cluster", running.address)
    assert "continue with: mtdf resume" in run.stderr and "Traceback" not in run.stderr
    again = mtdf(*MATCH, "--pairs", "2", "--name", "other", "--cluster", running.address)
    assert again.code == 0


STUDY = (
    *("tune", "run", "--base", "mtdf:guess=zero", "--param", "guess", "--nodes", "60"),
    *("--max-plies", "16", "--budget-pairs", "120", "--seed", "3", "--name", "best", "--quiet"),
)


@pytest.mark.slow
def test_killed_study_is_resumed(mtdf: Mtdf, tmp_path: Path, running: Any) -> None:
    """It ends as in one process that is not killed."""
    encounters = "db.repository:Repository.finish_encounter"
    ended(encounters, 2, signal.SIGKILL, *STUDY, "--cluster", running.address)
    resumed = mtdf("resume", "best", "--cluster", running.address)
    assert resumed.code == 0, resumed.err
    alone = tmp_path / "alone.db"
    assert mtdf(*STUDY, "--db", str(alone)).code == 0
    assert rows(tmp_path / "mtdf.db") == rows(alone) != []
    show = ("show", "best", "--json", "--db")
    shown = [mtdf(*show, str(path)).json for path in (tmp_path / "mtdf.db", alone)]
    assert shown[0]["recommended"] == shown[1]["recommended"]


@pytest.mark.slow
def test_cluster_makes_the_same_book(mtdf: Mtdf, tmp_path: Path, running: Any) -> None:
    for name, where in (("a.epd", ("--cluster", running.address)), ("b.epd", ("--jobs", "1"))):
        words = ("openings", "make", name, "--count", "4", "--seed", "1", "--quiet")
        assert mtdf(*words, *where).code == 0
    assert (tmp_path / "a.epd").read_text() == (tmp_path / "b.epd").read_text()


@pytest.mark.slow
def test_cluster_solves_the_same_positions(mtdf: Mtdf, tmp_path: Path, running: Any) -> None:
    words = ("suite", "bratko-kopec", "--engine", "pvs", "--engine", "mtdf", "--nodes", "300")
    made = mtdf(*words, "--cluster", running.address)
    assert made.code == 0, made.err
    alone = tmp_path / "alone.db"
    assert mtdf(*words, "--db", str(alone)).code == 0
    question = "SELECT engine, position, move, interior FROM lab_searches ORDER BY 1, 2"
    assert rows(tmp_path / "mtdf.db", question) == rows(alone, question) != []
