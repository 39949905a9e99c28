"""The rounds of an event while it is played: which are complete, and what is left of the next one.

They are derived from the settings and from the stored results, nothing else. So they are the same
after every interruption, and a round is never decided from a part of the one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Protocol

from db.records.events import EventRecord
from db.records.runs import OUT
from db.repository import Repository
from toolkit.base.errors import DatabaseProblem
from toolkit.events.schedule import Schedule
from toolkit.events.worker import PairTask
from toolkit.pairing.rounds import Meeting, Pairer, PairPlace, PairPoints, PlayedRound, Round


class Rounds:
    """The rounds of one event."""

    def __init__(
        self,
        repository: Repository,
        event: EventRecord,
        pairer: Pairer,
        *,
        retry_failed: bool = False,
    ) -> None:
        """Derive the rounds from what is stored. ``retry_failed``: also offer the pairs that were
        given up in the last round that was begun; those of earlier rounds decided what came later.

        Raises DatabaseProblem if stored games do not follow from the rounds before them.
        """
        self._event, self._pairer = event, pairer
        self._players = {} if pairer.one_round else repository.pairing_players(event.id)
        self.finished = repository.finished_pairs(event.id)
        """The pairs that were stored or given up."""
        players = {player.label: player.position for player in repository.event_players(event.id)}
        out = repository.event(event.id).settings.get(OUT, {})
        self.walkovers = {players[label] for label in out if label in players}
        """Positions of players that were out at some time."""
        self._results: dict[PairPlace, PairPoints] = {}
        if not pairer.one_round:
            self._results = repository.pair_points(event.id)
        self.played: list[PlayedRound] = []
        """The complete rounds. That of an event of a single round has no results."""
        self.current: Round | None = None
        """The first round that is not complete; None if the event is over."""
        self._left: set[PairPlace] = set()
        self._advance()
        if retry_failed:
            failures = repository.failures(event.id)
            self._retry({(failure.pairing, failure.pair) for failure in failures})

    @property
    def all(self) -> list[Round]:
        """The complete rounds, and the current one."""
        played = [played.round for played in self.played]
        return played if self.current is None else [*played, self.current]

    def so_far(self) -> PlayedRound:
        """The current round with the results that it has."""
        assert self.current is not None
        return PlayedRound(self.current, self._results, self.walkovers)

    def add(self, place: PairPlace, points: PairPoints | None) -> bool:
        """Note that a pair was stored, or given up (None). Returns whether it was the last one of
        its round, after which there is another one, or none."""
        if self._pairer.one_round or place not in self._left:
            return False
        self._left.remove(place)
        self.finished.add(place)
        if points is not None:
            self._results[place] = points
        if self._left:
            return False
        self._advance()
        return True

    def _advance(self) -> None:
        """Go to the first round that is not complete."""
        while True:
            if self.current is not None:
                self.played.append(PlayedRound(self.current, self._results, self.walkovers))
            self.current = self._pairer.next_round(self.played)
            if self.current is None:
                return
            self._check(self.current)
            if self._pairer.one_round:
                if any(place not in self.finished for place in _places(self.current.meetings)):
                    return
                continue
            self._left = set(_places(self.current.meetings)) - self.finished
            if self._left:
                return

    def _check(self, round_: Round) -> None:
        for meeting in round_.meetings:
            players = self._players.get(meeting.pairing, (meeting.first, meeting.second))
            if players != (meeting.first, meeting.second):
                raise DatabaseProblem(
                    f"event {self._event.key}: the stored games of pairing {meeting.pairing} are "
                    f"not those of {round_.title}, because results of an earlier round changed; "
                    "the event cannot be continued"
                )

    def _retry(self, failed: set[PairPlace]) -> None:
        """Take failures of the last round that was begun as missing."""
        begun = self.current is not None and any(
            place in self.finished for place in _places(self.current.meetings)
        )
        if not begun and self.played:
            self.current = self.played.pop().round
        if self.current is None:
            return
        places = set(_places(self.current.meetings))
        self.finished -= failed & places
        self._left = places - self.finished
        if not self._left:
            self._advance()


class StoredRounds(Protocol):
    """The rounds of an event as far as its results are stored."""

    @property
    def all(self) -> list[Round]:
        """The complete rounds, and the current one."""

    @property
    def finished(self) -> AbstractSet[PairPlace]:
        """The pairs that were given up, at least."""

    @property
    def played(self) -> Sequence[PlayedRound]:
        """The complete rounds."""

    @property
    def current(self) -> Round | None:
        """The first round that is not complete."""

    def add(self, place: PairPlace, points: PairPoints | None) -> bool:
        """As :meth:`Rounds.add`."""


class OnlyRound:
    """The round of an event that has only one, without reading which of its pairs are stored:
    there may be a million."""

    def __init__(self, repository: Repository, event: EventRecord, pairer: Pairer) -> None:
        failures = repository.failures(event.id)
        self.finished = {(failure.pairing, failure.pair) for failure in failures}
        self.current = pairer.next_round(())
        self.played: Sequence[PlayedRound] = ()

    @property
    def all(self) -> list[Round]:
        """The round."""
        return [] if self.current is None else [self.current]

    def add(self, place: PairPlace, points: PairPoints | None) -> bool:
        """There is no other round."""
        return False


def stored_rounds(repository: Repository, event: EventRecord, pairer: Pairer) -> StoredRounds:
    """The rounds of an event, to look at. Raises DatabaseProblem as :class:`Rounds`."""
    return (OnlyRound if pairer.one_round else Rounds)(repository, event, pairer)


class RoundTasks:
    """The pairs of one round after the other, as a source for workers. It has none while the last
    pairs of a round are played."""

    def __init__(
        self, rounds: Rounds, schedule: Schedule, out: AbstractSet[int] = frozenset()
    ) -> None:
        """``out``: positions of players that are out; more may join them."""
        self._rounds, self._schedule, self._out = rounds, schedule, out
        self._dropped: list[PairTask] = []
        self._round: Round | None = None
        self._tasks: Iterator[PairTask] = iter(())

    def take(self, at_most: int) -> Sequence[PairTask]:
        """The next pairs of the current round, without those of players that are out."""
        if self._rounds.current is not self._round:
            self._round = self._rounds.current
            meetings = self._round.meetings if self._round is not None else ()
            self._tasks = self._schedule.of_round(meetings, self._rounds.finished)
        return tuple(islice(self._playable(), at_most))

    def take_dropped(self) -> list[PairTask]:
        """The pairs that were left out since the last call."""
        dropped, self._dropped = self._dropped, []
        return dropped

    def _playable(self) -> Iterator[PairTask]:
        for task in self._tasks:
            if self._out.isdisjoint((task.first, task.second)):
                yield task
            else:
                self._dropped.append(task)


def _places(meetings: Sequence[Meeting]) -> Iterator[PairPlace]:
    for meeting in meetings:
        yield from meeting.places
