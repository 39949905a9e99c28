"""What a reference search of Othello needs besides the rules: evaluations, and how to order moves.

The numbers stand in ``engines/data/othello.json``; the native core counts the same on bitboards
(``engines/core/games/othello/evaluation``) and returns the same values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from engines.games.othello import SQUARES, STEPS, OthelloPosition, placements
from engines.reference.game import truncated

DISC = 100
"""What one disc of the final difference is worth."""
BOUND = 64 * DISC
"""No final difference is greater."""
_CORNERS = (0, 7, 56, 63)
_QUADRANTS = [
    sum(1 << (8 * (row + r) + column + c) for r in range(4) for c in range(4))
    for row in (0, 4)
    for column in (0, 4)
]
_EMPTIES, _PHASE = 60, 24

Score = tuple[int, int]
"""A number at the two knots between which the number of discs lies."""


class Othello:
    """Evaluation, phase and ordering of Othello for a reference search."""

    reversible_limit: int | None = None
    """No position comes twice."""

    def __init__(self, evaluation: str) -> None:
        """Take the numbers of ``pst`` or ``full`` from the data file."""
        self._score = _terms if evaluation == "full" else _squares

    def value(self, position: OthelloPosition) -> int:
        """Value for the side to move in hundredths of a disc, before swing and grain. The division
        truncates toward zero, so that both sides see the same size."""
        weights = load_weights()
        discs = 64 - position.empty.bit_count()
        interval = sum(knot <= discs for knot in weights.knots[1:-1])
        low, high = weights.knots[interval : interval + 2]
        past = min(max(discs, low), high) - low
        lower, upper = self._score(position, weights, interval)
        value = truncated(lower * (high - low - past) + upper * past, high - low)
        return max(-BOUND, min(BOUND, value))

    def phase(self, position: OthelloPosition) -> int:
        """The share of empty squares, 24 at the start."""
        return min(_PHASE, position.empty.bit_count() * _PHASE // _EMPTIES)

    def is_forced(self, position: OthelloPosition) -> bool:
        """Whether the side to move has to pass."""
        return not placements(position.own, position.other) and bool(position.moves())

    def captures(self, position: OthelloPosition) -> Sequence[int]:
        """None: every position may be valued."""
        return ()

    def promise(self, position: OthelloPosition, move: int) -> int:
        """Corners first."""
        return int(move - 1 in _CORNERS)

    def terminal_value(self, position: OthelloPosition) -> int:
        """The final disc difference; empty squares are nobody's."""
        return DISC * (position.own.bit_count() - position.other.bit_count())


@dataclass(frozen=True, slots=True)
class Weights:
    """The numbers of the data file, each a list with one for each knot."""

    knots: Sequence[int]
    """Numbers of discs."""
    squares: Mapping[int, Sequence[int]]
    """By square, for ``pst``."""
    terms: Mapping[str, Any]
    patterns: Sequence[Pattern]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern at all its places, and what its numbers are worth."""

    places: Sequence[Sequence[int]]
    """Squares, the first one being the lowest digit."""
    weights: Sequence[Sequence[int]]
    """By knot and number."""


@cache
def load_weights() -> Weights:
    """The numbers of the package's data file."""
    text = (resources.files("engines") / "data" / "othello.json").read_text(encoding="utf-8")
    data = json.loads(text)
    squares = {
        image[_square(name)]: weights for name, weights in data["pst"].items() for image in IMAGES
    }
    patterns = [_pattern(name, one) for name, one in data["patterns"].items()]
    return Weights(data["knots"], squares, data["terms"], patterns)


def _square(name: str) -> int:
    return 8 * (int(name[1]) - 1) + "abcdefgh".index(name[0])


def _images() -> list[list[int]]:
    """The eight symmetries of the board, each as the square to which every square goes."""
    turns: list[Callable[[int, int], tuple[int, int]]] = [
        lambda row, column: (row, column),
        lambda row, column: (row, 7 - column),
        lambda row, column: (7 - row, column),
        lambda row, column: (7 - row, 7 - column),
    ]
    images = []
    for turn in turns:
        for swapped in (False, True):
            places = [divmod(square, 8)[:: -1 if swapped else 1] for square in SQUARES]
            images.append([8 * row + column for row, column in (turn(*at) for at in places)])
    return images


