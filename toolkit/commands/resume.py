"""``mtdf resume``: play what is missing of an event."""

from __future__ import annotations

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands._types import WHOLE
from toolkit.output import format_count


@click.command(
    "resume",
    cls=Command,
    examples=(
        ("mtdf resume last", "go on with the newest event"),
        ("mtdf resume r3f9 --jobs 2", "with two workers; the number of workers changes no game"),
    ),
)
@click.argument("event", metavar="EVENT")
@click.option("--jobs", "-j", type=WHOLE, default=1, show_default=True, help="Worker processes.")
@click.option(
    "--allow-changed", is_flag=True, help="Go on although this program plays differently."
)
@click.option("--pgn-out", metavar="FILE", help="Also write the games to this file.")
@click.pass_context
def command(
    ctx: click.Context, event: str, jobs: int, allow_changed: bool, pgn_out: str | None
) -> None:
    """Go on with an event after Ctrl-C, a crash or a power cut. EVENT: id, name, or last."""
    from toolkit.commands._event_options import check_jobs
    from toolkit.commands._live import LiveProgress
    from toolkit.commands._pgn import PgnFile
    from toolkit.commands._play import finish_event, warn_about_jobs
    from toolkit.play.event import check_playable, resume_event
    from toolkit.play.settings import EventSettings
    from toolkit.queries import find_event

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    check_jobs(jobs)
    pgn = PgnFile.checked(pgn_out)
    with invocation.database(writes=True) as db:
        found = find_event(db, event)
        check_playable(found)
        settings = EventSettings.from_json(found.settings)
        warn_about_jobs(output, jobs, deterministic=settings.limit.deterministic)
        with db.event_lock(found.key):
            pass  # whoever plays it is named before anything is said of going on
        name = f' "{found.name}"' if found.name else ""
        output.hint(
            f"event {found.key}{name}: {format_count(2 * found.pairs_done)} of "
            f"{format_count(2 * found.pairs_planned)} games are in the database"
        )
        with LiveProgress(output) as live:
            outcome = resume_event(
                db, found, jobs=jobs, allow_changed=allow_changed, on_progress=live.show
            )
        finish_event(ctx, db, outcome, pgn)
