"""The evaluations of Othello in Python: the data file, symmetry, stages, and the core's values."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.reference.evaluation.tapered import round_to_grain
from engines.reference.games.othello import (
    BOUND,
    DISC,
    MOBILITIES,
    SYMMETRIES,
    Othello,
    Pattern,
    load,
    read_evaluation,
    square_named,
    squares_like,
    stage_of,
)
from engines.rules.othello import PASS, START, OthelloPosition, move_code

DATA: dict[str, Any] = json.loads(
    (resources.files("engines") / "data" / "othello.json").read_text(encoding="utf-8")
)
KINDS = {"a1", "b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4"}
LINES = {"row1": 8, "row2": 8, "row3": 8, "row4": 8, "diagonal8": 8, "diagonal7": 7}
LENGTHS = LINES | {"diagonal6": 6, "diagonal5": 5, "diagonal4": 4, "corner": 9}
SINGLE = {"potential", "frontier", "corner_moves"}
TABLES = {"mobility": MOBILITIES, "parity": 5}

EVALUATIONS = pytest.mark.parametrize("evaluation", ["pst", "full"])


def walk(seed: int) -> list[OthelloPosition]:
    """The positions of a game of random moves."""
    rng = random.Random(seed)
    positions = [OthelloPosition.read(START)]
    while moves := positions[-1].moves():
        positions.append(positions[-1].after(rng.choice(moves)))
    return positions


def images(position: OthelloPosition) -> Iterator[OthelloPosition]:
    """The position as each symmetry of the board makes it."""
    for symmetry in SYMMETRIES:
        black, white = (
            sum(1 << symmetry[square] for square in range(64) if board >> square & 1)
            for board in (position.black, position.white)
        )
        yield OthelloPosition(black, white, position.white_to_move)


# The data file ------------------------------------------------------------------------------------


def test_every_knot_has_weights() -> None:
    knots = DATA["knots"]
    assert knots == sorted(set(knots)) and 4 <= knots[0] and knots[-1] <= 64
    assert DATA["pst"].keys() == KINDS
    assert DATA["terms"].keys() == SINGLE | TABLES.keys()
    for rows in [*DATA["pst"].values(), *(DATA["terms"][name] for name in SINGLE)]:
        assert len(rows) == len(knots) and all(isinstance(one, int) for one in rows)
    for name, size in TABLES.items():
        assert [len(row) for row in DATA["terms"][name]] == [size] * len(knots)


def test_patterns_have_a_weight_for_each_set_of_numbers() -> None:
    assert {name: len(one["squares"].split()) for name, one in DATA["patterns"].items()} == LENGTHS
    for name, one in DATA["patterns"].items():
        pattern = Pattern(name, tuple(map(square_named, one["squares"].split())))
        used = {index for index, sign in pattern.sharing() if sign}
        assert used == set(range(len(used)))
        assert [len(row) for row in one["weights"]] == [len(used)] * len(DATA["knots"])
        assert all(abs(weight) < 1 << 15 for row in one["weights"] for weight in row)


def test_kinds_of_squares_cover_the_board_once() -> None:
    boards = [squares_like(name) for name in KINDS]
    assert sum(board.bit_count() for board in boards) == 64
    assert sum(boards) == (1 << 64) - 1


def test_every_square_is_seen_by_lines_of_four_directions() -> None:
    patterns = load("full").patterns
    assert patterns is not None
    places = {pattern.name: pattern.places() for pattern in patterns}
    assert {name: len(found) for name, found in places.items()} == {
        "row1": 4, "row2": 4, "row3": 4, "row4": 4, "diagonal8": 2, "diagonal7": 4,
        "diagonal6": 4, "diagonal5": 4, "diagonal4": 4, "corner": 4,
    }  # fmt: skip
    seen = [square for found in places.values() for place in found for square in place]
    assert min(seen.count(square) for square in range(64)) >= 3


def test_recipe_records_a_fit_that_generalises() -> None:
    recipe = DATA["recipe"]
    assert recipe["script"] == "recipes/tune_othello.py"
    errors = recipe["held_out_error"]
    for stage in errors["zero"]:
        assert errors["full"][stage] < errors["pst"][stage] < errors["zero"][stage]
    assert errors["full"]["all"] < 0.7 * errors["zero"]["all"]


# Values -------------------------------------------------------------------------------------------


@EVALUATIONS
@pytest.mark.native
def test_values_match_the_core(core: Any, evaluation: str) -> None:
    game = Othello(evaluation)
    for seed in range(8):
        for position in walk(seed):
            value = game.value(position)
            assert core.evaluate(str(position), evaluation, 1, "othello") == value, str(position)
            rounded = round_to_grain(value, 10)
            assert core.evaluate(str(position), evaluation, 10, "othello") == rounded


@EVALUATIONS
@pytest.mark.native
def test_values_of_unreachable_boards_match_the_core(core: Any, evaluation: str) -> None:
    """They show numbers of patterns that games seldom do, and few discs or many."""
    game, rng = Othello(evaluation), random.Random(5)
    for _ in range(200):
        share = rng.choice([0.1, 0.4, 0.7, 0.95])
        board = "".join(rng.choice("XO") if rng.random() < share else "-" for _ in range(63))
        position = OthelloPosition.read(f"X{board} {rng.choice('XO')}")
        value = game.value(position)
        assert core.evaluate(str(position), evaluation, 1, "othello") == value, str(position)


@EVALUATIONS
@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_turned_and_mirrored_boards_have_the_same_value(evaluation: str, seed: int) -> None:
    game = Othello(evaluation)
    for position in walk(seed)[seed % 11 :: 11]:
        assert {game.value(image) for image in images(position)} == {game.value(position)}


@EVALUATIONS
@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_values_do_not_depend_on_the_colour(evaluation: str, seed: int) -> None:
    game = Othello(evaluation)
    for position in walk(seed)[seed % 7 :: 7]:
        turned = OthelloPosition(position.white, position.black, not position.white_to_move)
        assert game.value(turned) == game.value(position)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_features_change_sign_with_the_side_to_move(seed: int) -> None:
    """All but the parity, which is the side to move's alone."""
    for name in ("pst", "full"):
        evaluation = load(name)
        for position in walk(seed)[seed % 13 :: 13]:
            turned = OthelloPosition(position.black, position.white, not position.white_to_move)
            sums: list[dict[tuple[str, int], int]] = []
            for one in (position, turned):
                sums.append({})
                for table, index, times in evaluation.counts(one):
                    if table != "parity":
                        sums[-1][table, index] = sums[-1].get((table, index), 0) + times
            keys = sums[0].keys() | sums[1].keys()
            assert all(sums[0].get(key, 0) == -sums[1].get(key, 0) for key in keys)


