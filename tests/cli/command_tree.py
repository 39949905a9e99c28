"""All commands of the program, from the tree of click, so that no test misses a new one."""

from __future__ import annotations

from collections.abc import Iterator

import click

from cli import program


def _walk(words: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield words, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=words)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from _walk(f"{words} {name}".strip(), child)


COMMANDS = dict(_walk("", program))
"""Commands and groups by their words; those of the program itself are empty."""
LEAVES = {
    words: command
    for words, command in COMMANDS.items()
    if words and (not isinstance(command, click.Group) or command.invoke_without_command)
}
"""Those that do something."""
