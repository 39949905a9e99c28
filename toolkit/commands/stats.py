"""``mtdf stats``: what happened in an event."""

from __future__ import annotations

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.h2h import cost_cells
from toolkit.output import Column, Output, count_of, format_count
from toolkit.report_rows import PlayerStats
from toolkit.rows import EventStats, field_names

_MOST_PLAYERS = 50
"""Lines of the table; the event of a study has a player for every point, thousands of them."""


@click.command(
    "stats",
    cls=Command,
    short_help="Tell how an event went: results, ends, lengths, search cost.",
    examples=(
        ("mtdf stats last", "of the newest event"),
        ("mtdf stats r3f9 --json | jq .end_reasons", "how its games ended"),
        ("mtdf stats last --csv > players.csv", "its players, for a spreadsheet"),
    ),
)
@click.argument("event", metavar="EVENT")
@click.option("--csv", "as_csv", is_flag=True, help="Print the players as CSV.")
@click.pass_context
def command(ctx: click.Context, event: str, as_csv: bool) -> None:
    """Tell how an event went: results, ends and lengths of its games, scores and search cost of
    its players. EVENT is an id, a name, or last; repeated games are in all numbers."""
    from toolkit.event_statistics import event_stats

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    if output.as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other", ctx)
    with invocation.database() as db:
        stats = event_stats(db, event)
    if output.as_json:
        output.json_object(stats)
    elif as_csv:
        output.csv_rows(field_names(PlayerStats), stats["players"])
    else:
        _print(output, stats)


def _after_stop(pairs: int) -> list[tuple[str, str]]:
    """A line on what a sequential test left out, where it did."""
    finished = f"{count_of(pairs, 'pair')} finished after the stop, not of the test"
    return [("after stop", finished)] if pairs else []


def _search(stats: EventStats) -> str:
    """What all searches cost; of imported games nobody knows."""
    if stats["nodes"] is None or stats["cpu_us"] is None:
        return "--"
    return f"{format_count(stats['nodes'])} nodes, {stats['cpu_us'] / 1e6:.1f} s of CPU"


def _print(output: Output, stats: EventStats) -> None:
    games = stats["games"]

    def share(number: int) -> str:
        return f"{format_count(number)} ({100 * number / games:.1f} %)"

    name = f' "{stats["name"]}"' if stats["name"] else ""
    book = stats["book"] or "none (imported)"
    for title, text in (
        ("event", f"{stats['id']}{name}, {stats['kind']}, {stats['status']}"),
        ("book", book + (f" slice {stats['book_slice']}" if stats["book_slice"] else "")),
        ("games", f"{format_count(games)}, {format_count(stats['repeated_games'])} repeat others"),
        *_after_stop(stats["after_stop"]),
        (
            "results",
            f"White won {share(stats['white_wins'])}, drawn {share(stats['draws'])}, "
            f"Black won {share(stats['black_wins'])}; White scored "
            f"{100 * stats['white_score']:.1f} %",
        ),
        (
            "plies",
            f"{stats['plies']:.1f} on average, {stats['least_plies']} to {stats['most_plies']}",
        ),
        ("search", _search(stats)),
    ):
        output.text(f"{title:<8} {text}")
    output.text()
    columns = [Column("end reason"), Column("games", "right"), Column("share", "right")]
    output.table(
        columns,
        [
            (row["end_reason"], format_count(row["games"]), f"{100 * row['share']:.1f} %")
            for row in stats["end_reasons"]
        ],
    )
    output.text()
    columns = [
        Column("engine"),
        *(
            Column(title, "right")
            for title in ("games", "score", "W-L-D", "forfeits", "nodes/move", "CPU ms/move")
        ),
        Column("nodes/s", "right"),
    ]
    from db.records import TUNING_KIND

    players = stats["players"]
    if stats["kind"] == TUNING_KIND:  # the best scores are those of the luckiest points
        players = sorted(players, key=lambda row: (-row["games"], row["engine"]))
    output.table(columns, [_cells(row) for row in players[:_MOST_PLAYERS]])
    if len(players) > _MOST_PLAYERS:
        left = len(players) - _MOST_PLAYERS
        output.hint(f"{count_of(left, 'more engine')}: --csv or --json has them all")


def _cells(row: PlayerStats) -> tuple[str, ...]:
    return (
        row["engine"],
        format_count(row["games"]),
        f"{100 * row['score']:.1f} %",
        f"{row['wins']}-{row['losses']}-{row['draws']}",
        format_count(row["forfeits"]),
        *cost_cells(row),
    )
