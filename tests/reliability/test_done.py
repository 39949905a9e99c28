"""A run is done only if the database has all of its results, whatever the process counted."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from db.records.events import EventRecord
from db.records.games import GameRecord
from db.session import Database
from engines.limit import Limit
from toolkit.base.errors import DatabaseProblem
from toolkit.events.event import resume_event, start_event
from toolkit.events.settings import EventSettings, match_settings, sprt_settings
from toolkit.selection.sequential import SprtSettings

LIMIT = Limit(nodes=60)


def settings(kind: str) -> EventSettings:
    if kind == "match":
        return match_settings("mtdf", "pvs", pairs=4, limit=LIMIT, seed=3)
    sprt = SprtSettings.make(0, 0.1)
    return sprt_settings("mtdf", "pvs", sprt=sprt, max_pairs=4, limit=LIMIT, seed=3)


@pytest.mark.damages
@pytest.mark.parametrize("kind", ["match", "sprt"])
def test_event_with_missing_games_is_not_done(db: Database, tmp_path: Path, kind: str) -> None:
    gone: list[int] = []

    def remove(event: EventRecord, games: Sequence[GameRecord]) -> None:
        """Another program removes the first pair as soon as it is stored."""
        if not games or gone:
            return
        gone.append(games[0].pair)
        place = "event_id = ? AND pair = ?"
        with closing(sqlite3.connect(tmp_path / "games.db")) as connection, connection:
            values = (event.id, gone[0])
            ids = f"SELECT id FROM games WHERE {place}"
            connection.execute(f"DELETE FROM game_moves WHERE game_id IN ({ids})", values)
            for table in ("games", "pairs"):
                connection.execute(f"DELETE FROM {table} WHERE {place}", values)

    with pytest.raises(DatabaseProblem, match=r"is not done: stored results .* mtdf resume r"):
        start_event(db, settings(kind), on_games=remove)
    (event,) = db.repository.events()
    assert event.status == "interrupted"
    outcome = resume_event(db, event)
    assert outcome.status == "done" and outcome.progress.games_now == 2
    assert len(list(db.repository.games())) == 8 and db.repository.damage() == []
