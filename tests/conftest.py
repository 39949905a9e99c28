"""What all tests share: a run without the native core says what it could not test.

A test that needs the core is marked ``native``. Where the core was not built it is skipped, unless
``MTDF_EXPECT_CORE`` is set, as continuous integration does: there a missing core is a failure.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import signal
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from db.session import Database, open_database

HAS_CORE = importlib.util.find_spec("engines._core") is not None
EXPECTS_CORE = bool(os.environ.get("MTDF_EXPECT_CORE"))
REASON = "the native core is not installed"


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of toy players, found by worker processes too."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    return importlib.import_module("toy_players")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    with open_database(tmp_path / "games.db") as opened:
        yield opened


Edited = Callable[[str | Path], AbstractContextManager[sqlite3.Connection]]


@pytest.fixture(scope="session")
def edited() -> Edited:
    """Change rows of a database as if they had been stored so: their digests are made anew."""
    return _edited


@contextmanager
def _edited(path: str | Path) -> Iterator[sqlite3.Connection]:
    from sqlalchemy import delete, update

    from db.storage.engine import Store, sqlite_engine
    from db.tables.digests import KINDS, seal_all
    from db.tables.models import StoredRows

    with closing(sqlite3.connect(path)) as connection, connection:
        yield connection
    engine = sqlite_engine(Path(path), read_only=False, busy_timeout_s=5.0, migrating=True)
    store = Store(engine, str(path), read_only=False)
    with store.write() as transaction:
        transaction.execute(delete(StoredRows))
        for kind in KINDS:
            transaction.execute(update(kind.table).values(digest=None))
        seal_all(transaction)
    store.close()


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
