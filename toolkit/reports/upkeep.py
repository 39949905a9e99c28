"""What is known about a database as a whole."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from db.records.events import IMPORT_KIND
from db.records.games import GameFilter, GameRecord
from toolkit.base.errors import UsageError

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.events.settings import EventSettings


class DatabaseCheck(Struct, frozen=True):
    """Whether a database is sound. A file that cannot be read is an error with exit code 3."""

    database: Annotated[str, "path, or URL without password"]
    sound: Annotated[bool, "false if rows contradict each other or games differ"]
    contradictions: Annotated[list[str], "findings without a replay, at most 20 of each kind"]
    replayed: Annotated[int | None, "games replayed with `--replay`; null without it"]
    mismatches: Annotated[list[str], "description of each game that differs on replay"]


class DatabaseVacuum(Struct, frozen=True):
    """The result of vacuuming."""

    database: Annotated[str, "path"]
    bytes_before: Annotated[int, "size of the file before"]
    bytes_after: Annotated[int, "size of the file now"]
    shrunk: Annotated[
        bool, "whether the file has its new size; false while another program reads it"
    ]


class DatabaseBackup(Struct, frozen=True):
    """A copy of a database."""

    database: Annotated[str, "path"]
    copy: Annotated[str, "path of the copy"]
    bytes: Annotated[int, "its size"]


class DatabaseInfo(Struct, frozen=True):
    """The contents of a database."""

    database: Annotated[str, "path, or URL without password"]
    schema: Annotated[str, "the version of mtdf that brought the schema"]
    bytes: Annotated[int, "size of the file, or of the database on a server"]
    events: Annotated[int, "number of events"]
    engines: Annotated[int, "number of variants"]
    games: Annotated[int, "number of games, including repetitions"]
    excluded_games: Annotated[int, "games that repeat an earlier one"]
    rating_lists: Annotated[int, "number of stored rating lists"]
    running: Annotated[dict[str, int], "events being played now, with their process ids"]
    hosts: Annotated[dict[str, str], "those of them on other machines, with their host names"]
    studies: Annotated[int, "number of tuning studies"]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What replaying games found."""

    replayed: int
    mismatches: tuple[str, ...]
    """A line per game that differs from what was stored."""


def database_info(db: Database) -> DatabaseInfo:
    """Schema, size, and how many of everything there are."""
    repository, running = db.repository, db.running_events()
    return DatabaseInfo(
        database=db.name,
        schema=db.schema,
        bytes=db.size(),
        events=len(repository.events()),
        engines=len(repository.variants()),
        games=repository.count_games(),
        excluded_games=repository.excluded_games(),
        rating_lists=len(repository.rating_list_ids()),
        running={key: holder.pid for key, holder in running.items()},
        hosts={key: holder.host for key, holder in running.items() if holder.host},
        studies=repository.count_studies(),
    )


def vacuum_database(db: Database) -> DatabaseVacuum:
    """Write the file of a database anew, without the space of removed rows. Raises DatabaseError:
    also while an event is played, and if the disk has not enough space."""
    before = db.size()
    shrunk = db.vacuum()
    return DatabaseVacuum(
        database=db.name, bytes_before=before, bytes_after=db.size(), shrunk=shrunk
    )


def back_up_database(
    location: str | Path,
    target: str | Path,
    *,
    replace: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
    on_notice: Callable[[str], None] | None = None,
) -> DatabaseBackup:
    """Copy a SQLite database to the file ``target``, also while events run. The copy is one state
    of the database; it has its name only when it is complete, checked and on the disk.
    ``replace``: an existing database there is replaced. ``on_progress`` gets the bytes that were
    copied, and all; ``on_notice`` hears of a log that was set aside. Raises DatabaseError."""
    from db.session import back_up_database

    name, size = back_up_database(
        location, target, replace=replace, on_progress=on_progress, on_notice=on_notice
    )
    return DatabaseBackup(database=name, copy=str(target), bytes=size)


def replay_games(
    db: Database,
    sample: int | None = None,
    *,
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> Replayed:
    """Replay all stored games, or a random sample, by python-chess's rules and those of their
    events. ``on_progress`` gets the number done and the total. Raises UsageError."""
    from toolkit.referee.replay import ReplayMismatch, replay_game
    from toolkit.reports.games import PgnTexts

    if sample is not None and sample < 1:
        raise UsageError(f"sample ({sample}) must be at least 1")
    total = db.repository.count_games()
    planned = total if sample is None else min(sample, total)
    rules, known = _rules(db), PgnTexts(db)
    mismatches = []
    done = 0
    for done, game in enumerate(_sampled(db, sample, seed), start=1):
        try:
            event = rules.get(game.event_id)
            if event is None:
                replay_game(game)
            else:
                limits = event.limits_of(game.white, game.black)
                opening = known.opening(game) if event.book.moves else None
                replay_game(game, event.adjudication, limits, opening)
        except ReplayMismatch as error:
            mismatches.append(str(error))
        if on_progress is not None:
            on_progress(done, planned)
    return Replayed(done, tuple(mismatches))


def _sampled(db: Database, sample: int | None, seed: int) -> Iterator[GameRecord]:
    if sample is None:
        yield from db.repository.games()
        return
    ids = db.repository.game_ids()
    chosen = random.Random(seed).sample(ids, min(sample, len(ids)))
    for game_id in sorted(chosen):
        yield from db.repository.games(GameFilter(game_id=game_id))


def _rules(db: Database) -> dict[int, EventSettings]:
    """The settings of each event; unknown for imported games."""
    from toolkit.events.settings import EventSettings

    return {
        event.id: EventSettings.from_json(event.settings)
        for event in db.repository.events()
        if event.kind != IMPORT_KIND
    }
