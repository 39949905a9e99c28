"""Measuring encounters by the effort of exact searches: nodes, or CPU time, to a depth.

A position's score is ln(effort of the first point / effort of its opponent), which is negative if
the first one is better. Nodes depend only on variant, position and depth, so each combination is
searched once. CPU time is measured again for each encounter, with both sides in turn in one
process, so that the load of the machine affects both.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from dataclasses import dataclass
from typing import Literal

from msgspec.structs import replace

from db.records.studies import EncounterRecord
from engines.backend import make_searcher
from engines.spec import Variant
from engines.variant import variant_of
from toolkit.lab.measuring import SearcherFactory, SearchTask
from toolkit.lab.searches import Searched, search_pool, searched
from toolkit.runs.jobs import Jobs
from toolkit.tuning.measuring.positions import StudyPositions
from toolkit.tuning.space.point import Point

EffortKind = Literal["nodes", "time"]
TIME_REPEATS = 3
"""How often both sides search a position for its CPU time; the least counts."""


@dataclass(frozen=True, slots=True)
class _SearchWanted:
    """The key of a search; searches with equal keys are made once."""

    identities: tuple[str, ...]
    fen: str
    encounter: int | None
    """The one that it is for, where searching again says something new."""


@dataclass(slots=True, eq=False)
class _EncounterSearched:
    """An encounter that is not finished, and the searches that its pairs rest on, in order."""

    encounter: EncounterRecord
    searches: list[tuple[_SearchWanted, ...]]
    missing: int = 0
    """Searches without a result."""


class EffortEvaluator:
    """Measures nodes or time; an :class:`~toolkit.tuning.measuring.encounter.Evaluator`. A study of
    effort has no opponents."""

    def __init__(
        self,
        base: Variant,
        positions: StudyPositions,
        depth: int,
        objective: EffortKind,
        *,
        jobs: Jobs,
        stop: threading.Event,
        make: SearcherFactory = make_searcher,
    ) -> None:
        self._base = base
        self._positions = positions
        self._depth = depth
        self._objective = objective
        self._stop = stop
        self._pool = search_pool(jobs, make, game=base.game)
        self._tasks: list[_SearchWanted] = []
        self._found: dict[_SearchWanted, tuple[int, ...]] = {}
        self._waiting: dict[_SearchWanted, list[_EncounterSearched]] = {}
        self._finished: deque[EncounterRecord] = deque()

    def submit(self, encounter: EncounterRecord) -> None:
        """Have an encounter measured. Raises VariantError for a point that is not of the base's
        space, ValueError for an opponent and for pairs that the phase does not have."""
        if encounter.opponent is not None:
            raise ValueError("effort is not measured against opponents")
        sides = (self._variant(encounter.first), self._variant(encounter.second))
        opened = _EncounterSearched(encounter, [])
        for number in encounter.pair_numbers:
            fen = self._positions.at(number, encounter.phase).fen
            opened.searches.append(self._ask(sides, fen, opened))
        if not opened.missing:
            self._finish(opened)

    def next_finished(self) -> EncounterRecord | None:
        """Wait for any submitted encounter; None when the study was asked to stop.

        Raises EngineProblem for a search that cannot be done.
        """
        while not self._stop.is_set():
            if self._finished:
                return self._finished.popleft()
            for one in searched(self._pool):
                self._take(one)
        return None

    def close(self) -> None:
        """Kill the processes."""
        self._pool.close()

    def _variant(self, point: Point | None) -> Variant:
        return self._base if point is None else variant_of(self._base, point)

    def _ask(
        self, sides: tuple[Variant, Variant], fen: str, opened: _EncounterSearched
    ) -> tuple[_SearchWanted, ...]:
        """The searches that the score of one position rests on, begun where they are new."""
        first, second = sides
        if self._objective == "nodes":
            return (self._search((first,), fen, opened), self._search((second,), fen, opened))
        if first.identity == second.identity:
            return ()
        return (self._search(sides, fen, opened),)

    def _search(
        self, variants: tuple[Variant, ...], fen: str, opened: _EncounterSearched
    ) -> _SearchWanted:
        timed = self._objective == "time"
        identities = tuple(variant.identity for variant in variants)
        search = _SearchWanted(identities, fen, opened.encounter.number if timed else None)
        if search in self._found:
            return search
        opened.missing += 1
        if search in self._waiting:
            self._waiting[search].append(opened)
            return search
        self._waiting[search] = [opened]
        repeats = TIME_REPEATS if timed else 1
        self._pool.submit(SearchTask(len(self._tasks), variants, fen, self._depth, repeats))
        self._tasks.append(search)
        return search

    def _take(self, one: Searched) -> None:
        search = self._tasks[one.task.number]
        efforts = one.result
        if self._objective == "nodes":
            self._found[search] = tuple(effort.nodes for effort in efforts)
        else:
            # A clock of coarse ticks may have seen nothing of a very short search.
            self._found[search] = tuple(max(effort.cpu_us, 1) for effort in efforts)
        for opened in self._waiting.pop(search):
            opened.missing -= 1
            if not opened.missing:
                self._finish(opened)

    def _finish(self, opened: _EncounterSearched) -> None:
        scores = tuple(self._score(searches) for searches in opened.searches)
        if self._objective == "time":
            for search in {search for searches in opened.searches for search in searches}:
                del self._found[search]
        self._finished.append(replace(opened.encounter, scores=scores))

    def _score(self, searches: tuple[_SearchWanted, ...]) -> float:
        if not searches:
            return 0.0
        first, second = (effort for search in searches for effort in self._found[search])
        return math.log(first / second)
