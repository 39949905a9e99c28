"""The rules of Othello in Python: counts, codes, names, texts, passes and endings."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.errors import PositionError
from engines.rules.board import diagram
from engines.rules.othello import (
    PASS,
    RULES,
    SQUARES,
    START,
    OthelloPosition,
    move_code,
    move_name,
)
from engines.rules.position import GameEnding

DATA = json.loads(
    (Path(__file__).parents[2] / "data" / "perft_othello.json").read_text(encoding="utf-8")
)
POSITIONS: list[dict[str, Any]] = [{"position": START, "leaves": DATA["start"]}, *DATA["positions"]]
MOST_LEAVES = 10_000
"""Greater counts take too long in Python; the core has them."""
OVER = "X" * 40 + "O" * 24


def leaves(position: OthelloPosition, depth: int) -> int:
    """The number of sequences of moves of that length; a game that ends before is one, as in the
    published counts."""
    moves = position.moves()
    if depth == 0 or not moves:
        return 1
    return sum(leaves(position.after(move), depth - 1) for move in moves)


def perft(position: OthelloPosition, depth: int) -> int:
    """As :func:`leaves`, but a game that ends before is none: what the core counts in all games."""
    if depth == 0:
        return 1
    return sum(perft(position.after(move), depth - 1) for move in position.moves())


def walk(seed: int) -> list[OthelloPosition]:
    """The positions of a game of random moves."""
    rng = random.Random(seed)
    positions = [OthelloPosition.read(START)]
    while moves := positions[-1].moves():
        positions.append(positions[-1].after(rng.choice(moves)))
    return positions


def turned_by_walking(position: OthelloPosition, square: int) -> set[int]:
    """What a disc of the side to move on an empty square turns over, square by square."""
    turned: set[int] = set()
    for down, right in ((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b):
        row, column, run = square // 8 + down, square % 8 + right, set()
        while 0 <= row < 8 and 0 <= column < 8 and position.other >> (8 * row + column) & 1:
            run.add(8 * row + column)
            row, column = row + down, column + right
        if 0 <= row < 8 and 0 <= column < 8 and position.own >> (8 * row + column) & 1:
            turned |= run
    return turned


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position["position"])
def test_move_counts_match_published_ones(position: dict[str, Any]) -> None:
    start = OthelloPosition.read(position["position"])
    for depth, expected in enumerate(position["leaves"], 1):
        if expected <= MOST_LEAVES:
            assert leaves(start, depth) == expected, depth


def test_counts_cover_the_start_passes_and_endings() -> None:
    # The first of Aart Bik's counts (2009).
    assert DATA["start"][:6] == [4, 12, 56, 244, 1396, 8200]
    assert {one["kind"] for one in DATA["positions"]} == {"plain", "near-end", "pass"}


def test_black_begins_with_four_discs_in_the_middle() -> None:
    start = OthelloPosition.read(START)
    discs = {move_name(square + 1): str(start)[square] for square in SQUARES}
    assert {name: disc for name, disc in discs.items() if disc != "-"} == {
        "d4": "O", "e5": "O", "d5": "X", "e4": "X",
    }  # fmt: skip
    assert not start.white_to_move
    assert [start.spelled(move) for move in start.moves()] == ["d3", "c4", "f5", "e6"]
    assert RULES.start == START and not RULES.board(START).white_to_move


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_move_turns_what_it_encloses(seed: int) -> None:
    for position in walk(seed)[seed % 5 :: 5]:
        turning = {
            square: turned
            for square in SQUARES
            if position.empty >> square & 1 and (turned := turned_by_walking(position, square))
        }
        moves = position.moves()
        assert [move - 1 for move in moves if move != PASS] == sorted(turning)
        for square, turned in turning.items():
            after = position.after(square + 1)
            bits = sum(1 << one for one in turned)
            assert after.other == position.own | bits | 1 << square
            assert after.own == position.other & ~bits
            assert after.white_to_move != position.white_to_move


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_codes_names_and_texts_are_unique_and_read_back(seed: int) -> None:
    for position in walk(seed)[seed % 3 :: 3]:
        moves = position.moves()
        assert moves == sorted(set(moves))
        names = [position.spelled(move) for move in moves]
        assert len(set(names)) == len(moves)
        assert [move_code(name) for name in names] == moves
        assert OthelloPosition.read(str(position)) == position
        assert position.reversible_plies == 0


def test_every_code_has_a_name() -> None:
    names = [move_name(code) for code in range(1, PASS + 1)]
    assert (names[0], names[7], names[8], names[63], names[64]) == ("a1", "h1", "a2", "h8", "pass")
    assert [move_code(name) for name in names] == list(range(1, PASS + 1))
    for name in ("", "d", "d33", "i1", "a0", "a9", "D3", "PASS", "--", "3d", "d³"):
        with pytest.raises(PositionError, match="is not a move of Othello"):
            move_code(name)


@settings(max_examples=12)
@given(st.integers(0, 10_000))
def test_pass_is_legal_only_without_another_move(seed: int) -> None:
    for position in walk(seed):
        can_place = any(
            position.empty >> square & 1 and turned_by_walking(position, square)
            for square in SQUARES
        )
        turned = OthelloPosition(position.black, position.white, not position.white_to_move)
        other_can = any(
            turned.empty >> square & 1 and turned_by_walking(turned, square) for square in SQUARES
        )
        assert (position.moves() == [PASS]) == (not can_place and other_can)
        assert (PASS in position.moves()) == (position.moves() == [PASS])
        assert (position.ending() is not None) == (not can_place and not other_can)
        if position.moves() == [PASS]:
            assert position.after(PASS) == turned


def test_random_games_have_passes_and_end_before_the_board_is_full() -> None:
    """Without these the tests above would check little."""
    games = [walk(seed) for seed in range(20, 60)]
    passes = sum(position.moves() == [PASS] for game in games for position in game)
    assert passes > 12
    assert any(game[-1].empty for game in games)


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        (START, None),
        (f"{OVER} X", GameEnding("most-discs", False)),
        (f"{OVER} O", GameEnding("most-discs", False)),
        (f"{OVER.translate(str.maketrans('XO', 'OX'))} X", GameEnding("most-discs", True)),
        (f"{'X' * 32}{'O' * 32} X", GameEnding("most-discs", None)),
        # Nobody can turn anything over, with squares left.
        (f"X{'-' * 63} O", GameEnding("most-discs", False)),
        (f"XX{'-' * 60}OO X", GameEnding("most-discs", None)),
        # White can only pass, and so the game goes on.
        (f"XO{'-' * 62} O", None),
        (f"XO{'-' * 62} X", None),
    ],
)
def test_endings(text: str, ending: GameEnding | None) -> None:
    position = OthelloPosition.read(text)
    assert position.ending() == ending
    assert bool(position.moves()) == (ending is None)


def test_points_of_a_finished_game_are_whites_first() -> None:
    over = OthelloPosition.read("X" * 41 + "O" * 23 + " X")
    assert over.tally() == "23-41"
    assert RULES.board(str(over)).tally() == "23-41"
    assert OthelloPosition.read(START).tally() == ""


def test_pass_gives_the_turn_to_the_other_side() -> None:
    position = OthelloPosition.read(f"XO{'-' * 62} O")
    assert [position.spelled(move) for move in position.moves()] == ["pass"]
    after = position.after(PASS)
    assert str(after) == f"XO{'-' * 62} X"
    assert str(after.after(move_code("c1"))) == f"XXX{'-' * 61} O"
    board = RULES.board(str(position))
    assert not board.push(move_code("c1")) and board.push(PASS) and board.push(move_code("c1"))
    assert board.ending() == GameEnding("most-discs", False)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the side to move is missing"),
        (OVER, "the side to move is missing"),
        (f"{OVER} W", "the side to move is X or O, not `W`"),
        (f"{OVER} X O", "the side to move is X or O, not `X O`"),
        (f"{OVER}X X", "a board has 64 squares, this one has 65"),
        (f"{OVER[1:]} X", "a board has 64 squares, this one has 63"),
        (f".{OVER[1:]} X", "a square is X, O or -, not `.`"),
        (f"{'-' * 64} X", "the board is empty"),
    ],
)
def test_impossible_positions_are_refused_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(PositionError) as error:
        OthelloPosition.read(text)
    assert str(error.value) == f"`{text}` is not a legal othello position: {reason}"


def test_diagram_has_a1_on_top() -> None:
    lines = diagram(RULES.look, RULES.board(START).squares(), plain=True)
    assert len(lines) == 9 and lines[8].split() == list("abcdefgh")
    assert lines[0].split() == ["1", *"........"]
    assert lines[3].split() == ["4", *"...OX..."]
    assert lines[4].split() == ["5", *"...XO..."]


@pytest.mark.native
def test_core_counts_the_same_leaves(core: Any) -> None:
    for seed in range(12):
        for position in walk(seed)[seed % 16 :: 16]:
            assert core.perft(str(position), 3, False, "othello") == perft(position, 3)
