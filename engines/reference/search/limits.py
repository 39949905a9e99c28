"""When a search has to end."""

from __future__ import annotations

import threading
import time

from engines.spec import SearchLimit

_POLL_NODES = 32
"""Nodes between two looks at the clock: about 5 ms."""


class SearchStopped(Exception):
    """A limit or the stop flag ended the search; it never leaves this package."""


class Meter:
    """What one search may still cost, and what it has cost so far."""

    def __init__(self, limit: SearchLimit, stop: threading.Event) -> None:
        self.limit = limit
        self.nodes = 0
        self.must_finish = True
        """True during depth 1, which no limit cuts short."""
        self._stop = stop
        self._start_ns = time.perf_counter_ns()
        self._cpu_ns = time.thread_time_ns()

    def spend_node(self) -> None:
        """Count a node that is about to be searched. Raises SearchStopped when none is left."""
        if not self.must_finish:
            if self.limit.nodes is not None and self.nodes >= self.limit.nodes:
                raise SearchStopped
            if self.nodes % _POLL_NODES == 0 and self._must_stop():
                raise SearchStopped
        self.nodes += 1

    def may_deepen(self) -> bool:
        """Whether another iteration may start."""
        spent = self.limit.nodes is not None and self.nodes >= self.limit.nodes
        return not (spent or self._out_of_time(self.limit.soft_ms) or self._must_stop())

    @property
    def time_us(self) -> int:
        """Wall-clock time since the start."""
        return (time.perf_counter_ns() - self._start_ns) // 1000

    @property
    def cpu_us(self) -> int:
        """CPU time of this thread since the start."""
        return (time.thread_time_ns() - self._cpu_ns) // 1000

    @property
    def overrun(self) -> int:
        """Nodes beyond the limit, because depth 1 always finishes."""
        return max(0, self.nodes - self.limit.nodes) if self.limit.nodes is not None else 0

    def _must_stop(self) -> bool:
        cpu_ms = self.limit.cpu_ms
        out_of_cpu = cpu_ms is not None and self.cpu_us >= 1000 * cpu_ms
        return out_of_cpu or self._out_of_time(self.limit.hard_ms)

    def _out_of_time(self, limit_ms: int | None) -> bool:
        return self._stop.is_set() or (limit_ms is not None and self.time_us >= 1000 * limit_ms)
