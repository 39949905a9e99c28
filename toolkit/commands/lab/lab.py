"""``mtdf lab``: the cost of drivers on exactly the same trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from toolkit.commands._base import Group
from toolkit.commands._invocation import Invocation
from toolkit.commands.lab._lab_parallel import command as parallel_command
from toolkit.commands.options.csv import CSV, printed_as_data, refuse_both
from toolkit.commands.options.lab import ENGINES, POSITIONS, suite_of
from toolkit.commands.options.run import GAME, JOBS, name_option, resume_options, stacked
from toolkit.commands.options.types import ENGINE, LAB_RUN
from toolkit.commands.runs.housekeeping import NEW_NAME, NOTE, YES, annotate, remove, rename

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
    short_help="Compare the search cost of drivers on the same trees.",
    examples=(
        (
            "mtdf lab compare --engine mtdf --engine pvs --depth 4..6 --limit-positions 10 -j 2",
            "nodes and CPU time relative to pvs with an open window",
        ),
        ("mtdf lab sweep --engine mtdf --param grain=1,10 --depth 5", "a curve over a parameter"),
        ("mtdf lab show last --json | jq .values_agree", "whether all engines agree on the values"),
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
    "resume",
    short_help="Continue an interrupted run.",
    examples=(
        ("mtdf lab resume", "continue the newest unfinished run"),
        ("mtdf lab resume drivers --jobs 2", "the number of workers does not affect node counts"),
    ),
)
@click.argument("run", metavar="[RUN]", type=LAB_RUN, required=False)
@resume_options
@CSV
@click.pass_context
def resume_command(
    ctx: click.Context, run: str | None, jobs: Jobs | None, allow_changed: bool, as_csv: bool
) -> None:
    """Continue a run after Ctrl-C or a crash. Stored searches are not repeated.

    RUN is a name, a unique prefix of one, or last. The default is the newest unfinished run.
    """
    from toolkit.commands.runs.resume import newest_unfinished, resume_run
    from toolkit.lab.views import find_run, unfinished_runs

    invocation = ctx.ensure_object(Invocation)
    refuse_both(invocation.output, as_csv)
    with invocation.database(writes=True) as db:
        if run is not None:
            record = find_run(db, run)
        else:
            record = newest_unfinished(invocation.output, unfinished_runs(db), "laboratory runs")
        resume_run(ctx, db, record, jobs, allow_changed, as_csv=as_csv)


@command.command(
    "show",
    short_help="Show the table of a run, or its searches.",
    examples=(
        ("mtdf lab show last", "the table of the newest run, even if interrupted"),
        ("mtdf lab show drivers --baseline mtdf --svg mtdf.svg", "relative to mtdf, with a plot"),
        ("mtdf lab show drivers --searches --csv", "every iteration of every search"),
    ),
)
@_RUN
@click.option("--searches", is_flag=True, help="Show each iteration of each search instead.")
@click.option("--baseline", metavar="NAME", help="Compare with this engine of the run instead.")
@click.option("--svg", metavar="FILE", help="Write a plot of the table.")
@CSV
@click.pass_obj
def show_command(
    invocation: Invocation,
    run: str,
    searches: bool,
    baseline: str | None,
    svg: str | None,
    as_csv: bool,
) -> None:
    """Show the table of a stored run, as far as it has been searched.

    --baseline recomputes all ratios and intervals relative to another engine that searched the same
    trees. Nothing is searched, and the stored run does not change. --svg plots all nodes relative
    to the baseline, with intervals, and passes: a sweep over its values at the greatest depth, a
    comparison over depths; of `lab parallel` speed-up and nodes by threads.
    """
    from pathlib import Path

    from toolkit.base.files import check_place
    from toolkit.lab.summary import LabRow
    from toolkit.lab.views import LabSearchRow, find_run, run_report, search_rows
    from toolkit.show.charts.lab import lab_picture
    from toolkit.show.charts.static import write_svg
    from toolkit.show.tables.lab import print_lab, print_searches

    refuse_both(invocation.output, as_csv)
    if searches and (svg is not None or baseline is not None):
        option = "--svg" if svg is not None else "--baseline"
        raise click.UsageError(f"{option} is for the table: leave out --searches")
    if svg is not None:
        check_place(Path(svg))
    with invocation.database() as db:
        record = find_run(db, run)
        if searches:
            rows = search_rows(db, record)
            if not printed_as_data(invocation.output, as_csv, LabSearchRow, rows):
                print_searches(invocation.output, rows)
            return
        report = run_report(db, record, baseline)
        if svg is not None:
            write_svg(lab_picture(report), svg)
            invocation.output.hint(f"wrote {svg}")
        if not printed_as_data(invocation.output, as_csv, LabRow, report.rows, whole=report):
            print_lab(invocation.output, report)


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


@command.command(
    "rename",
    short_help="Give a run another name.",
    examples=(
        ("mtdf lab rename lab-1 drivers", "by name"),
        ("mtdf lab rename last grain --json", "print name and note as JSON"),
    ),
)
@_RUN
@NEW_NAME
@click.pass_obj
def rename_command(invocation: Invocation, run: str, name: str) -> None:
    """Give a laboratory run another name, except while it is running."""
    from toolkit.lab.views import find_run

    rename(invocation, find_run, run, name)


@command.command(
    "annotate",
    short_help="Keep a note with a run.",
    examples=(
        ("mtdf lab annotate drivers 'before the new table'", "in place of an earlier note"),
        ("mtdf lab annotate drivers ''", "remove the note"),
    ),
)
@_RUN
@NOTE
@click.pass_obj
def annotate_command(invocation: Invocation, run: str, text: str) -> None:
    """Set the one-line note of a run; an empty NOTE removes it.
    `lab show` and `lab list -v` print it."""
    from toolkit.lab.views import find_run

    annotate(invocation, find_run, run, text)


@command.command(
    "rm",
    short_help="Remove runs with their searches.",
    examples=(
        ("mtdf lab rm drivers", "after a question"),
        ("mtdf lab rm lab-1 lab-2 --yes", "without one; then: mtdf db vacuum"),
    ),
)
@click.argument("runs", metavar="RUN...", type=LAB_RUN, nargs=-1, required=True)
@YES
@click.pass_obj
def rm_command(invocation: Invocation, runs: tuple[str, ...], yes: bool) -> None:
    """Remove laboratory runs with their searches, all or none."""
    from toolkit.lab.views import find_run

    remove(invocation, find_run, runs, yes)
