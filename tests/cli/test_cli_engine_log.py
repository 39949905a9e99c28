"""``--engine-log`` logs every external engine of every kind of run."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from cases import each

from db.session import open_database
from engines.limit import Limit
from toolkit.base.toml import toml_value
from toolkit.events.event import start_event
from toolkit.events.settings import match_settings

Mtdf = Callable[..., Any]
FAKE = Path(__file__).parents[1] / "engines" / "fake_uci.py"
SHORT = ("--nodes", "10", "--max-plies", "2", "--quiet")


def fake(name: str, *arguments: str, keys: str = "") -> str:
    words = (sys.executable, "-I", "-S", str(FAKE), *arguments)
    return f"uci:{' '.join(quote(word) for word in words)}?name={name}{keys}"


def test_each_engine_of_a_worker_has_a_log(mtdf: Mtdf, tmp_path: Path) -> None:
    """Also one that has a new process for each game; the games are named."""
    words = ("match", fake("a/b", keys="&restart=on"), fake("c"), "--pairs", "2", *SHORT)
    assert mtdf(*words, "--engine-log", "logs/deep").code == 0
    one, other = sorted((tmp_path / "logs" / "deep").iterdir())
    with open_database(tmp_path / "mtdf.db") as db:
        (event,) = db.repository.events()
        assert "log" not in str(event.settings)
    assert one.name.startswith(f"{event.key}-1-a_b-") and other.name.startswith(f"{event.key}-2-c-")
    for path, starts in ((one, 4), (other, 1)):
        told = [line.split(" ", 4)[2:] for line in path.read_text().splitlines()]
        assert sum(sign == "#" and text.startswith("process") for _, sign, text in told) == starts
        played = {game: [] for game, *_ in told}
        for game, sign, text in told:
            played[game].append((sign, text.split()[0]))
        assert list(played) == ["0.0.1", "0.0.2", "0.1.1", "0.1.2"]
        for conversation in played.values():
            assert conversation.count((">", "ucinewgame")) == 1
            assert conversation.count((">", "go")) == conversation.count(("<", "bestmove")) == 1
        assert told[-1][1:] == ["#", "the process has ended"]
        assert told[-2][1:] == [">", "quit"]


@pytest.mark.slow
def test_resumed_runs_and_run_files_have_logs(mtdf: Mtdf, tmp_path: Path) -> None:
    config = tmp_path / "event.toml"
    config.write_text(
        'command = "match"\npairs = 1\nnodes = 10\nmax-plies = 6\nengine-log = "from-file"\n'
        f"[[engine]]\nengine = {toml_value(fake('a'))}\n[[engine]]\ndriver = 'mtdf'\n"
    )
    assert mtdf("run", str(config), "--quiet").code == 0
    assert len(list((tmp_path / "from-file").iterdir())) == 1
    settings = match_settings(fake("a"), "mtdf", pairs=1, limit=Limit(nodes=10))
    stopped = threading.Event()
    stopped.set()
    with open_database(tmp_path / "mtdf.db") as db:
        assert start_event(db, settings, stop=stopped).status == "interrupted"
    assert mtdf("resume", "last", "--engine-log", "resumed", "--quiet").code == 0
    assert len(list((tmp_path / "resumed").iterdir())) == 1


@each("folder", ["file", "file/below", "/proc/none", "a\0b", "x" * 300])
def test_unwritable_folder_is_refused(mtdf: Mtdf, tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").write_text("kept")
    words = ("match", fake("a"), "mtdf", "--pairs", "1", *SHORT, "--engine-log", folder)
    result = mtdf(*words)
    assert result.code != 0 and result.out == ""
    assert len(result.errors) == 1
    assert "--engine-log " in result.errors[0] or "NUL" in result.errors[0]
    assert not (tmp_path / "mtdf.db").exists()
    assert (tmp_path / "file").read_text() == "kept"


def test_no_external_engine_no_log(mtdf: Mtdf, tmp_path: Path) -> None:
    words = ("match", "mtdf", "pvs", "--pairs", "1", *SHORT, "--engine-log", "logs")
    result = mtdf(*words)
    assert result.code == 0
    assert "warning: --engine-log has no effect: no external engine plays" in result.errors
    words = ("tune", "run", "--param", "grain", "--objective", "nodes", "--depth", "2")
    result = mtdf(*words, "--trials", "4", "--engine-log", "logs")
    assert result.code == 2
    assert result.errors[-1] == "error: --engine-log: this study plays no games"


def test_study_logs_its_games(mtdf: Mtdf, tmp_path: Path) -> None:
    options = tmp_path / "options"
    options.write_text("option name Skill type spin default 5 min 1 max 10\n")
    engine = fake("a", f"options={options}")
    words = ("tune", "run", "--base", engine, "--param", "Skill=1..9", "--budget-pairs", "6")
    result = mtdf(
        *words, *SHORT, "--engine-log", "logs", "--sampler", "random", "--pairs-per-trial", "1"
    )
    assert result.code == 0, result.err
    assert any("bestmove" in path.read_text() for path in (tmp_path / "logs").iterdir())
