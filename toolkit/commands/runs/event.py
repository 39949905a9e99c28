"""Playing an event from the command line: warnings, progress, result, exit code."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

import click

from toolkit.base.errors import EngineProblem, OperationFailed
from toolkit.base.format import (
    count_of,
    jobs_text,
)
from toolkit.base.output import Output
from toolkit.base.rows import field_names
from toolkit.commands._invocation import Invocation
from toolkit.commands.runs.pgn import PgnFile
from toolkit.commands.runs.then import run_then
from toolkit.show.live.event import EventView
from toolkit.show.live.progress import Live
from toolkit.show.tables.event_plan import print_plan
from toolkit.show.tables.outcome import hint_at_next, print_result, print_warnings

if TYPE_CHECKING:
    from msgspec import Struct

    from db.session import Database
    from engines.limit import Limit
    from toolkit.books.book import Book
    from toolkit.events.progress import EventOutcome, EventPlan
    from toolkit.events.settings import EventSettings
    from toolkit.reports.outcome import EventReport
    from toolkit.runs.jobs import Jobs


def play_new_event(
    ctx: click.Context,
    settings: EventSettings,
    book: Book | None,
    *,
    jobs: Jobs,
    affinity: bool,
    engine_log: str | None,
    pgn_out: str | None,
    dry_run: bool,
    as_csv: bool = False,
) -> None:
    """Play an event from its beginning and print its result; with ``--dry-run`` only the plan.
    ``book``: None for a built-in one. ``as_csv`` is for an ablation."""
    from toolkit.events.event import start_event
    from toolkit.events.plan import plan_event

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    pgn = PgnFile.checked(pgn_out, output)
    if affinity:
        check_affinity(jobs, settings.threads)
    warn_about_event(output, settings, book, jobs)
    if dry_run:
        show_plan(output, plan_event(settings, book=book, jobs=jobs))
        return
    prepare_log(output, settings, engine_log)
    sweep_before(output)
    with invocation.database(create=True) as db:
        _check_name(ctx, db, settings.name)
        with Live(invocation, EventView(db)) as live:
            outcome = start_event(
                db,
                settings,
                book=book,
                jobs=jobs,
                affinity=affinity,
                engine_log=engine_log,
                on_progress=live.show,
                on_games=None if pgn is None else partial(pgn.add, db),
            )
        finish_event(ctx, db, outcome, pgn, as_csv=as_csv)


def sweep_before(output: Output) -> None:
    """End what engines of a killed run left behind, before more are started."""
    from engines.external.sweep import kill_orphans

    if number := kill_orphans():
        output.warning(
            f"ended {count_of(number, 'process', 'processes')} that engines of a killed run left "
            "behind"
        )


def warn_about_event(
    output: Output, settings: EventSettings, book: Book | None, jobs: Jobs
) -> None:
    """Print warnings and hints before an event is played."""
    for notice in settings.notices():
        output.warning(notice)
    if book is not None:
        warn_about_book(output, book)
    warn_about_jobs(output, jobs, timed_limit(settings), settings.threads)
    hint_at_shared_limit(output, settings)


def prepare_log(output: Output, settings: EventSettings, engine_log: str | None) -> None:
    """Make the folder for the logs of engines, and warn if there is nothing to be logged. Raises
    UsageError."""
    from engines.spec import UciEngine
    from toolkit.events.event import check_engine_log

    check_engine_log(engine_log)
    if engine_log is not None and not any(
        isinstance(player.engine, UciEngine) for player in settings.players
    ):
        output.warning("--engine-log has no effect: no external engine plays")


def timed_limit(settings: EventSettings) -> Limit:
    """The limit of a player with a clock or a time per move, if there is one; else the event's."""
    limits = (settings.limit, *settings.limits)
    return next((limit for limit in limits if limit.is_timed), settings.limit)


def warn_about_book(output: Output, book: Book) -> None:
    """Name the lines of a book that cannot be played."""
    for bad in book.skipped[:3]:
        output.warning(f"left out {bad}")
    if len(book.skipped) > 3:
        output.warning(f"left out {count_of(len(book.skipped) - 3, 'more line')} of the book")


def _check_name(ctx: click.Context, db: Database, name: str) -> None:
    """Refuse the name of another event, but not where a file that is played again gives it: then it
    means the new event. Raises UsageError."""
    from toolkit.commands.runs.run_file import NAMED_BY_FILE
    from toolkit.runs.lifecycle import check_new

    older = [event.key for event in db.repository.events_named(name)] if name else []
    if older and ctx.meta.get(NAMED_BY_FILE):
        db.notice(
            f"`{name}` now means this event, the newest of that name (older: {', '.join(older)})"
        )
    elif older:
        check_new("event", name, [name])


