"""A fitted first guess."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.base.format import count_of, format_number
from toolkit.base.output import Output
from toolkit.base.table import Column

if TYPE_CHECKING:
    from toolkit.lab.fits.rows import LabFitReport


def print_fit(output: Output, report: LabFitReport) -> None:
    """The fitted variant and its gain."""
    output.text(f"engine  {report['engine']}")
    output.text(
        f"fitted  to {count_of(report['fitted'], 'position')} of {report['suite']}, depth "
        f"{report['depth']}; measured on {report['held_out']} others"
    )
    output.text(
        f"runs    {', '.join(report['runs'])} (mtdf {', '.join(report['versions'])}, "
        f"{report['backend']} core {report['signature']}); measured by {report['measured_by']}"
    )
    for note in report["notes"]:
        output.text(f"note    {note}")
    high, low, share = report["cost_high"], report["cost_low"], report["share_above"]
    if high is not None and low is not None and share is not None:
        too_low = _interval(report["cost_high_low95"], report["cost_high_high95"], 2, 100)
        too_high = _interval(report["cost_low_low95"], report["cost_low_high95"], 2, 100)
        output.text(
            f"costs   of a guess too low {100 * high:.2f} %{' ' * bool(too_low)}{too_low} of the "
            f"iteration's nodes per centipawn, too high {100 * low:.2f} %{' ' * bool(too_high)}"
            f"{too_high}: {100 * share:.0f} % of values should lie above the guess"
        )
    output.text(f"error   {report['error']:.1f} centipawns on average")
    output.text()
    columns = [Column("against"), Column("error", "right"), Column("smaller by", "right", 1)]
    columns += [Column("[95 %]", spare=2), Column("nodes", "right"), Column("[95 %]")]
    output.cells(
        columns,
        [
            [
                row["against"],
                format_number(row["error"]),
                format_number(row["gain"], 1, signed=True),
                _interval(row["gain_low95"], row["gain_high95"], 1),
                format_number(row["nodes"], 3),
                _interval(row["nodes_low95"], row["nodes_high95"], 3),
            ]
            for row in report["rows"]
        ],
        data="--json",
    )


def _interval(low: float | None, high: float | None, digits: int, times: float = 1) -> str:
    if low is None or high is None:
        return ""
    return f"[{times * low:.{digits}f}, {times * high:.{digits}f}]"
