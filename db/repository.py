"""The interface of the database to the rest of the program, in records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection

import db.queries.books
import db.queries.choice
import db.queries.counts
import db.queries.events
import db.queries.games
import db.queries.imports
import db.queries.lab
import db.queries.meetings
import db.queries.named_engines
import db.queries.pairs
import db.queries.problems
import db.queries.ratings
import db.queries.removal
import db.queries.studies
import db.queries.variants
import db.schema.soundness
from db.errors import NotFound
from db.queries.choice import ChoiceLike
from db.queries.runs import SHORT_UID, RunTable
from db.records.events import TUNING_KIND, EventCounts, EventRecord
from db.records.games import GameColumns, GameFilter, GameRecord, PairColumns, SourceColumns
from db.records.laboratory import LabRunRecord
from db.records.runs import RunRecord, RunStatus
from db.records.studies import StudyRecord
from db.storage.engine import Store

_Asked = ParamSpec("_Asked")
_Found = TypeVar("_Found")


def _reading(
    function: Callable[Concatenate[Connection, _Asked], _Found],
) -> Callable[Concatenate[Repository, _Asked], _Found]:
    """A method that calls a function with a connection to one consistent state of the database."""

    @wraps(function)
    def method(self: Repository, /, *args: _Asked.args, **kwargs: _Asked.kwargs) -> _Found:
        with self._store.read() as connection:
            return function(connection, *args, **kwargs)

    return method


def _writing(
    function: Callable[Concatenate[Connection, _Asked], _Found],
) -> Callable[Concatenate[Repository, _Asked], _Found]:
    """A method that calls a function within one atomic transaction."""

    @wraps(function)
    def method(self: Repository, /, *args: _Asked.args, **kwargs: _Asked.kwargs) -> _Found:
        with self._store.write() as connection:
            return function(connection, *args, **kwargs)

    return method


_TABLES: dict[type[RunRecord], RunTable[Any]] = {
    EventRecord: db.queries.events.TABLE,
    StudyRecord: db.queries.studies.TABLE,
    LabRunRecord: db.queries.lab.TABLE,
}


def _find_run(connection: Connection, text: str) -> RunRecord:
    """The event, study or laboratory run with a key (of an event), a name, a unique prefix of a
    key, of the name of another run or of an identity in all databases, or ``last``: the
    newest. The event of a study is meant only by its key, and of events of one name it is the
    newest. Raises NotFound if no run or more than one matches."""
    found: list[RunRecord] = []
    for exact in (True, False):
        matching = (table.matching(connection, text, exact) for table in _TABLES.values())
        found = found or [run for runs in matching for run in runs if not _is_part(run, text)]
    if text == "last":
        found = sorted(found, key=lambda run: run.created_at)
    elif len({type(run) for run in found}) > 1 or (len(found) > 1 and text != found[-1].name):
        ids = " or ".join(f'{run.what} {_id(run)} "{run.name}"' for run in found[:5])
        raise NotFound(f"`{text}` matches {ids}: give the id")
    if not found:
        none = f"no event, study or laboratory run `{text}`"
        raise NotFound("there is no run yet" if text == "last" else none)
    return found[-1]


def _is_part(run: RunRecord, text: str) -> bool:
    """Whether it is the event of a study, which another text than its key does not mean."""
    if not isinstance(run, EventRecord) or run.kind != TUNING_KIND:
        return False
    return not run.key.startswith(text.lower())


def _id(run: RunRecord) -> str:
    return run.key if isinstance(run, EventRecord) else run.uid[:SHORT_UID]


def _set_status(connection: Connection, run: RunRecord, status: RunStatus) -> None:
    """Note that a run has begun or ended, and when; of a study also for the event that has its
    games. Raises NotFound, RecordError."""
    if isinstance(run, StudyRecord) and run.event_id is not None:
        db.queries.events.TABLE.set_status(connection, run.event_id, status)
    _TABLES[type(run)].set_status(connection, run.id, status)


def _note(connection: Connection, run: RunRecord, /, **values: Any) -> None:
    """Add to a run's settings how it was continued, or what a user noted; None removes a key.
    Raises NotFound."""
    _TABLES[type(run)].note(connection, run.id, **values)


def _rename(connection: Connection, run: RunRecord, name: str) -> None:
    """Change the name of a run; of a study also that of the event that has its games. Raises
    NotFound, RecordError for a name that is reserved or taken."""
    table = _TABLES[type(run)]
    table.check_same(connection, run)
    if isinstance(run, StudyRecord) and run.event_id is not None:
        db.queries.events.TABLE.rename(connection, run.event_id, name)
    table.rename(connection, run.id, name)


# Arrays need numpy, which most commands do without.


def _games_and_pairs(
    connection: Connection, chosen: ChoiceLike = None
) -> tuple[GameColumns, PairColumns]:
    """Counted games by what played them and by who had which colour, and counted whole pairs as in
    ``pair_columns``; both from one state."""
    from db.queries import columns

    return columns.games_and_pairs(connection, chosen)


def _pair_columns(connection: Connection, chosen: ChoiceLike = None) -> PairColumns:
    """Counted whole pairs by who had White in the first game and by both results."""
    from db.queries import columns

    return columns.pair_columns(connection, chosen)


def _source_columns(connection: Connection, chosen: ChoiceLike = None) -> SourceColumns:
    """Counted games with their events and openings."""
    from db.queries import columns

    return columns.source_columns(connection, chosen)


def _player_games(connection: Connection, chosen: ChoiceLike = None) -> dict[str, int]:
    """Counted games of each variant by its identity; one against itself is one game."""
    from db.queries import columns

    return columns.player_games(connection, chosen)


def _event_counts(connection: Connection, event_id: int) -> list[EventCounts]:
    """Games of one event by player, colour, points and end reason, repetitions included: each game
    once for White and once for Black. Raises DatabaseCorrupt."""
    from db.queries import columns

    return columns.event_counts(connection, event_id)


class Repository:
    """Everything stored, behind methods that are one transaction each.

    Each method is a function of this package without its connection, and is described there. What
    writes either happens whole or not at all. Every method may raise DatabaseError, its subclasses
    as stated.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    # Variants

    add_variants = _writing(db.queries.variants.add_variants)
    variants = _reading(db.queries.variants.all_variants)
    variants_of = _reading(db.queries.variants.variants_of)
    variant = _reading(db.queries.variants.find_variant)
    labels = _reading(db.queries.variants.latest_labels)
    labelled_variants = _reading(db.queries.variants.labelled_variants)
    tuned_alone = _reading(db.queries.events.tuned_alone)

    # Named engines

    add_named_engine = _writing(db.queries.named_engines.add_named_engine)
    named_engines = _reading(db.queries.named_engines.named_engines)
    remove_named_engine = _writing(db.queries.named_engines.remove_named_engine)

    # Books

    add_book = _writing(db.queries.books.add_book)
    book = _reading(db.queries.books.find_book)
    openings = _reading(db.queries.books.book_openings)
    opening_lines = _reading(db.queries.books.opening_lines)

    # Events, studies and laboratory runs

    find_run = _reading(_find_run)
    set_status = _writing(_set_status)
    note = _writing(_note)
    rename_run = _writing(_rename)
    remove_runs = _writing(db.queries.removal.remove_runs)
    study_of_event = _reading(db.queries.removal.owner_of)

    # Events

    create_event = _writing(db.queries.events.create_event)
    extend_event = _writing(db.queries.events.extend_event)
    event = _reading(db.queries.events.TABLE.get)
    find_event = _reading(db.queries.events.TABLE.find)
    events_named = _reading(db.queries.events.TABLE.named)
    events = _reading(db.queries.events.TABLE.all)
    tuning_events = _reading(db.queries.events.tuning_events)
    add_players = _writing(db.queries.events.add_players)
    event_players = _reading(db.queries.events.event_players)

    # Pairs

    commit_pairs = _writing(db.queries.pairs.commit_pairs)
    record_failures = _writing(db.queries.events.record_failures)
    failures = _reading(db.queries.events.failures)
    finished_pairs = _reading(db.queries.events.finished_pairs)
    pair_scores = _reading(db.queries.events.pair_scores)
    pair_points = _reading(db.queries.events.pair_points)
    pairing_players = _reading(db.queries.events.pairing_players)

    # Imports, by the process that has the event's lock

    find_import = _reading(db.queries.imports.find_import)
    open_import = _writing(db.queries.imports.open_import)
    import_place = _writing(db.queries.imports.place_of)
    imported_keys = _reading(db.queries.imports.known_keys)
    imported_copies = _reading(db.queries.imports.known_copies)
    add_imported = _writing(db.queries.imports.add_units)
    finish_import = _writing(db.queries.imports.finish_import)
    single_games = _reading(db.queries.imports.single_games)

    # Games

    def games(self, wanted: GameFilter | None = None) -> Iterator[GameRecord]:
        """:func:`db.queries.games.iterate_games`, by its own transactions: one a page."""
        return db.queries.games.iterate_games(self._store, wanted or GameFilter())

    count_games = _reading(db.queries.games.count_games)
    games_page = _reading(db.queries.games.games_page)
    game_ids = _reading(db.queries.games.game_ids)
    event_origins = _reading(db.queries.games.event_origins)
    games_of_ids = _reading(db.queries.games.games_of_ids)
    newest_game = _reading(db.queries.games.newest_game)
    game_results = _reading(db.queries.games.game_results)
    latest_times = _reading(db.queries.games.latest_times)
    last_jobs = _reading(db.queries.games.last_jobs)
    event_problems = _reading(db.queries.problems.event_problems)
    problem_games = _reading(db.queries.problems.problem_games)
    game_problems = _reading(db.queries.problems.game_problems)
    game_lines = _reading(db.queries.games.game_lines)
    games_above_load = _reading(db.queries.games.games_above_load)
    damage = _reading(db.schema.soundness.damage)

    # Counts, of a choice of games, of events by their ids, or of all games. Of the chosen games of
    # one key only the first is counted.

    excluded_games = _reading(db.queries.choice.count_repetitions)
    end_reasons = _reading(db.queries.counts.end_reasons)
    event_pair_scores = _reading(db.queries.counts.event_pair_scores)
    opening_counts = _reading(db.queries.counts.opening_counts)
    meeting_counts = _reading(db.queries.meetings.meeting_counts)
    meeting_openings = _reading(db.queries.meetings.meeting_openings)
    meeting_pairs = _reading(db.queries.meetings.meeting_pairs)

    games_and_pairs = _reading(_games_and_pairs)
    pair_columns = _reading(_pair_columns)
    source_columns = _reading(_source_columns)
    player_games = _reading(_player_games)
    event_counts = _reading(_event_counts)

    # Ratings

    add_rating_list = _writing(db.queries.ratings.add_rating_list)
    newest_rating_list = _reading(db.queries.ratings.newest_rating_list)
    rating_list = _reading(db.queries.ratings.rating_list)
    rating_list_ids = _reading(db.queries.ratings.rating_list_ids)
    rating_history = _reading(db.queries.ratings.rating_history)

    # Studies

    create_study = _writing(db.queries.studies.create_study)
    study = _reading(db.queries.studies.TABLE.get)
    find_study = _reading(db.queries.studies.TABLE.find)
    studies = _reading(db.queries.studies.TABLE.all)
    count_studies = _reading(db.queries.studies.count_studies)
    set_study_result = _writing(db.queries.studies.set_result)
    add_confirmation = _writing(db.queries.studies.add_confirmation)
    confirmations = _reading(db.queries.studies.confirmations)
    begin_trial = _writing(db.queries.studies.begin_trial)
    finish_trial = _writing(db.queries.studies.finish_trial)
    trials = _reading(db.queries.studies.trials)
    add_encounters = _writing(db.queries.studies.add_encounters)
    finish_encounter = _writing(db.queries.studies.finish_encounter)
    encounters = _reading(db.queries.studies.encounters)

    # The laboratory

    create_lab_run = _writing(db.queries.lab.create_run)
    lab_runs = _reading(db.queries.lab.TABLE.all)
    lab_names = _reading(db.queries.lab.names)
    lab_run = _reading(db.queries.lab.TABLE.get)
    find_lab_run = _reading(db.queries.lab.TABLE.find)
    lab_engines = _reading(db.queries.lab.engines)
    lab_positions = _reading(db.queries.lab.positions)
    add_lab_searches = _writing(db.queries.lab.add_searches)
    lab_searches = _reading(db.queries.lab.searches)
    lab_searched = _reading(db.queries.lab.searched)
    count_lab_searches = _reading(db.queries.lab.count_searches)
    lab_pace = _reading(db.queries.lab.pace)
