"""``mtdf engines add`` and ``rm``: external engines that the database keeps under names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.players import kept_engines
from toolkit.commands.options.types import KEPT_ENGINE

COMMAND_WORDS = {"ignore_unknown_options": True}
"""For commands that end with the command line of an engine: its options are not ours."""


class PairType(click.ParamType[tuple[str, str]]):
    """``K=V``."""

    name = "pair"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """How the help names the value."""
        return "K=V"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Split at the first sign."""
        if isinstance(value, tuple):
            return value
        key, sign, text = str(value).partition("=")
        if not sign or not key.strip():
            self.fail(f"`{str(value)[:60]}` is not of the form K=V", param, ctx)
        return key.strip(), text.strip()


_PAIR = PairType()


@click.command(
    "add",
    cls=Command,
    context_settings=COMMAND_WORDS,
    short_help="Keep an external engine under a name.",
    examples=(
        ("mtdf engines add sf stockfish --option Hash=64", "a program of the PATH"),
        ("mtdf engines add gnu gnuchess --uci", "options that mtdf does not know are the engine's"),
        ("mtdf engines add mine -- ./mine --json", "after -- all words are the engine's"),
    ),
)
@click.argument("name", metavar="NAME")
@click.argument("words", metavar="COMMAND...", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--option",
    "options",
    type=_PAIR,
    metavar="K=V",
    multiple=True,
    help="Set an option of the engine; may be repeated.",
)
@click.option("--dir", "directory", metavar="DIR", help="Folder in which the engine runs.")
@click.option(
    "--env",
    "environment",
    type=_PAIR,
    metavar="K=V",
    multiple=True,
    help="Add a variable to its environment; may be repeated.",
)
@click.option("--restart", is_flag=True, help="Start a new process for each game.")
@click.pass_obj
def add_command(
    invocation: Invocation,
    name: str,
    words: Sequence[str],
    options: Sequence[tuple[str, str]],
    directory: str | None,
    environment: Sequence[tuple[str, str]],
    restart: bool,
) -> None:
    """Keep an external engine in the database, to be named wherever an engine is: start it, check
    its options, and store its command.

    COMMAND is a program and its arguments. A program with a slash is looked for in DIR, or in the
    current folder, and stored with its absolute path. NAME:OPTION=VALUE varies a kept engine.
    """
    from engines.external.identify import identify
    from toolkit.events.named_engines import add_named_engine, check_new_name, new_named_engine
    from toolkit.reports.external import detail_of
    from toolkit.show.tables.engines import print_external

    engine = new_named_engine(
        name,
        words,
        options,
        directory=directory,
        environment=environment,
        restart=restart,
    )
    check_new_name(name, kept_engines(invocation))
    found = identify(engine)
    with invocation.database(create=True, writes=True) as database:
        add_named_engine(database, engine)
    row = detail_of(found, {name: engine}, {})
    if invocation.output.as_json:
        invocation.output.json_object(row)
    else:
        print_external(invocation.output, row)


@click.command(
    "rm",
    cls=Command,
    short_help="Forget a kept engine; its games stay.",
    examples=(
        ("mtdf engines rm sf", "its games and ratings stay"),
        ("mtdf engines list --json | jq -r '.[] | select(.command).spelling'", "what is kept"),
    ),
)
@click.argument("name", metavar="NAME", type=KEPT_ENGINE)
@click.pass_obj
def remove_command(invocation: Invocation, name: str) -> None:
    """Forget the command of an external engine that is kept under a name. Its games and ratings
    stay."""
    from toolkit.events.named_engines import remove_named_engine
    from toolkit.reports.catalog import RemovedEngine
    from toolkit.reports.external import command_line

    with invocation.database(writes=True) as database:
        engine = remove_named_engine(database, name)
    command, output = command_line(engine.command), invocation.output
    if output.as_json:
        output.json_object(RemovedEngine(engine=name, command=command))
    else:
        output.text(f"forgot {name} ({command}); its games stay")
