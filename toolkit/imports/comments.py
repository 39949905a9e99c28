"""Search data in the comments of a PGN file: value, depth, nodes, passes, time.

cutechess, fastchess and our own files have ``+0.35/12 1.2s`` after a move, from the point of view
of the side that moved; fastchess can add ``n=51234``, ours also have ``p=4``, the passes; a mate is
``-M4``, counted in plies. lichess, chess.com and our older files have commands: ``[%eval 0.35,12]``
or ``[%eval #-3]`` from White's point of view, with a mate counted in moves; ``[%emt 0:00:01.5]``,
the time of the move; and ``[%clk 0:09:58]``, the clock after it. Data missing from a comment is
unknown, not zero.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from engines.spec import MATE, MATE_BOUND
from toolkit.games.searchdata import NOTHING_FOUND, FoundSearch

_SEARCH = re.compile(
    r"(?:(?P<value>[+-]?(?:M\d{1,4}|\d{1,6}(?:\.\d{1,6})?)|ERR)?/(?P<depth>\d{1,4})\s+)?"
    r"(?P<seconds>\d{1,9}(?:\.\d{1,9})?)\s?s(?=,|\s|\Z)"
)
_TIMELESS = re.compile(r"(?P<value>[+-]?\d{1,6}\.\d\d|[+-]M\d{1,4})?/(?P<depth>\d{1,4})(?=,|\Z)")
"""As our own files have it where the time is unknown; other fractions are not a value and a
depth."""
_FIELD = re.compile(r",\s*([np])=(\d{1,18})(?=,|\s|\Z)")
_QUOTED = re.compile(r'"[^"]*"')
"""A line of play, or one of the engine's, in which anything may stand."""
_COMMAND = re.compile(r"\[%(eval|emt|clk|nodes|passes)\s+([^\]\s]{1,40})\s*\]")
_EVAL = re.compile(r"([+-]?\d{1,6}(?:\.\d{1,6})?|#[+-]?\d{1,4})(?:,(\d{1,4}))?")
_CLOCK = re.compile(r"(\d{1,6}):(\d{1,2}):(\d{1,2}(?:\.\d{1,9})?)")
_COUNT = re.compile(r"\d{1,18}")
_MOST = 10**12
"""Nodes, passes or microseconds of one search. A greater number is not a valid count, and sums of
such numbers would not fit the database."""
_CONTROL = re.compile(r"\d{1,9}(?:\.\d{1,3})?(?:\+(\d{1,6}(?:\.\d{1,3})?))?")


def found_searches(
    comments: Sequence[str], tags: Mapping[str, str], *, white_first: bool
) -> list[FoundSearch]:
    """What is known of each ply's search, from the comments on it, joined by blanks."""
    if not any(comments):
        return [NOTHING_FOUND] * len(comments)
    control = _CONTROL.fullmatch(tags.get("TimeControl", ""))
    increment = None if control is None else float(control[1] or 0)
    clocks: dict[bool, float] = {}
    found = []
    white = white_first
    for comment in comments:
        commands = dict(_COMMAND.findall(comment)) if "[%" in comment else {}
        search = _commanded(commands, white) if commands else _written(comment)
        clock = _seconds(commands.get("clk"))
        if search.time_us is None and clock is not None and increment is not None:
            search = _timed(search, clocks.get(white), clock, increment)
        if clock is not None:
            clocks[white] = clock
        found.append(_plausible(search))
        white = not white
    return found


def _plausible(search: FoundSearch) -> FoundSearch:
    """The search without counts that are too great to be any."""
    counts = {"nodes": search.nodes, "passes": search.passes, "time_us": search.time_us}
    wrong = {name: None for name, count in counts.items() if count is not None and count > _MOST}
    return replace(search, **wrong) if wrong else search


def _written(comment: str) -> FoundSearch:
    """What cutechess and fastchess write, and we."""
    match = _SEARCH.match(comment) or _TIMELESS.match(comment)
    if match is None:
        return NOTHING_FOUND
    found = match.groupdict()
    counts = dict(_FIELD.findall(_QUOTED.sub("", comment[match.end() :])))
    seconds, depth = found.get("seconds"), int(found["depth"] or 0)
    return FoundSearch(
        value=_value(found["value"]),
        # Both programs write 0 where the engine gave none; `ERR` is no result of a search.
        depth=None if depth == 0 or found["value"] == "ERR" else depth,
        nodes=_count(counts.get("n")),
        passes=_count(counts.get("p")),
        time_us=None if seconds is None else round(1e6 * float(seconds)),
    )


def _value(text: str | None) -> int | None:
    """Centipawns of a value such as ``+0.35`` or ``-M4``."""
    if text is None or text == "ERR":
        return None
    if "M" not in text:
        return _centipawns(float(text))
    value = _mate_in(int(text.lstrip("+-M")))
    return -value if text.startswith("-") else value


def _mate_in(plies: int) -> int:
    return max(MATE - plies, MATE_BOUND)


def _centipawns(pawns: float) -> int:
    """Values beyond those of a mate are the greatest that are none."""
    return max(1 - MATE_BOUND, min(round(100 * pawns), MATE_BOUND - 1))


def _commanded(commands: Mapping[str, str], white: bool) -> FoundSearch:
    """The search data in the commands of one comment."""
    evaluation = _EVAL.fullmatch(commands.get("eval", ""))
    value = depth = None
    if evaluation is not None:
        value = _evaluated(evaluation[1], white)
        depth = int(evaluation[2]) if evaluation[2] else None
    seconds = _seconds(commands.get("emt"))
    return FoundSearch(
        value=value,
        depth=depth,
        nodes=_count(commands.get("nodes")),
        passes=_count(commands.get("passes")),
        time_us=None if seconds is None else round(1e6 * seconds),
    )


def _evaluated(text: str, white: bool) -> int:
    """A value from White's point of view as centipawns for the side that moved. Mating in n moves
    takes 2n - 1 plies, being mated 2n."""
    sign = 1 if white else -1
    if not text.startswith("#"):
        return sign * _centipawns(float(text))
    moves = int(text[1:])
    if moves == 0:  # the move was mate
        return MATE - 1
    wins = (moves > 0) == white
    return _mate_in(2 * abs(moves) - 1) if wins else -_mate_in(2 * abs(moves))


def _count(text: str | None) -> int | None:
    return int(text) if text is not None and _COUNT.fullmatch(text) else None


def _seconds(text: str | None) -> float | None:
    match = _CLOCK.fullmatch(text or "")
    return None if match is None else 3600 * int(match[1]) + 60 * int(match[2]) + float(match[3])


def _timed(
    search: FoundSearch, before: float | None, clock: float, increment: float
) -> FoundSearch:
    """The search with its time from the side's clock. ``before``: the previous clock reading; it is
    unknown for the first move, because clocks start before or after it."""
    if before is None or before + increment < clock:
        return search
    spent = round(1e6 * (before + increment - clock))
    return FoundSearch(search.value, search.depth, search.nodes, search.passes, spent)
