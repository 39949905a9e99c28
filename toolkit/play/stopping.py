"""Stopping an event on Ctrl-C or SIGTERM after what is finished has been saved."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(slots=True)
class StopRequest:
    """Whether, and by which signal, an event was asked to stop."""

    event: threading.Event = field(default_factory=threading.Event)
    signal: int | None = None


@contextmanager
def stop_on_signals(event: threading.Event | None = None) -> Iterator[StopRequest]:
    """Within the context the first SIGINT or SIGTERM only sets the request's event, which may also
    be set from elsewhere; a second SIGINT raises KeyboardInterrupt.

    Outside the main thread signals are left alone, and so is one that is ignored (``nohup``).
    """
    request = StopRequest() if event is None else StopRequest(event)

    def ask(number: int, frame: FrameType | None) -> None:
        if request.signal is not None and number == signal.SIGINT:
            raise KeyboardInterrupt
        request.signal = number
        request.event.set()

    old = {}
    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                old[number] = signal.signal(number, ask)
    try:
        yield request
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
