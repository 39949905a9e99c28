"""``mtdf rename``: another name for a stored run."""

from __future__ import annotations

import click
from msgspec.structs import replace

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.run import RUN


@click.command(
    "rename",
    cls=Command,
    examples=(
        ("mtdf rename r3f9 nightly", "an event by its id"),
        ("mtdf rename lmr lmr-2000", "a study; its event gets the name too"),
        ("mtdf rename last 'null move, again' --json", "the newest run"),
    ),
)
@RUN
@click.argument("name", metavar="NAME")
@click.pass_obj
def command(invocation: Invocation, run: str, name: str) -> None:
    """Give an event, a study or a laboratory run another name, except while it is running. NAME
    follows the rules of --name."""
    from toolkit.runs.housekeeping import full_title, named_row, rename_run
    from toolkit.runs.lifecycle import find_any_run

    output = invocation.output
    with invocation.database(writes=True) as db:
        record = find_any_run(db, run)
        rename_run(db, record, name)
        now = replace(record, name=name)
    if output.as_json:
        output.json_object(named_row(now))
    else:
        output.text(f"{full_title(record)} is now {full_title(now)}")
