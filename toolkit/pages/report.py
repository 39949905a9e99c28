"""A report: chosen events, studies and laboratory runs as one file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from toolkit.pages.document import document
from toolkit.pages.event import event_subject
from toolkit.pages.game import LISTED, game_data
from toolkit.pages.parts import Section, Subject, Viewer
from toolkit.reports.games import GameQuery, PgnTexts, find_games, game_row

if TYPE_CHECKING:
    from db.records import EventRecord
    from db.session import Database

MOST_LISTED = 10_000
"""Rows of the list of games of an event."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report and what is in it."""

    html: str
    title: str
    listed: int
    """Games in lists."""
    games: int
    """Games with their moves."""
    left_out: int
    """Games that are only counted."""


def make_report(db: Database, events: Sequence[EventRecord], *, games: int) -> Report:
    """A report on these events. ``games``: how many games have their moves in it, shared out
    between the events."""
    subjects: list[Subject] = []
    viewed: dict[str, Any] = {}
    texts = PgnTexts(db)
    listed = 0
    for number, event in enumerate(events):
        left = games - len(viewed)
        share = left // (len(events) - number)
        rows = []
        for place, game in enumerate(islice(find_games(db, GameQuery(event=event)), MOST_LISTED)):
            if place < share:
                viewed[f"g{game.id}"] = game_data(db, game, event.key, texts)
            row = game_row(game, event.key)
            rows.append({name: value for name, value in row.items() if name in LISTED})
        listed += len(rows)
        subjects.append(event_subject(db, event, rows))
    title = subjects[0].title if len(subjects) == 1 else f"Report of {db.name}"
    viewer = Section("game", "Game", [Viewer(viewed)])
    subjects.append(Subject("viewer", "Games", "viewer", [viewer]))
    return Report(document(title, subjects, served=False), title, listed, len(viewed), 0)
