"""``mtdf lab claims``: measure and judge published claims about MTD(f)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.base.format import count_of, format_count
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.run import JOBS
from toolkit.commands.options.types import WHOLE
from toolkit.lab.claims.games import measured_games

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.events.progress import EventOutcome
    from toolkit.lab.claims.claim import Claim
    from toolkit.lab.claims.experiment import Size
    from toolkit.lab.claims.views import ClaimRow
    from toolkit.runs.jobs import Jobs

ALL_GAMES = "all"


@click.command(
    "claims",
    cls=Command,
    short_help="Measure and judge published claims about MTD(f).",
    examples=(
        ("mtdf lab claims --jobs 2", "all claims in quick size, a few minutes"),
        ("mtdf lab claims --only 3 --size full", "one claim; repeat it to continue after a crash"),
        (
            "mtdf lab claims --game all --size full --page claims.md",
            "a page with the figures and charts of every game",
        ),
    ),
)
@click.option(
    "--only", "numbers", metavar="N", type=WHOLE, multiple=True,
    help="Judge only claim N; may be repeated.",
)  # fmt: skip
@click.option(
    "--game", type=click.Choice([*measured_games(), ALL_GAMES]), default=measured_games()[0],
    show_default=True,
    help="Game in which claims are measured; `all`: each of them.",
)  # fmt: skip
@click.option(
    "--size", type=click.Choice(["quick", "full"]), default="quick", show_default=True,
    help="Size of the samples.",
)  # fmt: skip
@click.option(
    "--page", metavar="FILE", help="Write a Markdown page, with the charts in a folder beside it."
)
@click.option("--results", metavar="DIR", help="Write the result of each claim as DIR/N.json.")
@JOBS
@click.pass_context
def command(
    ctx: click.Context,
    numbers: tuple[int, ...],
    game: str,
    size: Size,
    page: str | None,
    results: str | None,
    jobs: Jobs,
) -> None:
    """Measure published claims about MTD(f), and judge each part of them by a threshold that was
    fixed in code before. The claims were made about chess, checkers and Othello; in other games
    than chess the same engines search deeper, with contests of fewer games.

    All searches are stored as laboratory runs called claims-NAME-SIZE, and games as events. The
    same command continues them after Ctrl-C or a crash, and only judges again what is complete.
    docs/claims.md has the verdicts that come with the program.
    """
    from toolkit.commands.runs.lab import check_searchers
    from toolkit.lab.claims.catalogue import chosen_claims
    from toolkit.lab.claims.other_games import claims_in
    from toolkit.lab.claims.stored import stored_verdicts, write_results
    from toolkit.lab.claims.views import judged
    from toolkit.show.tables.claims import print_claims

    invocation = ctx.ensure_object(Invocation)
    claims = [
        claim
        for one in (measured_games() if game == ALL_GAMES else [game])
        for claim in claims_in(chosen_claims(numbers), one)
    ]
    if not claims:
        raise click.UsageError(f"claim {numbers[0]} is measured in no {game}", ctx)
    _check_places(page, results, claims)
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
    if page is not None:
        _write_page(rows, Path(page))
        invocation.output.hint(f"wrote {page}")


def _check_places(page: str | None, results: str | None, claims: Sequence[Claim]) -> None:
    """Make the folders, and raise UsageError if a file could not be written, before the work for it
    is done."""
    from toolkit.base.files import check_place
    from toolkit.lab.claims.stored import result_file

    if page is not None:
        check_place(Path(page))
        if Path(page).suffix.lower() != ".md":
            raise click.UsageError(f"--page `{page}`: the name of a page ends in .md")
        _make_folder("--page", page, Path(page).with_suffix(""))
    if results is not None:
        _make_folder("--results", results, Path(results))
        for claim in claims:
            check_place(result_file(Path(results), claim.game, claim.number))


def _make_folder(option: str, given: str, folder: Path) -> None:
    """Make a folder for what an option names, if there is none. Raises UsageError."""
    try:
        folder.mkdir(exist_ok=True)
    except FileExistsError:
        raise click.UsageError(f"{option} `{given}`: {folder} is not a folder") from None
    except OSError as error:
        why = error.strerror or str(error)
        raise click.UsageError(f"{option} `{given}`: cannot make {folder}: {why}") from error


def _measure(
    ctx: click.Context, db: Database, claims: Sequence[Claim], size: Size, jobs: Jobs
) -> None:
    """Search and play what is missing. Exits if that is interrupted or fails."""
    from toolkit.commands.runs.lab import leave_unless_done
    from toolkit.lab.claims.contests import play
    from toolkit.lab.claims.page import measuring_command
    from toolkit.lab.claims.running import contests_of, experiments_of, measure
    from toolkit.show.live.event import EventView
    from toolkit.show.live.lab import LabView
    from toolkit.show.live.progress import Live

    given = ctx.params
    go_on = measuring_command(
        given["numbers"], size, given["page"], given["results"], given["game"]
    )
    for experiment in experiments_of(claims):
        with Live(ctx.ensure_object(Invocation), LabView(go_on)) as live:
            outcome = measure(db, experiment, size, jobs=jobs, on_progress=live.show)
        leave_unless_done(ctx, outcome, go_on)
    for contest in contests_of(claims):
        with Live(ctx.ensure_object(Invocation), EventView(go_on=go_on)) as watched:
            played = play(db, contest, size, jobs=jobs, on_progress=watched.show)
        _leave_unless_played(ctx, played, go_on)


def _leave_unless_played(ctx: click.Context, outcome: EventOutcome, go_on: str) -> None:
    """Say how to continue a match that was stopped or failed, and leave with its exit code."""
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


def _write_page(rows: Sequence[ClaimRow], path: Path) -> None:
    """The page, and the charts in the folder beside it that has the page's name."""
    from toolkit.base.files import write_output
    from toolkit.lab.claims.page import claims_page
    from toolkit.show.charts.claims import write_claim_charts

    charts = path.with_suffix("")
    write_claim_charts(rows, charts)
    write_output(path, claims_page(rows, charts.name))
