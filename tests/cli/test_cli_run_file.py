"""``mtdf run`` plays events from TOML files exactly as the same command line would."""

from __future__ import annotations

import inspect
import json
import signal
import sys
import threading
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from cases import each
from ended import COMMIT, ended

from db.session import open_database
from engines.limit import Limit, read_limit
from toolkit.base.toml import toml_value
from toolkit.commands import load_command
from toolkit.commands.options.book import BOOK_SETTINGS
from toolkit.commands.options.files import NOT_IN_FILES
from toolkit.commands.options.run import Setting
from toolkit.commands.options.types import PlayerType
from toolkit.commands.runs.run_file import ROLES, read_run_file
from toolkit.events.event import start_event
from toolkit.events.settings import EventKeywords, EventSettings, match_settings
from toolkit.lab.fixed import engines_of

Run = Callable[..., Any]
SHORT = ("--nodes", "60", "--max-plies", "8", "--seed", "7", "--quiet")
FAKE = Path(__file__).parents[1] / "engines" / "fake_uci.py"
COMMANDS = {name: load_command(name) for name in ROLES}

EVENTS = {
    "match": ("match", "mtdf:guess=zero", "mtdf", "--pairs", "2", "--book", ":shared=on"),
    "gauntlet": (
        *("gauntlet", "--hero", "mtdf", "--hero", "pvs:hash=1,nodes=30", "--field", "alphabeta"),
        *("--pairs", "2", "--book", "default-500:order=sequential,start=5"),
        *("--hang-after", "5.5", "--no-lines", "--strict"),
    ),
    "round-robin": ("round-robin", "mtdf", "pvs", "--engine", "alphabeta", "--pairs", "2"),
    "adaptive": (
        *("round-robin", "mtdf", "pvs", "alphabeta", "--stop-when", "order", "--zone", "40"),
        *("--round-pairs", "3", "--max-pairs", "6", "--book", ":repeat=on"),
    ),
    "precise": (
        *("gauntlet", "--hero", "mtdf", "--field", "pvs", "--field", "alphabeta"),
        *("--stop-when", "±400", "--round-pairs", "3", "--max-pairs", "6"),
    ),
    "knockout": ("knockout", "mtdf", "pvs:name=a'b\"c\\d", "--pairs", "2", "--extra-pairs", "2"),
    "swiss": ("swiss", "mtdf", "pvs", "alphabeta", "--rounds", "2", "--pairs", "2", "--chess960"),
    "sprt": (
        *("sprt", "--test", "mtdf", "--base", "pvs:name=ö😀", "--max-pairs", "4", "--elo1", "12.5"),
        *("--model", "logistic", "--trinomial", "--resign", "off", "--draw", "4@10:20"),
    ),
    "race": (
        *("race", "mtdf", "pvs", "alphabeta:nodes=30", "--accept", "all", "--block", "2"),
        *("--max-pairs", "8", "--elo1", "100", "--beta", "0.2", "--book", ":repeat=on"),
    ),
    "ablate": (
        *("ablate", "--engine", "mtdf:hash=1", "--feature", "null_move", "--feature", "killers"),
        *("--pairs", "2", "--book", ":slice=1/2", "--time-margin", "5"),
    ),
    "ablate with a field": (
        *("ablate", "--engine", "mtdf", "--feature", "null_move", "--field", "pvs:nodes=30"),
        *("--field", "alphabeta", "--pairs", "2", "--resign", "6@500:one"),
    ),
}


def games(mtdf: Run, event: str = "last") -> list[tuple[Any, ...]]:
    """What is the same when an event is played again."""
    rows = mtdf("games", "--event", event, "--json").json
    fields = ("pairing", "pair", "game", "white_id", "black_id", "result", "start_fen", "moves")
    return [tuple(str(row[field]) for field in fields) for row in rows]


def settings(database: str = "mtdf.db") -> dict[str, Any]:
    """The stored settings of the newest event."""
    with open_database(Path(database)) as db:
        return dict(db.repository.events()[-1].settings)


def write(text: str, name: str = "f.toml") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


