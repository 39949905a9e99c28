"""The page of an event: verdict and settings, ratings, crosstable, test, ends, costs, games."""

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
    format_interval,
    format_los,
    format_number,
)
from toolkit.base.table import Column
from toolkit.events.settings import EventSettings
from toolkit.ratings.rating import rate_games
from toolkit.reports.ablation import ablation_table
from toolkit.reports.crosstables import crosstable
from toolkit.reports.event_statistics import event_stats, stats_facts
from toolkit.reports.events import event_row
from toolkit.reports.load import load_text
from toolkit.reports.machines import machines_of, machines_text
from toolkit.reports.rounds import rounds_report
from toolkit.reports.scores import event_scores, repeated_games
from toolkit.reports.sprt import StoredTest, stored_sprt
from toolkit.selection.games import Selection
from toolkit.selection.labels import shown_players
from toolkit.show.charts.ablation import ablation_picture
from toolkit.show.charts.crosstable import crosstable_picture
from toolkit.show.charts.ends import ends_picture
from toolkit.show.charts.pentanomial import pentanomial_picture
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
    ablation_verdict,
    match_verdict,
    ratings_verdict,
    rounds_verdict,
)
from toolkit.show.tables.ablation import print_ablation
from toolkit.show.tables.crosstable import print_crosstable
from toolkit.show.tables.ratings import print_ratings
from toolkit.show.tables.rounds import print_rounds
from toolkit.show.tables.sprt import print_test
from toolkit.show.tables.stats import print_stats

if TYPE_CHECKING:
    from db.records.games import GameProblemRecord
    from db.session import Database
    from toolkit.reports.crosstables import Crosstable
    from toolkit.reports.event_statistics import EventStats
    from toolkit.reports.events import EventRow

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
    def test(self) -> StoredTest:
        """The sequential test; only of an event that is one."""
        return stored_sprt(self.db, self.event)


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
        title=event_text(event.key, event.name),
        kind=event.kind,
        sections=sections,
        rows=page.rows,
        is_live=row.status in ("planned", "running", "interrupted"),
    )


def _sections(page: _Page, listed: Sequence[Mapping[str, Any]] | None) -> Iterator[Section]:
    """The parts of the page, in their order; what an event does not have is empty."""
    stats = None
    with suppress(NothingMatched):
        stats = event_stats(page.db, page.event)
        page.rows["stats"] = replace(stats, players=stats.players[:MOST_ROWS])
    if stats is None:
        yield _result(page, "No game is stored yet")
        return
    yield from _results(page)
    if page.event.kind != TUNING_KIND:
        yield Section("crosstable", "Crosstable", list(_crosstable(page)))
    if page.event.kind == "sprt":
        yield Section("test", "Sequential test", list(_test(page)))
    captions = "Games by end reason", "Search cost and results"
    told = printed(print_stats, stats, captions, page.shown)
    ends, cost = (block for block in told if isinstance(block, TableBlock))
    yield Section("ends", "How games ended", list(_ends(page, stats, ends)))
    yield Section("cost", "Search cost", [cost])
    yield Section("engines", "Engines", [_engines(page)])
    yield Section("games", "Games", [_game_list(page, stats, listed)])


def _results(page: _Page) -> Iterator[Section]:
    """The verdict with the settings, and what supports it."""
    kind = page.event.kind
    if kind == "sprt":
        verdict, *words = _test_words(page, page.test)
        yield _result(page, verdict.text, *words)
    elif kind == "ablation":
        table = ablation_table(page.db, page.event, repeated_games(page.db, page.event))
        page.rows["ablation"] = table
        yield _result(page, ablation_verdict(table.features))
        blocks = [Drawing(ablation_picture(table.features, table.engines[0]))]
        printed_table = printed(print_ablation, table, "Elo without a feature")
        yield Section("features", "Features", [*blocks, *printed_table])
    elif kind == TUNING_KIND:
        yield _result(page, "The games of a tuning study; its page has the result")
    else:
        yield from _rated(page)


