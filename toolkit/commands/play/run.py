"""``mtdf run``: an event from a file."""

from __future__ import annotations

import click

from toolkit.commands import load_command
from toolkit.commands._base import Command


@click.command(
    "run",
    cls=Command,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    examples=(
        ("mtdf run gauntlet.toml", "play it"),
        ("mtdf run gauntlet.toml --jobs 2 --name again", "with other options than the file has"),
        ("mtdf show last --toml > again.toml", "write a file of the newest event"),
    ),
)
@click.argument("file", metavar="FILE")
@click.argument("options", metavar="[OPTION]...", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def command(ctx: click.Context, /, file: str, options: tuple[str, ...]) -> None:
    """Play the event that FILE describes: `command`, its options, and [[engine]] tables.

    Each OPTION is one of the command, such as --jobs 2, and replaces that of the file.
    `mtdf show EVENT --toml` writes such a file.
    """
    from toolkit.commands.runs.run_file import NAMED_BY_FILE, ROLES, read_run_file

    commands = {name: found for name in ROLES if (found := load_command(name)) is not None}
    wanted = read_run_file(file, commands, options)
    playing = commands[wanted.command]
    with playing.make_context(wanted.command, list(wanted.arguments), parent=ctx.parent) as inner:
        inner.meta[NAMED_BY_FILE] = wanted.names
        playing.invoke(inner)
