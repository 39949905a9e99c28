"""Reading suites: every key, both notations, other games, and what is wrong in a line."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from engines.errors import PositionError
from engines.rules.catalog import rules_of
from toolkit.base.errors import UsageError
from toolkit.suites.positions import Answer, load_answered, read_position

CHESS = rules_of("chess")
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
PROMOTION = "8/P7/8/8/8/8/k6K/8 w - -"
ROOKS = "4k3/8/8/8/8/8/4K3/R6R w - -"


def test_every_key_is_read_in_both_notations() -> None:
    cases = {
        f"{START} bm Nf3 e2e4!;": Answer(best=("g1f3", "e2e4")),
        f"{START} 0 1 ; bm Nf3; am f3": Answer(best=("g1f3",), avoid=("f2f3",)),
        f"{START} dm 4;": Answer(mate=4),
        f'{START} c0 "Nf3=10, g2g3=2,e4=0";': Answer(points={"g1f3": 10, "g2g3": 2, "e2e4": 0}),
        f'{PROMOTION} bm a8=Q; c0 "a8=Q=10, a7a8r=3";': Answer(
            best=("a7a8q",), points={"a7a8q": 10, "a7a8r": 3}
        ),
        f'{START} c0 "a comment, e4=good"; am f3; acd 12; pv e4 e5;': Answer(avoid=("f2f3",)),
    }
    for line, answer in cases.items():
        assert read_position(line, CHESS).answer == answer, line
    assert read_position(f'{START} bm e4; id "first one";', CHESS, "line 1").label == "first one"
    assert read_position(f"{START} bm e4;", CHESS, "line 1").label == "line 1"


def test_what_is_wrong_names_the_key() -> None:
    cases = {
        f"{START} bm Nf6;": "bm Nf6: the move is illegal here",
        f"{START} bm e2e5;": "bm e2e5: ",
        f"{START} am hello;": "am hello: it is not a move in SAN or UCI notation",
        f"{ROOKS} bm Rd1;": "bm Rd1: several pieces can make this move",
        f"{START} bm;": "bm has no move",
        f"{START} bm e4; bm d4;": "bm is given twice",
        f"{START} bm e4; am e4;": "is a move of bm and of am",
        f"{START} dm soon;": "dm `soon`",
        f"{START} dm 0;": "dm `0`",
        f'{START} c0 "e4=10, d4";': "c0: `d4` is not of the form MOVE=POINTS",
        f'{START} c0 "e4=10, e2e4=5";': "c0: e2e4 is given twice",
        f'{START} c0 "e4=0";': "c0: no move has points",
        f'{START} id "x";': "neither bm, am nor dm, nor points",
        f"{START} bm e4; ?? ;": "is not a list of operations",
        "rnbqkbnr/pppppppp/8/8 w KQkq - bm e4;": "not a position",
        "7k/5Q2/6K1/8/8/8/8/8 b - - am Kg8;": "the game is over",
    }
    for line, problem in cases.items():
        with pytest.raises(PositionError) as failed:
            read_position(line, CHESS)
        told = str(failed.value)
        assert problem in told and "\n" not in told, (line, told)


def test_a_file_error_names_the_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.epd"
    file.write_text(f"# a remark\n\n{START} bm e4;\n{START} bm e5;\n")
    with pytest.raises(UsageError, match=r"mine\.epd line 4: bm e5: the move is illegal"):
        load_answered(str(file))
    file.write_text("# nothing\n")
    with pytest.raises(UsageError, match="has no positions"):
        load_answered(str(file))
    with pytest.raises(UsageError, match="did you mean"):
        load_answered("bratko-kopek")


def test_other_games_have_their_own_moves(tmp_path: Path) -> None:
    for game in ("othello", "draughts", "connect-four"):
        rules = rules_of(game)
        board = rules.board(rules.start)
        code = board.moves()[0]
        for text in (board.spelled(code), rules.move_name(code)):
            found = read_position(f'{rules.start}; bm {text}; id "a";', rules)
            assert found.answer.best == (rules.move_name(code),), (game, text)
        with pytest.raises(PositionError, match="bm zz: no move here"):
            read_position(f"{rules.start}; bm zz;", rules)
    with pytest.raises(UsageError, match="are of chess"):
        load_answered("bratko-kopec", "othello")


def test_bratko_kopec_is_what_python_chess_reads() -> None:
    file = Path(__file__).parents[2] / "toolkit" / "data" / "bratko-kopec.epd"
    lines = [one for one in file.read_text().splitlines() if not one.startswith("#")]
    suite = load_answered("bratko-kopec")
    assert len(suite.positions) == len(lines) == 24
    for line, found in zip(lines, suite.positions, strict=True):
        board, told = chess.Board.from_epd(line)
        assert (found.fen, found.label) == (board.fen(), told["id"])
        best = told["bm"]
        assert isinstance(best, list)
        assert list(found.answer.best) == [move.uci() for move in best]


def test_identity_covers_answers(tmp_path: Path) -> None:
    file = tmp_path / "mine.epd"
    file.write_text(f"{START} bm e4;\n")
    first = load_answered(str(file)).identity
    file.write_text(f"{START} bm d4;\n")
    assert load_answered(str(file)).identity != first
