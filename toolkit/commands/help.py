"""``mtdf help``: the help page of a command."""

from __future__ import annotations

from collections.abc import Sequence

import click
from click.shell_completion import CompletionItem

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation


class CommandWord(click.ParamType[str]):
    """A word of a command's name; completed after the words before it."""

    name = "command"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """The commands of the group named by the words before it."""
        words = ctx.params.get("words") or ()
        try:
            found = _context_of(ctx.find_root(), words)
        except click.UsageError:
            return []
        group = found.command
        names = group.list_commands(found) if isinstance(group, click.Group) else []
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


@click.command(
    "help",
    cls=Command,
    short_help="Show the help of a command.",
    examples=(
        ("mtdf help", "all commands"),
        ("mtdf help ratings", "same as `mtdf ratings --help`, or `-h`"),
        ("mtdf help lab compare", "a command inside a group"),
    ),
)
@click.argument("words", metavar="[COMMAND]...", type=CommandWord(), nargs=-1)
@click.pass_context
def command(ctx: click.Context, words: Sequence[str]) -> None:
    """Show the help of a command, or list all commands."""
    ctx.ensure_object(Invocation).reject_json(ctx, "help is plain text")
    found = _context_of(ctx.find_root(), words)
    click.echo(found.command.get_help(found))


def _context_of(root: click.Context, words: Sequence[str]) -> click.Context:
    """The context of the command named by the words. Raises UsageError if there is none."""
    found = root
    for word in words:
        group = found.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{found.command_path} has no command '{word}'", found)
        name, inner, _ = group.resolve_command(found, [word])
        assert inner is not None
        found = click.Context(inner, info_name=name, parent=found)
    return found
