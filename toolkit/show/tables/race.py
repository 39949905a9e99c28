"""How a race is shown, and what one would cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from toolkit.base.format import (
    format_count,
    format_ends,
    format_number,
    format_share,
)
from toolkit.base.output import Output
from toolkit.base.table import Field

if TYPE_CHECKING:
    from toolkit.reports.race import CandidateRow, RaceOutcome, RacePlanRow, RaceState

_MOST_DIGITS = 5
"""Of an e-value that is written out."""


def print_race(output: Output, row: RaceOutcome, shown: Mapping[str, str]) -> None:
    """A race as text; ``shown``: what to call its engines, by label."""
    from toolkit.reports.race import race_text

    output.text(race_text(row.race, row.verdict, shown))
    output.table(candidate_fields(row.race, shown), row.race.candidates)
    output.text(rule_text(row.race, shown))


def rule_text(race: RaceState, shown: Mapping[str, str]) -> str:
    """What the columns mean, and when a candidate is accepted."""
    base = shown.get(race.base, race.base)
    needed, error = evidence_text(race.needed), format_share(race.alpha, 0)
    if race.accept == "one":
        accepted = f"the first with evidence {needed} is accepted; error of the family"
    else:
        accepted = f"m are accepted together at evidence {needed}/m; share of wrong ones"
    return f"Elo over {base} with 95 % intervals valid at any look; {accepted} at most {error}"


def candidate_fields(
    race: RaceState, shown: Mapping[str, str], digits: int = 1
) -> list[Field[CandidateRow]]:
    """The line of a candidate."""
    ranked = any(row.rank is not None for row in race.candidates)
    return [
        Field("rank", lambda row: "" if row.rank is None else str(row.rank), "right", when=ranked),
        Field("candidate", lambda row: shown.get(row.engine, row.engine)),
        Field("verdict", lambda row: row.verdict),
        Field("pairs", lambda row: format_count(row.pairs), "right", 1),
        Field("Elo", lambda row: format_number(row.elo, digits, signed=True), "right"),
        Field(
            "any look", lambda row: format_ends(row.elo_low95, row.elo_high95, digits), "right", 2
        ),
        Field("evidence", lambda row: evidence_text(row.evidence), "right"),
    ]


def evidence_text(log10: float) -> str:
    """An e-value from its logarithm: 0.03, 12.5, 1200, 10^9."""
    if log10 >= _MOST_DIGITS:
        return f"10^{log10:.0f}"
    value = 10.0**log10
    if value < 0.005:
        return "<0.01"
    return format_number(value, 2 if value < 10 else 1 if value < 100 else 0)


def print_race_plan(output: Output, rows: list[RacePlanRow]) -> None:
    """A line for each way to test a family."""
    fields: list[Field[RacePlanRow]] = [
        Field("way", lambda row: row.way),
        Field("mean pairs", lambda row: format_number(row.pairs, 0), "right"),
        Field("one accepted", lambda row: format_share(row.found), "right"),
        Field("wrongly", lambda row: format_share(row.wrong), "right"),
        Field("gain", lambda row: format_number(row.gain, 2, signed=True), "right"),
    ]
    output.table(fields, rows)
