"""How many tasks a worker gets at a time.

Short tasks go in batches, so that a worker does not wait for its next one after each of them. The
size follows from the mean duration of the tasks that are done.
"""

from __future__ import annotations

_BATCH_S = 0.8
"""Target duration of a batch."""
_MOST = 200
_LONG_S = 3.0


class BatchSize:
    """The size of the next batches, learned from the tasks that are done."""

    def __init__(self) -> None:
        self._done = 0
        self._seconds = 0.0

    def learn(self, seconds: float, tasks: int = 1) -> None:
        """Count tasks that took so long together."""
        self._done += tasks
        self._seconds += seconds

    @property
    def is_short(self) -> bool:
        """Whether to wait for the next batch would cost more than a hundredth of the time."""
        return 0 < self._done and self._seconds < _LONG_S * self._done

    @property
    def mean_s(self) -> float:
        """The mean duration of a task; 0 before one is done."""
        return self._seconds / self._done if self._done else 0.0

    @property
    def tasks(self) -> int:
        """At least 1. The more tasks are done, the better their mean duration is known, so a batch
        has at most four times as many."""
        if not self._done:
            return 1
        return max(min(int(_BATCH_S / max(self.mean_s, 1e-6)), 4 * self._done, _MOST), 1)
