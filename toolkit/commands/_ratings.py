"""Printing a rating list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolkit.output import Column, Output, format_count, format_number
from toolkit.rows import RatingLine

if TYPE_CHECKING:
    from toolkit.rating import RatingReport

_COLUMNS = [
    Column("#", "right"),
    Column("engine"),
    Column("Elo", "right"),
    Column("±95", "right"),
    Column("games", "right"),
    Column("score", "right"),
    Column("draws", "right"),
    Column("LOS vs next", "right"),
]


def print_ratings(output: Output, report: RatingReport) -> None:
    """The list as a table, pool after pool, and a line that says what it is."""
    rows = report.rows()
    for number, pool in enumerate(report.ratings.pools):
        if number:
            output.text()
        lines = [row for row in rows if row["pool"] == number]
        output.table(_COLUMNS, [_cells(rank, row) for rank, row in enumerate(lines, start=1)])
        output.text(_model_line(report, pool.error_model, lines))
    _print_left_out(output, report)


def _cells(rank: int, row: RatingLine) -> tuple[str, ...]:
    elo = format_number(row["elo"], signed=True)
    return (
        str(rank),
        row["engine"],
        f"{row['bound']} {elo}" if row["bound"] else elo,
        format_number(row["error95"]),
        format_count(row["games"]),
        _percent(row["score"], 1),
        _percent(row["draws"], 1),
        "" if row["los_next"] is None else _percent(row["los_next"], 0),
    )


def _model_line(report: RatingReport, error_model: str, rows: Sequence[RatingLine]) -> str:
    event = report.settings["event"]
    scope = f"event {event}" if event else "all events"
    return (
        f"ratings: Bradley-Terry with draws, one pool of {len(rows)} engines, "
        f"errors {error_model}, {scope}"
    )


def _print_left_out(output: Output, report: RatingReport) -> None:
    ratings = report.ratings
    if len(ratings.pools) > 1:
        output.text(f"{len(ratings.pools)} pools that no game connects: compare inside each only")
    for number, what in (
        (report.excluded, "repeat others and were left out"),
        (report.self_games, "of an engine against itself were left out"),
        (ratings.left_out, "between pools were left out"),
    ):
        if number:
            output.text(f"{format_count(number)} games {what}")


def _percent(share: float, digits: int) -> str:
    return f"{100 * share:.{digits}f} %"