@each("kind", EVENTS)
def test_exported_event_plays_the_same_event(mtdf: Run, kind: str) -> None:
    assert mtdf(*EVENTS[kind], *SHORT, "--name", 'n "1" \\ ö 😀').code in (0, 1)
    shown = mtdf("show", "last", "--toml")
    assert shown.code == 0
    name = write(shown.out)
    assert mtdf("run", name, "--db", "again.db", "--quiet").code in (0, 1)
    assert settings("again.db") == settings()
    assert games(mtdf) == games(lambda *words: mtdf("--db", "again.db", *words)) != []
    # The file of the file is the file.
    assert mtdf("--db", "again.db", "show", "last", "--toml").out == shown.out


def test_engines_with_other_defaults_are_restored(mtdf: Run) -> None:
    """Each is called by the text that meant it then, which may be longer than a name may be."""
    memories = ("killers", "counter_moves", "continuation_history", "capture_history")
    long = f"pvs:{','.join(f'{name}=off' for name in memories)}"
    assert len(long) > 60
    older = match_settings(
        *engines_of("mtdf:grain=7", long), pairs=1, limit=Limit(nodes=60), name="old"
    )
    with open_database(Path("mtdf.db"), create=True) as db:
        start_event(db, older)
    name = write(mtdf("show", "last", "--toml").out)
    assert mtdf("run", name, "--db", "again.db", "--quiet").code == 0
    kept = [[one["effective"] for one in settings(db)["players"]] for db in ("mtdf.db", "again.db")]
    assert kept[0] == kept[1] == [one.effective for one in engines_of("mtdf:grain=7", long)]
    assert games(mtdf) == games(lambda *words: mtdf("--db", "again.db", *words)) != []


def test_book_with_bad_lines_is_restored(mtdf: Run) -> None:
    pawns = [f"4k3/8/8/8/8/{pawn}/8/4K3 w - -" for pawn in ("P7", "4P3", "7P")]
    write("\n".join([pawns[0], "nonsense", *pawns[1:]]) + "\n", "böök: '1=1'.epd")
    words = ("match", "mtdf", "pvs", "--pairs", "2", "--book", "böök: '1=1'.epd:", *SHORT)
    assert mtdf(*words).code == 0
    name = write(mtdf("show", "last", "--toml").out)
    assert mtdf("run", name, "--db", "again.db", "--quiet").code == 0
    assert settings("again.db") == settings()


@each("clock", ["40/60+0.5", "0.125", "604800+0.001", "12345.678+3"])
def test_clocks_are_restored(mtdf: Run, clock: str) -> None:
    words = ("match", "mtdf", f"pvs:tc={clock}", "--pairs", "1", "--tc", clock, "--quiet")
    limit = read_limit({"tc": clock})
    assert limit is not None
    stopped = threading.Event()
    stopped.set()
    with open_database(Path("mtdf.db"), create=True) as db:
        start_event(
            db, match_settings("mtdf", f"pvs:tc={clock}", pairs=1, limit=limit), stop=stopped
        )
    name = write(mtdf("show", "last", "--toml").out)
    plans = [mtdf(*one, "--dry-run", "--json").json for one in (words, ("run", name))]
    assert plans[0] == plans[1]
    assert plans[0]["limit"].split()[0].partition("+")[0] == clock.partition("+")[0]


def test_moves_of_a_time_control_are_played(mtdf: Run) -> None:
    words = ("match", "mtdf", "pvs", "--pairs", "1", "--tc", "2/0.2", "--max-plies", "6", "--quiet")
    assert mtdf(*words).code == 0
    assert settings()["limit"]["moves"] == 2
    name = write(mtdf("show", "last", "--toml").out)
    assert tomllib.loads(Path(name).read_text())["tc"] == "2/0.2+0"


FILE = """\
command = "gauntlet"  # a comment
pairs = 2
nodes = 60
max_plies = 10
"seed" = 7
quiet-please = "x"

[[engine]]
role = "hero"
driver = "mtdf"
guess = "zero"
null_move = false

[[engine]]
role = "field"
command = ["{python}", "{fake}"]
restart = true
[engine.options]
Hash = 4
[engine.env]
A = "b c"
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A file with one unknown key, `quiet-please`."""
    return FILE.replace("{python}", sys.executable).replace("{fake}", str(FAKE))


