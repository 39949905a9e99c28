"""How signals become a request to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from toolkit.runs.stopping import stop_on_signals


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Every test leaves the handlers as it found them, and so does the context."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    yield
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_only_asks(number: signal.Signals) -> None:
    with stop_on_signals() as request:
        assert (request.signal, request.event.is_set()) == (None, False)
        signal.raise_signal(number)
        assert (request.signal, request.event.is_set()) == (number, True)


def test_a_second_interrupt_is_raised() -> None:
    with pytest.raises(KeyboardInterrupt), stop_on_signals():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)


def test_a_second_termination_changes_nothing() -> None:
    with stop_on_signals() as request:
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        assert request.signal == signal.SIGTERM


def test_an_event_of_ones_own_is_used() -> None:
    event = threading.Event()
    with stop_on_signals(event) as request:
        event.set()
        assert request.event.is_set()
        assert request.signal is None


def test_an_ignored_signal_stays_ignored() -> None:
    old = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stop_on_signals() as request:
            signal.raise_signal(signal.SIGINT)
            assert not request.event.is_set()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, old)


def test_another_thread_leaves_signals_alone() -> None:
    found: list[object] = []

    def look() -> None:
        with stop_on_signals():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGTERM)]
