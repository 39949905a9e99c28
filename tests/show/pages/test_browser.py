"""Pages in a real browser: Chromium opens them from disk; a reader steps, filters and prints."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from cli import program
from db.session import open_database
from toolkit.commands._program import run_program
from toolkit.reports.games import GameQuery, list_games, list_pgn
from toolkit.selection.events import find_event
from toolkit.show.pages.report import make_report

pytestmark = pytest.mark.slow

BAD = "</svg><script>alert(1)</script>&\"'$[/x]"
"""An engine's name that would run if any place took it for markup."""
ENDING = "</script x><!--<script>"
"""Ends or opens the element that holds the data, unless it is escaped there."""
LONG = "x" * 100
FORMS = f"""[Event "forms"]
[White "{LONG}"]
[Black "plain"]
[Result "1-0"]
[SetUp "1"]
[FEN "4k2r/1P1p4/8/4P3/8/8/8/R3K2R w KQk - 0 1"]

1. O-O-O d5 2. exd6 O-O 3. b8=Q Rxb8 1-0

[Event "forms"]
[White "plain"]
[Black "{LONG}"]
[Result "1/2-1/2"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "1k5r/8/8/8/8/8/PPP5/1K2R3 w Eh - 0 1"]

1. O-O Kc7 2. Kf2 1/2-1/2

[Event "forms"]
[White "plain"]
[Black "{LONG}"]
[Result "0-1"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4p3/4K2R b K - 0 1"]

1... Kd7 2. Kxe2 0-1

[Event "<img src=x onerror=alert(2)>"]
[White "{BAD.replace('"', chr(92) + '"')}"]
[Black "plain"]
[Result "1-0"]

1. e4 {{+0.31/7 1.2s, </script><script>alert(3)</script> <b>bold</b>}} e5 {{+M3/9 2s}}
2. Qh5 {{<img src=x onerror=alert(4)>}} Nc6 3. Bc4 Nf6 4. Qxf7# 1-0
"""
"""Promotion, en passant, castling, a Chess960 game, Black to start, and markup."""
GUARD_MS = 120_000
"""Longer than anything takes on a busy machine."""
BARE = '[White "plain"]\n[Black "other"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n'
PLAY = (
    *("gauntlet", "--hero", "mtdf", "--field", "pvs", "--field", "bns", "--field", "alphabeta"),
    *("--pairs", "9", "--nodes", "60", "--max-plies", "24", "--resign", "2@60:one"),
    *("--seed", "7", "--name", "first", "--quiet"),
)


@dataclass(frozen=True)
class Sample:
    """A database, and a report of all of it as a file."""

    database: Path
    url: str
    viewed: tuple[str, ...]
    """Games whose moves the file has."""


expect.set_options(timeout=GUARD_MS)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    folder = tmp_path_factory.mktemp("pages")
    path = folder / "games.db"
    (folder / "forms.pgn").write_text(FORMS, encoding="utf-8")
    (folder / "bare.pgn").write_text(BARE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "excepthook", sys.excepthook)
        event = ("--event", f"{ENDING}<img src=x onerror=alert(5)>")
        for words in (
            PLAY,
            ("import", str(folder / "forms.pgn"), *event, "--quiet"),
            ("import", str(folder / "bare.pgn"), "--headers-only", "--quiet"),
        ):
            assert run_program(program, (*words, "--db", str(path))) == 0
    with open_database(path, read_only=True) as db:
        html = make_report(db, None, games=100).html
    page = folder / "report.html"
    page.write_text(html, encoding="utf-8")
    data = html.split('<script type="application/json" id="data">')[1].split("</script>")[0]
    return Sample(path, page.as_uri(), tuple(json.loads(data)["games"]))


