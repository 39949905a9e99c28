"""Storing pairs as workers report them, for an event and for the games of a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from db.records import EventRecord, GameRecord, PairFailureRecord
from db.repository import Repository
from toolkit.base.errors import EngineProblem
from toolkit.games.outcome import BLACK_WINS
from toolkit.play.runner import FailedPair, PlayedPair

MAX_FAILURES_IN_A_ROW = 3
"""Pairs; more than that and nothing works."""
FIRST_GAMES = 6
"""Games of an engine, in each of which it failed, after which it is clear that it does not work."""


class PairStore:
    """Stores the pairs of one event and counts those that cannot be played."""

    def __init__(
        self, repository: Repository, event: EventRecord, *, first_run: bool = False
    ) -> None:
        """``first_run``: nothing was played before. Only then an engine that never works ends the
        event: who resumes it wants its games."""
        self._first_run = first_run
        self._repository = repository
        self._event = event
        self._in_a_row = 0
        self._reason = ""
        self._games: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        """Games that each engine played, and those in which it failed."""
        self.problems: Counter[str] = Counter()
        """What engines did wrong in games that were kept, and how often."""

    def keep(self, pairs: Sequence[PlayedPair]) -> list[tuple[GameRecord, ...]]:
        """Store pairs, all or none, and give their games as stored. Raises DatabaseError."""
        self._in_a_row = 0
        for pair in pairs:
            for game in pair.games:
                self._note(game)
        return self._repository.commit_pairs(self._event.id, [pair.games for pair in pairs])

    def _note(self, game: GameRecord) -> None:
        """Count a game, and what went wrong in it."""
        self._games.update((game.white, game.black))
        if game.problem is not None:
            loser = game.white if game.result == BLACK_WINS else game.black
            self._failed[loser] += 1
            self.problems[f"{loser}: {game.problem}"] += 1

    def give_up(self, failed: FailedPair) -> None:
        """Note that a pair could not be played. Raises DatabaseError."""
        self._in_a_row += 1
        self._reason = failed.reason
        self._repository.record_failure(
            PairFailureRecord(
                event_id=self._event.id,
                pairing=failed.task.pairing,
                pair=failed.task.pair,
                attempts=failed.attempts,
                reason=failed.reason,
            )
        )

    def check_works(self) -> None:
        """Raises EngineProblem when pair after pair could not be played."""
        if self._in_a_row >= MAX_FAILURES_IN_A_ROW:
            raise EngineProblem(
                f"{self._in_a_row} pairs in a row failed, the last one: {self._reason}"
            )

    def check_engines(self) -> None:
        """Raises EngineProblem when an engine has failed in each of its games."""
        if not self._first_run:
            return
        for engine, failed in self._failed.items():
            if failed == self._games[engine] >= FIRST_GAMES:
                what = next(text for text in self.problems if text.startswith(f"{engine}: "))
                raise EngineProblem(
                    f"an engine failed in each of its first {failed} games: {what} "
                    "(mtdf engines test); mtdf resume goes on in any case"
                )
