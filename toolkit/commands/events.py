"""``mtdf events``: listing, showing, naming and removing events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from engines.limit import spell_limit
from engines.registry import PARAMETERS
from toolkit.base.format import count_of, format_core, format_count, format_moment
from toolkit.base.output import Output
from toolkit.base.table import Column
from toolkit.commands._base import Group
from toolkit.commands._csv import CSV, printed_as_data
from toolkit.commands._housekeeping import (
    NEW_NAME,
    NOTE,
    YES,
    annotate,
    print_noted,
    remove,
    rename,
)
from toolkit.commands._invocation import Invocation
from toolkit.commands._types import EVENT_NAME, WHOLE
from toolkit.reports.events import spell_limit_of
from toolkit.reports.rows import EventRow

if TYPE_CHECKING:
    from db.records import EventRecord
    from toolkit.reports.machines import Machine

_NAMES = 12
"""Players that are named in the table."""


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

    if as_toml and invocation.json:
        raise click.UsageError("give either --toml or --json")
    with invocation.database() as db:
        record = find_event(db, event)
        row = event_row(db, record)
        machines = machines_of(db.repository.event_origins(record.id)) if row["limit"] else []
    if as_toml:
        _print_as_file(invocation.output, record)
        return
    if invocation.output.as_json:
        invocation.output.json_object(row)
    else:
        _print_event(invocation.output, row, machines)


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
    from toolkit.play.extension import extend_event
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
    """Keep a note of one line with an event, in place of an earlier one; an empty NOTE removes it.
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
    from toolkit.reports.events import list_events
    from toolkit.selection.events import played_events
    from toolkit.selection.labels import shown_players

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
    from toolkit.commands._event_file import event_as_file
    from toolkit.play.event import check_playable
    from toolkit.play.settings import EventSettings

    check_playable(event)
    settings = EventSettings.from_json(event.settings)
    draw = settings.adjudication.draw
    if draw is not None and not draw.by_number:
        output.warning(
            "the draw rule of this event counted moves from the opening's end, that of the file "
            "counts the game's"
        )
    output.data(event_as_file(settings))


def _print_event(output: Output, row: EventRow, machines: Sequence[Machine]) -> None:
    """One event, a line a field."""
    from toolkit.reports.machines import machines_text

    fields = {
        "event": row["id"],
        "name": row["name"],
        "note": row["note"],
        "game": row["game_played"],
        "kind": row["kind"],
        "status": row["status"],
        "pairs": _pairs(row),
        "extended": _extended(row),
        "changed": ", ".join(row["changed"]),
        "failed": format_count(row["pairs_failed"]) if row["pairs_failed"] else "",
        "engines": _names(row["engines"], row["kind"]),
        "limit": spell_limit_of(row),
        "book": " slice ".join(filter(None, (row["book"], row["book_slice"]))),
        "seed": "" if row["seed"] is None else str(row["seed"]),
        "created": row["created_at"],
        "started": row["started_at"] or "",
        "ended": row["ended_at"] or "",
        "core": format_core(f"{row['backend']}:{row['signature']}"),
        "version": row["version"],
        "machine" if len(machines) == 1 else "machines": machines_text(machines),
    }
    for name, value in fields.items():
        if value:
            output.text(value, lead=f"{name:<8} ")


def _extended(row: EventRow) -> str:
    """That an event was extended, and what that means."""
    if not row["extensions"]:
        return ""
    from toolkit.play.extension import extension_text

    return extension_text(row["extensions"])


def print_events(
    output: Output,
    rows: Sequence[EventRow],
    shown: Mapping[str, Mapping[str, str]] | None = None,
) -> None:
    """Events, one line each; ``shown``: the names of their players, by event and label."""
    shown = shown or {}
    columns = [
        Column("event"),
        Column("name"),
        Column("kind", spare=1),
        Column("status"),
        Column("pairs", "right"),
        Column("limit", spare=3),
        Column("seed", "right", 5),
        Column("started", spare=2),
        Column("engines", spare=6),
    ]
    cells: list[tuple[str, ...]] = [
        (
            row["id"],
            row["name"] or "--",
            row["kind"],
            row["status"],
            _pairs(row),
            spell_limit(row["limit"]),
            "--" if row["seed"] is None else str(row["seed"]),
            format_moment(row["started_at"]),
            _names(
                [shown.get(row["id"], {}).get(name, name) for name in row["engines"]], row["kind"]
            ),
        )
        for row in rows
    ]
    if any(row["book_slice"] for row in rows):
        columns.insert(6, Column("slice", "right", 4))
        cells = [
            (*cell[:6], row["book_slice"] or "--", *cell[6:])
            for cell, row in zip(cells, rows, strict=True)
        ]
    if any(row["game_played"] != PARAMETERS["game"].neutral for row in rows):
        columns.insert(2, Column("game"))
        cells = [
            (*cell[:2], row["game_played"], *cell[2:])
            for cell, row in zip(cells, rows, strict=True)
        ]
    print_noted(output, columns, cells, [row["note"] for row in rows])


def _pairs(row: EventRow) -> str:
    """Pairs done and planned, and games without a partner."""
    pairs = f"{format_count(row['pairs_done'])}/{format_count(row['pairs_planned'])}"
    return f"{pairs} +{count_of(row['singles'], 'game')}" if row["singles"] else pairs


def _names(engines: Sequence[str], kind: str) -> str:
    """Some of the names; imports have thousands. The points of a study are only counted: their
    names are the numbers of trials."""
    from db.records import TUNING_KIND

    if kind == TUNING_KIND:
        named = [name for name in engines if not name.startswith("#")]
        points = count_of(len(engines) - len(named), "point")
        return f"{', '.join(named)} and {points} of the study"
    more = len(engines) - _NAMES
    return ", ".join(engines[:_NAMES]) + (f" and {format_count(more)} more" if more > 0 else "")
