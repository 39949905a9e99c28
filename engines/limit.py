"""What a move may cost. Options of commands, keys of files, items of engines, checks and spellings
follow from one table, :data:`KINDS`: a new limit is a field of :class:`Limit` and a row there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from msgspec import Struct, convert
from msgspec.structs import force_setattr, replace

from engines.errors import LimitError
from engines.spec import MAX_DEPTH

TIME_MANAGER = 2
"""Version of :mod:`engines.clock`, which says how much of its time a search takes. Games of two
versions are not games under one limit, so any change of what a search gets raises it. Version 1
deducted 25 ms from each time a move."""
MAX_NODES = 10**12
MAX_TIME_MS = 7 * 24 * 3_600_000
"""A week, for a move or for a side of a game."""
MAX_MOVES = 1000
"""Of a time control."""
UNKNOWN = "unknown"
"""The spelling of an unknown limit, as of imported games."""
_USUAL_PLIES = 120
_SECONDS = r"(\d{1,9}(?:\.\d{1,9})?)"
_CLOCK = re.compile(rf"(?:(\d{{1,9}})/)?{_SECONDS}(?:\+{_SECONDS})?")
_A_MOVE = re.compile(rf"{_SECONDS}/move")


class LimitKind(Struct, frozen=True):
    """A kind of limit."""

    name: str
    """Of its option, as in ``--cpu-ms``, of its key in files and of the item of an engine."""
    field: str
    """Of :class:`Limit`; it is set where there is this limit."""
    metavar: str
    help: str
    """Of the option that sets it."""
    selects: str
    """What both players had in the games that it selects."""
    text: str
    """A limit in words."""
    unit: str
    """Of the field, in errors."""
    most: int = MAX_TIME_MS
    shared: str = ""
    """What all threads of an engine share under it."""

    @property
    def is_clock(self) -> bool:
        """True if its value is a text that :func:`parse_clock` reads, else a whole number."""
        return self.field == "base_ms"


KINDS = {
    kind.name: kind
    for kind in (
        LimitKind(
            name="nodes",
            field="nodes",
            metavar="N",
            help="nodes per move; same games on any machine",
            selects="N nodes per move",
            text="{} nodes/move",
            unit="nodes a move",
            most=MAX_NODES,
            shared="nodes",
        ),
        LimitKind(
            name="depth",
            field="depth",
            metavar="N",
            help="depth of each search; same games on any machine",
            selects="this depth limit",
            text="depth {}",
            unit="depth",
            most=MAX_DEPTH,
        ),
        LimitKind(
            name="movetime",
            field="movetime_ms",
            metavar="MS",
            help="milliseconds per move",
            selects="this move time",
            text="{} ms/move",
            unit="milliseconds a move",
        ),
        LimitKind(
            name="cpu-ms",
            field="cpu_ms",
            metavar="MS",
            help="milliseconds of CPU time per move",
            selects="this CPU time per move",
            text="{} ms CPU/move",
            unit="milliseconds of CPU time a move",
            shared="CPU time",
        ),
        LimitKind(
            name="tc",
            field="base_ms",
            metavar="[MOVES/]BASE+INC",
            help="a clock in seconds, such as 10+0.1 or 40/60",
            selects="this clock",
            text="{} s",
            unit="milliseconds on the clock",
        ),
    )
}
"""Every kind of limit by its name, in the order of help pages."""
_ITEMS = re.compile(rf"(?:[:,](?:{'|'.join(KINDS)})=[^,\s]*)+\Z")
"""The end of a label that is made of a limit."""


class Limit(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a move (or, for a clock, a game) may cost. At least one field is set, except where the
    limit is unknown."""

    nodes: int | None = None
    depth: int | None = None
    movetime_ms: int | None = None
    base_ms: int | None = None
    """Clock at the start of the game, for each side."""
    inc_ms: int = 0
    """Added to the clock after each move."""
    cpu_ms: int | None = None
    """CPU time of all searching threads a move."""
    moves: int | None = None
    """The base is added to the clock again after each so many moves; None: never."""
    time_manager: int | None = None
    """The version of the time manager that shares out a clock or a time a move: this program's if
    none is given; None for other limits."""

    def __post_init__(self) -> None:
        version = (self.time_manager or TIME_MANAGER) if self.is_timed else None
        force_setattr(self, "time_manager", version)

    @property
    def is_timed(self) -> bool:
        """True with a clock or a time a move, which the time manager turns into searches."""
        return self.movetime_ms is not None or self.base_ms is not None

    @property
    def deterministic(self) -> bool:
        """True when no clock has a say, so that the same seed gives the same games."""
        return not self.is_timed and self.cpu_ms is None

    @property
    def items(self) -> dict[str, int | str]:
        """The limit as options, keys of a file or items of an engine give it, by their names."""
        values = {kind.name: getattr(self, kind.field) for kind in KINDS.values()}
        if self.base_ms is not None:
            moves = "" if self.moves is None else f"{self.moves}/"
            values["tc"] = f"{moves}{_seconds(self.base_ms)}+{_seconds(self.inc_ms)}"
        return {name: value for name, value in values.items() if value is not None}

    @property
    def spelling(self) -> str:
        """The limit in short, with the names of the options: ``nodes=2000``, ``tc=10+0.1``,
        ``depth=6,nodes=500``; ``unknown`` if it is empty. The version of the time manager is shown
        if it is not the current one."""
        parts = [f"{name}={value}" for name, value in sorted(self.items.items(), key=_by_field)]
        if self.time_manager not in (None, TIME_MANAGER):
            parts.append(f"time_manager={self.time_manager}")
        return ",".join(parts) or UNKNOWN

    def __str__(self) -> str:
        """The limit in words, such as ``20000 nodes/move`` or ``10+0.1 s``. Another version of
        the time manager is named."""
        parts = [KINDS[name].text.format(value) for name, value in self.items.items()]
        if self.time_manager not in (None, TIME_MANAGER):
            parts.append(f"time manager {self.time_manager}")
        return ", ".join(parts)

    @property
    def time_control(self) -> str:
        """The limit as PGN has it, and fastchess and cutechess write it: ``10+0.1``, ``40/60+0.5``,
        ``0.5/move``; ``-`` where no time by the clock is limited."""
        if self.movetime_ms is not None:
            return f"{_seconds(self.movetime_ms)}/move"
        return str(self.items.get("tc", "-")).removesuffix("+0")

    @property
    def game_s(self) -> float | None:
        """About how long both sides search in a game; None where time does not limit them."""
        a_move_ms = self.cpu_ms if self.movetime_ms is None else self.movetime_ms
        if a_move_ms is not None:
            return a_move_ms * _USUAL_PLIES / 1000
        if self.base_ms is None:
            return None
        # Engines keep some of the base in reserve to the end.
        bases = max(_USUAL_PLIES / 2 / self.moves, 1.0) if self.moves else 1.0
        return (2 * 0.85 * bases * self.base_ms + self.inc_ms * _USUAL_PLIES) / 1000

    def scaled(self, factor: float) -> Limit:
        """The same with all its times multiplied by this, each to whole milliseconds and at least
        one; an increment of 0 stays 0."""

        def times(value: int | None) -> int | None:
            return value and max(1, round(value * factor))

        return replace(
            self,
            movetime_ms=times(self.movetime_ms),
            base_ms=times(self.base_ms),
            inc_ms=times(self.inc_ms) or 0,
            cpu_ms=times(self.cpu_ms),
        )

    def checked(self) -> Limit:
        """The limit itself, when it makes sense. Raises LimitError."""
        for kind in KINDS.values():
            _check(kind.unit, getattr(self, kind.field), 1, kind.most)
        _check("milliseconds of increment", self.inc_ms, 0, MAX_TIME_MS)
        _check("moves of the time control", self.moves, 1, MAX_MOVES)
        if self.is_timed and self.cpu_ms is not None:
            raise LimitError("CPU time and time by the clock exclude each other")
        if self.base_ms is None:
            if self.inc_ms:
                raise LimitError("an increment needs a clock")
        elif self.movetime_ms is not None:
            raise LimitError("a clock and a time a move exclude each other")
        if self == Limit():
            *options, last = (f"--{kind.name} {kind.metavar}" for kind in KINDS.values())
            raise LimitError(
                f"a limit is missing: {', '.join(options)} or {last}, or one of its own for each "
                "engine"
            )
        return self


