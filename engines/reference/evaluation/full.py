"""The evaluation ``full``: tables, terms and endgames, with a trace of what counted how often."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import chess

from engines.reference.evaluation import full_endgames, full_terms
from engines.reference.evaluation.attacks import Camp, camp_of
from engines.reference.evaluation.full_endgames import FULL_SCALE, EndgameWeights
from engines.reference.evaluation.full_terms import Count
from engines.reference.evaluation.tapered import Evaluation

Weight = tuple[int, int]
"""A middlegame and an endgame number."""

_UNITS_A_STEP = 32


@dataclass(frozen=True, slots=True)
class KingUnits:
    """What attacks on a king count, in units; 32 of them are one step in the table of dangers."""

    attacker: tuple[int, ...]
    """Each attacking knight, bishop, rook, queen, times the number of attackers."""
    attack: int
    """Each attack on a square beside the king."""
    weak: int
    """Each square of the zone that is not well defended."""
    check: tuple[int, ...]
    """A safe check by knight, bishop, rook, queen."""
    no_queen: int
    """The attacker has no queen."""


@dataclass(frozen=True, slots=True)
class Trace:
    """What a position's value is made of, from White's view.

    The value is (mg x phase x 64 + eg x (phase_max - phase) x scale) / (phase_max x 64), cut
    toward zero, plus ``drive``, where mg and eg are the sums of the tables and of ``counts`` times
    the weights.
    """

    counts: dict[tuple[str, int], int]
    """How often each weight counts for White, less how often for Black."""
    phase: int
    scale: int
    drive: int


@dataclass(frozen=True, slots=True)
class FullEvaluation(Evaluation):
    """Tapered tables, and the terms that bitboards tell at a leaf."""

    terms: Mapping[str, tuple[Weight, ...]]
    units: KingUnits
    endgame: EndgameWeights

    def white_value(self, board: chess.Board) -> int:
        """Value in centipawns for White; see :class:`Trace` for the formula."""
        middle, end, phase = self.sums(board)
        white, black = camp_of(board, chess.WHITE), camp_of(board, chess.BLACK)
        for (name, index), times in self._counts(board, white, black).items():
            weight = self.terms[name][index]
            middle += times * weight[0]
            end += times * weight[1]
        phase = min(phase, self.phase_max)
        scale = self._scale(white, black, end)
        total = middle * phase * FULL_SCALE + end * (self.phase_max - phase) * scale
        size = abs(total) // (self.phase_max * FULL_SCALE)
        return (size if total >= 0 else -size) + self._drive(white, black)

    def trace(self, board: chess.Board) -> Trace:
        """What the value of the position is made of."""
        middle, end, phase = self.sums(board)
        white, black = camp_of(board, chess.WHITE), camp_of(board, chess.BLACK)
        counts = self._counts(board, white, black)
        end += sum(n * self.terms[name][index][1] for (name, index), n in counts.items())
        return Trace(
            counts={weight: times for weight, times in counts.items() if times},
            phase=min(phase, self.phase_max),
            scale=self._scale(white, black, end),
            drive=self._drive(white, black),
        )

    def _counts(self, board: chess.Board, white: Camp, black: Camp) -> dict[tuple[str, int], int]:
        counts: dict[tuple[str, int], int] = {}
        sides = (
            (1, white, black.flipped(), board.turn == chess.WHITE),
            (-1, black, white.flipped(), board.turn == chess.BLACK),
        )
        for sign, us, them, turn in sides:
            for name, index, times in self._side(us, them, turn):
                counts[name, index] = counts.get((name, index), 0) + sign * times
        return counts

    def _side(self, us: Camp, them: Camp, turn: bool) -> Iterator[Count]:
        """All terms of one side."""
        for term in full_terms.TERMS:
            yield from term(us, them)
        yield from full_terms.unstoppable_pawns(us, them, turn)
        yield from self._king_attack(us, them)
        if turn:
            yield "tempo", 0, 1

    def _king_attack(self, us: Camp, them: Camp) -> Iterator[Count]:
        """The attack on their king: units through a table.

        One piece alone is no attack unless there is a queen.
        """
        units = self.units
        attackers = weight = danger = 0
        for kind, _, squares in us.attacks:
            if squares & them.zone:
                attackers += 1
                weight += units.attacker[kind - chess.KNIGHT]
                danger += units.attack * chess.popcount(squares & them.by[chess.KING])
        queens = us.of[chess.QUEEN]
        if attackers < (1 if queens else 2):
            return
        danger += attackers * weight
        danger += units.weak * chess.popcount(them.zone & full_terms.weak_squares(us, them))
        danger += 0 if queens else units.no_queen
        checks = full_terms.safe_checks(us, them)
        danger += sum(unit for unit, check in zip(units.check, checks, strict=True) if check)
        last = len(self.terms["king_danger"]) - 1
        yield "king_danger", min(max(danger, 0) // _UNITS_A_STEP, last), 1

    def _scale(self, white: Camp, black: Camp, end: int) -> int:
        strong, weak = (white, black) if end > 0 else (black, white)
        return full_endgames.scale(strong, weak.flipped(), self.endgame)

    def _drive(self, white: Camp, black: Camp) -> int:
        ours = full_endgames.drive(white, black.flipped(), self.endgame)
        return ours - full_endgames.drive(black, white.flipped(), self.endgame)


def full_evaluation(base: Evaluation, data: Mapping[str, Any]) -> FullEvaluation:
    """The evaluation of a data file that has ``terms``; ``base`` are its tables."""
    units, endgame = data["king_units"], data["endgame"]
    return FullEvaluation(
        tables=base.tables,
        phase=base.phase,
        phase_max=base.phase_max,
        see=base.see,
        terms={
            name: tuple(zip(weights["mg"], weights["eg"], strict=True))
            for name, weights in data["terms"].items()
        },
        units=KingUnits(
            attacker=tuple(units["attacker"]),
            attack=units["attack"],
            weak=units["weak"],
            check=tuple(units["check"]),
            no_queen=units["no_queen"],
        ),
        endgame=EndgameWeights(**{name: tuple(numbers) for name, numbers in endgame.items()}),
    )
