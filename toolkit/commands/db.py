"""``mtdf db``: what is in the database, and whether it is sound."""

from __future__ import annotations

import click

from toolkit.commands._base import Group
from toolkit.commands._invocation import Invocation
from toolkit.output import format_count
from toolkit.rows import DatabaseCheck


@click.group(
    "db",
    cls=Group,
    examples=(
        ("mtdf db info", "schema, size, numbers of games and events"),
        ("mtdf db check", "read all of it and look for damage"),
    ),
)
def command() -> None:
    """Look at the database itself."""


@command.command(
    "info",
    examples=(
        ("mtdf db info", "of the database in use"),
        ("mtdf db info --db other.db --json", "of another one"),
    ),
)
@click.pass_obj
def info_command(invocation: Invocation) -> None:
    """Schema, size, numbers of events, engines and games, and what is being played."""
    from toolkit.upkeep import database_info

    with invocation.database() as db:
        info = database_info(db)
    output = invocation.output
    if output.as_json:
        output.json_object(info)
        return
    size = "--" if info["bytes"] is None else f"{info['bytes'] / 1e6:.1f} MB"
    running = ", ".join(f"{key} (process {pid})" for key, pid in info["running"].items())
    for name, value in (
        ("database", info["database"]),
        ("schema", str(info["schema"])),
        ("size", size),
        ("events", format_count(info["events"])),
        ("engines", format_count(info["engines"])),
        ("games", format_count(info["games"])),
        ("repetitions", format_count(info["excluded_games"])),
        ("rating lists", format_count(info["rating_lists"])),
        ("being played", running or "nothing"),
    ):
        output.text(f"{name:<13} {value}")


@command.command(
    "check",
    examples=(
        ("mtdf db check", "exit code 0 when it is sound, 3 when it is damaged"),
        ("mtdf db check --db copy.db", "another one"),
    ),
)
@click.pass_obj
def check_command(invocation: Invocation) -> None:
    """Read the whole database and look for damage."""
    with invocation.database() as db:
        db.check()
        name = db.name
    output = invocation.output
    if output.as_json:
        output.json_object(DatabaseCheck(database=name, sound=True))
    else:
        output.text(f"{name} is sound")
