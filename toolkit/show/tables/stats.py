"""What happened in an event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from toolkit.base.format import count_of, format_count, format_share
from toolkit.base.output import Output
from toolkit.base.table import Field
from toolkit.show.tables.h2h import cost_fields

if TYPE_CHECKING:
    from toolkit.reports.event_statistics import EndReasonCount, EventStats, PlayerStats

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
    fields: list[Field[EndReasonCount]] = [
        Field("end reason", lambda row: row.end_reason),
        Field("games", lambda row: format_count(row.games), "right"),
        Field("share", lambda row: format_share(row.share), "right"),
    ]
    output.table(fields, stats.end_reasons, data="--json")


def _print_players(output: Output, stats: EventStats, shown: Mapping[str, str]) -> None:
    from db.records.events import TUNING_KIND

    fields: list[Field[PlayerStats]] = [
        Field("engine", lambda row: shown[row.engine]),
        Field("games", lambda row: format_count(row.games), "right", 1),
        Field("score", lambda row: format_share(row.score), "right"),
        Field("W-L-D", lambda row: f"{row.wins}-{row.losses}-{row.draws}", "right"),
        Field("forfeits", lambda row: format_count(row.forfeits), "right", 2),
        *cost_fields(spare=3),
    ]
    players = stats.players
    if stats.kind == TUNING_KIND:  # the best scores are those of the luckiest points
        players = sorted(players, key=lambda row: (-row.games, row.engine))
    output.table(fields, players[:_MOST_PLAYERS])
    if len(players) > _MOST_PLAYERS:
        left = len(players) - _MOST_PLAYERS
        output.hint(f"{count_of(left, 'more engine')}: --csv or --json has them all")
