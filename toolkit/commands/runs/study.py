"""Printing studies, and the end of a study's run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from toolkit.base.errors import EngineProblem
from toolkit.base.format import count_of, format_count
from toolkit.base.output import Output
from toolkit.commands._invocation import Invocation
from toolkit.commands.runs.then import run_then
from toolkit.runs.lifecycle import resume_command
from toolkit.show.tables.study import next_step, print_standing, print_study, unit_of

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.runs.jobs import Jobs
    from toolkit.tuning.settings import StudySettings
    from toolkit.tuning.study.progress import StudyOutcome


def finish_study(ctx: click.Context, db: Database, outcome: StudyOutcome) -> None:
    """Print the result of a study, and exit with the exit code of the outcome. Raises EngineProblem
    for a strict study that is done and has problems."""
    from toolkit.reports.outcome import unforgiven
    from toolkit.tuning.study.report import study_report

    output = ctx.ensure_object(Invocation).output
    report = study_report(db, outcome.study)
    if output.as_json:
        output.json_object(report)
    elif outcome.status == "done":
        print_study(output, report)
    else:
        print_standing(output, outcome, unit_of(report))
    if outcome.problem is not None:
        output.error(f"{outcome.problem}; stopped, everything measured is saved")
    if outcome.status == "done":
        output.hint(next_step(report))
    else:
        output.hint(
            f"study {outcome.study.name}: {format_count(report.pairs_used)} of "
            f"{format_count(report.budget_pairs)} pairs are measured; "
            f"continue with: {resume_command(outcome.study)}"
        )
    gain = report.gain
    found: dict[str, float | str | None] = {}
    if gain is not None and gain.unit == "elo":
        found = {"elo": gain.value, "elo_low95": gain.low95, "elo_high95": gain.high95}
    run_then(ctx, outcome.study, outcome.status, report, **found)
    if outcome.status == "done" and outcome.study.event_id is not None:
        problem = unforgiven(db, db.repository.event(outcome.study.event_id))
        if problem is not None:
            raise EngineProblem(problem)
    ctx.exit(outcome.exit_code)


def warn_about_study(output: Output, settings: StudySettings, jobs: Jobs) -> None:
    """Warn about problems of a study before it starts, and say what it can tell."""
    from toolkit.commands.runs.event import hint_at_shared_limit, warn_about_jobs
    from toolkit.commands.runs.lab import check_searchers
    from toolkit.tuning.study.export import resolution_text
    from toolkit.tuning.study.numbers import PairNumbers

    if settings.objective.is_effort:
        check_searchers(output, jobs)
    elif settings.event is not None:
        warn_about_jobs(output, jobs, settings.event.limit, settings.threads)
        hint_at_shared_limit(output, settings.event)
    for line in settings.objective.warnings(settings.space.names):
        output.warning(line)
    book = None if settings.event is None else settings.event.book
    if book is not None and not book.repeat and not PairNumbers.of(settings).enough:
        output.warning(
            f"{book} has {count_of(book.lines, 'opening')}, too few for this "
            "budget: some openings used to measure the gain were also used in tuning"
        )
    if told := resolution_text(settings.budget.gain, settings.resolution):
        output.hint(told)
