"""Events: one tournament from its settings to its last stored pair.

Every pair is stored, in one transaction, before it is shown. The schedule is a pure function of the
settings and of the results of complete rounds, so an event is resumed by playing what is missing
from the database.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from os import makedirs
from os.path import abspath
from tempfile import TemporaryFile

from msgspec import structs
from msgspec.structs import replace

from db.records.events import IMPORT_KIND, EventPlayerRecord, EventRecord, NewEvent
from db.records.games import GameRecord
from db.records.runs import CHANGED, OUT
from db.records.studies import StudyRecord
from db.session import Database
from engines.backend import check_backend
from engines.external.log import LogFolder
from engines.external.text import shown
from engines.players import make_player as player_of
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.base.format import count_of, format_duration
from toolkit.base.version import Provenance, this_program, with_speed
from toolkit.books.book import Book, book_from_records, built_in_book
from toolkit.events.changed_engines import (
    changed_engines,
    check_stored_benches,
    refuse_changed,
    with_changed,
)
from toolkit.events.machine import check_fits
from toolkit.events.players import record_of
from toolkit.events.progress import EventOutcome, EventProgress
from toolkit.events.rounds import Rounds, RoundTasks
from toolkit.events.runner import FailedPair, PlayedPair, PlayedPairs, RunnerEvent, play_pairs
from toolkit.events.schedule import Schedule
from toolkit.events.settings import EventSettings
from toolkit.events.storing import PairStore
from toolkit.events.tally import Tally
from toolkit.events.time_scale import scaled
from toolkit.events.worker import JOINED_KEPT, Assignment, NotStarted, PlayerFactory
from toolkit.ratings.rating import store_after_event
from toolkit.referee.clock import check_time_manager
from toolkit.referee.referee import GameRules
from toolkit.runs.affinity import cores_of_workers
from toolkit.runs.jobs import Jobs, at_once, check_jobs, on_this_machine
from toolkit.runs.lifecycle import check_core, continue_run, lock_of, named_command, title_of
from toolkit.runs.stopping import StopRequest, stop_on_signals

ProgressCallback = Callable[[EventProgress], None]
GamesCallback = Callable[[EventRecord, Sequence[GameRecord]], None]
"""Hears of the event and of games that were stored, in the order of their storing."""
_WORTH_SAYING_S = 1.0
"""A stop that takes longer is announced."""


def start_event(
    db: Database,
    settings: EventSettings,
    *,
    book: Book | None = None,
    jobs: Jobs = 1,
    on_progress: ProgressCallback | None = None,
    on_games: GamesCallback | None = None,
    stop: threading.Event | None = None,
    affinity: bool = False,
    engine_log: str | None = None,
    make_player: PlayerFactory = player_of,
    confirms: StudyRecord | None = None,
) -> EventOutcome:
    """Store a new event and play it to its end, or until it is stopped.

    ``book``: the openings that ``settings.book`` names; optional for a built-in book and for a file
    that still has them. ``jobs``: number of worker processes, or a cluster. ``on_progress`` is
    called once before the first pair and again after each storing. ``on_games`` is called with the
    stored event and the games just stored: once with none, before the first pair, and then after
    each storing; what it raises ends the run. Set ``stop`` to stop; in the main thread the first
    Ctrl-C or SIGTERM also does. ``engine_log``: a folder for the conversations with external
    engines. ``make_player`` creates the player of a variant; it must be a function that a fresh
    process can import. ``confirms``: the study whose recommended values play.

    After the last pair the rating list of all games is stored (:mod:`toolkit.ratings.history`); an
    event that was stopped stores none.

    Raises UsageError, EngineProblem and DatabaseError before anything is stored. Raises
    DatabaseError later, too; what was stored until then stays.
    """
    check_jobs(jobs)
    check_engine_log(engine_log)
    if settings.kind == "tuning":
        raise UsageError("the games of a tuning are played by its study: mtdf tune run")
    for limit in (settings.limit, *settings.limits):
        check_time_manager("an event with these settings", limit)
    chosen = book or settings.find_book()
    schedule = Schedule(settings, chosen)
    program = this_program(settings.game)
    assignment = make_assignment(settings, jobs, program, make_player, affinity=affinity)
    check_stored_benches(db, settings)
    # Once it is stored it has an outcome, which tells the user how to continue.
    with stop_on_signals(stop) as request:
        event = store_event(db, settings, chosen, program, confirms)
        run = _EventRun(
            db,
            event,
            settings,
            schedule,
            assignment,
            jobs,
            on_progress,
            on_games,
            engine_log=engine_log,
        )
        return run.play(request)


def resume_event(
    db: Database,
    event: EventRecord | str,
    *,
    jobs: Jobs = 1,
    allow_changed: bool = False,
    retry_failed: bool = False,
    on_progress: ProgressCallback | None = None,
    on_games: GamesCallback | None = None,
    stop: threading.Event | None = None,
    affinity: bool = False,
    engine_log: str | None = None,
    make_player: PlayerFactory = player_of,
) -> EventOutcome:
    """Play the missing pairs of a stored event, given as a record or as its key, name or ``last``.

    A complete event only gets the status ``done``. ``allow_changed``: continue even if this
    program's core plays differently from the one that started the event, or an external engine is
    not the one it was; such games are marked. ``retry_failed``: also play the pairs that were given
    up; of an event in rounds only those of its last round, because later rounds were decided
    without the others. For the rest see :func:`start_event`.

    Raises EngineProblem for a changed core or external engine, VariantError for an engine that this
    backend cannot play. If a pair is missing and the limit
    is a clock or a time per move, also raises EngineProblem for another version of the time
    manager, regardless of ``allow_changed``: the limit would be another one.
    Raises UsageError for an event of imported games or of a study, DatabaseError for an event that
    another process plays.
    """
    check_jobs(jobs)
    check_engine_log(engine_log)
    if isinstance(event, str):
        event = db.repository.find_event(event)
    check_playable(event)
    settings = EventSettings.from_json(event.settings)
    program = this_program(settings.game)
    if not allow_changed:
        check_core(event, settings.game, "games")
    schedule = Schedule(settings, stored_book(db, settings))
    assignment = make_assignment(settings, jobs, program, make_player, affinity=affinity)
    if event.status != "done" or retry_failed:
        for engine in assignment.engines:
            check_backend(engine)
        changed = changed_engines(settings)
        if changed and not allow_changed:
            refuse_changed(title_of(event), settings, changed)
        assignment = with_changed(assignment, changed)
    run = _EventRun(
        db,
        event,
        settings,
        schedule,
        assignment,
        jobs,
        on_progress,
        on_games,
        retry_failed=retry_failed,
        engine_log=engine_log,
    )
    with stop_on_signals(stop) as request:
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
            f"event {event.key} belongs to study {event.name}; continue with: "
            f"{named_command('resume', event.name)}"
        )


class _EventRun:
    """One run of an event by the process that holds its lock."""

    def __init__(
        self,
        db: Database,
        event: EventRecord,
        settings: EventSettings,
        schedule: Schedule,
        assignment: Assignment,
        jobs: Jobs,
        on_progress: ProgressCallback | None,
        on_games: GamesCallback | None,
        *,
        retry_failed: bool = False,
        engine_log: str | None = None,
    ) -> None:
        self._db = db
        self.record = event
        self._settings = settings
        self._schedule = schedule
        self._assignment = assigned_to(assignment, event, engine_log)
        self._jobs = jobs
        self._on_progress = on_progress
        self._on_games = on_games
        self._retry_failed = retry_failed
        self._store = PairStore(db.repository, event)
        self._unrated: str | None = None
        self._out: dict[int, NotStarted] = {}
        """The engines that are out in this run, by position."""
        self._request = StopRequest()
        self._said = False

    def play(self, request: StopRequest) -> EventOutcome:
        """Play what is missing, as :func:`toolkit.runs.lifecycle.continue_run` says."""
        self._request = request
        outcome = continue_run(self._db, self, request)
        return EventOutcome(
            status=outcome.status,
            signal=outcome.signal,
            problem=outcome.problem,
            event=self._db.repository.event(self.record.id),
            progress=self._progress(),
            unrated=self._unrated,
        )

    def prepare(self) -> bool:
        """Count what is stored and find out whether a pair is missing."""
        repository, event = self._db.repository, self.record
        self._rounds = self._derived(retry=self._retry_failed)
        self._tally = Tally(event, self._settings, repository, self._rounds)
        if missing := self._is_missing(self._rounds):
            for limit in (self._settings.limit, *self._settings.limits):
                check_time_manager(f"event {event.key}", limit)
            self._note_changed()
        return missing

    def work(self, stop: threading.Event) -> bool:
        """Play until no pair is missing; then store the rating list, before the event is done: one
        that is done has a list, and is not looked at again."""
        self._tell_games(())
        self._show()
        if self._is_missing(self._rounds):
            self._request.at_once = threading.Event()
            try:
                self._play(stop)
            finally:
                self._request.at_once = None
        stored = self._derived()
        if self._is_missing(stored):
            return False
        self._refuse_incomplete(stored)
        if self.record.status != "done":
            self._unrated = store_after_event(self._db, self._settings.game)
        return True

    def _refuse_incomplete(self, stored: Rounds) -> None:
        """An event is not done while a pair that was given up can still be played. Those of earlier
        rounds cannot, and a test that has its verdict needs no more. Raises EngineProblem."""
        last = {place for meeting in stored.all[-1].meetings for place in meeting.places}
        failures = [
            failure
            for failure in self._db.repository.failures(self.record.id)
            if (failure.pairing, failure.pair) in last
        ]
        if failures and self._tally.pairs_tested() is None:
            planned = self._tally.progress().games_planned // 2
            reasons = {failure.reason for failure in failures}
            why = f": {reasons.pop()}" if len(reasons) == 1 else ""
            raise EngineProblem(
                f"{len(failures)} of {count_of(planned, 'pair')} could not be played{why}"
            )

    def _note_changed(self) -> None:
        """Keep with the event which engines are others now. Their games are marked, too."""
        stored = zip(self._settings.players, self._assignment.engines, strict=True)
        changed = [
            {"label": player.label, "before": player.id, "now": engine.identity}
            for player, engine in stored
            if engine.identity != player.id
        ]
        known = self.record.settings.get(CHANGED, [])
        new = [one for one in changed if one not in known]
        if new:
            self._db.repository.note(self.record, **{CHANGED: [*known, *new]})

    def _derived(self, *, retry: bool = False) -> Rounds:
        """The rounds of what is stored."""
        pairer = self._settings.pairer()
        return Rounds(self._db.repository, self.record, pairer, retry_failed=retry)

    def _is_missing(self, rounds: Rounds) -> bool:
        """Whether a pair is still to be played; none once a sequential test has its verdict."""
        return self._tally.pairs_tested() is None and rounds.current is not None

    def _play(self, stop: threading.Event) -> None:
        """Play until no pair is left or ``stop`` is set. Raises EngineProblem."""
        tasks = RoundTasks(self._rounds, self._schedule, self._out.keys())
        while True:
            # Closing the generator kills the workers at once, whatever happens here.
            playing = play_pairs(
                tasks, self._assignment, self._jobs, stop=stop, finish=self._may_finish
            )
            with closing(playing) as results:
                for result in results:
                    self._take(result, tasks)
                    if self._tally.pairs_tested() is not None:
                        return
                    self._store.check_works()
            # Pairs that were dropped last may have ended a round: then there is another one.
            if stop.is_set() or not self._drop(tasks):
                return

    def _may_finish(self, pairs: int, seconds: float) -> bool:
        """Whether so many pairs in play may be finished: after a first Ctrl-C. Says so once, unless
        it takes no time."""
        may = self._request.may_finish()
        if may and not self._said and seconds >= _WORTH_SAYING_S:
            self._said = True
            self._db.notice(
                f"stopping after {count_of(pairs, 'pair')} in play, in at most "
                f"{format_duration(seconds)}; Ctrl-C again stops at once"
            )
        return may

    def _take(self, result: RunnerEvent, tasks: RoundTasks) -> None:
        """Store what workers report."""
        if isinstance(result, PlayedPairs):
            self._store_pairs(result.pairs)
        elif isinstance(result, FailedPair):
            if result.out is not None:
                self._exclude(result.out, result.reason)
            self._give_up([result])
        else:
            self._tally.add_repair()
        self._drop(tasks)
        self._show()

    def _exclude(self, label: str, reason: str) -> None:
        """Play no pair of an engine that does not start any more. This is kept with the event
        before its pairs are given up: somebody else may advance by them."""
        position = [player.label for player in self._settings.players].index(label)
        if position not in self._out:
            self._out[position] = NotStarted(label, reason)
            known = self._db.repository.event(self.record.id).settings.get(OUT, {})
            self._db.repository.note(self.record, **{OUT: {**known, label: reason}})
            self._rounds.walkovers.add(position)

    def _drop(self, tasks: RoundTasks) -> bool:
        """Give up the pairs of engines that are out; whether there were some."""
        dropped = []
        for task in tasks.take_dropped():
            out = next(self._out[at] for at in (task.first, task.second) if at in self._out)
            dropped.append(FailedPair(task, 0, out.reason, out.label))
        if dropped:
            self._give_up(dropped)
        return bool(dropped)

    def _give_up(self, failed: Sequence[FailedPair]) -> None:
        self._store.give_up(failed)
        for pair in failed:
            self._tally.add_failure(pair.task.pairing, pair.task.pair)

    def _store_pairs(self, pairs: Sequence[PlayedPair]) -> None:
        """Store pairs together; those of a sequential test one by one, none after its end."""
        for group in [pairs] if self._settings.sprt is None else [[pair] for pair in pairs]:
            stored = self._store.keep(group)
            self._tally.add_pairs(stored)
            self._tell_games([game for games in stored for game in games])
            if self._tally.pairs_tested() is not None:
                return

    def _tell_games(self, games: Sequence[GameRecord]) -> None:
        if self._on_games is not None:
            self._on_games(self.record, games)

    def _progress(self) -> EventProgress:
        return structs.replace(self._tally.progress(), problems=self._store.problems())

    def _show(self) -> None:
        if self._on_progress is not None:
            self._on_progress(self._progress())


def store_event(
    db: Database,
    settings: EventSettings,
    book: Book,
    program: Provenance,
    confirms: StudyRecord | None = None,
) -> EventRecord:
    """A new event with its players and its book, planned and not begun; in the same transaction it
    is noted in the study that it ``confirms``. Raises DatabaseError."""
    new, repository = new_event(settings, book, program), db.repository
    if confirms is None:
        return repository.create_event(*new)
    return repository.event(repository.add_confirmation(confirms.id, new))


def new_event(settings: EventSettings, book: Book, program: Provenance) -> NewEvent:
    """What is stored of a new event."""
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
    variants = [record_of(player.engine) for player in settings.players]
    # Lines of a built-in book are stored as they are played.
    lines = () if built_in_book(book.id) else book.openings
    return NewEvent(event, players, variants, (book.record(), lines))


def stored_book(db: Database, settings: EventSettings) -> Book:
    """The book of an event: a built-in one, or as the database keeps it. Raises DatabaseError."""
    book_id, repository = settings.book.id, db.repository
    found = built_in_book(book_id)
    return found or book_from_records(repository.book(book_id), repository.openings(book_id))


def extend_event(db: Database, event: EventRecord, pairs: int) -> EventRecord:
    """Plan ``pairs`` more game pairs of each pairing; :func:`toolkit.resume_event` plays them.

    The new pairs are a block behind those that were planned, with numbers, openings and seeds of
    their own, so nothing that was played is renumbered. The event is marked: who stops or goes on
    because of the result has no fixed sample, and its error is greater than the printed one.

    Raises UsageError for an event that cannot be extended (a sequential test, an event in rounds,
    an import, the games of a study), and where the book has too few openings; DatabaseError: also
    if another process plays the event.
    """
    check_playable(event)
    with lock_of(db, event):
        return _extend(db, db.repository.event(event.id), pairs)


def _extend(db: Database, event: EventRecord, pairs: int) -> EventRecord:
    """:func:`extend_event` while nobody else plays or changes the event."""
    settings = EventSettings.from_json(event.settings)
    if settings.kind == "sprt":
        raise UsageError(
            f"event {event.key} is a sequential test: its rule decides when it ends, and more "
            "pairs would spoil it; start another one"
        )
    if settings.form is not None:
        raise UsageError(f"event {event.key} is played in rounds, which decide when it ends")
    extended = structs.replace(settings, extensions=(*settings.extensions, pairs))
    db.repository.extend_event(event.id, list(extended.extensions), extended.total_pairs)
    return db.repository.event(event.id)


def make_assignment(
    settings: EventSettings,
    jobs: Jobs,
    program: Provenance,
    make_player: PlayerFactory = player_of,
    *,
    affinity: bool = False,
) -> Assignment:
    """What workers need to know of an event that is not stored. ``affinity``: each worker is pinned
    to processors of its own, as many as an engine has threads.

    Raises EngineProblem for players that this program does not know, UsageError for tables that
    do not fit into the machine. Machines of a cluster are checked there
    (:mod:`toolkit.events.machine`).
    """
    engines = tuple(player.playable() for player in settings.players)
    threads = max((engine.threads for engine in engines), default=1)
    assignment = Assignment(
        event_id=0,
        engines=engines,
        identities=tuple(player.id for player in settings.players),
        limits=settings.limits,
        rules=GameRules(
            limit=settings.limit,
            adjudication=settings.adjudication,
            time_margin_ms=settings.time_margin_ms,
            patience_ms=settings.patience_ms,
            rules=settings.rules,
        ),
        book_id=settings.book.id,
        with_moves=settings.book.moves,
        lines=not settings.no_lines,
        scale_nps=settings.scale_nps,
        scale_by=settings.scale_by,
        jobs=at_once(jobs),
        # Without a clock the speed of a machine changes no game.
        provenance=program if settings.deterministic else with_speed(program),
        make_player=make_player,
        # Those that join a tuning later are the base with other values.
        tables=(*engines, *(engines[:1] * JOINED_KEPT if settings.kind == "tuning" else ())),
        cores=cores_of_workers(on_this_machine("--affinity", jobs), threads) if affinity else (),
    )
    if isinstance(jobs, int):
        check_fits(assignment, jobs)
        return scaled(assignment)
    return assignment


def assigned_to(
    assignment: Assignment, event: EventRecord, engine_log: str | None = None
) -> Assignment:
    """The same for an event that is stored. ``engine_log``: the folder for the conversations with
    its engines."""
    folder = None if engine_log is None else LogFolder(abspath(engine_log), event.key)
    return replace(assignment, event_id=event.id, engine_log=folder)


def check_engine_log(folder: str | None) -> None:
    """Make the folder for logs of engines, if there is to be one. Raises UsageError for one that
    cannot be written."""
    if folder is None:
        return
    try:
        makedirs(folder, exist_ok=True)
        with TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        if isinstance(error, FileExistsError):
            why = "it is not a folder"
        raise UsageError(f"--engine-log `{shown(folder, 200)}`: {why}") from None
