"""What the searches of a game found, in few bytes.

Version 1: one byte that says whether the rest is compressed (0 no, 1 zlib), then five columns in
the order of :class:`PlySearch`, each with one number a ply as a variable-length integer (seven bits
a byte, low bits first, the top bit set on all bytes but the last; values zigzag). The number of
plies is kept with the game.

Version 2, for games with other engines, which may leave anything out: the same with each number
(zigzag for values) greater by one; 0 means that it is not known.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from collections.abc import Iterable, Sequence

from msgspec import Struct

from db.records.openings import STANDARD_MOVES, OpeningRecord
from engines.moves import decode_move, encode_move
from engines.rules.board import Rules
from engines.rules.catalog import rules_of_moves
from engines.spec import GameSearches

SEARCH_VERSION = 1
FOUND_VERSION = 2
"""The version of search data in which anything may be missing: games with other engines."""
NO_SEARCHES = 0
"""The version of search data without any data on the searches."""

_PLAIN, _ZLIB = 0, 1
_COLUMNS = 5
_WINDOW_BITS = 12
_MEMORY_LEVEL = 5


class PlySearch(Struct, frozen=True):
    """The search of one ply."""

    value: int
    """Centipawns from the view of the side that moved."""
    depth: int
    nodes: int
    passes: int
    time_us: int


class FoundSearch(Struct, frozen=True):
    """The known data of the search of one ply: as :class:`PlySearch`, with None for unknown."""

    value: int | None = None
    depth: int | None = None
    nodes: int | None = None
    passes: int | None = None
    time_us: int | None = None


NOTHING_FOUND = FoundSearch()


def encode_moves(codes: Iterable[int]) -> bytes:
    """Two bytes a ply, little endian: the codes of the game (:mod:`engines.rules`)."""
    packed = array("H", codes)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def decode_moves(data: bytes, version: int = STANDARD_MOVES) -> list[int]:
    """The inverse of :func:`encode_moves`. Raises ValueError for another version or torn data."""
    rules_of_moves(version)
    if len(data) % 2:
        raise ValueError(f"moves of version {version} in {len(data)} bytes cannot be read")
    return [data[i] | data[i + 1] << 8 for i in range(0, len(data), 2)]


def line_moves(opening: OpeningRecord, rules: Rules) -> list[int]:
    """The moves of a book's line with the codes of a game's rules: the line may have been read as
    standard chess, whose castling has other codes in games of Chess960."""
    codes = decode_moves(opening.moves)
    if not rules.chess960:
        return codes
    import chess

    board = chess.Board(opening.start_fen, chess960=True)
    found = []
    for code in codes:
        move = board.parse_uci(decode_move(code))
        found.append(encode_move(move.uci()))
        board.push(move)
    return found


def encode_searches(searches: GameSearches) -> tuple[int, bytes]:
    """The version and the columns of these searches, their moves aside."""
    columns = _columns(searches)
    known = [[number for number in column if number is not None] for column in columns]
    if all(len(column) == len(searches) for column in known):
        return SEARCH_VERSION, _packed(known)
    return FOUND_VERSION, _packed_with_gaps(columns)


def encode_found(searches: Sequence[FoundSearch]) -> tuple[int, bytes]:
    """The version and the columns of the known data of these searches."""
    if all(search == NOTHING_FOUND for search in searches):
        return NO_SEARCHES, b""
    known = [
        [None if search.value is None else _zigzag(search.value) for search in searches],
        [search.depth for search in searches],
        [search.nodes for search in searches],
        [search.passes for search in searches],
        [search.time_us for search in searches],
    ]
    return FOUND_VERSION, _packed_with_gaps(known)


def _columns(searches: GameSearches) -> list[Sequence[int | None]]:
    values = [None if value is None else _zigzag(value) for value in searches.values]
    return [values, searches.depths, searches.nodes, searches.passes, searches.time_us]


def _packed_with_gaps(columns: Iterable[Sequence[int | None]]) -> bytes:
    """The columns of version 2."""
    return _packed([[0 if n is None else n + 1 for n in column] for column in columns])


def decode_searches(data: bytes, plies: int, version: int = SEARCH_VERSION) -> list[PlySearch]:
    """The inverse of :func:`encode_searches`.

    Raises ValueError for another version, torn data, or another number of plies.
    """
    if version != SEARCH_VERSION:
        raise ValueError(f"search data of version {version} cannot be read")
    values, *others = _unpacked(data, plies)
    return [PlySearch(*row) for row in zip(map(_signed, values), *others, strict=True)]


def decode_found(data: bytes, plies: int, version: int) -> list[FoundSearch]:
    """The known data of the searches of a game for any version, one entry per ply.

    Raises ValueError for an unknown version, truncated data, or another number of plies.
    """
    if version == NO_SEARCHES:
        return [NOTHING_FOUND] * plies
    if version == SEARCH_VERSION:
        rows = decode_searches(data, plies)
        return [FoundSearch(s.value, s.depth, s.nodes, s.passes, s.time_us) for s in rows]
    if version != FOUND_VERSION:
        raise ValueError(f"search data of version {version} cannot be read")
    columns = [
        [None if number == 0 else number - 1 for number in column]
        for column in _unpacked(data, plies)
    ]
    values = [None if number is None else _signed(number) for number in columns[0]]
    return [FoundSearch(*row) for row in zip(values, *columns[1:], strict=True)]


def side_nodes(searches: Iterable[FoundSearch | PlySearch]) -> int:
    """Nodes of one side's searches together; 0 if those of any are not known."""
    return sum_known([search.nodes for search in searches])


def sum_known(counts: Sequence[int | None]) -> int:
    """The sum of these counts; 0 if one of them is not known."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else 0


def _zigzag(value: int) -> int:
    return 2 * value if value >= 0 else -2 * value - 1


def _signed(number: int) -> int:
    return (number >> 1) ^ -(number & 1)


def _packed(columns: Iterable[Sequence[int]]) -> bytes:
    out = bytearray()
    for column in columns:
        _append(out, column)
    # A game is small: with a window for more, most of the time would go into clearing it.
    compressor = zlib.compressobj(6, zlib.DEFLATED, _WINDOW_BITS, _MEMORY_LEVEL)
    packed = compressor.compress(out) + compressor.flush()
    if len(packed) < len(out):
        return bytes((_ZLIB,)) + packed
    return bytes((_PLAIN,)) + bytes(out)


def _unpacked(data: bytes, plies: int) -> list[list[int]]:
    """The columns."""
    if not data or data[0] not in (_PLAIN, _ZLIB):
        raise ValueError("search data cannot be read")
    try:
        numbers = _numbers(data[1:] if data[0] == _PLAIN else zlib.decompress(data[1:]))
    except zlib.error as error:
        raise ValueError(f"search data is damaged: {error}") from error
    if len(numbers) != _COLUMNS * plies:
        raise ValueError(f"search data has {len(numbers)} numbers for {plies} plies")
    return [numbers[i * plies : (i + 1) * plies] for i in range(_COLUMNS)]


def _append(out: bytearray, numbers: Sequence[int]) -> None:
    if max(numbers, default=0) < 128:
        out += bytes(numbers)
        return
    append = out.append
    for number in numbers:
        while number > 127:
            append(number & 127 | 128)
            number >>= 7
        append(number)


def _numbers(data: bytes) -> list[int]:
    numbers = []
    number = shift = 0
    for byte in data:
        number |= (byte & 127) << shift
        if byte & 128:
            shift += 7
        else:
            numbers.append(number)
            number = shift = 0
    if shift:
        raise ValueError("search data ends within a number")
    return numbers
