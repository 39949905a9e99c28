"""Checks of what engines say of their moves."""

from __future__ import annotations

import chess
import pytest

from engines.backend import follow_lines
from engines.external.lines import (
    MAX_PV,
    MAX_STRING,
    Said,
    find_lies,
    line_of,
    plays_its_best,
    said_of,
)
from engines.moves import encode_move
from engines.reference.lines import follow_lines as follow_in_python
from engines.spec import EngineLine

FOOL = tuple(map(encode_move, ("f2f3", "e7e5", "g2g4")))
"""Black mates with d8h4."""


def lies(info: str, answer: str, moves: tuple[int, ...] = FOOL) -> list[str]:
    printed = f"info depth 1 pv a1a1\n{info}\ninfo string x\nbestmove {answer}".encode()
    said = [said_of(len(moves), printed)]
    return list(find_lies(chess.STARTING_FEN, False, moves, said))


def test_engine_that_lies_is_found() -> None:
    at = "at ply 4:"
    cases = [
        ("info score mate 1 pv d8h4", "d8h4", []),
        ("info score cp 5 pv b8c6 g4g5", "b8c6 ponder g4g5", []),
        ("info score cp 5 pv b8c6 e1f2 zz", "b8c6", ["variation with an illegal move {at} zz"]),
        ("info score cp 5 pv b8c6", "d8h4", ["begins with another move than bestmove {at} b8c6"]),
        ("info score cp 5 lowerbound pv b8c6", "d8h4", []),
        ("info score mate 3 pv d8h4", "d8h4", ["its variation does not mate then {at} mate 3"]),
        ("info score mate 1 pv b8c6", "b8c6", ["its variation does not mate then {at} mate 1"]),
        ("info score mate 3 pv b8c6", "b8c6", []),  # cut, as many engines do
        ("info score mate -1 pv d8h4", "d8h4", ["the side that its variation mates {at} mate -1"]),
        ("info score cp 5 pv b8c6", "b8c6 ponder e2e8", ["on an illegal move {at} e2e8"]),
        ("info score cp 5 pv b8c6", "b8c6 ponder (none)", []),
        ("info multipv 2 pv a7a6", "b8c6", ["with an illegal move {at} a1a1"]),
        ("info score cp 5", "b8c6", ["with an illegal move {at} a1a1"]),
    ]
    for info, answer, expected in cases:
        found = lies(info, answer)
        assert len(found) == len(expected), (info, found)
        for text, end in zip(found, expected, strict=True):
            assert text.endswith(end.format(at=at)), (info, found)


def test_weakened_engine_may_play_another_move() -> None:
    said = [Said(0, b"info score cp 1 pv e2e4", b"bestmove f2f3")]
    for options in ((("Nothing", ""),), (("Hash", "16"),), (("UCI_LimitStrength", "false"),)):
        assert plays_its_best(options)
    for options in ((("Skill Level", "3"),), (("Hash", "16"), ("UCI_LimitStrength", "true"))):
        assert not plays_its_best(options)
    assert len(list(find_lies(chess.STARTING_FEN, False, FOOL[:1], said))) == 1
    assert not list(find_lies(chess.STARTING_FEN, False, FOOL[:1], said, best=False))


def test_kind_of_fault_is_reported_once_a_game() -> None:
    said = [Said(ply, b"info pv a1a1", b"bestmove f2f3") for ply in (0, 2)]
    found = list(find_lies(chess.STARTING_FEN, False, FOOL, said))
    assert found == ["printed a variation with an illegal move at ply 1: a1a1 (2 moves)"]


@pytest.mark.native
def test_core_follows_lines_as_python_does() -> None:
    chess960 = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    for fen, is_960, moves, words in (
        (chess.STARTING_FEN, False, FOOL, "d8h4 e1e2"),
        (chess.STARTING_FEN, False, (), "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8 a1a1"),
        (chess.STARTING_FEN, False, (), "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1h1"),
        (chess960, True, (), "g1f1 e6e5 g1h1 xyz"),
        ("8/P6k/8/8/8/8/8/K7 w - - 0 1", False, (), "a7a8 h7h6"),
        ("8/P6k/8/8/8/8/8/K7 w - - 0 1", False, (), "a7a8q h7h6"),
        ("k7/2Q5/8/8/8/8/8/K7 w - - 0 1", False, (), "c7c8"),
        ("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", False, (), "c1c8 a8a7"),
    ):
        split = words.split()
        lines = [(len(moves), " ".join(split[:end])) for end in range(len(split) + 1)]
        assert follow_lines(fen, is_960, moves, lines) == follow_in_python(
            fen, is_960, moves, lines
        ), words


def test_what_an_engine_printed_last_is_kept() -> None:
    best = "info depth 9 seldepth 12 score cp 3 nodes 5 hashfull 7 tbhits 1 pv e2e4 e7e5"
    cases = [
        (best, EngineLine(4, "e2e4 e7e5", 12, 7, 1)),
        (f"{best}\ninfo nodes 9 hashfull 8", EngineLine(4, "e2e4 e7e5", 12, 7, 1)),
        ("info pv e2e4\ninfo nodes 9 hashfull 8", EngineLine(4, "e2e4", None, 8)),
        (f"{best}\ninfo seldepth 3 multipv 2 pv d2d4", EngineLine(4, "e2e4 e7e5", 12, 7, 1)),
        (
            "info pv e2e4\ninfo string tbhits 3 pv d2d4",
            EngineLine(4, "e2e4", string="tbhits 3 pv d2d4"),
        ),
        ("info string a\ninfo string  b c \r", EngineLine(4, string="b c")),
        ("info depth 1 seldepth x hashfull -1 tbhits 9999999999999999", None),
        ("info depth 1", None),
        ("", None),
    ]
    for printed, expected in cases:
        said = said_of(4, f"{printed}\nbestmove e2e4".encode())
        assert line_of(said) == expected, printed
    (long,) = [line_of(said_of(0, b"info pv " + b"e2e4 " * 999 + b"\ninfo string " + b"x" * 9999))]
    assert long is not None and set(long.pv.split()) == {"e2e4"}
    assert MAX_PV - 5 < len(long.pv) <= MAX_PV and len(long.string) == MAX_STRING
