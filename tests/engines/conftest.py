"""Positions, and players of both backends, for the tests of engines. Lets them import ``texts``."""

from __future__ import annotations

import importlib
import json
import random
import sys
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import chess
import pytest

from engines.native import NativeSearcher
from engines.reference import ReferenceSearcher
from engines.spec import Searcher
from engines.variant import parse_variant

sys.path.insert(0, str(Path(__file__).parent))

DATA = Path(__file__).parents[1] / "data"


def read_epd(text: str) -> list[str]:
    """The positions of an EPD text as FEN."""
    return [" ".join(line.split()[:4]) + " 0 1" for line in text.splitlines() if line.strip()]


@pytest.fixture(scope="session")
def book_fens() -> list[str]:
    """Opening positions of the package's book."""
    book = resources.files("toolkit") / "data" / "openings_default.epd"
    return read_epd(book.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def endgame_fens() -> list[str]:
    """Endgames of 26 kinds of material, blocked pawn endings, and some well-known ones."""
    return read_epd((DATA / "endgames.epd").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def minimax_values() -> list[dict[str, Any]]:
    """Groups of known minimax values: depth, grain, and the value of each position."""
    data = json.loads((DATA / "minimax.json").read_text(encoding="utf-8"))
    groups: list[dict[str, Any]] = data["groups"]
    return groups


@pytest.fixture(scope="session")
def random_boards(book_fens: list[str]) -> list[chess.Board]:
    """Positions of random games: odd material, checks, promotions, en passant, few men."""
    rng = random.Random(20261121)
    boards = []
    for fen in book_fens[:30]:
        board = chess.Board(fen)
        for ply in range(200):
            moves = list(board.legal_moves)
            if not moves:
                boards.append(board.copy(stack=False))
                break
            captures = [move for move in moves if board.is_capture(move)]
            # Captures are preferred now and then, so that few men are left at the end.
            board.push(rng.choice(captures if captures and rng.random() < 0.3 else moves))
            if ply % 16 == 15 or board.has_legal_en_passant():
                boards.append(board.copy(stack=False))
    return boards


@pytest.fixture(scope="session")
def core() -> Any:
    """The native core."""
    return importlib.import_module("engines._core")


@pytest.fixture(params=["reference", pytest.param("native", marks=pytest.mark.native)])
def make_player(request: pytest.FixtureRequest) -> Callable[[str], Searcher]:
    """Makes a player from a variant's text, on each backend."""
    if request.param == "reference":
        return lambda text: ReferenceSearcher(parse_variant(text))
    core = importlib.import_module("engines._core")
    return lambda text: NativeSearcher(core, parse_variant(text))
