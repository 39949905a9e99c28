"""Measure and judge published claims about MTD(f): ``python research/judge_claims.py --help``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from claims.catalogue import chosen_claims
from claims.contests import play
from claims.other_games import DEPTH_STRETCH, claims_in
from claims.running import contests_of, experiments_of, measure
from claims.stored import result_file, stored_verdicts, write_results
from claims.table import print_claims
from claims.views import judged
from toolkit.base.files import check_place
from toolkit.base.format import count_of, format_count
from toolkit.commands._base import WORDS, Command
from toolkit.commands._invocation import Invocation
from toolkit.commands._program import run_program
from toolkit.commands.options.run import JOBS
from toolkit.commands.options.types import WHOLE
from toolkit.commands.runs.lab import check_searchers, leave_unless_done
from toolkit.show.live.event import EventView
from toolkit.show.live.lab import LabView
from toolkit.show.live.progress import Live

if TYPE_CHECKING:
    from claims.claim import Claim
    from claims.experiment import Size
    from db.session import Database
    from toolkit.events.progress import EventOutcome
    from toolkit.runs.jobs import Jobs

PROGRAM = "python research/judge_claims.py"
ALL_GAMES = "all"


@click.command(
    cls=Command,
    examples=(
        (f"{PROGRAM} --jobs 2", "all claims in quick size, a few minutes"),
        (f"{PROGRAM} --only 3 --size full", "one claim; repeat it to continue after a crash"),
    ),
)
@click.option(
    "--only", "numbers", metavar="N", type=WHOLE, multiple=True,
    help="Judge only claim N; may be repeated.",
)  # fmt: skip
@click.option(
    "--game", type=click.Choice([*DEPTH_STRETCH, ALL_GAMES]), default="chess", show_default=True,
    help="Game in which claims are measured; `all`: each of them.",
)  # fmt: skip
@click.option(
    "--size", type=click.Choice(["quick", "full"]), default="quick", show_default=True,
    help="Size of the samples.",
)  # fmt: skip
@click.option("--results", metavar="DIR", help="Write the result of each claim as DIR/N.json.")
@JOBS
@click.pass_context
def command(
    ctx: click.Context,
    numbers: tuple[int, ...],
    game: str,
    size: Size,
    results: str | None,
    jobs: Jobs,
) -> None:
    """Measure published claims about MTD(f), and judge each part by a threshold that was fixed in
    code before. In other games than chess the same engines search deeper.

    All searches are stored as laboratory runs called claims-NAME-SIZE, and games as events. After
    Ctrl-C or a crash the same command continues them. docs/claims.md has the stored verdicts.
    """
    invocation = ctx.ensure_object(Invocation)
    claims = [
        claim
        for one in (DEPTH_STRETCH if game == ALL_GAMES else [game])
        for claim in claims_in(chosen_claims(numbers), one)
    ]
    if not claims:
        raise click.UsageError(f"claim {numbers[0]} is measured in no {game}", ctx)
    if results is not None:
        _check_folder(results, claims)
    known = stored_verdicts("full") if size == "quick" else {}
    check_searchers(invocation.output, jobs)
    with invocation.database(create=True) as db:
        _measure(ctx, db, claims, size, jobs)
        rows = [judged(db, claim, size) for claim in claims]
    if invocation.output.as_json:
        invocation.output.json_rows(rows)
    else:
        print_claims(invocation.output, rows, known)
    if results is not None:
        write_results(rows, Path(results))
        invocation.output.hint(f"wrote {count_of(len(rows), 'result')} to {results}")


def _check_folder(given: str, claims: Sequence[Claim]) -> None:
    """Make the folder of results. Raises UsageError if a result could not be written."""
    folder = Path(given)
    try:
        folder.mkdir(exist_ok=True)
    except FileExistsError:
        raise click.UsageError(f"--results `{given}`: it is not a folder") from None
    except OSError as error:
        why = error.strerror or str(error)
        raise click.UsageError(f"--results `{given}`: cannot make it: {why}") from error
    for claim in claims:
        check_place(result_file(folder, claim.game, claim.number))


def _measure(
    ctx: click.Context, db: Database, claims: Sequence[Claim], size: Size, jobs: Jobs
) -> None:
    """Search and play what is missing. Exits if that is interrupted or fails."""
    go_on = f"{PROGRAM} {shlex.join(ctx.meta[WORDS])}".rstrip()
    for experiment in experiments_of(claims):
        with Live(ctx.ensure_object(Invocation), LabView(go_on)) as live:
            outcome = measure(db, experiment, size, jobs=jobs, on_progress=live.show)
        leave_unless_done(ctx, outcome, go_on)
    for contest in contests_of(claims):
        with Live(ctx.ensure_object(Invocation), EventView(go_on=go_on)) as watched:
            played = play(db, contest, size, jobs=jobs, on_progress=watched.show)
        _leave_unless_played(ctx, played, go_on)


def _leave_unless_played(ctx: click.Context, outcome: EventOutcome, go_on: str) -> None:
    """Say how to continue a match that was stopped or failed, and exit with its code."""
    output = ctx.ensure_object(Invocation).output
    if outcome.problem is not None:
        output.error(f"{outcome.problem}; stopped, every finished game is saved")
    if outcome.status != "done":
        progress = outcome.progress
        output.hint(
            f"event {outcome.event.name}: {format_count(progress.games_played)} of "
            f"{count_of(progress.games_planned, 'game')} are stored; continue with: {go_on}"
        )
        ctx.exit(outcome.exit_code)


if __name__ == "__main__":
    sys.exit(run_program(command, sys.argv[1:], PROGRAM))
