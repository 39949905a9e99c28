"""The chart of a laboratory run of any kind."""

from __future__ import annotations

from toolkit.lab.views import LabReport
from toolkit.show.charts.curves import curves_picture
from toolkit.show.charts.picture import Picture
from toolkit.show.charts.threads import threads_picture


def lab_picture(report: LabReport) -> Picture:
    """Nodes and passes of a comparison or a sweep, gains by threads of a run of kind ``parallel``.
    Raises NothingMatched if there is nothing to draw."""
    return threads_picture(report) if report.kind == "parallel" else curves_picture(report)
