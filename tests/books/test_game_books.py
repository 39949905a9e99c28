"""Built-in books of other games than chess follow their recipe, are balanced and repeat no line."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import count, islice
from operator import itemgetter

import pytest

from engines.reference.games.othello import SYMMETRIES
from engines.rules.catalog import ALL
from toolkit.books.book import PACKAGE_BOOKS, package_book
from toolkit.books.making import (
    BookRecipe,
    judge_searcher,
    judge_value,
    random_walk,
    try_candidate,
)

BOOKS = {rules.default_book: rules for rules in ALL if not rules.uci}

pytestmark = pytest.mark.parametrize("name", BOOKS)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a book."""

    position: str
    moves: tuple[str, ...]
    value: int


@cache
def shipped(name: str) -> tuple[BookRecipe, list[Row]]:
    """The recipe of a book, and its lines."""
    data = resources.files("toolkit").joinpath("data", PACKAGE_BOOKS[name]).read_bytes()
    header, *lines = gzip.decompress(data).decode().splitlines()
    recipe = json.loads(header.partition(": ")[2])
    del recipe["signature"], recipe["judge_id"]
    rows = []
    for line in lines:
        match = re.fullmatch(r'(.+); id "\d+"; c0 "(.*)"; c1 "cp (.*)";', line)
        assert match, line
        rows.append(Row(match[1], tuple(match[2].split()), int(match[3])))
    return BookRecipe(**recipe), rows


def test_every_line_replays_to_its_position(name: str) -> None:
    recipe, rows = shipped(name)
    book = package_book(name)
    assert book.game == recipe.rules.game == BOOKS[name].game
    assert len(book.openings) == len(rows) == recipe.count
    assert [opening.fen for opening in book.openings] == [row.position for row in rows]
    assert len({row.position for row in rows}) == len(rows)
    for row in rows[::80]:
        board = recipe.rules.replay(recipe.rules.start)
        assert len(row.moves) == recipe.plies
        assert all(board.push(recipe.rules.move_code(move)) for move in row.moves)
        assert board.place() == row.position and board.moves()


def test_lines_are_candidates_of_the_recipe_in_their_order(name: str) -> None:
    """Whatever the core: the walks follow from the seed alone."""
    recipe, rows = shipped(name)
    candidate = 0
    for row in rows[:15]:
        while tuple(random_walk(recipe, candidate)) != row.moves:
            candidate += 1
            assert candidate < 5_000, f"{row.moves} is no candidate, or not in its order"
        candidate += 1


@pytest.mark.native
def test_core_finds_the_lines_balanced(name: str) -> None:
    recipe, rows = shipped(name)
    judge = judge_searcher(recipe.judge)
    assert all(abs(row.value) <= recipe.max_cp for row in rows)
    for row in rows[::800]:
        board = recipe.rules.replay(row.position)
        assert judge_value(judge, board, recipe.nodes) == row.value, row.position


@pytest.mark.native
@pytest.mark.parametrize("lines", [4, pytest.param(20, marks=pytest.mark.slow)])
def test_recipe_makes_the_book_again(name: str, lines: int) -> None:
    """The books are made again when an evaluation or the search changes."""
    recipe, rows = shipped(name)
    made = (try_candidate(recipe, candidate) for candidate in count())
    again = [
        Row(line.epd, line.moves, line.cp)
        for line in islice((line for line in made if line is not None), lines)
    ]
    assert again == rows[:lines]


def test_few_lines_are_mirror_images_of_others(name: str) -> None:
    """Games from two of them would be much the same. A line of draughts has none: the only symmetry
    exchanges the colours, and with them the turn."""
    _, rows = shipped(name)
    seen = {
        min(_images(row.position)) if name.startswith("othello") else row.position for row in rows
    }
    assert len(seen) >= 0.98 * len(rows)


def _images(text: str) -> list[tuple[str, ...]]:
    """The squares of a position of Othello as the symmetries of the board make it, and the turn."""
    return [itemgetter(*image, 65)(text) for image in SYMMETRIES]
