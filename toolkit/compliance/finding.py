"""What a test of an engine finds, and how much time it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warn", "FAIL"]


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """What one point found."""

    status: Status
    detail: str
    meaning: str = ""
    """What it means for matches; empty if all is well."""


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """A verdict with the name of its point."""

    point: str
    status: Status
    detail: str
    meaning: str


@dataclass(frozen=True, slots=True)
class WaitingTimes:
    """How long the test waits, in seconds unless the name says otherwise."""

    start_s: float = 10.0
    """For ``uciok``, and for getting ready."""
    search_s: float = 2.0
    """For a search of few nodes or plies, before it is stopped."""
    stop_s: float = 0.5
    """For the answer to ``stop``; events wait as long."""
    soon_ms: int = 100
    """More than an answer to ``stop`` should take."""
    ready_s: float = 1.0
    """For ``readyok`` during a search."""
    quit_s: float = 1.0
    """For the end after ``quit``; events wait as long."""
    end_of_input_s: float = 2.0
    """For the end after the end of the input."""
    idle_s: float = 1.0
    """How long the CPU is watched while nothing should happen."""
    busy_s: float = 0.8
    """How long it is watched during a search."""
    margin_ms: int = 200
    """By how much a time may be exceeded; the default of events."""
    late_ms: int = 30
    """More than pipes and scheduling cost."""
    new_game_ms: int = 1000
    """For ``ucinewgame``."""
    movetimes_ms: tuple[int, ...] = (100, 500)
    clock_ms: int = 2000
    """Of each side in the game that the engine plays against itself."""
    inc_ms: int = 20
    clock_plies: int = 60
    """The longest such game."""
    total_s: float = 90.0
    """After this time, points that are left are not tested any more."""


PACE = WaitingTimes()
Progress = Callable[[str], None]
"""Is told what is being tested."""


def ok(detail: str) -> CheckVerdict:
    """All is well."""
    return CheckVerdict("ok", detail)


def warn(detail: str, meaning: str) -> CheckVerdict:
    """A match can be played, but not quite as it should, or another program may stumble."""
    return CheckVerdict("warn", detail, meaning)


def fail(detail: str, meaning: str) -> CheckVerdict:
    """Games are lost or measured wrongly, or the limit cannot be used."""
    return CheckVerdict("FAIL", detail, meaning)
