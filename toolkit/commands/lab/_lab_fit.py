"""``mtdf lab fit``: fit the first guesses regression and quantile to stored searches."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.run import JOBS, name_option
from toolkit.commands.options.types import ENGINE, LAB_RUN, SUITE, WHOLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.records.laboratory import LabRunRecord
    from db.session import Database
    from engines.spec import Variant
    from toolkit.lab.plan import LabPlan
    from toolkit.runs.jobs import Jobs

_OF_NEW_SEARCHES = ("positions", "count", "depth", "grain", "name")
"""Options for new searches."""


@click.command(
    "fit",
    cls=Command,
    short_help="Fit a first guess to exact searches, and measure its gain.",
    examples=(
        ("mtdf lab fit --guess regression --depth 6 -j 2", "a linear guess, on 200 positions"),
        (
            "mtdf lab fit --guess quantile --run fit-1",
            "from stored searches, shifted to balance the costs of failing high and low",
        ),
        (
            "mtdf lab fit --guess quantile --positions lab-60 --count 60 --grain 10",
            "with another grain, on positions of all phases",
        ),
    ),
)
@click.option(
    "--guess", type=click.Choice(["regression", "quantile"]), required=True, help="What to fit."
)
@click.option(
    "--run",
    "runs",
    type=LAB_RUN,
    multiple=True,
    help="Stored run to fit to, instead of new searches; may be repeated.",
)
@click.option(
    "--engine",
    type=ENGINE,
    help="Engine whose guess is fitted; default: mtdf, or the engine of the runs with a guess.",
)
@click.option(
    "--positions",
    metavar="SUITE",
    type=SUITE,
    default="balanced-20k",
    show_default=True,
    help="A built-in book, `lab-60`, `lab-120`, `lab-240`, or a file of positions (EPD, FEN, "
    "PGN, Polyglot).",
)
@click.option(
    "--count",
    type=WHOLE,
    default=200,
    show_default=True,
    help="Positions, spread evenly over the suite: half for the fit, half for the measurement.",
)
@click.option("--depth", type=WHOLE, default=6, show_default=True, help="Depth of the searches.")
@click.option("--grain", type=WHOLE, help="Grain to fit for; default: the engine's.")
@name_option("run", "Name of the stored run; default: fit-N.")
@JOBS
@click.pass_context
def command(
    ctx: click.Context,
    guess: str,
    runs: tuple[str, ...],
    engine: Variant | None,
    positions: str,
    count: int,
    depth: int,
    grain: int | None,
    name: str,
    jobs: Jobs,
) -> None:
    """Fit the coefficients (regression) and shifts (quantile) of a first guess to exact searches of
    one half of the positions, and measure the savings on the other half.

    All searches are stored as laboratory runs: the searches to fit to, which are made first unless
    --run is given, and the searches with the fitted guess.
    """
    from engines.variant import make_variant, variant_of
    from toolkit.commands.runs.lab import check_searchers, tell_suite
    from toolkit.lab.fits.fit import searches_plan
    from toolkit.lab.positions import load_suite
    from toolkit.lab.views import find_run

    invocation = ctx.ensure_object(Invocation)
    check_searchers(invocation.output, jobs)
    if runs:
        _refuse_new_searches(ctx)
        with invocation.database(writes=True) as db:
            records = [find_run(db, run) for run in runs]
            _fit(ctx, db, guess, engine, records, jobs)
        return
    searcher = engine or make_variant("mtdf", {})
    if grain is not None:
        searcher = variant_of(searcher, {"grain": grain})
    if count < 2:
        raise click.UsageError(f"--count {count} must be at least 2: half are held out", ctx)
    suite = load_suite(positions, count)
    plan = searches_plan(searcher, suite, depth)
    tell_suite(invocation.output, suite, count)
    with invocation.database(create=True) as db:
        record = _search(ctx, db, guess, plan, name, jobs)
        _fit(ctx, db, guess, None, [record], jobs)


def _refuse_new_searches(ctx: click.Context) -> None:
    """Raise UsageError for options that have no effect with --run."""
    for option in _OF_NEW_SEARCHES:
        if ctx.get_parameter_source(option) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"--{option} and --run exclude each other: --run makes no new searches", ctx
            )


def _search(
    ctx: click.Context, db: Database, guess: str, plan: LabPlan, name: str, jobs: Jobs
) -> LabRunRecord:
    """Make the searches for the fit. Exits if they are interrupted or fail."""
    from toolkit.commands.runs.lab import leave_unless_done
    from toolkit.lab.run import start_lab
    from toolkit.runs.lifecycle import free_name, named_command
    from toolkit.show.live.lab import LabView
    from toolkit.show.live.progress import Live

    name = name or free_name("fit", db.repository.lab_names())
    go_on = f"{named_command('resume', name)} && {_fit_line(guess, [name])}"
    with Live(ctx.ensure_object(Invocation), LabView(go_on)) as live:
        outcome = start_lab(db, plan, name=name, jobs=jobs, on_progress=live.show)
    leave_unless_done(ctx, outcome, go_on)
    return outcome.run


def _fit(
    ctx: click.Context,
    db: Database,
    guess: str,
    engine: Variant | None,
    records: Sequence[LabRunRecord],
    jobs: Jobs,
) -> None:
    """Fit to stored runs, measure, and print. Leaves where measuring is interrupted or fails."""
    from toolkit.commands.runs.lab import leave_unless_done
    from toolkit.lab.fits.fit import fit_guess, fit_report, measure_guess
    from toolkit.lab.fits.stored import load_searches
    from toolkit.show.live.lab import LabView
    from toolkit.show.live.progress import Live
    from toolkit.show.tables.lab_fit import print_fit

    invocation = ctx.ensure_object(Invocation)
    fit = fit_guess(db, load_searches(db, records, engine), guess)
    line = _fit_line(guess, [record.name for record in records], engine)
    with Live(invocation, LabView(line)) as live:
        outcome = measure_guess(db, fit, jobs=jobs, on_progress=live.show)
    leave_unless_done(ctx, outcome, line)
    report = fit_report(db, fit, outcome.run)
    if invocation.output.as_json:
        invocation.output.json_object(report)
    else:
        print_fit(invocation.output, report)


def _fit_line(guess: str, runs: Sequence[str], engine: Variant | None = None) -> str:
    """The command that fits to these runs."""
    words = ["mtdf", "lab", "fit", "--guess", guess]
    for run in runs:
        words += ["--run", run]
    return shlex.join(words + ([] if engine is None else ["--engine", engine.spelling]))