def _rated(page: _Page) -> Iterator[Section]:
    """The verdict and what supports it, of an event whose engines are rated."""
    scores, kind = event_scores(page.db, page.event), page.event.kind
    page.rows["scores"] = scores[:MOST_ROWS]
    counted = sum(one.wins + one.draws + one.losses for one in scores)
    page.repeats = sum(one.games for one in scores) - counted
    try:
        report = rate_games(page.db, event=page.event)
    except NothingMatched as error:
        told = match_verdict(scores[0], page.shown) if len(scores) == 1 else str(error)
        yield _result(page, told)
        if scores:
            yield Section("ratings", "Results", [Words(f"No ratings: {error}"), _pairings(page)])
        return
    rows = report.rows()
    page.rows["ratings"] = rows[:MOST_ROWS]
    page.order = [row.engine for row in rows]
    verdict = None
    standings: list[Section] = []
    if "form" in page.event.settings:
        rounds = rounds_report(page.db, page.event)
        page.rows["rounds"] = {"meetings": rounds.meetings, "standings": rounds.standings}
        verdict = rounds_verdict(rounds, kind, page.shown)
        blocks = printed(print_rounds, rounds, ("Meetings", "Standings"), kind, page.shown)
        standings = [Section("rounds", "Rounds", blocks)]
    if kind == "match" and len(scores) == 1:
        verdict = match_verdict(scores[0], page.shown)
    elif verdict is None:
        verdict = ratings_verdict(rows, report.shown, len(report.ratings.pools), report.lead)
    yield _result(page, verdict)
    yield from standings
    drawing = Drawing(ratings_picture(rows, report.shown, report.pools))
    yield Section("ratings", "Ratings", [drawing, *printed(print_ratings, report, "Ratings")])


def _result(page: _Page, verdict: str, *words: Words) -> Section:
    said = [Words(_so_far(page, verdict), is_verdict=True)]
    if load := load_text(page.db, page.event):
        said.append(Words(f"Warning: {load}"))
    return Section("result", "Result", [*said, *words, Facts(_facts(page))])


def _so_far(page: _Page, text: str) -> str:
    """A verdict, with how much of the event it rests on if that is not all."""
    row = page.row
    if page.repeats:
        repeats = count_of(page.repeats, "game that repeats", "games that repeat")
        text += f"; not counted: {repeats} others"
    if row.status == "done" or page.event.kind == IMPORT_KIND:
        return text
    done, planned = format_count(row.pairs_done), count_of(row.pairs_planned, "pair")
    return f"{text} (so far: {done} of {planned}, {row.status})"


