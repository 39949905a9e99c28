"""Encounters of games: points of a study play their pairs on the executors of matches.

The games of a study are one event: its pairings are the encounters, its pairs have the numbers of
the encounters' pairs, and points join its players when they are first played. Every pair is stored
before it is reported, so a new evaluator can continue after the first one was killed.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from db.records.events import EventPlayerRecord, EventRecord
from db.records.games import GameRecord
from db.records.studies import EncounterRecord
from db.session import Database
from engines.players import make_player as player_of
from engines.spec import UciEngine
from toolkit.base.errors import EngineProblem
from toolkit.base.version import this_program
from toolkit.events.event import assigned_to, make_assignment, stored_book
from toolkit.events.players import record_of
from toolkit.events.runner import FailedPair, PlayedPair, PlayedPairs, RunnerEvent, play_pairs
from toolkit.events.schedule import Schedule
from toolkit.events.settings import EventSettings
from toolkit.events.storing import PairStore
from toolkit.events.worker import PairTask, PlayerFactory
from toolkit.runs.jobs import Jobs
from toolkit.selection.sequential import half_points_of_first
from toolkit.tuning.measuring.roster import Roster


@dataclass(frozen=True, slots=True)
class PlayProgress:
    """How far the games of the submitted encounters are."""

    pairs: int
    """Finished, those included that were stored before or could not be played."""
    games_now: int
    """Played by this evaluator."""


@dataclass(slots=True)
class _EncounterPlayed:
    """An encounter that is being played."""

    encounter: EncounterRecord
    scores: dict[int, float | None]
    """By pair number, as far as they are known."""

    def finished(self) -> EncounterRecord | None:
        """None while scores are missing."""
        if len(self.scores) < self.encounter.pairs:
            return None
        scores = tuple(self.scores[pair] for pair in self.encounter.pair_numbers)
        return replace(self.encounter, scores=scores)


class _WaitingTasks:
    """A source of pairs that grows while they are played, in the order of submission."""

    def __init__(self) -> None:
        self._tasks: deque[PairTask] = deque()

    def add(self, task: PairTask) -> None:
        """Put a pair at the end."""
        self._tasks.append(task)

    def take(self, at_most: int) -> Sequence[PairTask]:
        """The next pairs."""
        return [self._tasks.popleft() for _ in range(min(at_most, len(self._tasks)))]


class GamesEvaluator:
    """Plays encounters in worker processes.

    An :class:`~toolkit.tuning.measuring.encounter.Evaluator`.

    ``event``: the stored event of kind ``tuning``, whose settings name base and opponents and whose
    lock this process has. ``stop``: set it to stop. ``changed``: external engines that play in
    place of those of the settings, by position; their games are marked. ``affinity``: each worker
    is pinned to processors of its own. ``engine_log``: a folder for the conversations with external
    engines.

    Making one raises UsageError for tables that do not fit into the machine, DatabaseError.
    """

    def __init__(
        self,
        db: Database,
        event: EventRecord,
        *,
        jobs: Jobs,
        stop: threading.Event,
        make_player: PlayerFactory = player_of,
        changed: Mapping[int, UciEngine] | None = None,
        affinity: bool = False,
        engine_log: str | None = None,
    ) -> None:
        settings = EventSettings.from_json(event.settings)
        program = this_program(settings.game)
        assignment = make_assignment(settings, jobs, program, make_player, affinity=affinity)
        self._repository = db.repository
        self._event = event
        self._stop = stop
        self._schedule = Schedule(settings, stored_book(db, settings))
        self._deterministic = settings.deterministic
        self._tasks = _WaitingTasks()
        self._open: dict[int, _EncounterPlayed] = {}
        self._finished: deque[EncounterRecord] = deque()
        self._store = PairStore(db.repository, event)
        self._pairs = self._games_now = 0
        stored = self._repository.event_players(event.id)
        self._roster = Roster(assignment.engines, stored, changed)
        self._stored = self._stored_scores()
        assignment = assigned_to(assignment, event, engine_log)
        self._results = play_pairs(self._tasks, assignment, jobs, stop=stop)

    def submit(self, encounter: EncounterRecord) -> None:
        """Submit an encounter, which is played or answered from stored pairs. Does not wait.

        Two equal engines without a clock share the points of every pair, so they do not play.
        Raises ValueError for an encounter that is already being played, VariantError for a point
        outside the study's space.
        """
        if encounter.number in self._open:
            raise ValueError(f"encounter {encounter.number} is being played")
        players = self._roster.players(encounter, twins=not self._deterministic)
        if players is None:
            self._pairs += encounter.pairs
            self._finished.append(replace(encounter, scores=(0.5,) * encounter.pairs))
            return
        one, two = players
        first, second = one.position, two.position
        scores: dict[int, float | None] = {}
        known = self._stored.pop(encounter.number, {})
        for pair in encounter.pair_numbers:
            if pair in known:
                score = known[pair]
                # What is stored is the score of the player of the lower position.
                scores[pair] = score if score is None or first < second else 1 - score
                continue
            self._tasks.add(
                self._schedule.common_task(
                    encounter.number,
                    pair,
                    (first, second),
                    (one.engine, two.engine),
                    (one.identity, two.identity),
                )
            )
        self._pairs += len(scores)
        self._open[encounter.number] = _EncounterPlayed(encounter, scores)
        self._close_if_finished(encounter.number)

    def next_finished(self) -> EncounterRecord | None:
        """Play until an encounter is finished. Returns None, with all finished pairs stored, if a
        stop was requested.

        Raises EngineProblem if pairs fail repeatedly or an engine does not start, DatabaseError,
        and LookupError if there is no unfinished encounter.
        """
        while not self._finished or self._stop.is_set():
            if not self._open and not self._stop.is_set():
                raise LookupError("no encounter is being played")
            result = next(self._results, None)
            if result is None:
                return None
            self._take(result)
        return self._finished.popleft()

    def progress(self) -> PlayProgress:
        """How far play is."""
        return PlayProgress(pairs=self._pairs, games_now=self._games_now)

    def close(self) -> None:
        """End the workers. Safe to call twice."""
        self._results.close()

    def _stored_scores(self) -> dict[int, dict[int, float | None]]:
        """By pairing and pair, from the view of the player of the lower position; None for pairs
        that were given up."""
        found: dict[int, dict[int, float | None]] = {}
        for failure in self._repository.failures(self._event.id):
            found.setdefault(failure.pairing, {})[failure.pair] = None
        for pairing, pair, score in self._repository.pair_scores(self._event.id):
            found.setdefault(pairing, {})[pair] = score
        return found

    def _take(self, result: RunnerEvent) -> None:
        if isinstance(result, PlayedPairs):
            self._keep(result.pairs)
        elif isinstance(result, FailedPair):
            if result.out is not None:
                raise EngineProblem(result.reason)
            self._store.give_up([result])
            self._note(result.task, None)
            self._store.check_works()

    def _keep(self, pairs: Sequence[PlayedPair]) -> None:
        new = self._roster.take_new()
        if new:
            self._repository.add_players(
                self._event.id,
                [EventPlayerRecord(at, engine.label, engine.identity) for at, engine in new],
                [record_of(engine) for _, engine in new],
            )
        stored = self._store.keep(pairs)
        self._games_now += 2 * len(pairs)
        for pair, games in zip(pairs, stored, strict=True):
            self._note(pair.task, _score_of_first(games))

    def _note(self, task: PairTask, score: float | None) -> None:
        self._pairs += 1
        self._open[task.pairing].scores[task.pair] = score
        self._close_if_finished(task.pairing)

    def _close_if_finished(self, number: int) -> None:
        finished = self._open[number].finished()
        if finished is not None:
            del self._open[number]
            self._finished.append(finished)


def _score_of_first(games: Sequence[GameRecord]) -> float:
    """Share of a pair's two points won by the player with White in the first game."""
    return sum(map(half_points_of_first, games)) / 4
