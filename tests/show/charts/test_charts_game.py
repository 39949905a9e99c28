"""The graph of a game shows White's view, caps large values and leaves gaps."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, cast

import pytest
import vl_convert

from engines.choices import GAMES
from engines.rules.catalog import rules_of
from engines.rules.othello import RULES as OTHELLO_RULES
from engines.spec import MATE
from toolkit.base.errors import NothingMatched
from toolkit.reports.games import GameRow, MoveRow
from toolkit.show.charts.game import PLY, SERIES, edge_of, game_picture, steered_picture
from toolkit.show.charts.picture import page_specs

OTHELLO = OTHELLO_RULES.start
WHITE = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
BLACK = WHITE.replace(" w ", " b ")


def game(start: str = WHITE, played: str = "chess") -> GameRow:
    row = {"id": "g1", "white": "one", "black": "two", "result": "1-0", "plies": 4}
    rest = {"start_fen": start, "game_played": played, "chess960": False}
    return cast("GameRow", SimpleNamespace(**row, **rest))


def moves(*values: int | None, **others: int | None) -> list[MoveRow]:
    found = {"depth": 3, "nodes": 10, "passes": 2, "time_us": 5} | others
    return [
        cast("MoveRow", SimpleNamespace(ply=ply, uci="e2e4", san="e4", value=value, **found))
        for ply, value in enumerate(values, 1)
    ]


def heights(spec: dict[str, Any]) -> dict[int, float]:
    """How far below the top each point of a panel is drawn, by ply."""
    width: dict[str, Any] = {"width": 400, "config": {"axis": {"labels": True}}}
    drawn = vl_convert.vegalite_to_scenegraph(spec | width)
    points: dict[int, float] = {}

    def walk(item: Any) -> None:
        if isinstance(item, dict):
            if item.get("marktype") == "symbol" and item.get("role") == "mark":
                for point in item["items"]:
                    ply = next(
                        part.split(": ")[1]
                        for part in point["description"].split("; ")
                        if part.startswith("ply: ")
                    )
                    points[int(ply)] = point["y"]
            for each in item.values():
                walk(each)
        elif isinstance(item, list):
            for each in item:
                walk(each)

    walk(drawn if isinstance(drawn, dict) else json.loads(drawn))
    return points


def value_heights(start: str, *values: int | None, played: str = "chess") -> dict[int, float]:
    return heights(page_specs(game_picture(game(start, played), moves(*values)))[0])


def test_values_are_those_of_white() -> None:
    drawn = value_heights(WHITE, 100, -100, 300, -500)
    assert drawn[1] == pytest.approx(drawn[2])
    assert drawn[3] < drawn[1] and drawn[4] < drawn[3]
    other = value_heights(BLACK, 100, -100, 300, -500)
    assert other[1] == pytest.approx(other[2])
    assert other[3] > other[1] and other[4] > other[3]


def test_mates_are_drawn_at_the_edge() -> None:
    drawn = value_heights(WHITE, 1000, -(MATE - 3), 5000, MATE - 1)
    assert drawn[1] == drawn[2] == drawn[3] == 0  # the top
    assert drawn[4] > drawn[1]  # Black mates


def test_no_value_is_cut_where_all_count() -> None:
    drawn = value_heights(OTHELLO, 6400, 3200, -(MATE - 1), played="othello")  # Black begins
    assert drawn[2] - drawn[3] == pytest.approx((drawn[1] - drawn[2]) / 3)  # Black, White, mate
    assert "1000" not in game_picture(game(OTHELLO, "othello"), moves(1)).caption
    assert "1000" in game_picture(game(), moves(1)).caption


@pytest.mark.parametrize("played", GAMES)
def test_first_value_is_of_the_side_that_begins(played: str) -> None:
    rules = rules_of(played)
    drawn = value_heights(rules.start, 100, 100, played=played)
    is_white = rules.board(rules.start).white_to_move
    assert (drawn[1] < drawn[2]) == is_white


def test_edge_of_few_small_values_is_not_at_them() -> None:
    assert edge_of(OTHELLO_RULES, [None, 3, -(MATE - 1)]) == 100
    assert edge_of(OTHELLO_RULES, [None, 3, -1700]) == 1700
    assert edge_of(rules_of("chess"), [5000]) == 1000


def test_unknown_values_are_gaps() -> None:
    assert set(value_heights(WHITE, 10, None, 30, -5)) == {1, 3, 4}
    picture = game_picture(game(), moves(None, None, depth=None, passes=None))
    assert len(picture.panels) == 1  # nodes alone are known
    with pytest.raises(NothingMatched, match="g1"):
        game_picture(game(), moves(None, depth=None, passes=None, nodes=None))


def test_page_steers_a_rule_in_every_panel() -> None:
    specs = page_specs(steered_picture())
    assert len(specs) == len(SERIES)
    assert all([each["name"] for each in spec["params"]] == [PLY] for spec in specs)
    assert "ply_shown" not in json.dumps(page_specs(game_picture(game(), moves(1, 2))))
