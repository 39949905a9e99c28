"""Progress of a run: lines that redraw themselves, or lines for a log in a pipe."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from toolkit.base.output import Output
from toolkit.show.live.pace import PLAIN_EVERY_S
from toolkit.show.live.screen import Frame, Screen

if TYPE_CHECKING:
    from db.records.runs import RunRecord

_Progress = TypeVar("_Progress")


class Invoked(Protocol):
    """What a run of the program knows."""

    go_on: str | None
    """The command that continues the run."""

    @property
    def output(self) -> Output:
        """Its streams."""


class View(ABC, Generic[_Progress]):
    """How the progress of one kind of run looks. ``go_on``: the command that continues what the run
    belongs to, if that is not the run itself."""

    def __init__(self, go_on: str = "") -> None:
        self._go_on = go_on

    @abstractmethod
    def run(self, progress: _Progress) -> RunRecord:
        """The run."""

    @abstractmethod
    def names(self, progress: _Progress) -> Sequence[str]:
        """Which run it is, in several lengths, the longest first."""

    @abstractmethod
    def frame(self, progress: _Progress) -> Frame:
        """What a terminal shows."""

    @abstractmethod
    def line(self, progress: _Progress) -> str:
        """How far the run is, in one line for a log."""

    def command(self, progress: _Progress) -> str:
        """The command that continues the run."""
        from toolkit.runs.lifecycle import resume_command

        return self._go_on or resume_command(self.run(progress))

    def heads(self, progress: _Progress) -> Sequence[str]:
        """Which run it is, and how to stop and continue it: in several lengths, the longest
        first."""
        names, command = self.names(progress), self.command(progress)
        if self.is_over(progress):
            return names
        return [
            *(f"{name}   ctrl-c saves and stops; continue with: {command}" for name in names),
            *(f"{name}   ctrl-c stops; {command}" for name in names),
            f"ctrl-c stops; {command}",
            command,
        ]

    def is_over(self, progress: _Progress) -> bool:
        """Whether nothing is left to do; False where something follows the last piece of work."""
        return False

    def news(self, progress: _Progress) -> Sequence[str]:
        """Lines for a log about what happened since the last progress; none where that is too
        often."""
        return ()

    def phase(self, progress: _Progress) -> str:
        """The part of the run; a log says where a new one begins. The first is ``""`` where that
        says nothing."""
        return ""


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


def _stamped(line: str) -> str:
    """A line of a log with its time: ``2026-11-21T10:02:30Z r3f9 230/600 eta=12m43s``."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {line}"
