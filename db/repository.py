"""What the rest of the program asks of the database, in records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection

import db.books
import db.chosen
import db.counts
import db.events
import db.games
import db.imports
import db.lab_runs
import db.meetings
import db.pairs
import db.ratings
import db.soundness
import db.studies
import db.trials
import db.variants
from db.chosen import ChoiceLike
from db.engine import Store
from db.records import TUNING_KIND, GameColumns, GameFilter, GameRecord, PairColumns, RunRecord

_Asked = ParamSpec("_Asked")
_Found = TypeVar("_Found")


def _reading(
    function: Callable[Concatenate[Connection, _Asked], _Found],
) -> Callable[Concatenate[Repository, _Asked], _Found]:
    """The method that calls a function with a connection that sees one state of the database."""

    @wraps(function)
    def method(self: Repository, /, *args: _Asked.args, **kwargs: _Asked.kwargs) -> _Found:
        with self._store.read() as connection:
            return function(connection, *args, **kwargs)

    return method


def _writing(
    function: Callable[Concatenate[Connection, _Asked], _Found],
) -> Callable[Concatenate[Repository, _Asked], _Found]:
    """The method that calls a function within a transaction, which happens whole or not at all."""

    @wraps(function)
    def method(self: Repository, /, *args: _Asked.args, **kwargs: _Asked.kwargs) -> _Found:
        with self._store.write() as connection:
            return function(connection, *args, **kwargs)

    return method


def _runs_named(connection: Connection, text: str) -> list[RunRecord]:
    """Every event, study and laboratory run of exactly this name, or, an event, of this key. Events
    of tuning are parts of their studies and left out. Raises DatabaseCorrupt."""
    events = db.events.TABLE.named(connection, text)
    return [
        *(event for event in events if event.kind != TUNING_KIND),
        *db.studies.TABLE.named(connection, text),
        *db.lab_runs.TABLE.named(connection, text),
    ]


# Arrays need numpy, which most commands do without.


def _games_and_pairs(
    connection: Connection, chosen: ChoiceLike = None
) -> tuple[GameColumns, PairColumns]:
    """Counted games by what played them and by who had which colour, and counted whole pairs as
    ``pair_columns`` has them; both of one moment."""
    from db import columns

    return columns.games_and_pairs(connection, chosen)


def _pair_columns(connection: Connection, chosen: ChoiceLike = None) -> PairColumns:
    """Counted whole pairs by who had White in the first game and by both results."""
    from db import columns

    return columns.pair_columns(connection, chosen)


def _player_games(connection: Connection, chosen: ChoiceLike = None) -> dict[str, int]:
    """Counted games of each variant by its identity; one against itself is one game."""
    from db import columns

    return columns.player_games(connection, chosen)


class Repository:
    """Everything stored, behind methods that are one transaction each.

    Each method is a function of this package without its connection, and is described there. What
    writes either happens whole or not at all. Every method may raise DatabaseError, its subclasses
    as stated.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    # Variants

    add_variants = _writing(db.variants.add_variants)
    variants = _reading(db.variants.all_variants)
    variant = _reading(db.variants.find_variant)
    labels = _reading(db.variants.latest_labels)
    labelled_variants = _reading(db.variants.labelled_variants)
    tuned_alone = _reading(db.events.tuned_alone)

    # Books

    add_book = _writing(db.books.add_book)
    book = _reading(db.books.find_book)
    openings = _reading(db.books.book_openings)

    # Events, studies and laboratory runs

    runs_named = _reading(_runs_named)

    # Events

    create_event = _writing(db.events.create_event)
    set_event_status = _writing(db.events.TABLE.set_status)
    forget_lost_games = _writing(db.events.forget_lost_games)
    event = _reading(db.events.TABLE.get)
    find_event = _reading(db.events.TABLE.find)
    events = _reading(db.events.TABLE.all)
    tuning_events = _reading(db.events.tuning_events)
    add_players = _writing(db.events.add_players)
    event_players = _reading(db.events.event_players)

    # Pairs

    commit_pairs = _writing(db.pairs.commit_pairs)
    record_failure = _writing(db.events.record_failure)
    check_games_in_pairs = _reading(db.pairs.check_games_in_pairs)
    failures = _reading(db.events.failures)
    finished_pairs = _reading(db.events.finished_pairs)
    pair_scores = _reading(db.events.pair_scores)

    # Imports, by the process that has the event's lock

    find_import = _reading(db.imports.find_import)
    open_import = _writing(db.imports.open_import)
    import_place = _writing(db.imports.place_of)
    imported_keys = _reading(db.imports.known_keys)
    imported_copies = _reading(db.imports.known_copies)
    add_imported = _writing(db.imports.add_units)
    finish_import = _writing(db.imports.finish_import)
    single_games = _reading(db.imports.single_games)

    # Games

    def games(self, wanted: GameFilter | None = None) -> Iterator[GameRecord]:
        """:func:`db.games.iterate_games`, by its own transactions: one a page."""
        return db.games.iterate_games(self._store, wanted or GameFilter())

    count_games = _reading(db.games.count_games)
    game_ids = _reading(db.games.game_ids)
    newest_game = _reading(db.games.newest_game)
    last_jobs = _reading(db.games.last_jobs)
    games_above_load = _reading(db.games.games_above_load)
    damage = _reading(db.soundness.damage)

    # Counts, of a choice of games, of events by their ids, or of all games. Of the chosen games of
    # one key only the first is counted.

    excluded_games = _reading(db.chosen.count_repetitions)
    end_reasons = _reading(db.counts.end_reasons)
    event_pair_scores = _reading(db.counts.event_pair_scores)
    event_counts = _reading(db.counts.event_counts)
    opening_counts = _reading(db.counts.opening_counts)
    meeting_counts = _reading(db.meetings.meeting_counts)
    meeting_openings = _reading(db.meetings.meeting_openings)
    meeting_pairs = _reading(db.meetings.meeting_pairs)

    games_and_pairs = _reading(_games_and_pairs)
    pair_columns = _reading(_pair_columns)
    player_games = _reading(_player_games)

    # Ratings

    add_rating_list = _writing(db.ratings.add_rating_list)
    newest_rating_list = _reading(db.ratings.newest_rating_list)
    count_rating_lists = _reading(db.ratings.count_rating_lists)
    rating_history = _reading(db.ratings.rating_history)

    # Studies

    create_study = _writing(db.studies.create_study)
    study = _reading(db.studies.TABLE.get)
    find_study = _reading(db.studies.TABLE.find)
    studies = _reading(db.studies.TABLE.all)
    count_studies = _reading(db.studies.count_studies)
    note_on_study = _writing(db.studies.TABLE.note)
    set_study_status = _writing(db.studies.TABLE.set_status)
    set_study_result = _writing(db.studies.set_result)
    add_confirmation = _writing(db.studies.add_confirmation)
    confirmations = _reading(db.studies.confirmations)
    begin_trial = _writing(db.trials.begin_trial)
    finish_trial = _writing(db.trials.finish_trial)
    trials = _reading(db.trials.trials)
    add_encounters = _writing(db.trials.add_encounters)
    finish_encounter = _writing(db.trials.finish_encounter)
    encounters = _reading(db.trials.encounters)

    # The laboratory

    create_lab_run = _writing(db.lab_runs.create_run)
    lab_runs = _reading(db.lab_runs.sound_runs)
    lab_names = _reading(db.lab_runs.names)
    damaged_lab_runs = _reading(db.lab_runs.damaged)
    lab_run = _reading(db.lab_runs.TABLE.get)
    find_lab_run = _reading(db.lab_runs.TABLE.find)
    note_on_lab_run = _writing(db.lab_runs.TABLE.note)
    set_lab_status = _writing(db.lab_runs.TABLE.set_status)
    forget_lost_lab_searches = _writing(db.lab_runs.forget_lost_searches)
    lab_engines = _reading(db.lab_runs.engines)
    lab_positions = _reading(db.lab_runs.positions)
    add_lab_searches = _writing(db.lab_runs.add_searches)
    lab_searches = _reading(db.lab_runs.searches)
    lab_searched = _reading(db.lab_runs.searched)
    count_lab_searches = _reading(db.lab_runs.count_searches)
