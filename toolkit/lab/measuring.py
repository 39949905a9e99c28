"""Searches of a task: the searchers of a process, and the effort of their searches."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from engines.rules.catalog import rules_of
from engines.spec import Searcher, SearchLimit, SearchResult, Variant
from toolkit.lab.agreement import move_values, proves_move
from toolkit.lab.effort import NODE_COUNTS, DepthEffort, Effort

SearcherFactory = Callable[[Variant], Searcher]
_KEPT = 4
"""Maximum number of searchers kept alive; each has its own table."""
_WARM_CPU_MS = 40
"""What a new searcher searches, and for how long, before its time counts."""


@dataclass(frozen=True, slots=True)
class SearchTask:
    """One position for one or more variants, which search it in turn in one process."""

    number: int
    """The caller's key of the task."""
    variants: tuple[Variant, ...]
    fen: str
    depth: int
    repeats: int = 1
    """How often each of them searches it; the search of the least CPU time counts."""
    first_guess: int | None = None
    """Replaces every first guess of a driver that uses one."""
    exact: bool = True
    """False: in selective mode, as games are played, from an empty memory."""
    judge: Variant | None = None
    """Set to report each iteration: the variant that computes move values for drivers that only
    prove a move."""

    def __str__(self) -> str:
        names = " and ".join(variant.label for variant in self.variants)
        return f"searching {self.fen} to depth {self.depth} by {names}"


def exact_effort(searcher: Searcher, fen: str, depth: int) -> Effort:
    """Search ``fen`` to ``depth`` by iterative deepening in exact mode, from an empty memory.

    Raises PositionError, EngineFailure.
    """
    searcher.set_position(fen)
    return _effort_of(searcher.search(SearchLimit(depth=depth), exact=True))


def told_effort(
    searcher: Searcher, task: SearchTask, variant: Variant, searchers: Searchers
) -> Effort:
    """As :func:`exact_effort`, with cost and result of every iteration. Raises EngineError."""
    clock, clock_us = _clock_of(variant), list[int]()
    if not task.exact:
        searcher.new_game()
    searcher.set_position(task.fen)
    begin_us = clock()
    result = searcher.search(
        SearchLimit(depth=task.depth),
        exact=task.exact,
        first_guess=task.first_guess,
        on_iteration=lambda _: clock_us.append(clock()),
    )
    known: list[int | None] = [None] * len(result.iterations)
    if task.judge is not None and task.exact and proves_move(variant):
        judge = searchers.of(task.judge)
        known = [*move_values(judge, task.judge, task.fen, result.iterations)]
    starts_us = [begin_us, *clock_us]
    depths = tuple(
        DepthEffort.of(iteration, max(clock_us[place] - starts_us[place], 0), known[place])
        for place, iteration in enumerate(result.iterations)
    )
    return _effort_of(result, depths)


def _effort_of(result: SearchResult, told: tuple[DepthEffort, ...] = ()) -> Effort:
    """The total effort of all iterations of a search; ``told``: the effort of each."""
    iterations = result.iterations
    return Effort(
        **{name: sum(getattr(one, name) for one in iterations) for name in NODE_COUNTS},
        passes=result.passes,
        cpu_us=result.cpu_us,
        value=result.value,
        iterations=told,
    )


def _clock_of(variant: Variant) -> Callable[[], int]:
    """CPU time in microseconds: of this thread, or of all threads that a search has."""
    nanoseconds = time.thread_time_ns if variant.threads == 1 else time.process_time_ns
    return lambda: nanoseconds() // 1000


class Searchers:
    """The searchers of a process by variant; of more than a few the longest unused is closed."""

    def __init__(self, make_searcher: SearcherFactory, kept: int = _KEPT) -> None:
        self._make = make_searcher
        self._kept = kept
        self._alive: OrderedDict[str, Searcher] = OrderedDict()

    def fresh(self, kept: int) -> Searchers:
        """None yet, made alike; those alive here are closed and their memory is free."""
        while self._alive:
            self._alive.popitem()[1].close()
        return Searchers(self._make, kept)

    def of(self, variant: Variant) -> Searcher:
        """The searcher of this variant, created if there is none. Raises VariantError."""
        identity = variant.identity
        if identity in self._alive:
            self._alive.move_to_end(identity)
            return self._alive[identity]
        while len(self._alive) >= self._kept:
            self._alive.popitem(last=False)[1].close()
        searcher = self._alive[identity] = self._make(variant)
        return searcher

    def warm(self, variant: Variant) -> Searcher:
        """As :meth:`of`, but a new searcher is warmed up first, because the first use of the
        program and of the table's memory costs time that no node causes. Raises EngineError."""
        if variant.identity not in self._alive:
            searcher = self.of(variant)
            searcher.set_position(rules_of(variant.game).start)
            searcher.search(SearchLimit(cpu_ms=_WARM_CPU_MS), exact=True)
        return self.of(variant)


def run_task(task: SearchTask, searchers: Searchers) -> tuple[Effort, ...]:
    """The effort of each variant of a task.

    They take turns, so that slowdowns of the machine affect all of them equally. The first variant
    gets better memory (the system has few huge pages for tables, worth 2 to 10 % of the time) and a
    colder cache. So consecutive tasks start with different variants, and tasks with several
    variants recreate their searchers; over many tasks this order bias averages out. Raises
    EngineError.
    """
    count = len(task.variants)
    if count > 1:
        searchers = searchers.fresh(count)
    best: dict[int, Effort] = {}
    for turn in range(count * task.repeats):
        place = (task.number + turn) % count
        variant = task.variants[place]
        if task.judge is None:
            effort = exact_effort(searchers.of(variant), task.fen, task.depth)
        else:
            effort = told_effort(searchers.warm(variant), task, variant, searchers)
        if place not in best or effort.cpu_us < best[place].cpu_us:
            best[place] = effort
    return tuple(best[place] for place in range(count))
