"""``mtdf report``: events, studies and laboratory runs as one file of HTML."""

from __future__ import annotations

from pathlib import Path

import click

from toolkit.base.files import check_place, write_output
from toolkit.base.format import count_of, format_count
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.types import EVENT_NAME, LAB_RUN, STUDY, WHOLE


@click.command(
    "report",
    cls=Command,
    examples=(
        ("mtdf report --event last -o match.html", "one event, with its games to play through"),
        ("mtdf report --event r3f9 --study better -o both.html", "an event and a tuning study"),
        ("mtdf report --all -o all.html", "everything in the database"),
    ),
)
@click.option(
    "--event",
    "events",
    metavar="EVENT",
    type=EVENT_NAME,
    multiple=True,
    help="Include this event: id, name, or last (may be repeated).",
)
@click.option(
    "--study",
    "studies",
    metavar="STUDY",
    type=STUDY,
    multiple=True,
    help="Include this tuning study (may be repeated).",
)
@click.option(
    "--lab",
    "labs",
    metavar="RUN",
    type=LAB_RUN,
    multiple=True,
    help="Include this laboratory run (may be repeated).",
)
@click.option("--all", "everything", is_flag=True, help="Include all of them, and all ratings.")
@click.option("--output", "-o", metavar="FILE", required=True, help="Write this file.")
@click.option(
    "--games",
    metavar="N",
    type=WHOLE,
    default=200,
    show_default=True,
    help="Include the moves of N games, shared out between the events.",
)
@click.pass_context
def command(
    ctx: click.Context,
    events: tuple[str, ...],
    studies: tuple[str, ...],
    labs: tuple[str, ...],
    everything: bool,
    output: str,
    games: int,
) -> None:
    """Write a report: one HTML file with verdicts, settings, ratings, charts, games and a game
    viewer. It needs no network and no other file; send it to anybody."""
    from toolkit.show.pages.report import find_runs, make_report

    named = bool(events or studies or labs)
    if named == everything:
        raise click.UsageError("give --event, --study or --lab, or else --all", ctx)
    invocation = ctx.ensure_object(Invocation)
    place = Path(output)
    check_place(place)
    with invocation.database() as db, db.one_moment():
        chosen = find_runs(db, events, studies, labs) if named else None
        report = make_report(db, chosen, games=games)
    write_output(place, report.html)
    row = report.row(output)
    if invocation.output.as_json:
        invocation.output.json_object(row)
        return
    invocation.output.text(
        f"wrote {output}: {count_of(row.chapters, 'chapter')}, {format_count(row.bytes)} bytes"
    )
    if row.games:
        invocation.output.text(
            f"{format_count(row.games_with_moves)} of {count_of(row.games, 'game')} have "
            f"their moves in it, {format_count(row.games_listed)} are listed"
        )
    if row.games_with_moves < row.games:
        invocation.output.hint("--games N includes the moves of more games")
