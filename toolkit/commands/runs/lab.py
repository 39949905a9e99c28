"""How runs of the laboratory are shown, and how a command that runs one ends."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from toolkit.base.errors import ExitCode
from toolkit.base.format import (
    count_of,
    format_count,
)
from toolkit.base.output import Output
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import printed_as_data, refuse_both
from toolkit.lab.notes import thread_notes
from toolkit.lab.summary import LabRow
from toolkit.show.tables.lab import print_lab

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.lab.plan import LabPlan
    from toolkit.lab.run import LabOutcome
    from toolkit.lab.suite import Suite
    from toolkit.runs.jobs import Jobs


def check_searchers(output: Output, jobs: Jobs, threads: int = 1) -> None:
    """Warn if more jobs, of so many ``threads``, than cores make CPU times useless."""
    from toolkit.commands.runs.event import more_jobs_than_cores

    if isinstance(jobs, int) and (many := more_jobs_than_cores(jobs, threads)) is not None:
        output.warning(f"{many[0]}: nodes are the same, CPU times will be wrong; {many[1]}")


def tell_suite(output: Output, suite: Suite, asked: int | None = None) -> None:
    """Report positions of a file that are not searched, and suites with fewer than the ``asked``
    positions."""
    if suite.over:
        games = count_of(suite.over, "game is", "games are")
        output.warning(
            f"suite {suite.name}: {games} over at the last position and left out: there is nothing "
            "to search"
        )
    tell_repeats(output, suite)
    if asked is not None and asked > len(suite):
        output.hint(
            f"suite {suite.name} has {count_of(len(suite), 'position')}, and {asked} were "
            "requested: all of them are searched"
        )


def tell_repeats(output: Output, suite: Suite) -> None:
    """Warn about positions that a file has more than once."""
    if suite.repeats:
        lines = count_of(suite.repeats, "line repeats a position", "lines repeat positions")
        output.hint(f"suite {suite.name}: {lines}; each position is searched once")


def start_run(
    ctx: click.Context, plan: LabPlan, suite: Suite, jobs: Jobs, name: str, as_csv: bool
) -> None:
    """Start a run and show its result."""
    from toolkit.lab.run import start_lab
    from toolkit.show.live.lab import LabView
    from toolkit.show.live.progress import Live

    invocation = ctx.ensure_object(Invocation)
    refuse_both(invocation.output, as_csv)
    most = max(engine.variant.threads for engine in plan.engines)
    check_searchers(invocation.output, jobs, 1 if plan.cores is not None else most)
    tell_suite(invocation.output, suite, ctx.params["limit_positions"])
    with invocation.database(create=True) as db:
        warn_about_times(invocation.output, plan)
        with Live(invocation, LabView()) as live:
            outcome = start_lab(db, plan, name=name, jobs=jobs, on_progress=live.show)
        finish(ctx, db, outcome, as_csv)


def warn_about_times(output: Output, plan: LabPlan) -> None:
    """Say before the start what will spoil the times of a run that compares them."""
    if plan.cores is None:
        return
    for note in thread_notes(plan):
        output.hint(note)
    if round(load := os.getloadavg()[0]):
        output.warning(
            f"the load average was {load:.1f} before starting: times will be disturbed; end the "
            "other programs"
        )


def finish(ctx: click.Context, db: Database, outcome: LabOutcome, as_csv: bool) -> None:
    """Print the result of a run, and exit with the exit code of the outcome."""
    from toolkit.lab.views import run_report

    output = ctx.ensure_object(Invocation).output
    report = run_report(db, outcome.run)
    if outcome.status == "done" or outcome.done or output.as_json or as_csv:
        if not printed_as_data(output, as_csv, LabRow, report.rows, whole=report):
            print_lab(output, report)
    leave_unless_done(ctx, outcome)
    if not report.values_agree:
        ctx.exit(ExitCode.FAILED)


def leave_unless_done(ctx: click.Context, outcome: LabOutcome, go_on: str = "") -> None:
    """Say how to continue a run that was stopped or failed, by the command ``go_on``, and leave
    with its exit code."""
    from toolkit.runs.lifecycle import resume_command

    output = ctx.ensure_object(Invocation).output
    if outcome.problem is not None:
        output.error(f"{outcome.problem}; stopped, every finished search is saved")
    if outcome.status != "done":
        output.hint(
            f"run {outcome.run.name}: {format_count(outcome.done)} of "
            f"{count_of(outcome.total, 'search', 'searches')} are stored; continue with: "
            f"{go_on or resume_command(outcome.run)}"
        )
        ctx.exit(outcome.exit_code)
