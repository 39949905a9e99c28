"""Whether an engine uses more threads than its options say, from the CPU time of its moves.

CPU time beyond wall-clock time proves more than one running thread, however busy the machine is:
other load only makes it less. So there is no false alarm; an engine that never gets the cores that
it wants is not noticed, and neither are other processes that it starts.
"""

from __future__ import annotations

from dataclasses import dataclass

_ENOUGH_US = 1_000_000
"""Wall-clock time of the searches that are judged together."""
_TOLERANCE = 0.25
"""Cores: an input thread, or what is tidied up while the move is on its way to us."""


@dataclass(slots=True)
class ThreadWatch:
    """Adds up the searches of an engine that should use so many threads."""

    threads: int
    _wall_us: int = 0
    _cpu_us: int = 0

    def add(self, wall_us: int, cpu_us: int) -> None:
        """Count one search."""
        self._wall_us += wall_us
        self._cpu_us += cpu_us

    def take_remark(self) -> str | None:
        """What to say of the searches since it was judged last; None if they are all right, or too
        few yet."""
        if self._wall_us < _ENOUGH_US:
            return None
        used = self._cpu_us / self._wall_us
        self._wall_us = self._cpu_us = 0
        if used <= self.threads + _TOLERANCE:
            return None
        told = "one thread" if self.threads == 1 else f"{self.threads} threads"
        return f"used more CPU time than {told} can, so it disturbs games beside it"
