"""``mtdf bench``: the fixed bench and the signature of the core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

import click

from engines.choices import GAMES
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, printed_as_data, refuse_both

if TYPE_CHECKING:
    from engines.backend import BenchReport


class BenchSearch(TypedDict):
    """One search of the bench."""

    position: Annotated[str, "the position as text; in chess FEN"]
    engine: Annotated[str, "the variant"]
    mode: Annotated[str, "`exact` or `selective`"]
    nodes: Annotated[int, "nodes searched"]
    value: Annotated[int, "value in units of the evaluation, in chess centipawns"]


class BenchOutcome(TypedDict):
    """The output of `bench`."""

    signature: Annotated[str, "16 hex digits; builds with the same signature play the same"]
    nodes: Annotated[int, "nodes of all searches"]
    time_us: Annotated[int, "wall clock in microseconds"]
    cpu_us: Annotated[int, "CPU time of all searching threads in microseconds"]
    nodes_per_second: Annotated[int, "nodes per second of CPU time"]
    searches: Annotated[list[BenchSearch], "searches, in order"]


@click.command(
    "bench",
    cls=Command,
    short_help="Search fixed positions for speed and the core's signature.",
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
    from engines.backend import bench
    from toolkit.show.tables.bench import print_bench

    output = invocation.output
    refuse_both(output, as_csv)
    report = bench(game)
    row = _outcome(report)
    if not printed_as_data(output, as_csv, BenchSearch, row["searches"], whole=row):
        print_bench(output, report)


def _outcome(report: BenchReport) -> BenchOutcome:
    return BenchOutcome(
        signature=report.signature,
        nodes=report.nodes,
        time_us=report.time_us,
        cpu_us=report.cpu_us,
        nodes_per_second=report.speed,
        searches=[
            BenchSearch(
                position=row.position,
                engine=row.variant,
                mode=row.mode,
                nodes=row.nodes,
                value=row.value,
            )
            for row in report.rows
        ],
    )
