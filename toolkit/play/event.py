"""Events: one tournament from its settings to its last stored pair.

Every pair is stored, in one transaction, before it is shown. The schedule is a pure function of the
settings, so an event is resumed by playing what is missing from the database.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from db.errors import DatabaseError
from db.records import (
    IMPORT_KIND,
    EventPlayerRecord,
    EventRecord,
    PairFailureRecord,
)
from db.session import Database
from engines.backend import make_searcher
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.base.ranges import check_whole
from toolkit.base.version import Provenance, this_program
from toolkit.books.book import Book, book_from_records, find_book
from toolkit.games.clock import check_time_manager
from toolkit.games.referee import GameRules
from toolkit.play.memory import check_memory
from toolkit.play.progress import EventOutcome, EventProgress
from toolkit.play.runner import FailedPair, ListedTasks, PlayedPair, PlayedPairs, play_pairs
from toolkit.play.schedule import PairTask, Schedule
from toolkit.play.settings import EventSettings
from toolkit.play.tally import Tally
from toolkit.play.worker import JOINED_KEPT, Assignment, PlayerFactory
from toolkit.ratings.rating import store_after_event
from toolkit.runs.stopping import StopRequest, stop_on_signals

ProgressCallback = Callable[[EventProgress], None]

MAX_JOBS = 1024
MAX_FAILURES_IN_A_ROW = 3
"""Pairs; more than that and nothing works."""


def start_event(
    db: Database,
    settings: EventSettings,
    *,
    book: Book | None = None,
    jobs: int = 1,
    on_progress: ProgressCallback | None = None,
    stop: threading.Event | None = None,
    make_player: PlayerFactory = make_searcher,
) -> EventOutcome:
    """Store a new event and play it to its end, or until it is stopped.

    ``book``: the openings that ``settings.book`` names; optional for a built-in book and for a file
    that still has them. ``jobs``: number of worker processes. ``on_progress`` is called once before
    the first pair and again after each storing. Set ``stop`` to stop; in the main thread the first
    Ctrl-C or SIGTERM also does. ``make_player`` creates the player of a variant; it must be a
    function that a fresh process can import.

    After the last pair the rating list of all games is stored, see :mod:`toolkit.ratings.history`; an event
    that was stopped stores none.

    Raises UsageError, EngineProblem and DatabaseError before anything is stored. Raises
    DatabaseError later, too; what was stored until then stays.
    """
    check_whole("jobs", jobs, 1, MAX_JOBS)
    if settings.kind == "tuning":
        raise UsageError("the games of a tuning are played by its study: mtdf tune run")
    check_time_manager("an event with these settings", settings.limit)
    chosen = find_book(settings.book.id, settings.book.source) if book is None else book
    schedule = Schedule(settings, chosen)
    program = this_program()
    assignment = make_assignment(settings, jobs, program, make_player)
    # Once it is stored it has an outcome, which tells the user how to continue.
    with stop_on_signals(stop) as request:
        event = store_event(db, settings, chosen, program)
        with db.event_lock(event.key):
            assignment = replace(assignment, event_id=event.id)
            run = _Run(db, event, settings, schedule, assignment, on_progress, False)
            return run.play(request)


def resume_event(
    db: Database,
    event: EventRecord | str,
    *,
    jobs: int = 1,
    allow_changed: bool = False,
    retry_failed: bool = False,
    on_progress: ProgressCallback | None = None,
    stop: threading.Event | None = None,
    make_player: PlayerFactory = make_searcher,
) -> EventOutcome:
    """Play the missing pairs of a stored event, given as a record or as its key, name or ``last``.

    A complete event only gets the status ``done``. ``allow_changed``: continue even if this
    program's core plays differently from the one that started the event. ``retry_failed``: also
    play the pairs that were given up. For the rest see :func:`start_event`.

    Games that were stored and are now missing are played again; ``progress.lost`` counts them.

    Raises EngineProblem for a changed core. If a pair is missing and the limit is a clock or a time
    per move, also raises EngineProblem for another version of the time manager, regardless of
    ``allow_changed``: an event has one limit.
    Raises UsageError for an event of imported games or of a study, DatabaseError for an event that
    another process plays.
    """
    check_whole("jobs", jobs, 1, MAX_JOBS)
    if isinstance(event, str):
        event = db.repository.find_event(event)
    check_playable(event)
    settings = EventSettings.from_json(event.settings)
    program = this_program()
    if not allow_changed:
        check_unchanged(event, program)
    schedule = Schedule(settings, stored_book(db, settings))
    assignment = make_assignment(settings, jobs, program, make_player)
    with stop_on_signals(stop) as request, db.event_lock(event.key):
        assignment = replace(assignment, event_id=event.id)
        run = _Run(db, event, settings, schedule, assignment, on_progress, retry_failed)
        return run.play(request)


def check_playable(event: EventRecord) -> None:
    """Raises UsageError for an event whose games were imported or belong to a study."""
    if event.kind == IMPORT_KIND:
        raise UsageError(
            f"event {event.key} was imported and cannot be resumed; import its files again to add "
            "missing games"
        )
    if event.kind == "tuning":
        raise UsageError(
            f"event {event.key} belongs to study {event.name}; continue with: mtdf tune resume "
            f"{event.name}"
        )


def check_unchanged(event: EventRecord, program: Provenance) -> None:
    """Raises EngineProblem if ``program`` plays differently from the one that began ``event``."""
    if program.signature == event.signature:
        return
    if program.backend != event.backend:
        change = f"was started on the {event.backend} backend and this is the {program.backend} one"
    else:
        change = (
            f"was started with a core that played differently ({event.signature[:8]}… -> "
            f"{program.signature[:8]}…)"
        )
    raise EngineProblem(
        f"event {event.key} {change}, so its games would come from two programs; start over, or "
        "continue with --allow-changed"
    )


@dataclass(slots=True)
class _Run:
    """One run of an event by the process that holds its lock."""

    db: Database
    event: EventRecord
    settings: EventSettings
    schedule: Schedule
    assignment: Assignment
    on_progress: ProgressCallback | None
    retry_failed: bool

    def play(self, request: StopRequest) -> EventOutcome:
        """Play the missing pairs, and store the outcome in the event's status in any case."""
        repository = self.db.repository
        repository.check_games_in_pairs(self.event.id)
        tally = Tally(self.event, self.settings, repository)
        tasks = self._missing(tally)
        first = next(tasks, None)
        if first is not None:
            check_time_manager(f"event {self.event.key}", self.settings.limit)
            tasks = chain((first,), tasks)
            tally.note_lost(repository.forget_lost_games(self.event.id))
        repository.set_event_status(self.event.id, "running")
        status: Literal["done", "interrupted", "failed"] = "done"
        try:
            self._show(tally)
            problem = None if first is None else self._play_tasks(tasks, tally, request)
            if problem is not None:
                status = "failed"
            elif next(self._missing(tally, retry=False), None) is not None:
                status = "interrupted"
            # First the list: an event that is done has one, and is not looked at again.
            ended = status == "done" and self.event.status != "done"
            unrated = store_after_event(self.db) if ended else None
            repository.set_event_status(self.event.id, status)
        except BaseException:
            self._note_interruption()
            raise
        return EventOutcome(
            event=repository.event(self.event.id),
            status=status,
            progress=tally.progress(),
            signal=request.signal if status == "interrupted" else None,
            problem=problem,
            unrated=unrated,
        )

    def _missing(self, tally: Tally, *, retry: bool = True) -> Iterator[PairTask]:
        """The pairs that are still to be played, those included that failed if they are to be
        tried again; none once a sequential test has its verdict."""
        if tally.pairs_tested() is not None:
            return iter(())
        finished = self.db.repository.finished_pairs(self.event.id)
        if retry and self.retry_failed:
            failures = self.db.repository.failures(self.event.id)
            finished -= {(failure.pairing, failure.pair) for failure in failures}
        return self.schedule.missing(finished)

    def _play_tasks(
        self, tasks: Iterator[PairTask], tally: Tally, request: StopRequest
    ) -> str | None:
        """Play until no task is left or ``request`` is made; returns what stopped it else."""
        repository = self.db.repository
        failures_in_a_row = 0
        play = play_pairs(ListedTasks(tasks), self.assignment, stop=request.event)
        # Closing the generator kills the workers at once, whatever happens here.
        with closing(play) as results:
            for result in results:
                if isinstance(result, PlayedPairs):
                    self._store(result.pairs, tally)
                    failures_in_a_row = 0
                elif isinstance(result, FailedPair):
                    repository.record_failure(failure_record(self.event, result))
                    tally.add_failure(result.task.pair)
                    failures_in_a_row += 1
                else:
                    tally.add_repair()
                self._show(tally)
                if tally.pairs_tested() is not None:
                    return None
                if isinstance(result, FailedPair) and failures_in_a_row == MAX_FAILURES_IN_A_ROW:
                    return (
                        f"{failures_in_a_row} pairs in a row failed, the last one: {result.reason}"
                    )
        return None

    def _store(self, pairs: Sequence[PlayedPair], tally: Tally) -> None:
        """Store pairs together; those of a sequential test one by one, none after its end."""
        played = [pair.games for pair in pairs]
        groups = [played] if self.settings.sprt is None else [[games] for games in played]
        for group in groups:
            for games in self.db.repository.commit_pairs(self.event.id, group):
                tally.add_pair(games)
            if tally.pairs_tested() is not None:
                return

    def _show(self, tally: Tally) -> None:
        if self.on_progress is not None:
            self.on_progress(tally.progress())

    def _note_interruption(self) -> None:
        try:
            self.db.repository.set_event_status(self.event.id, "interrupted")
        except DatabaseError:
            # The database may be what failed; resume asks for missing pairs, not for the status.
            return


