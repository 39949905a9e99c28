"""How a sequential test is shown, and how long one will take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from toolkit.base.format import (
    count_of,
    format_count,
    format_ends,
    format_interval,
    format_los,
    format_number,
    format_share,
)
from toolkit.base.output import Output
from toolkit.base.table import Field

if TYPE_CHECKING:
    from toolkit.reports.sprt import SprtOutcome, SprtPlanRow, SprtRow


_UNITS = {"normalized": "nElo", "logistic": "Elo", "bayesian": "BayesElo"}


def print_test(output: Output, row: SprtOutcome, names: Sequence[str]) -> None:
    """A test as text; ``names``: what to call the engine under test and its base."""
    output.text(verdict_text(row, names))
    test = structs.replace(row.test, verdict=row.verdict)
    for line in test_lines(test, stopped=row.verdict in ("H0", "H1")):
        output.text(line)
    losses, draws, wins = row.trinomial
    games = losses + draws + wins
    score = f" ({100 * (wins + draws / 2) / games:.2f} %)" if games else ""
    output.text(
        f"Games {format_count(games)}  W {format_count(wins)}  L {format_count(losses)}  "
        f"D {format_count(draws)}{score}  Ptnml {row.pentanomial}"
    )
    if row.after_stop:
        output.text(f"{count_of(row.after_stop, 'pair')} finished after the stop, left out")


def verdict_text(row: SprtOutcome, names: Sequence[str]) -> str:
    """The verdict in words: which of the two hypotheses was preferred to the other, no more."""
    test, base = names
    elo0, elo1 = (_signed(elo) for elo in (row.test.elo0, row.test.elo1))
    unit = _UNITS[row.test.model]
    if row.verdict == "H1":
        return f"H1 accepted: {test} against {base} at least {elo1} {unit} rather than {elo0}"
    if row.verdict == "H0":
        return f"H0 accepted: {test} against {base} at most {elo0} {unit} rather than {elo1}"
    return f"inconclusive: {row.reason}" if row.verdict != "continue" else row.reason


def _signed(elo: float) -> str:
    return f"{elo:+g}" if elo else "0"


def test_lines(row: SprtRow, *, stopped: bool = False) -> list[str]:
    """Estimates and likelihood ratio of a test."""
    bias = "95 %, biased away from the middle by the stop" if stopped else "95 %"
    if row.any_look:
        bias += ", valid at any look"
    ends = row.elo_low95, row.elo_high95
    interval = format_interval(row.elo, row.elo_error95, *ends)
    lines = [
        f"Elo  {format_number(row.elo, signed=True)} {interval} "
        f"({bias})   nElo {format_number(row.nelo, signed=True)} ± "
        f"{format_number(row.nelo_error95)}   LOS {format_los(row.los)}"
    ]
    if row.elo_unbiased is None:
        if row.elo_unbiased_note:
            lines.append(f"no estimate corrected for a stop: {row.elo_unbiased_note}")
    else:
        ends = row.elo_unbiased_low95, row.elo_unbiased_high95
        lines.append(
            f"Elo  {format_number(row.elo_unbiased, signed=True)} {format_ends(*ends)} "
            "(95 %, median-unbiased: the stop is taken into account)"
        )
    lines.append(llr_text(row))
    return lines


def llr_text(row: SprtRow) -> str:
    """The likelihood ratio between its bounds, the hypotheses and the verdict."""
    return (
        f"LLR  {format_number(row.llr, 2)} ({row.lower:.2f}, {row.upper:.2f}) "
        f"[{row.elo0:g}, {row.elo1:g}] {row.model}   {row.verdict}"
    )


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
