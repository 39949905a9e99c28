"""The speed of an engine: nodes per second of CPU time in given searches."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from engines.errors import EngineFailure
from engines.spec import Engine, Player, SearchLimit

_IDLE = 0.02
"""Share of the elapsed time below which an engine cannot have searched itself."""


class TimedEngine:
    """An engine whose searches are added up, in stretches of one player each."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._player: Player | None = None
        self._stretch = (0, 0, 0)
        self.spent = (0, 0, 0)
        """Nodes, CPU time and elapsed time of all ended stretches, in microseconds."""
        self.found: dict[str, set[tuple[object, ...]]] = {}
        """What the searches of each position found."""

    def begin(self, player: Player, fen: str, limit: SearchLimit) -> None:
        """Begin a stretch as this player, after one search that does not count. Raises
        EngineFailure."""
        self._player = player
        self.search(fen, limit)
        self._stretch = (0, 0, 0)

    def search(self, fen: str, limit: SearchLimit) -> None:
        """Search a position from an empty memory. Raises EngineFailure."""
        assert self._player is not None, "begin comes first"
        self._player.new_game()
        self._player.set_position(fen)
        report = self._player.go(limit)
        if not report.nodes:
            raise EngineFailure(
                f"`{self.engine.label}` does not report nodes, so its speed cannot be measured"
            )
        self._stretch = _sum(self._stretch, (report.nodes, report.cpu_us, report.time_us))
        found = (report.nodes, report.depth, report.value, report.move)
        self.found.setdefault(fen, set()).add(found)

    def end(self) -> float:
        """End the stretch; returns its nodes per microsecond of CPU time. Raises EngineFailure if
        its process cannot have searched itself."""
        self._player = None  # its memory is free before another player is made
        nodes, cpu_us, time_us = self._stretch
        if cpu_us <= _IDLE * time_us:
            raise EngineFailure(
                f"`{self.engine.label}` used {cpu_us / 1e6:.3f} s of CPU time in a search of "
                f"{time_us / 1e6:.3f} s: give the program that searches, not one that starts it"
            )
        self.spent = _sum(self.spent, self._stretch)
        return nodes / cpu_us


def nodes_per_second(
    engine: Engine, player: Player, positions: Sequence[str], limit: SearchLimit
) -> int:
    """Of CPU time, in one search of each position; the player is closed. Raises EngineFailure."""
    timed = TimedEngine(engine)
    with closing(player):
        timed.begin(player, positions[0], limit)
        for fen in positions:
            timed.search(fen, limit)
        return round(timed.end() * 1e6)


def _sum(one: tuple[int, int, int], other: tuple[int, int, int]) -> tuple[int, int, int]:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]
