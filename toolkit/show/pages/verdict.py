"""An event in words: what was played, and the answer, with how surely it is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engines.limit import limit_of
from engines.registry import PARAMETERS
from engines.rules.catalog import rules_of
from toolkit.base.format import (
    and_list,
    count_of,
    format_count,
    format_duration,
    format_interval,
    format_los,
    format_number,
)
from toolkit.events.progress import ScoreRow
from toolkit.ratings.rating_list import RatingLine
from toolkit.reports.ablation import AblationRow

if TYPE_CHECKING:
    from db.records.events import EventRecord
    from toolkit.events.progress import EventProgress
    from toolkit.reports.events import EventRow
    from toolkit.reports.rounds import RoundsReport
    from toolkit.reports.standing import FieldScore

SETTLED = 0.95
"""Likelihood of superiority from which on an order is called settled."""

ENDED = ("done", "failed")
"""Statuses of runs that do not change any more."""
MOST_NAMED = 6
"""Engines that a title names."""


def event_title(event: EventRecord, row: EventRow, shown: Mapping[str, str]) -> str:
    """What was played, such as ``mtdf against pvs and bns, depth 4``; ``shown``: what to call the
    players, by label."""
    names, heroes = [shown[label] for label in row.engines], event.settings.get("heroes", 0)
    if row.kind == "import":
        what = f"Imported games: {row.name or named(names)}"
    elif row.kind == "tuning":
        what = f"Games of the tuning study {row.name}"
    elif row.kind in ("knockout", "swiss"):
        form = "Knockout" if row.kind == "knockout" else "Swiss tournament"
        what = f"{form} of {named(names)}"
    elif row.kind == "round-robin":
        what = f"{named(names)} against each other"
    elif row.kind == "race":
        what = f"Race of {named(names[:heroes])} against {names[-1]}"
    elif row.kind == "ablation":
        what = f"Each feature of {named(names[:1])}"
    else:
        what = f"{named(names[:heroes])} against {named(names[heroes:])}"
    rules = rules_of(row.game_played, chess960=row.chess960)
    game = "" if row.game_played == PARAMETERS["game"].neutral and not row.chess960 else rules.title
    return ", ".join(filter(None, (what, game, str(limit_of(row.limit)))))


def named(names: Sequence[str]) -> str:
    """Names in a row; of many the first, and how many there are besides."""
    more = len(names) - MOST_NAMED
    return and_list([*names[:MOST_NAMED], f"{more} more"] if more > 0 else names)


def progress_text(status: str, done: int, planned: str, left_s: float | None) -> str:
    """How far a run is, such as ``24 of 60 games``, with the time left of one that is running."""
    text = f"{format_count(done)} of {planned}"
    return f"{text}, {format_duration(left_s)} left" if status == "running" else text


def event_progress(status: str, progress: EventProgress) -> str:
    """How far an event is."""
    planned = count_of(progress.games_planned, "game")
    done, most_s = progress.games_played, progress.at_most_s
    if status == "running" and progress.eta_s is None and most_s is not None:
        return f"{format_count(done)} of {planned}, at most {format_duration(most_s)} left"
    return progress_text(status, done, planned, progress.eta_s)


def so_far(verdict: str, status: str, progress: str) -> str:
    """A verdict, with how much of the run it rests on if that is not all."""
    if status == "done":
        return verdict
    about = progress if status == "running" else f"{progress}, {status}"
    return f"{verdict} (so far: {about})"


def match_verdict(row: ScoreRow, shown: Mapping[str, str]) -> str:
    """The result of a match; ``shown``: what to call its engines, by label."""
    first, second = shown[row.first], shown[row.second]
    if row.elo is None or row.error95 is None:
        return f"{first} against {second}: no complete pair yet"
    interval = format_interval(row.elo, row.error95, row.low95, row.high95)
    elo = format_number(row.elo, signed=True)
    valid = " (valid at any look)" if row.any_look else ""
    return f"{first} against {second}: {elo} {interval} Elo{valid}, LOS {format_los(row.los)}"


def field_verdict(found: FieldScore) -> str:
    """The Elo of an engine against all its opponents; its score where no pair is complete."""
    elo = found.elo
    if elo["elo"] is None or elo["error95"] is None:
        return f"{found.shown} {100 * found.score:.1f} %"
    interval = format_interval(elo["elo"], elo["error95"], elo["low95"], elo["high95"])
    valid = " (valid at any look)" if elo["any_look"] else ""
    return f"{found.shown} {format_number(elo['elo'], signed=True)} {interval} Elo{valid}"


def ratings_verdict(
    lines: Sequence[RatingLine],
    names: Sequence[str],
    pools: int,
    lead: tuple[float, float] | None,
) -> str:
    """Who leads a rating list, and whether that is settled; ``names``: what to call its players,
    ``lead``: by how much the first is ahead of the next, and half of its 95 % interval."""
    best, name = lines[0], names[0]
    if pools > 1:
        return f"The games fall into {pools} pools, whose ratings cannot be compared"
    if best.bound:
        won = "won" if best.bound == "at least" else "lost"
        return f"{name} {won} {_all_games(best.games)}: this gives no rating yet"
    if lead is None:
        error = "" if best.error95 is None else f" ± {format_number(best.error95)}"
        return f"{name} is first, rated {format_number(best.elo, signed=True)}{error} Elo"
    los = best.los_next or 0.0
    known = "settled" if los >= SETTLED else "not settled"
    ahead, error95 = lead
    interval = f"{format_number(ahead, signed=True)} ± {format_number(error95)}"
    return f"{name} leads {names[1]} by {interval} Elo; {known} (LOS {format_los(los)})"


def rounds_verdict(report: RoundsReport, kind: str, shown: Mapping[str, str]) -> str | None:
    """Who won a knockout, or leads a Swiss tournament; None where ratings are the answer."""
    if kind == "knockout":
        if report.champion is None:
            return "The knockout is not decided yet"
        return f"{shown[report.champion]} won the knockout"
    if kind != "swiss" or not report.standings:
        return None
    first = [row for row in report.standings if row.place == 1]
    names = " and ".join(shown[row.engine] for row in first)
    points = f"{first[0].points:g}"
    if len(first) > 1:
        return f"{names} share the first place with {points} points"
    return f"{names} leads the tournament with {points} points"


def ablation_verdict(rows: Sequence[AblationRow]) -> str:
    """How many features have intervals on one side of 0, and how many would by chance."""
    known = [row for row in rows if row.elo is not None]
    if not known:
        return "No feature has a finished pair yet"
    helps = sum(row.high95 is not None and row.high95 < 0 for row in known)
    harms = sum(row.low95 is not None and row.low95 > 0 for row in known)
    return (
        f"Of {count_of(len(known), 'feature')}, the 95 % intervals of {helps} say that they help, "
        f"of {harms} that they harm; by chance alone it would be about {0.05 * len(known):.1f}"
    )


def _all_games(games: float) -> str:
    return "its only game" if games == 1 else f"all {games:g} of its games"
