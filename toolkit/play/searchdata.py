"""What the searches of a game found, in few bytes.

Version 1: one byte that says whether the rest is compressed (0 no, 1 zlib), then five columns in
the order of :class:`PlySearch`, each with one number a ply as a variable-length integer (seven bits
a byte, low bits first, the top bit set on all bytes but the last; values zigzag). The number of
plies is kept with the game.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engines.spec import GameSearches

MOVES_VERSION = 1
SEARCH_VERSION = 1
NO_SEARCHES = 0
"""The version of search data where nothing is known of the searches: games of other programs."""

_PLAIN, _ZLIB = 0, 1
_COLUMNS = 5
_WINDOW_BITS = 12
_MEMORY_LEVEL = 5


@dataclass(frozen=True, slots=True)
class PlySearch:
    """The search of one ply."""

    value: int
    """Centipawns from the view of the side that moved."""
    depth: int
    nodes: int
    passes: int
    time_us: int


def encode_moves(codes: Iterable[int]) -> bytes:
    """Two bytes a ply, little endian; see engines.moves."""
    packed = array("H", codes)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def decode_moves(data: bytes, version: int = MOVES_VERSION) -> list[int]:
    """The inverse of :func:`encode_moves`. Raises ValueError for another version or torn data."""
    if version != MOVES_VERSION or len(data) % 2:
        raise ValueError(f"moves of version {version} in {len(data)} bytes cannot be read")
    return [data[i] | data[i + 1] << 8 for i in range(0, len(data), 2)]


def encode_searches(searches: GameSearches) -> bytes:
    """The columns of these searches, their moves aside."""
    out = bytearray()
    _append(out, [2 * v if v >= 0 else -2 * v - 1 for v in searches.values])
    for column in (searches.depths, searches.nodes, searches.passes, searches.time_us):
        _append(out, column)
    # A game is small: with a window for more, most of the time would go into clearing it.
    compressor = zlib.compressobj(6, zlib.DEFLATED, _WINDOW_BITS, _MEMORY_LEVEL)
    packed = compressor.compress(out) + compressor.flush()
    if len(packed) < len(out):
        return bytes((_ZLIB,)) + packed
    return bytes((_PLAIN,)) + bytes(out)


def decode_searches(data: bytes, plies: int, version: int = SEARCH_VERSION) -> list[PlySearch]:
    """The inverse of :func:`encode_searches`.

    Raises ValueError for another version, torn data, or another number of plies.
    """
    if version != SEARCH_VERSION or not data or data[0] not in (_PLAIN, _ZLIB):
        raise ValueError(f"search data of version {version} cannot be read")
    try:
        numbers = _numbers(data[1:] if data[0] == _PLAIN else zlib.decompress(data[1:]))
    except zlib.error as error:
        raise ValueError(f"search data is damaged: {error}") from error
    if len(numbers) != _COLUMNS * plies:
        raise ValueError(f"search data has {len(numbers)} numbers for {plies} plies")
    values, *others = (numbers[i * plies : (i + 1) * plies] for i in range(_COLUMNS))
    signed = ((value >> 1) ^ -(value & 1) for value in values)
    return [PlySearch(*row) for row in zip(signed, *others, strict=True)]


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