def _facts(page: _Page) -> list[tuple[str, str]]:
    """Everything the games depend on, and where they were played."""
    event, row = page.event, page.row
    facts = [
        ("event", f"{event_text(event.key, event.name)}, {event.kind}, {row.status}"),
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


def _engines(page: _Page) -> TableBlock:
    """Which engines the names mean."""
    variants = {one.id: one.spelling for one in page.db.repository.variants()}
    players = page.db.repository.event_players(page.event.id)
    cut = f", the first {MOST_ROWS} of {len(players)}" if len(players) > MOST_ROWS else ""
    return TableBlock(
        f"What plays under which name{cut}",
        [Column("engine"), Column("spelling"), Column("identity")],
        [
            [Cell(page.shown[one.label]), Cell(variants[one.variant_id]), Cell(one.variant_id)]
            for one in players[:MOST_ROWS]
        ],
    )


def _pairs(row: EventRow) -> str:
    done, planned = format_count(row.pairs_done), format_count(row.pairs_planned)
    may_end_early = row.kind in ("sprt", "knockout") or row.pairs_done < row.pairs_planned
    is_over = row.status == "done"
    text = f"{done}, at most {planned}" if may_end_early and is_over else f"{done} of {planned}"
    return text + (f", {row.pairs_failed} could not be played" if row.pairs_failed else "")


def _crosstable(page: _Page) -> Iterator[Block]:
    try:
        table = crosstable(page.db, Selection(events=(page.event,)), mix=True)
    except NothingMatched:
        return
    page.rows["crosstable"] = list(table.rows[:MOST_ROWS])
    shown = dict(zip(table.players, table.shown, strict=True))
    if len(table.players) <= MOST_CROSSED:
        players = sorted(table.players, key=_places(page.order))
        yield Drawing(crosstable_picture(table.rows, players, shown))
        yield _matrix(table, players, shown)
    if page.rows.get("scores"):
        yield _pairings(page)
    elif len(table.players) > MOST_CROSSED:
        yield from printed(print_crosstable, table, "Pairings")


def _places(order: Sequence[str]) -> Callable[[str], int]:
    """The place of a label in an order; what is not there comes last."""
    places = {label: place for place, label in enumerate(order)}
    return lambda label: places.get(label, len(places))


def _pairings(page: _Page) -> TableBlock:
    """Every pairing with its Elo and its pairs by points."""
    columns = [
        *(Column("engine"), Column("opponent"), Column("games", "right")),
        *(Column("W-L-D", "right"), Column("Elo", "right"), Column("95 %", "right")),
        *(Column("LOS", "right"), Column("pairs by points", "right")),
    ]
    rows = [
        [
            page.shown[row.first],
            page.shown[row.second],
            format_count(row.games),
            f"{row.wins}-{row.losses}-{row.draws}",
            format_number(row.elo, signed=True),
            ""
            if row.elo is None or row.error95 is None
            else format_interval(row.elo, row.error95, row.low95, row.high95),
            "" if row.los is None else format_los(row.los),
            str(row.pentanomial),
        ]
        for row in page.rows["scores"]
    ]
    return TableBlock("Pairings", columns, [[Cell(text) for text in row] for row in rows])


def _matrix(table: Crosstable, players: Sequence[str], shown: Mapping[str, str]) -> TableBlock:
    """The table behind the heat map; each cell leads to its games."""
    record = {}
    for row in table.rows:
        one, two, drawn = row.first, row.second, row.draws
        record[one, two] = f"{row.wins}-{row.losses}-{drawn}"
        record[two, one] = f"{row.losses}-{row.wins}-{drawn}"
    numbers = [str(number) for number in range(1, len(players) + 1)]
    columns = [Column("#", "right"), Column("engine"), *(Column(one, "right") for one in numbers)]
    rows = [
        [
            Cell(number),
            Cell(shown[player]),
            *(
                Cell(record[player, other], meeting=(player, other))
                if (player, other) in record
                else Cell("--")
                for other in players
            ),
        ]
        for number, player in zip(numbers, players, strict=True)
    ]
    return TableBlock(
        "Wins-losses-draws of the engine of a row; each cell leads to its games", columns, rows
    )


def _test(page: _Page) -> Iterator[Block]:
    test = page.test
    page.rows |= {"sprt": test.result, "llr": test.course}
    yield Drawing(llr_picture(test.course, test.result))
    if test.expected_left is not None:
        yield Words(f"Expected to take about {count_of(round(test.expected_left), 'more pair')}.")
    first = page.shown[page.row.engines[0]]
    yield Drawing(pentanomial_picture(test.result.pentanomial, first))


def _test_words(page: _Page, test: StoredTest) -> list[Words]:
    """The test as the commands print it, its verdict first."""
    names = [page.shown[label] for label in page.row.engines]
    lines = printed(print_test, test.result, "Test", names)
    return [line for line in lines if isinstance(line, Words)]


def _ends(page: _Page, stats: EventStats, table: TableBlock) -> Iterator[Block]:
    """Why games ended, with the table of it, and what engines did wrong."""
    facts = dict(stats_facts(stats))
    yield Facts([(name, facts[name]) for name in ("games", "results", "plies", "search")])
    yield Drawing(ends_picture(stats.end_reasons))
    yield table
    forfeits = sum(row.forfeits for row in stats.players)
    yield Words(
        f"{count_of(forfeits, 'game')} forfeited: on time, by an illegal move or a failure."
    )
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
