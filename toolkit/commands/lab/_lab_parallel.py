"""``mtdf lab parallel``: engines with several threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from engines.choices import PARALLEL
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, refuse_both
from toolkit.commands.options.lab import ENGINES, POSITIONS, suite_of
from toolkit.commands.options.run import GAME, name_option
from toolkit.commands.options.types import WHOLE

if TYPE_CHECKING:
    from engines.spec import Variant
    from toolkit.lab.plan import Mode


@click.command(
    "parallel",
    cls=Command,
    short_help="Measure engines with several threads.",
    examples=(
        (
            "mtdf lab parallel --engine pvs --engine mtdf --threads 2",
            "speed-up and search overhead by both ways, and whether mtdf gains more than pvs",
        ),
        (
            "mtdf lab parallel --engine mtdf --parallel lazy --threads 2,4,8 --depth 6 "
            "--limit-positions 20",
            "by one way; of more threads than cores only nodes are judged",
        ),
    ),
)
@ENGINES
@click.option(
    "--threads",
    metavar="LIST",
    default="2",
    show_default=True,
    help="Numbers of threads, as in 2,4,8; one thread is always measured.",
)
@click.option(
    "--parallel",
    "ways",
    type=click.Choice(tuple(PARALLEL)),
    multiple=True,
    help="How the threads work together; may be repeated; default: each way.",
)
@click.option(
    "--depth",
    type=WHOLE,
    help="Depth to search to; default: 7 in exact search, 14 in selective search.",
)
@click.option(
    "--mode",
    type=click.Choice(("exact", "selective")),
    default="exact",
    show_default=True,
    help="Search exact trees, whose values must agree, or as in games.",
)
@GAME
@POSITIONS
@name_option("run", "Name of the run; default: lab-N.")
@CSV
@click.pass_context
def command(
    ctx: click.Context,
    engines: tuple[Variant, ...],
    threads: str,
    ways: tuple[str, ...],
    depth: int | None,
    mode: Mode,
    positions: str | None,
    limit_positions: int | None,
    name: str,
    as_csv: bool,
) -> None:
    """Search every position of a suite with each number of threads, one search at a time, and
    compare each engine with itself on one thread: time to depth, and all nodes (search overhead).
    What every other engine gains is compared with what the first one gains.

    Searches with several threads differ from run to run. The exit code is 1 if any value of an
    exact search differs.
    """
    from engines.cores import available_cores
    from toolkit.commands.runs.lab import start_run
    from toolkit.lab.parallel import DEPTHS, parallel_plan, parse_threads
    from toolkit.lab.plan import parse_depths

    refuse_both(ctx.ensure_object(Invocation).output, as_csv)
    suite = suite_of(engines, positions, limit_positions)
    numbers = parse_threads(threads)
    (last,) = parse_depths(str(DEPTHS[mode] if depth is None else depth))
    plan = parallel_plan(
        *(engines, numbers, ways or tuple(PARALLEL), suite, last),
        mode=mode,
        cores=available_cores(),
    )
    start_run(ctx, plan, suite, 1, name, as_csv)
