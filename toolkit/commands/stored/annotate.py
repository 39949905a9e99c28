"""``mtdf annotate``: a note with a stored run."""

from __future__ import annotations

import click
from msgspec.structs import replace

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.run import RUN


@click.command(
    "annotate",
    cls=Command,
    examples=(
        ("mtdf annotate r3f9 'laptop on battery'", "replaces an earlier note"),
        ("mtdf annotate lmr ''", "remove the note of a study"),
    ),
)
@RUN
@click.argument("text", metavar="NOTE")
@click.pass_obj
def command(invocation: Invocation, run: str, text: str) -> None:
    """Set the one-line note of an event, a study or a laboratory run; an empty NOTE removes it.
    `show` prints it, and so do the lists with -v."""
    from toolkit.runs.housekeeping import annotate_run, full_title, named_row
    from toolkit.runs.lifecycle import find_any_run

    output = invocation.output
    with invocation.database(writes=True) as db:
        record = find_any_run(db, run)
        annotate_run(db, record, text)
    if output.as_json:
        output.json_object(replace(named_row(record), note=text))
    else:
        output.text(f"{full_title(record)}{f': {text}' if text else ' has no note'}")
