"""What the rest of the program asks of the database, in records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from db import (
    books,
    counts,
    events,
    facts,
    games,
    imports,
    pairs,
    ratings,
    soundness,
    variants,
)
from db.chosen import Chosen, count_repetitions
from db.lab_repository import LabRepository
from db.records import (
    BookRecord,
    EventCounts,
    EventPlayerRecord,
    EventRecord,
    GameColumns,
    GameFilter,
    GameRecord,
    HistoryRow,
    ImportCounts,
    ImportedGame,
    ImportUnit,
    MeetingCounts,
    MeetingOpening,
    OpeningCounts,
    OpeningRecord,
    PairColumns,
    PairCounts,
    PairFailureRecord,
    PairingScore,
    RatingListRecord,
    RunStatus,
    ScoreCounts,
    VariantRecord,
)
from db.study_repository import StudyRepository


class Repository(StudyRepository, LabRepository):
    """Everything stored, behind methods that are one transaction each.

    What writes either happens whole or not at all. Every method may raise DatabaseError, its
    subclasses as told.
    """

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

    def labelled_variants(self) -> list[tuple[str, str]]:
        """Every label with every identity that played under it, the newest event's last."""
        with self._store.read() as connection:
            return variants.labelled_variants(connection)

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

    def set_event_status(self, event_id: int, status: RunStatus) -> None:
        """Note that an event runs or has ended, and when. NotFound, RecordError."""
        with self._store.write() as connection:
            events.set_status(connection, event_id, status)

    def forget_lost_games(self, event_id: int) -> int:
        """No longer miss the games of an event that are gone with their pairs, because these are
        about to be played again; how many they are."""
        with self._store.write() as connection:
            return events.forget_lost_games(connection, event_id)

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
        return self.commit_pairs(event_id, [records])[0]

    def commit_pairs(
        self, event_id: int, games: Sequence[Sequence[GameRecord]]
    ) -> list[tuple[GameRecord, ...]]:
        """Store several pairs, all or none, each as :meth:`commit_pair` does it. RecordError,
        NotFound."""
        with self._store.write() as connection:
            return pairs.commit_pairs(connection, event_id, games)

    def record_failure(self, failure: PairFailureRecord) -> None:
        """Note that a pair could not be played; a later note replaces an earlier one.
        RecordError: the pair has been played. NotFound."""
        with self._store.write() as connection:
            events.record_failure(connection, failure)

    def check_games_in_pairs(self, event_id: int) -> None:
        """Raises DatabaseCorrupt for a game of the event that belongs to no pair."""
        with self._store.read() as connection:
            pairs.check_games_in_pairs(connection, event_id)

    def failures(self, event_id: int) -> list[PairFailureRecord]:
        """The failed pairs of an event in the order of its schedule."""
        with self._store.read() as connection:
            return events.failures(connection, event_id)

    def finished_pairs(self, event_id: int) -> set[tuple[int, int]]:
        """(pairing, pair) of every pair of an event that is done or has failed."""
        with self._store.read() as connection:
            return events.finished_pairs(connection, event_id)

    # Imports, by the process that has the event's lock

    def find_import(self, name: str) -> EventRecord | None:
        """The event of imported games of that name or key; None: there is none. RecordError: an
        event of that name was played."""
        with self._store.read() as connection:
            return imports.find_import(connection, name)

    def open_import(self, event: EventRecord) -> EventRecord:
        """The event of imported games of ``event``'s name, made from it if there is none.
        RecordError: an event of that name was played."""
        with self._store.write() as connection:
            return imports.open_import(connection, event)

    def import_place(self, event: EventRecord) -> imports.ImportPlace:
        """What :meth:`add_imported` needs to know of an event and keeps up to date."""
        with self._store.write() as connection:
            return imports.place_of(connection, event)

    def imported_keys(self, event_id: int, keys: Sequence[bytes]) -> set[bytes]:
        """Those of the keys whose games an event has."""
        with self._store.read() as connection:
            return imports.known_keys(connection, event_id, keys)

    def imported_copies(self, event_id: int, some: Sequence[ImportedGame]) -> set[bytes]:
        """Keys of those of the games that an event has as repetitions of stored ones."""
        with self._store.read() as connection:
            return imports.known_copies(connection, event_id, some)

    def add_imported(
        self,
        place: imports.ImportPlace,
        units: Sequence[ImportUnit],
        new_players: Iterable[VariantRecord],
    ) -> ImportCounts:
        """Store pairs and single games, without those that the event has; ``new_players``: those
        of whom the event had no game. Throw ``place`` away if this fails."""
        with self._store.write() as connection:
            return imports.add_units(connection, place, units, new_players)

    def finish_import(
        self, event_id: int, settings: Mapping[str, Any], *, changed: bool
    ) -> EventRecord:
        """Note that all games of a file are stored, and the event's new settings; ``changed``:
        whether there were any new ones."""
        with self._store.write() as connection:
            return imports.finish_import(connection, event_id, dict(settings), changed=changed)

    def single_games(self, event_ids: Sequence[int]) -> dict[int, int]:
        """How many games without a partner events have; those that have none are left out."""
        with self._store.read() as connection:
            return imports.single_games(connection, event_ids)

    # Games

    def games(self, wanted: GameFilter | None = None) -> Iterator[GameRecord]:
        """Matching games by event, pairing, pair, game; read in pages, with flat memory and
        without holding a transaction between them. RecordError for a filter without sense."""
        return games.iterate_games(self._store, wanted or GameFilter())

    def count_games(self, wanted: GameFilter | None = None) -> int:
        """How many games match, whatever the filter's ``limit``."""
        with self._store.read() as connection:
            return games.count_games(connection, wanted or GameFilter())

    def newest_game(self, without_events: tuple[int, ...] = ()) -> int | None:
        """The id of the game that was stored last, of other events than these."""
        with self._store.read() as connection:
            return games.newest_game(connection, without_events)

    def last_jobs(self, event_id: int) -> int | None:
        """With how many workers the newest game of an event was played; None before the first."""
        with self._store.read() as connection:
            return games.last_jobs(connection, event_id)

    def games_above_load(self, event_id: int, load: float) -> tuple[int, float]:
        """How many games of an event began at a higher load of their machine, and the highest load
        of all its games."""
        with self._store.read() as connection:
            return games.games_above_load(connection, event_id, load)

    def damage(self) -> list[str]:
        """A line for each thing that is not as it was stored; see :mod:`db.soundness`."""
        with self._store.read() as connection:
            return soundness.damage(connection)

    def game_ids(self) -> list[int]:
        """The ids of all games, in order."""
        with self._store.read() as connection:
            return games.game_ids(connection)

    def excluded_games(self, chosen: Chosen = None) -> int:
        """How many games of the choice repeat another of them."""
        with self._store.read() as connection:
            return count_repetitions(connection, chosen)

    def end_reasons(self, chosen: Chosen = None) -> dict[str, int]:
        """How many games of the choice ended for which reason, repetitions
        included."""
        with self._store.read() as connection:
            return counts.end_reasons(connection, chosen)

    # Counts, of a choice of games, of events by their ids, or of all games. Of the chosen games of
    # one key only the first is counted.

    def score_counts(self, chosen: Chosen = None) -> list[ScoreCounts]:
        """Counted games of the choice by who had which colour."""
        return counts.score_counts(self.games_and_pairs(chosen)[0])

    def games_and_pairs(self, chosen: Chosen = None) -> tuple[GameColumns, PairColumns]:
        """Counted games of the choice by what played them and by who had which colour, and
        :meth:`pair_columns`; both of one moment."""
        from db import columns  # needs numpy, which most commands do without

        with self._store.read() as connection:
            return columns.games_and_pairs(connection, chosen)

    def pair_columns(self, chosen: Chosen = None) -> PairColumns:
        """Counted whole pairs of the choice by who met and by both results."""
        from db import columns

        with self._store.read() as connection:
            return columns.pair_columns(connection, chosen)

    def player_games(self, chosen: Chosen = None) -> dict[str, int]:
        """Counted games of the choice of each variant by its identity; one against itself is one
        game."""
        from db import columns

        with self._store.read() as connection:
            return columns.player_games(connection, chosen)

    def pair_counts(self, chosen: Chosen = None) -> list[PairCounts]:
        """Counted whole pairs of the choice by who met."""
        return counts.pair_counts(self.pair_columns(chosen))

    def event_pair_scores(self, event_id: int) -> list[PairingScore]:
        """How the pairings of an event stand; those without a finished pair are left out."""
        with self._store.read() as connection:
            return counts.event_pair_scores(connection, event_id)

    def meeting_counts(self, first: str, second: str, chosen: Chosen = None) -> list[MeetingCounts]:
        """Counted games of two players, each given by label or identity, in groups."""
        with self._store.read() as connection:
            return facts.meeting_counts(connection, first, second, chosen)

    def meeting_openings(
        self,
        first: str,
        second: str,
        chosen: Chosen = None,
        limits: facts.Limits | None = None,
    ) -> list[MeetingOpening]:
        """The same games by opening, in the order of books and lines. ``limits``: only games in
        which the two had these limits."""
        with self._store.read() as connection:
            return facts.meeting_openings(connection, first, second, chosen, limits)

    def meeting_pairs(
        self,
        first: str,
        second: str,
        chosen: Chosen = None,
        limits: facts.Limits | None = None,
    ) -> tuple[int, ...]:
        """Counted whole pairs of the same players: those in which the first one scored 0, ½, 1,
        1½, 2 points. ``limits`` as in :meth:`meeting_openings`."""
        with self._store.read() as connection:
            return facts.meeting_pairs(connection, first, second, chosen, limits)

    def event_counts(self, event_id: int) -> list[EventCounts]:
        """Games of an event by player, colour, points and end reason, repetitions included."""
        with self._store.read() as connection:
            return facts.event_counts(connection, event_id)

    def opening_counts(self, chosen: Chosen = None) -> list[OpeningCounts]:
        """Counted games of the choice by line of a book, in the order of books and lines; games
        without a book are left out."""
        with self._store.read() as connection:
            return facts.opening_counts(connection, chosen)

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

    def newest_rating_list(
        self, is_meant: Callable[[Mapping[str, Any]], bool]
    ) -> RatingListRecord | None:
        """Of the fits with settings that are meant the one that was stored last; None where there
        is none."""
        with self._store.read() as connection:
            return ratings.newest_rating_list(connection, is_meant)

    def count_rating_lists(self) -> int:
        """How many fits are stored."""
        with self._store.read() as connection:
            return ratings.count_rating_lists(connection)

    def rating_history(self, engine: str) -> list[HistoryRow]:
        """Where a variant stood in each stored fit, the oldest first, by its identity or by a
        label that it played under. More than one row where a fit tells its cores apart."""
        with self._store.read() as connection:
            return ratings.rating_history(connection, engine)
