"""The page of an event: verdict, chart and table, pairings, ends, engines, games."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from db.records.events import IMPORT_KIND, TUNING_KIND, EventRecord
from engines.limit import spell_limit_of
from engines.rules.catalog import rules_of
from toolkit.base.errors import NothingMatched
from toolkit.base.format import (
    count_of,
    event_text,
    format_count,
    format_ends,
    format_interval,
    format_los,
    format_moment,
    format_number,
)
from toolkit.base.table import Column, Field
from toolkit.events.progress import is_valid_at_any_look, match_fields
from toolkit.events.settings import EventSettings
from toolkit.events.tally import stored_progress
from toolkit.ratings.rating import rate_games
from toolkit.reports.ablation import ablation_table
from toolkit.reports.crosstables import crosstable
from toolkit.reports.event_statistics import event_stats, stats_facts
from toolkit.reports.events import event_row
from toolkit.reports.external import build_text
from toolkit.reports.load import load_text
from toolkit.reports.machines import machines_of, machines_text
from toolkit.reports.race import race_course, race_result, race_text
from toolkit.reports.rounds import rounds_report
from toolkit.reports.scores import event_scores, repeated_games
from toolkit.reports.sprt import stored_sprt
from toolkit.reports.standing import leader
from toolkit.selection.games import Selection
from toolkit.selection.labels import shown_players
from toolkit.show.charts.ablation import ablation_picture
from toolkit.show.charts.crosstable import crosstable_picture
from toolkit.show.charts.pentanomial import pentanomial_picture
from toolkit.show.charts.race import race_picture
from toolkit.show.charts.ratings import ratings_picture
from toolkit.show.charts.sprt import llr_picture
from toolkit.show.pages.parts import (
    Block,
    Cell,
    Drawing,
    Facts,
    GameList,
    Section,
    Subject,
    TableBlock,
    Words,
)
from toolkit.show.pages.tables import MOST_ROWS, printed
from toolkit.show.pages.verdict import (
    ENDED,
    ablation_verdict,
    event_progress,
    event_title,
    field_verdict,
    match_verdict,
    ratings_verdict,
    rounds_verdict,
    so_far,
)
from toolkit.show.tables.ablation import print_ablation
from toolkit.show.tables.h2h import cost_fields
from toolkit.show.tables.race import print_race
from toolkit.show.tables.ratings import print_ratings
from toolkit.show.tables.rounds import print_rounds
from toolkit.show.tables.sprt import verdict_text
from toolkit.show.tables.stats import print_end_reasons

if TYPE_CHECKING:
    from db.records.games import GameProblemRecord
    from db.session import Database
    from toolkit.events.progress import ScoreRow
    from toolkit.reports.ablation import AblationOutcome
    from toolkit.reports.crosstables import CrosstableRow
    from toolkit.reports.event_statistics import EventStats, PlayerStats
    from toolkit.reports.events import EventRow
    from toolkit.reports.rounds import RoundsReport
    from toolkit.reports.sprt import SprtOutcome

RESULTS = ("1-0", "1/2-1/2", "0-1")
MOST_CROSSED = 24
"""Players of a crosstable that is drawn; of more only the pairings are listed."""
MOST_PROBLEMS = 100
"""Faults and warnings that are listed."""


@dataclass
class _Page:
    """What the sections of an event are made of; each section adds its rows to ``rows``."""

    db: Database
    event: EventRecord
    row: EventRow
    shown: Mapping[str, str]
    """What to call the players, by label."""
    rows: dict[str, Any] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    """Labels by rating; empty where nothing is rated."""
    repeats: int = 0
    """Games that repeat others of the event, and that its ratings leave out."""

    @cached_property
    def any_look(self) -> bool:
        """Whether the intervals of its pairings are valid at any look."""
        return is_valid_at_any_look(self.event, self.event.status == "done")

    @cached_property
    def rounds(self) -> RoundsReport:
        """The rounds; only of an event that has some."""
        return rounds_report(self.db, self.event)


def event_subject(
    db: Database, event: EventRecord, listed: Sequence[Mapping[str, Any]] | None
) -> Subject:
    """The page of an event. ``listed``: rows of its games in a file, None where the server has
    them. Raises DatabaseError."""
    row = event_row(db, event)
    page = _Page(db, event, row, shown_players(db, [event])[event.key], {"event": row})
    sections = [section for section in _sections(page, listed) if section.blocks]
    return Subject(
        key=f"event-{event.key}",
        title=event_title(event, row, page.shown),
        about=f"{event.kind} {event_text(event.key, event.name)}, {format_moment(row.started_at)}",
        sections=sections,
        rows=page.rows,
        is_live=row.status not in ENDED,
    )


def _sections(page: _Page, listed: Sequence[Mapping[str, Any]] | None) -> Iterator[Section]:
    """The parts of the page, in their order; what an event does not have is empty."""
    settings = Facts(_facts(page), "Settings")
    try:
        stats = event_stats(page.db, page.event)
    except NothingMatched:
        yield Section("result", "", [Words("No game is stored yet", "verdict"), settings])
        return
    page.rows["stats"] = replace(stats, players=stats.players[:MOST_ROWS])
    verdict, evidence = _result(page)
    said = [Words(_so_far(page, verdict), "verdict")]
    if load := load_text(page.db, page.event):
        said.append(Words(f"Warning: {load}"))
    yield Section("result", "", [*said, *evidence, settings])
    if "rounds" in page.rows:
        captions = "Meetings", "Standings"
        blocks = printed(print_rounds, page.rounds, captions, page.event.kind, page.shown)
        yield Section("rounds", "Rounds", blocks)
    ablation: AblationOutcome | None = page.rows.get("ablation")
    is_shown = ablation is not None and not ablation.opponents
    if page.event.kind not in (TUNING_KIND, "match", "sprt", "race") and not is_shown:
        yield Section("pairings", "Pairings", list(_pairings(page)))
    yield Section("ends", "How games ended", list(_ends(page, stats)))
    yield Section("engines", "Engines", [_engines(page, stats)])
    yield Section("games", "Games", [_game_list(page, stats, listed)])


def _result(page: _Page) -> tuple[str, list[Block]]:
    """The verdict, and the chart and the table that it rests on."""
    kind = page.event.kind
    if kind == TUNING_KIND:
        return "The games of a tuning study; its page has the result", []
    if kind == "sprt":
        return _test(page)
    if kind == "race":
        return _race(page)
    if kind == "ablation":
        table = ablation_table(page.db, page.event, repeated_games(page.db, page.event))
        page.rows["ablation"] = table
        drawing = Drawing(ablation_picture(table.features, table.engines[0]))
        shown = printed(print_ablation, table, "Elo without a feature")
        return ablation_verdict(table.features), [drawing, *shown]
    scores = event_scores(page.db, page.event)
    page.rows["scores"] = scores[:MOST_ROWS]
    counted = sum(one.wins + one.draws + one.losses for one in scores)
    page.repeats = sum(one.games for one in scores) - counted
    if kind == "match" and len(scores) == 1:
        first = page.shown[scores[0].first]
        pairs = Drawing(pentanomial_picture(scores[0].pentanomial, first))
        record = _records(page, scores, f"Games of {first}", _RECORD)
        return match_verdict(scores[0], page.shown), [pairs, record]
    try:
        return _rated(page)
    except NothingMatched as error:
        return f"No ratings: {error}", []


def _rated(page: _Page) -> tuple[str, list[Block]]:
    """The same of an event whose engines are rated. Raises NothingMatched."""
    report = rate_games(page.db, event=page.event)
    rows = report.rows()
    page.rows["ratings"] = rows[:MOST_ROWS]
    page.order = [row.engine for row in rows]
    verdict = None
    if "form" in page.event.settings:
        rounds = page.rounds
        page.rows["rounds"] = {"meetings": rounds.meetings, "standings": rounds.standings}
        verdict = rounds_verdict(rounds, page.event.kind, page.shown)
    elif page.event.kind == "gauntlet":
        found = leader(stored_progress(page.db.repository, page.event))
        verdict = None if found is None else field_verdict(found)
    if verdict is None:
        verdict = ratings_verdict(rows, report.shown, len(report.ratings.pools), report.lead)
    drawing = Drawing(ratings_picture(rows, report.shown, report.pools))
    return verdict, [drawing, *printed(print_ratings, report, "Ratings")]


def _test(page: _Page) -> tuple[str, list[Block]]:
    """A sequential test: its verdict, its course, its estimates, its pairs."""
    test = stored_sprt(page.db, page.event)
    page.rows |= {"sprt": test.result, "llr": test.course}
    names = [page.shown[label] for label in page.row.engines]
    blocks: list[Block] = [Drawing(llr_picture(test.course, test.result))]
    blocks.append(_estimates(test.result, names))
    if test.expected_left is not None:
        left = count_of(round(test.expected_left), "more pair")
        blocks.append(Words(f"Expected to take about {left}."))
    blocks.append(Drawing(pentanomial_picture(test.result.pentanomial, names[0])))
    is_open = test.result.verdict == "continue"
    return "No verdict yet" if is_open else verdict_text(test.result, names), blocks


def _race(page: _Page) -> tuple[str, list[Block]]:
    """A race: its verdict, its course, its candidates."""
    result, course = race_result(page.db, page.event), race_course(page.db, page.event)
    page.rows |= {"race": result, "steps": course}
    drawing = Drawing(race_picture(course, result, page.shown))
    shown = printed(print_race, result, "Candidates", page.shown)
    return race_text(result.race, result.verdict, page.shown), [drawing, *shown]


def _estimates(result: SprtOutcome, names: Sequence[str]) -> TableBlock:
    """The record of the engine under test; its Elo corrected for the stop if possible."""
    row, (losses, draws, wins) = result.test, result.trinomial
    caption = f"{names[0]} against {names[1]}"
    ends = row.elo_low95, row.elo_high95
    elo, interval = row.elo, format_interval(row.elo, row.elo_error95, *ends)
    if row.any_look:
        caption += ", Elo valid at any look"
    elif row.elo_unbiased is not None:
        ends = row.elo_unbiased_low95, row.elo_unbiased_high95
        elo, interval = row.elo_unbiased, format_ends(*ends)
        caption += ", Elo corrected for the stop of the test"
    if result.after_stop:
        caption += f", without {count_of(result.after_stop, 'pair')} finished after it"
    cells = {
        "games": format_count(losses + draws + wins),
        "W-L-D": f"{wins}-{losses}-{draws}",
        "Elo": f"{format_number(elo, signed=True)} {interval}",
        "nElo": f"{format_number(row.nelo, signed=True)} ± {format_number(row.nelo_error95)}",
        "LOS": format_los(row.los),
        "LLR": f"{format_number(row.llr, 2)} ({row.lower:.2f}, {row.upper:.2f})",
    }
    columns = [Column(name, "right") for name in cells]
    return TableBlock(caption, columns, [[Cell(text) for text in cells.values()]])


def _so_far(page: _Page, text: str) -> str:
    """A verdict, with the games that it leaves out and how much of the event it rests on."""
    if page.repeats:
        repeats = count_of(page.repeats, "game that repeats", "games that repeat")
        text += f"; not counted: {repeats} others"
    if page.row.status == "done" or page.event.kind in (IMPORT_KIND, TUNING_KIND):
        return text
    played = stored_progress(page.db.repository, page.event)
    return so_far(text, page.row.status, event_progress(page.row.status, played))


def _facts(page: _Page) -> list[tuple[str, str]]:
    """Everything the games depend on, and where they were played."""
    event, row = page.event, page.row
    facts = [
        ("status", row.status),
        ("game", rules_of(row.game_played).title),
        ("game pairs", _pairs(row)),
        ("note", row.note),
    ]
    if event.kind != IMPORT_KIND:
        settings = EventSettings.from_json(event.settings)
        book = settings.book
        facts += [
            ("limit", spell_limit_of(row.limit, row.variation)),
            ("seed", str(row.seed)),
            ("book", f"{book.name}, {count_of(book.lines, 'line')}, {book.id}"),
            ("slice of the book", row.book_slice or ""),
            ("adjudication", str(settings.adjudication) or "none"),
            ("Chess960", "yes" if row.chess960 else ""),
            ("repeatable", "" if row.variation else "yes"),
        ]
    _, load = page.db.repository.games_above_load(event.id, -1.0)
    jobs = page.db.repository.last_jobs(event.id) if event.kind != IMPORT_KIND else None
    origins = page.db.repository.event_origins(event.id)
    made = dict.fromkeys(f"mtdf {one.version}, {one.backend} {one.signature}" for one in origins)
    facts += [
        ("program" if len(made) < 2 else "programs", "; ".join(made)),
        ("machine", machines_text(machines_of(origins)) if jobs else ""),
        ("jobs", "" if not jobs else str(jobs)),
        ("highest load", f"{load:.2f}" if jobs else ""),
        ("created", row.created_at),
        ("ended", row.ended_at or ""),
    ]
    return [(name, text) for name, text in facts if text]


def _engines(page: _Page, stats: EventStats) -> TableBlock:
    """Which engines the names mean, and what their searches cost."""
    variants = {one.id: one for one in page.db.repository.variants()}
    players = page.db.repository.event_players(page.event.id)
    cut = f", the first {MOST_ROWS} of {len(players)}" if len(players) > MOST_ROWS else ""
    found = {row.engine: row for row in stats.players}
    with_builds = any(variants[one.variant_id].build for one in players)
    forfeits: Field[PlayerStats] = Field(
        "forfeits", lambda row: format_count(row.forfeits), "right"
    )
    costs: list[Field[PlayerStats]] = [forfeits, *cost_fields()]

    def cells(label: str, identity: str) -> list[str]:
        row = found.get(label)
        known = ["--" if row is None else field.cell(row) or "--" for field in costs]
        one = variants[identity]
        built = [build_text(one.build) if one.build else "--"] if with_builds else []
        return [page.shown[label], *known, one.spelling, identity, *built]

    rows = [cells(one.label, one.variant_id) for one in players[:MOST_ROWS]]
    columns = [
        Column("engine"),
        *(one.column for one in costs),
        Column("spelling"),
        Column("identity"),
        *([Column("build")] if with_builds else ()),
    ]
    return TableBlock(f"Engines{cut}", columns, [[Cell(text) for text in row] for row in rows])


def _pairs(row: EventRow) -> str:
    done, planned = format_count(row.pairs_done), format_count(row.pairs_planned)
    may_end_early = row.kind in ("sprt", "knockout", "race") or row.pairs_done < row.pairs_planned
    is_over = row.status == "done"
    text = f"{done}, at most {planned}" if may_end_early and is_over else f"{done} of {planned}"
    return text + (f", {row.pairs_failed} could not be played" if row.pairs_failed else "")


def _pairings(page: _Page) -> Iterator[Block]:
    """Every pairing; where more met than two rows of a table, also as a picture."""
    scores: Sequence[ScoreRow | CrosstableRow] = page.rows.get("scores", ())
    columns = [*_RECORD, *_DIFFERENCE]
    with suppress(NothingMatched):
        table = crosstable(page.db, Selection(events=(page.event,)), mix=True)
        page.rows["crosstable"] = list(table.rows[:MOST_ROWS])
        if len(table.players) <= min(MOST_CROSSED, len(table.rows)):
            players = sorted(table.players, key=_places(page.order))
            shown = dict(zip(table.players, table.shown, strict=True))
            yield Drawing(crosstable_picture(table.rows, players, shown))
            columns.remove(_SCORE)  # the picture has it
        scores = scores or page.rows["crosstable"]
    if scores:
        valid = ", 95 % intervals valid at any look" if page.any_look else ""
        yield _records(page, scores, f"Pairings{valid}", columns)


def _places(order: Sequence[str]) -> Callable[[str], int]:
    """The place of a label in an order; what is not there comes last."""
    places = {label: place for place, label in enumerate(order)}
    return lambda label: places.get(label, len(places))


_SCORE = Column("score", "right")
_RECORD = (
    *(Column("engine"), Column("opponent"), Column("games", "right")),
    *(Column("W-L-D", "right"), _SCORE),
)
_DIFFERENCE = (
    *(Column("Elo", "right"), Column("95 %", "right")),
    *(Column("LOS", "right"), Column("pairs by points", "right")),
)


def _records(
    page: _Page, rows: Sequence[ScoreRow | CrosstableRow], caption: str, columns: Sequence[Column]
) -> TableBlock:
    """Games of two engines each, with links to them."""
    cells = [_record(page, row) for row in rows[:MOST_ROWS]]
    return TableBlock(caption, columns, [[row[one] for one in columns] for row in cells])


def _record(page: _Page, row: ScoreRow | CrosstableRow) -> dict[Column, Cell]:
    games = row.wins + row.losses + row.draws
    elo = match_fields(row.pentanomial, page.any_look)
    value, error, interval = elo["elo"], elo["error95"], ""
    if value is not None and error is not None:
        interval = format_interval(value, error, elo["low95"], elo["high95"])
    cells = [
        Cell(page.shown[row.first]),
        Cell(page.shown[row.second]),
        Cell(format_count(row.games)),
        Cell(f"{row.wins}-{row.losses}-{row.draws}", meeting=(row.first, row.second)),
        Cell(f"{100 * (row.wins + row.draws / 2) / games:.1f} %" if games else "--"),
        Cell(format_number(value, signed=True)),
        Cell(interval),
        Cell(format_los(elo["los"])),
        Cell(str(row.pentanomial)),
    ]
    return dict(zip([*_RECORD, *_DIFFERENCE], cells, strict=True))


def _ends(page: _Page, stats: EventStats) -> Iterator[Block]:
    """Why games ended, and what engines did wrong."""
    facts = dict(stats_facts(stats))
    yield Facts([(name, facts[name]) for name in ("results", "plies", "search")])
    yield from printed(print_end_reasons, stats, "Games by end reason")
    problems = page.db.repository.event_problems(page.event.id, MOST_PROBLEMS)
    if problems:
        yield _problems(page, problems)


def _problems(page: _Page, problems: Sequence[tuple[int, GameProblemRecord]]) -> TableBlock:
    """What engines did wrong, faults first."""
    games = {game.id: game for game in page.db.repository.games_of_ids([at for at, _ in problems])}
    rows = []
    for at, problem in problems:
        label = games[at].white if problem.white else games[at].black
        rows.append(
            [
                Cell(f"g{at}", game=f"g{at}"),
                Cell(page.shown[label]),
                Cell(problem.severity),
                Cell(problem.text),
            ]
        )
    first = f", the first {MOST_PROBLEMS}" if len(problems) == MOST_PROBLEMS else ""
    columns = [Column("game"), Column("engine"), Column("severity"), Column("what it did")]
    return TableBlock(f"What engines did wrong{first}", columns, rows)


def _game_list(
    page: _Page, stats: EventStats, listed: Sequence[Mapping[str, Any]] | None
) -> GameList:
    return GameList(
        event=page.event.key,
        engines=[(label, page.shown[label]) for label in page.row.engines],
        results=RESULTS,
        end_reasons=[row.end_reason for row in stats.end_reasons],
        games=stats.games,
        rows=listed,
    )
