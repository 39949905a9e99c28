"""``mtdf bench``: the fixed bench and the signature of the core."""

from __future__ import annotations

import click

from engines.choices import GAMES
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, printed_as_data, refuse_both


@click.command(
    "bench",
    cls=Command,
    examples=(
        ("mtdf bench", "node counts, speed and signature"),
        ("mtdf bench --json | jq -r .signature", "builds with the same signature play the same"),
    ),
)
@click.option(
    "--game", type=click.Choice(tuple(GAMES)), default="chess", show_default=True, help="Game."
)
@CSV
@click.pass_obj
def command(invocation: Invocation, game: str, as_csv: bool) -> None:
    """Search a fixed set of positions. The signature is a hash of the node counts and values.

    The signature of chess identifies the core in databases.

    The speed is in nodes per second of the searching thread's CPU time, so other programs on the
    machine hardly affect it.
    """
    from engines.backend import BenchSearch, bench
    from toolkit.show.tables.engines import print_bench

    output = invocation.output
    refuse_both(output, as_csv)
    report = bench(game)
    if not printed_as_data(output, as_csv, BenchSearch, report.searches, whole=report):
        print_bench(output, report)