def warn_about_jobs(output: Output, jobs: Jobs, limit: Limit, threads: int) -> None:
    """Warn if more threads than cores, or other load on the machine, spoil timed games, or if
    more workers only cost memory. A worker's engines take turns, with at most so many ``threads``.
    Nothing is known here of the machines of a cluster."""
    from engines.cores import available_cores

    if not isinstance(jobs, int):
        return
    cores, load = available_cores(), os.getloadavg()[0]
    many = more_jobs_than_cores(jobs, threads)
    if many is None:
        if limit.is_timed and jobs * threads + round(load) > cores:
            # Threads share a limit of nodes or CPU time, so that these are no way out.
            or_else = "" if threads > 1 else ", or use --nodes or --cpu-ms"
            output.warning(
                f"the load average was {load:.1f} before starting {jobs_text(jobs, threads)} on "
                f"{count_of(cores, 'core')}: timed games will be unfair; end the other programs"
                f"{or_else}"
            )
    elif limit.is_timed:
        output.warning(f"{many[0]}: timed games will be unfair; {many[1]}")
    elif threads > 1:
        output.warning(f"{many[0]}: the threads of an engine wait for each other; {many[1]}")
    elif limit.deterministic:
        output.hint(f"{many[0]}: the games are identical, and no faster")
    else:
        output.hint(f"{many[0]}: CPU time is counted, so games stay fair; they are no faster")


def check_affinity(jobs: Jobs, threads: int) -> None:
    """Refuse ``--affinity`` without enough cores before anything else is said and before there is a
    database. Raises UsageError."""
    from toolkit.runs.affinity import cores_of_workers
    from toolkit.runs.jobs import on_this_machine

    cores_of_workers(on_this_machine("--affinity", jobs), threads)


def hint_at_shared_limit(output: Output, settings: EventSettings) -> None:
    """Say that threads can only lose where the limit of an engine counts what all of them do."""
    from engines.limit import KINDS

    for player, limit in zip(settings.players, settings.limits, strict=True):
        if player.engine.threads == 1 or limit.is_timed:
            continue
        for what in filter(None, (KINDS[name].shared for name in limit.items)):
            output.hint(
                f"engine `{player.label}`: its {player.engine.threads} threads share the limit of "
                f"{what}, so they can only lose; use --movetime or a clock (--tc) to test them"
            )
            return


def more_jobs_than_cores(jobs: int, threads: int = 1) -> tuple[str, str] | None:
    """Where jobs of so many ``threads`` need more cores than there are: the numbers in words, and
    what to do; else None."""
    from engines.cores import available_cores

    cores = available_cores()
    if jobs * threads <= cores:
        return None
    fewer = f"use --jobs {cores // threads}" if threads <= cores else "use fewer threads"
    return f"{jobs_text(jobs, threads)} on {count_of(cores, 'core')}", fewer


def finish_event(
    ctx: click.Context,
    db: Database,
    outcome: EventOutcome,
    pgn: PgnFile | None,
    *,
    as_csv: bool = False,
) -> None:
    """Finish the PGN file, print the result, and leave with the exit code of the outcome. Raises
    OperationFailed after that if the PGN file is not complete."""
    from toolkit.reports.ablation import AblationRow
    from toolkit.reports.outcome import event_report, outcome_row

    output = ctx.ensure_object(Invocation).output
    unwritten = None if pgn is None else pgn.finish(db)
    if pgn is not None and unwritten is None:
        games = count_of(outcome.progress.games_played, "game")
        output.hint(f"wrote {games} to {pgn.path}")
    report = event_report(db, outcome)
    row = outcome_row(db, outcome, report)
    if output.as_json:
        output.json_object(row)
    elif report.ablation is not None and as_csv:
        output.csv_rows(field_names(AblationRow), report.ablation.features)
    else:
        print_result(output, outcome, report)
    warn_and_leave(ctx, outcome, report, row, unwritten)


def warn_and_leave(
    ctx: click.Context,
    outcome: EventOutcome,
    report: EventReport,
    row: Struct,
    unwritten: str | None = None,
) -> None:
    """Print warnings and the next step, run the command of ``--then`` with the ``row`` of the
    result, and exit with the exit code of the outcome. Raises OperationFailed with the text
    ``unwritten`` instead if there is one, and EngineProblem for a strict event that is done and has
    problems."""
    output = ctx.ensure_object(Invocation).output
    print_warnings(output, outcome, report)
    hint_at_next(output, outcome)
    run_then(ctx, outcome.event, outcome.status, row, **_found(report))
    if unwritten is not None:
        raise OperationFailed(unwritten)
    if outcome.status == "done" and report.unforgiven is not None:
        raise EngineProblem(report.unforgiven)
    ctx.exit(outcome.exit_code)


def _found(report: EventReport) -> dict[str, float | str | None]:
    """The result of an event of two engines, or of a race, as variables of ``--then``. The Elo of a
    test is the median-unbiased estimate, because its stop biases the plain one; without games there
    is none."""
    if report.test is not None:
        test = report.test.test
        return {
            "verdict": report.test.verdict,
            "elo": test.elo_unbiased,
            "elo_low95": test.elo_unbiased_low95,
            "elo_high95": test.elo_unbiased_high95,
            "llr": test.llr,
        }
    if report.race is not None:
        return {"verdict": report.race.verdict}
    if len(report.scores) != 1:
        return {}
    (score,) = report.scores
    return {"elo": score.elo, "elo_low95": score.low95, "elo_high95": score.high95}


def show_plan(output: Output, plan: EventPlan) -> None:
    """What an event would do, as JSON if requested."""
    from toolkit.events.progress import EventPlanRow

    if output.as_json:
        output.json_object({name: getattr(plan, name) for name in field_names(EventPlanRow)})
    else:
        print_plan(output, plan)
