"""How an event in rounds is printed: bracket, standings, or what is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from toolkit.base.format import count_of, format_number
from toolkit.base.output import Output
from toolkit.base.table import Field

if TYPE_CHECKING:
    from toolkit.reports.rounds import GoalRow, RoundMeeting, RoundsReport, StandingRow


def print_rounds(output: Output, report: RoundsReport, kind: str, shown: Mapping[str, str]) -> None:
    """The state of an event in rounds; ``shown``: what tables call its players, by label."""
    if report.goal is not None:
        output.text(goal_line(report.goal))
    else:
        _print_meetings(output, report, kind, shown)
        output.text()
        _print_standings(output, report, kind, shown)
    output.text()


def goal_line(goal: GoalRow) -> str:
    """Whether the goal of an adaptive event is reached, and what is known."""
    reached = "reached" if goal.reached else "not reached"
    error = goal.largest_error95
    known = "no error known" if error is None else f"largest error ±{format_number(error)} Elo"
    if goal.stop_when == "decided":
        known = f"{goal.unsettled} undecided, {known}"
    if goal.stop_when == "order":
        known = f"{count_of(goal.unsettled, 'pairing')} unsettled, {known}"
        if goal.zone:
            known = f"zone ±{goal.zone:g} Elo, {known}"
    return f"goal {goal.stop_when}: {reached} after {count_of(goal.rounds, 'round')}; {known}"


def _print_meetings(
    output: Output, report: RoundsReport, kind: str, shown: Mapping[str, str]
) -> None:
    """Every meeting, a round or stage after the other."""
    is_swiss = kind == "swiss"
    first = {row.round: row for row in reversed(report.meetings)}  # of each round
    fields: list[Field[RoundMeeting]] = [
        Field(
            "round" if is_swiss else "stage",
            lambda row: (
                (str(row.round) if is_swiss else row.title) if first[row.round] is row else ""
            ),
            spare=1,
        ),
        Field("engine", lambda row: shown.get(row.first, row.first)),
        Field("score", _score, "right"),
        Field(
            "opponent",
            lambda row: "bye" if row.second is None else shown.get(row.second, row.second),
        ),
        Field(
            "winner",
            lambda row: (
                ""
                if row.winner is None
                else shown.get(row.winner, row.winner) + " (better seed)" * row.by_seed
            ),
            when=not is_swiss,
        ),
    ]
    output.table(fields, report.meetings)


def _score(row: RoundMeeting) -> str:
    if row.second is None:
        return "--"
    return f"{row.first_points:g} - {row.second_points:g}"


def _print_standings(
    output: Output, report: RoundsReport, kind: str, shown: Mapping[str, str]
) -> None:
    """The places."""
    is_swiss = kind == "swiss"
    fields: list[Field[StandingRow]] = [
        Field("place", lambda row: None if row.place is None else str(row.place), "right"),
        Field("engine", lambda row: shown.get(row.engine, row.engine)),
        Field("points", lambda row: _points(row.points), "right", when=is_swiss),
        Field("Buchholz", lambda row: _points(row.buchholz), "right", 2, when=is_swiss),
        Field(
            "Sonneborn-Berger",
            lambda row: _points(row.sonneborn_berger),
            "right",
            3,
            when=is_swiss,
        ),
        Field("out in", lambda row: row.out_in or None, spare=2, when=not is_swiss),
        Field("game points", lambda row: f"{row.game_points:g}", "right", 1),
        Field("games", lambda row: str(row.games), "right", 1),
    ]
    output.table(fields, report.standings)


def _points(value: float | None) -> str | None:
    return None if value is None else f"{value:g}"
