"""How long a sequential test will take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.base.format import format_number, format_share
from toolkit.base.output import Output
from toolkit.base.table import Field

if TYPE_CHECKING:
    from toolkit.reports.sprt import SprtPlanRow

_MOST_DIGITS = 9


def print_sprt_plan(output: Output, rows: list[SprtPlanRow], *, limited: bool) -> None:
    """The table; a limit has a column for the tests that it ends."""
    digits = _digits([row.true_elo for row in rows])
    fields: list[Field[SprtPlanRow]] = [
        Field("true Elo", lambda row: format_number(row.true_elo, digits, signed=True), "right"),
        Field("Elo", lambda row: format_number(row.elo, digits, signed=True), "right", 2),
        Field("nElo", lambda row: format_number(row.nelo, digits, signed=True), "right", 3),
        Field("pass", lambda row: format_share(row.pass_rate), "right"),
        Field("fail", lambda row: format_share(row.fail_rate), "right", 1),
        Field("no verdict", lambda row: format_share(row.no_verdict_rate), "right", when=limited),
        Field("mean pairs", lambda row: format_number(row.mean_pairs, 0), "right"),
        Field("95 % of runs", lambda row: format_number(row.pairs95, 0), "right"),
    ]
    output.table(fields, rows)


def _digits(elos: list[float]) -> int:
    """Decimal places needed to show these strengths, at least one."""
    exact = 1e-6 * (max(elos) - min(elos))
    for digits in range(1, _MOST_DIGITS):
        if all(abs(round(elo, digits) - elo) <= exact for elo in elos):
            return digits
    return _MOST_DIGITS
