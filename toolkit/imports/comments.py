"""Search data in the comments of a PGN file: value, depth, nodes, passes, time, and what engines
printed.

cutechess, fastchess and our own files have ``+0.35/12 1.2s`` after a move, from the point of view
of the side that moved; fastchess can add ``n=51234, sd=18, hashfull=12, tbhits=0, pv="e2e4"`` and
``line="info string ..."``, ours also have ``p=4``, the passes; a mate is ``-M4``, counted in plies.
Old fastchess has a comma before the time, c-chess-cli milliseconds (``62ms``), Arena and XBoard
seconds without a unit; a value without a point is in centipawns.
OpenBench has ``+0.71 8/17 5 10530``: value, depth and selective depth, milliseconds, nodes. TCEC
has ``d=30, mt=12000, n=5, wv=0.15``, with the value from White's point of view.

lichess and chess.com have commands: ``[%eval 0.35,12]`` or ``[%eval #-3]`` from
White's point of view, with a mate counted in moves; ``[%emt 0:00:01.5]``, the time of the move; and
``[%clk 0:09:58]``, the clock after it. Data missing from a comment is unknown, not zero.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from engines.external.lines import MAX_PV, MAX_STRING
from engines.spec import MATE, MATE_BOUND, EngineLine
from toolkit.imports.scan import Unread
from toolkit.referee.searchdata import NOTHING_FOUND, FoundSearch

_VALUE = r"(?P<value>[+-]?(?:M\d{1,4}|\d{1,6}(?:\.\d{1,6})?)|ERR)"
_SECONDS = r"(?P<seconds>\d{1,9}(?:\.\d{1,9})?)"
_SEARCH = re.compile(
    rf"(?:{_VALUE}?/(?P<depth>\d{{1,4}})(?:,\s*|\s+))?{_SECONDS}\s?(?P<unit>m?s)(?=,|\s|\Z)"
)
_OPENBENCH = re.compile(
    rf"{_VALUE}\s+(?P<depth>\d{{1,4}})/\d{{1,4}}\s+(?P<milliseconds>\d{{1,12}})\s+"
    r"(?P<nodes>\d{1,18})(?=,|\s|\Z)"
)
_UNITLESS = re.compile(
    r"(?P<value>[+-]?\d{1,6}\.\d\d|[+-]M\d{1,4})/(?P<depth>\d{1,4})\s+"
    rf"(?:(?P<minutes>\d{{1,6}}):)?{_SECONDS}(?=,|\s*\Z)"
)
_TIMELESS = re.compile(r"(?P<value>[+-]?\d{1,6}\.\d\d|[+-]M\d{1,4})?/(?P<depth>\d{1,4})(?=,|\Z)")
"""As our own files have it where the time is unknown; other fractions are not a value and a
depth."""
_FORMS = (_SEARCH, _UNITLESS, _TIMELESS, _OPENBENCH)
_FIELD = re.compile(r",\s*([np])=(\d{1,18})(?=,|\s|\Z)")
_COUNTED = re.compile(r"(?:\A|,\s*)(sd|hashfull|tbhits)=(\d{1,15})(?=,|\s|\Z)")
_TEXT = re.compile(r'(?:\A|,\s*)(pv|line)="([^"]*)"')
_PRINTED = re.compile(r'\b(?:(?:sd|hashfull|tbhits)=\d|pv="|line="info string )')
_TCEC = re.compile(r"(?:\A|,\s*)(d|mt|n|wv)=([^,\s]{1,40})(?=,|\s|\Z)")
_TCEC_VALUE = re.compile(r"[+-]?(?:M\d{1,4}|\d{1,6}\.\d{1,6})")
_LIKE_SEARCH = re.compile(r"(?!1/2\b)(?:[+-]\d|[+-]?[M#]\d|\d+\.\d\d|\d+/\d|[a-z]{1,2}=[-+M#\d])")
"""How a comment begins that is probably a result, in whatever form."""
_QUOTED = re.compile(r'"[^"]*"')
"""A line of play, or one of the engine's, in which anything may stand."""
_COMMAND = re.compile(r"\[%(eval|emt|clk)\s+([^\]\s]{1,40})\s*\]")
_EVAL = re.compile(r"([+-]?\d{1,6}(?:\.\d{1,6})?|#[+-]?\d{1,4})(?:,(\d{1,4}))?")
_CLOCK = re.compile(r"(\d{1,6}):(\d{1,2}):(\d{1,2}(?:\.\d{1,9})?)")
_DEPTH = re.compile(r"[1-9]\d{0,3}")
_COUNT = re.compile(r"\d{1,18}")
_SHOWN = 60
"""Characters of a comment that was not understood."""
_MOST = 10**12
"""Nodes, passes or microseconds of one search. A greater number is not a valid count, and sums of
such numbers would not fit the database."""
_CONTROL = re.compile(r"\d{1,9}(?:\.\d{1,3})?(?:\+(\d{1,6}(?:\.\d{1,3})?))?")


