"""What all tests share: a run without the native core says what it could not test.

A test that needs the core is marked ``native``. Where the core was not built it is skipped, unless
``MTDF_EXPECT_CORE`` is set, as continuous integration does: there a missing core is a failure.
"""

from __future__ import annotations

import os

from msgspec import structs

# Before numpy is there: several tests run at a time, and the threads of its small matrices wait for
# each other longer than they work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import gc
import importlib
import importlib.util
import signal
import sqlite3
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import combinations
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, Self, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from msgspec.structs import replace
from sqlalchemy import Connection, Dialect, Engine, create_engine, text

from db.records.engines import VariantRecord
from db.records.events import EventPlayerRecord, EventRecord
from db.records.games import GameRecord
from db.records.openings import BookRecord, OpeningRecord
from db.schema import version as schema
from db.schema.declared import METADATA
from db.session import Database, open_database
from db.storage import engine as storage
from engines.registry import PARAMETERS
from engines.spec import Param, Value
from toolkit.base.printable import in_one_line
from toolkit.runs.executor import Done, Failed, Result, Task, TaskReport, Work

sys.path.insert(0, str(Path(__file__).parent / "servers"))
import postgres_server  # noqa: E402
from postgres_server import PostgresServer  # noqa: E402

# Thousands of tests live as long as the session: to look at them again and again for garbage would
# take a sixth of the time.
gc.set_threshold(50_000, 20, 50)

# The same examples every time, and no failure because the machine is busy.
settings.register_profile(
    "all", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("all")

HAS_CORE = importlib.util.find_spec("engines._core") is not None
EXPECTS_CORE = bool(os.environ.get("MTDF_EXPECT_CORE"))
REASON = "the native core is not installed"


@pytest.fixture(scope="session", autouse=True)
def statements_compiled_once() -> Iterator[None]:
    """SQLAlchemy compiles a statement once an engine; here once a session, for all databases."""
    dialects: dict[str, Dialect] = {}
    compiled: dict[Any, Any] = {}

    def make(*args: Any, **options: Any) -> Engine:
        engine = create_engine(*args, **options)
        if engine.dialect.name != "sqlite":
            return engine  # its dialect asks the server for its version when it connects first
        engine.dialect = dialects.setdefault(engine.dialect.name, engine.dialect)
        engine.update_execution_options(compiled_cache=compiled)
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "create_engine", make)
        yield


@pytest.fixture(scope="session", autouse=True)
def tables_declared_once() -> Iterator[None]:
    """SQLAlchemy writes the statements of all tables and views for each new file; here once a
    session, and later files get what the first one got."""
    create, views, made = schema._create, schema.create_views, list[str]()

    def make_tables(connection: Connection) -> None:
        if connection.dialect.name != "sqlite":
            create(connection)
            return
        if not made:
            with create_engine("sqlite://").begin() as memory:
                create(memory)
                views(memory)
                made.extend(memory.scalars(text("SELECT sql FROM sqlite_master WHERE sql <> ''")))
        mark = f"PRAGMA application_id = {schema.APPLICATION_ID}"
        version = f"INSERT INTO alembic_version VALUES ('{schema.SCHEMA}')"
        with closing(connection.connection.cursor()) as cursor:
            for statement in (mark, *made, version):
                cursor.execute(statement)
        connection.info["made"] = True

    def make_views(connection: Connection) -> None:
        if not connection.info.pop("made", False):
            views(connection)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "_create", make_tables)
        patch.setattr(schema, "create_views", make_views)
        yield


SYNCHRONOUS = storage._SYNCHRONOUS


@pytest.fixture(scope="session", autouse=True)
def commits_wait_for_no_disk() -> Iterator[None]:
    """No power fails during a test of this process, so a commit need not reach the disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "_SYNCHRONOUS", "OFF")
        yield


@pytest.fixture(scope="session", autouse=True)
def machine_has_no_other_load() -> Iterator[None]:
    """Commands warn about timed games on a busy machine, and these tests run on any."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "getloadavg", lambda: (0.25, 0.25, 0.25))
        yield


