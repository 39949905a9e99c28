"""The schedule: every game pair is a pure function of the event's settings, and who meets in it of
the complete rounds before it (:mod:`toolkit.pairing.rounds`).

So an interrupted event needs no queue: the pairs missing from the database are still to be played,
with the same openings, colours and seeds as without the interruption.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from engines.spec import Engine
from toolkit.base.errors import UsageError
from toolkit.books.book import Book, Opening, line_numbers
from toolkit.books.info import BookSlice, openings_in
from toolkit.events.settings import EventSettings
from toolkit.events.worker import PairTask
from toolkit.pairing.rounds import Meeting, PairPlace


class Schedule:
    """The pairs of an event. Raises UsageError if ``book`` is not the one of the settings."""

    def __init__(self, settings: EventSettings, book: Book) -> None:
        if book.id != settings.book.id:
            raise UsageError(
                f"book {book.source} ({book.id}) is not the one of the settings, "
                f"{settings.book.name} ({settings.book.id})"
            )
        self._settings = settings
        self._pairings = settings.pairings
        tuning = settings.kind == "tuning"
        self._same_seeds = settings.kind == "race"
        self._book_step = 0 if tuning else settings.pairer().book_step - sum(settings.extensions)
        self._later: dict[int, list[int]] = {}
        part = settings.book.slice
        self._openings = openings_in(book, part)
        sequential = settings.book.order == "sequential"
        self._order = (
            range(len(self._openings)) if sequential else _shuffled(book, part, settings.seed)
        )
        """Places among ``_openings``."""

    def task(self, pairing: int, pair: int) -> PairTask:
        """Pair number ``pair`` of a pairing that the settings know."""
        return self._task(pairing, pair, *self._pairings[pairing])

    def _task(self, pairing: int, pair: int, first: int, second: int) -> PairTask:
        return PairTask(
            pairing=pairing,
            pair=pair,
            first=first,
            second=second,
            opening=self._opening(self._line(pairing, pair)),
            seed=_seed(self._settings.seed, 0 if self._same_seeds else pairing, pair),
        )

    def _line(self, pairing: int, pair: int) -> int:
        """The place in the book of a pair. Each pairing continues in the book where the last one
        stopped: more of the book is used, and within a pairing no line comes twice before all
        others came once. An extension goes on behind everything that came before it."""
        settings = self._settings
        if settings.openings == "shared":
            return pair
        if pair < settings.pairs or not settings.extensions:
            return pairing * self._book_step + pair
        if pairing not in self._later:
            self._later[pairing] = self._later_lines(pairing)
        return self._later[pairing][pair - settings.pairs]

    def _later_lines(self, pairing: int) -> list[int]:
        """The places of the pairs by which a pairing was extended. Where the book is too short to
        go on in it, they leave out lines that the pairing has played, as long as there are
        others: games of a deterministic event would only be repeated."""
        settings, size = self._settings, len(self._openings)
        played: set[int] = set()
        places: list[int] = []

        def play(index: int) -> None:
            if len(played) == size:
                played.clear()
            played.add(index % size)

        for pair in range(settings.pairs):
            play(pairing * self._book_step + pair)
        before = settings.pairs
        for more in settings.extensions:
            index = len(self._pairings) * before + pairing * more
            for _ in range(more):
                while len(played) < size and index % size in played:
                    index += 1
                play(index)
                places.append(index)
                index += 1
            before += more
        return places

    def common_task(
        self,
        pairing: int,
        pair: int,
        players: tuple[int, int],
        engines: tuple[Engine, Engine],
        identities: tuple[str, str] | None = None,
    ) -> PairTask:
        """Pair number ``pair`` of two players of a tuning event: in all of its pairings the same
        number has the same opening, and behind the last line comes the first."""
        return PairTask(
            pairing=pairing,
            pair=pair,
            first=players[0],
            second=players[1],
            opening=self._opening(pair),
            seed=_seed(self._settings.seed, pairing, pair),
            engines=engines,
            identities=identities,
        )

    def _opening(self, index: int) -> Opening:
        place = (self._settings.book.start - 1 + index) % len(self._order)
        return self._openings[self._order[place]]

    def missing(self, finished: AbstractSet[PairPlace]) -> Iterator[PairTask]:
        """The tasks of the first round whose places are not in ``finished``."""
        found = self._settings.pairer().next_round(())
        return self.of_round(found.meetings if found else (), finished)

    def of_round(
        self, meetings: Sequence[Meeting], finished: AbstractSet[PairPlace]
    ) -> Iterator[PairTask]:
        """The tasks of the meetings of a round whose places are not in ``finished``, so that all
        meetings are about equally far at any time."""
        for number in range(max((meeting.pairs for meeting in meetings), default=0)):
            for meeting in meetings:
                place = (meeting.pairing, meeting.start + number)
                if number < meeting.pairs and place not in finished:
                    yield self._task(*place, meeting.first, meeting.second)

    def lines_used(self) -> int:
        """How many lines of the book the whole event plays."""
        settings = self._settings
        shared = settings.openings == "shared"
        used = settings.pairs_of_pairing if shared else settings.total_pairs
        return min(used, len(self._openings))


@functools.lru_cache(maxsize=4)
def _shuffled(book: Book, part: BookSlice | None, seed: int) -> Sequence[int]:
    """The places of the lines of a slice, in another order for each seed."""
    # Sorting by a hash is a shuffle that no version of a random module can change.
    digests = [_digest(f"{seed} order {line}") for line in line_numbers(openings_in(book, part))]
    return sorted(range(len(digests)), key=digests.__getitem__)


def _seed(seed: int, pairing: int, pair: int) -> int:
    return int.from_bytes(_digest(f"{seed} pair {pairing} {pair}")[:8]) >> 1


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
