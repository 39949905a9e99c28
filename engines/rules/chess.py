"""Chess and Chess960, whose rules are python-chess's; what needs it is imported on demand."""

from __future__ import annotations

from functools import partial

from engines.moves import decode_move, encode_move
from engines.rules.board import LETTERED, Adjudicable, Board, Look, Piece, Rules


def _board(chess960: bool, text: str) -> Board:
    from engines.rules.chess_rules import referee_board

    return referee_board(text, chess960)


def _replay(chess960: bool, text: str) -> Board:
    from engines.rules.chess_rules import replay_board

    return replay_board(text, chess960)


_KINDS = {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}
LOOK = Look(
    columns=8,
    squares=LETTERED,
    pieces={
        letter: Piece(_KINDS[letter.lower()], letter.isupper(), "figure", symbol)
        for letter, symbol in zip("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟", strict=True)
    },
    checkered=True,
)
STANDARD = Rules(
    game="chess",
    title="chess",
    moves_version=1,
    start="rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    board=partial(_board, False),
    replay=partial(_replay, False),
    move_name=decode_move,
    move_code=encode_move,
    adjudicable=Adjudicable(draw_cp=8, resign_cp=600),
    default_book="balanced-20k",
    default_suite="lab-60",
    decided_at=1000,
    look=LOOK,
    uci=True,
)
CHESS960 = Rules(
    game="chess",
    title="Chess960",
    moves_version=2,
    start=STANDARD.start,
    board=partial(_board, True),
    replay=partial(_replay, True),
    move_name=decode_move,
    move_code=encode_move,
    adjudicable=STANDARD.adjudicable,
    default_book="chess960",
    default_suite=STANDARD.default_suite,
    decided_at=STANDARD.decided_at,
    look=LOOK,
    tag="Chess960",
    chess960=True,
    uci=True,
)