def store_event(
    db: Database, settings: EventSettings, book: Book, program: Provenance
) -> EventRecord:
    """A new event with its players and its book, planned and not begun. Raises DatabaseError."""
    repository = db.repository
    repository.add_variants(player.record() for player in settings.players)
    repository.add_book(book.record(), book.openings)
    event = EventRecord(
        id=0,
        key="",
        name=settings.name,
        kind=settings.kind,
        status="planned",
        settings=settings.to_json(),
        seed=settings.seed,
        pairs_planned=settings.total_pairs,
        pairs_done=0,
        pairs_failed=0,
        created_at="",
        started_at=None,
        ended_at=None,
        version=program.version,
        backend=program.backend,
        signature=program.signature,
        host=program.host,
        book_id=book.id,
    )
    players = [
        EventPlayerRecord(position, player.label, player.id)
        for position, player in enumerate(settings.players)
    ]
    return repository.create_event(event, players)


def stored_book(db: Database, settings: EventSettings) -> Book:
    """The book of an event as the database keeps it. Raises DatabaseError."""
    book_id = settings.book.id
    return book_from_records(db.repository.book(book_id), db.repository.openings(book_id))


def make_assignment(
    settings: EventSettings,
    jobs: int,
    program: Provenance,
    make_player: PlayerFactory = make_searcher,
) -> Assignment:
    """What workers need to know of an event that is not stored.

    Raises EngineProblem for players that this program does not know, UsageError for tables that
    do not fit into the machine.
    """
    variants = tuple(player.variant() for player in settings.players)
    # Those that join a tuning later are the base with other values.
    joined = (variants[0],) * JOINED_KEPT if settings.kind == "tuning" else ()
    check_memory((*variants, *joined), jobs)
    return Assignment(
        event_id=0,
        variants=variants,
        rules=GameRules(settings.limit, settings.adjudication, settings.time_margin_ms),
        book_id=settings.book.id,
        jobs=jobs,
        provenance=program,
        make_player=make_player,
    )


def failure_record(event: EventRecord, failed: FailedPair) -> PairFailureRecord:
    """A pair that could not be played, as it is stored."""
    return PairFailureRecord(
        event_id=event.id,
        pairing=failed.task.pairing,
        pair=failed.task.pair,
        attempts=failed.attempts,
        reason=failed.reason,
    )
