"""Searchers for tests of the pool; a worker process imports them by name."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from engines.backend import make_searcher
from engines.errors import EngineFailure
from engines.spec import Iteration, MoveReport, SearchLimit, SearchResult, Variant
from toolkit.runs.pool import is_worker

DOOMED = "MTDF_TEST_DOOMED"
"""Names the position on which a deadly searcher kills its process."""
SPARED = "MTDF_TEST_SPARED"
"""Names a file; once it exists, deadly searchers kill nobody."""

STORE = "MTDF_TEST_STORE"
"""Names the database that patient searchers look into."""
AWAITED = 2
"""Searches that they wait for there."""
_PATIENCE_S = 600.0


class CountingSearcher:
    """Takes as much CPU time as it has searched before, and tells its process by its passes."""

    def __init__(self, variant: Variant) -> None:
        self.fen = ""
        self.searched = 0

    def new_game(self) -> None:
        """There is nothing to forget."""

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        """Stand there."""
        self.fen = fen

    def push(self, move: int) -> None:
        """Stay."""

    def go(self, limit: SearchLimit) -> MoveReport:
        """Never asked."""
        raise NotImplementedError

    def search(
        self,
        limit: SearchLimit,
        *,
        exact: bool = False,
        first_guess: int | None = None,
        on_iteration: Callable[[Iteration], None] | None = None,
        expansions: bool = False,
    ) -> SearchResult:
        """Find nothing."""
        assert exact
        self.searched += 1
        return SearchResult(
            move=None,
            value=0,
            depth=limit.depth or 0,
            nodes=0,
            time_us=0,
            cpu_us=self.searched,
            passes=os.getpid(),
            overrun=0,
            stopped=False,
        )

    def stop(self) -> None:
        """Nothing runs."""

    def close(self) -> None:
        """There is nothing to free."""


class DeadlySearcher(CountingSearcher):
    """Kills its process on the doomed position, unless spared."""

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        super().set_position(fen, moves)
        spared = os.environ.get(SPARED)
        if fen != os.environ[DOOMED] or (spared and Path(spared).exists()):
            return
        if spared:
            Path(spared).touch()
        assert is_worker(), "mark this test with `workers`"
        os.kill(os.getpid(), signal.SIGKILL)


class FailingSearcher(CountingSearcher):
    """Says in two lines that it cannot search."""

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        raise EngineFailure("no memory\nfor a table")


class SlowSearcher(CountingSearcher):
    """Searches for an hour."""

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        time.sleep(3600)


class PatientSearcher(CountingSearcher):
    """Searches as others do, but the doomed position only when :data:`AWAITED` searches are in the
    database; fails where they do not come to be there."""

    def __init__(self, variant: Variant) -> None:
        super().__init__(variant)
        self._own = make_searcher(variant)

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while fen == os.environ[DOOMED] and not _stored():
            if time.monotonic() > deadline:
                raise EngineFailure("what was done before is not stored")
            time.sleep(0.02)
        self._own.set_position(fen, moves)

    def search(
        self,
        limit: SearchLimit,
        *,
        exact: bool = False,
        first_guess: int | None = None,
        on_iteration: Callable[[Iteration], None] | None = None,
        expansions: bool = False,
    ) -> SearchResult:
        return self._own.search(
            limit, exact=exact, first_guess=first_guess, on_iteration=on_iteration
        )


def _stored() -> bool:
    with closing(sqlite3.connect(os.environ[STORE])) as connection:
        (count,) = connection.execute("SELECT count(*) FROM lab_searches").fetchone()
    return bool(count >= AWAITED)
