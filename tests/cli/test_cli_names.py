"""Names of engines, events, players, books and runs come back exactly from every output, and are
neither markup, nor a formula, nor code there."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import re
import shlex
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chess.pgn
import click
import pytest
from cases import each
from command_tree import LEAVES

from cli import program
from toolkit.base.printable import printable
from toolkit.commands._program import run_program

Run = Callable[..., Any]

LABELS = (
    "=1+1",
    "+1+cmd|x",
    "-2+3",
    "@SUM(A1)",
    "'\";DROP-TABLE-games;--",
    "[bold]x[/]",
    "</script><b>&amp;",
    ']\\"',
    "🙂é國",
    "%s$HOME`id`*?",
)
"""Of engines, which have neither blanks nor commas."""
PLAYERS = (
    '=HYPERLINK("http://x")',
    "'; DROP TABLE games; --",
    "[red]a[/] ]\\",
    "</b> & <i>",
    "'=1",
)
"""Of imported games."""
EVENT = "=cmd|' /C calc'!A0 \"; DROP TABLE x;-- [bold]m[/] </script><b> ]\\ é🙂"
IMPORT = "@import '\"\\] <b>[i]"
LAB = "+run '\"\\] <b>[i]"
NOTE = "=note '\"\\] </script> [bold]; DROP TABLE events"
BOOK = "=book '\"\\] <b>[i]"
FORMULA = tuple("=+-@\t\r")


def _tag(name: str, value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]\n'


def _pgn() -> str:
    games = []
    for number, (one, other) in enumerate(itertools.permutations(PLAYERS, 2)):
        tags = {"Event": one, "Site": other, "Round": str(number), "White": one, "Black": other}
        head = "".join(_tag(*tag) for tag in {**tags, "Result": "1-0"}.items())
        games.append(f"{head}\n1. e4 e5 2. Nf3 1-0\n")
    return "\n".join(games)


def _book() -> str:
    board = chess.Board()
    lines = []
    for move, label in zip(board.legal_moves, LABELS, strict=False):
        after = board.copy()
        after.push(move)
        text = label.replace("\\", "").replace('"', "")  # EPD cannot say these
        lines.append(f'{after.epd()} id "{text}";\n')
    return "".join(lines)


@pytest.fixture(scope="session")
def named(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database, ``names.db``, in which everything has a nasty name. Read-only by
    agreement."""
    folder = tmp_path_factory.mktemp("named")
    (folder / f"{BOOK}.epd").write_text(_book(), encoding="utf-8")
    (folder / "games.pgn").write_text(_pgn(), encoding="utf-8")
    engines = [f"mtdf:grain={n},name={label}" for n, label in enumerate(LABELS, 1)]
    small = ("--nodes", "40", "--max-plies", "6", "--quiet")
    runs: list[tuple[str, ...]] = [
        ("gauntlet", "--hero", engines[0], *(f"--field={one}" for one in engines[1:]))
        + ("--pairs", "1", *small, "--name", EVENT, "--book", f"{BOOK}.epd"),
        ("annotate", EVENT, NOTE),
        ("import", "games.pgn", "--event", IMPORT),
        *(
            ("lab", "compare", "--depth", "2", "--limit-positions", "2", "--name", LAB)
            + tuple(
                f"--engine={driver}:name={label}"
                for driver, label in zip(
                    ("mtdf", "pvs", "negascout", "hybrid"), LABELS, strict=False
                )
            ),
        ),
        ("annotate", LAB, NOTE),
        ("ratings", "--store"),
    ]
    hook, before = sys.excepthook, os.getcwd()
    os.chdir(folder)
    try:
        for words in runs:
            assert run_program(program, ["--db", str(folder / "names.db"), *words]) == 0, words
    finally:
        os.chdir(before)
        sys.excepthook = hook
    return folder


