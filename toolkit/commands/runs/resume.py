"""Going on with a stored run, of whichever kind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import click

from toolkit.base.errors import UsageError
from toolkit.base.format import count_of, event_text, format_count
from toolkit.base.output import Output
from toolkit.commands._invocation import Invocation
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
"""Older unfinished ones that are named."""
_Record = TypeVar("_Record", bound="RunRecord")


def newest_unfinished(output: Output, found: Sequence[_Record], plural: str) -> _Record:
    """The first of the unfinished ``found``, which are the newest first; a hint names the
    others."""
    newest, *others = found
    if others:
        listed = ", ".join(getattr(other, "key", other.name) for other in others[:_NAMED])
        more = ", ..." if len(others) > _NAMED else ""
        number = count_of(len(others), f"older {newest.what}", f"older {plural}")
        output.hint(f"{number} not finished either: {listed}{more}")
    return newest


def resume_run(
    ctx: click.Context,
    db: Database,
    record: RunRecord,
    jobs: Jobs | None,
    allow_changed: bool,
    *,
    pgn: PgnFile | None = None,
    as_csv: bool = False,
    affinity: bool = False,
    engine_log: str | None = None,
    retry_failed: bool = False,
) -> None:
    """Go on with a run, print its result, and leave with its exit code. ``jobs``: None for as many
    workers as before, at most one for each core; ``pgn`` and ``retry_failed`` are for an event,
    ``affinity`` also for a study, ``as_csv`` for a laboratory run."""
    from db.records.events import EventRecord
    from db.records.laboratory import LabRunRecord
    from db.records.studies import StudyRecord
    from engines.cores import available_cores
    from toolkit.commands.runs.event import sweep_before
    from toolkit.runs.lifecycle import last_jobs

    sweep_before(ctx.ensure_object(Invocation).output)
    if jobs is None:  # a finished run needs no workers, so nothing is said of many
        # It may have been played on a cluster, or on a larger machine.
        most = available_cores()
        jobs = 1 if record.status == "done" else min(last_jobs(db, record), most)
    if isinstance(record, EventRecord):
        _resume_event(ctx, db, record, jobs, allow_changed, pgn, affinity, engine_log, retry_failed)
    elif isinstance(record, StudyRecord):
        _resume_study(ctx, db, record, jobs, allow_changed, affinity, engine_log)
    else:
        if engine_log is not None:
            raise UsageError(f"--engine-log: `{record.name}` is a {record.what}; it plays no games")
        assert isinstance(record, LabRunRecord)
        _resume_lab(ctx, db, record, jobs, allow_changed, as_csv)


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
    as_csv: bool,
) -> None:
    from toolkit.commands.runs.lab import check_searchers, finish, warn_about_times
    from toolkit.lab.run import resume_lab, stored_plan
    from toolkit.show.live.lab import LabView

    invocation = ctx.ensure_object(Invocation)
    check_searchers(invocation.output, jobs)
    if record.status != "done":
        warn_about_times(invocation.output, stored_plan(db, record))
    with Live(invocation, LabView()) as live:
        outcome = resume_lab(
            db, record, jobs=jobs, allow_changed=allow_changed, on_progress=live.show
        )
    finish(ctx, db, outcome, as_csv)
