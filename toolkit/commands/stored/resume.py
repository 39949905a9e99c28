"""``mtdf resume``: continue an event, a study or a laboratory run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from toolkit.base.errors import NothingMatched
from toolkit.base.format import count_of, event_text, format_count
from toolkit.base.output import Output
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.run import AFFINITY, AND_THEN, ENGINE_LOG, check_kind, resume_options
from toolkit.commands.options.types import RUN_NAME
from toolkit.show.live.progress import Live

if TYPE_CHECKING:
    from db.records.events import EventRecord
    from db.records.laboratory import LabRunRecord
    from db.records.runs import RunRecord
    from db.records.studies import StudyRecord
    from db.session import Database
    from toolkit.commands.runs.pgn import PgnFile
    from toolkit.runs.jobs import Jobs

_NAMED = 10
"""Older unfinished runs that are named."""
_PLAYED = ("event", "study")


@click.command(
    "resume",
    cls=Command,
    examples=(
        ("mtdf resume", "continue the newest unfinished run"),
        ("mtdf resume r3f9 --retry-failed", "after repairing an engine that did not start"),
        ("mtdf resume lmr --jobs 2", "a study; the number of workers does not affect the results"),
    ),
)
@click.argument("run", metavar="[RUN]", type=RUN_NAME, required=False)
@resume_options
@AFFINITY
@ENGINE_LOG
@click.option(
    "--retry-failed",
    is_flag=True,
    help="Also play the pairs that could not be played; in an event with rounds, only those of the "
    "last round.",
)
@click.option(
    "--pgn-out",
    metavar="FILE",
    help="Also write the games to FILE, replacing it; default: the file it was played with.",
)
@AND_THEN
@click.pass_context
def command(
    ctx: click.Context,
    run: str | None,
    jobs: Jobs | None,
    allow_changed: bool,
    affinity: bool,
    engine_log: str | None,
    retry_failed: bool,
    pgn_out: str | None,
) -> None:
    """Continue an event, a study or a laboratory run after Ctrl-C, a crash or a power cut. No
    result is lost, and none is repeated.

    RUN is the id of an event, a name, a unique prefix of an id or of the name of a study or
    laboratory run, or `last` for the newest of all runs. The default is the newest unfinished one.
    For a finished run, the result is shown again.
    """
    from db.records.events import EventRecord
    from db.records.laboratory import LabRunRecord
    from db.records.studies import StudyRecord
    from engines.cores import available_cores
    from toolkit.commands.runs.event import sweep_before
    from toolkit.commands.runs.pgn import PgnFile
    from toolkit.runs.lifecycle import find_any_run, last_jobs

    invocation = ctx.ensure_object(Invocation)
    pgn = PgnFile.checked(pgn_out, invocation.output)
    with invocation.database(writes=True) as db:
        record = _newest(invocation.output, db) if run is None else find_any_run(db, run)
        check_kind(ctx, record, affinity=_PLAYED, engine_log=_PLAYED, then=_PLAYED)
        check_kind(ctx, record, retry_failed=("event",), pgn_out=("event",))
        sweep_before(invocation.output)
        if jobs is None:  # a finished run needs no workers, so nothing is said of many
            # It may have been played on a cluster, or on a larger machine.
            most = available_cores()
            jobs = 1 if record.status == "done" else min(last_jobs(db, record), most)
        if isinstance(record, EventRecord):
            _resume_event(
                *(ctx, db, record, jobs, allow_changed, pgn, affinity, engine_log, retry_failed)
            )
        elif isinstance(record, StudyRecord):
            _resume_study(ctx, db, record, jobs, allow_changed, affinity, engine_log)
        else:
            assert isinstance(record, LabRunRecord)
            _resume_lab(ctx, db, record, jobs, allow_changed)


def _newest(output: Output, db: Database) -> RunRecord:
    """The newest unfinished run; a hint names the others. Raises NothingMatched."""
    from db.records.events import IMPORT_KIND, TUNING_KIND
    from toolkit.runs.lifecycle import RUN_LISTS, title_of, unfinished

    stored = db.repository
    events = [one for one in stored.events() if one.kind not in (IMPORT_KIND, TUNING_KIND)]
    found = unfinished(db, [*events, *stored.studies(), *stored.lab_runs()])
    if not found:
        raise NothingMatched(f"no unfinished run in {db.name} ({RUN_LISTS})")
    newest, *others = found
    if others:
        listed = ", ".join(map(title_of, others[:_NAMED]))
        more = ", ..." if len(others) > _NAMED else ""
        number = count_of(len(others), "older run is", "older runs are")
        output.hint(f"{number} not finished either: {listed}{more}")
    return newest


def _resume_event(
    ctx: click.Context,
    db: Database,
    event: EventRecord,
    jobs: Jobs,
    allow_changed: bool,
    pgn: PgnFile | None,
    affinity: bool,
    engine_log: str | None,
    retry_failed: bool,
) -> None:
    from toolkit.commands.runs.event import (
        check_affinity,
        finish_event,
        prepare_log,
        timed_limit,
        warn_about_jobs,
    )
    from toolkit.commands.runs.pgn import PgnFile
    from toolkit.events.event import check_playable, resume_event
    from toolkit.events.settings import EventSettings
    from toolkit.show.live.event import EventView

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    check_playable(event)
    if event.status != "done":
        settings = EventSettings.from_json(event.settings)
        if affinity:
            check_affinity(jobs, settings.threads)
        warn_about_jobs(output, jobs, timed_limit(settings), settings.threads)
        prepare_log(output, settings, engine_log)
    if pgn is None:
        pgn = PgnFile.kept(event, output)
    with db.run_lock(event.key):
        pass  # whoever plays it is named before anything is said of going on
    most = "at most " if event.settings.get("form") is not None else ""
    output.hint(
        f"event {event_text(event.key, event.name)}: {format_count(2 * event.pairs_done)} of {most}"
        f"{count_of(2 * event.pairs_planned, 'game')} are in the database"
    )
    with Live(invocation, EventView(db)) as live:
        outcome = resume_event(
            db,
            event,
            jobs=jobs,
            allow_changed=allow_changed,
            affinity=affinity,
            engine_log=engine_log,
            retry_failed=retry_failed,
            on_progress=live.show,
            on_games=None if pgn is None else partial(pgn.add, db),
        )
    finish_event(ctx, db, outcome, pgn)


def _resume_study(
    ctx: click.Context,
    db: Database,
    record: StudyRecord,
    jobs: Jobs,
    allow_changed: bool,
    affinity: bool,
    engine_log: str | None,
) -> None:
    from toolkit.commands.runs.study import finish_study, warn_about_study
    from toolkit.show.live.study import StudyView
    from toolkit.tuning.settings import settings_of
    from toolkit.tuning.study.run import resume_study

    invocation = ctx.ensure_object(Invocation)
    if record.status != "done":
        settings = settings_of(record)
        warn_about_study(invocation.output, settings, jobs)
    with Live(invocation, StudyView()) as live:
        outcome = resume_study(
            db,
            record,
            jobs=jobs,
            allow_changed=allow_changed,
            affinity=affinity,
            engine_log=engine_log,
            on_progress=live.show,
        )
    finish_study(ctx, db, outcome)


def _resume_lab(
    ctx: click.Context,
    db: Database,
    record: LabRunRecord,
    jobs: Jobs,
    allow_changed: bool,
) -> None:
    from toolkit.commands.runs.lab import check_searchers, finish, warn_about_times
    from toolkit.lab.run import resume_lab, stored_plan
    from toolkit.show.live.lab import LabView

    invocation = ctx.ensure_object(Invocation)
    if record.kind == "suite":
        _resume_suite(ctx, db, record, jobs, allow_changed)
        return
    check_searchers(invocation.output, jobs)
    if record.status != "done":
        warn_about_times(invocation.output, stored_plan(db, record))
    with Live(invocation, LabView()) as live:
        outcome = resume_lab(
            db, record, jobs=jobs, allow_changed=allow_changed, on_progress=live.show
        )
    finish(ctx, db, outcome, False)


def _resume_suite(
    ctx: click.Context,
    db: Database,
    record: LabRunRecord,
    jobs: Jobs,
    allow_changed: bool,
) -> None:
    from toolkit.commands.runs.suite import finish_suite, warn_about_load
    from toolkit.show.live.lab import LabView
    from toolkit.suites.run import resume_suite, stored_suite

    invocation = ctx.ensure_object(Invocation)
    if record.status != "done":
        warn_about_load(invocation.output, stored_suite(record), jobs)
    with Live(invocation, LabView()) as live:
        outcome = resume_suite(
            db, record, jobs=jobs, allow_changed=allow_changed, on_progress=live.show
        )
    finish_suite(ctx, db, outcome, False)