def read_limit(items: Mapping[str, int | str | None]) -> Limit | None:
    """The limit that :attr:`Limit.items` gives so; None for nothing but None. Raises LimitError."""
    given = {KINDS[name].field: value for name, value in items.items() if value is not None}
    if "base_ms" in given:
        given |= _clock_fields(str(given["base_ms"]))
    return Limit(**given).checked() if given else None  # type: ignore[arg-type]


def parse_clock(text: str) -> Limit:
    """A clock from ``BASE``, ``BASE+INC`` or ``MOVES/BASE+INC`` in seconds, such as ``10+0.1`` or
    ``40/60``: the base again after each 40 moves. Raises LimitError."""
    return Limit(**_clock_fields(text)).checked()


def parse_time_control(text: str) -> Limit:
    """What :attr:`Limit.time_control` writes of a time by the clock. Raises LimitError."""
    a_move = _A_MOVE.fullmatch(text)
    if a_move is None:
        return parse_clock(text)
    return Limit(movetime_ms=int(1000 * Decimal(a_move[1]))).checked()


def _clock_fields(text: str) -> dict[str, Any]:
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        shown = " ".join(text.split())[:60]
        raise LimitError(
            f"clock `{shown}`: expected BASE+INC or MOVES/BASE+INC in seconds, as in `10+0.1` "
            "or `40/60`"
        )
    base_ms, inc_ms = (_milliseconds(text, part or "0") for part in match.groups()[1:])
    moves = None if match[1] is None else int(match[1])
    return {"base_ms": base_ms, "inc_ms": inc_ms, "moves": moves}


