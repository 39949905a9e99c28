"""Pages over a whole database: what is in it, and the ratings of all games with their history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from db.records.events import IMPORT_KIND, TUNING_KIND
from engines.rules.catalog import rules_of
from toolkit.base.errors import NothingMatched
from toolkit.base.format import (
    count_of,
    event_text,
    format_count,
    format_interval,
    format_moment,
    format_number,
    format_setting,
)
from toolkit.base.table import Column
from toolkit.events.tally import stored_progress
from toolkit.lab.views import list_runs
from toolkit.ratings.history import comparable, histories, rating_history
from toolkit.ratings.rating import RatingQuery, rate_games
from toolkit.reports.events import list_events
from toolkit.reports.standing import FieldScore, leader
from toolkit.selection.games import Selection, games_played
from toolkit.show.charts.history import history_picture
from toolkit.show.charts.ratings import ratings_picture
from toolkit.show.pages.parts import Block, Cell, Drawing, Section, Subject, TableBlock, Words
from toolkit.show.pages.tables import MOST_ROWS, printed
from toolkit.show.tables.ratings import print_ratings
from toolkit.tuning.study.report import list_studies, study_report

if TYPE_CHECKING:
    from db.records.events import EventRecord
    from db.records.studies import StudyRecord
    from db.session import Database
    from toolkit.ratings.history import HistoryLine
    from toolkit.ratings.rating_list import RatingReport
    from toolkit.reports.events import EventRow
    from toolkit.tuning.study.report import StudyRow, TunedRow

MOST_RUNS = 200
"""Events, studies or runs that a list names, the newest first."""
MOST_COUNTED = 1_000_000
"""Games of the newest events, whose results a list of events has."""
_VERDICTS = {"H0": "H0 accepted", "H1": "H1 accepted"}
MOST_COURSES = 12
"""Engines whose histories are drawn, the first of the list."""
MOST_HISTORIES = 6
"""Pictures of histories: each limit has its own."""


def contents_subject(db: Database) -> Subject:
    """What is in the database: its events, studies and laboratory runs, the newest first."""
    sections = [
        Section("events", "Events", list(_events(db))),
        Section("studies", "Tuning studies", list(_studies(db))),
        Section("labs", "Laboratory", list(_labs(db))),
    ]
    sections = [section for section in sections if section.blocks]
    if not sections:
        empty = Words("This database has no events, studies or laboratory runs yet.")
        sections = [Section("events", "Events", [empty])]
    return Subject("contents", database_title(db), "database", sections)


def database_title(db: Database) -> str:
    """What a page calls the database: its file without the folders, which concern nobody else."""
    return db.name if db.path is None else db.path.name


def ratings_subject(db: Database) -> Subject:
    """The ratings of all games but those of tuning, and how they went over the stored lists; of
    each game apart."""
    played = games_played(db)
    sections: list[Section] = []
    data: dict[str, Any] = {}
    for game in played or [None]:
        sections += _ratings(db, game, data, apart=len(played) > 1)
    return Subject("ratings", "Ratings of all events", "all events", sections, data)


def _ratings(
    db: Database, game: str | None, data: dict[str, Any], *, apart: bool
) -> Iterator[Section]:
    """The list of a game and its histories, whose rows are added to ``data``; ``apart``: there are
    other games beside it."""
    of_game = f" in {rules_of(game).title}" if apart and game else ""
    mark = f"-{game}" if apart else ""
    try:
        report = rate_games(db, RatingQuery(Selection(game=game)))
    except NothingMatched as error:
        yield Section(f"list{mark}", f"Ratings{of_game}", [Words(f"Nothing to rate: {error}")])
        return
    rows = report.rows()
    drawing = Drawing(ratings_picture(rows, report.shown, report.pools))
    tables = printed(print_ratings, report, f"Ratings{of_game}")
    yield Section(f"list{mark}", f"Ratings{of_game}", [drawing, *tables])
    drawn = _courses(db, report)
    if drawn:
        pictures = [Drawing(history_picture(courses)) for courses in drawn]
        yield Section(f"history{mark}", f"History of ratings{of_game}", pictures)
    history = [row for courses in drawn for _, lines in courses for row in lines]
    data["ratings"] = [*data.get("ratings", ()), *rows[:MOST_ROWS]]
    data["history"] = [*data.get("history", ()), *history]


def _courses(db: Database, report: RatingReport) -> list[list[tuple[str, list[HistoryLine]]]]:
    """The histories over all games of the first engines of the list; those in one picture are
    comparable. What has one list only has no way."""
    found: dict[tuple[str, ...], list[tuple[str, list[HistoryLine]]]] = {}
    seen: set[str] = set()
    for line, player in zip(report.ratings.players, report.rated, strict=True):
        if player.identity in seen or len(seen) == MOST_COURSES:
            continue
        seen.add(player.identity)
        with suppress(NothingMatched):
            for lines in histories(rating_history(db, player.identity, whole=True)):
                if len(lines) > 1:
                    course = report.names.shown[line.player], lines
                    found.setdefault(comparable(lines[-1]), []).append(course)
    return list(found.values())[:MOST_HISTORIES]


def _events(db: Database) -> Iterator[Block]:
    rows = [row for row in list_events(db) if row.kind != TUNING_KIND][::-1]
    if not rows:
        return
    columns = [
        *(Column("event"), Column("game"), Column("kind"), Column("status")),
        *(Column("pairs", "right"), Column("result"), Column("engines"), Column("started")),
    ]
    results = _results(db, rows)
    yield TableBlock(
        _caption(len(rows), "event"),
        columns,
        [
            [
                Cell(event_text(row.id, row.name), subject=f"event-{row.id}"),
                Cell(rules_of(row.game_played, chess960=row.chess960).title),
                Cell(row.kind),
                Cell(row.status),
                Cell(format_count(row.pairs_done)),
                Cell(results.get(row.id, "")),
                Cell(_listed(row.engines)),
                Cell(format_moment(row.started_at)),
            ]
            for row in rows[:MOST_RUNS]
        ],
    )


def _results(db: Database, rows: Sequence[EventRow]) -> dict[str, str]:
    """The results of events by id: of the first rows, as far as their games are quickly counted."""
    events = {event.key: event for event in db.repository.events()}
    found: dict[str, str] = {}
    left = MOST_COUNTED
    for row in rows[:MOST_RUNS]:
        left -= 2 * row.pairs_done
        if left < 0:
            break
        if row.kind != IMPORT_KIND:
            found[row.id] = _result(db, events[row.id], row.status)
    return found


def _result(db: Database, event: EventRecord, status: str) -> str:
    """The verdict of a test, else the Elo of the engine under test or of the leader, else the
    round; of an event that is not done also how far it is."""
    progress = stored_progress(db.repository, event)
    parts = []
    if status != "done":
        played = f"{format_count(progress.games_played)} of {format_count(progress.games_planned)}"
        parts.append(f"{played} games")
    if progress.test is not None:
        test = progress.test
        going = f"LLR {test.status.llr:.2f} ({test.status.lower:.2f}, {test.status.upper:.2f})"
        parts.append(going if test.verdict == "continue" else _VERDICTS[test.verdict])
    elif (found := leader(progress)) is not None:
        parts.append(_lead(found))
    elif progress.round is not None:
        parts.append(progress.round.title)
    return ", ".join(parts)


def _lead(found: FieldScore) -> str:
    """The Elo of an engine against all its opponents; its score where no pair is complete."""
    elo = found.elo
    if elo["elo"] is None or elo["error95"] is None:
        return f"{found.shown} {100 * found.score:.1f} %"
    interval = format_interval(elo["elo"], elo["error95"], elo["low95"], elo["high95"])
    return f"{found.shown} {format_number(elo['elo'], signed=True)} {interval} Elo"


def studies_subject(db: Database, records: Sequence[StudyRecord]) -> Subject:
    """Several studies side by side: what they measured, and the values that they recommend."""
    reports = [study_report(db, record) for record in records]
    names = list(dict.fromkeys(row.parameter for one in reports for row in one.tuned))
    tuned = [{row.parameter: row for row in one.tuned} for one in reports]
    values = TableBlock(
        "base -> recommended",
        [Column("parameter"), *(Column(one.name, "right") for one in reports)],
        [[Cell(name), *(Cell(_change(rows.get(name))) for rows in tuned)] for name in names],
    )
    sections = [
        Section("list", "Studies", [_study_table(reports)]),
        Section("values", "Parameters", [values]),
    ]
    return Subject("studies", "Studies side by side", "tuning studies", sections)


def _change(row: TunedRow | None) -> str:
    """What a study made of a parameter; nothing where it has not tuned it."""
    if row is None:
        return ""
    base, recommended = (
        "--" if value is None else format_setting(value) for value in (row.base, row.recommended)
    )
    return base if base == recommended else f"{base} -> {recommended}"


def _studies(db: Database) -> Iterator[Block]:
    try:
        rows = list_studies(db)[::-1]
    except NothingMatched:
        return
    yield _study_table(rows)


def _study_table(rows: Sequence[StudyRow]) -> TableBlock:
    columns = [
        *(Column("study"), Column("status"), Column("objective"), Column("sampler")),
        *(Column("pairs", "right"), Column("gain", "right"), Column("started")),
    ]
    return TableBlock(
        _caption(len(rows), "study", "studies"),
        columns,
        [
            [
                Cell(row.name, subject=f"study-{row.name}"),
                Cell(row.status),
                Cell(row.objective),
                Cell(row.sampler),
                Cell(format_count(row.pairs_used)),
                Cell("base" if row.is_base else _gain(row)),
                Cell(format_moment(row.started_at)),
            ]
            for row in rows[:MOST_RUNS]
        ],
    )


def _labs(db: Database) -> Iterator[Block]:
    try:
        runs = list_runs(db)
    except NothingMatched:
        return
    columns = [
        *(Column("run"), Column("kind"), Column("status"), Column("suite")),
        *(Column("searches", "right"), Column("started")),
    ]
    yield TableBlock(
        _caption(len(runs), "laboratory run"),
        columns,
        [
            [
                Cell(row.name, subject=f"lab-{row.name}"),
                Cell(row.kind),
                Cell(row.status),
                Cell(row.suite),
                Cell(format_count(row.searches_done)),
                Cell(format_moment(row.started_at)),
            ]
            for row in (run.row for run in runs[::-1][:MOST_RUNS])
        ],
    )


def _caption(many: int, noun: str, plural: str = "") -> str:
    newest = f", the newest {MOST_RUNS}" if many > MOST_RUNS else ", the newest first"
    return count_of(many, noun, plural) + newest


def _listed(engines: Sequence[str], most: int = 4) -> str:
    more = len(engines) - most
    return ", ".join(engines[:most]) + (f" and {more} more" if more > 0 else "")


def _gain(row: StudyRow) -> str:
    """What a study gained over its base."""
    value, unit = row.gain_elo, "Elo"
    if value is None:
        value, unit = row.gain_percent, "%"
    if value is None:
        return "--"
    error = row.gain_error95
    interval = "" if error is None else f" ± {format_number(error)}"
    return f"{format_number(value, signed=True)}{interval} {unit}"
