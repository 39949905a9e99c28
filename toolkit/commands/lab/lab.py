"""``mtdf lab``: the cost of drivers on exactly the same trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from engines.choices import PARALLEL
from toolkit.commands._base import Group
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, printed_as_data
from toolkit.commands.options.lab import ENGINES, POSITIONS, suite_of
from toolkit.commands.options.run import GAME, JOBS, name_option, stacked
from toolkit.commands.options.types import ENGINE, LAB_RUN

if TYPE_CHECKING:
    from engines.spec import Variant
    from toolkit.lab.plan import Mode
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
            "mtdf lab sweep --engine mtdf --param entries=2^10..2^18/2 --vary-baseline --depth 6",
            "table sizes, each compared with pvs with the same table size",
        ),
        (
            "mtdf lab sweep --engine pvs --engine mtdf --param threads=2,4",
            "speed-up and search overhead, and whether mtdf gains more than pvs",
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
    "--parallel",
    "ways",
    type=click.Choice(tuple(PARALLEL)),
    multiple=True,
    help="With --param threads: how they work together; may be repeated; default: each way.",
)
@click.option(
    "--mode",
    type=click.Choice(("exact", "selective")),
    default="exact",
    show_default=True,
    help="With --param threads: search exact trees, whose values must agree, or as in games.",
)
@click.option(
    "--depth",
    metavar="DEPTHS",
    help="Depths to search, as in 6 or 4..6; default: 6; with --param threads 7, or 14 in "
    "selective mode.",
)
@_RUN_OPTIONS
@click.pass_context
def sweep_command(
    ctx: click.Context,
    engines: tuple[Variant, ...],
    param: str | None,
    first_guess_offset: str | None,
    vary_baseline: bool,
    ways: tuple[str, ...],
    mode: Mode,
    depth: str | None,
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

    --param threads=LIST compares each engine with itself on one thread, one search at a time, and
    what the other engines gain with what the first one gains: time to depth, and all nodes. The
    numbers are above 1, and these searches differ from run to run.
    """
    from engines.cores import available_cores
    from toolkit.commands.runs.lab import start_run
    from toolkit.lab.parallel import DEPTHS, THREADS, parallel_plan, parse_threads
    from toolkit.lab.plan import SHIFT, parse_depths, parse_list, sweep_plan

    if (param is None) == (first_guess_offset is None):
        raise click.UsageError("give either --param or --first-guess-offset", ctx)
    name_of, equals, texts = (
        f"{SHIFT}={first_guess_offset}" if param is None else param
    ).partition("=")
    if not equals or not name_of.strip():
        raise click.UsageError(f"--param `{param}`: expected NAME=LIST, as in grain=1,10", ctx)
    name_of = name_of.strip()
    if name_of == THREADS:
        if baseline is not None or vary_baseline or jobs != 1:
            raise click.UsageError(
                "threads are compared with one thread of the same engine, one search at a time: "
                "leave out --baseline, --vary-baseline and --jobs",
                ctx,
            )
        depths = parse_depths(depth or str(DEPTHS[mode]))
        numbers = parse_threads(texts)
        suite = suite_of(engines, positions, limit_positions)
        plan = parallel_plan(
            *(engines, numbers, ways or tuple(PARALLEL), suite, depths),
            mode=mode,
            cores=available_cores(),
        )
    else:
        if ways or mode != "exact":
            raise click.UsageError("--parallel and --mode need --param threads=LIST", ctx)
        option = "--param" if param is not None else "--first-guess-offset"
        values = parse_list(option, texts, numbers=param is None)
        suite = suite_of(engines, positions, limit_positions)
        plan = sweep_plan(
            *(engines, name_of, values, suite, parse_depths(depth or "6"), baseline),
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
