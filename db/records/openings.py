"""Stored books and openings."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

CHESS_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
"""The start of a game without an opening or a position."""


class OpeningRecord(NamedTuple):
    """One line of a book. A tuple, since a book has thousands."""

    line: int
    """From 1, as in the source file."""
    start_fen: str
    """Where the game starts before ``moves``."""
    moves: bytes
    """Moves from ``start_fen`` to the opening position, two bytes each, little endian."""
    fen: str
    """The opening position itself."""
    label: str = ""


class OpeningLine(NamedTuple):
    """Where a stored opening stands."""

    book: str
    """Name of the book."""
    line: int


class BookRecord(Struct, frozen=True):
    """A set of openings; ``id`` is the hash of its lines in order."""

    id: str
    name: str
    source: str
    lines: int


STANDARD_MOVES = 1
"""The version of moves in which castling is the king's own move: games of standard chess."""

CHESS960_MOVES = 2
"""The version of moves in which castling is king takes rook: games of Chess960."""


class OpeningCounts(Struct, frozen=True):
    """Counted games from one line of a book."""

    book_id: str
    book: str
    line: int
    label: str
    white_wins: int
    draws: int
    black_wins: int
    pairs: int
    """Whole game pairs among them."""
    same_colour: int
    """Pairs of which White won both games, or Black did: the line decided, not the players."""
