"""Nothing but the files of a game knows which game is played; everything else asks its rules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from engines.choices import GAMES
from engines.rules.catalog import ALL

NAMES = {
    name.casefold()
    for rules in ALL
    for name in (rules.game, rules.title, rules.tag)
    if name and not rules.chess960
}
"""What games are called; nobody compares anything with it. Chess960 is an option of events."""
_FILES = [game.replace("-", "_") for game in GAMES]
OWN = re.compile(
    rf"engines/(?:rules|reference/games|core/games|core/tests)/(?:{'|'.join(_FILES)})(?:_\w+|\.|/)"
)
"""The files of one game."""
LISTS = {"engines/choices.py", "engines/reference/seat.py"}
"""Where all games are listed by name."""
RUST = re.compile(
    rf'[=!]=\s*(?:"(?:{"|".join(NAMES)})"|\w+::NAME\b)|"(?:{"|".join(NAMES)})"\s*(?:=>|[=!]=)'
    r"|\w+::NAME\s*[=!]=|\bTypeId\b|\bdowncast_ref\b|\btype_name\b",
    re.IGNORECASE,
)
"""How Rust asks which game it is: by its name, or by the type that plays it."""


def questions(text: str, classes: set[str]) -> Iterator[str]:
    """Where a Python source asks which game it is."""
    for node in ast.walk(ast.parse(text)):
        asked = False
        if isinstance(node, ast.Compare):
            asked = any(map(_is_game, [node.left, *node.comparators]))
        elif isinstance(node, ast.MatchValue):
            asked = _is_game(node.value)
        elif isinstance(node, ast.Dict):
            asked = any(_is_name(key) for key in node.keys)
        elif isinstance(node, ast.MatchClass):
            asked = _last(node.cls) in classes
        elif isinstance(node, ast.Call) and _last(node.func) in ("isinstance", "issubclass"):
            asked = any(_last(one) in classes for one in _each(node.args[1]))
        elif isinstance(node, ast.Call) and _last(node.func) in ("startswith", "endswith"):
            asked = any(map(_is_game, node.args))
        if asked:
            yield f"line {node.lineno}: {ast.unparse(node)[:80]}"


def _is_game(node: ast.expr) -> bool:
    """Whether an expression is a name of a game, its rules, or a collection with one of them."""
    return any(_is_name(one) or _last(one) in ("RULES", "STANDARD") for one in _each(node))


def _is_name(node: ast.AST | None) -> bool:
    """Whether an expression is the name of a game; an attribute of something else is none."""
    return isinstance(node, ast.Constant) and str(node.value).casefold() in NAMES


def _each(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]


def _last(node: ast.AST) -> str:
    """``c`` of ``a.b.c``."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


@cache
def classes_of(root: Path) -> set[str]:
    """The classes that only one game has, and the board of python-chess."""
    found = {"Board"}
    for path in [*root.glob("engines/rules/*.py"), *root.glob("engines/reference/games/*.py")]:
        if OWN.match(path.relative_to(root).as_posix()):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found |= {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    return found


def outside(root: Path, pattern: str) -> Iterator[tuple[str, str]]:
    """Name and text of every source that is not one of a game."""
    for path in sorted(root.glob(pattern)):
        name = path.relative_to(root).as_posix()
        if not OWN.match(name) and name not in LISTS:
            yield name, path.read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", ["engines", "toolkit", "db"])
def test_no_python_asks_which_game_it_is(root: Path, folder: str) -> None:
    classes = classes_of(root)
    some = {"OthelloPosition", "DraughtsPosition", "ConnectFour", "ChessBoard", "ChessGame"}
    assert some <= classes
    sources = dict(outside(root, f"{folder}/**/*.py"))
    assert len(sources) > 20
    assert [
        f"{name}, {one}" for name, text in sources.items() for one in questions(text, classes)
    ] == []


def test_no_rust_asks_which_game_it_is(root: Path) -> None:
    sources = dict(outside(root, "engines/core/**/*.rs"))
    assert len(sources) > 20
    found = [
        f"{name}, line {number}: {line.strip()}"
        for name, text in sources.items()
        for number, line in enumerate(text.splitlines(), 1)
        if RUST.search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        'if settings.game == "othello": ...',
        'x = "draughts" != game',
        'if game in ("chess", "draughts"): ...',
        'match game:\n    case "chess": ...',
        "if rules is STANDARD: ...",
        "if rules == othello.RULES: ...",
        "if rules in (othello.RULES, other): ...",
        "isinstance(position, OthelloPosition)",
        "isinstance(board, (int, chess.Board))",
        '{"othello": 1, "chess": 2}[game]',
        'name.startswith("othello")',
    ],
)
def test_such_a_question_is_found(root: Path, text: str) -> None:
    assert len([*questions(text, classes_of(root))]) == 1


@pytest.mark.parametrize(
    "line",
    ['if name == "othello" {', '"draughts" => 3,', "if G::NAME == name {", "TypeId::of::<G>()"],
)
def test_such_a_question_is_found_in_rust(line: str) -> None:
    assert RUST.search(line)


def test_what_asks_nothing_is_not_found(root: Path) -> None:
    for text in ('play(game="othello")', "rules_of(game).uci", 'x = {"game": "chess"}'):
        assert [*questions(text, classes_of(root))] == []
