"""About how long a study would take, from a short warm-up of its base."""

from __future__ import annotations

import os
import threading
import time

from msgspec import structs

from engines.backend import make_searcher
from toolkit.base.format import count_of
from toolkit.books.book import Book
from toolkit.events.plan import WARM_UP_LIMIT_S, WARM_UP_S, estimate_time
from toolkit.events.players import Contender
from toolkit.lab.measuring import exact_effort
from toolkit.runs.jobs import Jobs, at_once
from toolkit.tuning.measuring.effort import TIME_REPEATS
from toolkit.tuning.settings import StudySettings, study_positions

_WARM_UP_PAIRS = 6
_WARM_UP_SEARCHES = 12


def estimate_study(
    settings: StudySettings, *, book: Book | None = None, jobs: Jobs = 1
) -> tuple[float | None, str]:
    """Estimated seconds of :func:`run_study` with these settings and the whole budget, and the
    basis of the estimate; None if there is no estimate. Nothing is stored.

    For games, some pairs of the base against the opponents, or itself, are played for a few
    seconds, unless the clock determines the time. For positions, the base searches some of them. A
    function is not called. Points may be faster or slower than the base. Raises UsageError,
    EngineProblem.
    """
    if settings.objective.kind == "simulated":
        return None, "a function is not called before the study starts"
    if settings.objective.is_effort:
        return _of_searches(settings, jobs)
    assert settings.event is not None and settings.base is not None
    event, engine = settings.event, settings.base.engine
    chosen = book or event.find_book()
    opponents = settings.against or (Contender(structs.replace(engine, label="base")),)
    warm_up = structs.replace(
        event,
        kind="gauntlet",
        players=(Contender(structs.replace(engine, label="tuned")), *opponents),
        pairs=_WARM_UP_PAIRS,
    )
    return estimate_time(warm_up, chosen, jobs, games=2 * settings.budget.total)


def _of_searches(settings: StudySettings, jobs: Jobs) -> tuple[float | None, str]:
    """The estimate where positions are searched to a depth."""
    assert settings.base is not None and settings.positions is not None
    positions = study_positions(settings.positions, settings.seed, settings.game).tuned.positions
    searcher = make_searcher(settings.base.variant())
    limit = threading.Timer(WARM_UP_LIMIT_S, searcher.stop)
    limit.start()
    begin, number = time.monotonic(), 0
    try:
        while number < min(_WARM_UP_SEARCHES, len(positions)):
            exact_effort(searcher, positions[number].fen, settings.positions.depth)
            if time.monotonic() - begin >= WARM_UP_LIMIT_S:
                break  # the last one was cut short
            number += 1
            if time.monotonic() - begin >= WARM_UP_S:
                break
        each_s = (time.monotonic() - begin) / max(number, 1)
    finally:
        limit.cancel()
        searcher.close()
    if not number:
        return None, f"no search ended within {WARM_UP_LIMIT_S:.0f} s"
    estimate_s = each_s * _searches(settings) / _processes(jobs)
    return estimate_s, f"from {count_of(number, 'warm-up search', 'warm-up searches')} of the base"


def _processes(jobs: Jobs) -> int:
    """Searches at a time."""
    return min(jobs, os.cpu_count() or 1) if isinstance(jobs, int) else at_once(jobs)


def _searches(settings: StudySettings) -> int:
    """How many searches the whole budget takes: of nodes one of each point and one of the base on
    each position, of time some of both ends whenever a position is measured."""
    assert settings.positions is not None
    if settings.objective.kind == "time":
        return 2 * TIME_REPEATS * settings.budget.total
    return settings.budget.total + settings.positions.tuned + settings.positions.held_out
