"""Playing an event from the command line: warnings, progress, result, exit code."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from toolkit.base.errors import ExitCode
from toolkit.base.output import (
    Output,
    count_of,
    format_count,
    format_duration,
    format_interval,
    format_los,
    format_number,
    format_pairs,
    gone_line,
)
from toolkit.commands._event_options import EventArguments
from toolkit.commands._invocation import Invocation
from toolkit.commands._json import PlanRow
from toolkit.commands._live import LiveProgress, print_pairings
from toolkit.commands._pgn import PgnFile
from toolkit.reports.rows import OutcomeRow, ScoreRow

if TYPE_CHECKING:
    from db.session import Database
    from engines.spec import Limit
    from toolkit.books.book import Book
    from toolkit.play.progress import EventOutcome, EventPlan, EventProgress
    from toolkit.play.settings import EventSettings

_LOAD_MARGIN = 0.5
"""How far the load may lie above the cores: workers on all cores and a coordinator make as much."""


def play_new_event(
    ctx: click.Context,
    settings: EventSettings,
    book: Book,
    arguments: EventArguments,
    *,
    as_csv: bool = False,
) -> None:
    """Play an event from its beginning and print its result; with ``--dry-run`` only the plan.
    ``as_csv`` is for an ablation."""
    from toolkit.play.event import start_event
    from toolkit.play.plan import plan_event

    invocation = ctx.ensure_object(Invocation)
    output, jobs = invocation.output, arguments.jobs
    pgn = PgnFile.checked(arguments.pgn_out)
    for notice in settings.notices():
        output.warning(notice)
    for bad in book.skipped[:3]:
        output.warning(f"left out {bad}")
    if len(book.skipped) > 3:
        output.warning(f"left out {count_of(len(book.skipped) - 3, 'more line')} of the book")
    warn_about_jobs(output, jobs, settings.limit)
    if arguments.dry_run:
        print_plan(output, plan_event(settings, book=book, jobs=jobs))
        return
    with invocation.database(create=True) as db:
        _warn_about_name(output, db, settings.name)
        with LiveProgress(output) as live:
            show = invocation.heard(live.show, resume_line)
            outcome = start_event(db, settings, book=book, jobs=jobs, on_progress=show)
        finish_event(ctx, db, outcome, pgn, as_csv=as_csv)


def _warn_about_name(output: Output, db: Database, name: str) -> None:
    """Say so where another event has the name: it will mean neither of the two."""
    keys = [event.key for event in db.repository.events() if name and event.name == name]
    if keys:
        output.warning(
            f"event {' and '.join(keys)} is also named {name}: refer to these events by id"
        )


def resume_line(progress: EventProgress) -> str:
    """The command that plays the missing pairs of an event."""
    return f"mtdf resume {progress.event.key}"


def warn_about_jobs(output: Output, jobs: int, limit: Limit) -> None:
    """Say so where more workers than cores, or other work of the machine, spoil timed games, or
    where more workers only cost memory."""
    from toolkit.base.doctor import available_cores

    cores, load = available_cores(), os.getloadavg()[0]
    many = more_jobs_than_cores(jobs)
    if many is None:
        if limit.is_timed and jobs + round(load) > cores:
            output.warning(
                f"the load average was {load:.1f} before starting {count_of(jobs, 'job')} on "
                f"{count_of(cores, 'core')}: timed games will be unfair; end the other programs, "
                "or use --nodes or --cpu-ms"
            )
    elif limit.is_timed:
        output.warning(f"{many[0]}: timed games will be unfair; use --nodes or --jobs {many[1]}")
    elif limit.deterministic:
        output.hint(f"{many[0]}: the games are identical, and no faster")
    else:
        output.hint(f"{many[0]}: CPU time is counted, so games stay fair; they are no faster")


def more_jobs_than_cores(jobs: int) -> tuple[str, int] | None:
    """Both numbers in words, and that of the cores, where there are more jobs; else None."""
    from toolkit.base.doctor import available_cores

    cores = available_cores()
    return (
        (f"{count_of(jobs, 'job')} on {count_of(cores, 'core')}", cores) if jobs > cores else None
    )


def finish_event(
    ctx: click.Context,
    db: Database,
    outcome: EventOutcome,
    pgn: PgnFile | None,
    *,
    as_csv: bool = False,
) -> None:
    """Write the PGN file, print the result, and leave with the exit code of the outcome."""
    output = ctx.ensure_object(Invocation).output
    if pgn is not None:
        number = pgn.write(db, outcome.event)
        output.hint(f"wrote {count_of(number, 'game')} to {pgn.path}")
    if outcome.event.kind == "ablation":
        _print_ablation(output, db, outcome, as_csv)
    else:
        _print_result(output, db, outcome)
    warn_and_leave(ctx, db, outcome)


def warn_and_leave(ctx: click.Context, db: Database, outcome: EventOutcome) -> None:
    """Print warnings and the next step, and exit with the exit code of the outcome."""
    _warn_and_hint(ctx.ensure_object(Invocation).output, db, outcome)
    if outcome.status == "failed":
        ctx.exit(ExitCode.ENGINE)
    if outcome.signal == signal.SIGTERM:
        ctx.exit(ExitCode.TERMINATED)
    if outcome.status == "interrupted":
        ctx.exit(ExitCode.INTERRUPTED)


def print_plan(output: Output, plan: EventPlan) -> None:
    """What an event would do."""
    if output.as_json:
        output.json_object(_plan_row(plan))
        return
    heroes = len({first for first, _ in plan.pairings})
    who = count_of(len(plan.pairings), "pairing")
    if plan.kind == "ablation":
        who = count_of(len(plan.pairings), "feature")
    elif plan.kind == "gauntlet":
        who = f"{heroes} x {count_of(len(plan.pairings) // heroes, 'opponent')}"
    book = plan.book if plan.book_slice is None else f"{plan.book} slice {plan.book_slice}"
    pairs = f"{count_of(plan.pairs, 'pair')} each = {count_of(plan.games, 'game')}"
    if plan.expected_pairs is not None:
        expected = format_count(round(plan.expected_pairs))
        pairs = f"at most {count_of(plan.pairs, 'pair')}, about {expected} expected"
    output.text(
        f"plan   {plan.kind}, {who}, {pairs}, "
        f"book {book} ({format_count(plan.lines_used)} of {count_of(plan.lines, 'line')}), "
        f"seed {plan.seed}"
    )
    again = " (deterministic: same result on any machine)" if plan.deterministic else ""
    output.text(f"limit  {plan.limit}{again}")
    output.text(f"ends   {plan.adjudication}")
    output.text(estimate_line(plan.estimate_s, plan.jobs, plan.estimate_basis, plan.latest_s))
    output.hint("nothing was started (--dry-run)")


def print_outcome(output: Output, outcome: EventOutcome) -> None:
    """The end of an event and the scores of its pairings, from the outcome only."""
    from toolkit.commands._sprt import print_test
    from toolkit.reports.sprt import sprt_result

    event, progress = outcome.event, outcome.progress
    name = f' "{event.name}"' if event.name else ""
    played = f"{format_count(progress.games_played)} of {format_count(progress.games_planned)}"
    output.text(f"event {event.key}{name}, {event.kind}, {outcome.status}: {played} games")
    if outcome.problem is not None:
        output.text(outcome.problem)
    print_pairings(output, progress)
    if progress.test is not None:
        pairing = progress.pairings[0]
        names = [progress.shown.get(label, label) for label in (pairing.first, pairing.second)]
        print_test(output, sprt_result(outcome), names)


def estimate_line(
    estimate_s: float | None, jobs: int, basis: str, latest_s: float | None = None
) -> str:
    """The estimated time, the maximum if it differs, and the basis of both."""
    if estimate_s is None:
        return f"est.   unknown ({basis})"
    most = "" if latest_s is None else f" (at most ~{format_duration(latest_s)})"
    return f"est.   ~{format_duration(estimate_s)}{most} at {count_of(jobs, 'job')} ({basis})"


def _print_result(output: Output, db: Database, outcome: EventOutcome) -> None:
    """The scores of the pairings and the rating table of the event's games. For an interrupted
    event these are the standings so far, and ``status`` in its JSON says so."""
    from toolkit.base.errors import NothingMatched
    from toolkit.commands._ratings import print_ratings
    from toolkit.commands._sprt import print_sprt
    from toolkit.ratings.rating import rate_games
    from toolkit.reports.events import show_event
    from toolkit.reports.scores import event_scores, repeated_games
    from toolkit.reports.sprt import sprt_outcome

    if outcome.progress.test is not None:
        print_sprt(output, sprt_outcome(db, outcome), outcome.progress.shown)
        return
    done = outcome.status == "done"
    try:
        report = rate_games(db, event=outcome.event.key)
    except NothingMatched:
        report = None
    scores = event_scores(db, outcome.event)
    if output.as_json:
        row = OutcomeRow(
            **show_event(db, outcome.event.key),
            games=outcome.progress.games_played,
            excluded_games=repeated_games(db, outcome.event),
            scores=scores,
            ratings=report.rows() if report else [],
        )
        output.json_object(row)
    elif report is not None or done:
        if not done:
            output.text(standings_line(outcome))
        if outcome.event.kind == "match" and scores:
            output.text(_match_line(scores[0], outcome.progress.shown))
            output.text()
        if report is not None:
            print_ratings(output, report)


def _print_ablation(output: Output, db: Database, outcome: EventOutcome, as_csv: bool) -> None:
    """What each feature is worth, as far as it was played."""
    from toolkit.commands._ablation import print_ablation
    from toolkit.reports.ablation import ablation_table

    if outcome.status != "done" and not output.as_json and not as_csv:
        if not outcome.progress.games_played:
            return
        output.text(standings_line(outcome))
    print_ablation(output, ablation_table(db, outcome.event.key), as_csv)


def standings_line(outcome: EventOutcome) -> str:
    """The heading of the standings of an unfinished event."""
    progress = outcome.progress
    return (
        f"standings after {format_count(progress.games_played)} of "
        f"{count_of(progress.games_planned, 'game')} ({outcome.status}):"
    )


def _plan_row(plan: EventPlan) -> PlanRow:
    return PlanRow(
        kind=plan.kind,
        pairings=[list(pairing) for pairing in plan.pairings],
        pairs=plan.pairs,
        games=plan.games,
        book=plan.book,
        book_slice=plan.book_slice,
        lines=plan.lines,
        lines_used=plan.lines_used,
        seed=plan.seed,
        limit=plan.limit,
        deterministic=plan.deterministic,
        adjudication=plan.adjudication,
        jobs=plan.jobs,
        estimate_s=plan.estimate_s,
        estimate_basis=plan.estimate_basis,
        notices=list(plan.notices),
        expected_pairs=plan.expected_pairs,
        latest_s=plan.latest_s,
    )


def _match_line(row: ScoreRow, shown: Mapping[str, str]) -> str:
    line = (
        f"{shown[row['first']]} - {shown[row['second']]}  "
        f"+{row['wins']} -{row['losses']} ={row['draws']}  {format_pairs(row['pentanomial'])}"
    )
    if row["los"] is None:
        return line
    assert row["elo"] is not None and row["error95"] is not None
    interval = format_interval(row["elo"], row["error95"], row["low95"], row["high95"])
    elo = f"{format_number(row['elo'], signed=True)} {interval}"
    return f"{line}  Elo {elo} (95 %, by pairs)  LOS {format_los(row['los'])}"


def _warn_and_hint(output: Output, db: Database, outcome: EventOutcome) -> None:
    from toolkit.play.settings import EventSettings
    from toolkit.reports.scores import repeated_games

    event, progress = outcome.event, outcome.progress
    if progress.lost:
        output.warning(gone_line(progress.lost, "game", "games", "played"))
    if outcome.unrated:
        output.warning(f"no rating list was stored: {outcome.unrated}")
    for failure in db.repository.failures(event.id):
        output.warning(
            f"pair {failure.pair} of pairing {failure.pairing} could not be played: "
            f"{failure.reason}"
        )
    if progress.repaired:
        died = count_of(progress.repaired, "worker process", "worker processes")
        output.warning(f"{died} died; their pairs were retried")
    if progress.time_losses:
        output.warning(f"{count_of(progress.time_losses, 'game was', 'games were')} lost on time")
    if progress.engine_failures:
        output.warning(f"{count_of(progress.engine_failures, 'game')} ended by an engine's failure")
    repeated = repeated_games(db, event)
    if repeated:
        verb = "repeats" if repeated == 1 else "repeat"
        output.warning(
            f"{format_count(repeated)} of {count_of(progress.games_played, 'game')} {verb} "
            "earlier games in this database; statistics over all events count them once"
        )
    if progress.games_now and EventSettings.from_json(event.settings).limit.is_timed:
        _warn_of_load(output, db, outcome)
    if outcome.problem is not None:
        output.error(f"{outcome.problem}; stopped, everything played is saved")
    if outcome.status == "done":
        if progress.games_now:
            _warn_of_overruns(output, db, outcome)
        output.hint(
            f"event {event.key} is done; mtdf games --event {event.key} lists its games, "
            "mtdf ratings rates all events together"
        )
        return
    left = progress.games_planned - progress.games_played - 2 * progress.pairs_failed
    output.hint(
        f"event {event.key}: {format_count(progress.games_played)} of "
        f"{format_count(progress.games_planned)} games are saved, {format_count(left)} are left; "
        f"continue with: mtdf resume {event.key}"
    )


def _warn_of_load(output: Output, db: Database, outcome: EventOutcome) -> None:
    """Say so where timed games were played while the machine had more to do than it has cores."""
    from toolkit.base.doctor import available_cores

    cores = available_cores()
    games, highest = db.repository.games_above_load(outcome.event.id, cores + _LOAD_MARGIN)
    if games:
        output.warning(
            f"{format_count(games)} of {count_of(outcome.progress.games_played, 'timed game')} "
            f"started at a load above the {count_of(cores, 'core')} of this machine (up to "
            f"{highest:.1f}): waiting for a core cost clock time, so their results may be unfair"
        )


def _warn_of_overruns(output: Output, db: Database, outcome: EventOutcome) -> None:
    """Say so where a node limit was too small to bind."""
    from toolkit.reports.overrun import overruns

    over = overruns(db, outcome.event)
    if over:
        limit = format_count(outcome.event.settings["limit"]["nodes"])
        shown = outcome.progress.shown
        told = ", ".join(
            f"{shown.get(label, label)} {100 * share:.0f} %" for label, share in over.items()
        )
        output.warning(
            f"searched more than the limit of {limit} nodes per move: {told}; depth 1 is always "
            "completed, so use more --nodes"
        )
