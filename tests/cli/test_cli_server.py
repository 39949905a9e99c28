"""Commands print the same on a database server as on a file, and survive its restart."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from postgres_server import PostgresServer

from db.session import open_database
from toolkit.base.errors import ExitCode

Run = Callable[..., Any]
PLAYED = ("--nodes", "60", "--max-plies", "16", "--seed", "7", "--jobs", "1", "--quiet")
MAKE = (
    ("gauntlet", "--hero", "mtdf", "--field", "pvs", "--field", "bns", "--pairs", "3", *PLAYED),
    ("match", "mtdf", "pvs", "--pairs", "4", "--name", "again", *PLAYED),
    (
        *("tune", "run", "--param", "grain=1..9", "--budget-pairs", "6", "--nodes", "30"),
        *("--max-plies", "12", "--seed", "3", "--name", "t", "--jobs", "1", "--quiet"),
    ),
    (
        *("lab", "compare", "--engine", "mtdf:entries=2^12,eval=pst", "--depth", "1..2"),
        *("--limit-positions", "2", "--quiet", "--name", "small"),
    ),
)
SHOW = (
    ("crosstable", "--event", "again"),
    ("ratings",),
    ("ratings", "--json"),
    ("stats", "again"),
    ("h2h", "mtdf", "pvs"),
    ("games",),
    ("game", "last", "--fen", "8"),
    ("engines", "list"),
    ("events",),
    ("show", "t"),
    ("show", "small"),
    ("db", "check", "--replay"),
    (
        "query",
        "select white, result, plies, moves, counted from v_games "
        "order by event_kind, pairing, pair, game",
    ),
    (
        "query",
        "select run, engine, depth, sum(nodes) as n, avg(value) as v from v_lab_iterations "
        "group by 1, 2, 3 order by 2, 3",
    ),
)


def plain(text: str, place: str, name: str) -> str:
    """Without what two runs never have in common: names of databases, keys, numbers of games,
    moments, times, and sizes of files with these."""
    text = text.replace(name, "DB").replace(place, "DB")
    text = re.sub(r"\br[0-9a-f]{3,6}\b", "KEY", text)
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?Z?)?", "MOMENT", text)
    text = re.sub(r'\d{4}\.\d\d\.\d\d|"\d\d:\d\d:\d\d"', "MOMENT", text)
    text = re.sub(r"[\d ]+ bytes", " SIZE", text)
    text = re.sub(r"\bg\d+\b", "GAME", text)
    return re.sub(r" +", " ", text)


@pytest.mark.slow
def test_commands_print_the_same_as_on_a_file(mtdf: Run, on_server: str, tmp_path: Path) -> None:
    file = str(tmp_path / "same.db")
    for words in MAKE:
        results = [mtdf(*words, "--db", place) for place in (file, on_server)]
        assert [one.code for one in results] == [0, 0], results[1].err
    with open_database(on_server) as server:
        name = server.name
    for words in SHOW:
        results = [mtdf(*words, "--db", place) for place in (file, on_server)]
        assert [one.code for one in results] == [0, 0], (words, results[1].err)
        texts = [
            plain(one.out, place, name)
            for one, place in zip(results, (file, on_server), strict=True)
        ]
        assert texts[0] and untimed(words, texts[0]) == untimed(words, texts[1]), words
    for words in (
        ("rename", "again", "other"),
        ("annotate", "other", "a note"),
        ("report", "--event", "other", "-o", "report.html"),
        ("rm", "other", "--yes"),
        ("db", "check"),
    ):
        results = [mtdf(*words, "--db", place) for place in (file, on_server)]
        assert [one.code for one in results] == [0, 0], (words, results[1].err)
        assert plain(results[0].out, file, name) == plain(results[1].out, on_server, name)
        told = ["vacuum" in one.err for one in results]
        assert told == [words[0] == "rm", False], "a server reuses space by itself"
    info = mtdf("db", "info", "--json", "--db", on_server).json
    assert info["bytes"] > 1_000_000 and (info["running"], info["hosts"]) == ({}, {})


def untimed(words: tuple[str, ...], text: str) -> str:
    """Without numbers where CPU times are shown; games in one order, whoever was stored first."""
    if words[0] == "games":
        return "\n".join(sorted(text.splitlines()))
    timed = words[0] in ("stats", "h2h", "game") or words == ("show", "small")
    return re.sub(r"\d[\d. ]*", "N ", text) if timed else text


def start(place: str, *words: str) -> subprocess.Popen[str]:
    """A command in another process, which prints its progress."""
    line = [sys.executable, "-m", "cli", *words, "--db", place]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_pairs(place: str, event: str, number: int) -> None:
    """Until so many pairs of an event are stored."""
    deadline = time.monotonic() + 600
    with open_database(place) as db:
        while time.monotonic() < deadline:
            found = [one for one in db.repository.events() if one.name == event]
            if found and found[0].pairs_done >= number:
                return
            time.sleep(0.05)
    raise AssertionError(f"{event} has not {number} pairs")


LONG = ("match", "mtdf", "pvs", "--nodes", "1500", "--seed", "5", "--jobs", "1", "--pairs")


@pytest.mark.slow
def test_event_is_killed_and_resumed_beside_another(mtdf: Run, on_server: str) -> None:
    """Two events at once; one is killed, and continued at once, by one process only."""
    with start(on_server, *LONG, "12", "--name", "first") as first:
        wait_for_pairs(on_server, "first", 1)
        with start(on_server, *LONG, "3", "--name", "second") as second:
            refused = mtdf("resume", "first", "--db", on_server)
            assert refused.code == ExitCode.DATABASE
            assert f"is already running in process {first.pid}: wait" in refused.err
            first.send_signal(signal.SIGKILL)
            first.communicate()
            resumed = mtdf("resume", "first", "--quiet", "--db", on_server)
            assert resumed.code == 0, resumed.err
            second.communicate()
            assert second.returncode == 0
    with open_database(on_server) as db:
        assert [(one.status, one.pairs_done) for one in db.repository.events()] == [
            ("done", 12),
            ("done", 3),
        ]
        assert db.repository.damage() == [] and db.repository.count_games() == 30


@pytest.mark.slow
def test_restarted_server_stops_a_run(mtdf: Run, on_server: str, postgres: PostgresServer) -> None:
    with start(on_server, *LONG, "12", "--name", "cut", "--quiet") as player:
        wait_for_pairs(on_server, "cut", 1)
        postgres.stop()
        postgres.start()
        _, said = player.communicate()
        assert player.returncode == ExitCode.DATABASE
        (line,) = [line for line in said.splitlines() if "slow reference" not in line]
        assert "the connection to the server was lost" in line
        assert re.search(r"; continue with: mtdf resume r[0-9a-f]+$", line)
    resumed = mtdf("resume", "cut", "--quiet", "--db", on_server)
    assert resumed.code == 0, resumed.err
    with open_database(on_server) as db:
        assert db.repository.damage() == [] and db.repository.count_games() == 24


def test_password_is_never_printed(mtdf: Run, tmp_path: Path) -> None:
    url = f"postgresql://user:hush@/x?host={tmp_path}"
    for words in (
        ("games",),
        ("doctor",),
        ("db", "vacuum"),
        ("match", "mtdf", "pvs", "--pairs", "1", "--nodes", "9"),
        ("query", "select 1"),
    ):
        result = mtdf(*words, "--db", url)
        assert "hush" not in result.out + result.err
        assert "No such file or directory" in result.out + result.err
        assert result.code == (ExitCode.FAILED if words[0] == "doctor" else ExitCode.DATABASE)


def test_doctor_recognizes_empty_server_database(mtdf: Run, empty_on_server: str) -> None:
    result = mtdf("doctor", "--db", empty_on_server.replace("mtdf@", "mtdf:hush@"))
    assert "it is an empty database; the first event fills it" in result.out
    assert "hush" not in result.out + result.err
