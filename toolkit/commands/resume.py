"""``mtdf resume``: continue an event, a study or a laboratory run."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from toolkit.base.errors import UsageError
from toolkit.base.output import Output, count_of, format_count
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands._types import RESUMABLE, WHOLE

if TYPE_CHECKING:
    from db.records import EventRecord
    from db.session import Database


@click.command(
    "resume",
    cls=Command,
    short_help="Continue an event, a study or a laboratory run.",
    examples=(
        ("mtdf resume", "continue the newest unfinished event"),
        ("mtdf resume r3f9 --jobs 2", "with two workers; their number does not affect the games"),
        ("mtdf resume lmr", "the study `lmr`; same as mtdf tune resume lmr"),
    ),
)
@click.argument("name", metavar="[NAME]", type=RESUMABLE, required=False)
@click.option("--jobs", "-j", type=WHOLE, help="Worker processes; default: as many as before.")
@click.option(
    "--allow-changed", is_flag=True, help="Continue even if this program plays differently."
)
@click.option("--pgn-out", metavar="FILE", help="Also write the games to FILE, replacing it.")
@click.pass_context
def command(
    ctx: click.Context,
    name: str | None,
    jobs: int | None,
    allow_changed: bool,
    pgn_out: str | None,
) -> None:
    """Continue an event, a study or a laboratory run after Ctrl-C, a crash or a power cut.

    NAME is the id or name of an event, `last` for the newest event, or the name of a study or run.
    The default is the newest unfinished event. For a finished one, the result is shown again.
    """
    from toolkit.commands._event_options import check_jobs
    from toolkit.commands._live import LiveProgress
    from toolkit.commands._pgn import PgnFile
    from toolkit.commands._play import finish_event, resume_line, warn_about_jobs
    from toolkit.play.event import check_playable, resume_event
    from toolkit.play.settings import EventSettings

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    if jobs is not None:
        check_jobs(jobs)
    if name is not None and _resumed_elsewhere(ctx, name, jobs, allow_changed, pgn_out):
        return
    pgn = PgnFile.checked(pgn_out)
    with invocation.database(writes=True) as db:
        found = _chosen_event(output, db, name)
        check_playable(found)
        settings = EventSettings.from_json(found.settings)
        workers = db.repository.last_jobs(found.id) or 1 if jobs is None else jobs
        if found.status != "done":
            warn_about_jobs(output, workers, settings.limit)
        with db.event_lock(found.key):
            pass  # fails here if another process holds the event, before any output
        called = f' "{found.name}"' if found.name else ""
        output.hint(
            f"event {found.key}{called}: {format_count(2 * found.pairs_done)} of "
            f"{count_of(2 * found.pairs_planned, 'game')} are in the database"
        )
        with LiveProgress(output) as live:
            outcome = resume_event(
                db,
                found,
                jobs=workers,
                allow_changed=allow_changed,
                on_progress=invocation.heard(live.show, resume_line),
            )
        finish_event(ctx, db, outcome, pgn)


def _resumed_elsewhere(
    ctx: click.Context, name: str, jobs: int | None, allow_changed: bool, pgn_out: str | None
) -> bool:
    """Whether a study or a laboratory run has this name; if so, it has been continued. Raises
    UsageError if several things have the name."""
    from toolkit.commands import lab, tune

    with ctx.ensure_object(Invocation).database(writes=True) as db:
        found = _called(db, name)
    if len(found) > 1:
        kinds = ", ".join(f"{kind} ({line})" for kind, line in found)
        raise UsageError(f"`{name}` matches several things: {kinds}")
    kind = found[0][0] if found else "event"
    if kind == "event":
        return False
    if pgn_out is not None:
        raise UsageError(f"--pgn-out: `{name}` is a {kind}; it writes no games")
    if kind == "study":
        ctx.invoke(tune.resume_command, study=name, jobs=jobs, allow_changed=allow_changed)
        return True
    if allow_changed:
        raise UsageError(
            f"--allow-changed: laboratory run `{name}` cannot be continued with another core"
        )
    ctx.invoke(lab.resume_command, run=name, jobs=jobs or 1, as_csv=False)
    return True


def _called(db: Database, name: str) -> list[tuple[str, str]]:
    """Everything with this name, and the command that continues each."""
    from toolkit.commands._lab import resume_line
    from toolkit.selection.events import played_events

    repository = db.repository
    found = [
        ("event", f"mtdf resume {event.key}")
        for event in played_events(db)
        if name in (event.name, event.key)
    ]
    if any(one.name == name for one in repository.studies()):
        found.append(("study", f"mtdf tune resume {shlex.quote(name)}"))
    if any(one.name == name for one in repository.lab_runs()):
        found.append(("laboratory run", resume_line(name)))
    return found


def _chosen_event(output: Output, db: Database, event: str | None) -> EventRecord:
    """The event to resume; if several are unfinished, the others are mentioned."""
    from toolkit.commands._unfinished import newest_unfinished
    from toolkit.selection.events import find_event, unfinished_events

    if event is not None:
        return find_event(db, event)
    return newest_unfinished(output, unfinished_events(db), lambda one: one.key, "event")