@pytest.fixture
def on_named(mtdf: Run, named: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in the folder with the nasty names."""
    monkeypatch.chdir(named)

    def run(*words: str) -> Any:
        return mtdf("--db", str(named / "names.db"), *words)

    return run


READS: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "events": ([], (EVENT, IMPORT, *LABELS)),
    "show --quiet": (["--", EVENT], (EVENT, NOTE, *LABELS)),
    "stats": (["--", EVENT], LABELS),
    "games": ([], (*LABELS, *PLAYERS)),
    "game": (["g1"], ()),
    "ratings": ([], (*LABELS, *PLAYERS)),
    "crosstable": (["--all-events"], (*LABELS, *PLAYERS)),
    "h2h": (["--", LABELS[0], LABELS[2]], ()),
    "history": (["--", LABELS[0]], ()),
    "query": (["SELECT white, black, event_name AS '=1' FROM v_games"], (EVENT, *LABELS, *PLAYERS)),
    "engines list": ([], (*LABELS, *PLAYERS)),
    "engines show": (["--", LABELS[6]], (LABELS[6],)),
    "openings info": ([f"{BOOK}.epd"], ()),
    "openings stats": ([], (f"{BOOK}",)),
    "lab list": ([], (LAB, *LABELS[:4])),
    "show": (["--", LAB], LABELS[:4]),
}
"""Commands that print names: their words, and names that must come back."""
NAMELESS = {
    **dict.fromkeys(
        ("sprt plan", "race plan", "bench", "engines builds", "engines parameters"), "no names"
    ),
    **dict.fromkeys(("ablate", "import", "lab compare", "lab sweep", "suite"), "runs"),
    **dict.fromkeys(("tune list", "tune trials", "tune importance"), "names of plain letters"),
}
"""Why other commands with ``--csv`` are not here; runs print what the commands above print."""


def _has_csv(command: click.Command) -> bool:
    return any("--csv" in param.opts for param in command.params)


WITH_CSV = {words for words, command in LEAVES.items() if _has_csv(command)}


def test_every_command_with_csv_is_tested() -> None:
    assert WITH_CSV <= {*READS, *NAMELESS}


def _texts(value: Any) -> Iterator[str]:
    """All texts in a JSON document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@each("words", READS)
def test_text_shows_names_without_control_characters(words: str, on_named: Run) -> None:
    more, names = READS[words]
    result = on_named(*words.split(), *more)
    assert result.code == 0, result.err
    for line in (result.out + result.err).splitlines():
        assert printable(line) == line
    for name in () if words == "lab list" else names:
        assert name in result.out or words == "events"


@each("words", READS)
def test_json_has_exact_names(words: str, on_named: Run) -> None:
    more, names = READS[words]
    split = words.split()
    result = on_named(*split, "--json", *more)
    assert result.code == 0, result.err
    texts = set(_texts(result.json))
    assert set(names) <= texts


@each("words", sorted(WITH_CSV & READS.keys()))
def test_csv_has_no_formula(words: str, on_named: Run) -> None:
    more, names = READS[words]
    result = on_named(*words.split(), "--csv", *more)
    assert result.code == 0, result.err
    rows = list(csv.reader(io.StringIO(result.out)))
    assert rows and all(len(row) == len(rows[0]) for row in rows)
    cells = {cell for row in rows for cell in row}
    assert [cell for cell in cells if cell.startswith(FORMULA) and not _number(cell)] == []
    joined = "\n".join(cell.removeprefix("'") for cell in cells)
    for name in names:
        assert name.removeprefix("'") in joined or json.dumps(name, ensure_ascii=False) in joined


@each("label", LABELS)
@each("words", [("engines", "show"), ("history",), ("games", "--engine"), ("ratings", "--engine")])
def test_label_finds_its_engine(words: tuple[str, ...], label: str, on_named: Run) -> None:
    more = [f"--engine={label}"] if words[-1] == "--engine" else ["--", label]
    words = words[:-1] if words[-1] == "--engine" else words
    more += ["--engine=*"] if words == ("ratings",) else []
    result = on_named(*words, "--json", *more)
    assert result.code == 0, result.err
    assert label in set(_texts(result.json))


@each("label", LABELS)
def test_label_works_as_anchor_and_opponent(label: str, on_named: Run) -> None:
    anchored = on_named("ratings", "--json", "--event", EVENT, f"--anchor={label}=100")
    assert anchored.code == 0, anchored.err
    assert {row["elo"] for row in anchored.json if row["engine"] == label} == {100.0}
    other = LABELS[0 if label != LABELS[0] else 1]
    result = on_named("h2h", "--json", "--", label, other)
    assert result.code == 0, result.err
    assert {result.json["first"], result.json["second"]} == {label, other}


def test_pgn_is_read_back(on_named: Run) -> None:
    text = io.StringIO(on_named("games", "--pgn").out)
    read = list(iter(lambda: chess.pgn.read_game(text), None))
    assert all(not game.errors for game in read)
    assert all([move.uci() for move in game.mainline_moves()] for game in read)
    for tag, names in (
        *(("White", {*LABELS, *PLAYERS}), ("Black", {*LABELS, *PLAYERS})),
        *(("Event", {EVENT, IMPORT}), ("Book", {BOOK, ""})),
    ):
        # python-chess leaves the standard's escapes of `"` and `\` in a tag as they are
        found = {re.sub(r"\\(.)", r"\1", game.headers.get(tag, "")) for game in read}
        assert found == names


def test_exported_names_are_imported(mtdf: Run, on_named: Run, tmp_path: Path) -> None:
    games = on_named("games", "--pgn", "--event", EVENT).out
    (tmp_path / "again.pgn").write_text(games, encoding="utf-8")
    result = mtdf("import", str(tmp_path / "again.pgn"))
    assert result.code == 0, result.err
    texts = set(_texts(mtdf("games", "--json").json))
    assert set(LABELS) <= texts


def test_stored_event_as_toml(on_named: Run, tmp_path: Path) -> None:
    text = on_named("show", "--toml", "--", EVENT).out
    data = tomllib.loads(text)
    assert (data["name"], data["book"]) == (EVENT, f"{BOOK}.epd")
    assert {table["name"] for table in data["engine"]} == set(LABELS)
    (tmp_path / "=a 'b\".toml").write_text(text, encoding="utf-8")
    plan = on_named("run", str(tmp_path / "=a 'b\".toml"), "--dry-run", "--json")
    assert plan.code == 0, plan.err
    assert set(LABELS) <= set(_texts(plan.json))


def test_pictures_have_names_as_text(on_named: Run, tmp_path: Path) -> None:
    picture = tmp_path / "=x '\"[b].svg"
    for words in (
        ("plot", "lab", "--output", str(picture), "--", LAB),
        ("plot", "trace", "--position", "start", "--depth", "2", "--output", str(picture))
        + ("--engine", f"mtdf:name={LABELS[6]}"),
    ):
        picture.unlink(missing_ok=True)
        result = on_named(*words)
        assert result.code == 0, result.err
        tree = ElementTree.parse(picture)
        assert {re.sub(r"\{.*\}", "", one.tag) for one in tree.iter()}.isdisjoint({"b", "script"})
        text = " ".join(tree.getroot().itertext())
        assert (LABELS[6] if "trace" in words else LABELS[0]) in text


def test_suggested_commands_are_quoted() -> None:
    """What a report proposes is a command line that a shell reads as it was meant."""
    from toolkit.runs.lifecycle import named_command

    for name in (*LABELS, EVENT, LAB):
        assert shlex.split(named_command("resume", name)) == ["mtdf", "resume", name]
