"""What is known about a database as a whole."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from db.records import IMPORT_KIND, GameFilter, GameRecord
from toolkit.base.errors import UsageError
from toolkit.reports.rows import DatabaseBackup, DatabaseInfo, DatabaseUpgrade, DatabaseVacuum

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.events.settings import EventSettings


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
        rating_lists=repository.count_rating_lists(),
        running={key: holder.pid for key, holder in running.items()},
        hosts={key: holder.host for key, holder in running.items() if holder.host},
        studies=repository.count_studies(),
    )


def upgrade_database(
    location: str | Path, *, dry_run: bool = False, on_notice: Callable[[str], None] | None = None
) -> DatabaseUpgrade:
    """Bring an existing database to this program's schema, or with ``dry_run`` tell what that
    would do. ``on_notice`` hears of a log that was set aside. Raises DatabaseError."""
    from db.schema.version import SCHEMA
    from db.session import database_schema, open_database

    name, found = database_schema(location, on_notice)
    backup = None
    if not dry_run:
        with open_database(location, create=False) as db:
            backup = db.backup
    return DatabaseUpgrade(
        database=name,
        from_schema=found,
        to_schema=SCHEMA,
        upgraded=not dry_run and found != SCHEMA,
        backup=None if backup is None else str(backup),
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
