"""``mtdf ratings``: who is stronger, by how much, and how sure are we."""

from __future__ import annotations

import math

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation


@click.command(
    "ratings",
    cls=Command,
    examples=(
        ("mtdf ratings", "one joint fit over every game"),
        ("mtdf ratings --event last --anchor pvs=0", "of one event, on a scale fixed by pvs"),
        ("mtdf ratings --explain", "what the numbers mean"),
    ),
)
@click.option("--event", metavar="EVENT", help="Only games of this event: id, name, or last.")
@click.option(
    "--anchor",
    "anchors",
    metavar="NAME=ELO",
    multiple=True,
    help="A known rating; may be repeated. Without one the mean is 0.",
)
@click.option("--explain", is_flag=True, help="Say how the list was made.")
@click.pass_obj
def command(
    invocation: Invocation, event: str | None, anchors: tuple[str, ...], explain: bool
) -> None:
    """Rate the engines: one joint maximum-likelihood fit, stored as a list with its settings."""
    from toolkit.commands._ratings import print_ratings
    from toolkit.rating import explain_ratings, rate_games

    known = dict(_anchor(text) for text in anchors)
    with invocation.database() as db:
        report = rate_games(db, event=event, anchors=known)
    output = invocation.output
    if output.as_json:
        output.json_rows(report.rows())
    else:
        print_ratings(output, report)
    if explain:
        for line in explain_ratings(report):
            output.to_stderr(line) if output.as_json else output.text(f"\n{line}")
    elif not output.as_json:
        output.hint("mtdf ratings --explain says how the list was made")


def _anchor(text: str) -> tuple[str, float]:
    # A variant may hold equals signs itself, so the last one counts.
    name, equals, number = text.rpartition("=")
    try:
        elo = float(number)
    except ValueError:
        elo = math.nan
    if not equals or not name or not abs(elo) <= 100_000:
        raise click.UsageError(f"--anchor `{text}`: expected NAME=ELO, as in `pvs=0`")
    return name, elo
