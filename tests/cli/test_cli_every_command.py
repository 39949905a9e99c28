"""Bad values for every option and argument of every command: one line that names the input,
nothing started and nothing written. The commands come from the click tree, so a new one is tested
as soon as :data:`GOOD` says how it is called."""

from __future__ import annotations

import multiprocessing.process
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
from command_tree import LEAVES

from cli import program
from toolkit.base.errors import ExitCode
from toolkit.base.printable import printable
from toolkit.commands._program import run_program

Run = Callable[..., Any]
Given = Mapping[str, str | bool | list[str]]

EVENT = {"--pairs": "1", "--nodes": "50"}
TWO = {"engines": ["mtdf", "pvs"]}
LAB = {"--depth": "1", "--limit-positions": "1"}
GOOD: dict[str, Given] = {
    "gauntlet": {"--hero": "mtdf", "--field": "pvs", **EVENT},
    "round-robin": {**TWO, **EVENT},
    "match": {"first": "mtdf", "second": "pvs", **EVENT},
    "knockout": {**TWO, **EVENT},
    "swiss": {**TWO, "--rounds": "1", **EVENT},
    "sprt": {"--test": "mtdf", "--base": "pvs", "--nodes": "50", "--max-pairs": "2"},
    "race": {"engines": ["mtdf", "pvs"], "--block": "2", "--max-pairs": "2", "--nodes": "50"},
    "race plan": {"--candidates": "2", "--elo1": "50", "--max-pairs": "400"},
    "sprt calc": {"--pentanomial": "1,2,3,4,5"},
    "sprt plan": {},
    "ablate": {"--engine": "mtdf", "--feature": "null_move", **EVENT},
    "run": {"file": "event.toml"},
    "show": {"run": "short"},
    "resume": {"run": "short"},
    "extend": {"event": "short", "--pairs": "4"},
    "rename": {"run": "short", "name": "other"},
    "annotate": {"run": "short", "text": "x"},
    "rm": {"runs": "short", "--yes": True},
    "worker": {"address": "tcp://127.0.0.1:1"},
    "tune run": {"--base": "mtdf", "--param": "grain=1..20", "--budget-pairs": "8", "--nodes": "9"},
    "tune confirm": {"study": "tuned", "--pairs": "2"},
    "tune export": {"study": "tuned"},
    "tune importance": {"study": "tuned"},
    "tune list": {},
    "tune trials": {"study": "tuned"},
    "trace": {"--position": "start", "--depth": "2"},
    "lab compare": {"--engine": "mtdf", **LAB},
    "lab list": {},
    "suite": {"file": "bratko-kopec", "--engine": "pvs", "--depth": "1"},
    "lab sweep": {"--engine": "mtdf", "--param": "grain=1,2", **LAB},
    "import": {"files": "games.pgn"},
    "ratings": {},
    "plot ratings": {"--output": "x.svg"},
    "plot study": {"study": "tuned", "--output": "x.svg"},
    "plot lab": {"run": "searched", "--output": "x.svg"},
    "plot trace": {"--position": "start", "--depth": "2", "--output": "x.svg"},
    "plot history": {"engines": ["mtdf"], "--output": "x.svg"},
    "plot crosstable": {"--output": "x.svg"},
    "plot sprt": {"event": "short", "--output": "x.svg"},
    "plot race": {"event": "short", "--output": "x.svg"},
    "plot game": {"game_id": "g1", "--output": "x.svg"},
    "report": {"--event": "short", "--output": "x.html"},
    "serve": {"--port": "0"},
    "crosstable": {},
    "h2h": {"first": "mtdf", "second": "pvs"},
    "history": {"engine": "mtdf"},
    "events": {},
    "stats": {"event": "short"},
    "games": {},
    "game": {"game_id": "g1"},
    "query": {"statement": "SELECT 1"},
    "engines builds": {},
    "engines add": {"name": "kept", "words": ["./engine"]},
    "engines list": {},
    "engines parameters": {},
    "engines rm": {"name": "kept"},
    "engines show": {"engine": "mtdf"},
    "engines test": {"words": ["./engine"]},
    "bench": {},
    "uci": {},
    "openings check": {"file": "book.epd"},
    "openings info": {"file": "book.epd"},
    "openings make": {"file": "made.epd", "--count": "1"},
    "openings stats": {},
    "doctor": {},
    "db backup": {"target": "copy.db"},
    "db check": {},
    "db merge": {"others": ["other.db"]},
    "db info": {},
    "db vacuum": {},
}
"""A call of each command, by the names of its parameters, to which the bad values are added."""

