"""``mtdf resume``: play what is missing of an event."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands._types import EVENT_NAME, WHOLE
from toolkit.output import Output, count_of, format_count

if TYPE_CHECKING:
    from db.records import EventRecord
    from db.session import Database


@click.command(
    "resume",
    cls=Command,
    examples=(
        ("mtdf resume", "go on with the newest event that is not finished"),
        ("mtdf resume r3f9 --jobs 2", "with two workers; the number of workers changes no game"),
    ),
)
@click.argument("event", metavar="[EVENT]", type=EVENT_NAME, required=False)
@click.option("--jobs", "-j", type=WHOLE, help="Worker processes; default: as many as before.")
@click.option(
    "--allow-changed", is_flag=True, help="Go on although this program plays differently."
)
@click.option(
    "--pgn-out", metavar="FILE", help="Also write the games to this file; replaces the file."
)
@click.pass_context
def command(
    ctx: click.Context,
    event: str | None,
    jobs: int | None,
    allow_changed: bool,
    pgn_out: str | None,
) -> None:
    """Go on with an event after Ctrl-C, a crash or a power cut.

    EVENT is an id, a name, or last; without it, the newest event that is not finished. A finished
    event only shows its result again.
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
    pgn = PgnFile.checked(pgn_out)
    with invocation.database(writes=True) as db:
        found = _chosen_event(output, db, event)
        check_playable(found)
        settings = EventSettings.from_json(found.settings)
        workers = db.repository.last_jobs(found.id) or 1 if jobs is None else jobs
        if found.status != "done":
            warn_about_jobs(output, workers, settings.limit)
        with db.event_lock(found.key):
            pass  # whoever plays it is named before anything is said of going on
        name = f' "{found.name}"' if found.name else ""
        output.hint(
            f"event {found.key}{name}: {format_count(2 * found.pairs_done)} of "
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


def _chosen_event(output: Output, db: Database, event: str | None) -> EventRecord:
    """The event that is meant; of several unfinished ones the others are named."""
    from toolkit.commands._unfinished import newest_unfinished
    from toolkit.queries import find_event, unfinished_events

    if event is not None:
        return find_event(db, event)
    return newest_unfinished(output, unfinished_events(db), lambda one: one.key, "event")
