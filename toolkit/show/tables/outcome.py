"""The end of an event: its result, warnings, the next step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from engines.registry import PARAMETERS
from toolkit.base.format import (
    count_of,
    event_text,
    format_count,
    format_interval,
    format_los,
    format_number,
    format_pairs,
)
from toolkit.base.output import Output
from toolkit.show.tables.events import extension_text
from toolkit.show.tables.pairings import print_pairings

if TYPE_CHECKING:
    from toolkit.events.progress import EventOutcome, EventProgress, ScoreRow
    from toolkit.reports.outcome import EventReport

_PROBLEMS = 8
"""Kinds of engine failures that are named."""


def print_outcome(output: Output, outcome: EventOutcome) -> None:
    """The end of an event and the scores of its pairings, from the outcome only."""
    from toolkit.reports.sprt import sprt_result
    from toolkit.show.tables.sprt import print_test

    event, progress = outcome.event, outcome.progress
    played = f"{format_count(progress.games_played)} of {format_count(progress.games_planned)}"
    text = event_text(event.key, event.name)
    output.text(f"event {text}, {event.kind}, {outcome.status}: {played} games")
    if outcome.problem is not None:
        output.text(outcome.problem)
    print_pairings(output, progress)
    if progress.test is not None:
        print_test(output, sprt_result(outcome), _tested(progress))


def _tested(progress: EventProgress) -> list[str]:
    """What to call the engine under test and its base."""
    pairing = progress.pairings[0]
    return [progress.names.get(label, label) for label in (pairing.first, pairing.second)]


def print_result(output: Output, outcome: EventOutcome, report: EventReport) -> None:
    """The result of an event; of one that was stopped, how it stands so far."""
    from toolkit.show.tables.ablation import print_ablation
    from toolkit.show.tables.race import print_race
    from toolkit.show.tables.ratings import print_ratings
    from toolkit.show.tables.rounds import print_rounds
    from toolkit.show.tables.sprt import print_test

    progress = outcome.progress
    if report.test is not None:
        print_test(output, report.test, _tested(progress))
        return
    if outcome.status != "done":
        known = report.ablation or report.ratings or report.race
        if not progress.games_played or known is None:
            return
        output.text(standings_line(outcome))
    if report.ablation is not None:
        print_ablation(output, report.ablation)
    if outcome.event.kind == "match" and report.scores:
        output.text(_match_line(report.scores[0], progress.names))
        output.text()
    if report.race is not None:
        print_race(output, report.race, progress.names)
    if report.rounds is not None:
        print_rounds(output, report.rounds, outcome.event.kind, progress.names)
    if report.ratings is not None:
        print_ratings(output, report.ratings)
        if any(row.any_look for row in report.scores):
            output.text("errors of ratings hold for a planned number of games, not at any look")


def standings_line(outcome: EventOutcome) -> str:
    """The heading of the standings of an unfinished event."""
    progress = outcome.progress
    most = "at most " if progress.rounds_may_end_early else ""
    return (
        f"standings after {format_count(progress.games_played)} of {most}"
        f"{count_of(progress.games_planned, 'game')} ({outcome.status}):"
    )


def _match_line(row: ScoreRow, shown: Mapping[str, str]) -> str:
    line = (
        f"{shown[row.first]} - {shown[row.second]}  "
        f"+{row.wins} -{row.losses} ={row.draws}  {format_pairs(row.pentanomial)}"
    )
    if row.los is None:
        return line
    assert row.elo is not None and row.error95 is not None
    interval = format_interval(row.elo, row.error95, row.low95, row.high95)
    elo = f"{format_number(row.elo, signed=True)} {interval}"
    valid = ", valid at any look" if row.any_look else ""
    return f"{line}  Elo {elo} (95 %, by pairs{valid})  LOS {format_los(row.los)}"


def print_warnings(output: Output, outcome: EventOutcome, report: EventReport) -> None:
    from toolkit.reports.machines import are_unequal, machines_text

    progress = outcome.progress
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
    if told := _slow_under_nodes(outcome):
        output.hint(told)
    if (more := len(progress.problems) - _PROBLEMS) > 0:
        output.warning(
            f'{count_of(more, "more kind")} of problems: mtdf query "SELECT * FROM v_problems '
            f"WHERE event = '{outcome.event.key}'\""
        )
    if extensions := outcome.event.settings.get("extensions"):
        output.warning(
            f"event {outcome.event.key} was extended {extension_text(extensions)}: the intervals "
            "of its pairings are valid at any look; if its result was the reason, the errors of "
            "ratings are greater than printed"
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
            f"{progress.names.get(engine, engine)} searched {format_count(mean)} nodes per move "
            f"under a limit of {format_count(limit)}: it ignores --nodes (mtdf engines test)"
        )
    if report.overruns:
        shares = report.overruns.items()
        told = ", ".join(
            f"{progress.names.get(one, one)} {100 * by:.0f} % more" for one, by in shares
        )
        output.warning(
            f"searched more than the limit of nodes per move: {told}; depth 1 is always completed, "
            "so use more nodes"
        )


def _slow_under_nodes(outcome: EventOutcome) -> str:
    """What to do if engines hung under a limit of nodes, which some do not know; else nothing."""
    settings = outcome.event.settings
    limits = [settings.get("limit") or {}, *settings.get("limits", {}).values()]
    hung = any("did not answer within" in problem for problem in outcome.progress.problems)
    if not hung or not any(set(limit) == {"nodes"} for limit in limits):
        return ""
    return (
        "an engine that ignores --nodes searches until it hangs: mtdf engines test says whether "
        "it does; --depth or --movetime may work"
    )


def _left(progress: EventProgress) -> int:
    """Games that are still to be played, without those of pairs that were given up."""
    return progress.games_planned - progress.games_played - 2 * progress.pairs_failed


def hint_at_next(output: Output, outcome: EventOutcome) -> None:
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
    most = "at most " if progress.rounds_may_end_early else ""
    output.hint(
        f"event {event.key}: {format_count(progress.games_played)} of {most}"
        f"{format_count(progress.games_planned)} games are saved, {most}{format_count(left)} are "
        f"left; "
        f"continue with: {resume_command(event)}{retry}"
    )