@dataclass
class Reader:
    """A window in which nothing may go wrong unseen."""

    context: BrowserContext
    page: Page
    wrong: list[str]

    def open(self, url: str) -> Page:
        """Open a page and wait for its charts."""
        self.page.goto(url)
        self.page.wait_for_selector("html[data-drawn]", timeout=GUARD_MS)
        return self.page

    def set_up(self, page: Page) -> Page:
        """Watch a page: words on the console, errors, dialogs, and requests."""
        page.set_default_timeout(GUARD_MS)
        page.on("console", lambda message: self.wrong.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        page.on("request", lambda request: self._asked(request.url))
        page.on("dialog", lambda dialog: (self.wrong.append("dialog"), dialog.dismiss()))
        return page

    def _asked(self, url: str) -> None:
        if not url.startswith(("file:", "data:")):
            self.wrong.append(f"request: {url}")


@pytest.fixture
def reader(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Reader]:
    """A fresh window; ``request.param`` has options of the context."""
    options: dict[str, Any] = {"viewport": {"width": 1300, "height": 900}}
    context = browser.new_context(**options | getattr(request, "param", {}))
    made = Reader(context, context.new_page(), [])
    made.set_up(made.page)
    yield made
    context.close()
    assert made.wrong == []


def board_of(page: Page) -> dict[str, str]:
    """The pieces that the board shows, by square."""
    return dict(
        page.eval_on_selector_all(
            ".board [data-square]", "all => all.map(e => [e.dataset.square, e.dataset.piece])"
        )
    )


def pieces_of(fen: str) -> dict[str, str]:
    board = chess.Board(fen)
    return {chess.square_name(at): piece.symbol() for at, piece in board.piece_map().items()}


def fens_of(pgn: str) -> list[str]:
    """The position after each ply, by python-chess alone."""
    game = chess.pgn.read_game(io.StringIO(pgn))
    assert game is not None and not game.errors
    return [node.board().fen() for node in (game, *game.mainline())]


def rows_of_moves(pgn: str) -> list[str]:
    """The lines of a list of moves, by python-chess alone."""
    game = chess.pgn.read_game(io.StringIO(pgn))
    assert game is not None
    lines: list[list[str]] = []
    for node in game.mainline():
        board = node.parent.board()
        if board.turn or not lines:
            lines.append([f"{board.fullmove_number}.", *([] if board.turn else ["…"])])
        lines[-1].append(node.san())
    return ["\t".join(line) for line in lines]


def shown_ids(page: Page, event: str) -> list[str]:
    """The ids in a list of games, on all its pages."""
    box = page.locator(f'.games[data-event="{event}"]')
    ids: list[str] = []
    while True:
        ids += box.locator("tbody th").all_inner_texts()
        onwards = box.locator('[data-step="1"]')
        if not onwards.is_visible() or onwards.is_disabled():
            return ids
        number = box.locator(".pages span").inner_text()
        onwards.click()
        expect(box.locator(".pages span")).not_to_have_text(number)


def test_file_draws_its_charts_without_requests(reader: Reader, sample: Sample) -> None:
    page = reader.open(sample.url)
    charts = page.locator("figure .panel")
    assert charts.count() >= 4
    assert charts.locator("svg").count() == charts.count()
    assert page.evaluate("window.isSecureContext !== undefined && !('fetched' in window)")
    # The policy holds: what it forbids does not run, and says so on the console.
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<b onclick=alert(9)>x</b>')")
    page.evaluate("document.body.lastElementChild.click()")
    assert [text for text in reader.wrong if "Content Security Policy" in text]
    reader.wrong.clear()


def test_keys_step_through_a_game(reader: Reader, sample: Sample) -> None:
    page = reader.open(f"{sample.url}#game-g1")
    with open_database(sample.database, read_only=True) as db:
        row = next(iter(list_games(db, GameQuery(event="first"))))
        fens = fens_of(next(iter(list_pgn(db, GameQuery(event="first")))))
    fens = fens[-row.plies - 1 :]
    assert page.evaluate("document.activeElement.className") == "players"
    fen = page.locator(".fen")
    expect(fen).to_have_value(fens[0])
    for ply, wanted in enumerate(fens[1:], 1):
        page.keyboard.press("ArrowRight")
        expect(fen).to_have_value(wanted)
        assert page.url.endswith(f"#game-g1-{ply}")
        assert page.locator(".moves [aria-current]").get_attribute("data-ply") == str(ply)
        assert board_of(page) == pieces_of(wanted)
    last = row.plies
    for key, ply in (("ArrowRight", last), ("ArrowLeft", last - 1), ("ArrowUp", last - 11),
                     ("Home", 0), ("ArrowLeft", 0), ("ArrowDown", 10), ("End", last)):  # fmt: skip
        page.keyboard.press(key)
        expect(fen).to_have_value(fens[max(ply, 0)])
    page.keyboard.press("Escape")
    assert page.url.endswith("-games")


@pytest.mark.parametrize("form", range(4))
def test_positions_are_those_of_python_chess(reader: Reader, sample: Sample, form: int) -> None:
    texts = [f"[Event {text}" for text in FORMS.split("[Event ")[1:]]
    page = reader.open(sample.url)
    with open_database(sample.database, read_only=True) as db:
        rows = [row for row in list_games(db, GameQuery(engine="plain")) if row.moves]
    ids = {row.start_fen: row.id for row in rows}
    fens = fens_of(texts[form])
    wanted = ids[fens[0]]
    assert wanted in sample.viewed
    page.evaluate(f"location.hash = '#game-{wanted}'")
    expect(page.locator(".fen")).to_have_value(fens[0])
    assert page.locator(".moves tbody tr").all_inner_texts() == rows_of_moves(texts[form])
    for fen in fens:
        expect(page.locator(".fen")).to_have_value(fen)
        board = chess.Board(fen)
        assert board_of(page) == pieces_of(fen)
        assert page.locator(".square.checked").count() == board.is_check()
        page.keyboard.press("ArrowRight")


def test_moves_buttons_and_graph_select_a_ply(reader: Reader, sample: Sample) -> None:
    page = reader.open(f"{sample.url}#game-g2-4")
    current = page.locator(".moves [aria-current]")
    expect(current).to_have_attribute("data-ply", "4")
    page.locator('.moves [data-ply="7"]').click()
    expect(current).to_have_attribute("data-ply", "7")
    page.get_by_role("button", name="One ply back").click()
    expect(current).to_have_attribute("data-ply", "6")
    page.wait_for_selector(".graph .panel:nth-child(4) svg")
    for panel, ply in ((0, 3), (1, 9), (3, 5)):
        place = page.locator(".graph .panel").nth(panel)
        place.scroll_into_view_if_needed()
        x, y = place.evaluate(
            "(place, ply) => { const { view } = window.mtdf.views.get(place);"
            "const box = place.querySelector('svg').getBoundingClientRect();"
            "const [left, top] = view.origin();"
            "return [box.left + left + view.scale('x')(ply), box.top + top + 30]; }",
            ply,
        )
        page.mouse.click(x, y)
        expect(current).to_have_attribute("data-ply", str(ply))
        rule = "place => window.mtdf.views.get(place).view.signal('ply_shown')"
        assert place.evaluate(rule) == ply
    page.keyboard.press("ArrowRight")  # a click on the graph leaves the keys at work
    expect(current).to_have_attribute("data-ply", "6")
    before = board_of(page)
    e1 = '.board [data-square="e1"], .board [data-square="g1"]'
    top = page.locator(e1).first.bounding_box()
    page.get_by_role("button", name="Flip").click()
    flipped = page.locator(e1).first.bounding_box()
    assert top is not None and flipped is not None and flipped["y"] < top["y"]
    assert board_of(page) == before


def test_links_select_a_ply_and_history_works(reader: Reader, sample: Sample) -> None:
    page = reader.open(f"{sample.url}#game-g3-5")
    expect(page.locator(".moves [aria-current]")).to_have_attribute("data-ply", "5")
    page.get_by_role("link", name="Next game").click()
    expect(page.locator(".players small")).to_have_text("g4")
    page.keyboard.press("End")
    last = page.locator(".moves [aria-current]").get_attribute("data-ply")
    page.go_back()
    expect(page.locator(".players small")).to_have_text("g3")
    expect(page.locator(".moves [aria-current]")).to_have_attribute("data-ply", "5")
    page.go_forward()
    expect(page.locator(".moves [aria-current]")).to_have_attribute("data-ply", str(last))
    page.evaluate("location.hash = '#game-g999999-1'")
    expect(page.locator(".choose")).to_have_text("The moves of g999999 are not in this file.")


def test_fen_and_pgn_are_copied(reader: Reader, sample: Sample) -> None:
    page = reader.open(f"{sample.url}#game-g1-2")
    reader.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy FEN").click()
    expect(page.locator(".copied")).to_have_text("FEN copied")
    fen = page.locator(".fen").input_value()
    assert page.evaluate("navigator.clipboard.readText()") == fen
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }")
    page.get_by_role("button", name="Copy PGN").click()
    expect(page.locator(".copied")).to_contain_text("PGN is selected")
    selected = page.evaluate("window.getSelection().toString()")
    with open_database(sample.database, read_only=True) as db:
        assert selected == next(iter(list_pgn(db, GameQuery(event="first"))))


