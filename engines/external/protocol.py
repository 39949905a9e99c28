"""What engines say in UCI, read: the options that they announce, and their ``info`` lines.

Pure functions. Nothing that an engine prints raises an error here: what makes no sense is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from msgspec import Struct

from engines.errors import VariantError
from engines.external.text import shown
from engines.spec import MATE, MATE_BOUND
from engines.suggestion import did_you_mean

OptionKind = Literal["check", "spin", "combo", "button", "string"]

MAX_NAME = 200
"""Characters of the name of an engine, or of an option; an option with a longer one is ignored."""
EMPTY = "<empty>"
"""How UCI spells an empty string."""
CHESS960 = "UCI_Chess960"
"""The option that says how castling is spelled; the player sets it."""

_KINDS: dict[str, OptionKind] = {
    "check": "check",
    "spin": "spin",
    "combo": "combo",
    "button": "button",
    "string": "string",
}
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_SWITCHES = {"true": "true", "on": "true", "false": "false", "off": "false"}
_CHOICES_SHOWN = 8
_MOST_DEPTH = 9_999
_MOST_NODES = 10**15
"""The sum over a game's moves fits 64 bits."""
_DIGITS = 18


class UciOption(Struct, frozen=True):
    """An option as an engine announces it."""

    name: str
    kind: OptionKind
    default: str | None = None
    """In UCI spelling, an empty string as such; None: not announced."""
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    """Of a combo."""


class Announced(Struct, frozen=True):
    """What an engine says of itself between ``uci`` and ``uciok``."""

    name: str
    """At most 200 printable characters; empty if it gives none."""
    author: str
    options: Mapping[str, UciOption]
    """By name, in the order of the engine."""
    malformed: int = 0
    """Option lines that make no sense, and are ignored."""


class Info(NamedTuple):
    """What an engine says of its search. None: it does not say so."""

    value: int | None = None
    """Our values: centipawns from the side to move, see :mod:`engines.spec`."""
    depth: int | None = None
    nodes: int | None = None
    time_ms: int | None = None
    bound: Literal["exact", "lower", "upper"] = "exact"
    """What the value is."""


def parse_announcement(text: bytes) -> Announced:
    """Read all that an engine printed until ``uciok``."""
    name = author = ""
    options: dict[str, UciOption] = {}
    malformed = 0
    for line in text.decode("utf-8", "replace").splitlines():
        words = line.split(maxsplit=2)
        if words[:2] == ["id", "name"] and len(words) == 3:
            name = shown(words[2].strip(), MAX_NAME)
        elif words[:2] == ["id", "author"] and len(words) == 3:
            author = shown(words[2].strip(), MAX_NAME)
        elif words[:1] == ["option"]:
            option = parse_option(line)
            if option is None:
                malformed += 1
            else:
                options[option.name] = option
    return Announced(name, author, options, malformed)


def parse_option(line: str) -> UciOption | None:
    """Read an ``option`` line; None if it makes no sense."""
    parts = _option_parts(line)
    if parts is None:
        return None
    name, kind, rest = parts
    if len(name) > MAX_NAME or not name.isprintable():
        return None
    if kind == "string":
        default = re.sub(r"^default\s*", "", rest) if rest.startswith("default") else None
        return UciOption(name, "string", "" if default == EMPTY else default)
    fields = _fields(rest, ("default", "var") if kind == "combo" else _SPIN_FIELDS)
    default = fields["default"][-1] if fields.get("default") else None
    if kind == "button":
        return UciOption(name, "button")
    if kind == "check":
        known = None if default is None else _SWITCHES.get(default.lower())
        return UciOption(name, "check", known)
    if kind == "combo":
        choices = tuple(dict.fromkeys(fields.get("var", ())))
        return UciOption(name, "combo", default, choices=choices) if choices else None
    low, high = _bound(fields, "min"), _bound(fields, "max")
    if low is not None and high is not None and low > high:
        return None
    whole = default if default is not None and _WHOLE.fullmatch(default) else None
    return UciOption(name, "spin", None if whole is None else str(int(whole)), low, high)


def _option_parts(line: str) -> tuple[str, OptionKind, str] | None:
    """Name, kind and the rest of an ``option`` line. A name may have the word ``type`` in it: the
    first one before a kind ends it."""
    head, _, text = line.strip().partition(" ")
    first, _, text = text.strip().partition(" ")
    if (head, first) != ("option", "name"):
        return None
    text = text.strip()
    for found in _TYPE.finditer(text, 0, MAX_NAME + 100):
        word, _, rest = text[found.end() :].partition(" ")
        if found.start() > 0 and word in _KINDS:
            return text[: found.start()].rstrip(), _KINDS[word], rest.strip()
    return None


_TYPE = re.compile(r"\stype +")
_SPIN_FIELDS = ("default", "min", "max")


def _fields(text: str, names: tuple[str, ...]) -> dict[str, list[str]]:
    """The texts after each of these words, blanks between words made one."""
    found: dict[str, list[list[str]]] = {}
    value: list[str] = []
    for word in text.split():
        if word in names:
            value = []
            found.setdefault(word, []).append(value)
        else:
            value.append(word)
    return {name: [" ".join(words) for words in values] for name, values in found.items()}


def _bound(fields: Mapping[str, list[str]], name: str) -> int | None:
    text = fields.get(name, [""])[-1]
    return int(text) if _WHOLE.fullmatch(text) else None


