"""``mtdf lab``: the cost of drivers on exactly the same trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from toolkit.commands._base import Group
from toolkit.commands._invocation import Invocation
from toolkit.commands.lab._lab_parallel import command as parallel_command
from toolkit.commands.options.csv import CSV, printed_as_data
from toolkit.commands.options.lab import ENGINES, POSITIONS, suite_of
from toolkit.commands.options.run import GAME, JOBS, name_option, stacked
from toolkit.commands.options.types import ENGINE, LAB_RUN

if TYPE_CHECKING:
    from engines.spec import Variant
    from toolkit.runs.jobs import Jobs

_RUN = click.argument("run", type=LAB_RUN)
_RUN_OPTIONS = stacked(
    GAME,
    POSITIONS,
    click.option(
        "--baseline",
        type=ENGINE,
        help="Engine to compare with; default: pvs with an open window.",
    ),
    JOBS,
    name_option("run", "Name of the run; default: lab-N."),
    CSV,
)
"""The options of a new run."""


@click.group(
    "lab",
    cls=Group,
    examples=(
        (
            "mtdf lab compare --engine mtdf --engine pvs --depth 4..6 --limit-positions 10 -j 2",
            "nodes and CPU time relative to pvs with an open window",
        ),
        ("mtdf lab sweep --engine mtdf --param grain=1,10 --depth 5", "a curve over a parameter"),
        ("mtdf show last --json | jq .values_agree", "whether all engines agree on the values"),
    ),
)
def command() -> None:
    """The search laboratory: exact searches of the same trees, each stored in the database.
    docs/laboratory.md explains the numbers."""


command.add_command(parallel_command)


@command.command(
    "compare",
    short_help="Compare engines on a suite, depth by depth.",
    examples=(
        (
            "mtdf lab compare --engine mtdf --engine mtdf:guess=zero --depth 4..7 --jobs 2",
            "two first guesses, compared with pvs with open and aspiration windows",
        ),
        (
            "mtdf lab compare --engine mtdf:eval=pst --positions endings.epd --depth 8 --csv",
            "your own positions, with the table as CSV",
        ),
    ),
)
@ENGINES
@click.option(
    "--depth",
    metavar="DEPTHS",
    default="4..6",
    show_default=True,
    help="Depths to search, as in 4..8.",
)
@_RUN_OPTIONS
@click.pass_context
def compare_command(
    ctx: click.Context,
    engines: tuple[Variant, ...],
    depth: str,
    positions: str | None,
    limit_positions: int | None,
    baseline: Variant | None,
    jobs: Jobs,
    name: str,
    as_csv: bool,
) -> None:
    """Search every position of a suite with every engine, and compare nodes and CPU time.

    All engines must search the same exact trees (game, eval, grain, quiescence, swing). The exit
    code is 1 if any value differs.
    """
    from toolkit.commands.runs.lab import start_run
    from toolkit.lab.plan import compare_plan, parse_depths

    suite = suite_of(engines, positions, limit_positions)
    plan = compare_plan(engines, suite, parse_depths(depth), baseline)
    start_run(ctx, plan, suite, jobs, name, as_csv)


@command.command(
    "sweep",
    short_help="Measure engines at several values of a parameter.",
    examples=(
        (
            "mtdf lab sweep --engine mtdf --param grain=1,5,10,25 --depth 5",
            "each value compared with pvs on the same trees",
        ),
        (
            "mtdf lab sweep --engine mtdf --first-guess-offset -40..40/5 --depth 6",
            "cost by distance of the first guess from the value",
        ),
        (
            "mtdf lab sweep --engine mtdf --param entries=2^10..2^18/2 --vary-baseline --depth 6",
            "table sizes, each compared with pvs with the same table size",
        ),
    ),
)
@ENGINES
@click.option(
    "--param",
    metavar="NAME=LIST",
    help="Parameter and its values, as in grain=1,10 or entries=2^10..2^20.",
)
@click.option(
    "--first-guess-offset",
    metavar="LIST",
    help="Distances of the first guess from the value of the search, in units of the evaluation "
    "(chess: centipawns).",
)
@click.option(
    "--vary-baseline",
    is_flag=True,
    help="Give each value a baseline with the same value of the parameter.",
)
@click.option(
    "--depth",
    metavar="DEPTHS",
    default="6",
    show_default=True,
    help="Depths to search, as in 6 or 4..6.",
)
@_RUN_OPTIONS
@click.pass_context
def sweep_command(
    ctx: click.Context,
    engines: tuple[Variant, ...],
    param: str | None,
    first_guess_offset: str | None,
    vary_baseline: bool,
    depth: str,
    positions: str | None,
    limit_positions: int | None,
    baseline: Variant | None,
    jobs: Jobs,
    name: str,
    as_csv: bool,
) -> None:
    """Search a suite with engines at each value of a parameter.

    If the parameter changes the trees (eval, grain, quiescence, swing), each value has its own
    baseline. --vary-baseline does the same for other parameters, such as the table size. With
    --first-guess-offset, only the iteration of the given depth is measured.
    """
    from toolkit.commands.runs.lab import start_run
    from toolkit.lab.plan import SHIFT, parse_depths, parse_list, sweep_plan

    if (param is None) == (first_guess_offset is None):
        raise click.UsageError("give either --param or --first-guess-offset", ctx)
    name_of, equals, texts = (
        f"{SHIFT}={first_guess_offset}" if param is None else param
    ).partition("=")
    if not equals or not name_of.strip():
        raise click.UsageError(f"--param `{param}`: expected NAME=LIST, as in grain=1,10", ctx)
    option = "--param" if param is not None else "--first-guess-offset"
    values = parse_list(option, texts, numbers=param is None)
    suite = suite_of(engines, positions, limit_positions)
    plan = sweep_plan(
        *(engines, name_of.strip(), values, suite, parse_depths(depth), baseline),
        vary_baseline=vary_baseline,
    )
    start_run(ctx, plan, suite, jobs, name, as_csv)


@command.command(
    "list",
    examples=(
        ("mtdf lab list", "all runs, oldest first"),
        ("mtdf lab list --json | jq '.[].name'", "their names"),
    ),
)
@CSV
@click.pass_context
def list_command(ctx: click.Context, as_csv: bool) -> None:
    """List the runs in the database."""
    from toolkit.lab.views import LabRunRow, list_runs
    from toolkit.show.tables.lab import print_runs

    invocation = ctx.ensure_object(Invocation)
    with invocation.database() as db:
        runs = list_runs(db)
    rows = [run.row for run in runs]
    if not printed_as_data(invocation.output, as_csv, LabRunRow, rows):
        print_runs(invocation.output, runs)