FILTERS: tuple[dict[str, str], ...] = (
    {},
    {"engine": "mtdf", "result": "win"},
    {"engine": "mtdf", "result": "loss"},
    {"engine": "pvs", "opponent": "mtdf"},
    {"engine": "mtdf", "opponent": "bns", "result": "1/2-1/2"},
    {"result": "1-0"},
    {"end_reason": "resign-adjudication"},
    {"min_plies": "10", "max_plies": "20"},
    {"engine": "pvs", "opponent": "bns"},
)


def test_filters_find_what_the_database_finds(reader: Reader, sample: Sample) -> None:
    page = reader.open(sample.url)
    with open_database(sample.database, read_only=True) as db:
        event = find_event(db, "first").key
        box = page.locator(f'.games[data-event="{event}"]')
        sizes = set()
        for wanted in FILTERS:
            box.get_by_role("button", name="All games").click()
            expect(box.locator(".found")).to_contain_text("54 games of 54")
            for name, value in wanted.items():
                field = box.locator(f'[name="{name}"]')
                if name.endswith("plies"):
                    field.fill(value)
                else:
                    field.select_option(value)
            plies = {name: int(value) for name, value in wanted.items() if name.endswith("plies")}
            query: dict[str, Any] = {"event": "first"} | wanted | plies
            found = [row.id for row in _found(db, query)]
            expect(box.locator(".found")).to_contain_text(f"{len(found)} game")
            assert (shown_ids(page, event) if found else []) == found
            sizes.add(len(found))
        assert len(sizes) >= 6 and 0 in sizes  # the filters tell games apart


