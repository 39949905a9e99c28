"""The suite of the laboratory has the properties that its recipe promises."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import chess
import pytest

from toolkit.lab.positions import load_suite

RECIPE = Path(__file__).parents[2] / "recipes" / "make_lab_suite.py"


@pytest.fixture(scope="module")
def recipe() -> ModuleType:
    """The program that made the suite."""
    found = importlib.util.spec_from_file_location("make_lab_suite", RECIPE)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    import sys

    sys.modules["make_lab_suite"] = module
    found.loader.exec_module(module)
    return module


def test_lab_60_has_sixty_legal_unfinished_positions() -> None:
    positions = load_suite("lab-60").positions
    boards = [chess.Board(one.fen) for one in positions]
    assert [one.label for one in positions] == [f"lab-{n:02}" for n in range(1, 61)]
    assert len({board.epd() for board in boards}) == 60
    for board in boards:
        assert board.is_valid() and not board.is_game_over()
        assert board.legal_moves.count() >= 3


def test_lab_120_has_the_same_classes_and_other_positions(recipe: ModuleType) -> None:
    chosen, proof = (load_suite(name).positions for name in ("lab-60", "lab-120"))
    boards = [chess.Board(one.fen) for one in proof]
    assert len({board.epd() for board in boards}) == 120
    assert not {one.fen for one in chosen} & {one.fen for one in proof}
    counted = Counter(recipe.class_of(board).name for board in boards)
    assert counted == {one.name: 2 * one.count for one in recipe.CLASSES}
    for path, (seed, _) in recipe.SUITES.items():
        assert f"seed {seed}," in path.read_text(encoding="utf-8").splitlines()[0]


def test_every_phase_with_both_sides_to_move(recipe: ModuleType) -> None:
    boards = [chess.Board(one.fen) for one in load_suite("lab-60").positions]
    counted = Counter(recipe.class_of(board).name for board in boards)
    assert counted == {one.name: one.count for one in recipe.CLASSES}
    assert sum(one.count for one in recipe.CLASSES) == 60
    for one in recipe.CLASSES:
        turns = Counter(board.turn for board in boards if recipe.class_of(board) == one)
        assert turns[chess.WHITE] == turns[chess.BLACK]
    assert min(recipe.phase_of(board) for board in boards) <= 2


def test_each_position_has_its_own_book_line_and_class(recipe: ModuleType) -> None:
    head, *lines = recipe.SUITE.read_text(encoding="utf-8").splitlines()
    assert f"seed {recipe.SEED}" in head and "book balanced-20k" in head
    found = [re.search(r'c1 "(.+), line (\d+)";$', line) for line in lines]
    assert len({match[2] for match in found if match}) == 60
    for line, match in zip(lines, found, strict=True):
        assert match is not None
        assert recipe.class_of(chess.Board(line.split(" id ")[0] + " 0 1")).name == match[1]


@pytest.mark.slow
@pytest.mark.native
def test_recipe_makes_it_again(recipe: ModuleType) -> None:
    text = recipe.SUITE.read_text(encoding="utf-8")
    made = recipe.make_lines()
    core = re.compile(r", core [0-9a-f]+$")
    if made[0] == text.splitlines()[0]:
        assert "\n".join(made) + "\n" == text
    else:  # made by a core of another signature, which may play other games
        assert core.sub("", made[0]) == core.sub("", text.splitlines()[0])
        assert len(made) == 61
