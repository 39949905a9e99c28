"""External engines are added, shown, compared and tested, and bad ones are refused in one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from cases import each

from db.names import stored_names
from engines.external.handshake import get_ready
from engines.external.identify import identify
from toolkit.compliance.examine import EngineTest, PointRow, examine
from toolkit.compliance.finding import CheckFinding, WaitingTimes
from toolkit.reports.catalog import RemovedEngine
from toolkit.reports.external import EngineDetail, EngineRow

Run = Callable[..., Any]
Fields = Callable[[Mapping[str, Any], type[Any]], bool]
FAKE = str(Path(__file__).parents[1] / "engines" / "fake_uci.py")
PYTHON = sys.executable
FAKE_UCI = [PYTHON, "-I", "-S", FAKE]
OPTIONS = """\
option name Hash type spin default 16 min 1 max 1024
option name Style type combo default Calm var Calm var Wild Goose
option name Number of Threads type spin default 1 min 1 max 4
option name Book File type string default <empty>
option name Clear Hash type button
"""


@pytest.fixture
def fake(tmp_path: Path) -> list[str]:
    """The words of an engine with options."""
    options = tmp_path / "options.txt"
    options.write_text(OPTIONS)
    return [*FAKE_UCI, f"options={options}"]


def test_engine_is_added_shown_and_removed(mtdf: Run, fake: list[str], has_fields: Fields) -> None:
    added = mtdf("engines", "add", "fake", "--option", "hash=64", "--", *fake)
    assert added.code == 0, added.err
    assert "name         Fake 1.0" in added.out and "option Hash  64" in added.out
    (row,) = [r for r in mtdf("engines", "list", "--json").json if r["engine"] == "fake"]
    assert has_fields(row, EngineRow)
    assert (row["kind"], row["id"], row["spelling"], row["games"]) == ("uci", "", "fake", 0)
    assert row["command"].endswith(fake[-1])
    assert "fake_uci.py" in mtdf("engines", "list").out
    shown = mtdf("engines", "show", "fake", "--json").json
    assert has_fields(shown, EngineDetail)
    options = {one["option"]: one for one in shown["options"]}
    assert (options["Hash"]["value"], options["Hash"]["default"]) == ("64", "16")
    assert options["Style"]["choices"] == ["Calm", "Wild Goose"]
    assert options["Clear Hash"]["type"] == "button" and options["Style"]["value"] is None
    text = mtdf("engines", "show", "fake").out
    assert "Number of Threads  spin    1        1 to 4" in text and shown["id"] in text
    assert has_fields(mtdf("engines", "rm", "fake", "--json").json, RemovedEngine)
    assert mtdf("engines", "rm", "fake").code == 5
    assert "fake" not in mtdf("engines", "list").out


@pytest.mark.slow
def test_id_is_shown_after_a_game(mtdf: Run, fake: list[str]) -> None:
    added = mtdf("engines", "add", "fake", "--json", "--", *fake).json
    played = mtdf(
        *("match", "pvs", "fake", "--pairs", "1", "--depth", "1", "--max-plies", "4", "--quiet")
    )
    assert played.code == 0, played.err
    (row,) = [r for r in mtdf("engines", "list", "--json").json if r["engine"] == "fake"]
    assert (row["id"], row["games"]) == (added["id"], 2)
    assert row["command"] == added["command"]
    assert mtdf("engines", "show", "fake", "--json").json["games"] == 2
    by_id = mtdf("engines", "show", added["id"], "--json").json
    assert by_id["options"] is None and by_id["parameters"]["name"] == "Fake 1.0"
    assert mtdf("engines", "rm", "fake").code == 0
    assert mtdf("engines", "show", "fake", "--json").json["games"] == 2, "its games stay"


def test_diff_of_external_engines(mtdf: Run, fake: list[str]) -> None:
    mtdf("engines", "add", "one", "--option", "Hash=64", "--", *fake)
    spelled = " ".join(quote(word, safe="/=") for word in fake)
    other = f"uci:{spelled} stubborn?Style=wild goose&env.COLOUR=red"
    found = mtdf("engines", "show", "one", "--diff", other, "--json").json["differences"]
    assert {one["parameter"]: (one["engine"], one["other"]) for one in found} == {
        "argument 5": (None, "stubborn"),
        "environment COLOUR": (None, "red"),
        "option Hash": ("64", "16"),
        "option Style": ("Calm", "Wild Goose"),
    }
    same = mtdf("engines", "show", "one", "--diff", f"uci:{spelled}?hash=64")
    assert "the two are one engine" in same.err
    mixed = mtdf("engines", "show", "pvs", "--diff", "one", "--json").json["differences"]
    assert {"kind", "driver", "program"} <= {one["parameter"] for one in mixed}


def test_engine_arguments_may_look_like_options(mtdf: Run, fake: list[str]) -> None:
    row = mtdf("engines", "add", "dashed", *fake, "--uci", "-x", "--json").json
    assert row["parameters"]["arguments"][4:] == ["--uci", "-x"]
    row = mtdf("engines", "add", "--json", "all", "--", *fake, "--json", "-q", "--help").json
    assert row["parameters"]["arguments"][4:] == ["--json", "-q", "--help"]


def test_engine_starts_from_any_folder(
    mtdf: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    script = home / "run.sh"
    script.write_text(f"#!/bin/sh\nexec {PYTHON} -I -S {FAKE}\n")
    script.chmod(0o755)
    (home / "engine.py").write_text(Path(FAKE).read_text())
    database = str(tmp_path / "kept.db")
    ids = []
    for name, folder, words in (
        ("slash", home, ["./run.sh"]),
        ("dir", tmp_path, ["./run.sh", "--dir", "home"]),
        ("argument", home, [PYTHON, "-I", "-S", "engine.py"]),
    ):
        monkeypatch.chdir(folder)
        added = mtdf("--db", database, "engines", "add", name, *words, "--json")
        assert added.code == 0, added.err
        ids.append((name, added.json["id"]))
    monkeypatch.chdir("/")
    for name, identity in ids:
        assert mtdf("--db", database, "engines", "show", name, "--json").json["id"] == identity


def test_names_are_completed(mtdf: Run, fake: list[str]) -> None:
    mtdf("engines", "add", "first", "--", *fake)
    mtdf("engines", "add", "second", "--", *fake)
    assert stored_names(os.environ["MTDF_DB"], "named engine") == ["first", "second"]


_MATCH = ("match", "--pairs", "1", "--nodes", "50", "pvs")
PLACES: dict[str, Callable[[list[str], list[str]], list[str]]] = {
    "add": lambda words, options: [
        *("engines", "add", "new"),
        *(word for one in options for word in ("--option", one)),
        *("--", *words),
    ],
    "test": lambda words, options: (
        ["engines", "test", "--", *words]
        if not options
        else ["engines", "test", _uci(words, options)]
    ),
    "match": lambda words, options: [*_MATCH, _uci(words, options)],
    "show": lambda words, options: ["engines", "show", _uci(words, options)],
}


def _uci(words: Sequence[str], options: Sequence[str]) -> str:
    command = "uci:" + " ".join(quote(word, safe="/=.-") for word in words)
    return command + ("?" + "&".join(options) if options else "")


HANGING = ("cat", "yes", "python3", "sleep=uci:30")
"""Words of engines that never are ready, or much later."""
BAD_ENGINES: list[tuple[list[str], list[str], int, str]] = [
    (["./nowhere"], [], 4, "does not exist"),
    (["no-such-program"], [], 4, "no program `no-such-program` in PATH"),
    (["./folder"], [], 4, "is a directory"),
    (["./plain.txt"], [], 4, "is not executable"),
    (["./broken"], [], 4, "names does not exist"),
    (["cat"], [], 4, "no `uciok`"),
    (["true"], [], 4, "is it a UCI engine?"),
    (["yes"], [], 4, "uciok"),
    (["python3", "-c", "import time; time.sleep(600)"], [], 4, "no `uciok`"),
    ([*FAKE_UCI, "sleep=uci:30"], [], 4, "takes longer to start"),
    ([*FAKE_UCI, "hang=isready"], [], 4, "did not get ready"),
    ([*FAKE_UCI, "die=uci"], [], 4, "exit code 4"),
    ([*FAKE_UCI, "options=options.txt"], ["Hahs=4"], 2, "did you mean `Hash`"),
    ([*FAKE_UCI, "options=options.txt"], ["Hash=4096"], 2, "1 to 1024"),
    ([*FAKE_UCI, "options=options.txt"], ["Hash=many"], 2, "1 to 1024"),
    ([*FAKE_UCI, "options=options.txt"], ["Style=Mad"], 2, "one of Calm, Wild Goose"),
    ([*FAKE_UCI, "options=options.txt"], ["Clear Hash=1"], 2, "button"),
    ([*FAKE_UCI, "options=options.txt"], ["Hash=4", "hash=8"], 2, "given twice"),
    ([""], [], 2, "missing"),
    (["a\nb"], [], 2, "newline"),
]
SOME = [BAD_ENGINES[place] for place in (0, 11, 12)]


@each(
    "place, words, options, code, message",
    [("add", *case) for case in BAD_ENGINES]
    + [(place, *case) for place in ("test", "match", "show") for case in SOME],
)
def test_bad_engine_is_refused_in_one_line(
    mtdf: Run,
    place: str,
    words: list[str],
    options: list[str],
    code: int,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("folder").mkdir()
    Path("plain.txt").write_text("text")
    Path("options.txt").write_text(OPTIONS)
    Path("broken").write_text("#!/no/such/interpreter\n")
    Path("broken").chmod(0o755)
    before = sorted(os.listdir())
    assert identify.__kwdefaults__ is not None
    patience_s = 0.1 if set(words) & set(HANGING) else 600.0
    monkeypatch.setitem(identify.__kwdefaults__, "patience_s", patience_s)
    ready_s = 0.1 if "hang=isready" in words else 600.0
    monkeypatch.setattr(
        "engines.external.identify.get_ready",
        lambda process, commands, _: get_ready(process, commands, ready_s),
    )
    done = mtdf(*PLACES[place](words, options))
    assert (done.code, done.out) == (code, ""), done.err
    (line,) = [one for one in done.errors if "load of this machine" not in one]
    assert line.startswith("error: ") and message in line and len(line) < 500
    assert sorted(os.listdir()) == before, "nothing is stored"
    assert not _children(), "nothing that was started stays"


@each(
    "name",
    ["", "two words", "it's", 'say "hi"', "a\nb", "<b>x</b>", "x" * 5000, "-x", "a/b", "é", "uci"]
    + ["mtdf", "a,b", "a:b", "a{b}"],
)
def test_bad_engine_names_are_refused(mtdf: Run, fake: list[str], name: str) -> None:
    done = mtdf("engines", "add", "--", name, *fake)
    assert (done.code, done.out) == (2, "")
    assert len(done.errors) == 1 and len(done.errors[0]) < 300
    assert not Path("mtdf.db").exists()


@each(
    "words, message",
    [
        (["x"], "the command of the engine is missing"),
        (["x", "--option", "Hash", "--", "cat"], "is not of the form K=V"),
        (["x", "--option", "=1", "--", "cat"], "is not of the form K=V"),
        (["x", "--env", "A=1", "--env", "A=2", "--", "cat"], "variable `A` is given twice"),
        (["x", "--dir", "nowhere", "--", "cat"], "is not a directory"),
        (["x", "--dir", "a", "--dir", "b", "--", "cat"], "--dir is given twice"),
    ],
)
def test_bad_options_of_add(mtdf: Run, words: list[str], message: str) -> None:
    done = mtdf("engines", "add", *words)
    assert done.code in (2, 4) and done.out == ""
    assert len(done.errors) == 1 and message in done.errors[0]
    assert not Path("mtdf.db").exists()


def test_name_is_unique(mtdf: Run, fake: list[str]) -> None:
    assert mtdf("engines", "add", "fake", "--", *fake).code == 0
    again = mtdf("engines", "add", "fake", "--", "no-such-program")
    assert again.code == 2 and "is kept already" in again.err, "before anything is started"
    assert "did you mean `fake`" in mtdf("engines", "rm", "fakr").err


def test_rm_makes_no_database(mtdf: Run) -> None:
    assert mtdf("engines", "rm", "fake").code == 3, "there is no database"
    assert not Path("mtdf.db").exists()


def test_hint_for_testing_our_engine(mtdf: Run) -> None:
    done = mtdf("engines", "test", "mtdf:guess=zero")
    assert done.code == 2
    assert "mtdf engines test -- mtdf uci --engine mtdf:guess=zero" in done.err
    assert mtdf("engines", "test").code == 2


@pytest.fixture
def findings(monkeypatch: pytest.MonkeyPatch) -> list[CheckFinding]:
    """What the test of an engine finds, given by the test of this file."""
    found: list[CheckFinding] = []

    def examine(*_: object, **__: object) -> list[CheckFinding]:
        return found

    monkeypatch.setattr("toolkit.compliance.examine.examine", examine)
    return found


def test_findings_are_lines_or_json(
    mtdf: Run, fake: list[str], findings: list[CheckFinding], has_fields: Fields
) -> None:
    mtdf("engines", "add", "fake", "--", *fake)
    findings += [
        CheckFinding("start", "ok", "Fake 1.0", ""),
        CheckFinding("stop", "warn", "late", "slow"),
    ]
    done = mtdf("engines", "test", "fake")
    assert done.code == 0, "a warning is no failure"
    assert done.out.splitlines() == [
        "[ok]   start          Fake 1.0",
        "[warn] stop           late",
        "                      so: slow",
    ]
    findings.append(CheckFinding("nodes", "FAIL", "ignored", "useless"))
    failed = mtdf("engines", "test", "fake", "--json")
    assert failed.code == 1
    report = failed.json
    assert has_fields(report, EngineTest)
    assert list(report["points"][2]) == list(PointRow.__annotations__)
    assert (report["passed"], report["warnings"], report["failures"]) == (False, 1, 1)
    assert report["name"] == "Fake 1.0" and report["command"].endswith(fake[-1])


@pytest.mark.slow
@pytest.mark.native
def test_our_engine_passes_every_point(mtdf: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With patience: a busy machine delays answers."""
    assert examine.__kwdefaults__ is not None
    ms, s = 20_000, 120.0
    patient = WaitingTimes(
        start_s=s,
        search_s=s,
        stop_s=s,
        soon_ms=ms,
        ready_s=s,
        quit_s=s,
        end_of_input_s=s,
        margin_ms=ms,
        late_ms=ms,
        new_game_ms=ms,
        total_s=600.0,
    )
    monkeypatch.setitem(examine.__kwdefaults__, "pace", patient)
    program = str(Path(PYTHON).with_name("mtdf"))
    report = mtdf("engines", "test", "--json", "--", program, "uci", "--engine", "mtdf").json
    wrong = [one for one in report["points"] if one["status"] != "ok"]
    assert [one for one in wrong if one["status"] == "FAIL"] == []
    assert {one["point"] for one in wrong} <= {"start"}, "which is late after two seconds"


def _children() -> list[str]:
    """Processes that this one has started and that still run."""
    if not os.path.isdir("/proc/self"):
        return []
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path("/proc", entry, "stat").read_text().rpartition(") ")[2].split()
            command = Path("/proc", entry, "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue  # it has just ended
        ours = "multiprocessing" in command
        if words[1] == str(os.getpid()) and words[0] != "Z" and not ours:
            found.append(command)
    return found
