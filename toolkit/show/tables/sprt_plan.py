"""How long a sequential test will take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.base.format import format_number
from toolkit.base.output import Output
from toolkit.base.table import Column

if TYPE_CHECKING:
    from toolkit.reports.sprt import SprtPlanRow

_MOST_DIGITS = 9


def print_sprt_plan(output: Output, rows: list[SprtPlanRow], *, limited: bool) -> None:
    """The table; a limit has a column for the tests that it ends."""
    titles = ["true Elo", "Elo", "nElo", "pass", "fail"]
    titles += ["no verdict"] if limited else []
    digits = _digits([row.true_elo for row in rows])
    cells = []
    for row in rows:
        elos = (row.true_elo, row.elo, row.nelo)
        rates = [row.pass_rate, row.fail_rate]
        rates += [row.no_verdict_rate] if limited else []
        cells.append(
            [
                *(format_number(elo, digits, signed=True) for elo in elos),
                *(f"{100 * rate:.1f} %" for rate in rates),
                *(format_number(pairs, 0) for pairs in (row.mean_pairs, row.pairs95)),
            ]
        )
    titles += ["mean pairs", "95 % of runs"]
    spare = {"nElo": 3, "Elo": 2, "fail": 1}
    output.table([Column(title, "right", spare.get(title, 0)) for title in titles], cells)


def _digits(elos: list[float]) -> int:
    """Decimal places needed to show these strengths, at least one."""
    exact = 1e-6 * (max(elos) - min(elos))
    for digits in range(1, _MOST_DIGITS):
        if all(abs(round(elo, digits) - elo) <= exact for elo in elos):
            return digits
    return _MOST_DIGITS