def _found(db: Any, query: dict[str, Any]) -> list[Any]:
    from toolkit.base.errors import NothingMatched

    try:
        return list(list_games(db, GameQuery(**query)))
    except NothingMatched:
        return []


def test_cell_of_a_pairing_lists_its_games(reader: Reader, sample: Sample) -> None:
    page = reader.open(sample.url)
    with open_database(sample.database, read_only=True) as db:
        event = find_event(db, "first").key
        query = GameQuery(event="first", engine="mtdf", opponent="pvs")
        found = [row.id for row in list_games(db, query)]
    cell = page.locator(f"#event-{event}-pairings a[data-engine=mtdf][data-opponent=pvs]")
    cell.click()
    expect(page.locator(f'.games[data-event="{event}"] .found')).to_contain_text("18 games")
    assert shown_ids(page, event) == found


def test_names_and_comments_are_text(reader: Reader, sample: Sample) -> None:
    page = reader.page
    page.add_init_script("window.alert = () => { throw new Error('alert was called'); }")
    reader.open(sample.url)
    with open_database(sample.database, read_only=True) as db:
        bad = next(row for row in list_games(db, GameQuery(result="1-0")) if row.white == BAD)
    assert page.locator("main img").count() == 0
    assert page.locator("script").count() == page.locator("body > script").count()
    cells = page.locator(f'.games[data-event="{bad.event}"] td.name')
    assert BAD in cells.all_inner_texts()
    page.evaluate(f"location.hash = '#game-{bad.id}-1'")
    expect(page.locator(".players span")).to_have_text(f"{BAD} – plain")
    expect(page.locator(".searches tbody tr").first).to_contain_text("1. e4+31")
    expect(page.locator(".searches tbody tr").last).to_contain_text("--")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".searches tbody tr").first).to_contain_text("1. e4+31")
    expect(page.locator(".searches tbody tr").last).to_contain_text("1… e5#")
    assert "alert(1)" in page.locator(".pgn").input_value()
    name = f"Imported games: {ENDING}<img src=x onerror=alert(5)>"
    heading = page.get_by_role("heading", name=name)
    assert heading.count() == 1
    # A name in a chart: the point of its rating says it.
    dot = page.locator(f"#event-{bad.event} figure svg path[transform]").first
    if dot.count():
        dot.hover()
    assert page.locator("main img, #tooltip img, #tooltip script").count() == 0


def test_game_without_moves_is_marked(reader: Reader, sample: Sample) -> None:
    with open_database(sample.database, read_only=True) as db:
        bare = list(list_games(db))[-1]
    assert bare.moves == []
    page = reader.open(f"{sample.url}#game-{bare.id}-3")
    expect(page.get_by_text("Its moves are not known.")).to_be_visible()
    expect(page.locator(".moves table")).to_be_hidden()
    expect(page.locator(".fen")).to_have_value(chess.STARTING_FEN)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".fen")).to_have_value(chess.STARTING_FEN)
    expect(page.locator(".graph")).to_be_hidden()


