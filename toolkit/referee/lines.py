"""What external engines printed of the moves of a game, in few bytes: an array of JSON for each of
these moves (:class:`engines.spec.EngineLine`), all of them compressed by zlib.

The variations of a side overlap from move to move, so they are compressed together.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping

from msgspec import DecodeError, json
from msgspec.structs import replace

from engines.spec import EngineLine
from toolkit.base.errors import DatabaseProblem
from toolkit.base.stored import stored

NO_LINES: Mapping[int, EngineLine] = {}
"""Of a game in which nothing was printed or kept."""
_LEVEL = 9


def encode_lines(lines: Iterable[EngineLine], plies: int, *, before: int = 0) -> bytes:
    """The lines of a game of so many plies, whose engines counted the plies ``before`` it, too.
    Empty without any; a line of a move that was not played is left out."""
    own = (replace(line, ply=line.ply - before) for line in lines)
    kept = sorted((line for line in own if 0 <= line.ply < plies), key=lambda line: line.ply)
    return zlib.compress(json.encode(kept), _LEVEL) if kept else b""


def decode_lines(data: bytes) -> Mapping[int, EngineLine]:
    """The inverse, by ply. Raises DatabaseProblem for damaged data."""
    if not data:
        return NO_LINES
    try:
        rows = json.decode(zlib.decompress(data))
    except (zlib.error, DecodeError) as error:
        raise DatabaseProblem(f"lines of engines are damaged: {error}") from error
    return {line.ply: line for line in stored(list[EngineLine], rows, "lines of engines")}


def without_repeated(lines: Mapping[int, EngineLine], ply: int) -> EngineLine | None:
    """The line of a ply, without the text that the same engine printed of its move before: many
    print one that never changes."""
    line, before = lines.get(ply), lines.get(ply - 2)
    if line is None or before is None or line.string != before.string:
        return line
    return replace(line, string="")
