"""How a running run of the laboratory looks: lines for a terminal, a line for a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.base.format import count_of, format_count, format_duration
from toolkit.show.live.progress import View
from toolkit.show.live.screen import Frame, Line, dropping, format_bar

if TYPE_CHECKING:
    from db.records.laboratory import LabRunRecord
    from toolkit.lab.run import LabProgress


class LabView(View["LabProgress"]):
    """How a run looks while it searches."""

    def run(self, progress: LabProgress) -> LabRunRecord:
        """The run."""
        return progress.run

    def names(self, progress: LabProgress) -> list[str]:
        """Which run it is."""
        return [f"run {progress.run.name}"]

    def frame(self, progress: LabProgress) -> Frame:
        """A head, and how far it is."""
        lengths = [f" {text}" for text in _progress_lengths(progress)]
        return [Line(self.heads(progress)), Line(lengths)]

    def line(self, progress: LabProgress) -> str:
        """``lab-1 230/600 eta=12m43s``."""
        eta = format_duration(0.0 if self.is_over(progress) else progress.eta_s)
        return f"{progress.run.name} {progress.done}/{progress.total} eta={eta}"

    def is_over(self, progress: LabProgress) -> bool:
        """Whether nothing is left to search."""
        return progress.done >= progress.total


def _progress_lengths(progress: LabProgress) -> list[str]:
    """How far a run is, in all lengths: searches done and the time left always stay."""
    share = progress.done / max(progress.total, 1)
    searches = count_of(progress.total, "search", "searches")
    parts = [(f"{format_count(progress.done)}/{searches}", 0), (f"{100 * share:.0f} %", 1)]
    if progress.eta_s is not None:
        parts.append((f"ETA {format_duration(progress.eta_s)}", 0))
    lengths = dropping(parts, " · ")
    return [f"{format_bar(share)}  {lengths[0]}", *lengths]