def _milliseconds(clock: str, seconds: str) -> int:
    """Raises LimitError for a time that a clock cannot have."""
    found = Decimal(seconds) * 1000
    if found != int(found):
        raise LimitError(f"clock `{clock.strip()}`: {seconds} s is not whole milliseconds")
    return int(found)


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.10g}"


def _check(unit: str, value: int | None, low: int, high: int) -> None:
    if value is None or (type(value) is int and low <= value <= high):
        return
    kind = "" if type(value) is int else "a whole number "
    raise LimitError(f"{unit} ({value!r}) must be {kind}from {low} to {high}")


def _by_field(item: tuple[str, Any]) -> str:
    return KINDS[item[0]].field


def limit_of(data: Mapping[str, Any]) -> Limit:
    """The limit that is stored so. Raises ValidationError for what is none."""
    return convert(data, Limit)


def without_limit(label: str) -> str:
    """The label of an engine without the limit that it has where it was given one of its own."""
    return _ITEMS.sub("", label)


def spell_limit(limit: Mapping[str, Any] | None) -> str:
    """A stored limit in short, with the names of the options: ``nodes=2000``, ``tc=10+0.1``,
    ``depth=6,nodes=500``; ``unknown`` if it is empty, ``mixed`` for None, several limits."""
    return "mixed" if limit is None else limit_of(limit).spelling


def spell_limit_of(limit: Mapping[str, Any], variation: str) -> str:
    """The limit of an event, with why the event need not repeat itself if it need not."""
    return f"{spell_limit(limit)} ({variation})" if variation else spell_limit(limit)


def spell_limit_key(key: str | None) -> str:
    """:func:`spell_limit` of a key that :func:`db.limits.limit_key` made."""
    return spell_limit(None if key is None else limit_of_key(key))


def limit_of_key(key: str) -> dict[str, int]:
    """The fields of the limit of a key."""
    return dict(json.loads(key))


def spell_limits(first: Mapping[str, Any] | None, second: Mapping[str, Any] | None) -> str:
    """The limit of two players who met in short; of both where they differ. None: several."""
    one, other = map(spell_limit, (first, second))
    return one if one == other else f"{one} : {other}"


def order_of_limit(key: str) -> tuple[bool, list[tuple[str, int]]]:
    """What limits are listed by: the same kinds together, from low to high, unknown ones last."""
    fields = sorted(limit_of_key(key).items())
    return not fields, fields
