"""Ending games early by endgame tablebases, in Syzygy's format as python-chess reads it.

The fifty-move rule is kept. Just after a capture or a pawn move, a win in the tables is a win.
Later it is one only if the next such move on the way to it (DTZ) comes before the rule does. A win
that the rule takes away in any case is a draw.
"""

from __future__ import annotations

import hashlib
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self, get_args

from msgspec import Struct

from toolkit.base.errors import UsageError
from toolkit.base.format import count_of
from toolkit.referee.outcome import EndReason, GameOutcome, draw_by, win_for

if TYPE_CHECKING:
    import chess
    import chess.syzygy

Decides = Literal["win", "draw", "both"]
_WDL_SUFFIX = ".rtbw"
_TABLE = re.compile(r"K[QRBNP]*vK[QRBNP]*\.rtb[wz]")
_BEGINS = {_WDL_SUFFIX: b"\x71\xe8\x23\x5d", ".rtbz": b"\xd7\x66\x0c\xa5"}
_REST_OF_SIZE = (64, 16)
"""Sizes of whole tables leave 16 when divided by 64."""
_FIFTY_MOVES = 100
"""Plies."""


class TablebaseRule(Struct, frozen=True):
    """Which tables end games, and with which results."""

    path: str
    """Folders, separated as in ``PATH``."""
    decides: Decides
    pieces: int
    """Pieces, kings included, of the largest table."""
    tables: str
    """Hash of the names and sizes of all tables."""

    @classmethod
    def find(cls, path: str, decides: str = "both") -> Self:
        """The rule for the tables in these folders. Raises UsageError where there are none, or a
        damaged one."""
        kinds: dict[str, Decides] = {kind: kind for kind in get_args(Decides)}
        if decides not in kinds:
            raise UsageError(f"tablebases decide `{decides}`: expected {', '.join(kinds)}")
        folders = [Path(part).expanduser().absolute() for part in path.split(os.pathsep) if part]
        found = _tables(folders)
        names = [name for name, _ in found if name.endswith(_WDL_SUFFIX)]
        if not names:
            raise UsageError(f"no Syzygy tablebases (*{_WDL_SUFFIX}) in {path or 'an empty path'}")
        digest = hashlib.sha256(repr(found).encode()).hexdigest()[:16]
        pieces = max(len(Path(name).stem.replace("v", "")) for name in names)
        return cls(os.pathsep.join(map(str, folders)), kinds[decides], pieces, digest)

    def __str__(self) -> str:
        return f"syzygy {count_of(self.pieces, 'man', 'men')} ({self.decides})"

    def check_tables(self) -> None:
        """Raises UsageError if the tables are not those that were found first."""
        if type(self).find(self.path, self.decides) != self:
            raise UsageError(
                f"the tablebases in {self.path} are others than when this started: restore them, "
                "or start over"
            )

    def are_here(self) -> bool:
        """Whether this machine has the tables; looked up once."""
        return _are_here(self)

    def verdict(self, board: chess.Board) -> GameOutcome | None:
        """The outcome that the tables give; None where they have none, or may not decide."""
        if board.occupied.bit_count() > self.pieces or board.castling_rights:
            return None
        tables = _opened(self.path)
        wdl = tables.get_wdl(board)
        if wdl is None:
            return None
        if abs(wdl) < 2:
            decided = self.decides != "win"
            return draw_by(EndReason.TABLEBASE_ADJUDICATION) if decided else None
        if self.decides == "draw" or not _in_time(tables, board):
            return None
        return win_for(board.turn == (wdl > 0), EndReason.TABLEBASE_ADJUDICATION)


def _in_time(tables: chess.syzygy.Tablebase, board: chess.Board) -> bool:
    """Whether a win comes before the fifty-move rule. Tables round distances up by one at most."""
    if board.halfmove_clock == 0:
        return True
    dtz = tables.get_dtz(board)
    return dtz is not None and abs(dtz) + board.halfmove_clock < _FIFTY_MOVES


def _tables(folders: list[Path]) -> list[tuple[str, int]]:
    """Names and sizes of all tables, sorted. Raises UsageError for what is no folder."""
    found = []
    for folder in folders:
        try:
            entries = list(os.scandir(folder))
        except OSError as error:
            raise UsageError(f"tablebases in {folder}: {error.strerror}") from error
        found += [
            (entry.name, _checked_size(entry))
            for entry in entries
            if _TABLE.fullmatch(entry.name) and entry.is_file()
        ]
    return sorted(set(found))


def _checked_size(entry: os.DirEntry[str]) -> int:
    """The size of a table. Raises UsageError for a file that is none, or not a whole one."""
    try:
        with open(entry.path, "rb") as file:
            begins = file.read(4)
        size = entry.stat().st_size
    except OSError as error:
        raise UsageError(f"tablebase {entry.path}: {error.strerror}") from error
    divisor, rest = _REST_OF_SIZE
    if begins != _BEGINS[Path(entry.name).suffix] or size % divisor != rest:
        raise UsageError(f"{entry.path} is damaged, or no Syzygy tablebase: replace it")
    return size


@lru_cache(maxsize=64)
def _are_here(rule: TablebaseRule) -> bool:
    try:
        rule.check_tables()
    except UsageError:
        return False
    return True


@lru_cache(maxsize=4)
def _opened(path: str) -> chess.syzygy.Tablebase:
    """The tables of these folders, which stay open in this process."""
    import chess.syzygy

    tables = chess.syzygy.Tablebase()
    for folder in path.split(os.pathsep):
        tables.add_directory(folder)
    return tables
