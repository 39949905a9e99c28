"""A served page in a real browser: it follows an event, and its list asks the server."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from cli import program
from db.errors import DatabaseError
from db.session import Database, open_database
from toolkit.commands._program import run_program
from toolkit.reports.games import GameQuery, PgnTexts, find_game, list_games
from toolkit.selection.events import find_event
from toolkit.show.pages.document import document
from toolkit.show.pages.event import event_subject
from toolkit.show.pages.game import LISTED, game_data
from toolkit.show.pages.parts import Section, Subject, Viewer, Words
from toolkit.show.pages.server.assets import addresses, assets

pytestmark = pytest.mark.slow
GUARD_MS = 120_000
expect.set_options(timeout=GUARD_MS)
HOST = "http://mtdf.test"


class Server:
    """What a browser asks is answered here, in this process; ``stage`` is what has been played."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.event = find_event(db, "last")
        self.whole = event_subject(db, self.event, None)
        self.stage: Subject = self.whole
        self.is_down = False
        self.questions: list[dict[str, list[str]]] = []
        self.readings = 0

    def answer(self, route: Route) -> None:
        """A page or a list of games."""
        url = urlsplit(route.request.url)
        if self.is_down:
            route.abort()
        elif url.path.endswith("/games"):
            route.fulfill(body=json.dumps(self.games(parse_qs(url.query))))
        elif url.path.startswith("/assets/"):
            found = assets()[url.path.rsplit("/", 1)[1]]
            route.fulfill(body=found.body, content_type=found.media_type)
        elif url.path.startswith("/games/"):
            route.fulfill(body=self.game(url.path.rsplit("/", 1)[1]), content_type="text/html")
        elif url.path.startswith("/events/"):
            self.readings += 1
            html = document("Live", [self.stage], addresses=addresses())
            route.fulfill(body=html, content_type="text/html")
        else:
            route.fulfill(status=404)

    def games(self, query: dict[str, list[str]]) -> dict[str, Any]:
        self.questions.append(query)
        names = ("engine", "opponent", "result", "end_reason")
        wanted: dict[str, Any] = {name: query[name][0] for name in names if name in query}
        rows = list(list_games(self.db, GameQuery(event=self.event, **wanted)))
        page = int(query["page"][0])
        kept = [{name: getattr(row, name) for name in LISTED} for row in rows]
        return {"games": len(rows), "page": page, "rows": kept[50 * (page - 1) : 50 * page]}

    def game(self, name: str) -> str:
        game = find_game(self.db, name)
        block = Viewer({name: game_data(self.db, game, self.event.key, {}, PgnTexts(self.db))})
        subject = Subject(f"game-{name}", name, "game", [Section("game", "Game", [block])])
        return document(name, [subject], addresses=addresses())


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    path = tmp_path_factory.mktemp("live") / "games.db"
    words = ("gauntlet", "--hero", "mtdf", "--field", "pvs", "--field", "bns", "--pairs", "14",
             "--nodes", "40", "--max-plies", "12", "--quiet", "--db", str(path))  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "excepthook", sys.excepthook)
        assert run_program(program, words) == 0
    with open_database(path, read_only=True) as db:
        yield db


@pytest.fixture
def server(database: Database) -> Server:
    return Server(database)


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1300, "height": 700})
    context.route("**/*", server.answer)
    made = context.new_page()
    made.set_default_timeout(GUARD_MS)
    wrong: list[str] = []
    made.on("pageerror", lambda error: wrong.append(str(error)))
    made.on("console", lambda message: wrong.append(message.text))
    yield made
    context.close()
    # A connection that is lost is seen on the console too, and nothing else.
    assert [text for text in wrong if "net::ERR_" not in text] == []


def test_page_grows_while_games_are_played(page: Page, server: Server) -> None:
    key = server.whole.key
    result = server.whole.sections[0]
    early = [Section("result", "Result", [Words("No game is stored yet.")])]
    server.stage = replace(server.whole, sections=early, is_live=True)
    page.goto(f"{HOST}/events/{server.event.key}")
    page.evaluate("window.isSame = true")
    expect(page.get_by_text("No game is stored yet.")).to_be_visible()
    server.stage = replace(server.whole, is_live=True)
    expect(page.locator(f"#{key}-pairings")).to_be_visible()
    expect(page.locator(f"#{key}-result figure svg")).to_have_count(1)
    expect(page.get_by_text("No game is stored yet.")).to_have_count(0)
    expect(page.locator(".found")).to_contain_text("56 games of 56")
    titles = [section.title for section in server.whole.sections if section.title]
    expect(page.locator(".contents a")).to_have_count(len(titles))
    assert page.locator("main h2").all_inner_texts() == titles

    # What did not change stays, with the place of the reader.
    page.locator('.games select[name="engine"]').select_option("pvs")
    page.locator("details.facts summary").click()
    page.locator(f"#{key}-pairings .wide").first.focus()
    page.evaluate("document.querySelectorAll('main section').forEach(e => { e.isOld = true; })")
    at = page.evaluate("window.scrollY")
    changed = replace(result, blocks=[Words("A new verdict <b>"), *result.blocks])
    sections = [changed, *server.whole.sections[1:]]
    place = next(at for at, section in enumerate(sections) if section.key == "pairings")
    crossed = sections[place]
    sections[place] = replace(crossed, blocks=[*crossed.blocks, Words("More is known.")])
    server.stage = replace(server.stage, sections=sections)
    expect(page.get_by_text("A new verdict <b>")).to_be_visible()
    expect(page.get_by_text("More is known.")).to_be_visible()
    expect(page.locator("main dl").first).to_be_visible()
    kept = page.eval_on_selector_all("main section", "all => all.map(e => e.isOld === true)")
    assert kept == [section.key not in ("result", "pairings") for section in sections]
    assert page.evaluate("document.activeElement.className") == "wide"
    assert page.evaluate("document.activeElement.closest('section').id") == f"{key}-pairings"
    assert abs(page.evaluate("window.scrollY") - at) < 120  # the new paragraph above, at most
    expect(page.locator('.games select[name="engine"]')).to_have_value("pvs")
    assert page.evaluate("window.isSame") is True

    server.stage = replace(server.stage, is_live=False)
    expect(page.locator("#live-note")).to_contain_text("over")


