"""``mtdf resume``: continue an event, a study or a laboratory run."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from toolkit.base.errors import NothingMatched, UsageError
from toolkit.base.output import Output
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.run import AFFINITY, ENGINE_LOG, resume_options
from toolkit.commands.options.types import RESUMABLE

if TYPE_CHECKING:
    from db.records.runs import RunRecord
    from db.session import Database
    from toolkit.runs.jobs import Jobs


@click.command(
    "resume",
    cls=Command,
    short_help="Continue an event, a study or a laboratory run.",
    examples=(
        ("mtdf resume", "continue the newest unfinished event"),
        ("mtdf resume r3f9 --retry-failed", "after an engine that did not start was mended"),
        ("mtdf resume lmr", "the study `lmr`; same as mtdf tune resume lmr"),
    ),
)
@click.argument("name", metavar="[NAME]", type=RESUMABLE, required=False)
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
@click.pass_context
def command(
    ctx: click.Context,
    name: str | None,
    jobs: Jobs | None,
    allow_changed: bool,
    affinity: bool,
    engine_log: str | None,
    retry_failed: bool,
    pgn_out: str | None,
) -> None:
    """Continue an event, a study or a laboratory run after Ctrl-C, a crash or a power cut.

    NAME is the id or name of an event, `last` for the newest event, or the name of a study or run.
    The default is the newest unfinished event. For a finished one, the result is shown again.
    """
    from toolkit.commands.runs.pgn import PgnFile
    from toolkit.commands.runs.resume import resume_run

    invocation = ctx.ensure_object(Invocation)
    pgn = PgnFile.checked(pgn_out, invocation.output)
    with invocation.database(writes=True) as db:
        record = _newest_event(invocation.output, db) if name is None else _meant(db, name)
        if pgn is not None and record.what != "event":
            raise UsageError(f"--pgn-out: `{name}` is a {record.what}; it writes no games")
        if affinity and record.what not in ("event", "study"):
            raise UsageError(f"--affinity: `{name}` is a {record.what}; it plays no games")
        if retry_failed and record.what != "event":
            raise UsageError(f"--retry-failed: `{name}` is a {record.what}; this is for events")
        resume_run(
            ctx,
            db,
            record,
            jobs,
            allow_changed,
            pgn=pgn,
            affinity=affinity,
            engine_log=engine_log,
            retry_failed=retry_failed,
        )


def _newest_event(output: Output, db: Database) -> RunRecord:
    """The newest unfinished event. Raises NothingMatched, with the command for unfinished runs of
    other kinds, if there are any."""
    from toolkit.commands.runs.resume import newest_unfinished
    from toolkit.lab.views import unfinished_runs
    from toolkit.runs.lifecycle import resume_command
    from toolkit.selection.events import unfinished_events
    from toolkit.tuning.study.report import unfinished_studies

    try:
        return newest_unfinished(output, unfinished_events(db), "events")
    except NothingMatched as error:
        others: list[RunRecord] = []
        for unfinished in (unfinished_studies, unfinished_runs):
            with suppress(NothingMatched):
                others += unfinished(db)[:1]
        commands = " or ".join(map(resume_command, others))
        more = f"; continue another run with: {commands}" if others else ""
        raise NothingMatched(f"{error}{more}") from None


def _meant(db: Database, name: str) -> RunRecord:
    """The only run with this name, of events the newest; else the event that the text means. Raises
    UsageError if runs of several kinds have the name, NothingMatched."""
    from toolkit.runs.lifecycle import resume_command
    from toolkit.selection.events import find_event

    found = {run.what: run for run in db.repository.runs_named(name)}  # the newest of each kind
    if len(found) > 1:
        kinds = ", ".join(f"{what} ({resume_command(run)})" for what, run in found.items())
        raise UsageError(f"`{name}` matches several things: {kinds}")
    try:
        return find_event(db, name) if "event" in found or not found else found.popitem()[1]
    except NothingMatched as error:
        raise NothingMatched(f"{error}, and no study or laboratory run has this name") from None
