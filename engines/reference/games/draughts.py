"""What a reference search of draughts needs besides the rules: evaluations, and how to order moves.

The numbers stand in ``engines/data/draughts.json``; the native core counts the same features with
bitboards (``engines/core/games/draughts/evaluation``) and returns the same values.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from engines.reference.evaluation.tapered import LIMIT
from engines.rules.draughts import EMPTY, JUMPS, STEPS, DraughtsPosition
from engines.spec import MATE

STAGES = ("opening", "middle", "ending")
"""The stages of a game, as the data file calls them."""
WHOLE = 24
"""The shares of the stages add up to this."""

_UP = ((-1, -1), (-1, 1))
_CENTRE = frozenset(number - 1 for number in (10, 11, 14, 15, 18, 19, 22, 23))
_DOUBLE_CORNERS = frozenset(number - 1 for number in (1, 5, 28, 32))

Feature = tuple[str, int]
"""A table of the data file, and the place in it."""


class Draughts:
    """Evaluation and ordering of draughts for a reference search."""

    reversible_limit: int | None = 80
    """Forty moves of each side."""

    def __init__(self, evaluation: str) -> None:
        """Take the numbers of ``pst`` or ``full`` from the data file."""
        self._weights = load_weights(evaluation)

    def value(self, position: DraughtsPosition) -> int:
        """Value for the side to move, clamped, before swing and grain.

        The division truncates toward zero, so that both sides see the same size.
        """
        shares = stage_shares(pieces(position))
        total = 0
        for feature, count in trace(position, terms=self._weights.has_terms).items():
            weights = self._weights.of[feature]
            total += count * sum(s * w for s, w in zip(shares, weights, strict=True))
        size = abs(total) // WHOLE
        return max(-LIMIT, min(LIMIT, size if total >= 0 else -size))

    def is_forced(self, position: DraughtsPosition) -> bool:
        """Whether the side to move has to capture, or has lost."""
        return position.must_capture() or not position.moves()

    def captures(self, position: DraughtsPosition) -> Sequence[int]:
        """None: where nothing is forced there is nothing to capture."""
        return ()

    def promise(self, position: DraughtsPosition, move: int) -> int:
        """How early to try a move: by what it takes, a king counting two men; 0 for a step."""
        taken = position.taken(move)
        return len(taken) + sum(piece.isupper() for piece in taken)

    def terminal_value(self, position: DraughtsPosition) -> int:
        """A side without a move has lost."""
        return -MATE


@dataclass(frozen=True, slots=True)
class Weights:
    """The numbers of one evaluation."""

    of: Mapping[Feature, tuple[int, ...]]
    """By feature, a weight for each stage."""
    has_terms: bool
    """Whether more than squares counts."""


@cache
def load_weights(evaluation: str) -> Weights:
    """The weights of ``pst`` or ``full`` in the package's data file."""
    text = (resources.files("engines") / "data" / "draughts.json").read_text(encoding="utf-8")
    return read_weights(json.loads(text)[evaluation])


def read_weights(data: Mapping[str, Any]) -> Weights:
    """The weights of one evaluation of a data file."""
    tables = {name: data[name] for name in ("man", "king")} | data.get("terms", {})
    weights = {
        (name, place): numbers
        for name, table in tables.items()
        for place, numbers in enumerate(zip(*(table[stage] for stage in STAGES), strict=True))
    }
    return Weights(weights, "terms" in data)


def pieces(position: DraughtsPosition) -> int:
    """How many men and kings are on the board."""
    return len(position.board) - position.board.count(EMPTY)


def stage_shares(count: int) -> tuple[int, int, int]:
    """The shares of the stages with so many pieces on the board: the opening's falls from 24 pieces
    to 12, the ending's rises from there to 4."""
    count = max(count, 4)
    if count >= 12:
        opening = 2 * (count - 12)
        return opening, WHOLE - opening, 0
    middle = 3 * (count - 4)
    return 0, middle, WHOLE - middle


def trace(position: DraughtsPosition, *, terms: bool) -> Counter[Feature]:
    """How often each feature counts for the side to move, less how often for the other; without
    ``terms`` the squares only. A value is the sum of the weights so often."""
    sides = [
        Camp.of(position, white) for white in (position.white_to_move, not position.white_to_move)
    ]
    counts: Counter[Feature] = Counter()
    for camp, sign in zip(sides, (1, -1), strict=True):
        for feature, count in _squares(camp):
            counts[feature] += sign * count
        for feature, count in _terms(camp) if terms else ():
            counts[feature] += sign * count
    for feature, count in _turn(sides[0]) if terms else ():
        counts[feature] += count
    return counts


