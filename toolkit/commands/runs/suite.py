"""How runs of suites are shown, and how a command that runs one ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from toolkit.base.output import Output
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import printed_as_data
from toolkit.commands.runs.event import more_jobs_than_cores
from toolkit.commands.runs.lab import leave_unless_done

if TYPE_CHECKING:
    from db.records.laboratory import LabRunRecord
    from db.session import Database
    from toolkit.lab.run import LabOutcome
    from toolkit.runs.jobs import Jobs
    from toolkit.suites.run import SuitePlan


def warn_about_load(output: Output, plan: SuitePlan, jobs: Jobs) -> None:
    """Warn if more jobs than cores take time from searches that time limits."""
    from toolkit.events.players import most_threads_of

    threads = most_threads_of([one.engine for one in plan.contenders])
    many = more_jobs_than_cores(jobs, threads) if isinstance(jobs, int) else None
    if many is None:
        return
    if all(limit.deterministic for limit in plan.limits):
        output.warning(f"{many[0]}: solutions are the same, times will be wrong; {many[1]}")
    else:
        output.warning(f"{many[0]}: engines get less time than they are given; {many[1]}")


def show_suite(
    output: Output, db: Database, record: LabRunRecord, searches: bool, as_csv: bool
) -> None:
    """Print a run, or each of its searches."""
    from toolkit.show.tables.suite import print_suite, print_suite_searches
    from toolkit.suites.report import SuiteRow, SuiteSearchRow, suite_report, suite_search_rows

    if searches:
        rows = suite_search_rows(db, record)
        if not printed_as_data(output, as_csv, SuiteSearchRow, rows):
            print_suite_searches(output, rows)
        return
    report = suite_report(db, record)
    if not printed_as_data(output, as_csv, SuiteRow, report.rows, whole=report):
        print_suite(output, report)


def finish_suite(ctx: click.Context, db: Database, outcome: LabOutcome, as_csv: bool) -> None:
    """Print the result of a run, and exit with the exit code of the outcome."""
    output = ctx.ensure_object(Invocation).output
    if outcome.done or output.as_json or as_csv:
        show_suite(output, db, outcome.run, False, as_csv)
    leave_unless_done(ctx, outcome)
