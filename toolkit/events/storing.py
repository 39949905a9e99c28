"""Storing pairs as workers report them, for an event and for the games of a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from db.records.events import EventRecord, PairFailureRecord
from db.records.games import GameRecord
from db.repository import Repository
from toolkit.base.errors import EngineProblem
from toolkit.events.runner import FailedPair, PlayedPair

MAX_FAILURES_IN_A_ROW = 3
"""Pairs that no engine is the reason for; more than that and nothing works."""


class PairStore:
    """Stores the pairs of one event and counts those that cannot be played."""

    def __init__(self, repository: Repository, event: EventRecord) -> None:
        self._repository = repository
        self._event = event
        self._in_a_row = 0
        self._reason = ""
        self._problems: Counter[tuple[str, str, str]] = Counter()
        """How often, by severity, engine, and kind."""
        self._examples: dict[tuple[str, str, str], str] = {}

    def keep(self, pairs: Sequence[PlayedPair]) -> list[tuple[GameRecord, ...]]:
        """Store pairs, all or none, and give their games as stored. Raises DatabaseError."""
        self._in_a_row = 0
        for pair in pairs:
            for game in pair.games:
                for problem in game.problems:
                    who = game.white if problem.white else game.black
                    is_fault = problem.severity == "fault"
                    warning = problem.text.partition(" at ply ")[0]
                    kind = (problem.severity, who, game.end_reason if is_fault else warning)
                    self._problems[kind] += 1
                    self._examples.setdefault(kind, problem.text)
        games, openings = [pair.games for pair in pairs], [pair.task.opening for pair in pairs]
        return self._repository.commit_pairs(self._event.id, games, openings)

    def problems(self) -> dict[str, int]:
        """What engines did wrong in games that were kept, and how often: what cost games first.
        What an engine lost games by is told in the words of its first game."""
        kinds = sorted(self._problems, key=lambda kind: (kind[0], -self._problems[kind], kind))
        return {f"{kind[1]}: {self._examples[kind]}": self._problems[kind] for kind in kinds}

    def give_up(self, failed: Sequence[FailedPair]) -> None:
        """Note that pairs could not be played. Raises DatabaseError."""
        for pair in failed:
            if pair.out is None:
                self._in_a_row += 1
                self._reason = pair.reason
        self._repository.record_failures(
            [
                PairFailureRecord(
                    event_id=self._event.id,
                    pairing=pair.task.pairing,
                    pair=pair.task.pair,
                    attempts=pair.attempts,
                    reason=pair.reason,
                )
                for pair in failed
            ]
        )

    def check_works(self) -> None:
        """Raises EngineProblem when pair after pair could not be played."""
        if self._in_a_row >= MAX_FAILURES_IN_A_ROW:
            raise EngineProblem(
                f"{self._in_a_row} pairs in a row failed, the last one: {self._reason}"
            )