def test_lost_connection_is_shown_and_retried(page: Page, server: Server) -> None:
    server.stage = replace(server.whole, is_live=True)
    page.goto(f"{HOST}/events/{server.event.key}")
    expect(page.locator("#live-note")).to_contain_text("follows")
    server.is_down = True
    expect(page.locator("#live-note")).to_contain_text("could not be read")
    before = server.readings
    server.is_down = False
    expect(page.locator("#live-note")).to_contain_text("follows")
    assert server.readings > before


def test_list_of_games_asks_the_server(page: Page, server: Server) -> None:
    page.goto(f"{HOST}/events/{server.event.key}")
    expect(page.locator(".found")).to_have_text("56 games of 56")
    page.get_by_role("button", name="Next page").click()
    expect(page.locator("tbody th").filter(has_text="g56")).to_be_visible()
    page.locator('select[name="engine"]').select_option("mtdf")
    page.locator('select[name="opponent"]').select_option("bns")
    expect(page.locator(".found")).to_contain_text("28 games of 56")
    asked = {"engine": ["mtdf"], "opponent": ["bns"], "page": ["1"]}
    assert server.questions[-1] == asked
    link = page.locator(".games tbody a").nth(1)
    name = link.inner_text()
    link.click()
    expect(page.locator(".players small")).to_have_text(name)
    page.locator(".viewer").focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(f"{HOST}/games/{name}#ply-1")
    page.get_by_role("link", name="Next game").click()
    expect(page.locator(".players small")).not_to_have_text(name)
    page.get_by_role("link", name="List of games").click()
    expect(page.locator(".found")).to_be_visible()
    page.go_back()
    page.go_back()
    expect(page.locator(".moves [aria-current]")).to_have_attribute("data-ply", "1")
    page.go_back()
    expect(page.locator(".found")).to_contain_text("28 games of 56")
    expect(page.locator('select[name="opponent"]')).to_have_value("bns")


def test_mtdf_serve_shows_a_run_of_another_process(browser: Browser, tmp_path: Path) -> None:
    database = str(tmp_path / "games.db")
    run = [sys.executable, "-m", "cli"]
    play = [*run, "match", "mtdf", "pvs", "--nodes", "60", "--max-plies", "16", "--quiet",
            "--db", database]  # fmt: skip
    playing = subprocess.Popen([*play, "--pairs", "4000", "--name", "live"])
    key = _running(database)
    with subprocess.Popen(
        [*run, "serve", "--port", "0", "--db", database], stdout=subprocess.PIPE
    ) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline().decode()
            url = line.rpartition(" at ")[2].strip().rstrip("/")
            page = browser.new_context().new_page()
            page.set_default_timeout(GUARD_MS)
            asked: list[str] = []
            page.on("request", lambda request: asked.append(request.url))
            page.goto(f"{url}/events/{key}")
            page.evaluate("window.isSame = true")
            found = page.locator(".found")
            expect(found).to_contain_text(re.compile(r"[1-9].* games of"))
            expect(page.locator(".verdict")).to_have_text(re.compile(r"of 8.000 games, .* left"))
            before = found.inner_text()
            expect(found).not_to_have_text(before)
            assert page.evaluate("window.isSame") is True
            playing.send_signal(signal.SIGINT)
            playing.wait(300)
            assert all(each.startswith(url) for each in asked)
            page.context.close()
        finally:
            for process in (playing, server):
                process.kill()


def _running(database: str) -> str:
    """The key of the event that another process has begun."""
    end = time.monotonic() + 300
    while time.monotonic() < end:
        if Path(database).exists():
            with suppress(DatabaseError), open_database(database, read_only=True) as db:
                for event in db.repository.events():
                    if event.status == "running":
                        return event.key
        time.sleep(0.2)
    raise AssertionError("no event began")
