"""``mtdf stats``: statistics of an event."""

from __future__ import annotations

from collections.abc import Mapping

import click

from toolkit.base.format import count_of, format_count
from toolkit.base.output import Output
from toolkit.base.rows import field_names
from toolkit.base.table import Column
from toolkit.commands._base import Command
from toolkit.commands._csv import csv_option, refuse_both
from toolkit.commands._invocation import Invocation
from toolkit.commands._types import EVENT_NAME
from toolkit.commands.h2h import cost_cells
from toolkit.reports.event_statistics import EventStats, PlayerStats

_MOST_PLAYERS = 50
"""Lines of the table; the event of a study has a player for every point, thousands of them."""


@click.command(
    "stats",
    cls=Command,
    short_help="Show results, end reasons, lengths and search cost of an event.",
    examples=(
        ("mtdf stats last", "the newest event"),
        ("mtdf stats r3f9 --json | jq .end_reasons", "how its games ended"),
        ("mtdf stats last --csv > players.csv", "its players, for a spreadsheet"),
    ),
)
@click.argument("event", metavar="EVENT", type=EVENT_NAME)
@csv_option("Print the players as CSV.")
@click.pass_context
def command(ctx: click.Context, event: str, as_csv: bool) -> None:
    """Show statistics of an event: results, end reasons and lengths of the games, scores and search
    cost of the players. EVENT is an id, a name, or last. Repeated games are included."""
    from toolkit.reports.event_statistics import event_stats
    from toolkit.reports.load import load_text
    from toolkit.selection.events import find_event
    from toolkit.selection.labels import shown_players

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    refuse_both(output, as_csv)
    with invocation.database() as db:
        record = find_event(db, event)
        stats = event_stats(db, record)
        shown = shown_players(db, [record])[record.key]
        load = load_text(db, record)
    if output.as_json:
        output.json_object(stats)
    elif as_csv:
        output.csv_rows(field_names(PlayerStats), stats.players)
    else:
        print_stats(output, stats, shown)
    if load:
        output.warning(load)


def print_stats(output: Output, stats: EventStats, shown: Mapping[str, str] | None = None) -> None:
    """What happened in an event; ``shown`` are the names of its players in tables."""
    from toolkit.reports.event_statistics import stats_facts

    for title, text in stats_facts(stats):
        output.text(f"{title:<8} {text}")
    output.text()
    _print_end_reasons(output, stats)
    output.text()
    _print_players(
        output, stats, shown or {row.engine: row.engine for row in stats.players}
    )


def _print_end_reasons(output: Output, stats: EventStats) -> None:
    columns = [Column("end reason"), Column("games", "right"), Column("share", "right")]
    cells = [
        (row.end_reason, format_count(row.games), f"{100 * row.share:.1f} %")
        for row in stats.end_reasons
    ]
    output.table(columns, cells, data="--json")


def _print_players(output: Output, stats: EventStats, shown: Mapping[str, str]) -> None:
    from db.records import TUNING_KIND

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
