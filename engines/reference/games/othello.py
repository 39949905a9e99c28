"""Othello for a reference search: the evaluations, and what a search asks of a position.

The weights stand in ``engines/data/othello.json``, which the native core reads too. Values are
hundredths of a disc of the expected final difference, for the side to move. Weights stand at a few
numbers of discs (knots) and are interpolated between them.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from engines.reference.search.game import truncated
from engines.rules.othello import PASS, SQUARES, STEPS, OthelloPosition, placements

DISC = 100
"""What one disc of the final difference is worth."""
BOUND = 64 * DISC
"""No final difference is greater."""
CORNERS = 0x8100_0000_0000_0081
QUADRANTS = (0x0F0F_0F0F, 0xF0F0_F0F0, 0x0F0F_0F0F << 32, 0xF0F0_F0F0 << 32)
MOBILITIES = 21
"""The numbers of moves that are told apart; more moves count as the last."""

Symmetry = tuple[int, ...]
"""Where each square comes to lie when the board is turned or mirrored."""
Count = tuple[str, int, int]
"""A weight, by its table and the index in it, and how often it counts for the side to move."""


class Othello:
    """What a search needs of a position beside the rules."""

    reversible_limit: int | None = None
    """No position comes twice."""

    def __init__(self, evaluation: str) -> None:
        """``evaluation`` is ``pst`` or ``full``."""
        self._evaluation = load(evaluation)

    def value(self, position: OthelloPosition) -> int:
        """The static value for the side to move, before swing and grain."""
        return self._evaluation.value(position)

    def terminal_value(self, position: OthelloPosition) -> int:
        """The value of a finished game: the disc difference, before the grain. Empty squares are
        nobody's."""
        return final_value(position)

    def is_forced(self, position: OthelloPosition) -> bool:
        """Whether the only move is a pass."""
        return position.moves() == [PASS]

    def captures(self, position: OthelloPosition) -> Sequence[int]:
        """The moves of quiescence: none."""
        return ()

    def promise(self, position: OthelloPosition, move: int) -> int:
        """How early to try a move: corners first."""
        return int(move != PASS and CORNERS >> (move - 1) & 1)


@cache
def load(name: str) -> Evaluation:
    """The evaluation that is called ``name`` in the registry's parameter ``eval``."""
    text = (resources.files("engines") / "data" / "othello.json").read_text(encoding="utf-8")
    return read_evaluation(json.loads(text), name)


def read_evaluation(data: Mapping[str, Any], name: str) -> Evaluation:
    """The evaluation ``pst`` or ``full`` of a data file."""
    knots = tuple(data["knots"])
    if name == "pst":
        return Evaluation(knots, _tables(data["pst"]), None)
    patterns = tuple(
        Pattern(key, tuple(square_named(square) for square in one["squares"].split()))
        for key, one in data["patterns"].items()
    )
    weights = {key: tuple(one["weights"]) for key, one in data["patterns"].items()}
    return Evaluation(knots, {**_tables(data["terms"]), **weights}, patterns)


def _tables(data: Mapping[str, Any]) -> dict[str, tuple[Sequence[int], ...]]:
    """Tables at every knot; a single number at a knot is a table of one."""
    return {
        name: tuple([row] if isinstance(row, int) else row for row in rows)
        for name, rows in data.items()
    }


# Between the knots --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a number of discs lies between two knots."""

    lower: int
    """Which knot is below."""
    past: int
    """How many discs are more than there."""
    span: int
    """How many discs lie between the two."""


