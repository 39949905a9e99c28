"""``mtdf engines builds``: engines that were built of a repository."""

from __future__ import annotations

from collections.abc import Sequence

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, printed_as_data


@click.command(
    "builds",
    cls=Command,
    short_help="List or remove engines that were built of a repository.",
    examples=(
        ("mtdf engines builds", "what is in the cache, and the bench of each"),
        ("mtdf engines builds --rm 3f2a", "remove one"),
        ("mtdf engines builds --rm all", "remove all"),
    ),
)
@click.option(
    "--rm",
    "removed",
    metavar="BUILD",
    multiple=True,
    help="Remove this build, given by the beginning of its id or its commit, or `all`; may be "
    "repeated.",
)
@CSV
@click.pass_obj
def builds_command(invocation: Invocation, removed: Sequence[str], as_csv: bool) -> None:
    """List the builds of engines `git:REPO@REF` in the user's cache, the newest first.

    One that was removed is built again when an engine needs it. A failed build leaves its log in
    its folder.
    """
    from toolkit.reports.builds import BuildRow, list_builds, remove_builds
    from toolkit.show.tables.engines import print_builds

    rows = remove_builds(removed) if removed else list_builds()
    if printed_as_data(invocation.output, as_csv, BuildRow, rows):
        return
    for row in rows if removed else ():
        invocation.output.text(f"removed {row.id} ({row.commit[:8]} {row.subject or row.status})")
    if not removed:
        print_builds(invocation.output, rows)
