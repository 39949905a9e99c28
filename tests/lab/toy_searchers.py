"""Searchers for tests of the pool; a worker process imports them by name."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from engines.errors import EngineFailure
from engines.spec import Iteration, MoveReport, SearchLimit, SearchResult, Variant

DOOMED = "MTDF_TEST_DOOMED"
"""Names the position on which a deadly searcher kills its process."""
SPARED = "MTDF_TEST_SPARED"
"""Names a file; once it exists, deadly searchers kill nobody."""


class CountingSearcher:
    """Takes as much CPU time as it has searched before, and tells its process by its passes."""

    def __init__(self, variant: Variant) -> None:
        self.fen = ""
        self.searched = 0

    def new_game(self) -> None:
        """There is nothing to forget."""

    def set_position(self, fen: str, moves: Sequence[int] = ()) -> None:
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

    def set_position(self, fen: str, moves: Sequence[int] = ()) -> None:
        super().set_position(fen, moves)
        spared = os.environ.get(SPARED)
        if fen != os.environ[DOOMED] or (spared and Path(spared).exists()):
            return
        if spared:
            Path(spared).touch()
        os.kill(os.getpid(), signal.SIGKILL)


class FailingSearcher(CountingSearcher):
    """Says in two lines that it cannot search."""

    def set_position(self, fen: str, moves: Sequence[int] = ()) -> None:
        raise EngineFailure("no memory\nfor a table")


class SlowSearcher(CountingSearcher):
    """Searches for a minute."""

    def set_position(self, fen: str, moves: Sequence[int] = ()) -> None:
        time.sleep(60)
