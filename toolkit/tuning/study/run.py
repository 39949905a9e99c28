"""Studies: from their settings to a recommendation with a measured gain.

Every trial is stored when it is sampled and when it is reported, every encounter when it is
measured, every game pair when it is played. A resumed study is rebuilt from this data.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Literal

from msgspec import structs, to_builtins

from db.records.studies import Phase, StudyRecord
from db.session import Database
from engines.spec import UciEngine
from engines.variant import altered
from toolkit.base.errors import UsageError
from toolkit.base.version import this_program
from toolkit.books.book import Book
from toolkit.events.changed_engines import changed_engines, check_stored_benches, refuse_changed
from toolkit.events.event import check_engine_log, new_event
from toolkit.events.memory import check_memory
from toolkit.referee.clock import check_time_manager
from toolkit.runs.jobs import Jobs, check_jobs
from toolkit.runs.lifecycle import check_core, check_new, continue_run, free_name, title_of
from toolkit.runs.stopping import StopRequest, stop_on_signals
from toolkit.tuning.measuring.encounter import Evaluator
from toolkit.tuning.measuring.simulated import SimulatedEvaluator, load_function
from toolkit.tuning.models.gain import gain_of_effort, gain_of_pairs
from toolkit.tuning.samplers.sampler import make_sampler, make_spsa
from toolkit.tuning.settings import StudySettings, settings_of, study_positions
from toolkit.tuning.space.options import check_options
from toolkit.tuning.space.point import Point
from toolkit.tuning.study import conclusion
from toolkit.tuning.study.estimates import Estimator
from toolkit.tuning.study.ledger import Ledger
from toolkit.tuning.study.progress import StandingEstimate, StudyOutcome, StudyProgress
from toolkit.tuning.study.recall import Trial
from toolkit.tuning.study.result import StudyResult
from toolkit.tuning.study.search import TrialSearch

ProgressCallback = Callable[[StudyProgress], None]


def run_study(
    db: Database,
    settings: StudySettings,
    *,
    book: Book | None = None,
    jobs: Jobs = 1,
    affinity: bool = False,
    engine_log: str | None = None,
    on_progress: ProgressCallback | None = None,
    stop: threading.Event | None = None,
) -> StudyOutcome:
    """Store a new study and run it to its recommendation, or until it is stopped.

    ``jobs``: number of worker processes, or a cluster. ``book``: the openings that
    its event names; may be left out for the built-in one and for a file that still holds
    them. ``affinity``: pin each worker to processors of its own, where games are played.
    ``engine_log``: a folder for the conversations with external engines, where games are
    played. ``on_progress`` is called once before the first trial and again whenever something was
    stored. ``stop``: set it to stop; in the main thread the first Ctrl-C or SIGTERM does so too.

    Raises UsageError and EngineProblem before anything is stored, DatabaseError.
    """
    check_jobs(jobs)
    _check_workers(settings, affinity, engine_log)
    make_sampler(settings)
    if settings.objective.kind == "simulated":
        load_function(settings.objective)
    if isinstance(jobs, int):  # machines of a cluster are checked there
        _check_tables(settings, jobs)
    # Once it is stored it has an outcome, which tells the user how to continue.
    with stop_on_signals(stop) as request:
        record = _store_study(db, settings, book)
        run = _StudyRun(db, record, settings, jobs, on_progress, None, affinity, engine_log)
        return run.run(request)


def resume_study(
    db: Database,
    study: StudyRecord | str,
    *,
    jobs: Jobs = 1,
    allow_changed: bool = False,
    affinity: bool = False,
    engine_log: str | None = None,
    on_progress: ProgressCallback | None = None,
    stop: threading.Event | None = None,
) -> StudyOutcome:
    """Continue a stored study, given as a record, by name or as ``last``, where it stopped.

    One that is done is left as it is. ``allow_changed``: go on although this program's core plays
    differently from the one that the study began with, or an external engine is not the one it
    was; games of such engines are marked. For the rest see :func:`run_study`.

    Raises EngineProblem for a core or external engine that changed, and for a timed limit of
    another version of the time manager, whatever ``allow_changed`` says; DatabaseError for a study
    that another process runs.
    """
    check_jobs(jobs)
    record = db.repository.find_study(study) if isinstance(study, str) else study
    settings = settings_of(record)
    _check_workers(settings, affinity, engine_log)
    if not allow_changed and settings.objective.kind != "simulated":
        check_core(record, settings.game, "trials")
    if record.status == "done":
        run = _StudyRun(db, record, settings, jobs, on_progress)
        return StudyOutcome(study=record, status="done", progress=run.progress())
    if settings.event is not None:
        check_time_manager(f"study {record.name}", settings.event.limit)
    changed = _changed(record, settings, allow_changed)
    run = _StudyRun(db, record, settings, jobs, on_progress, changed, affinity, engine_log)
    with stop_on_signals(stop) as request:
        return run.run(request)


def _changed(
    record: StudyRecord, settings: StudySettings, allowed: bool
) -> Mapping[int, UciEngine]:
    """The external engines that are others now than when the study started, by position in its
    event. Raises EngineProblem if that is not allowed, or the base does not have the tuned options
    any more."""
    event = settings.event
    if event is None:
        return {}
    changed = changed_engines(event)
    if changed and not allowed:
        refuse_changed(title_of(record), event, changed)
    if 0 in changed:
        check_options(changed[0], settings.space)
    return changed


def _check_workers(settings: StudySettings, affinity: bool, engine_log: str | None) -> None:
    """Raises UsageError for a study without games, OperationFailed for a folder that cannot be
    written."""
    for given, option in ((affinity, "--affinity"), (engine_log is not None, "--engine-log")):
        if given and settings.event is None:
            raise UsageError(f"{option}: this study plays no games")
    check_engine_log(engine_log)


def _check_tables(settings: StudySettings, processes: int) -> None:
    """Raises UsageError if the largest tables that are searched do not fit into the machine."""
    sizes = {
        one.name: one.ends[1]
        for one in settings.space.ordered
        if one.power_of_two or one.name.casefold() == "hash"
    }
    if sizes and settings.base is not None:
        largest = altered(settings.base.playable(), sizes)
        check_memory([largest, *(player.playable() for player in settings.against)], processes)


def _store_study(db: Database, settings: StudySettings, book: Book | None) -> StudyRecord:
    repository = db.repository
    program = this_program(settings.game)
    taken = [study.name for study in repository.studies()]
    name = settings.name or free_name("study", taken)
    check_new("study", name, taken)
    event = None
    if settings.event is not None:
        check_stored_benches(db, settings.event)
        of_games = structs.replace(settings.event, name=name)
        settings = structs.replace(settings, event=of_games)
        event = new_event(of_games, book or of_games.find_book(), program)
    # In one transaction: a kill leaves both, or none.
    return repository.create_study(
        StudyRecord(
            id=0,
            name=name,
            status="planned",
            settings=to_builtins(structs.replace(settings, name=name)),
            created_at="",
            started_at=None,
            ended_at=None,
            version=program.version,
            backend=program.backend,
            signature=program.signature,
            host=program.host,
        ),
        event,
    )


def _evaluator(
    db: Database,
    record: StudyRecord,
    settings: StudySettings,
    jobs: Jobs,
    changed: Mapping[int, UciEngine],
    stop: threading.Event,
    affinity: bool,
    engine_log: str | None,
) -> Evaluator:
    """What measures the encounters of a study. Raises EngineProblem, UsageError, DatabaseError."""
    if settings.objective.kind == "simulated":
        return SimulatedEvaluator(settings.objective, settings.seed, stop)
    if settings.objective.is_effort:
        return _effort_evaluator(settings, jobs, stop)
    from toolkit.tuning.measuring.games import GamesEvaluator

    assert record.event_id is not None
    event = db.repository.event(record.event_id)
    return GamesEvaluator(
        db,
        event,
        jobs=jobs,
        stop=stop,
        changed=changed,
        affinity=affinity,
        engine_log=engine_log,
    )


def _effort_evaluator(settings: StudySettings, jobs: Jobs, stop: threading.Event) -> Evaluator:
    from toolkit.tuning.measuring.effort import EffortEvaluator

    assert settings.base is not None and settings.positions is not None
    kind: Literal["nodes", "time"] = "nodes" if settings.objective.kind == "nodes" else "time"
    return EffortEvaluator(
        settings.base.variant(),
        study_positions(settings.positions, settings.seed, settings.game),
        settings.positions.depth,
        kind,
        jobs=jobs,
        stop=stop,
    )


class _StudyRun:
    """One run of a study by the process that holds its lock."""

    def __init__(
        self,
        db: Database,
        record: StudyRecord,
        settings: StudySettings,
        jobs: Jobs,
        on_progress: ProgressCallback | None,
        changed: Mapping[int, UciEngine] | None = None,
        affinity: bool = False,
        engine_log: str | None = None,
    ) -> None:
        self._db = db
        self.record = record
        self._settings = settings
        self._jobs = jobs
        self._on_progress = on_progress
        self._changed = changed or {}
        self._affinity = affinity
        self._engine_log = engine_log
        self._phase: Phase = "search"
        self._chosen: Point | None = None
        """What is recommended, once that is known."""
        self._ledger: Ledger | None = None
        self._search: TrialSearch | None = None
        self._estimator: Estimator | None = None
        self._news: list[Trial] = []
        self._pairs_before = 0
        self._stop = threading.Event()
        self._evaluator: Evaluator | None = None
        self._begin = time.monotonic()

    def run(self, request: StopRequest) -> StudyOutcome:
        """Search, choose and measure what is missing; see
        :func:`toolkit.runs.lifecycle.continue_run`."""
        self._stop = request.event
        outcome = continue_run(self._db, self, request)
        return StudyOutcome(
            status=outcome.status,
            signal=outcome.signal,
            problem=outcome.problem,
            study=self._db.repository.study(self.record.id),
            progress=self.progress(),
        )

    def prepare(self) -> bool:
        """Make the evaluator, which starts no process yet. Raises as :func:`_evaluator`; the ledger
        and the search read what is stored."""
        self._evaluator = _evaluator(
            self._db,
            self.record,
            self._settings,
            self._jobs,
            self._changed,
            self._stop,
            self._affinity,
            self._engine_log,
        )
        return self.record.status != "done"

    def work(self, stop: threading.Event) -> bool:
        """Search, choose, measure; then store what is recommended."""
        assert self._evaluator is not None
        with closing(self._evaluator) as measuring:
            result = self._result(measuring)
        if result is None:
            return False
        self._db.repository.set_study_result(self.record.id, to_builtins(result))
        return True

    def _result(self, evaluator: Evaluator) -> StudyResult | None:
        """What is recommended; None when asked to stop. Raises EngineProblem."""
        repository, settings = self._db.repository, self._settings
        spsa = make_spsa(settings) if settings.sampler == "spsa" else None
        self._ledger = ledger = Ledger(repository, self.record, evaluator, self._show)
        self._pairs_before = sum(ledger.pairs_done.values())
        self._search = search = TrialSearch(
            repository,
            self.record,
            settings,
            ledger,
            (lambda number: spsa) if spsa is not None else make_sampler(settings),
            lambda told: self._news.append(told),
        )
        self._estimator = Estimator(settings, search, spsa)
        self._show()
        if not search.run():
            return None
        self._phase = "choice"
        chosen = conclusion.choose(settings, search, ledger, spsa)
        if chosen is None:
            return None
        self._phase, self._chosen = "gain", chosen.point
        return conclusion.measure(settings, ledger, chosen)

    def progress(self) -> StudyProgress:
        """The current state of the study, with the trials reported since the last call."""
        settings, search = self._settings, self._search
        news, self._news = tuple(self._news), []
        done = sum(self._ledger.pairs_done.values()) if self._ledger is not None else 0
        elapsed_s = time.monotonic() - self._begin
        now = done - self._pairs_before
        speed = now / elapsed_s if now > 0 and elapsed_s > 0 else None
        current, estimate = self._standing()
        told = [] if search is None else search.told
        # The base, which is trial 0 where trials are compared, is none of those planned.
        own = len(told) - (1 if told and settings.sampler != "spsa" else 0)
        left = max(0, settings.budget.total - done)
        return StudyProgress(
            study=self.record,
            phase=self._phase,
            pairs_done=done,
            pairs_planned=settings.budget.total,
            trials_done=own,
            trials_planned=settings.trials,
            pruned=sum(one.record.state == "pruned" for one in told),
            current=current,
            estimate=estimate,
            elapsed_s=elapsed_s,
            pairs_per_minute=None if speed is None else 60 * speed,
            eta_s=None if speed is None else left / speed,
            news=news,
        )

    def _standing(self) -> tuple[Point | None, StandingEstimate | None]:
        """The current point with its gain: estimated by a model during the search, and by the
        measured pairs in the gain phase."""
        settings, ledger = self._settings, self._ledger
        if self._estimator is None or ledger is None:
            return None, None
        if self._chosen is None:
            return self._estimator.current()
        if settings.against:  # what both ends scored is put together at the end
            return self._chosen, None
        of_scores = gain_of_effort if settings.objective.is_effort else gain_of_pairs
        gain = of_scores(ledger.gain_scores)
        if gain.low95 is None or gain.high95 is None:
            return self._chosen, None
        return self._chosen, StandingEstimate(gain.value, gain.low95, gain.high95, "pairs")

    def _show(self) -> None:
        if self._on_progress is not None:
            self._on_progress(self.progress())