@each(
    "old, new, line, message",
    [
        ("", "", 6, "unknown key `quiet-please`; did you mean `quiet`?|unknown key"),
        ("quiet-please", "pair", 6, "did you mean `pairs`"),
        ("quiet-please", "dry-run", 6, "unknown key `dry-run`"),
        ("quiet-please", "dry_run", 6, "unknown key `dry_run`"),
        ("quiet-please", "db", 6, "unknown key `db`"),
        ('quiet-please = "x"', "chess960 = 1", 6, "`chess960` must be true or false"),
        ('quiet-please = "x"', "book = true", 6, "`book` must be a number or a text"),
        ('quiet-please = "x"', "book = [1, 2]", 6, "`book` must be a number or a text"),
        ('quiet-please = "x"', "book = 2020-01-01", 6, "`book` must be a number or a text"),
        ('quiet-please = "x"', "book = {a = 1}", 6, "`book` must be a number or a text"),
        ('"gauntlet"', '"gauntlt"', 1, "`gauntlt` plays no event; did you mean `gauntlet`"),
        ('"gauntlet"', "7", 1, "`7` plays no event"),
        ('"gauntlet"', "[]", 1, "plays no event"),
        ("guess", "gues", 11, "unknown key `gues` of mtdf; did you mean `guess`"),
        ("guess", "restart", 11, "unknown key `restart` of mtdf"),
        ('"mtdf"', '"mtdff"', 10, "no driver `mtdff`; did you mean `mtdf`"),
        ('"mtdf"', "[1]", 10, "`driver` must be a number, a text"),
        ('"zero"', "{a = 1}", 11, "`guess` must be a number, a text"),
        ('role = "hero"', 'role = "her"', 9, "role `her` of an engine: gauntlet has `hero`"),
        ('role = "hero"', "role = []", 9, "gauntlet has `hero` or `field`"),
        ('role = "field"\n', "", 14, "an engine without a `role`: gauntlet has"),
        ("restart = true", "restrt = true", 17, "did you mean `restart`"),
        ("restart = true", "restart = [1]", 17, "`restart` must be a number"),
        ("restart = true", "driver = 'pvs'", 16, "either `driver`, `command` or `engine`"),
        ("driver =", "drivr =", 8, "either `driver`, `command` or `engine`"),
        ("Hash = 4", "Hash = [4]", 19, "`Hash` must be a number"),
        ("[engine.options]\nHash = 4", "options = {Hash = [4]}", 18, "`Hash` must be a number"),
        ("[engine.options]\nHash = 4", "options = 4", 18, "`options` must be a table"),
        (
            "[engine.options]",
            "[engine.option]",
            18,
            "`option` of an engine; did you mean `options`",
        ),
        ('A = "b c"', "A = {}", 21, "`A` must be a number"),
        ("command = [", "command = [1, ", 16, "`command` must be a text or an array of texts"),
        ('[[engine]]\nrole = "hero"', '[engine]\nrole = "hero"', 14, "not TOML"),
    ],
)
def test_bad_keys_and_values_are_refused(
    mtdf: Run, file: str, old: str, new: str, line: int, message: str
) -> None:
    import re

    assert old in file
    text = file.replace(old, new, 1) if old else file
    if "quiet-please" not in old and old:
        text = text.replace('quiet-please = "x"', "")
    name = write(text)
    result = mtdf("run", name, "--quiet")
    assert (result.code, result.out, len(result.errors)) == (2, "", 1)
    assert re.search(message, result.errors[0]), result.errors
    assert f"{name}:{line}:" in result.errors[0]
    assert not Path("mtdf.db").exists()


@each(
    "text, message",
    [
        ("", "`command` is missing (match, "),
        ("command = 'match'\nengine = 'mtdf'", "f.toml:2: engines are tables: [[engine]]"),
        ("command = 'match'\nengine = [1]", "f.toml:2: engines are tables: [[engine]]"),
        ("command = 'match'\n[engine]\ndriver = 'pvs'", "f.toml:2: engines are tables"),
        ("command = 'match'\npairs = 'x'", "f.toml:2: `pairs` must be a whole number"),
        ("command = 'match'\npairs = nan", "f.toml:2: `pairs` must be a whole number"),
        ("command = 'round-robin'\npairs = -1\n[[engine]]\nengine = 'pvs:hash={1,2}'", "pairs"),
        ("command = 'match'\npairs == 1", "f.toml:2: not TOML"),
        ("a = " + "[" * 5000, "f.toml"),
        ("command = 'match'\n[[engine]]\ncommand = \"'\"", "f.toml:3: `command`: No closing"),
        ("command = 'round-robin'\npairs = 1\n[[engine]]\ncommand = ''", "command"),
        (
            "command = 'round-robin'\npairs = 1\n[[engine]]\nengine = 'uci:x?a'",
            "not of the form key=value",
        ),
    ],
)
def test_bad_files_are_refused(mtdf: Run, text: str, message: str) -> None:
    result = mtdf("run", write(text), "--quiet", "--nodes", "5")
    assert result.code == 2 and result.out == ""
    assert message in result.err and "Traceback" not in result.err
    assert all(len(line) < 400 for line in result.errors)