@dataclass(frozen=True, slots=True)
class Camp:
    """The board as one side sees it, turned so that its men go up."""

    men: frozenset[int]
    kings: frozenset[int]
    enemy_men: frozenset[int]
    enemy_kings: frozenset[int]

    @classmethod
    def of(cls, position: DraughtsPosition, white: bool) -> Camp:
        """The view of a side."""
        board = position.board if white else position.board[::-1]
        sets = (
            frozenset(square for square, piece in enumerate(board) if piece == kind)
            for kind in ("wWbB" if white else "bBwW")
        )
        return cls(*sets)

    @property
    def own(self) -> frozenset[int]:
        """Own men and kings."""
        return self.men | self.kings

    @property
    def enemies(self) -> frozenset[int]:
        """Men and kings of the enemy."""
        return self.enemy_men | self.enemy_kings

    def is_empty(self, square: int | None) -> bool:
        """Whether there is such a square, and nothing stands on it."""
        return square is not None and square not in self.own and square not in self.enemies


def _squares(camp: Camp) -> Iterator[tuple[Feature, int]]:
    yield from ((("man", square), 1) for square in camp.men)
    yield from ((("king", square), 1) for square in camp.kings)


def _terms(camp: Camp) -> Iterator[tuple[Feature, int]]:
    """All terms but those of the turn, for one side; ``weights.rs`` says what they mean."""
    own, ways = camp.own, [(square, step) for square in camp.men for step in _UP]
    yield ("back_rank", sum(1 << square - 28 for square in camp.men if square >= 28)), 1
    yield ("centre", len(own & _CENTRE)), 1
    left = sum(square % 4 < 2 for square in own)
    yield ("tilt", min(abs(2 * left - len(own)), 6)), 1
    behind = (STEPS[square].get((1, right)) for square in camp.men for right in (-1, 1))
    yield ("backed", 0), sum(square in own for square in behind)
    steps = [(square, step) for square, step in ways if camp.is_empty(STEPS[square].get(step))]
    yield ("steps", 0), len(steps)
    yield ("safe_steps", 0), sum(not _is_taken(camp, *step) for step in steps)
    yield ("stuck_men", 0), len(camp.men - {square for square, _ in steps})
    for square in camp.men:
        if not _way_up(square) & camp.enemies:
            yield ("runaway", square // 4 - 1), 1
    yield ("threats", min(sum(_can_jump(camp, square) for square in own), 3)), 1
    if camp.kings:
        free = [sum(map(camp.is_empty, STEPS[king].values())) for king in camp.kings]
        yield ("king_steps", 0), sum(free)
        yield ("stuck_kings", 0), free.count(0)
        yield ("sole_kings", 0), int(not camp.enemy_kings)
    lead = len(own) - len(camp.enemies)
    if lead > 0:
        yield ("ahead", min(lead, 4) - 1), 1
        yield ("far_kings", 0), sum(_distance(king, camp.enemies) for king in camp.kings)
    elif lead < 0:
        yield ("refuge", 0), len(camp.kings & _DOUBLE_CORNERS)


def _turn(camp: Camp) -> Iterator[tuple[Feature, int]]:
    """What the side to move has besides."""
    yield ("turn", 0), 1
    if len(camp.own) == len(camp.enemies):
        system = sum(square // 4 % 2 for square in camp.own | camp.enemies)
        yield ("opposition", 0), 1 if system % 2 else -1


def _is_taken(camp: Camp, square: int, step: tuple[int, int]) -> bool:
    """Whether the enemy could take a man that steps there, by pieces beside it."""
    there, right = STEPS[square][step], step[1]
    around = STEPS[there].get
    in_front, beside, behind = around((-1, right)), around((-1, -right)), around((1, right))
    return (
        in_front in camp.enemies
        or (beside in camp.enemies and camp.is_empty(behind))
        or (behind in camp.enemy_kings and camp.is_empty(beside))
    )


def _can_jump(camp: Camp, square: int) -> bool:
    directions = STEPS[square] if square in camp.kings else _UP
    return any(
        STEPS[square].get(direction) in camp.enemies and camp.is_empty(JUMPS[square].get(direction))
        for direction in directions
    )


@cache
def _way_up(square: int) -> frozenset[int]:
    """The squares that a man may reach by going up."""
    steps = [STEPS[square][step] for step in _UP if step in STEPS[square]]
    return frozenset(steps).union(*map(_way_up, steps))


def _distance(king: int, enemies: frozenset[int]) -> int:
    """Diagonal steps to the nearest enemy, whatever stands between; 0 without enemies."""
    return min((_steps_between(king, enemy) for enemy in enemies), default=0)


@cache
def _steps_between(start: int, end: int) -> int:
    reached, steps = {start}, 0
    while end not in reached:
        reached |= {there for square in reached for there in STEPS[square].values()}
        steps += 1
    return steps