def stage_of(knots: Sequence[int], discs: int) -> Stage:
    """Where so many discs lie; beyond the outer knots their own weights count."""
    lower = sum(knot <= discs for knot in knots[1:-1])
    low, high = knots[lower], knots[lower + 1]
    return Stage(lower, min(max(discs, low), high) - low, high - low)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The evaluation ``pst``, which weighs the squares on which discs stand, or ``full``, which
    weighs mobility and other counts, and the patterns of lines and corners."""

    knots: tuple[int, ...]
    """Numbers of discs."""
    weights: Mapping[str, tuple[Sequence[int], ...]]
    """By square, term or pattern: a table at each knot."""
    patterns: tuple[Pattern, ...] | None
    """None for ``pst``."""

    def value(self, position: OthelloPosition) -> int:
        """The value for the side to move, exact where the game is over. It is cut toward zero, so
        that both sides see the same size."""
        if not position.moves():
            return final_value(position)
        stage = stage_of(self.knots, 64 - position.empty.bit_count())
        lower = upper = 0
        for name, index, times in self.counts(position):
            tables = self.weights[name]
            lower += times * tables[stage.lower][index]
            upper += times * tables[stage.lower + 1][index]
        total = lower * (stage.span - stage.past) + upper * stage.past
        return max(-BOUND, min(BOUND, truncated(total, stage.span)))

    def counts(self, position: OthelloPosition) -> Iterator[Count]:
        """How often each weight counts for the side to move."""
        if self.patterns is None:
            return squares(position, self.weights)
        return itertools.chain(terms(position), shown(position, self.patterns))


def final_value(position: OthelloPosition) -> int:
    """The disc difference for the side to move."""
    return DISC * (position.own.bit_count() - position.other.bit_count())


# Squares ------------------------------------------------------------------------------------------


def squares(position: OthelloPosition, names: Iterable[str]) -> Iterator[Count]:
    """How many discs more of the side to move stand on the squares like each of those named."""
    for name in names:
        alike = squares_like(name)
        yield name, 0, _difference(position.own & alike, position.other & alike)


@cache
def squares_like(name: str) -> int:
    """All squares that a symmetry of the board makes of the square of that name."""
    square = square_named(name)
    return sum(1 << image for image in {symmetry[square] for symmetry in SYMMETRIES})


def square_named(name: str) -> int:
    """The square of a name such as ``d3``."""
    return 8 * (int(name[1]) - 1) + "abcdefgh".index(name[0])


def _symmetries() -> Iterator[Symmetry]:
    for turned in (False, True):
        for down in (1, -1):
            for right in (1, -1):
                image = []
                for square in SQUARES:
                    row, column = divmod(square, 8)
                    row, column = (column, row) if turned else (row, column)
                    row, column = row if down > 0 else 7 - row, column if right > 0 else 7 - column
                    image.append(8 * row + column)
                yield tuple(image)


SYMMETRIES = tuple(_symmetries())
"""The eight symmetries of the board, the identity first."""


# Terms and patterns -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pattern:
    """Squares whose discs are weighed together, at all places that symmetries bring them to.

    What a pattern shows is a number in base 3, a digit for each square, the first being the
    lowest: 0 where it is empty, 1 for a disc of the side to move, 2 for one of the opponent. The
    numbers that mirroring the pattern or exchanging the colours make of each other share one
    weight, which changes its sign with the colours; a number that both together leave alone has
    none. Weights lie in the order of the least number that shares them.
    """

    name: str
    squares: tuple[int, ...]

    def places(self) -> tuple[tuple[int, ...], ...]:
        """The squares at each place of the board."""
        return _places(self.squares)

    def sharing(self) -> tuple[tuple[int, int], ...]:
        """For every number the index of its weight and the sign, 0 where it has none."""
        return _sharing(self.squares)

    def numbers(self, position: OthelloPosition) -> Iterator[int]:
        """What the pattern shows at each of its places."""
        own, other = position.own, position.other
        for place in self.places():
            number = 0
            for square in reversed(place):
                number = 3 * number + (own >> square & 1) + 2 * (other >> square & 1)
            yield number


@cache
def _places(squares: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    places: dict[frozenset[int], tuple[int, ...]] = {}
    for symmetry in SYMMETRIES:
        place = tuple(symmetry[square] for square in squares)
        places.setdefault(frozenset(place), place)
    return tuple(places.values())


@cache
def _sharing(squares: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    powers = [3**place for place in range(len(squares))]
    orders = _orders(squares)
    found: list[tuple[int, int] | None] = [None] * 3 ** len(squares)
    index = 0
    for number in range(len(found)):
        if found[number] is not None:
            continue
        digits = [number // power % 3 for power in powers]
        alike = {sum(digits[k] * p for k, p in zip(order, powers, strict=True)) for order in orders}
        against = {_exchanged(one, powers) for one in alike}
        sign = 0 if alike & against else 1
        for other in against:
            found[other] = (index, -sign)
        for one in alike:
            found[one] = (index, sign)
        index += sign
    return tuple(one for one in found if one is not None)


def _orders(squares: tuple[int, ...]) -> set[tuple[int, ...]]:
    """The orders of its squares in which a pattern may be read at the same place."""
    images = [tuple(symmetry[square] for square in squares) for symmetry in SYMMETRIES]
    return {
        tuple(squares.index(square) for square in image)
        for image in images
        if set(image) == set(squares)
    }


def _exchanged(number: int, powers: Sequence[int]) -> int:
    """The number with the colours exchanged."""
    return sum((3 - number // power % 3) % 3 * power for power in powers)


def shown(position: OthelloPosition, patterns: Iterable[Pattern]) -> Iterator[Count]:
    """The weights of what patterns show, at all their places."""
    for pattern in patterns:
        sharing = pattern.sharing()
        for number in pattern.numbers(position):
            index, sign = sharing[number]
            if sign:
                yield pattern.name, index, sign


def terms(position: OthelloPosition) -> Iterator[Count]:
    """The terms that are no patterns."""
    own, other, empty = position.own, position.other, position.empty
    ours, theirs = placements(own, other), placements(other, own)
    yield "mobility", min(ours.bit_count(), MOBILITIES - 1), 1
    yield "mobility", min(theirs.bit_count(), MOBILITIES - 1), -1
    yield "potential", 0, _difference(beside(other) & empty, beside(own) & empty)
    yield "frontier", 0, _difference(own & beside(empty), other & beside(empty))
    yield "corner_moves", 0, _difference(ours & CORNERS, theirs & CORNERS)
    odd = sum((empty & quadrant).bit_count() % 2 for quadrant in QUADRANTS)
    yield "parity", odd, 1


def beside(board: int) -> int:
    """All squares that have one of ``board`` beside them, in any direction."""
    found = 0
    for step in STEPS:
        found |= step(board)
    return found


def _difference(ours: int, theirs: int) -> int:
    """How many more squares the first board has than the second."""
    return ours.bit_count() - theirs.bit_count()
