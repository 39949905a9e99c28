"""Progress of a run: lines that redraw themselves, or lines for a log in a pipe."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Generic, Protocol, TypeVar

from toolkit.base.output import Output
from toolkit.show.live.pace import PLAIN_EVERY_S
from toolkit.show.live.screen import Frame, Screen

_Progress = TypeVar("_Progress")
_Shown = TypeVar("_Shown", contravariant=True)


class Invoked(Protocol):
    """What a run of the program knows."""

    go_on: str | None
    """The command that continues the run."""

    @property
    def output(self) -> Output:
        """Its streams."""


class View(Protocol[_Shown]):
    """How the progress of one kind of run looks."""

    def command(self, progress: _Shown) -> str:
        """The command that continues the run."""

    def heads(self, progress: _Shown) -> Sequence[str]:
        """Which run it is, and how to stop and continue it: in several lengths, the longest
        first."""

    def frame(self, progress: _Shown) -> Frame:
        """What a terminal shows."""

    def line(self, progress: _Shown) -> str:
        """How far the run is, in one line for a log."""

    def news(self, progress: _Shown) -> Sequence[str]:
        """Lines for a log about what happened since the last progress."""

    def phase(self, progress: _Shown) -> str:
        """The part of the run; a log says where a new one begins. The first is ``""`` where that
        says nothing."""

    def is_over(self, progress: _Shown) -> bool:
        """Whether nothing is left to do."""


class Live(Screen, Generic[_Progress]):
    """Shows the progress of a run on standard error. A context manager; ``show`` is the progress
    callback."""

    def __init__(self, invocation: Invoked, view: View[_Progress]) -> None:
        super().__init__(invocation.output)
        self._invocation = invocation
        self._view = view
        self._is_started = False
        self._phase = ""
        self._line_at = 0.0

    def show(self, progress: _Progress) -> None:
        """Show how far the run is; nothing of one that was finished before."""
        self._invocation.go_on = self._view.command(progress)
        if self._view.is_over(progress) and not self._is_started:
            return
        if self.is_live:
            self.draw(self._view.frame(progress))
        else:
            self._log(progress)
        self._is_started = True

    def _log(self, progress: _Progress) -> None:
        """Lines for what is new, and now and then one for the whole."""
        view, now = self._view, time.monotonic()
        if not self._is_started:
            self._output.hint(view.heads(progress)[0])
            self._line_at = now
        news = view.news(progress)
        for text in news:
            self._output.hint(_stamped(text))
        is_new = view.phase(progress) != self._phase
        self._phase = view.phase(progress)
        is_due = not news and now - self._line_at >= PLAIN_EVERY_S
        if is_new or is_due or view.is_over(progress):
            self._output.hint(_stamped(view.line(progress)))
        if is_new or is_due or news:
            self._line_at = now


def head_lengths(names: Sequence[str], command: str) -> list[str]:
    """Which run it is, by its ``names`` from the longest to the shortest, and how to stop and
    continue it: the longest first."""
    return [
        *(f"{name}   ctrl-c saves and stops; continue with: {command}" for name in names),
        *(f"{name}   ctrl-c stops; {command}" for name in names),
        f"ctrl-c stops; {command}",
        command,
    ]


def _stamped(line: str) -> str:
    """A line of a log with its time: ``2026-11-21T10:02:30Z r3f9 230/600 eta=12m43s``."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {line}"