NO_NUMBERS = (
    *("x", "", " ", "1.5.2", "1,5", "[red]1[/red]", "\x1b]0;owned\x07", "1\n2", "1\0", "\udcff"),
    *("9" * 5000 + "x", "'; DROP TABLE games; --", "0x10", "²", "$(reboot)", "\u202e1", "-"),
)
"""Texts that no option of numbers takes."""
FAR_NUMBERS = ("nan", "inf", "-inf", "1e999", "-" + "9" * 30, "-1", "1e-320", "9" * 5000)
"""Numbers that many options do not take."""
NASTY = (
    *("", " ", "x" * 5000, "é" * 3000, "'\"; DROP TABLE games; --", "[bold red]x[/]", "a\0b"),
    *("\x1b]0;owned\x07", "a\nb", "\udcff\udcfe", "\u202eabc", "{}%s%n{0}", "=1+1", "🙂", "\\"),
    *("../../etc/passwd", "/dev/null", "/dev/full", "/dev/zero", ".", "/", "~", "*", "[", "(", "-"),
    *("--no-such-option", "r", "g", "last", "x=y", ":", ",", "uci:", "uci:/nothing", "uci:'"),
    *(
        "mtdf:name=",
        "mtdf:name=[red]x",
        "mtdf:grain=99999",
        "/nowhere/x",
        "pipe",
        "dangling",
        "1/0",
    ),
)
"""Texts that may be wrong, each somewhere."""
QUICK = 2
"""Values a parameter in the usual run, where the name of the parameter occurs first. Slow tests try
it elsewhere, and more values."""
THOROUGH = 5


_LONGEST = 12_000
"""Characters of a line: a thousand, of which each may be printed as an escape."""


class _Started(BaseException):
    """A process was about to start: the command accepted its input."""


def _refuse(*_: Any, **__: Any) -> None:
    raise _Started


@pytest.fixture(autouse=True)
def nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers, engines and servers do not start; the attempt ends the command."""

    monkeypatch.setattr(multiprocessing.process.BaseProcess, "start", _refuse)
    monkeypatch.setattr(subprocess.Popen, "__init__", _refuse)
    monkeypatch.setattr("toolkit.runs.jobs.WorkerPool", _refuse)
    monkeypatch.setattr("uvicorn.Server.run", _refuse)
    monkeypatch.setattr("toolkit.runs.dask.worker_process.serve", _refuse)


@dataclass(frozen=True)
class Place:
    """The folder in which commands run, and how it looked."""

    folder: Path
    database: bytes

    def look(self) -> dict[str, tuple[int, int]]:
        """Every name in the folder, with size and time of the last change."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            status = path.lstat()
            found[str(path.relative_to(self.folder))] = status.st_size, status.st_mtime_ns
        return found

    def fill(self) -> None:
        """Make it as it was."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        (self.folder / "mtdf.db").write_bytes(self.database)
        (self.folder / "other.db").write_bytes(self.database)
        (self.folder / "games.pgn").write_text(
            '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 1-0\n', encoding="utf-8"
        )
        (self.folder / "book.epd").write_text(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n", encoding="utf-8"
        )
        (self.folder / "event.toml").write_text(
            'command = "match"\npairs = 1\nnodes = 50\n'
            '[[engine]]\ndriver = "mtdf"\n[[engine]]\ndriver = "pvs"\n',
            encoding="utf-8",
        )
        (self.folder / "engine").write_text("#!/bin/sh\n", encoding="utf-8")
        (self.folder / "engine").chmod(0o755)
        os.mkfifo(self.folder / "pipe")
        (self.folder / "dangling").symlink_to("nowhere")


@pytest.fixture(scope="session")
def stocked(played: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A database with an event, ``short``, a study, ``tuned``, and a laboratory run, ``searched``;
    the latter two have been stopped before they did anything."""
    path = tmp_path_factory.mktemp("stocked") / "mtdf.db"
    path.write_bytes(played.read_bytes())
    hook = sys.excepthook
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("toolkit.runs.jobs.WorkerPool", _refuse)
        for words, name in (("tune run", "tuned"), ("lab compare", "searched")):
            more = [*_words(GOOD[words], LEAVES[words]), "--name", name, "--db", str(path)]
            with pytest.raises(_Started):
                run_program(program, [*words.split(), *more, "--quiet"])
    sys.excepthook = hook
    return path.read_bytes()


@pytest.fixture
def place(stocked: bytes, tmp_path: Path) -> Place:
    """The folder of a test, filled."""
    found = Place(tmp_path, stocked)
    found.fill()
    return found


_GLOBAL = ("db", "json", "quiet", "verbose", "color", "version")


def _key(param: click.Parameter) -> str:
    return param.opts[0] if isinstance(param, click.Option) else str(param.name)


def _words(given: Given, command: click.Command) -> list[str]:
    """The words of a call: options, then arguments in their order."""
    options: list[str] = []
    arguments: list[str] = []
    for param in command.params:
        value = given.get(_key(param))
        if isinstance(param, click.Argument):
            arguments += [] if value is None else value if isinstance(value, list) else [str(value)]
        elif value is not None:
            options += [_key(param)] if value is True else [f"{_key(param)}={value}"]
    return [*options, *arguments]


