"""Studies: from their settings to a recommendation with a measured gain.

Every trial is stored when it is sampled and when it is reported, every encounter when it is
measured, every game pair when it is played. A resumed study is rebuilt from this data.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import Literal

from db.errors import DatabaseError
from db.session import Database
from db.tuning import StudyRecord
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.base.version import Provenance, this_program
from toolkit.books.book import Book, find_book
from toolkit.games.clock import check_time_manager
from toolkit.play.event import store_event
from toolkit.play.memory import check_memory
from toolkit.runs.stopping import StopRequest, stop_on_signals
from toolkit.space.point import Point
from toolkit.space.space import variant_of
from toolkit.tuning.measuring.encounter import Evaluator, Phase
from toolkit.tuning.measuring.simulated import SimulatedEvaluator, load_function
from toolkit.tuning.models.gain import gain_of_effort, gain_of_pairs
from toolkit.tuning.samplers.sampler import make_sampler, make_spsa
from toolkit.tuning.settings import StudySettings, study_positions
from toolkit.tuning.study.estimates import Estimator
from toolkit.tuning.study.ledger import Ledger
from toolkit.tuning.study.progress import Estimate, StudyOutcome, StudyProgress
from toolkit.tuning.study.result import StudyResult
from toolkit.tuning.study.search import Search, Told, news_of

ProgressCallback = Callable[[StudyProgress], None]


def run_study(
    db: Database,
    settings: StudySettings,
    *,
    book: Book | None = None,
    jobs: int = 1,
    on_progress: ProgressCallback | None = None,
    stop: threading.Event | None = None,
) -> StudyOutcome:
    """Store a new study and run it to its recommendation, or until it is stopped.

    ``book``: the openings that ``settings.book`` names; may be left out for the built-in one and
    for a file that still holds them. ``on_progress`` is called once before the first trial and
    again whenever something was stored. ``stop``: set it to stop; in the main thread the first
    Ctrl-C or SIGTERM does so too.

    Raises UsageError and EngineProblem before anything is stored, DatabaseError.
    """
    make_sampler(settings)
    if settings.objective.kind == "simulated":
        load_function(settings.objective)
    _check_tables(settings, jobs)
    # Once it is stored it has an outcome, which tells the user how to continue.
    with stop_on_signals(stop) as request:
        record = _store_study(db, settings, book)
        return _run(db, record, settings, jobs, on_progress, request)


def resume_study(
    db: Database,
    name: str,
    *,
    jobs: int = 1,
    allow_changed: bool = False,
    on_progress: ProgressCallback | None = None,
    stop: threading.Event | None = None,
) -> StudyOutcome:
    """Go on with a stored study, given by name or as ``last``, where it stopped.

    One that is done is left as it is. ``allow_changed``: go on although this program's core plays
    differently from the one that the study began with. For the rest see :func:`run_study`.

    Raises EngineProblem for a core that changed, and for a timed limit of another version of the
    time manager, whatever ``allow_changed`` says; DatabaseError for a study that another process
    runs.
    """
    record = db.repository.find_study(name)
    settings = StudySettings.from_json(record.settings)
    if not allow_changed and settings.objective.kind != "simulated":
        _check_unchanged(record, this_program())
    if settings.limit is not None and record.status != "done":
        check_time_manager(f"study {record.name}", settings.limit)
    with stop_on_signals(stop) as request:
        return _run(db, record, settings, jobs, on_progress, request, allow_changed)


def _check_tables(settings: StudySettings, jobs: int) -> None:
    """Raises UsageError if the largest tables that are searched do not fit into the machine."""
    sizes = {one.name: one.powers[-1] for one in settings.space.ordered if one.power_of_two}
    if sizes and settings.base is not None:
        largest = variant_of(settings.base.variant(), sizes)
        check_memory([largest, *(player.variant() for player in settings.against)], jobs)


def _store_study(db: Database, settings: StudySettings, book: Book | None) -> StudyRecord:
    repository = db.repository
    program = this_program()
    name = settings.name or _free_name(db)
    if any(study.name == name for study in repository.studies()):
        raise UsageError(
            f"study `{name}` exists: choose another --name, or mtdf tune resume {name}"
        )
    event_id = None
    if settings.objective.kind == "elo":
        assert settings.book is not None
        chosen = book or find_book(settings.book.id, settings.book.source)
        event_id = store_event(db, settings.event_settings(), chosen, program).id
    return repository.create_study(
        StudyRecord(
            id=0,
            name=name,
            status="planned",
            settings=settings.to_json() | {"name": name},
            created_at="",
            started_at=None,
            ended_at=None,
            version=program.version,
            backend=program.backend,
            signature=program.signature,
            host=program.host,
            event_id=event_id,
        )
    )


def _free_name(db: Database) -> str:
    taken = {study.name for study in db.repository.studies()}
    number = len(taken) + 1
    while f"study-{number}" in taken:
        number += 1
    return f"study-{number}"


def _check_unchanged(record: StudyRecord, program: Provenance) -> None:
    """Raises EngineProblem if ``program`` searches differently from the one that began it."""
    if (program.backend, program.signature) != (record.backend, record.signature):
        raise EngineProblem(
            f"study {record.name} was started with a core that played differently "
            f"({record.backend} {record.signature[:8]}… -> {program.backend} "
            f"{program.signature[:8]}…), so its trials would come from two programs; start over, "
            "or continue with --allow-changed"
        )


def _run(
    db: Database,
    record: StudyRecord,
    settings: StudySettings,
    jobs: int,
    on_progress: ProgressCallback | None,
    request: StopRequest,
    allow_changed: bool = False,
) -> StudyOutcome:
    if record.status == "done":
        course = _Course(db, record, settings, on_progress)
        return StudyOutcome(record, "done", course.progress())
    repository = db.repository
    with ExitStack() as stack:
        if record.event_id is None:
            stack.enter_context(db.event_lock(f"study{record.id}", f"study {record.name}"))
        evaluator = _evaluator(db, record, settings, jobs, request, allow_changed)
        repository.set_study_status(record.id, "running")
        course = _Course(db, record, settings, on_progress)
        result, problem = None, None
        try:
            with closing(evaluator):
                result = course.run(evaluator)
        except EngineProblem as error:
            problem = str(error)
        except BaseException:
            _note_interruption(db, record)
            raise
        status: Literal["done", "interrupted", "failed"] = "interrupted"
        if problem is not None:
            status = "failed"
        elif result is not None:
            status = "done"
            repository.set_study_result(record.id, result.to_json())
        # The study last: one that is done is not touched again, and its event would stay open.
        if record.event_id is not None:
            repository.set_event_status(record.event_id, status)
        repository.set_study_status(record.id, status)
    return StudyOutcome(
        study=repository.study(record.id),
        status=status,
        progress=course.progress(),
        signal=request.signal if status == "interrupted" else None,
        problem=problem,
    )


def _evaluator(
    db: Database,
    record: StudyRecord,
    settings: StudySettings,
    jobs: int,
    request: StopRequest,
    allow_changed: bool,
) -> Evaluator:
    """What measures the encounters of a study. Raises EngineProblem, UsageError, DatabaseError."""
    if settings.objective.kind == "simulated":
        return SimulatedEvaluator(settings.objective, settings.seed, request.event.is_set)
    if settings.objective.is_effort:
        return _effort_evaluator(settings, jobs, request)
    from toolkit.tuning.measuring.games import GamesEvaluator

    assert record.event_id is not None
    event = db.repository.event(record.event_id)
    return GamesEvaluator(db, event, jobs=jobs, stop=request.event, allow_changed=allow_changed)


def _effort_evaluator(settings: StudySettings, jobs: int, request: StopRequest) -> Evaluator:
    from toolkit.tuning.measuring.effort import EffortEvaluator

    assert settings.base is not None and settings.positions is not None
    kind: Literal["nodes", "time"] = "nodes" if settings.objective.kind == "nodes" else "time"
    return EffortEvaluator(
        settings.base.variant(),
        study_positions(settings.positions, settings.seed),
        settings.positions.depth,
        kind,
        jobs=jobs,
        stop=request.event,
    )


def _note_interruption(db: Database, record: StudyRecord) -> None:
    try:
        db.repository.set_study_status(record.id, "interrupted")
    except DatabaseError:
        # The database itself may have failed; resume uses what is missing, not the status.
        return


@dataclass(slots=True)
class _Course:
    """One run of a study by the process that holds its lock."""

    db: Database
    record: StudyRecord
    settings: StudySettings
    on_progress: ProgressCallback | None
    _phase: Phase = "search"
    _chosen: Point | None = None
    """What is recommended, once that is known."""
    _ledger: Ledger | None = None
    _search: Search | None = None
    _estimator: Estimator | None = None
    _news: list[Told] = field(default_factory=list)
    _pairs_before: int = 0
    _begin: float = field(default_factory=time.monotonic)

    def run(self, evaluator: Evaluator) -> StudyResult | None:
        """Search, choose, measure; None when asked to stop. Raises EngineProblem."""
        repository, settings = self.db.repository, self.settings
        spsa = make_spsa(settings) if settings.sampler == "spsa" else None
        self._ledger = ledger = Ledger(repository, self.record, evaluator, self._show)
        self._pairs_before = sum(ledger.pairs_done.values())
        self._search = search = Search(
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
        settings, search = self.settings, self._search
        news, self._news = tuple(map(news_of, self._news)), []
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
            pruned=sum(one.state == "pruned" for one in told),
            current=current,
            estimate=estimate,
            elapsed_s=elapsed_s,
            pairs_per_minute=None if speed is None else 60 * speed,
            eta_s=None if speed is None else left / speed,
            news=news,
        )

    def _standing(self) -> tuple[Point | None, Estimate | None]:
        """The current point with its gain: estimated by a model during the search, and by the
        measured pairs in the gain phase."""
        settings, ledger = self.settings, self._ledger
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
        return self._chosen, Estimate(gain.estimate, gain.low95, gain.high95, "pairs")

    def _show(self) -> None:
        if self.on_progress is not None:
            self.on_progress(self.progress())
