"""The command line: the click group, which loads each command on demand."""

from __future__ import annotations

import gc
import signal
import sys

import click

from toolkit.commands import FORMER, SECTIONS, command_names, load_command
from toolkit.commands._base import Group
from toolkit.commands._program import run_program


class Program(Group):
    """The root group; its commands are files of :mod:`toolkit.commands`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of the help page."""
        return command_names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        return load_command(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command. Raises UsageError, for a former one with what to use instead."""
        words = [word for word in args if not word.startswith("-")]
        for name in (args[0], " ".join(words[:2])):
            if name in FORMER and not ctx.resilient_parsing:
                raise click.UsageError(f"'{name}' {FORMER[name]}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands under the headings of :data:`toolkit.commands.SECTIONS`."""
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))


@click.group(
    cls=Program,
    context_settings={"help_option_names": ["-h", "--help"]},
    examples=(
        ("mtdf gauntlet --hero mtdf --field pvs --pairs 20 --nodes 2000", "a small gauntlet"),
        ("mtdf ratings", "which engine is stronger, by how much, and with what certainty"),
    ),
)
def program() -> None:
    """Tournaments and tuning for game-tree search, built around MTD(f), in chess and other games
    (`--game`). A database (SQLite, or PostgreSQL) keeps all games and results."""


_COLLECTED_AFTER = 100_000
"""New objects between two searches for cycles. With Python's 700 these searches take a tenth of the
start of a command, though all that is imported stays."""


def main() -> None:
    """Entry point of the console script ``mtdf``."""
    gc.set_threshold(_COLLECTED_AFTER)
    code = run_program(program, sys.argv[1:])
    # All output is written and all data saved: from here on Ctrl-C just ends the process.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.freeze()  # the interpreter's last search for cycles would take a fifth of a short command
    sys.exit(code)


if __name__ == "__main__":
    main()