def _is_number(param: click.Parameter) -> bool:
    numbers = ("whole number", "float", "book slice", "choice")
    return param.type.name in numbers or _key(param) == "--tc"


FIRST: dict[str, str] = {}
for _name in GOOD:
    for _param in LEAVES[_name].params:
        FIRST.setdefault(_key(_param), _name)


def _cases(words: str, much: int) -> Iterator[tuple[click.Parameter, str, bool]]:
    """Parameters with a value each, and whether it must be refused; the same ones each time. An
    import from a named pipe waits for its writer."""
    command = LEAVES[words]
    for param in command.params:
        if param.name in _GLOBAL or getattr(param, "is_flag", False):
            continue
        if much == QUICK and FIRST[_key(param)] != words:
            continue
        chance = random.Random(f"{command.name} {_key(param)}")
        if _is_number(param):
            bad = chance.sample(NO_NUMBERS, much)
            yield from ((param, value, True) for value in bad)
            yield from ((param, value, False) for value in chance.sample(FAR_NUMBERS, much - 1))
        else:
            texts = [text for text in NASTY if (command.name, text) != ("import", "pipe")]
            yield from ((param, value, False) for value in chance.sample(texts, much))


def _problem(result: Any, param: click.Parameter, value: str) -> str | None:
    """What is wrong with the end of a command that refused a value."""
    lines = result.errors
    if result.out not in ("", "[]\n"):
        return "something on standard output"
    if len(lines) != 1 or not lines[0].startswith("error: "):
        return f"{len(lines)} lines on standard error"
    if len(lines[0]) > _LONGEST:
        return "a line without end"
    if result.code == ExitCode.NOTHING_MATCHED or param.name == "options":
        return None
    return None if _is_named(lines[0].casefold(), param, value) else "it does not name the input"


def _is_named(line: str, param: click.Parameter, value: str) -> bool:
    """Whether a line names the parameter, or begins to quote its value, in any of the forms in
    which values are printed."""
    plain = "".join(char if char.isprintable() else "?" for char in value)
    texts = {value, printable(value), plain, value.replace("\n", " "), value.partition(":")[0]}
    names = {_key(param).lstrip("-"), str(param.name), param.type.name, str(param.metavar)}
    names |= {"note"} if param.name == "text" else set()
    names |= set() if value.strip() else {"``", f"`{value}`"}
    if param.type.name == "float" and value in FAR_NUMBERS:
        names |= {f"{float(value):g}"}
    return any(text.strip() and text.casefold() in line for text in {x[:40] for x in texts} | names)


def test_every_command_has_a_call() -> None:
    assert set(GOOD) == set(LEAVES)


def _usual(words: str, mtdf: Run) -> list[str]:
    """The errors of the call without a bad value."""
    try:
        errors: list[str] = mtdf(*words.split(), *_words(GOOD[words], LEAVES[words])).errors
    except _Started:
        return []
    return errors


def _try_all(words: str, place: Place, mtdf: Run, much: int) -> list[Any]:
    """The values that did not end as they should, with the reason."""
    command = LEAVES[words]
    before = place.look()
    found = []
    for param, value, must_fail in _cases(words, much):
        given = {**GOOD[words], _key(param): value}
        try:
            result = mtdf(*words.split(), *_words(given, command))
        except _Started:
            result = None
        if result is None or result.code == 0:
            problem = "accepted" if must_fail else None
            if result is not None and not set("\x1b\x07\x00\u202e").isdisjoint(result.err):
                problem = "a control character"
        else:
            problem = _problem(result, param, value)
            if place.look() != before:
                problem = f"the folder has changed: {place.look().keys() ^ before.keys()}"
            elif problem is not None and result.errors == _usual(words, mtdf):
                problem = None  # there is something else to say, whatever the value is
        if place.look() != before:
            place.fill()
            before = place.look()
        if problem is not None:
            shown = None if result is None else (result.code, result.out[:200], result.err[:500])
            found.append((problem, _key(param), value[:60], shown))
    return found


TRIED = [words for words in GOOD if words != "bench"]


@pytest.mark.parametrize("part", range(6))
def test_bad_values_are_refused(
    part: int, place: Place, mtdf: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(os.devnull, encoding="utf-8") as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        found = [(words, _try_all(words, place, mtdf, QUICK)) for words in TRIED[part::6]]
    assert [one for one in found if one[1]] == []


@pytest.mark.slow
def test_bad_values_are_refused_by_every_command(
    place: Place, mtdf: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(os.devnull, encoding="utf-8") as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        found = [(words, _try_all(words, place, mtdf, 1)) for words in TRIED]
    assert [one for one in found if one[1]] == []


@pytest.mark.slow
@pytest.mark.parametrize("words", ["match", "sprt", "tune run", "trace", "lab sweep", "games"])
def test_many_bad_values_are_refused(
    words: str, place: Place, mtdf: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(os.devnull, encoding="utf-8") as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        assert _try_all(words, place, mtdf, THOROUGH) == []
