"""What an exact search of a position to a depth costs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from engines.spec import Searcher, SearchLimit, Variant

SearcherFactory = Callable[[Variant], Searcher]
_KEPT = 4
"""Searchers that are kept alive: each has a table of its own."""


@dataclass(frozen=True, slots=True)
class Effort:
    """Cost of one exact search: of all iterations from depth 1 together."""

    interior: int
    leaves: int
    quiescence: int
    """Nodes below the leaves."""
    passes: int
    cpu_us: int
    """CPU time of the searching thread."""
    value: int
    """Of the last iteration, from the side to move."""

    @property
    def nodes(self) -> int:
        """All nodes."""
        return self.interior + self.leaves + self.quiescence


@dataclass(frozen=True, slots=True)
class SearchTask:
    """One position for one or more variants, which search it in turn in one process."""

    number: int
    """Whatever the caller knows the task by."""
    variants: tuple[Variant, ...]
    fen: str
    depth: int
    repeats: int = 1
    """How often each of them searches it; the search of the least CPU time counts."""


def exact_effort(searcher: Searcher, fen: str, depth: int) -> Effort:
    """Search ``fen`` to ``depth`` by iterative deepening in exact mode, from an empty memory.

    Raises PositionError, EngineFailure.
    """
    searcher.set_position(fen)
    result = searcher.search(SearchLimit(depth=depth), exact=True)
    iterations = result.iterations
    return Effort(
        interior=sum(iteration.interior for iteration in iterations),
        leaves=sum(iteration.leaves for iteration in iterations),
        quiescence=sum(iteration.quiescence for iteration in iterations),
        passes=result.passes,
        cpu_us=result.cpu_us,
        value=result.value,
    )


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
        """The searcher of this variant, made where there is none. Raises VariantError."""
        identity = variant.identity
        if identity in self._alive:
            self._alive.move_to_end(identity)
            return self._alive[identity]
        while len(self._alive) >= self._kept:
            self._alive.popitem(last=False)[1].close()
        searcher = self._alive[identity] = self._make(variant)
        return searcher


def run_task(task: SearchTask, searchers: Searchers) -> tuple[Effort, ...]:
    """The effort of each variant of a task.

    They take turns, so that what slows the machine down meets all of them alike. Who begins has
    better memory (the system has few huge pages for tables: 2 to 10 % of the time) and a colder
    cache; so tasks of consecutive numbers begin with different variants, and those of several
    make their searchers anew, that over many tasks nobody gains by his place. Raises EngineError.
    """
    count = len(task.variants)
    if count > 1:
        searchers = searchers.fresh(count)
    best: dict[int, Effort] = {}
    for turn in range(count * task.repeats):
        place = (task.number + turn) % count
        effort = exact_effort(searchers.of(task.variants[place]), task.fen, task.depth)
        if place not in best or effort.cpu_us < best[place].cpu_us:
            best[place] = effort
    return tuple(best[place] for place in range(count))
