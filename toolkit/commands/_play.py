"""Playing an event from the command line: warnings, progress, result, exit code."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import click

from engines.registry import PARAMETERS
from toolkit.base.errors import OperationFailed
from toolkit.base.files import write_output
from toolkit.base.format import (
    count_of,
    event_text,
    format_count,
    format_duration,
    format_interval,
    format_los,
    format_number,
    format_pairs,
    gone_line,
    jobs_text,
)
from toolkit.base.output import Output
from toolkit.commands._event_live import EventView, print_pairings
from toolkit.commands._invocation import Invocation
from toolkit.commands._json import EventPlanRow
from toolkit.commands._live import Live
from toolkit.commands._pgn import PgnFile
from toolkit.reports.rows import ScoreRow

if TYPE_CHECKING:
    from db.session import Database
    from engines.spec import Limit
    from toolkit.books.book import Book
    from toolkit.play.progress import EventOutcome, EventPlan, EventProgress
    from toolkit.play.settings import EventSettings
    from toolkit.reports.outcome import EventReport
    from toolkit.runs.jobs import Jobs


_ENGINES = 12
"""Engines that a plan names."""
_PROBLEMS = 8
"""Kinds of engine failures that are named."""


def play_new_event(
    ctx: click.Context,
    settings: EventSettings,
    book: Book | None,
    *,
    jobs: Jobs,
    affinity: bool,
    engine_log: str | None,
    pgn_out: str | None,
    save_config: str | None,
    dry_run: bool,
    as_csv: bool = False,
) -> None:
    """Play an event from its beginning and print its result; with ``--dry-run`` only the plan.
    ``book``: None for a built-in one. ``as_csv`` is for an ablation."""
    from toolkit.play.event import start_event
    from toolkit.play.plan import plan_event

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    if save_config is not None:
        _save_config(ctx, output, save_config)
        return
    pgn = PgnFile.checked(pgn_out, output)
    if affinity:
        check_affinity(jobs, settings.threads)
    warn_about_event(output, settings, book, jobs)
    if dry_run:
        print_plan(output, plan_event(settings, book=book, jobs=jobs))
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


def _save_config(ctx: click.Context, output: Output, path: str) -> None:
    """Write the command line as a file. Raises OperationFailed."""
    from toolkit.commands._run_file import given_as_file

    write_output(path, given_as_file(ctx))
    output.hint(f"wrote {path}; play it with: mtdf run {shlex.quote(path)}")


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
    from toolkit.play.event import check_engine_log

    check_engine_log(engine_log)
    if engine_log is not None and not any(
        isinstance(player.engine(), UciEngine) for player in settings.players
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
    from toolkit.commands._run_file import NAMED_BY_FILE
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
    for player, limit in zip(settings.players, settings.limits, strict=True):
        if player.threads == 1 or limit.is_timed:
            continue
        if limit.nodes is not None or limit.cpu_ms is not None:
            what = "nodes" if limit.nodes is not None else "CPU time"
            output.hint(
                f"engine `{player.label}`: its {player.threads} threads share the limit of {what}, "
                "so they can only lose; use --movetime or a clock (--tc) to test them"
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
    from toolkit.reports.outcome import event_report, outcome_row

    output = ctx.ensure_object(Invocation).output
    unwritten = None if pgn is None else pgn.finish(db)
    if pgn is not None and unwritten is None:
        games = count_of(outcome.progress.games_played, "game")
        output.hint(f"wrote {games} to {pgn.path}")
    report = event_report(db, outcome)
    if output.as_json and report.test is None and report.ablation is None:
        output.json_object(outcome_row(db, outcome, report))
    else:
        _print_result(output, outcome, report, as_csv)
    warn_and_leave(ctx, outcome, report, unwritten)


def warn_and_leave(
    ctx: click.Context, outcome: EventOutcome, report: EventReport, unwritten: str | None = None
) -> None:
    """Print warnings and the next step, and exit with the exit code of the outcome. Raises
    OperationFailed with the text ``unwritten`` instead if there is one."""
    output = ctx.ensure_object(Invocation).output
    _warn(output, outcome, report)
    _hint_at_next(output, outcome)
    if unwritten is not None:
        raise OperationFailed(unwritten)
    ctx.exit(outcome.exit_code)


def print_plan(output: Output, plan: EventPlan) -> None:
    """What an event would do."""
    if output.as_json:
        output.json_object(_plan_row(plan))
        return
    if plan.form is not None:
        _print_plan_in_rounds(output, plan)
        return
    heroes = len({first for first, _ in plan.pairings})
    who = count_of(len(plan.pairings), "pairing")
    if plan.kind == "ablation":
        who = count_of(len(plan.pairings), "feature")
        if heroes > 1:
            field = count_of(len(plan.pairings) // heroes, "opponent")
            who = f"{count_of(heroes - 1, 'feature')} and the full engine x {field}"
    elif plan.kind == "gauntlet":
        who = f"{heroes} x {count_of(len(plan.pairings) // heroes, 'opponent')}"
    pairs = f"{count_of(plan.pairs, 'pair')} each = {count_of(plan.games, 'game')}"
    if plan.expected_pairs is not None:
        expected = format_count(round(plan.expected_pairs))
        pairs = f"at most {count_of(plan.pairs, 'pair')}, about {expected} expected"
    _print_plan_lines(output, plan, f"{who}, {pairs}")


def _print_plan_in_rounds(output: Output, plan: EventPlan) -> None:
    """What an event would do whose later pairings depend on results."""
    games = f"{count_of(plan.games, 'game')}"
    if plan.expected_pairs is None:
        games = f"at most {games}"
    elif 2 * plan.expected_pairs < plan.games:
        expected = format_count(round(2 * plan.expected_pairs))
        games = f"at most {games}, about {expected} expected"
    _print_plan_lines(output, plan, f"{plan.form} = {games}")


def _print_plan_lines(output: Output, plan: EventPlan, what: str) -> None:
    """The lines of a plan; ``what``: its pairings and games."""
    book = plan.book if plan.book_slice is None else f"{plan.book} slice {plan.book_slice}"
    output.text(
        f"plan   {plan.kind}, {what}, "
        f"book {book} ({format_count(plan.lines_used)} of {count_of(plan.lines, 'line')}), "
        f"seed {plan.seed}{', Chess960' if plan.chess960 else ''}"
    )
    again = plan.variation or "deterministic: same result on any machine"
    output.text(f"limit  {plan.limit} ({again})")
    output.text(f"ends   {plan.adjudication}")
    engines = list(dict.fromkeys(label for pairing in plan.pairings for label in pairing))
    more = f" and {len(engines) - _ENGINES} more" if len(engines) > _ENGINES else ""
    if engines:
        output.text(f"who    {', '.join(engines[:_ENGINES])}{more}")
    output.text(estimate_line(plan.estimate_s, plan.jobs, plan.estimate_basis, plan.latest_s))
    output.hint("nothing was started (--dry-run)")


def print_outcome(output: Output, outcome: EventOutcome) -> None:
    """The end of an event and the scores of its pairings, from the outcome only."""
    from toolkit.commands._sprt import print_test
    from toolkit.reports.sprt import sprt_result

    event, progress = outcome.event, outcome.progress
    played = f"{format_count(progress.games_played)} of {format_count(progress.games_planned)}"
    text = event_text(event.key, event.name)
    output.text(f"event {text}, {event.kind}, {outcome.status}: {played} games")
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


def _print_result(output: Output, outcome: EventOutcome, report: EventReport, as_csv: bool) -> None:
    """The result of an event; of one that was stopped, how it stands so far."""
    from toolkit.commands._ablation import print_ablation
    from toolkit.commands._ratings import print_ratings
    from toolkit.commands._rounds import print_rounds
    from toolkit.commands._sprt import print_sprt

    progress = outcome.progress
    if report.test is not None:
        print_sprt(output, report.test, progress.shown)
        return
    if outcome.status != "done" and not output.as_json and not as_csv:
        if not progress.games_played or (report.ablation is None and report.ratings is None):
            return
        output.text(standings_line(outcome))
    if report.ablation is not None:
        print_ablation(output, report.ablation, as_csv)
    if outcome.event.kind == "match" and report.scores:
        output.text(_match_line(report.scores[0], progress.shown))
        output.text()
    if report.rounds is not None and not output.as_json:
        print_rounds(output, report.rounds, outcome.event.kind, progress.shown)
    if report.ratings is not None:
        print_ratings(output, report.ratings)


def standings_line(outcome: EventOutcome) -> str:
    """The heading of the standings of an unfinished event."""
    progress = outcome.progress
    most = "at most " if progress.round is not None and progress.round.at_most else ""
    return (
        f"standings after {format_count(progress.games_played)} of {most}"
        f"{count_of(progress.games_planned, 'game')} ({outcome.status}):"
    )


def _plan_row(plan: EventPlan) -> EventPlanRow:
    return EventPlanRow(
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
        chess960=plan.chess960,
        form=plan.form,
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


def _warn(output: Output, outcome: EventOutcome, report: EventReport) -> None:
    from toolkit.play.extension import extension_text
    from toolkit.reports.machines import are_unequal, machines_text

    progress = outcome.progress
    if progress.lost:
        output.warning(gone_line(progress.lost, "game", "games", "played"))
    if outcome.unrated:
        output.warning(f"no rating list was stored: {outcome.unrated}")
    reasons = Counter(failure.reason for failure in report.failures)
    is_told = outcome.problem is not None and len(reasons) == 1
    for reason, pairs in reasons.most_common(0 if is_told else _PROBLEMS):
        output.warning(f"{count_of(pairs, 'pair')} could not be played: {reason}")
    if progress.repaired:
        died = count_of(progress.repaired, "worker process", "worker processes")
        output.warning(f"{died} died; their pairs were retried")
    if progress.time_losses:
        output.warning(f"{count_of(progress.time_losses, 'game was', 'games were')} lost on time")
    if progress.engine_failures:
        output.warning(f"{count_of(progress.engine_failures, 'game')} ended by an engine's failure")
    for problem, times in list(progress.problems.items())[:_PROBLEMS]:
        output.warning(f"{problem}{f' ({times} games like this)' if times > 1 else ''}")
    if (more := len(progress.problems) - _PROBLEMS) > 0:
        output.warning(
            f'{count_of(more, "more kind")} of problems: mtdf query "SELECT * FROM v_problems '
            f"WHERE event = '{outcome.event.key}'\""
        )
    if extensions := outcome.event.settings.get("extensions"):
        output.warning(
            f"event {outcome.event.key} was extended {extension_text(extensions)}; if its result "
            "was the reason, the errors are greater than printed"
        )
    if report.repeated:
        verb = "repeats" if report.repeated == 1 else "repeat"
        output.warning(
            f"{format_count(report.repeated)} of {count_of(progress.games_played, 'game')} {verb} "
            "earlier games in this database; statistics over all events count them once"
        )
    if report.load:
        output.warning(report.load)
    if are_unequal(report.machines):
        output.warning(
            f"timed games were played by machines of unequal speed: "
            f"{machines_text(report.machines)}; both games of a pair had the same machine"
        )
    if outcome.problem is not None:
        stopped = "" if _left(progress) == 0 else "stopped, "
        output.error(f"{outcome.problem}; {stopped}everything played is saved")
    for engine, (mean, limit) in report.unkept.items():
        output.warning(
            f"{progress.shown.get(engine, engine)} searched {format_count(mean)} nodes per move "
            f"under a limit of {format_count(limit)}: it does not keep --nodes (mtdf engines test)"
        )
    if report.overruns:
        shares = report.overruns.items()
        told = ", ".join(
            f"{progress.shown.get(one, one)} {100 * by:.0f} % more" for one, by in shares
        )
        output.warning(
            f"searched more than the limit of nodes per move: {told}; depth 1 is always completed, "
            "so use more nodes"
        )


def _left(progress: EventProgress) -> int:
    """Games that are still to be played, without those of pairs that were given up."""
    return progress.games_planned - progress.games_played - 2 * progress.pairs_failed


def _hint_at_next(output: Output, outcome: EventOutcome) -> None:
    from toolkit.runs.lifecycle import resume_command
    from toolkit.selection.events import game_of_event

    event, progress = outcome.event, outcome.progress
    if outcome.status == "done":
        game = game_of_event(event)
        apart = "" if game == PARAMETERS["game"].neutral else f" --game {game}"
        output.hint(
            f"event {event.key} is done; mtdf games --event {event.key} lists its games, "
            f"mtdf ratings{apart} rates all events together"
        )
        return
    left, retry = _left(progress), ""
    if left == 0 and progress.pairs_failed:
        left, retry = 2 * progress.pairs_failed, " --retry-failed"
    most = "at most " if progress.round is not None and progress.round.at_most else ""
    output.hint(
        f"event {event.key}: {format_count(progress.games_played)} of {most}"
        f"{format_count(progress.games_planned)} games are saved, {most}{format_count(left)} are "
        f"left; "
        f"continue with: {resume_command(event)}{retry}"
    )
