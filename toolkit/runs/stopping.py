"""Stopping a run on Ctrl-C or SIGTERM after finished results have been saved."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
"""The signals that ask a run to stop."""


raised: list[int] = []
"""Signals for which the program raised an exception. One that is here when a run begins was lost:
Python drops what is raised in some callbacks, such as those of weak references."""


class StopRequest:
    """A request to stop a run, and the signal that caused it."""

    def __init__(self, event: threading.Event | None = None) -> None:
        self.event = event or threading.Event()
        self.signal: int | None = None
        self.at_once: threading.Event | None = None
        """Set by a second SIGINT, and by SIGTERM, while the run may finish what it has begun; None
        when there is nothing to finish."""

    def may_finish(self) -> bool:
        """Whether what was begun may still be finished: after a first SIGINT."""
        at_once = self.at_once
        return self.signal == signal.SIGINT and at_once is not None and not at_once.is_set()


@contextmanager
def stop_on_signals(event: threading.Event | None = None) -> Iterator[StopRequest]:
    """Within the context the first SIGINT or SIGTERM only sets the request's event, which may also
    be set from elsewhere; a second SIGINT raises KeyboardInterrupt, or asks a run that finishes
    what it has begun to stop at once.

    Outside the main thread signals are left alone, and so is one that is ignored (``nohup``).
    """
    request = StopRequest(event)
    if raised:
        request.signal = raised[0]
        request.event.set()

    def ask(number: int, frame: FrameType | None) -> None:
        if request.signal is not None and number == signal.SIGINT and not request.may_finish():
            raise KeyboardInterrupt
        if request.at_once is not None and (request.signal is not None or number == signal.SIGTERM):
            request.at_once.set()
        request.signal = number
        request.event.set()

    with _handled(ask):
        yield request


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Within the context SIGINT and SIGTERM wait; those that came take effect at its end.

    For the few milliseconds in which processes are started or ended. Outside the main thread, where
    signals raise nothing, it does nothing.
    """
    came: list[int] = []
    try:
        with _handled(lambda number, frame: came.append(number)):
            yield
    finally:
        for number in came:
            signal.raise_signal(number)


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Handle the signals so, unless they are ignored; in the main thread only."""
    old = {}
    if threading.current_thread() is threading.main_thread():
        for number in SIGNALS:
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                old[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, before in old.items():
            signal.signal(number, before)
