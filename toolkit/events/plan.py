"""What an event would do and about how long it would take."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from itertools import islice

from db.records.games import GameRecord
from toolkit.base.format import format_duration
from toolkit.base.version import this_program
from toolkit.books.book import Book
from toolkit.events.event import make_assignment
from toolkit.events.progress import EventPlan
from toolkit.events.runner import ListedTasks, PlayedPairs, play_pairs
from toolkit.events.schedule import Schedule
from toolkit.events.settings import EventSettings
from toolkit.pairing.forms import AdaptiveForm, RaceForm
from toolkit.runs.jobs import Jobs, at_once, check_jobs

_WARM_UP_PAIRS = 6
WARM_UP_S = 5.0
"""After this time, warming up ends with the first finished pair ..."""
WARM_UP_LIMIT_S = 30.0
"""... and after this one in any case."""
_LIMITS_SHOWN = 5
"""Players whose own limit a plan names."""


def plan_event(
    settings: EventSettings, *, book: Book | None = None, jobs: Jobs = 1, warm_up: bool = True
) -> EventPlan:
    """What :func:`toolkit.start_event` would do with these settings, without storing anything.

    The time is estimated from the clock if there is one. Otherwise, with ``warm_up``, it is
    estimated from some of the event's pairs, played for a few seconds. Raises UsageError,
    EngineProblem.
    """
    check_jobs(jobs)
    chosen = book or settings.find_book()
    schedule = Schedule(settings, chosen)
    labels = [player.label for player in settings.players]
    estimate_s, basis = estimate_time(settings, chosen, jobs, warm_up=warm_up)
    expected, latest_s = None, None
    if settings.sprt is not None:
        expected, latest_s = settings.sprt.planned_pairs(settings.pairs), estimate_s
        if latest_s is not None:
            estimate_s = latest_s * expected / settings.pairs
    if settings.form is not None:
        first = settings.pairer().next_round(())
        expected = first.expected_pairs if first is not None else None
        if isinstance(settings.form, RaceForm):
            expected = settings.form.expected_pairs(len(labels), settings.total_pairs)
        latest_s = estimate_s
        if latest_s is not None and expected is not None:
            estimate_s = latest_s * expected / settings.total_pairs
        elif latest_s is not None and isinstance(settings.form, AdaptiveForm):
            basis += ", for all --max-pairs: the goal may end it earlier"
    return EventPlan(
        kind=settings.kind,
        pairings=[[labels[first], labels[second]] for first, second in settings.pairings],
        pairs=settings.pairs,
        games=2 * settings.total_pairs,
        book=settings.book.name,
        book_slice=None if settings.book.slice is None else str(settings.book.slice),
        lines=settings.book.lines,
        lines_used=schedule.lines_used(),
        seed=settings.seed,
        limit=_limits_in_words(settings),
        variation=settings.variation,
        deterministic=not settings.variation,
        adjudication=str(settings.adjudication),
        jobs=at_once(jobs),
        estimate_s=estimate_s,
        estimate_basis=basis,
        notices=[*settings.notices()],
        expected_pairs=expected,
        latest_s=latest_s,
        chess960=settings.chess960,
        form=None if settings.form is None else settings.form.text(settings.pairs, len(labels)),
    )


def estimate_time(
    settings: EventSettings,
    book: Book,
    jobs: Jobs,
    *,
    games: int | None = None,
    warm_up: bool = True,
) -> tuple[float | None, str]:
    """Estimated seconds for all games of an event, or for ``games`` games like them, and the basis
    of the estimate; None if there is no estimate. Raises UsageError, EngineProblem."""
    check_jobs(jobs)
    games = 2 * settings.total_pairs if games is None else games
    by_clock = [limit.game_s for limit in settings.limits]
    known = [seconds for seconds in by_clock if seconds is not None]
    if known and len(known) == len(by_clock):
        return sum(known) / len(known) * games / at_once(jobs), "from the clock"
    if not warm_up:
        return None, "not estimated"
    processes = min(at_once(jobs), os.cpu_count() or 1)
    played = _warm_up(settings, Schedule(settings, book), processes)
    if not played:
        return None, f"no game ended within {format_duration(WARM_UP_LIMIT_S)}"
    per_game_s = sum(_duration_s(game) for game in played) / len(played)
    if not isinstance(jobs, int):
        basis = f"from {len(played)} warm-up games on this machine"
        return per_game_s * games / at_once(jobs), basis
    return per_game_s * games / processes, f"from {len(played)} warm-up games"


def _limits_in_words(settings: EventSettings) -> str:
    """The limit of the event, and those of the players that have their own."""
    own = [
        f"{player.label}: {player.limit}" for player in settings.players if player.limit is not None
    ]
    more = [f"{len(own) - _LIMITS_SHOWN} more of their own"] if len(own) > _LIMITS_SHOWN else []
    return "; ".join([str(settings.limit), *own[:_LIMITS_SHOWN], *more])


def _warm_up(settings: EventSettings, schedule: Schedule, processes: int) -> Sequence[GameRecord]:
    assignment = make_assignment(settings, processes, this_program(settings.game))
    tasks = ListedTasks(islice(schedule.missing(frozenset()), _WARM_UP_PAIRS))
    stop = threading.Event()
    limit = threading.Timer(WARM_UP_LIMIT_S, stop.set)
    limit.start()
    begin = time.monotonic()
    games: list[GameRecord] = []
    try:
        with closing(play_pairs(tasks, assignment, processes, stop=stop)) as results:
            for result in results:
                if isinstance(result, PlayedPairs):
                    games.extend(game for pair in result.pairs for game in pair.games)
                if games and time.monotonic() - begin > WARM_UP_S:
                    break
    finally:
        limit.cancel()
    return games


def _duration_s(game: GameRecord) -> float:
    """Moments have milliseconds: a game within one counts as half of it."""
    assert game.started_at is not None and game.ended_at is not None  # it has just been played
    begin, end = (datetime.fromisoformat(text) for text in (game.started_at, game.ended_at))
    return max((end - begin).total_seconds(), 0.0005)