@EVALUATIONS
def test_corner_is_valuable_and_the_square_beside_it_costs(evaluation: str) -> None:
    game = Othello(evaluation)

    def value(disc: str, square: str) -> int:
        at = square_named(square)
        return game.value(OthelloPosition.read(f"{START[:at]}{disc}{START[at + 1 :]}"))

    for corner, before in (("a1", "b2"), ("h1", "g2"), ("a8", "b7"), ("h8", "g7")):
        assert value("X", corner) > value("O", corner) + 20 * DISC
        assert value("X", before) < value("O", before) - 5 * DISC


@EVALUATIONS
def test_finished_game_is_worth_its_discs(evaluation: str) -> None:
    game = Othello(evaluation)
    for seed in range(20):
        last = walk(seed)[-1]
        lead = last.own.bit_count() - last.other.bit_count()
        assert game.value(last) == game.terminal_value(last) == DISC * lead
        assert abs(lead * DISC) <= BOUND
    empty = OthelloPosition.read(f"XX{'-' * 60}-O O")
    assert game.terminal_value(empty) == -DISC


def test_stages_share_the_whole_between_two_knots() -> None:
    knots = DATA["knots"]
    for discs in range(65):
        stage = stage_of(knots, discs)
        assert 0 <= stage.past <= stage.span
        assert stage.span == knots[stage.lower + 1] - knots[stage.lower]
        inside = min(max(discs, knots[0]), knots[-1])
        assert knots[stage.lower] + stage.past == inside


def test_weights_are_interpolated_and_cut_toward_zero() -> None:
    weights = dict.fromkeys(KINDS, [0] * 4) | {"d4": [1_000, 2_000, 3_000, 4_000]}
    evaluation = read_evaluation({"knots": [12, 28, 44, 60], "pst": weights}, "pst")
    empty = "--------"
    rows = ["XXXXXXO-", empty, empty, "---XX---", "---O----", empty, empty, "XXXXO---"]
    position = OthelloPosition.read(f"{''.join(rows)} X")
    # 15 discs are three sixteenths of the way; Black has one more in the middle: 1187.5.
    assert evaluation.value(position) == 1_187
    turned = OthelloPosition(position.black, position.white, True)
    assert evaluation.value(turned) == -1_187


@EVALUATIONS
def test_queries_of_a_search(evaluation: str) -> None:
    game = Othello(evaluation)
    start = OthelloPosition.read(START)
    assert game.value(start) == game.value(next(images(start)))
    assert not game.is_forced(start) and not game.captures(start)
    assert game.promise(start, move_code("d3")) == 0 and game.promise(start, PASS) == 0
    assert [game.promise(start, move_code(name)) for name in ("a1", "h1", "a8", "h8")] == [1] * 4
    passing = OthelloPosition.read(f"XO{'-' * 62} O")
    assert game.is_forced(passing)
    full = OthelloPosition.read("X" * 40 + "O" * 24 + " X")
    assert not game.is_forced(full)
