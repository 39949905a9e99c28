"""The UCI options: the driver's parameters, from the registry, and those of the protocol."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from engines.backend import most_threads
from engines.clock import MOVE_OVERHEAD_MS
from engines.errors import VariantError
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import DriverSpec, Param, Value, Variant
from engines.variant import (
    changed_parameters,
    format_value,
    is_of_game,
    make_variant,
    parameter_of,
    read_value,
)

_THREADS = "threads"
_NAMES = {"hash": "Hash", _THREADS: "Threads"}
"""Options for which user interfaces expect a fixed name."""
_OVERHEAD = "Move Overhead"
_MOST_OVERHEAD_MS = 5000
_PONDER = "Ponder"
_CHESS960 = "UCI_Chess960"
_LINES = "MultiPV"
_MOST_LINES = 256
"""More than any position has legal moves."""


class Options:
    """The current values of the options of one driver and of the session."""

    def __init__(self, variant: Variant) -> None:
        self._spec = DRIVERS[variant.driver]
        self._values: dict[str, Value] = dict(variant.parameters)
        self.overhead_ms = MOVE_OVERHEAD_MS
        """Time that each move costs in addition to its search; reserved for all expected moves."""
        self.ponder = False
        """Whether to send a move to ponder on with the best move."""
        self.chess960 = False
        """Whether games are of Chess960, with castling as king takes rook."""
        self.multipv = 1
        """How many best moves to search and to report, each with its own variation."""

    def lines(self) -> Iterator[str]:
        """Those of the protocol, then one line per parameter with its current value as default."""
        yield (
            f"option name {_OVERHEAD} type spin default {self.overhead_ms} min 0 "
            f"max {_MOST_OVERHEAD_MS}"
        )
        yield f"option name {_PONDER} type check default {str(self.ponder).lower()}"
        yield f"option name {_CHESS960} type check default {str(self.chess960).lower()}"
        yield f"option name {_LINES} type spin default {self.multipv} min 1 max {_MOST_LINES}"
        for name in self._offered():
            param = PARAMETERS[name]
            if name == _THREADS:
                param = replace(param, high=most_threads())
            yield f"option name {_NAMES.get(name, name)} " + _type(param, self._values[name])

    def set(self, name: str, text: str) -> bool:
        """Set an option; returns whether the variant may have changed. An invalid value raises
        VariantError and changes nothing.

        A size in megabytes replaces one in entries. A value that has no effect with the values of
        the others is kept until it has one.
        """
        if name.lower() == _OVERHEAD.lower():
            self.overhead_ms = _number(_OVERHEAD, text, 0, _MOST_OVERHEAD_MS, " milliseconds")
            return False
        if name.lower() == _PONDER.lower():
            self.ponder = _flag(_PONDER, text)
            return False
        if name.lower() == _CHESS960.lower():
            self.chess960 = _flag(_CHESS960, text)
            return False
        if name.lower() == _LINES.lower():
            self.multipv = _number(_LINES, text, 1, _MOST_LINES)
            return False
        known = {key.lower(): key for key in self._spec.parameters}
        key = known.get(name.lower(), name)
        if key in self._spec.parameters and key not in self._offered():
            raise VariantError(f"engine `{self._spec.name}`: no option `{name}`: UCI is for chess")
        value = _parameter(self._spec, key, name, text)
        if key == _THREADS and int(value) > most_threads():
            raise VariantError(f"{name}={text} is not allowed; the reference has one thread")
        self._values[key] = value
        if key == "hash":
            self._values["entries"] = PARAMETERS["entries"].default
        return True

    def _offered(self) -> list[str]:
        """The parameters that have an effect in chess, but the game: the protocol has no other."""
        names = (name for name in self._spec.parameters if name != "game")
        return [name for name in names if is_of_game(PARAMETERS[name], self._values)]

    def variant(self) -> Variant:
        """The variant with these values."""
        return make_variant(self._spec.name, changed_parameters(self._spec, self._values))


def split_setoption(words: list[str]) -> tuple[str, str]:
    """Name and value of a ``setoption`` command without its first word. Raises VariantError."""
    if len(words) < 2 or words[0] != "name":
        raise VariantError("setoption must read: setoption name NAME value VALUE")
    end = words.index("value") if "value" in words else len(words)
    name, value = " ".join(words[1:end]), " ".join(words[end + 1 :])
    if not name or not value:
        raise VariantError("setoption must read: setoption name NAME value VALUE")
    return name, value


def _parameter(spec: DriverSpec, key: str, name: str, text: str) -> Value:
    """The value of a parameter; ``name``: how the option was called, which an error repeats.
    Raises VariantError."""
    param = parameter_of(spec, key)
    try:
        return read_value(replace(param, name=name), text)
    except ValueError as error:
        raise VariantError(f"engine `{spec.name}`: {error}") from None


def _number(name: str, text: str, low: int, high: int, unit: str = "") -> int:
    if not text.isdecimal() or len(text) > 9 or not low <= int(text) <= high:
        raise VariantError(f"{name}={text} is not allowed; it takes {low} to {high}{unit}")
    return int(text)


def _flag(name: str, text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise VariantError(f"{name}={text} is not allowed; it takes true or false")
    return text.lower() == "true"


def _type(param: Param, value: Value) -> str:
    default = f"default {format_value(value)}"
    if param.kind == "flag":
        return f"type check default {str(value).lower()}"
    if param.kind == "int":
        return f"type spin {default} min {param.low} max {param.high}"
    if param.kind == "choice":
        return f"type combo {default}" + "".join(f" var {choice}" for choice in param.choices)
    return f"type string {default}"