def test_unreadable_files_are_refused(mtdf: Run) -> None:
    Path("bytes.toml").write_bytes(b"\xff")
    for name, message in (("no.toml", "No such file"), (".", "directory"), ("bytes.toml", "UTF-8")):
        result = mtdf("run", name)
        assert (result.code, len(result.errors)) == (2, 1) and message in result.err


def test_options_override_the_file(mtdf: Run, file: str) -> None:
    name = write(
        'command = "gauntlet"\npairs = 2\nnodes = 60\nname = "old"\nbook = ":repeat=on"\n'
        '[[engine]]\nrole = "hero"\ndriver = "mtdf"\n[[engine]]\nrole = "field"\ndriver = "pvs"\n'
    )
    more = ("--pairs=3", "--name", "new", "--max-plies", "8", "--json", "--quiet")
    row = mtdf("run", name, *more, "-j", "2", "--hero", "alphabeta", "--hero", "mtdf:hash=1").json
    assert (row["name"], row["games"]) == ("new", 12)
    assert row["engines"] == ["alphabeta", "mtdf:hash=1", "pvs"]
    result = mtdf("run", name, "--pars", "3")
    assert result.code == 2 and "--pairs" in result.err and len(result.errors) <= 2
    result = mtdf("run", name, "--pairs", "3", "--pairs", "4")
    assert result.code == 2 and "given twice" in result.err


def options_of(command: click.Command) -> list[click.Option]:
    return [
        param
        for param in command.params
        if isinstance(param, click.Option)
        and not {*param.opts} & NOT_IN_FILES
        and not isinstance(param.type, PlayerType)
        and "--engine" not in param.opts
    ]


@each("command", ROLES)
def test_every_option_is_a_key(tmp_path: Path, command: str) -> None:
    playing = COMMANDS[command]
    assert playing is not None
    for param in options_of(playing):
        long = next(name for name in param.opts if name.startswith("--"))
        value: Any = True if param.is_flag else ["3"] if param.multiple else "3"
        for key in (long[2:], long[2:].replace("-", "_")):
            path = tmp_path / "f.toml"
            path.write_text(f"command = {toml_value(command)}\n{key} = {toml_value(value)}\n")
            found = read_run_file(str(path), {command: playing}, ())
            assert found.arguments == (long if param.is_flag else f"{long}=3", "--")
    assert len(options_of(playing)) > 20


def test_keywords_are_the_fields_and_the_options() -> None:
    """What type checkers know of `match_settings` and its like is what is declared."""
    parameters = inspect.signature(EventSettings).parameters.values()
    fields = {one.name for one in parameters if one.default is not one.empty}
    decided = {"extensions", "form", "sprt"}
    of_book = {"book", *(one.keyword for one in BOOK_SETTINGS.values())} - {"plies"}
    assert set(EventKeywords.__annotations__) == fields - decided | of_book
    parts = {"max_plies", "draw", "resign", "syzygy", "syzygy_decides"}
    match, tune = COMMANDS["match"], load_command("tune")
    assert match is not None and isinstance(tune, click.Group)
    for command in (match, tune.commands["run"]):
        options = {param.name for param in command.params if isinstance(param, Setting)} - parts
        assert set(EventKeywords.__annotations__) - options - of_book == {"adjudication"}
        goal = {"pairs", "stop_when", "round_pairs", "max_pairs"}
        assert options - goal <= set(EventKeywords.__annotations__)


def test_values_are_written_as_toml() -> None:
    for text in ("a", "'\"\\", "ö😀", "\x00\x1f\x7f\x85\u2028", "\n\r\t"):
        assert tomllib.loads(f"a = {toml_value(text)}")["a"] == text
        assert tomllib.loads(f"a = {toml_value([text])}")["a"] == [text]


