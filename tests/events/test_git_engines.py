"""Engines from git: builds, their failures, and whole events of them, on a cluster, too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engines.external.builds import all_builds
from toolkit.commands._program import run_program

pytestmark = pytest.mark.slow

FAKE = Path(__file__).parents[1] / "engines" / "fake_uci.py"
SHORT = ("--pairs", "1", "--nodes", "60", "--max-plies", "4", "--draw", "off", "--resign", "off")
MAKEFILE = """\
EXE = fake
$(EXE): engine.py
\techo building >> {count}
\t{{ echo "#!{python} -IS"; cat engine.py; }} > $@
\tchmod +x $@
"""
BENCH = 'if sys.argv[1:] == ["bench"]: print("{nodes} nodes 1 nps"); sys.exit()\nKNIGHTS ='


class Repository:
    """The scripted engine in a repository, and the command line."""

    def __init__(self, folder: Path, run: Callable[..., Any]) -> None:
        self.folder, self.run = folder, run
        self.count = folder.with_name("count")
        folder.mkdir()
        self.git("init", "-q", "-b", "main")
        self.commit("first", 4000)

    def git(self, *words: str) -> str:
        settings = ("-c", "user.name=Ada", "-c", "user.email=a@example.org")
        command = ["git", *settings, *words]
        return subprocess.run(
            command, cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout.strip()

    def write(self, nodes: int) -> None:
        text = FAKE.read_text().replace("KNIGHTS =", BENCH.format(nodes=nodes), 1)
        (self.folder / "engine.py").write_text(text)
        makefile = MAKEFILE.format(count=self.count, python=sys.executable)
        (self.folder / "Makefile").write_text(makefile)

    def commit(self, message: str, nodes: int) -> None:
        self.write(nodes)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    @property
    def builds(self) -> int:
        """How many builds were made so far."""
        return len(self.count.read_text().splitlines()) if self.count.exists() else 0


@pytest.fixture
def repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Repository:
    from cli import program

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("MTDF_DB", str(tmp_path / "mtdf.db"))

    def run(*words: str) -> Any:
        code = run_program(program, list(words))
        said = capsys.readouterr()
        return type("Ended", (), {"code": code, "out": said.out, "err": said.err})()

    made = Repository(tmp_path / "repository", run)
    monkeypatch.chdir(made.folder)
    return made


def test_patch_is_built_played_stored_and_resumed(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "patch")
    repository.commit("second", 5000)
    ended = repository.run("match", "git:.@patch", "git:.@main", *SHORT)
    assert ended.code == 0, ended.err
    assert "make -j EXE=mtdf-engine" in ended.err and repository.builds == 2
    stored = {
        row["engine"]: row for row in json.loads(repository.run("engines", "list", "--json").out)
    }
    commits = {name: repository.git("rev-parse", name) for name in ("patch", "main")}
    for name, bench, subject in (("patch", 5000, "second"), ("main", 4000, "first")):
        row = stored[f"{name}@{commits[name][:8]}"]
        build = row["build"]
        assert (build["bench"], build["subject"], build["commit"]) == (
            bench,
            subject,
            commits[name],
        )
        assert row["parameters"]["commit"] == commits[name] and row["games"] == 2
    assert "bench 5000" in repository.run("show", "last").out
    built = json.loads(repository.run("show", "last", "--json").out)["builds"]
    assert {one["bench"] for one in built.values()} == {4000, 5000}
    text = repository.run("show", "last", "--toml").out
    event = repository.folder / "event.toml"
    event.write_text(text)
    assert repository.run("run", str(event), "--dry-run").code == 0 and repository.builds == 2
    page = repository.folder / "page.html"
    assert repository.run("report", "-o", str(page), "--event", "last").code == 0
    assert "bench 5000" in page.read_text()
    assert repository.run("engines", "builds", "--rm", "all").code == 0
    assert repository.run("extend", "last", "--pairs", "1").code == 0
    again = repository.run("resume", "last")
    assert again.code == 0 and repository.builds == 4, "what is missing is built again"
    assert json.loads(repository.run("show", "last", "--json").out)["pairs_done"] == 2


def test_changes_that_are_not_committed_play(repository: Repository) -> None:
    repository.write(6000)
    ended = repository.run("match", "git:.@.", "git:.@main", *SHORT)
    assert ended.code == 0, ended.err
    (row,) = [
        one
        for one in json.loads(repository.run("engines", "list", "--json").out)
        if one["games"] and "+" in one["engine"]
    ]
    assert "+if sys.argv[1:]" in row["build"]["diff"] and row["build"]["bench"] == 6000
    repository.git("checkout", "-q", ".")
    clean = json.loads(repository.run("engines", "show", "git:.@.", "--json").out)
    assert clean["id"] != row["id"] and clean["build"]["diff"] == ""
    assert (
        clean["id"]
        == json.loads(repository.run("engines", "show", "git:.@main", "--json").out)["id"]
    )


def test_bad_builds_end_in_one_line(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engines.external.building.BENCH_S", 3)
    hang = tmp_path / "hang"
    copy = "cp engine.py a; chmod +x a"
    for text, words in (
        ("build=echo one; echo two; exit 3", ("(exit code 3): one | two; log: ",)),
        (f"build=sleep 1000 %26 echo $! > {hang}; wait&timeout=3", ("within 3 s",)),
        ("build=kill -9 $$", ("was killed by signal 9",)),
        ("build=true", ("made no program", "build.log")),
        (f"build={copy}; cp a b", ("made no program",)),
        ("build=make; make EXE=b", ("several programs (b, fake): give binary=",)),
        ("build=make&binary=src/x", ("`src/x` is not there", "programs: fake")),
        ("build=make&binary=engine.py", ("is not executable", "programs: fake")),
        ("build=printf '#!/bin/sh\\nexit 0\\n' > x; chmod +x x", ("is it a UCI engine?",)),
        (
            "build=printf '#!/bin/sh\\nsleep 1000\\n' > x; chmod +x x",
            ("`bench` did not end within 3 s (bench=off",),
        ),
    ):
        ended = repository.run("engines", "show", f"git:.@main?{text}")
        errors = [line for line in ended.err.splitlines() if line.startswith("error:")]
        assert ended.code == 4 and len(errors) == 1, (text, ended.err)
        assert all(word in errors[0] for word in words), (text, errors[0])
    deadline = time.monotonic() + 300
    pid = int(hang.read_text())
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}").exists(), "what hung is killed with all that it started"
    listed = json.loads(repository.run("engines", "builds", "--json").out)
    assert {row["status"] for row in listed} == {"failed", "built"}


def test_two_builds_of_a_commit_with_two_benches_are_an_error(repository: Repository) -> None:
    assert repository.run("match", "git:.@main", "mtdf", *SHORT).code == 0
    other = "git:.@main?build=sed -i s/4000/4001/ engine.py; make"
    ended = repository.run("engines", "show", other)
    assert ended.code == 4 and "is 4001, and 4000 when it is built by `make -j EXE=" in ended.err
    assert repository.run("engines", "show", f"{other}&bench=off").code == 0
    assert repository.run("engines", "builds", "--rm", "all").code == 0
    ended = repository.run("match", other, "mtdf", *SHORT)
    assert ended.code == 4 and "is 4001, and 4000 in the database" in ended.err


def test_two_processes_build_once(repository: Repository, tmp_path: Path) -> None:
    """The build waits until the second process waits for it."""
    words = [sys.executable, "-c", "import cli; cli.main()", "engines", "show"]
    go_on = tmp_path / "go on"
    text = f"git:.@main?build=until test -e '{go_on}'; do sleep 0.05; done; make"
    logs = [tmp_path / name for name in ("one", "other")]
    with logs[0].open("wb") as one, logs[1].open("wb") as other:
        running = [
            subprocess.Popen([*words, text], stderr=log, stdout=subprocess.DEVNULL)
            for log in (one, other)
        ]
        while not any("another process builds" in log.read_text() for log in logs):
            assert all(process.poll() is None for process in running)
            time.sleep(0.05)
        go_on.touch()
        codes = [process.wait() for process in running]
    assert codes == [0, 0], [log.read_text() for log in logs]
    assert repository.builds == 1


def test_interrupted_build_counts_as_none(repository: Repository, tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    text = f"git:.@main?build=make; test -e {flag} %26%26 exit; touch {flag}; sleep 1000"
    words = [sys.executable, "-c", "import cli; cli.main()", "engines", "show", text]
    killed = subprocess.Popen(words, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while not flag.exists():
        assert killed.poll() is None
        time.sleep(0.05)
    killed.kill()
    killed.wait()
    assert [build.state for build in all_builds()] == ["building"]
    ended = repository.run("engines", "show", text)
    assert ended.code == 0, ended.err
    assert repository.builds == 2 and [build.state for build in all_builds()] == ["built"]


def test_workers_of_a_cluster_build_for_themselves(
    repository: Repository, local_cluster: Callable[..., Any], tmp_path: Path
) -> None:
    with local_cluster(tmp_path) as processes:
        processes.start_worker("one", XDG_CACHE_HOME=str(tmp_path / "far"))
        ended = repository.run(
            *("match", "git:.@main", "mtdf", *SHORT, "--cluster", processes.address)
        )
    assert ended.code == 0, ended.err
    assert repository.builds == 2, "one here to know the engine, one there"
    (far,) = (tmp_path / "far" / "mtdf" / "builds").iterdir()
    assert (far / "build.json").exists() and os.listdir(far / "tree")
