"""An engine without chess in it, for which every position of the test is written down."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import chess
import pytest

from engines.external.identify import identify
from engines.spec import UciCommand, UciEngine, UciSetup
from toolkit.compliance import moves as points
from toolkit.compliance.conversation import MIDDLEGAME
from toolkit.compliance.positions import CHESS960_POSITIONS, POSITIONS

ENGINE = Path(__file__).parent / "table_uci.py"
MakeEngine = Callable[..., UciEngine]


def _positions() -> Iterator[tuple[str, Sequence[str], bool]]:
    for one in POSITIONS:
        yield one.fen, one.moves, False
    for one in CHESS960_POSITIONS:
        yield one.fen, one.moves, True
    for fen in (MIDDLEGAME, *points._MATES, points._MATED):
        yield fen, (), False
    for fen, _ in points._ONE_SIDED:
        yield fen, (), False
    for _, fen in (*points._OVER, *points._DRAWN):
        yield fen, (), False
    game = points.long_game(points._LONG_GAMES[-1])
    for plies in points._LONG_GAMES:
        yield chess.STARTING_FEN, game[:plies], False


def _answer(board: chess.Board) -> tuple[str, str]:
    """A legal move, one that mates or promotes to a knight if there is one, and a score."""
    legal = list(board.legal_moves)
    if not legal:
        return "0000", "mate 0"
    for move in legal:
        board.push(move)
        mates = board.is_checkmate()
        board.pop()
        if mates:
            return board.uci(move), "mate 1"
    if board.fen() == points._MATED:
        return board.uci(legal[0]), "mate -1"
    special = [m for m in legal if m.promotion == chess.KNIGHT or board.is_castling(m)]
    balance = sum(
        value * (len(board.pieces(piece, board.turn)) - len(board.pieces(piece, not board.turn)))
        for piece, value in zip(chess.PIECE_TYPES, (100, 300, 300, 500, 900, 0), strict=True)
    )
    return board.uci((special or legal)[0]), f"cp {balance}"


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of answers."""
    found: dict[str, tuple[str, str]] = {}
    for fen, moves, chess960 in _positions():
        board = chess.Board(fen, chess960=chess960)
        for move in moves:
            board.push_uci(move)
        start = "startpos" if fen == chess.STARTING_FEN else f"fen {fen}"
        text = f"position {start}" + (f" moves {' '.join(moves)}" if moves else "")
        found[text] = _answer(board)
    # In games against itself it moves its knights.
    del found["position startpos"]
    path = tmp_path_factory.mktemp("table") / "table.json"
    path.write_text(json.dumps(found))
    return path


@pytest.fixture
def engine(table: Path) -> MakeEngine:
    """The engine with a fault."""

    def make(fault: str = "", **options: str) -> UciEngine:
        argv = (sys.executable, "-S", os.fspath(ENGINE), os.fspath(table), fault)
        chosen = tuple(options.items())
        setup = UciSetup(
            command=UciCommand(argv), options=chosen, label="table", spelling="uci:table"
        )
        return identify(setup).engine

    return make
