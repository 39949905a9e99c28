"""A report: chosen events, studies and laboratory runs as one file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct
from msgspec.structs import asdict

from db.records.events import TUNING_KIND, EventRecord
from db.records.games import GameFilter
from db.records.laboratory import LabRunRecord
from db.records.studies import StudyRecord
from toolkit.base.errors import NothingMatched
from toolkit.base.format import count_of, format_count
from toolkit.base.ranges import check_whole
from toolkit.lab.views import find_run
from toolkit.reports.games import PgnTexts, game_row
from toolkit.selection.events import find_event
from toolkit.selection.labels import shown_players
from toolkit.show.pages.document import document
from toolkit.show.pages.event import event_subject
from toolkit.show.pages.game import LISTED, game_data
from toolkit.show.pages.lab import lab_subject
from toolkit.show.pages.overview import (
    contents_subject,
    database_title,
    ratings_subject,
    studies_subject,
)
from toolkit.show.pages.parts import Section, Subject, Viewer, Words
from toolkit.show.pages.study import study_subject
from toolkit.tuning.study.report import find_study

if TYPE_CHECKING:
    from db.session import Database

MOST_LISTED = 10_000
"""Games that the lists of a report have together."""
MOST_VIEWED = 100_000
"""Games with their moves: a browser holds no more."""

ReportedRun = EventRecord | StudyRecord | LabRunRecord


class ReportRow(Struct, frozen=True):
    """A report that was written."""

    file: Annotated[str, "the file"]
    bytes: Annotated[int, "its size"]
    chapters: Annotated[
        int, "events, tuning studies and laboratory runs in it, and the ratings of `--all`"
    ]
    games: Annotated[int, "games of its events"]
    games_listed: Annotated[int, "of these, games in lists"]
    games_with_moves: Annotated[int, "of these, games that can be played through"]


@dataclass(frozen=True, slots=True)
class Report:
    """A report and what is in it."""

    html: str
    chapters: int
    games: int
    """Games of its events."""
    listed: int
    """Games in lists."""
    viewed: int
    """Games with their moves."""

    def row(self, file: str) -> ReportRow:
        """As ``--json`` prints it, when it was written to ``file``."""
        return ReportRow(
            file=file,
            bytes=len(self.html.encode()),
            chapters=self.chapters,
            games=self.games,
            games_listed=self.listed,
            games_with_moves=self.viewed,
        )


def find_runs(
    db: Database, events: Sequence[str], studies: Sequence[str], labs: Sequence[str]
) -> list[ReportedRun]:
    """The events, studies and laboratory runs of these names, each once. Raises NothingMatched."""
    found: list[ReportedRun] = [
        *(find_event(db, name) for name in events),
        *(find_study(db, name) for name in studies),
        *(find_run(db, name) for name in labs),
    ]
    return list({(run.what, run.id): run for run in found}.values())


def make_report(db: Database, runs: Sequence[ReportedRun] | None, *, games: int) -> Report:
    """A report on these runs; None: on all of the database, and on the ratings of all its games.

    ``games``: how many games have their moves in it; each event has its share. Raises
    NothingMatched for a database without runs, UsageError, DatabaseError.
    """
    check_whole("games", games, 0, MOST_VIEWED)
    everything = runs is None
    if runs is None:
        runs = _all_runs(db)
        if not runs:
            raise NothingMatched(f"{db.name} has no events, studies or laboratory runs")
    events = [run for run in runs if isinstance(run, EventRecord)]
    chosen = _Games(db, events, games)
    chapters = [_chapter(db, run, chosen) for run in runs]
    studies = [run for run in runs if isinstance(run, StudyRecord)]
    if everything:
        chapters = [contents_subject(db), ratings_subject(db), *chapters]
    elif len(studies) > 1:
        chapters.insert(0, studies_subject(db, studies))
    title = f"Report of {database_title(db)}"
    if len(chapters) == 1:
        (only,) = chapters
        title, viewer = only.title, [_viewer(chosen)] if events else []
        chapters = [replace(only, sections=[*only.sections, *viewer])]
    elif events:
        chapters.append(Subject("games", "Games", "", [_viewer(chosen)]))
    return Report(
        html=document(title, chapters),
        chapters=len(runs) + everything,  # the ratings; neither contents nor studies side by side
        games=chosen.games,
        listed=sum(map(len, chosen.listed.values())),
        viewed=len(chosen.viewed),
    )


def _all_runs(db: Database) -> list[ReportedRun]:
    """Every run, the newest first of each kind; the games of a study belong to the study."""
    repository = db.repository
    return [
        *(event for event in repository.events()[::-1] if event.kind != TUNING_KIND),
        *repository.studies()[::-1],
        *repository.lab_runs()[::-1],
    ]


def _chapter(db: Database, run: ReportedRun, chosen: _Games) -> Subject:
    if isinstance(run, EventRecord):
        return event_subject(db, run, chosen.listed[run.id])
    return study_subject(db, run) if isinstance(run, StudyRecord) else lab_subject(db, run)


def _viewer(chosen: _Games) -> Section:
    """The last part: the games that can be played through, and what was left out."""
    blocks = [Words(text) for text in chosen.left_out()]
    return Section("viewer", "Game", [*blocks, Viewer(chosen.viewed)])


class _Games:
    """The games of a report: those in lists, and those with their moves."""

    def __init__(self, db: Database, events: Sequence[EventRecord], most: int) -> None:
        self.viewed: dict[str, Mapping[str, Any]] = {}
        self.listed: dict[int, list[Mapping[str, Any]]] = {}
        self.games = 0
        texts = PgnTexts(db)
        room = MOST_LISTED
        for number, event in enumerate(events):
            left = len(events) - number
            share = (most - len(self.viewed)) // left
            shown = shown_players(db, [event])[event.key]
            rows: list[Mapping[str, Any]] = []
            wanted = GameFilter(event_id=event.id, limit=max(room // left, share))
            for place, game in enumerate(db.repository.games(wanted)):
                if place < share:
                    self.viewed[f"g{game.id}"] = game_data(db, game, event.key, shown, texts)
                row = game_row(game, event.key)
                rows.append({name: value for name, value in asdict(row).items() if name in LISTED})
            self.listed[event.id] = rows
            self.games += db.repository.count_games(GameFilter(event_id=event.id))
            room -= len(rows)

    def left_out(self) -> Iterator[str]:
        """What is not in the file, in sentences."""
        listed = sum(map(len, self.listed.values()))
        if len(self.viewed) < self.games:
            yield (
                f"This file has the moves of {format_count(len(self.viewed))} of "
                f"{count_of(self.games, 'game')}."
            )
        if listed < self.games:
            yield (
                f"Its lists have {format_count(listed)} of {count_of(self.games, 'game')}; all "
                "other figures are of all games."
            )
