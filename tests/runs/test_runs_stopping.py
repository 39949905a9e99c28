"""Signals become a request to stop."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator

import pytest

from toolkit.commands._program import _signals_raise
from toolkit.runs import stopping
from toolkit.runs.stopping import deferred_signals, stop_on_signals


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Every test leaves the handlers as it found them, and so does the context."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    yield
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_first_signal_requests_stop(number: signal.Signals) -> None:
    with stop_on_signals() as request:
        assert (request.signal, request.event.is_set()) == (None, False)
        signal.raise_signal(number)
        assert (request.signal, request.event.is_set()) == (number, True)


def test_second_interrupt_is_raised() -> None:
    with pytest.raises(KeyboardInterrupt), stop_on_signals():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)


def test_second_termination_changes_nothing() -> None:
    with stop_on_signals() as request:
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        assert request.signal == signal.SIGTERM


def test_given_event_is_used() -> None:
    event = threading.Event()
    with stop_on_signals(event) as request:
        event.set()
        assert request.event.is_set()
        assert request.signal is None


def test_ignored_signal_stays_ignored() -> None:
    old = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stop_on_signals() as request:
            signal.raise_signal(signal.SIGINT)
            assert not request.event.is_set()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, old)


def test_other_thread_installs_no_handler() -> None:
    found: list[object] = []

    def look() -> None:
        with stop_on_signals():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGTERM)]


@pytest.fixture
def taken() -> Iterator[list[int]]:
    """Signals as they take effect, in order."""
    came: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    old = [signal.signal(number, lambda number, frame: came.append(number)) for number in numbers]
    yield came
    for number, before in zip(numbers, old, strict=True):
        signal.signal(number, before)


def test_deferred_signals_take_effect_in_order(taken: list[int]) -> None:
    sent = [signal.SIGTERM, signal.SIGINT, signal.SIGTERM]
    with deferred_signals():
        for number in sent:
            signal.raise_signal(number)
        assert taken == []
    assert taken == sent
    signal.raise_signal(signal.SIGINT)
    assert taken == [*sent, signal.SIGINT], "handlers are as before"


def test_deferred_interrupt_is_raised_at_end() -> None:
    reached = False
    with pytest.raises(KeyboardInterrupt):
        with deferred_signals():
            signal.raise_signal(signal.SIGINT)
            reached = True
    assert reached


def test_deferred_signal_requests_stop() -> None:
    with stop_on_signals() as request:
        with deferred_signals():
            signal.raise_signal(signal.SIGTERM)
            assert not request.event.is_set()
        assert (request.signal, request.event.is_set()) == (signal.SIGTERM, True)


def test_second_interrupt_is_deferred() -> None:
    """One that comes while workers are started waits until they can be ended."""
    with pytest.raises(KeyboardInterrupt), stop_on_signals() as request:
        signal.raise_signal(signal.SIGINT)
        with deferred_signals():
            signal.raise_signal(signal.SIGINT)
            assert request.signal == signal.SIGINT
        pytest.fail("it was lost")


def test_nested_deferral_waits_for_outer_end(taken: list[int]) -> None:
    with deferred_signals():
        with deferred_signals():
            signal.raise_signal(signal.SIGINT)
        assert taken == []
    assert taken == [signal.SIGINT]


def test_ignored_signal_is_not_deferred() -> None:
    old = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with deferred_signals():
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, old)


def test_other_thread_defers_nothing(taken: list[int]) -> None:
    """Signals take effect in the main thread, whatever another one does."""
    inside, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        with deferred_signals():
            inside.set()
            go_on.wait(300)

    thread = threading.Thread(target=wait)
    thread.start()
    assert inside.wait(300)
    signal.raise_signal(signal.SIGTERM)
    assert taken == [signal.SIGTERM]
    go_on.set()
    thread.join()
    assert taken == [signal.SIGTERM]


def test_signal_lost_before_run_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python drops what is raised in a callback of a weak reference."""
    monkeypatch.setattr(stopping, "raised", [signal.SIGINT])
    with stop_on_signals() as request:
        assert request.event.is_set() and request.signal == signal.SIGINT


def test_program_remembers_raised_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    class Dropping:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch, _signals_raise():
        patch.setattr(sys, "unraisablehook", lambda what: None)
        Dropping()
        with stop_on_signals() as request:
            assert request.signal == signal.SIGINT
    with stop_on_signals() as request:
        assert not request.event.is_set(), "it belongs to one run of the program"
