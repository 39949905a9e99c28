"""``mtdf events``: listing, showing, naming and removing events."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from toolkit.base.format import format_count
from toolkit.base.output import Output
from toolkit.commands._base import Group
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, printed_as_data
from toolkit.commands.options.types import EVENT_NAME, WHOLE
from toolkit.commands.runs.housekeeping import (
    NEW_NAME,
    NOTE,
    YES,
    annotate,
    remove,
    rename,
)

if TYPE_CHECKING:
    from db.records.events import EventRecord


_EVENT = click.argument("event", metavar="EVENT", type=EVENT_NAME)


@click.group(
    "events",
    cls=Group,
    invoke_without_command=True,
    short_help="List, show, rename, annotate and remove events.",
    examples=(
        ("mtdf events", "all events, oldest first"),
        ("mtdf events --json | jq -r '.[-1].id'", "the id of the newest event"),
        ("mtdf events rm r3f9", "remove an event with its games"),
    ),
)
@CSV
@click.pass_context
def command(ctx: click.Context, as_csv: bool) -> None:
    """List the events with their players, progress, limit and seed, as `events list` does; or show,
    rename, annotate or remove events."""
    if ctx.invoked_subcommand is None:
        ctx.ensure_object(Invocation).announce_backend()
        _list(ctx.ensure_object(Invocation), as_csv)
    elif as_csv:
        raise click.UsageError("--csv: give it after the subcommand", ctx)


@command.command(
    "list",
    short_help="List the events and their progress.",
    examples=(
        ("mtdf events list", "all events, oldest first"),
        ("mtdf events list -v", "also their notes"),
    ),
)
@CSV
@click.pass_obj
def list_command(invocation: Invocation, as_csv: bool) -> None:
    """List the events with their players, progress, limit and seed; with -v also their notes."""
    _list(invocation, as_csv)


@command.command(
    "show",
    short_help="Show one event.",
    examples=(
        ("mtdf events show last", "progress, limit, book, players and note of the newest event"),
        ("mtdf events show r3f9 --json", "as JSON"),
        ("mtdf events show last --toml > again.toml", "a file for mtdf run"),
    ),
)
@_EVENT
@click.option("--toml", "as_toml", is_flag=True, help="Print the event as a file for `mtdf run`.")
@click.pass_obj
def show_command(invocation: Invocation, event: str, as_toml: bool) -> None:
    """Show an event: its progress, limit, book, players, machines and note."""
    from toolkit.reports.events import event_row
    from toolkit.reports.machines import machines_of
    from toolkit.selection.events import find_event
    from toolkit.show.tables.events import print_event

    if as_toml and invocation.json:
        raise click.UsageError("give either --toml or --json")
    with invocation.database() as db:
        record = find_event(db, event)
        row = event_row(db, record)
        machines = machines_of(db.repository.event_origins(record.id)) if row.limit else []
    if as_toml:
        _print_as_file(invocation.output, record)
        return
    if invocation.output.as_json:
        invocation.output.json_object(row)
    else:
        print_event(invocation.output, row, machines)


@command.command(
    "extend",
    short_help="Plan more game pairs of an event.",
    examples=(
        ("mtdf events extend last --pairs 200", "200 more pairs of each pairing"),
        ("mtdf resume last", "play them"),
    ),
)
@_EVENT
@click.option("--pairs", type=WHOLE, required=True, help="More game pairs per pairing.")
@click.pass_obj
def extend_command(invocation: Invocation, event: str, pairs: int) -> None:
    """Plan more game pairs for each pairing of an event; `mtdf resume` plays them.

    The event is marked as extended: if the result made you go on, its errors are greater than
    printed. A sequential test cannot be extended.
    """
    from toolkit.events.event import extend_event
    from toolkit.reports.events import event_row
    from toolkit.runs.lifecycle import resume_command
    from toolkit.selection.events import find_event

    output = invocation.output
    with invocation.database(writes=True) as db:
        record = extend_event(db, find_event(db, event), pairs)
        row = event_row(db, record)
    if output.as_json:
        output.json_object(row)
        return
    planned = format_count(record.pairs_planned)
    output.text(
        f"event {record.key} now has {planned} pairs; play them with: {resume_command(record)}"
    )


@command.command(
    "rename",
    short_help="Give an event another name.",
    examples=(
        ("mtdf events rename r3f9 nightly", "by id"),
        ("mtdf events rename last 'null move, again'", "the newest event"),
    ),
)
@_EVENT
@NEW_NAME
@click.pass_obj
def rename_command(invocation: Invocation, event: str, name: str) -> None:
    """Give an event another name. NAME follows the rules of --name; a running event keeps its
    name."""
    from toolkit.selection.events import find_event

    rename(invocation, find_event, event, name)


@command.command(
    "annotate",
    short_help="Keep a note with an event.",
    examples=(
        ("mtdf events annotate r3f9 'laptop on battery'", "in place of an earlier note"),
        ("mtdf events annotate last ''", "remove the note"),
    ),
)
@_EVENT
@NOTE
@click.pass_obj
def annotate_command(invocation: Invocation, event: str, text: str) -> None:
    """Set the one-line note of an event; an empty NOTE removes it.
    `events show` and `events list -v` print it."""
    from toolkit.selection.events import find_event

    annotate(invocation, find_event, event, text)


@command.command(
    "rm",
    short_help="Remove events with their games.",
    examples=(
        ("mtdf events rm r3f9", "after a question"),
        ("mtdf events rm r3f9 trial-2 --yes", "without one; then: mtdf db vacuum"),
    ),
)
@click.argument("events", metavar="EVENT...", type=EVENT_NAME, nargs=-1, required=True)
@YES
@click.pass_obj
def rm_command(invocation: Invocation, events: tuple[str, ...], yes: bool) -> None:
    """Remove events with their games, players and failures, all or none. Variants and books that
    nothing else needs go with them; stored rating lists stay. If games of other events repeat a
    removed one, the first of them counts from then on."""
    from toolkit.selection.events import find_event

    remove(invocation, partial(find_event, only=True), events, yes)


def _list(invocation: Invocation, as_csv: bool) -> None:
    from toolkit.reports.events import EventRow, list_events
    from toolkit.selection.events import played_events
    from toolkit.selection.labels import shown_players
    from toolkit.show.tables.events import print_events

    with invocation.database() as db:
        rows = list_events(db)
        shown = shown_players(db, played_events(db))
    output = invocation.output
    if printed_as_data(output, as_csv, EventRow, rows):
        return
    print_events(output, rows, shown)
    if not rows:
        output.hint("no events yet; start one with `mtdf gauntlet` or `mtdf match`")


def _print_as_file(output: Output, event: EventRecord) -> None:
    """The event as a file. Raises UsageError for one that nobody could play again."""
    from toolkit.commands.runs.event_file import event_as_file
    from toolkit.events.event import check_playable
    from toolkit.events.settings import EventSettings

    check_playable(event)
    settings = EventSettings.from_json(event.settings)
    output.data(event_as_file(settings))