@pytest.fixture
def commits_wait_for_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with users."""
    monkeypatch.setattr(storage, "_SYNCHRONOUS", SYNCHRONOUS)


class InProcessPool(Generic[Task, Result]):
    """An executor that does the tasks in the process of the test, one with each call of
    ``finished``. It pickles what a worker process would be sent."""

    def __init__(self, work: Work[Task, Result], jobs: int) -> None:
        self._work, self._jobs = pickled(work), jobs
        self._do: Callable[[Task], Result] | None = None
        self._waiting: deque[Task] = deque()

    @property
    def pending(self) -> int:
        return len(self._waiting)

    @property
    def room(self) -> int:
        return max(2 * self._jobs - self.pending, 0)

    @property
    def in_play(self) -> list[Task]:
        return list(self._waiting)[: self._jobs]

    mean_s = 600.0

    def submit(self, task: Task) -> None:
        self._waiting.append(task)

    def finished(self, timeout_s: float) -> list[TaskReport[Task, Result]]:
        if timeout_s == 0 or not self._waiting:
            return []
        task = self._waiting.popleft()
        try:
            self._do = self._do or self._work()
            return [Done(task, pickled(self._do(pickled(task))))]
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of the core is not an Exception
            return [Failed(task, 1, in_one_line(error))]

    def close(self) -> None:
        self._waiting.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


Sent = TypeVar("Sent")


def pickled(content: Sent) -> Sent:
    """What a worker process gets when this is sent to it."""
    sent: Sent = ForkingPickler.loads(ForkingPickler.dumps(content))
    return sent


@pytest.fixture(scope="session", autouse=True)
def tasks_in_process() -> Iterator[None]:
    """Runs need no worker process, except those of tests marked ``workers``, those pinned to cores
    and those with external engines."""
    from toolkit.runs import jobs

    real = jobs.WorkerPool

    def make(work: Any, count: int, cores: Any = (), tidy: Any = None) -> Any:
        needs_processes = cores or tidy is not None or "workers" in running[-1].keywords
        return real(work, count, cores, tidy) if needs_processes else InProcessPool(work, count)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "WorkerPool", make)
        yield


running: list[pytest.Item] = []
"""The test that runs now, as the last one."""


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Remember the test that runs now."""
    running[:] = [item]


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server of this process. Without its programs the test is skipped."""
    problem = postgres_server.missing()
    if problem is not None:
        pytest.skip(problem)
    server = PostgresServer()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def made_on_server(postgres: PostgresServer) -> str:
    """A database on the server with our tables and nothing in them, to copy."""
    name = postgres.create()
    open_database(postgres.url(name)).close()
    return name


@pytest.fixture(scope="session")
def emptied_on_server(postgres: PostgresServer, made_on_server: str) -> Callable[[], str]:
    """The URL of a database on the server with our tables, emptied: the same each time, because
    making one takes long."""
    name = postgres.create(made_on_server)
    tables = [table.name for table in reversed(METADATA.sorted_tables)]
    deletions = "; ".join(f"DELETE FROM {table}" for table in tables)
    numbers = "SELECT setval(oid, 1, false) FROM pg_class WHERE relkind = 'S'"

    def emptied() -> str:
        postgres.sql(f"{deletions}; {numbers}", name)
        return postgres.url(name)

    return emptied


@pytest.fixture
def on_server(
    request: pytest.FixtureRequest,
    postgres: PostgresServer,
    made_on_server: str,
    emptied_on_server: Callable[[], str],
) -> Iterator[str]:
    """The URL of a database on a server with our tables and nothing in them. It is a new one if
    the test ``damages`` it."""
    if "damages" not in request.keywords:
        yield emptied_on_server()
        return
    name = postgres.create(made_on_server)
    yield postgres.url(name)
    postgres.drop(name)


@pytest.fixture
def empty_on_server(postgres: PostgresServer) -> Iterator[str]:
    """The URL of a new database on a server, without tables."""
    name = postgres.create()
    yield postgres.url(name)
    postgres.drop(name)


def _other_default(param: Param) -> Value:
    """A value that is not the default."""
    if param.kind == "flag":
        return not param.default
    if param.kind == "choice":
        return next(choice for choice in param.choices if choice != param.default)
    assert param.low is not None and param.high is not None
    return param.high if param.default == param.low else param.low


@pytest.fixture
def other_defaults(monkeypatch: pytest.MonkeyPatch) -> Callable[[], AbstractContextManager[None]]:
    """While it is open, every parameter that may be tuned has another default."""

    @contextmanager
    def changed() -> Iterator[None]:
        with monkeypatch.context() as patch:
            for name, param in PARAMETERS.items():
                if param.tunable:
                    patch.setitem(PARAMETERS, name, replace(param, default=_other_default(param)))
            yield

    return changed


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of toy players, found by worker processes too."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "toys"))
    return importlib.import_module("toy_players")


@pytest.fixture(scope="session")
def failing() -> Callable[[Callable[..., object], Iterable[tuple[Any, ...]]], list[str]]:
    """Calls a check with each case and returns a line for each that fails."""

    def lines(check: Callable[..., object], cases: Iterable[tuple[Any, ...]]) -> list[str]:
        found = []
        for case in cases:
            try:
                check(*case)
            except (Exception, pytest.fail.Exception) as error:
                found.append(f"{case}: {type(error).__name__}: {error}")
        return found

    return lines


@pytest.fixture(scope="session")
def local_cluster() -> Callable[..., Any]:
    """``LocalCluster`` of benchmarks/local_cluster.py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
        return importlib.import_module("local_cluster").LocalCluster  # type: ignore[no-any-return]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    with open_database(tmp_path / "games.db") as opened:
        yield opened


Edited = Callable[[str | Path], AbstractContextManager[sqlite3.Connection]]


@pytest.fixture(scope="session")
def edited() -> Edited:
    """Change rows of a database as if games had been stored so: their digests are made anew."""
    return _edited


