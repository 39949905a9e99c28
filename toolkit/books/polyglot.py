"""Polyglot books: a sorted table of positions, by hash, with weighted moves.

Such a book has no lines. Ours are the paths from the start of chess along its moves. The format:
http://hgm.nubati.net/book_format.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import chess
import chess.polyglot
import numpy as np

DEFAULT_PLIES = 8
"""Greatest length of a line unless another one is requested."""
MAX_LINES = 100_000
"""Lines of a book; more take too long to find."""
_PROMOTIONS = ("", "n", "b", "r", "q", "?", "?", "?")
_ENTRY = np.dtype([("key", ">u8"), ("move", ">u2"), ("weight", ">u2"), ("learn", ">u4")])


class NoPolyglotBook(Exception):
    """The bytes are no Polyglot book that can be played; the text says why."""


class BookPath(NamedTuple):
    """A path from the start of chess along moves of a book."""

    board: chess.Board
    """Its end, with the moves on the stack."""
    illegal: str | None = None
    """A move that the book has there and that is illegal; the path is then no line."""


def polyglot_paths(data: bytes, plies: int) -> Iterator[BookPath]:
    """The paths of a book with at most ``plies`` plies, each as long as the book goes on; of paths
    that lead to one position only the first, because equal starts repeat games.

    At each position, the moves of greater weight come first, and those of equal weight in the order
    of their names. Moves of weight 0 are deleted ones. Raises NoPolyglotBook, also for more than
    :data:`MAX_LINES` lines.
    """
    paths = _Paths(_table(data), plies)
    for number, path in enumerate(paths.beyond(chess.Board())):
        if number == MAX_LINES:
            raise NoPolyglotBook(
                f"it has more than {MAX_LINES} lines of up to {plies} plies: choose fewer with "
                "plies=N"
            )
        yield path


def _table(data: bytes) -> np.ndarray:
    """The entries of a book. Raises NoPolyglotBook for what has not the form of one."""
    if not data:
        raise NoPolyglotBook("it is empty")
    if len(data) % _ENTRY.itemsize:
        raise NoPolyglotBook(
            f"its size, {len(data)} bytes, is not a multiple of {_ENTRY.itemsize}: cut off?"
        )
    table = np.frombuffer(data, dtype=_ENTRY)
    keys = table["key"]
    if (keys[1:] < keys[:-1]).any():
        raise NoPolyglotBook("its entries are not sorted")
    return table


class _Paths:
    """Finds the paths of one book."""

    def __init__(self, table: np.ndarray, plies: int) -> None:
        self._table = table
        self._keys = table["key"].astype(np.uint64)
        self._plies = plies
        self._begun: set[tuple[int, int]] = set()
        """Positions that were gone on from, by hash, with their ply."""
        self._ends: set[int] = set()

    def beyond(self, board: chess.Board) -> Iterator[BookPath]:
        """The paths that begin as ``board``, depth first."""
        key = chess.polyglot.zobrist_hash(board)
        if (key, board.ply()) in self._begun:
            return
        self._begun.add((key, board.ply()))
        moves = [] if board.ply() == self._plies else self._moves(key)
        if not moves and not board.ply():
            raise NoPolyglotBook("it has no move for the start of chess")
        if not moves and key not in self._ends:
            self._ends.add(key)
            yield BookPath(board.copy())
        for uci in moves:
            try:
                move = board.parse_uci(uci)  # also castling as the king taking its rook
            except ValueError:
                yield BookPath(board.copy(), illegal=uci)
                continue
            board.push(move)
            yield from self.beyond(board)
            board.pop()

    def _moves(self, key: int) -> list[str]:
        """The moves of a position, the heaviest first, each once."""
        weights: dict[str, int] = {}
        first, last = (
            int(np.searchsorted(self._keys, np.uint64(key), side)) for side in ("left", "right")
        )
        for entry in self._table[first:last]:
            if entry["weight"] > 0:
                uci = _uci(int(entry["move"]))
                weights[uci] = max(weights.get(uci, 0), int(entry["weight"]))
        return sorted(weights, key=lambda uci: (-weights[uci], uci))


def _uci(code: int) -> str:
    """A move as the book has it: six bits for each square, three for a promotion."""
    squares = chess.SQUARE_NAMES[code >> 6 & 63] + chess.SQUARE_NAMES[code & 63]
    return squares + _PROMOTIONS[code >> 12 & 7]