@pytest.mark.slow
def test_all_kinds_of_engines(mtdf: Run, tmp_path: Path) -> None:
    """A driver, a program with everything, a text, and a kept name."""
    options = tmp_path / "an & option's file"
    options.write_text("option name Hash type spin default 16 min 1 max 1024\n")
    program = [sys.executable, str(FAKE), f"options={options}"]
    assert mtdf("engines", "add", "kept", "--option", "hash=8", "--", *program).code == 0
    write(
        f"""
command = "round-robin"
pairs = 1
depth = 1
max-plies = 4
[[engine]]
driver = "mtdf"
hash = 1
null_move = false
name = "own"
[[engine]]
command = {toml_value(program)}
options = {{ hash = 32 }}
env = {{ "A_B" = "c & d" }}
dir = {toml_value(str(tmp_path))}
restart = true
memory = 2000
name = "a&b%c"
depth = 2
[[engine]]
engine = "kept:Hash=4"
restart = true
memory = 3000
name = "k%&x"
[[engine]]
engine = "pvs:hash=1"
nodes = 40
[[engine]]
driver = "mtdf"
preset = "plaat"
hash = 4
nodes = 50
"""
    )
    played = mtdf("run", "f.toml", "--quiet")
    assert played.code == 0, played.err
    stored = settings()
    assert [player["label"] for player in stored["players"]] == [
        *("own", "a&b%c", "k%&x", "pvs:hash=1,nodes=40", "mtdf:preset=plaat,hash=4,nodes=50")
    ]
    one, kept = stored["players"][1:3]
    assert (one["command"]["argv"], one["options"]) == (program, [["Hash", "32"]])
    assert (one["command"]["environment"], one["restart"]) == ([["A_B", "c & d"]], True)
    assert (kept["options"], kept["restart"]) == ([["Hash", "4"]], True)
    assert [stored["players"][at]["command"]["memory_mb"] for at in (1, 2)] == [2000, 3000]
    assert set(stored["limits"]) == {"1", "3", "4"}
    write(mtdf("show", "last", "--toml").out, "g.toml")
    assert mtdf("engines", "rm", "kept").code == 0  # a file of an event needs no name
    again = mtdf("run", "g.toml", "--db", "again.db", "--quiet")
    assert again.code == 0, again.err
    assert games(mtdf) == games(lambda *words: mtdf("--db", "again.db", *words)) != []
    for one, other in zip(stored["players"], settings("again.db")["players"], strict=True):
        assert {**one, "spelling": ""} == {**other, "spelling": ""}


@pytest.mark.slow
def test_killed_event_from_a_file_is_resumed(mtdf: Run) -> None:
    name = write(
        f"""
command = "gauntlet"
pairs = 4
nodes = 300
max-plies = 20
seed = 5
[[engine]]
role = "hero"
driver = "mtdf"
[[engine]]
role = "hero"
driver = "mtdf"
guess = "zero"
[[engine]]
role = "field"
driver = "pvs"
nodes = 150
[[engine]]
role = "field"
command = {toml_value([sys.executable, str(FAKE), "sleep=go:0.002"])}
name = "fake"
"""
    )
    whole = mtdf("run", name, "--db", "whole.db", "--quiet", "--jobs", "2")
    assert whole.code == 0, whole.err
    ended(COMMIT, 3, signal.SIGKILL, "run", name, "--jobs", "2", "--quiet")
    assert 0 < mtdf("events", "--json").json[0]["pairs_done"] < 16
    resumed = mtdf("resume", "last", "--jobs", "2", "--quiet")
    assert resumed.code == 0, resumed.err
    assert games(mtdf) == games(lambda *words: mtdf("--db", "whole.db", *words))
    assert len(games(mtdf)) == 32
    assert mtdf("db", "check", "--replay").code == 0


def test_event_without_a_file_form_is_refused(mtdf: Run) -> None:
    assert mtdf("match", "mtdf", "pvs", "--pairs", "1", *SHORT).code == 0
    both = mtdf("show", "last", "--toml", "--json")
    assert both.code == 2 and "either --toml or --json" in both.err
    Path("i.pgn").write_text('[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n')
    assert mtdf("import", "i.pgn", "--quiet").code == 0
    refused = mtdf("show", "last", "--toml")
    assert refused.code == 2 and len(refused.errors) == 1 and refused.out == ""
    assert json.loads(mtdf("events", "--json").out)[-1]["kind"] == "import"
