"""The selective search solves known positions: tactics, zugzwang and drawn endings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chess
import pytest

from engines.moves import decode_move
from engines.native import NativeSearcher
from engines.spec import MoveReport, SearchLimit
from engines.variant import parse_variant

pytestmark = pytest.mark.native

DATA = Path(__file__).parents[1] / "data"


def problems(name: str) -> dict[str, tuple[chess.Board, list[chess.Move]]]:
    """The positions of an EPD file and their best moves, by id."""
    found = {}
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        board, operations = chess.Board.from_epd(line)
        best = operations["bm"]
        assert isinstance(best, list)
        found[str(operations["id"])] = (board, best)
    return found


def search(core: Any, variant: str, board: chess.Board, nodes: int) -> MoveReport:
    """What a variant that knows nothing yet finds with so many nodes."""
    searcher = NativeSearcher(core, parse_variant(variant))
    searcher.set_position(board.fen())
    return searcher.go(SearchLimit(nodes=nodes))


def move_of(report: MoveReport) -> chess.Move:
    return chess.Move.from_uci(decode_move(report.move))


@pytest.mark.slow
@pytest.mark.parametrize("driver", ["pvs", "mtdf"])
def test_bratko_kopec(core: Any, driver: str) -> None:
    """Kopec and Bratko, The Bratko-Kopec experiment, Advances in Computer Chess 3, 1982."""
    positions = problems("bratko_kopec.epd")
    assert len(positions) == 24
    solved = [
        name
        for name, (board, best) in positions.items()
        if move_of(search(core, driver, board, 100_000)) in best
    ]
    assert len(solved) >= 14, solved


@pytest.mark.slow
@pytest.mark.parametrize("name", ["zugzwang.1", "zugzwang.2"])
def test_zugzwang(core: Any, name: str) -> None:
    board, best = problems("zugzwang.epd")[name]
    assert move_of(search(core, "pvs", board, 1_000_000)) in best


def test_zugzwang_that_null_moves_hide(core: Any) -> None:
    """Passing would be best for the side to move, so only a search without null moves sees it."""
    board, best = problems("zugzwang.epd")["zugzwang.5"]
    assert move_of(search(core, "pvs:null_move=off", board, 100_000)) in best


@pytest.mark.parametrize("driver", ["pvs", "mtdf"])
@pytest.mark.parametrize(
    ("fen", "most"),
    [
        # The rook pawn and the bishop that does not reach its square.
        ("k7/8/8/8/8/P7/8/K1B5 w - - 0 1", 60),
        # The king before the rook pawn.
        ("k7/8/K7/P7/8/8/8/8 w - - 0 1", 60),
        # A pawn with bishops of opposite colours.
        ("8/8/4kb2/8/3P4/2K5/4B3/8 w - - 0 1", 60),
        # Two knights: the endgame number counts nothing, the middlegame's 2/24 of its own.
        ("8/8/4k3/8/8/3NN3/8/4K3 w - - 0 1", 70),
    ],
)
def test_drawn_endings_are_worth_little(core: Any, driver: str, fen: str, most: int) -> None:
    """In centipawns; a minor piece or a pawn more is usually worth far beyond it."""
    assert abs(search(core, driver, chess.Board(fen), 20_000).value) <= most


@pytest.mark.parametrize("driver", ["pvs", "mtdf"])
def test_won_pawn_endings_are_worth_more(core: Any, driver: str) -> None:
    """Neighbours of drawn endings: the bishop of the right colour, a pawn on another file."""
    for fen in ("k7/8/8/8/8/P7/8/KB6 w - - 0 1", "1k6/8/1K6/1P6/8/8/8/8 w - - 0 1"):
        assert search(core, driver, chess.Board(fen), 20_000).value >= 300, fen
