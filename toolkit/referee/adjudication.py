"""Ending games early: maximum length, agreed draws, resignations.

Values are centipawns as the searches report them, from the view of the side that moved.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from engines.rules.board import Board
from engines.rules.catalog import rules_of
from toolkit.base.errors import UsageError
from toolkit.base.format import count_of
from toolkit.base.ranges import check_whole
from toolkit.referee.outcome import EndReason, GameOutcome, draw_by, win_for
from toolkit.referee.tablebases import TablebaseRule

MAX_PLIES = 12_000
"""No game can be longer: the fifty-move rule ends every one before."""
_MAX_CP = 32_000
_RULE = re.compile(r"(\d{1,9})@(\d{1,9})(?:cp)?(?::(\w+))?")


class DrawRule(Struct, frozen=True):
    """A draw when each of the last ``plies`` plies was valued within ±``cp``, from the end of move
    ``from_move`` of the game on, as the opening position counts its moves."""

    plies: int = 8
    cp: int = 8
    from_move: int = 40

    def __post_init__(self) -> None:
        check_whole("plies of the draw rule", self.plies, 1, MAX_PLIES)
        check_whole("centipawns of the draw rule", self.cp, 0, _MAX_CP)
        check_whole("first move of the draw rule", self.from_move, 0, MAX_PLIES)

    def __str__(self) -> str:
        return f"{self.plies}@{self.cp}cp:{self.from_move}"


class ResignRule(Struct, frozen=True):
    """A loss for the side that is at least ``cp`` behind.

    ``agreement="both"``: the values of the last ``plies`` plies of both sides agree on this.
    ``"one"``: the values of the losing side's last ``plies`` moves show this.
    """

    plies: int = 4
    cp: int = 600
    agreement: Literal["both", "one"] = "both"

    def __post_init__(self) -> None:
        check_whole("plies of the resign rule", self.plies, 1, MAX_PLIES)
        check_whole("centipawns of the resign rule", self.cp, 1, _MAX_CP)
        if self.agreement not in ("both", "one"):
            raise UsageError(f"resign rule: `{self.agreement}` is not `both` or `one`")

    def __str__(self) -> str:
        return f"{self.plies}@{self.cp}cp:{self.agreement}"


class Adjudication(Struct, frozen=True):
    """Which rules hold in an event; ``None`` switches one off."""

    max_plies: int | None = 400
    draw: DrawRule | None = DrawRule()
    resign: ResignRule | None = ResignRule()
    tablebases: TablebaseRule | None = None

    def __post_init__(self) -> None:
        if self.max_plies is not None:
            check_whole("maximum length in plies", self.max_plies, 1, MAX_PLIES)

    def __str__(self) -> str:
        length = "off" if self.max_plies is None else count_of(self.max_plies, "ply", "plies")
        text = f"draw {self.draw or 'off'}, resign {self.resign or 'off'}, length {length}"
        return text if self.tablebases is None else f"{self.tablebases}, {text}"


def usual_adjudication(game: str) -> Adjudication:
    """The rules of events of a game that say nothing else."""
    means = rules_of(game).adjudicable
    return Adjudication(
        draw=None if means.draw_cp is None else DrawRule(cp=means.draw_cp),
        resign=None if means.resign_cp is None else ResignRule(cp=means.resign_cp),
    )


def parse_draw_rule(text: str) -> DrawRule | None:
    """A draw rule from ``PLIES@CP`` or ``PLIES@CP:FROM_MOVE``; None from ``off``.

    Raises UsageError.
    """
    if text == "off":
        return None
    match = _RULE.fullmatch(text.strip())
    if match is None or not (match[3] or "0").isdecimal():
        raise UsageError(
            f"draw rule `{text}`: expected PLIES@CENTIPAWNS[:FROM_MOVE] or off, as in `8@8:40`"
        )
    start = DrawRule().from_move if match[3] is None else int(match[3])
    return DrawRule(int(match[1]), int(match[2]), start)


def parse_resign_rule(text: str) -> ResignRule | None:
    """A resign rule from ``PLIES@CP`` or ``PLIES@CP:both|one``; None from ``off``.

    Raises UsageError.
    """
    if text == "off":
        return None
    match = _RULE.fullmatch(text.strip())
    if match is None or match[3] not in (None, "both", "one"):
        raise UsageError(
            f"resign rule `{text}`: expected PLIES@CENTIPAWNS[:both|one] or off, as in `4@600:both`"
        )
    agreement: Literal["both", "one"] = "one" if match[3] == "one" else "both"
    return ResignRule(int(match[1]), int(match[2]), agreement)


class Adjudicator:
    """Follows one game. Feed it every ply in order."""

    __slots__ = (
        *("_draw", "_draw_from", "_drawn", "_losing", "_max_plies", "_plies", "_resign"),
        "_winning",
    )

    def __init__(self, rules: Adjudication, start: Board | None = None) -> None:
        """``start``: where the game begins; None: at its first move."""
        self._max_plies = rules.max_plies
        self._draw_from = 0
        if rules.draw is not None:
            self._draw_from = 2 * rules.draw.from_move
            if start is not None:
                self._draw_from -= 2 * (start.number() - 1) + (not start.begins_number())
        self._draw = rules.draw
        self._resign = rules.resign
        self._plies = 0
        self._drawn = 0
        # Runs of plies that say White, Black is lost. With agreement="one" only the plies of the
        # side itself count; [False] is Black's entry, [True] White's.
        self._losing = [0, 0]
        self._winning = [0, 0]

    def judge(self, white: bool, value: int | None) -> GameOutcome | None:
        """The verdict after a ply by White (``white`` true) or Black, with its search value. An
        unknown value speaks for no verdict."""
        self._plies += 1
        resign = self._resign
        if resign is not None:
            if value is None or -resign.cp < value < resign.cp:
                # Most plies of most games. Every verdict needs the ply of the side that moved.
                self._losing[white] = self._winning[white] = 0
            elif (loser := self._resigning(resign, white, value)) is not None:
                return win_for(not loser, EndReason.RESIGN_ADJUDICATION)
        if self._draw is not None:
            level = value is not None and abs(value) <= self._draw.cp
            self._drawn = self._drawn + 1 if level else 0
            if self._drawn >= self._draw.plies and self._plies >= self._draw_from:
                return draw_by(EndReason.DRAW_ADJUDICATION)
        if self._max_plies is not None and self._plies >= self._max_plies:
            return draw_by(EndReason.MAX_LENGTH)
        return None

    def _resigning(self, rule: ResignRule, white: bool, value: int) -> bool | None:
        """Whether White (True) or Black (False) has to resign; None for neither."""
        losing, winning = self._losing, self._winning
        losing[white] = losing[white] + 1 if value <= -rule.cp else 0
        if rule.agreement == "one":
            return white if losing[white] >= rule.plies else None
        winning[white] = winning[white] + 1 if value >= rule.cp else 0
        # The plies alternate, so the last n of them hold n/2 of each side, the odd one the mover's.
        mover, other = (rule.plies + 1) // 2, rule.plies // 2
        if losing[white] >= mover and winning[not white] >= other:
            return white
        if winning[white] >= mover and losing[not white] >= other:
            return not white
        return None
