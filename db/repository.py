"""What the rest of the program asks of the database, in records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from db import books, counts, events, games, pairs, ratings, variants
from db.chosen import count_repetitions
from db.engine import Store
from db.records import (
    BookRecord,
    EventPlayerRecord,
    EventRecord,
    EventStatus,
    GameFilter,
    GameRecord,
    JointCounts,
    OpeningRecord,
    PairCounts,
    PairFailureRecord,
    PairingScore,
    RatingListRecord,
    ScoreCounts,
    VariantRecord,
)


class Repository:
    """Everything stored, behind methods that are one transaction each.

    What writes either happens whole or not at all. Every method may raise DatabaseError, its
    subclasses as told.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    # Variants

    def add_variants(self, records: Iterable[VariantRecord]) -> None:
        """Store those that are new. RecordError: an identity already means another variant."""
        with self._store.write() as connection:
            variants.add_variants(connection, records)

    def variants(self) -> list[VariantRecord]:
        """Every variant, in the order of being stored."""
        with self._store.read() as connection:
            return variants.all_variants(connection)

    def variant(self, identity: str) -> VariantRecord:
        """The variant of that identity. NotFound."""
        with self._store.read() as connection:
            return variants.find_variant(connection, identity)

    def labels(self, identities: Sequence[str]) -> dict[str, str]:
        """What variants were called in their newest event; the spelling of those that played in
        none. Unknown identities are left out."""
        with self._store.read() as connection:
            return variants.latest_labels(connection, identities)

    # Books

    def add_book(self, book: BookRecord, openings: Sequence[OpeningRecord]) -> None:
        """Store a book with its lines; one that is stored already stays as it is. RecordError."""
        with self._store.write() as connection:
            books.add_book(connection, book, openings)

    def book(self, identity: str) -> BookRecord:
        """The book of that identity. NotFound."""
        with self._store.read() as connection:
            return books.find_book(connection, identity)

    def openings(self, book_id: str) -> list[OpeningRecord]:
        """The lines of a book in their order. NotFound."""
        with self._store.read() as connection:
            return books.book_openings(connection, book_id)

    # Events

    def create_event(
        self,
        event: EventRecord,
        players: Sequence[EventPlayerRecord],
        book_id: str | None = None,
    ) -> EventRecord:
        """Store an event and give it with its id and its new key. Variants and book must be
        stored; empty ``created_at`` means now. RecordError."""
        with self._store.write() as connection:
            event_id = events.create_event(connection, event, players, book_id or event.book_id)
            return events.get_event(connection, event_id)

    def set_event_status(self, event_id: int, status: EventStatus) -> None:
        """Note that an event runs or has ended, and when. NotFound, RecordError."""
        with self._store.write() as connection:
            events.set_status(connection, event_id, status)

    def event(self, event_id: int) -> EventRecord:
        """The event of that id. NotFound."""
        with self._store.read() as connection:
            return events.get_event(connection, event_id)

    def find_event(self, text: str) -> EventRecord:
        """The event of a key, a name, a unique beginning of a key, or ``last``: the newest.
        NotFound: there is none, or more than one."""
        with self._store.read() as connection:
            return events.find_event(connection, text)

    def events(self) -> list[EventRecord]:
        """Every event, the oldest first."""
        with self._store.read() as connection:
            return events.all_events(connection)

    def event_players(self, event_id: int) -> list[EventPlayerRecord]:
        """The players of an event by position."""
        with self._store.read() as connection:
            return events.event_players(connection, event_id)

    # Pairs

    def commit_pair(self, event_id: int, records: Sequence[GameRecord]) -> tuple[GameRecord, ...]:
        """Store both games of a pair and give them as stored, with their ids.

        Of the games of one key, in whatever events, all but the first by event, pairing, pair and
        game are its repetitions: which one counts does not depend on which was stored first.
        A pair that is stored already stays as it is and is given back; a
        failure of the pair is forgotten. RecordError, NotFound.
        """
        with self._store.write() as connection:
            return pairs.commit_pair(connection, event_id, records)

    def record_failure(self, failure: PairFailureRecord) -> None:
        """Note that a pair could not be played; a later note replaces an earlier one.
        RecordError: the pair has been played. NotFound."""
        with self._store.write() as connection:
            events.record_failure(connection, failure)

    def failures(self, event_id: int) -> list[PairFailureRecord]:
        """The failed pairs of an event in the order of its schedule."""
        with self._store.read() as connection:
            return events.failures(connection, event_id)

    def finished_pairs(self, event_id: int) -> set[tuple[int, int]]:
        """(pairing, pair) of every pair of an event that is done or has failed."""
        with self._store.read() as connection:
            return events.finished_pairs(connection, event_id)

    # Games

    def games(self, wanted: GameFilter | None = None) -> Iterator[GameRecord]:
        """Matching games by event, pairing, pair, game; read in pages, with flat memory and
        without holding a transaction between them. RecordError for a filter without sense."""
        return games.iterate_games(self._store, wanted or GameFilter())

    def count_games(self, wanted: GameFilter | None = None) -> int:
        """How many games match, whatever the filter's ``limit``."""
        with self._store.read() as connection:
            return games.count_games(connection, wanted or GameFilter())

    def excluded_games(self, event_ids: Sequence[int] | None = None) -> int:
        """How many games of these events, or of all, repeat another of them."""
        with self._store.read() as connection:
            return count_repetitions(connection, event_ids)

    def end_reasons(self, event_ids: Sequence[int] | None = None) -> dict[str, int]:
        """How many games of these events, or of all, ended for which reason, repetitions
        included."""
        with self._store.read() as connection:
            return counts.end_reasons(connection, event_ids)

    # Counts. Of the games of one key within the chosen events only the first is counted.

    def score_counts(self, event_ids: Sequence[int] | None = None) -> list[ScoreCounts]:
        """Counted games of these events, or of all, by who had which colour."""
        with self._store.read() as connection:
            return counts.score_counts(connection, event_ids)

    def pair_counts(self, event_ids: Sequence[int] | None = None) -> list[PairCounts]:
        """Counted whole pairs of these events, or of all, by who met."""
        with self._store.read() as connection:
            return counts.pair_counts(connection, event_ids)

    def joint_counts(self, event_ids: Sequence[int] | None = None) -> list[JointCounts]:
        """Counted whole pairs of these events, or of all, by who met and by both results."""
        with self._store.read() as connection:
            return counts.joint_counts(connection, event_ids)

    def event_pair_scores(self, event_id: int) -> list[PairingScore]:
        """How the pairings of an event stand; those without a finished pair are left out."""
        with self._store.read() as connection:
            return counts.event_pair_scores(connection, event_id)

    # Ratings

    def add_rating_list(self, record: RatingListRecord) -> RatingListRecord:
        """Store a fit and give it with its id; empty ``created_at`` means now. RecordError."""
        with self._store.write() as connection:
            list_id = ratings.add_rating_list(connection, record)
            return ratings.get_rating_list(connection, list_id)

    def rating_lists(self) -> list[RatingListRecord]:
        """Every stored fit, the oldest first."""
        with self._store.read() as connection:
            return ratings.all_rating_lists(connection)
