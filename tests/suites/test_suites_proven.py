"""The suite of the program's own has what its recipe promises."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from engines.backend import make_searcher
from toolkit.suites.positions import load_answered

RECIPE = Path(__file__).parents[2] / "recipes" / "make_proven_suite.py"


@pytest.fixture(scope="module")
def recipe() -> ModuleType:
    """The program that made the suite."""
    found = importlib.util.spec_from_file_location("make_proven_suite", RECIPE)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules["make_proven_suite"] = module
    found.loader.exec_module(module)
    return module


def test_proven_200_has_two_hundred_positions_with_one_move_each(recipe: ModuleType) -> None:
    positions = load_answered("proven-200").positions
    assert len({one.fen for one in positions}) == 200 == recipe.COUNT
    assert [one.label for one in positions] == [f"proven-{n:03}" for n in range(1, 201)]
    assert all(len(one.answer.best) == 1 for one in positions)
    assert f"seed {recipe.SEED}," in recipe.SUITE.read_text(encoding="utf-8").splitlines()[0]


@pytest.mark.slow
@pytest.mark.native
def test_its_moves_are_proven(recipe: ModuleType) -> None:
    searcher = make_searcher(recipe.engine_of(recipe.PROVER))
    for one in load_answered("proven-200").positions[::10]:
        assert recipe.proven(searcher, one.fen) == one.answer.best[0], one.label