def found_searches(
    comments: Sequence[str],
    tags: Mapping[str, str],
    *,
    white_first: bool,
    unread: Unread | None = None,
) -> list[FoundSearch]:
    """What is known of each ply's search, from the comments on it, joined by blanks. Adds comments
    that look like results and are not understood to ``unread``."""
    if not any(comments):
        return [NOTHING_FOUND] * len(comments)
    control = _CONTROL.fullmatch(tags.get("TimeControl", ""))
    increment = None if control is None else float(control[1] or 0)
    clocks: dict[bool, float] = {}
    found = []
    white = white_first
    for comment in comments:
        commands = dict(_COMMAND.findall(comment)) if "[%" in comment else {}
        search = _commanded(commands, white) if commands else _written(comment, white)
        nothing = search == NOTHING_FOUND and not commands
        if unread is not None and nothing and _LIKE_SEARCH.match(comment):
            unread.add(comment[:_SHOWN])
        clock = _seconds(commands.get("clk"))
        if search.time_us is None and clock is not None and increment is not None:
            search = _timed(search, clocks.get(white), clock, increment)
        if clock is not None:
            clocks[white] = clock
        found.append(_plausible(search))
        white = not white
    return found


def found_lines(comments: Sequence[str]) -> list[EngineLine]:
    """What engines printed of each ply, as fastchess writes it; nothing of plies without any."""
    found = [_line(ply, text) for ply, text in enumerate(comments) if _PRINTED.search(text)]
    return [line for line in found if line != EngineLine(line.ply)]


def _line(ply: int, comment: str) -> EngineLine:
    texts: dict[str, str] = {}
    for name, text in _TEXT.findall(comment):
        if name == "pv":
            texts["pv"] = text[:MAX_PV]
        elif text.startswith("info string "):
            texts["string"] = text[len("info string ") :][:MAX_STRING]
    counts = {name: int(count) for name, count in _COUNTED.findall(_QUOTED.sub("", comment))}
    return EngineLine(
        ply,
        pv=texts.get("pv", ""),
        seldepth=counts.get("sd"),
        hashfull=counts.get("hashfull"),
        tbhits=counts.get("tbhits"),
        string=texts.get("string", ""),
    )


def _plausible(search: FoundSearch) -> FoundSearch:
    """The search without counts that are too great to be any."""
    counts = {"nodes": search.nodes, "passes": search.passes, "time_us": search.time_us}
    wrong = {name: None for name, count in counts.items() if count is not None and count > _MOST}
    return replace(search, **wrong) if wrong else search


def _written(comment: str, white: bool) -> FoundSearch:
    """What match programs write, and we."""
    match = next(filter(None, (form.match(comment) for form in _FORMS)), None)
    if match is None:
        return _of_tcec(dict(_TCEC.findall(comment)), white)
    found = match.groupdict()
    counts = dict(_FIELD.findall(_QUOTED.sub("", comment[match.end() :])))
    depth = int(found["depth"] or 0)
    return FoundSearch(
        value=_value(found["value"]),
        # Both programs write 0 where the engine gave none; `ERR` is no result of a search.
        depth=None if depth == 0 or found["value"] == "ERR" else depth,
        nodes=_count(found.get("nodes") or counts.get("n")),
        passes=_count(counts.get("p")),
        time_us=_time_us(found),
    )


def _time_us(found: Mapping[str, str | None]) -> int | None:
    """The time in the groups of a form."""
    if (milliseconds := found.get("milliseconds")) is not None:
        return 1000 * int(milliseconds)
    if (seconds := found.get("seconds")) is None:
        return None
    unit = 1e3 if found.get("unit") == "ms" else 1e6
    return round(unit * (60 * int(found.get("minutes") or 0) + float(seconds)))


def _of_tcec(fields: Mapping[str, str], white: bool) -> FoundSearch:
    """The search in fields by name; times are in milliseconds, or ``0:00:12``."""
    value, depth, time = (fields.get(name, "") for name in ("wv", "d", "mt"))
    centipawns = _value(value) if _TCEC_VALUE.fullmatch(value) else None
    milliseconds, seconds = _count(time), _seconds(time)
    if milliseconds is None and seconds is not None:
        milliseconds = round(1000 * seconds)
    return FoundSearch(
        value=-centipawns if centipawns is not None and not white else centipawns,
        depth=int(depth) if _DEPTH.fullmatch(depth) else None,
        nodes=_count(fields.get("n")),
        passes=None,
        time_us=None if milliseconds is None else 1000 * milliseconds,
    )


def _value(text: str | None) -> int | None:
    """Centipawns of a value such as ``+0.35``, ``-20`` (centipawns) or ``-M4``."""
    if text is None or text == "ERR":
        return None
    if "M" not in text:
        return _centipawns(float(text) if "." in text else int(text) / 100)
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
        nodes=None,
        passes=None,
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