@pytest.mark.parametrize(
    "reader", [{"color_scheme": "light"}, {"color_scheme": "dark"}], indirect=True
)
def test_axe_finds_no_violation(reader: Reader, sample: Sample) -> None:
    page = reader.open(f"{sample.url}#game-g1-4")
    page.wait_for_selector(".graph .panel:nth-child(4) svg")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_first_screen_has_verdict_chart_and_table(reader: Reader, sample: Sample) -> None:
    with open_database(sample.database, read_only=True) as db:
        html = make_report(db, [find_event(db, "first")], games=2).html
    file = sample.database.with_name("first.html")
    file.write_text(html, encoding="utf-8")
    page = reader.open(file.as_uri())
    for what in (".verdict", "figure svg", "table", "details.facts"):
        box = page.locator(f"main {what}").first.bounding_box()
        assert box is not None and box["y"] + box["height"] <= 900, what
    assert page.locator("main dl").first.is_hidden()
    page.locator("details.facts summary").click()
    assert page.locator("main dl").first.is_visible()


def test_list_of_runs_is_filtered(reader: Reader, sample: Sample) -> None:
    page = reader.open(sample.url)
    rows = page.locator("#contents tbody tr:visible")
    assert rows.count() == 3
    page.locator('.of-rows [name="words"]').fill("MTDF against")
    assert rows.count() == 1
    page.locator('.of-rows [name="words"]').fill("")
    page.get_by_label("kind").select_option("import")
    assert rows.count() == 2
    contents = page.locator(".contents a").all_inner_texts()
    assert len(contents) == 3 + 3, "a line a chapter: runs, results, ratings and games"


PHONE = {"viewport": {"width": 390, "height": 800}, "color_scheme": "dark"}


@pytest.mark.parametrize("reader", [PHONE], indirect=True)
def test_phone_never_scrolls_sideways(reader: Reader, sample: Sample) -> None:
    with open_database(sample.database, read_only=True) as db:
        ids = [row.id for row in list_games(db) if LONG in (row.white, row.black)]
    page = reader.open(f"{sample.url}#game-{ids[0]}-3")
    expect(page.locator(".players")).to_contain_text(LONG)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate(
        "[...document.querySelectorAll('main *')].filter(e => !e.closest('.wide, .unseen, svg')"
        " && e.getBoundingClientRect().right > 391).map(e => e.outerHTML.slice(0, 80))"
    ) == []  # fmt: skip
    # Tables scroll in their boxes, and charts are as wide as the page.
    assert page.evaluate(
        "[...document.querySelectorAll('figure svg')].every(e => e.clientWidth <= 390)"
    )
    menu = page.locator("details.contents")
    assert menu.get_attribute("open") is None
    menu.locator("summary").click()
    menu.get_by_role("link", name="Ratings of all events").click()
    assert menu.get_attribute("open") is None


@pytest.mark.parametrize("reader", [{"color_scheme": "dark"}], indirect=True)
def test_print_shows_all_and_no_controls(reader: Reader, sample: Sample) -> None:
    page = reader.open(f"{sample.url}#game-g1-4")
    page.wait_for_selector(".graph .panel:nth-child(4) svg")
    page.set_viewport_size({"width": 700, "height": 1000})
    page.emulate_media(media="print")
    for hidden in ("nav.side-nav", ".filters", ".steps", "button >> nth=0", ".copies"):
        expect(page.locator(hidden).first).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    cut = (
        "[...document.querySelectorAll('.wide, .moves')].filter(e => e.offsetParent"
        " && getComputedStyle(e).overflowY !== 'visible').length"
    )
    assert page.evaluate(cut) == 0
    over = (
        "[...document.querySelectorAll('main svg')]"
        ".filter(e => e.getBoundingClientRect().right > 701).length"
    )
    assert page.evaluate(over) == 0
    page.emulate_media(media="screen")
    assert page.pdf().count(b"/Type /Page\n") + page.pdf().count(b"/Type /Page/") >= 2


@pytest.mark.parametrize("reader", [{"java_script_enabled": False}], indirect=True)
def test_tables_need_no_script(reader: Reader, sample: Sample) -> None:
    page = reader.page
    page.goto(sample.url)
    event_tables = page.locator("main table:visible")
    assert event_tables.count() >= 3
    assert page.get_by_role("heading", name="Pairings").count() >= 1
    assert page.get_by_role("rowheader", name="mtdf").count() >= 1
    expect(page.get_by_text("The list needs scripts").first).to_be_visible()


def test_charts_follow_the_colour_scheme(reader: Reader, sample: Sample) -> None:
    page = reader.open(sample.url)
    assert page.locator('.panel[data-drawn="light"]').count() > 0
    page.emulate_media(color_scheme="dark")
    expect(page.locator('main figure .panel[data-drawn="light"]')).to_have_count(0)
    assert page.locator('main figure .panel[data-drawn="dark"] svg').count() > 0
