"""The rules of draughts in Python: counts, codes, names, texts and endings."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.errors import PositionError
from engines.rules.board import diagram
from engines.rules.draughts import (
    RULES,
    START,
    DraughtsPosition,
    move_name,
    move_of_name,
)
from engines.rules.position import GameEnding

DATA = json.loads(
    (Path(__file__).parents[2] / "data" / "perft_draughts.json").read_text(encoding="utf-8")
)
POSITIONS: list[dict[str, Any]] = DATA["positions"]
MOST_LEAVES = 10_000
"""Greater counts take too long in Python; the core has them."""


def perft(position: DraughtsPosition, depth: int) -> int:
    """The number of sequences of moves of that length."""
    if depth == 0:
        return 1
    return sum(perft(position.after(move), depth - 1) for move in position.moves())


def walk(seed: int, plies: int = 150) -> list[DraughtsPosition]:
    """The positions of a game of random moves."""
    rng = random.Random(seed)
    positions = [DraughtsPosition.read(START)]
    while len(positions) <= plies and (moves := positions[-1].moves()):
        positions.append(positions[-1].after(rng.choice(moves)))
    return positions


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position["text"])
def test_move_counts_match_published_ones(position: dict[str, Any]) -> None:
    start = DraughtsPosition.read(position["text"])
    for depth, leaves in enumerate(position["leaves"], 1):
        if leaves <= MOST_LEAVES:
            assert perft(start, depth) == leaves, depth


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_codes_names_and_texts_are_unique_and_read_back(seed: int) -> None:
    for position in walk(seed)[:: 1 + seed % 7]:
        moves = position.moves()
        assert moves == sorted(set(moves)) and all(0 < move < 1 << 16 for move in moves)
        names = [move_name(move) for move in moves]
        assert [move_of_name(name) for name in names] == moves
        assert len({position.spelled(move) for move in moves}) == len(moves)
        assert DraughtsPosition.read(str(position)) == position
        assert position.must_capture() == any("x" in name for name in names)
        for move in moves:
            ends = [n for n in position.spelled(move).replace("x", "-").split("-")]
            assert (int(ends[0]) - 1, int(ends[-1]) - 1) == (move & 31, move >> 5 & 31)


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_men_are_only_lost_by_capture_and_the_clock_counts_steps_of_kings(seed: int) -> None:
    positions = walk(seed)
    for before, after in zip(positions, positions[1:], strict=False):
        lost = Counter(before.board) - Counter(after.board)
        taken = sum(lost[kind] for kind in ("bB" if before.white_to_move else "wW"))
        reversible = not taken and before.board.lower() != after.board.lower()
        men = [piece for piece in before.board if piece in "bw"]
        moved = men != [piece for piece in after.board if piece in "bw"]
        assert bool(taken) == before.must_capture()
        assert after.white_to_move != before.white_to_move
        if after.reversible_plies:
            assert reversible and not moved
            assert after.reversible_plies == before.reversible_plies + 1


def test_paths_with_equal_ends_have_different_names() -> None:
    circle = DraughtsPosition.read("W:WK2:B6,7,14,15")
    assert [move_name(move) for move in circle.moves()] == ["2x2", "2x2/1"]
    assert [circle.spelled(move) for move in circle.moves()] == ["2x9x18x11x2", "2x11x18x9x2"]
    assert {str(circle.after(move)) for move in circle.moves()} == {"B:WK2:B"}
    man = DraughtsPosition.read("W:W18:B6,7,14,K15")
    assert [man.spelled(move) for move in man.moves()] == ["18x9x2", "18x11x2"]
    assert [man.taken(move) for move in man.moves()] == ["bb", "Bb"]
    assert [str(man.after(move)) for move in man.moves()] == ["B:WK2:B7,K15", "B:WK2:B6,14"]


def test_crowning_ends_the_move() -> None:
    position = DraughtsPosition.read("W:W9:B5,6,7,10")
    assert [position.spelled(move) for move in position.moves()] == ["9x2"]
    assert str(position.after(position.moves()[0])) == "B:WK2:B5,7,10"


def test_men_of_both_sides_move_forward() -> None:
    black = DraughtsPosition.read("B:W32:B14")
    assert [black.spelled(move) for move in black.moves()] == ["14-17", "14-18"]
    white = DraughtsPosition.read("W:W14:B1")
    assert [white.spelled(move) for move in white.moves()] == ["14-9", "14-10"]


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        (START, None),
        ("W:W6:B2,1,10", GameEnding("no-moves", False)),
        ("B:WK32:B", GameEnding("no-moves", True)),
        ("W:WK32:BK1:H79", None),
        ("W:WK32:BK1:H80", GameEnding("forty-moves", None)),
        ("W:W6:B2,1,10:H80", GameEnding("no-moves", False)),
    ],
)
def test_endings(text: str, ending: GameEnding | None) -> None:
    assert DraughtsPosition.read(text).ending() == ending


def test_forty_moves_of_kings_are_a_draw() -> None:
    position = DraughtsPosition.read("W:WK32:BK1")
    for ply in range(80):
        assert position.ending() is None and position.reversible_plies == ply
        position = position.after(position.moves()[0])
    assert position.ending() == GameEnding("forty-moves", None)


def test_kings_moving_back_and_forth_repeat_the_key() -> None:
    position = DraughtsPosition.read("W:WK32:BK1")
    keys = [position.key()]
    for move in ["32-28", "1-5", "28-32", "5-1"] * 2:
        position = position.after(move_of_name(move))
        keys.append(position.key())
    assert keys.count(keys[0]) == 3 and position.reversible_plies == 8


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("B:W21-32:B1-12.", START),
        ("W:BK2,K14:W29,9,10", "W:W9,10,29:BK2,K14"),
        (" W:W18:BK1:H7:F30 ", "W:W18:BK1:H7"),
        ("B:WK3-5:B:H0", "B:WK3,K4,K5:B"),
    ],
)
def test_all_forms_of_texts_are_read(text: str, canonical: str) -> None:
    assert str(DraughtsPosition.read(text)) == canonical


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the side to move is B or W, not ``"),
        ("B:W21", "the men of both sides are needed, as in B:W32:B1"),
        ("B:W21:B1:W22", "the field W comes twice"),
        ("B:W21:B1:H1:H1", "the field H comes twice"),
        ("B:W21:B1:Z", "the field `Z` is unknown"),
        ("B:W21:B1:", "the field `` is unknown"),
        ("B:W21:B1:H+1", "`H+1` is not H and up to three digits"),
        ("B:W21:B1:F1000", "`F1000` is not F and up to three digits"),
        ("B:W21,:B1", "`` is not a square from 1 to 32"),
        ("B:W33:B1", "`33` is not a square from 1 to 32"),
        ("B:W9-7:B1", "the range `9-7` is empty"),
        ("B:W21,K21:B1", "square 21 is named twice"),
        ("B:W21:BK21", "square 21 is named twice"),
        ("B:W4:B1", "a man of White on square 4 would be a king"),
        ("B:W21:B29", "a man of Black on square 29 would be a king"),
        ("B:W32:BK1-13", "Black has more than 12 men"),
        ("B:W:B", "the board is empty"),
    ],
)
def test_impossible_positions_are_refused_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(PositionError) as error:
        DraughtsPosition.read(text)
    assert str(error.value) == f"`{text}` is not a draughts position: {reason}"


def test_moves_that_are_not_legal_are_refused() -> None:
    start = DraughtsPosition.read(START)
    for refused in (start.after, start.spelled, start.path):
        with pytest.raises(PositionError, match="move 9-18 is not legal in"):
            refused(move_of_name("9-18"))
    for name in ("", "9", "9-33", "0-4", "9x14/0", "9x14/32", "9-14-18", "09-14", "1-1"):
        with pytest.raises(PositionError, match="is not a move of draughts"):
            move_of_name(name)
    assert move_name(-1) == "-0x1"


def test_diagram_is_from_whites_view() -> None:
    squares = DraughtsPosition.read("W:WK32,21:B1,K5").squares()
    lines = diagram(RULES.look, squares, plain=True)
    assert len(lines) == 8
    assert lines[0] == "  1-4    b   .   .   ."
    assert lines[1] == "  5-8  B   .   .   ."
    assert lines[5] == "21-24  w   .   .   ."
    assert lines[7] == "29-32  .   .   .   W"


@pytest.mark.native
def test_core_counts_the_same_leaves(core: Any) -> None:
    for seed in range(12):
        for position in walk(seed)[::15]:
            assert core.perft(str(position), 3, False, "draughts") == perft(position, 3)
