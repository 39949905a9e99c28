"""How fast games of an event come, from the times of those that were stored last."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from db.records import PlayingTime

LATEST = 200
"""Games that the speed is measured on: older ones say less about the next ones."""
_PAUSE_MS = 5_000
"""A longer time without any game is no playing time: the event was interrupted."""


class Speed:
    """The speed of an event over its latest games. Those that another number of workers played do
    not count."""

    def __init__(self, times: Iterable[PlayingTime]) -> None:
        """``times``: of games in the order of their storing."""
        self._times = deque(times, maxlen=LATEST)

    def add(self, time: PlayingTime) -> None:
        """Count a game that was stored."""
        self._times.append(time)

    def games_per_second(self) -> float | None:
        """Games over the time in which they were played; None without any."""
        if not self._times:
            return None
        jobs = self._times[-1].jobs
        latest = sorted(time for time in self._times if time.jobs == jobs)
        playing, until = 0, latest[0].started_ms
        for started, ended, _ in latest:
            gap = started - until
            playing += max(ended - max(started, until), 0) + (gap if 0 < gap <= _PAUSE_MS else 0)
            until = max(until, ended)
        return 1000 * len(latest) / max(playing, 1)