def read_option(announced: Announced, name: str, value: str) -> tuple[str, str]:
    """The name of an option as the engine announces it, and a value for it in UCI spelling; empty
    for a button, which is pressed.

    Names, ``check`` and ``combo`` values may be in any case. Raises VariantError for an option that
    the engine does not have, and for a value that it does not take.
    """
    option = announced.options.get(name) or _in_any_case(announced.options, name)
    if option is None:
        hint = did_you_mean(name[:MAX_NAME], announced.options)
        raise VariantError(f"no option `{shown(name)}`{hint}")
    spelled = _spell(option, value)
    if spelled is None:
        raise VariantError(
            f"option {shown(option.name)}={shown(value)} is not allowed; it takes {_range(option)}"
        )
    return option.name, spelled


def _in_any_case(options: Mapping[str, UciOption], name: str) -> UciOption | None:
    return next((o for o in options.values() if o.name.casefold() == name.casefold()), None)


def _spell(option: UciOption, value: str) -> str | None:
    """The value in UCI spelling; None if it is not allowed."""
    if option.kind == "string":
        if any(ord(char) < 32 or ord(char) == 127 for char in value):
            return None
        return value or EMPTY
    value = value.strip()
    if option.kind == "button":
        return "" if _SWITCHES.get(value.lower() or "on") == "true" else None
    if option.kind == "check":
        return _SWITCHES.get(value.lower())
    if option.kind == "combo":
        return next((c for c in option.choices if c.casefold() == value.casefold()), None)
    if not _WHOLE.fullmatch(value):
        return None
    number = int(value)
    if str(number) == option.default:
        return option.default  # whatever range the engine announces for it
    low = number if option.low is None else option.low
    high = number if option.high is None else option.high
    return str(number) if low <= number <= high else None


def _range(option: UciOption) -> str:
    if option.kind == "string":
        return "text without control characters"
    if option.kind == "button":
        return "no value or on, as a button"
    if option.kind == "check":
        return "true or false"
    if option.kind == "combo":
        choices = [shown(choice) for choice in option.choices]
        more = ["…"] if len(choices) > _CHOICES_SHOWN else []
        return f"one of {', '.join(choices[:_CHOICES_SHOWN] + more)}"
    if option.low is None or option.high is None:
        return "a whole number"
    return f"{option.low} to {option.high}"


def parse_info(line: bytes) -> Info | None:
    """Read an ``info`` line; None if it says nothing of the main variation.

    A mate in n moves becomes the value of its plies, see :data:`engines.spec.MATE`; other values
    are clamped between the mates. Numbers that make no sense are left out.
    """
    words = line.partition(b" pv ")[0].split()
    if not words or words[0] != b"info":
        return None
    if b"string" in words:
        words = words[: words.index(b"string")]
    # What follows each word; of a word that comes twice, what follows it first.
    after = dict(zip(words[-2::-1], words[:0:-1], strict=True))
    if len(words) < 3 or after.get(b"multipv", b"1") != b"1":
        return None
    value, bound = _score(words)
    return Info(
        value,
        _number(after.get(b"depth"), _MOST_DEPTH),
        _number(after.get(b"nodes"), _MOST_NODES),
        _number(after.get(b"time"), _MOST_NODES),
        bound,
    )


def last_info(text: bytes) -> Info:
    """What the ``info`` lines before a ``bestmove`` say of the search, from the last ones.

    Value and depth are those of the last line of the main variation with an exact score, or of the
    last one with a bound where no score is exact; nodes and time those that were printed last.
    """
    chosen: Info | None = None
    end = len(text)
    while (at := text.rfind(b" score ", 0, end)) >= 0:
        end = text.rfind(b"\n", 0, at) + 1
        info = parse_info(_line_at(text, end))
        if info is None or info.value is None:
            continue
        if info.bound == "exact":
            chosen = info
            break
        chosen = chosen or info
    nodes_at = text.rfind(b" nodes ")
    if nodes_at < 0:
        return chosen or Info()
    told = parse_info(_line_at(text, text.rfind(b"\n", 0, nodes_at) + 1))
    if told is None or told.nodes is None:
        return chosen or Info()
    return (chosen or Info(depth=told.depth))._replace(nodes=told.nodes, time_ms=told.time_ms)


def main_lines(text: bytes) -> list[tuple[Info, str]]:
    """The ``info`` lines with a main variation before a ``bestmove``, in order, each with the first
    move of its variation."""
    found = []
    for line in text.splitlines():
        moves = line.partition(b" pv ")[2].split(maxsplit=1)
        info = parse_info(line) if moves else None
        if info is not None:
            found.append((info, moves[0].decode("ascii", "replace").lower()))
    return found


def _line_at(text: bytes, start: int) -> bytes:
    end = text.find(b"\n", start)
    return text[start:] if end < 0 else text[start:end]


def _score(words: list[bytes]) -> tuple[int | None, Literal["exact", "lower", "upper"]]:
    if b"score" not in words:
        return None, "exact"
    at = words.index(b"score")
    kind, number, *marks = [*words[at + 1 : at + 4], b"", b""]
    digits = number[1:] if number[:1] in (b"-", b"+") else number
    if not digits.isdigit() or len(digits) > _DIGITS:
        return None, "exact"
    bound: Literal["exact", "lower", "upper"] = "exact"
    if marks[0] == b"lowerbound":
        bound = "lower"
    elif marks[0] == b"upperbound":
        bound = "upper"
    if kind == b"cp":
        return max(1 - MATE_BOUND, min(int(number), MATE_BOUND - 1)), bound
    if kind == b"mate":
        return _mate_value(int(number)), bound
    return None, "exact"


def _mate_value(moves: int) -> int:
    """The value of a mate in so many full moves, negative or 0 if the side to move is mated."""
    if moves > 0:
        return max(MATE - (2 * moves - 1), MATE_BOUND)
    return -max(MATE + 2 * moves, MATE_BOUND)


def _number(text: bytes | None, most: int) -> int | None:
    if text is None or not text.isdigit() or len(text) > _DIGITS:
        return None
    number = int(text)
    return number if number <= most else None
