"""The evaluations of draughts in Python: symmetry, stages, and the values that the core has too."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.reference.evaluation.tapered import round_to_grain
from engines.reference.games.draughts import WHOLE, Draughts, load_weights, stage_shares, trace
from engines.rules.draughts import START, DraughtsPosition, move_of_name
from engines.spec import MATE

VALUES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data" / "draughts_values.json").read_text(encoding="utf-8")
)["values"]

pytestmark = pytest.mark.parametrize("evaluation", ["pst", "full"])


def turned(position: DraughtsPosition) -> DraughtsPosition:
    """The position with the colours exchanged and the board turned."""
    board = position.board[::-1].translate(str.maketrans("bwBW", "wbWB"))
    return DraughtsPosition(board, not position.white_to_move, position.reversible_plies)


def test_values_match_the_file(evaluation: str) -> None:
    """The core's tests read the same file."""
    game = Draughts(evaluation)
    for row in VALUES:
        assert game.value(DraughtsPosition.read(row["text"])) == row[evaluation], row["text"]


@pytest.mark.native
def test_values_match_the_core(core: Any, evaluation: str) -> None:
    game = Draughts(evaluation)
    rng = random.Random(3)
    for _ in range(10):
        position = DraughtsPosition.read(START)
        while moves := position.moves():
            value = game.value(position)
            assert core.evaluate(str(position), evaluation, 1, "draughts") == value, str(position)
            rounded = round_to_grain(value, 10)
            assert core.evaluate(str(position), evaluation, 10, "draughts") == rounded
            position = position.after(rng.choice(moves))


@given(st.sampled_from(VALUES))
def test_values_change_sign_with_the_colours(evaluation: str, row: dict[str, Any]) -> None:
    position = DraughtsPosition.read(row["text"])
    game = Draughts(evaluation)
    assert game.value(turned(position)) == game.value(position)


def test_every_counted_feature_has_weights(evaluation: str) -> None:
    weights = load_weights(evaluation)
    counted = set()
    for row in VALUES:
        counted |= trace(DraughtsPosition.read(row["text"]), terms=weights.has_terms).keys()
    assert counted <= weights.of.keys()
    assert len(counted) > 0.9 * len(weights.of)


def test_stages_share_the_whole(evaluation: str) -> None:
    assert all(sum(stage_shares(count)) == WHOLE for count in range(25))
    assert stage_shares(24) == (24, 0, 0) and stage_shares(12) == (0, 24, 0)
    assert stage_shares(4) == stage_shares(2) == (0, 0, 24)


def test_queries_of_a_search(evaluation: str) -> None:
    game = Draughts(evaluation)
    start = DraughtsPosition.read(START)
    assert not game.is_forced(start)
    assert not game.captures(start) and game.promise(start, start.moves()[0]) == 0
    forced = DraughtsPosition.read("W:W18:B6,7,14,K15")
    assert game.is_forced(forced)
    promises = [game.promise(forced, move_of_name(name)) for name in ("18x2", "18x2/1")]
    assert promises == [2, 3]
    lost = DraughtsPosition.read("W:W6:B2,1,10")
    assert game.is_forced(lost) and game.terminal_value(lost) == -MATE


def test_extra_man_is_worth_about_a_hundred(evaluation: str) -> None:
    position = DraughtsPosition.read("W:W21-32:B1-10,12")
    assert 50 < Draughts(evaluation).value(position) < 200
