"""What engines say of their moves, kept, and checked after the game: variations, mates, moves to
ponder on.

Pure functions. A variation that ends before its mate is no fault, because many engines cut them;
what an engine says of a bound is not what it plays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from engines.backend import follow_lines
from engines.external.protocol import Info, parse_info
from engines.external.text import shown
from engines.spec import MATE, MATE_BOUND, EngineLine

MAX_PV = 2_000
"""Characters of a variation that are kept, in whole moves."""
MAX_STRING = 500
"""Characters of an ``info string`` that are kept."""
_NO_MOVES = ("(none)", "0000")
_COUNT = re.compile(rb" (seldepth|hashfull|tbhits) (\d{1,15})(?!\S)")
"""A longer number makes no sense."""
_COUNTS = (b" seldepth ", b" hashfull ", b" tbhits ")
_STRING = b"info string "
_WEAKENING = re.compile(r"skill|limit.?strength|handicap", re.IGNORECASE)
"""Names of options with which an engine plays another move than its best one on purpose."""


class Said(NamedTuple):
    """What an engine printed of one move."""

    ply: int
    """From 0 in the game."""
    info: bytes
    """The last ``info`` line of the best move with a variation; empty without one."""
    answer: bytes
    """The line with ``bestmove``."""
    string: bytes = b""
    """The last ``info string`` line."""
    counts: bytes = b""
    """Of the counts that ``info`` lacks, the last ``info`` lines that have them."""


def said_of(ply: int, text: bytes) -> Said:
    """The lines to keep and to check, of all that an engine printed for a move."""
    info, end = b"", len(text)
    while (at := text.rfind(b" pv ", 0, end)) >= 0:
        end = text.rfind(b"\n", 0, at) + 1
        line = text[end : text.find(b"\n", at)]
        is_best = b" multipv " not in line or b" multipv 1 " in line
        if is_best and not line.startswith(_STRING):
            info = line
            break
    return Said(
        ply,
        info,
        text[text.rfind(b"\n") + 1 :],
        _last_line(text, _STRING),
        b"".join([_last_line(text, word) + b"\n" for word in _COUNTS if word not in info]),
    )


def _last_line(text: bytes, word: bytes) -> bytes:
    """The last line with this word that is no text of the engine, unless that is asked for; empty
    without one."""
    end = len(text)
    while (at := text.rfind(word, 0, end)) >= 0:
        end = text.rfind(b"\n", 0, at) + 1
        line = text[end : text.find(b"\n", at)]
        if line.startswith(_STRING) == (word == _STRING):
            return line
    return b""


def line_of(said: Said) -> EngineLine | None:
    """What to keep of a move; None if the engine printed nothing of this."""
    pv = " ".join(_variation(said.info))
    if len(pv) > MAX_PV:
        pv = pv[: MAX_PV + 1].rpartition(" ")[0]
    # Those of the variation's line come last, and hold.
    found = dict(_COUNT.findall(said.counts + said.info.partition(b" pv ")[0]))
    seldepth, hashfull, tbhits = (
        int(found[word]) if word in found else None
        for word in (b"seldepth", b"hashfull", b"tbhits")
    )
    string = _text_of(said.string)
    if not (pv or string or found):
        return None
    return EngineLine(said.ply, pv, seldepth, hashfull, tbhits, string)


@lru_cache(64)  # most engines print the same one for each move
def _text_of(line: bytes) -> str:
    return shown(line[len(_STRING) :].strip(), MAX_STRING)


@lru_cache(1024)  # what is kept of a game and what is checked both ask
def _variation(info: bytes) -> tuple[str, ...]:
    """The words of the variation; none where the line has a text of the engine."""
    words = info.partition(b" pv ")[2].decode("ascii", "replace").split()
    return () if b" string " in info else tuple(words)


def plays_its_best(options: Iterable[tuple[str, str]]) -> bool:
    """Whether an engine with these options plays the first move of its last variation."""
    return not any(_WEAKENING.search(name) and value != "false" for name, value in options)


def find_lies(
    fen: str, chess960: bool, moves: Sequence[int], searches: Sequence[Said], best: bool = True
) -> Iterator[str]:
    """What is wrong with them, a line for each kind of fault: the first, and how often.

    ``moves``: the codes of the game's moves before the last search. ``best``: see
    :func:`plays_its_best`. Raises PositionError.
    """
    variations, answers = [], []
    for said in searches:
        variations.append(_variation(said.info))
        move, _, ponder = said.answer.decode("ascii", "replace").partition("ponder")
        answers.append([*move.split()[1:2], *ponder.split()[:1]])
    lines = [
        (said.ply, " ".join(words))
        for pair in zip(searches, variations, answers, strict=True)
        for said, words in ((pair[0], pair[1]), (pair[0], pair[2]))
    ]
    followed = follow_lines(fen, chess960, moves, lines)
    found: dict[str, list[str]] = {}
    for k, said in enumerate(searches):
        legal, mated = followed[2 * k]
        lies = _of_variation(said, variations[k], answers[k] if best else [], len(legal), mated)
        for kind, what in (*lies, *_of_ponder(answers[k], len(followed[2 * k + 1][0]))):
            found.setdefault(kind, []).append(f"at ply {said.ply + 1}: {shown(what, 20)}")
    for kind, places in found.items():
        times = "" if len(places) == 1 else f" ({len(places)} moves)"
        yield f"{kind} {places[0]}{times}"


def _of_variation(
    said: Said, words: Sequence[str], answer: Sequence[str], legal: int, mated: bool
) -> Iterator[tuple[str, str]]:
    """Kinds of faults, and what shows them. ``legal``: how many moves of the variation are;
    ``mated``: whether these end in checkmate. An empty answer is not compared."""
    if legal < len(words):
        yield "printed a variation with an illegal move", words[legal]
        return
    is_other = bool(answer and words) and words[0] != answer[0]
    if not words or not (is_other or b" mate " in said.info):
        return  # as nearly always
    info = parse_info(said.info) or Info()
    if info.bound != "exact":
        return
    if is_other:
        yield "printed a variation that begins with another move than bestmove", words[0]
    if info.value is None or abs(info.value) < MATE_BOUND:
        return
    plies = MATE - abs(info.value)
    wins = info.value > 0
    told = f"mate {'' if wins else '-'}{(plies + 1) // 2}"
    if mated and wins != bool(len(words) % 2):
        yield "said mate for the side that its variation mates", told
    elif len(words) != plies if mated else len(words) >= plies:
        yield "said mate, and its variation does not mate then", told


def _of_ponder(answer: Sequence[str], legal: int) -> Iterator[tuple[str, str]]:
    if legal == 1 < len(answer) and answer[1] not in _NO_MOVES:
        yield "wants to ponder on an illegal move", answer[1]