IMAGES = _images()


def _pattern(name: str, data: Mapping[str, Any]) -> Pattern:
    squares = [_square(one) for one in data["squares"].split()]
    places: dict[frozenset[int], list[int]] = {}
    for image in IMAGES:
        place = [image[square] for square in squares]
        places.setdefault(frozenset(place), place)
    mirror = [0, 3, 6, 1, 4, 7, 2, 5, 8] if name == "corner" else list(range(len(squares)))[::-1]
    return Pattern(list(places.values()), [spread(mirror, weights) for weights in data["weights"]])


def spread(mirror: Sequence[int], weights: Sequence[int]) -> list[int]:
    """A weight for every number of a pattern, from those in the file: one for each set of numbers
    that mirroring and exchanging the colours make of one another, in the order of the least of each
    set. A number that both together leave alone has no weight. ``mirror``: the place whose digit
    comes to each place."""
    left = iter(weights)
    found: dict[int, int] = {}
    for number in range(3 ** len(mirror)):
        if number in found:
            continue
        digits = [number // 3**place % 3 for place in range(len(mirror))]
        turned = [(3 - digit) % 3 for digit in digits]
        back, both = (_number([one[at] for at in mirror]) for one in (digits, turned))
        exchanged = _number(turned)
        weight = 0 if number in (exchanged, both) else next(left)
        found |= {exchanged: -weight, both: -weight}
        found |= {number: weight, back: weight}
    return [found[number] for number in range(len(found))]


def _number(digits: Sequence[int]) -> int:
    return sum(digit * 3**place for place, digit in enumerate(digits))


def _squares(position: OthelloPosition, weights: Weights, interval: int) -> Score:
    """What the squares are worth on which discs stand."""
    found = [0, 0]
    for square in SQUARES:
        sign = (position.own >> square & 1) - (position.other >> square & 1)
        for knot in (0, 1):
            found[knot] += sign * weights.squares[square][interval + knot]
    return found[0], found[1]


def _terms(position: OthelloPosition, weights: Weights, interval: int) -> Score:
    """What the counts and the patterns of a position are worth."""
    low, high = (
        sum(_counted(position, weights.terms, knot)) + sum(_shown(position, weights.patterns, knot))
        for knot in (interval, interval + 1)
    )
    return low, high


def _counted(position: OthelloPosition, terms: Mapping[str, Any], knot: int) -> Iterator[int]:
    own, other, empty = position.own, position.other, position.empty
    ours, theirs = placements(own, other), placements(other, own)
    mobility = terms["mobility"][knot]
    most = len(mobility) - 1
    yield mobility[min(ours.bit_count(), most)] - mobility[min(theirs.bit_count(), most)]
    potential = (_beside(other) & empty).bit_count() - (_beside(own) & empty).bit_count()
    yield terms["potential"][knot] * potential
    frontier = (own & _beside(empty)).bit_count() - (other & _beside(empty)).bit_count()
    yield terms["frontier"][knot] * frontier
    corners = sum((ours >> at & 1) - (theirs >> at & 1) for at in _CORNERS)
    yield terms["corner_moves"][knot] * corners
    yield terms["parity"][knot][sum((empty & part).bit_count() % 2 for part in _QUADRANTS)]


def _shown(position: OthelloPosition, patterns: Sequence[Pattern], knot: int) -> Iterator[int]:
    for pattern in patterns:
        for place in pattern.places:
            digits = [
                (position.own >> square & 1) + 2 * (position.other >> square & 1)
                for square in place
            ]
            yield pattern.weights[knot][_number(digits)]


def _beside(board: int) -> int:
    """The squares beside those of a board that are not in it."""
    found = 0
    for step in STEPS:
        found |= step(board)
    return found & ~board
