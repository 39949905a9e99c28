"""Pages over a whole database: its runs with their results, and the ratings of all games with their
history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from db.records.events import IMPORT_KIND, TUNING_KIND, EventRecord
from db.records.studies import StudyRecord
from engines.rules.catalog import rules_of
from toolkit.base.errors import MtdfError, NothingMatched
from toolkit.base.format import (
    count_of,
    event_text,
    format_moment,
    format_number,
    format_setting,
)
from toolkit.base.table import Column
from toolkit.events.tally import stored_progress
from toolkit.lab.views import LabRunRow, list_runs, run_report
from toolkit.ratings.history import comparable, histories, rating_history
from toolkit.ratings.rating import RatingQuery, rate_games
from toolkit.reports.events import event_row
from toolkit.reports.race import race_result, race_text
from toolkit.reports.rounds import rounds_report
from toolkit.reports.standing import leader
from toolkit.selection.games import Selection, games_played
from toolkit.selection.labels import shown_players
from toolkit.show.charts.history import history_picture
from toolkit.show.charts.ratings import ratings_picture
from toolkit.show.pages.lab import lab_progress, lab_title, lab_verdict
from toolkit.show.pages.parts import Block, Cell, Drawing, Section, Subject, TableBlock, Words
from toolkit.show.pages.study import study_progress, study_title
from toolkit.show.pages.suite import suite_verdict
from toolkit.show.pages.tables import MOST_ROWS, printed
from toolkit.show.pages.verdict import event_progress, event_title, field_verdict, rounds_verdict
from toolkit.show.tables.ratings import print_ratings
from toolkit.suites.report import suite_report
from toolkit.tuning.study.report import study_report, study_row

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.ratings.history import HistoryLine
    from toolkit.ratings.rating_list import RatingReport
    from toolkit.reports.events import EventRow
    from toolkit.tuning.study.report import StudyRow, TunedRow

MOST_RUNS = 200
"""Runs of a list, the newest first."""
MOST_COUNTED = 1_000_000
"""Games of the newest events, whose results a list has."""
MOST_SEARCHES = 20_000
"""Searches of the newest laboratory runs, whose findings a list has."""
MOST_COURSES = 12
"""Engines whose histories are drawn, the first of the list."""
MOST_HISTORIES = 6
"""Pictures of histories: each limit has its own."""


def contents_subject(db: Database) -> Subject:
    """What is in the database: its events, studies and laboratory runs with their results, the
    newest first."""
    events = [event for event in db.repository.events() if event.kind != TUNING_KIND]
    found: list[_Listed] = [*events, *db.repository.studies()]
    with suppress(NothingMatched):
        found += [run.row for run in list_runs(db)]
    found.sort(key=lambda run: (run.created_at, run.name), reverse=True)
    left = _Left()
    newest = f"the newest {MOST_RUNS} of {count_of(len(found), 'run')}"
    caption = newest if len(found) > MOST_RUNS else f"{count_of(len(found), 'run')}, newest first"
    blocks: list[Block] = [Words("This database has no events, studies or laboratory runs yet.")]
    if found:
        cells = [_listed(db, run, left) for run in found[:MOST_RUNS]]
        blocks = [TableBlock(caption, _COLUMNS, cells, filters=(3, 4))]
    return Subject(
        key="contents",
        title="Results",
        about=database_title(db),
        sections=[Section("runs", "", blocks)],
        is_live=True,
    )


_COLUMNS = tuple(map(Column, ("run", "result", "progress", "kind", "status", "started", "name")))


def _row(
    subject: str,
    title: str,
    name: str,
    kind: str,
    row: EventRow | StudyRow | LabRunRow,
    result: str,
    progress: str,
    bar: tuple[float, float, float] | None,
) -> list[Cell]:
    """The row of a run. The bar shows the progress of what is not done, or a log-likelihood ratio
    between its bounds; ``name``: what commands call the run."""
    others = kind, row.status, format_moment(row.started_at), name
    return [Cell(title, subject=subject), Cell(result), Cell(progress, bar=bar), *map(Cell, others)]


_Listed = EventRecord | StudyRecord | LabRunRow


@dataclass(slots=True)
class _Left:
    """What may still be read for the results of a list."""

    games: int = MOST_COUNTED
    searches: int = MOST_SEARCHES


def _listed(db: Database, run: _Listed, left: _Left) -> list[Cell]:
    """The row of a run with its result."""
    if isinstance(run, EventRecord):
        return _event(db, run, left)
    return _study(db, run) if isinstance(run, StudyRecord) else _lab(db, run, left)


def _event(db: Database, event: EventRecord, left: _Left) -> list[Cell]:
    """The verdict of a test or a race, else the Elo of the engine under test or of the leader, else
    the round; of an event that is not done also how far it is."""
    row = event_row(db, event)
    shown = shown_players(db, [event])[event.key]
    result, about = "", count_of(row.pairs_done, "pair")
    bar: tuple[float, float, float] | None = None
    left.games -= 2 * row.pairs_done
    if event.kind != IMPORT_KIND and left.games >= 0:
        progress = stored_progress(db.repository, event)
        about = event_progress(row.status, progress)
        if row.status != "done":
            bar = (progress.games_played, 0, progress.games_planned)
        if progress.test is not None:
            test = progress.test.status
            bar = (test.llr, test.lower, test.upper)
            about += f", LLR {test.llr:.2f} ({test.lower:.2f}, {test.upper:.2f})"
        if progress.test is not None and progress.test.verdict != "continue":
            result = f"{progress.test.verdict} accepted"
        elif progress.race is not None:
            race = race_result(db, event)
            result = race_text(race.race, race.verdict, shown)
        elif (found := leader(progress)) is not None:
            result = field_verdict(found)
        elif progress.round is not None:
            verdict = rounds_verdict(rounds_report(db, event), event.kind, shown)
            result = verdict or progress.round.title
    title = event_title(event, row, shown)
    name = event_text(event.key, event.name)
    return _row(f"event-{event.key}", title, name, event.kind, row, result, about, bar)


def _study(db: Database, record: StudyRecord) -> list[Cell]:
    row = study_row(db, record)
    bar = None if row.status == "done" else (row.pairs_used, 0, row.budget_pairs)
    about = study_progress(db, record, row)
    subject, title = f"study-{row.name}", study_title(row)
    return _row(subject, title, row.name, "tuning study", row, _gain(row), about, bar)


def _lab(db: Database, row: LabRunRow, left: _Left) -> list[Cell]:
    record = db.repository.find_lab_run(row.name)
    bar = None if row.status == "done" else (row.searches_done, 0, row.searches_planned)
    left.searches -= row.searches_done
    result = ""
    if left.searches >= 0:
        with suppress(MtdfError):  # its own page says what is wrong with it
            result = (
                suite_verdict(suite_report(db, record))
                if row.kind == "suite"
                else lab_verdict(run_report(db, record))[0]
            )
    kind, about = f"laboratory {row.kind}", lab_progress(db, record, row)
    return _row(f"lab-{row.name}", lab_title(row), row.name, kind, row, result, about, bar)


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
    return Subject("ratings", "Ratings of all events", "", sections, data)


def _ratings(
    db: Database, game: str | None, data: dict[str, Any], *, apart: bool
) -> Iterator[Section]:
    """The list of a game and its histories, whose rows are added to ``data``; ``apart``: there are
    other games beside it."""
    of_game = f" in {rules_of(game).title}" if apart and game else ""
    mark = f"-{game}" if apart else ""
    title = f"Ratings{of_game}" if apart else ""
    try:
        report = rate_games(db, RatingQuery(Selection(game=game)))
    except NothingMatched as error:
        yield Section(f"list{mark}", title, [Words(f"Nothing to rate: {error}")])
        return
    rows = report.rows()
    drawing = Drawing(ratings_picture(rows, report.shown, report.pools))
    tables = printed(print_ratings, report, f"Ratings{of_game}")
    yield Section(f"list{mark}", title, [drawing, *tables])
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
    listed = [_study(db, record) for record in records]
    sections = [
        Section("list", "Studies", [TableBlock("Studies", _COLUMNS, listed)]),
        Section("values", "Parameters", [values]),
    ]
    return Subject("studies", "Studies side by side", "", sections)


def _change(row: TunedRow | None) -> str:
    """What a study made of a parameter; nothing where it has not tuned it."""
    if row is None:
        return ""
    base, recommended = (
        "--" if value is None else format_setting(value) for value in (row.base, row.recommended)
    )
    return base if base == recommended else f"{base} -> {recommended}"


def _gain(row: StudyRow) -> str:
    """What a study gained over its base."""
    if row.is_base:
        return "the base is best"
    value, unit = row.gain_elo, "Elo"
    if value is None:
        value, unit = row.gain_percent, "%"
    if value is None:
        return ""
    error = row.gain_error95
    interval = "" if error is None else f" ± {format_number(error)}"
    return f"{format_number(value, signed=True)}{interval} {unit}"
