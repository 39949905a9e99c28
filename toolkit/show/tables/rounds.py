"""How an event in rounds is printed: bracket, standings, or what is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from toolkit.base.format import count_of, format_number
from toolkit.base.output import Output
from toolkit.base.table import Column

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
    if goal.stop_when == "order":
        known = f"{count_of(goal.unsettled, 'pairing')} unsettled, {known}"
        if goal.zone:
            known = f"zone ±{goal.zone:g} Elo, {known}"
    return f"goal {goal.stop_when}: {reached} after {count_of(goal.rounds, 'round')}; {known}"


def _print_meetings(
    output: Output, report: RoundsReport, kind: str, shown: Mapping[str, str]
) -> None:
    """Every meeting, a round or stage after the other."""
    columns = [
        Column("round" if kind == "swiss" else "stage", spare=1),
        *(Column("engine"), Column("score", "right"), Column("opponent")),
    ]
    if kind == "knockout":
        columns.append(Column("winner"))
    cells: list[list[str]] = []
    before = 0
    for row in report.meetings:
        title = row.title if kind == "knockout" else str(row.round)
        line = [
            title if row.round != before else "",
            shown.get(row.first, row.first),
            _score(row),
            "bye" if row.second is None else shown.get(row.second, row.second),
        ]
        if kind == "knockout":
            winner = "" if row.winner is None else shown.get(row.winner, row.winner)
            line.append(f"{winner} (better seed)" if row.by_seed else winner)
        cells.append(line)
        before = row.round
    output.table(columns, cells)


def _score(row: RoundMeeting) -> str:
    if row.second is None:
        return "--"
    return f"{row.first_points:g} - {row.second_points:g}"


def _print_standings(
    output: Output, report: RoundsReport, kind: str, shown: Mapping[str, str]
) -> None:
    """The places."""
    columns = [Column("place", "right"), Column("engine")]
    if kind == "swiss":
        columns += [
            *(Column("points", "right"), Column("Buchholz", "right", 2)),
            Column("Sonneborn-Berger", "right", 3),
        ]
    else:
        columns.append(Column("out in", spare=2))
    columns += [Column("game points", "right", 1), Column("games", "right", 1)]
    output.table(columns, [_standing(row, kind, shown) for row in report.standings])


def _standing(row: StandingRow, kind: str, shown: Mapping[str, str]) -> list[str]:
    cells = ["--" if row.place is None else str(row.place)]
    cells.append(shown.get(row.engine, row.engine))
    if kind == "swiss":
        tie_breaks = (row.points, row.buchholz, row.sonneborn_berger)
        cells += ["--" if value is None else f"{value:g}" for value in tie_breaks]
    else:
        cells.append(row.out_in or "--")
    return [*cells, f"{row.game_points:g}", str(row.games)]
