"""What happened in an event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from toolkit.base.format import count_of, format_count
from toolkit.base.output import Output
from toolkit.base.table import Column
from toolkit.show.tables.h2h import cost_cells

if TYPE_CHECKING:
    from toolkit.reports.event_statistics import EventStats, PlayerStats

_MOST_PLAYERS = 50
"""Lines of the table; the event of a study has a player for every point, thousands of them."""


def print_stats(output: Output, stats: EventStats, shown: Mapping[str, str] | None = None) -> None:
    """What happened in an event; ``shown`` are the names of its players in tables."""
    from toolkit.reports.event_statistics import stats_facts

    for title, text in stats_facts(stats):
        output.text(f"{title:<8} {text}")
    output.text()
    print_end_reasons(output, stats)
    output.text()
    _print_players(output, stats, shown or {row.engine: row.engine for row in stats.players})


def print_end_reasons(output: Output, stats: EventStats) -> None:
    """Why games ended."""
    columns = [Column("end reason"), Column("games", "right"), Column("share", "right")]
    cells = [
        (row.end_reason, format_count(row.games), f"{100 * row.share:.1f} %")
        for row in stats.end_reasons
    ]
    output.table(columns, cells, data="--json")


def _print_players(output: Output, stats: EventStats, shown: Mapping[str, str]) -> None:
    from db.records.events import TUNING_KIND

    columns = [
        *(Column("engine"), Column("games", "right", 1), Column("score", "right")),
        *(Column("W-L-D", "right"), Column("forfeits", "right", 2)),
        *(Column("nodes/move", "right", 3), Column("CPU ms/move", "right", 4)),
        Column("nodes/s", "right", 5),
    ]
    players = stats.players
    if stats.kind == TUNING_KIND:  # the best scores are those of the luckiest points
        players = sorted(players, key=lambda row: (-row.games, row.engine))
    output.table(columns, [_cells(shown[row.engine], row) for row in players[:_MOST_PLAYERS]])
    if len(players) > _MOST_PLAYERS:
        left = len(players) - _MOST_PLAYERS
        output.hint(f"{count_of(left, 'more engine')}: --csv or --json has them all")


def _cells(name: str, row: PlayerStats) -> tuple[str, ...]:
    return (
        name,
        format_count(row.games),
        f"{100 * row.score:.1f} %",
        f"{row.wins}-{row.losses}-{row.draws}",
        format_count(row.forfeits),
        *cost_cells(row),
    )