@contextmanager
def _edited(path: str | Path) -> Iterator[sqlite3.Connection]:
    from db.schema.soundness import game_digest

    with closing(sqlite3.connect(path)) as connection, connection:
        yield connection
        connection.create_function("game_digest", 6, game_digest)
        connection.execute(
            "UPDATE games SET digest = game_digest(g.white_score, m.moves_version, m.moves, "
            "m.search_version, m.search_data, m.lines) FROM games g LEFT JOIN game_moves m "
            "ON m.game_id = g.id WHERE g.id = games.id"
        )


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """A worker for each core, and one more for slow tests, which wait for engines and processes."""
    return len(os.sched_getaffinity(0)) + (config.option.markexpr != "not slow")


def pytest_configure() -> None:
    """Make the processes that tests start like those of a user.

    ``python -c`` puts the current directory in front of all packages: in the checkout, that is
    sources without a core. And a shell turns Ctrl-C off in what it starts in the background, while
    tests send it to themselves and to their children.
    """
    os.environ["PYTHONSAFEPATH"] = "1"
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """Skip tests of the core where there is none and none is expected."""
    if HAS_CORE or EXPECTS_CORE:
        return
    for item in items:
        if item.get_closest_marker("native"):
            item.add_marker(pytest.mark.skip(reason=REASON))


def pytest_report_header() -> str:
    """Which core the tests run on."""
    return f"mtdf: {'native core' if HAS_CORE else REASON + ', the reference stands in'}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say once more, at the end, that a run without the core is half a run."""
    if HAS_CORE:
        return
    skipped = [r for r in terminalreporter.stats.get("skipped", []) if REASON in str(r.longrepr)]
    terminalreporter.section("not covered")
    terminalreporter.write_line(
        f"{REASON}: {len(skipped)} tests of it were skipped, and all others ran on the reference."
    )
    terminalreporter.write_line(
        "To test everything, put cargo on the PATH and run `pip install --force-reinstall .[test]`."
    )


Listed = tuple[Any, ...]
"""A game as a test lists it: White, Black, result, and a dictionary of what else is not usual."""
StoreEvent = Callable[..., EventRecord]
LINES = [
    OpeningRecord(1, "start w", b"\x0c\x07", "after e4 b", "Open"),
    OpeningRecord(2, "start w", b"\x0b\x06", "after d4 b"),
]
LISTED_BOOK = BookRecord("feedbeef", "small", "small.epd", len(LINES))


@pytest.fixture(scope="session")
def store_event() -> StoreEvent:
    """Store an event of games that the test lists."""
    return _store_event


def _store_event(
    db: Database,
    players: Mapping[str, str],
    pairs: Sequence[Sequence[Listed]],
    *,
    limit: Mapping[str, Any] | None = None,
    **changes: Any,
) -> EventRecord:
    """``players``: identity by label, in order; what is not stored becomes a variant. ``pairs``:
    each two games. Pairings are numbered as in a round robin, pairs as they come."""
    repository, labels = db.repository, list(players)
    record = EventRecord(
        id=0,
        key="",
        name="",
        kind="round-robin",
        status="done",
        settings={"limit": {"nodes": 1000} if limit is None else limit},
        seed=7,
        pairs_planned=len(pairs),
        pairs_done=0,
        pairs_failed=0,
        created_at="2026-11-21T10:00:00.000Z",
        started_at=None,
        ended_at=None,
        version="0.1.0",
        backend="native",
        signature="0123456789abcdef",
        host="tower",
        book_id=LISTED_BOOK.id,
    )
    stored = {variant.id for variant in repository.variants()}
    repository.add_variants(
        VariantRecord(identity, "native", "mtdf", {"name": identity}, f"mtdf:name={identity}")
        for identity in sorted({*players.values()} - stored)
    )
    repository.add_book(LISTED_BOOK, LINES)
    places = [EventPlayerRecord(k, label, players[label]) for k, label in enumerate(labels)]
    event = repository.create_event(structs.replace(record, **changes), places)
    pairings = list(combinations(range(len(labels)), 2))
    for number, pair in enumerate(pairs):
        games = []
        for place, (white, black, result, *more) in enumerate(pair, 1):
            first, second = sorted((labels.index(white), labels.index(black)))
            game = GameRecord(
                id=0,
                event_id=event.id,
                pairing=pairings.index((first, second)),
                pair=number,
                game=place,
                white=white,
                black=black,
                white_id=players[white],
                black_id=players[black],
                book_id=None,
                opening_line=None,
                start_fen=LINES[0].fen,
                result=result,
                end_reason="threefold-repetition",
                plies=3,
                moves=b"\x01\x02\x03\x04\x05\x06",
                moves_version=1,
                search_data=b"\x00\xff",
                search_version=1,
                white_nodes=20,
                black_nodes=10,
                white_cpu_us=2,
                black_cpu_us=1,
                started_at="2026-11-21T10:02:30.123Z",
                ended_at="2026-11-21T10:02:31.999Z",
                host="tower",
                load=0.25,
                jobs=2,
                backend=event.backend,
                signature=event.signature,
                version=event.version,
                seed=7,
                game_key=None,
            )
            games.append(structs.replace(game, **(more[0] if more else {})))
        repository.commit_pairs(event.id, [games])
    return repository.event(event.id)
