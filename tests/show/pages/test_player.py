"""The player of recorded searches in a real browser: what a step shows is what an independent walk
of the recording says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from msgspec.structs import replace
from playwright.sync_api import Browser, Page

from engines.spec import Variant
from engines.trees.text import read_tree
from engines.variant import parse_variant
from toolkit.lab.recording import Recording
from toolkit.lab.trace import TraceQuery, trace_search, tree_query
from toolkit.show.pages.document import document
from toolkit.show.pages.parts import Player, Section, Subject
from toolkit.show.pages.player import player_data
from toolkit.show.pages.trace import trace_page

pytestmark = pytest.mark.slow
GUARD_MS = 120_000
NINE = "A(B(3 12 8) C(2 4 6) D(14 5 2))"
CHESS = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3"
SHARED = "A(B(D(6 9) E(1 5)) C(D F(8 3)))"


def recorded(engine: str, tree: str, guess: int | None = None) -> Recording:
    made, variant = read_tree(tree), parse_variant(engine)
    return of(TraceQuery(variant, tree, made.height, tree=made, first_guess=guess, record=True))


def of_position(variant: Variant, fen: str, depth: int) -> Recording:
    return of(TraceQuery(variant, fen, depth, record=True))


def of(query: TraceQuery) -> Recording:
    recording = trace_search(query).recording
    assert recording is not None
    return recording


@dataclass
class Step:
    """What a walk of a recording says of one step."""

    row: int
    enters: bool
    leaves: bool
    path: list[int] = field(default_factory=list)


def walked(recording: Recording) -> list[Step]:
    """The steps, by recursion: enter a visit, take those below it, leave it."""
    visits = recording.visits
    below: dict[int, list[int]] = {}
    for row, parent in enumerate(visits.parent):
        below.setdefault(parent, []).append(row)
    steps = []

    def walk(row: int, path: list[int]) -> None:
        now = [*path, row]
        steps.append(Step(row, True, row not in below, now))
        for one in below.get(row, ()):
            walk(one, now)
        if row in below:
            steps.append(Step(row, False, True, now))

    for row in below[-1]:
        walk(row, [])
    return steps


@pytest.fixture(scope="module")
def opened(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Opens the player of some recordings in a window in which no script may fail."""
    folder, pages, wrong = tmp_path_factory.mktemp("player"), list[Page](), list[str]()

    def open_(*recordings: Recording, width: int = 1300, start: int = 0) -> Page:
        block = Player(player_data(recordings, start))
        html = document("Trace", [Subject("trace", "Trace", "", [Section("a", "", [block])])])
        file = folder / f"{len(pages)}.html"
        file.write_text(html, encoding="utf-8")
        page = browser.new_page(viewport={"width": width, "height": 900})
        pages.append(page)
        page.set_default_timeout(GUARD_MS)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda told: wrong.append(told.text) if told.type == "error" else None)
        page.on("dialog", lambda shown: wrong.append(shown.message))
        page.goto(file.as_uri())
        page.wait_for_selector(".step-words")
        page.locator(".player").focus()
        return page

    yield open_
    for page in pages:
        page.close()
    assert wrong == []


def place(page: Page) -> int:
    """The number of the step that is shown, from 0."""
    return int(page.locator(".controls input").input_value())


def told(page: Page) -> str:
    return page.locator(".step-words").first.inner_text()


def count(page: Page, name: str, column: int = 0) -> int:
    row = page.locator(".totals tbody tr", has=page.get_by_role("rowheader", name=name, exact=True))
    return int(row.locator("td").nth(column).inner_text().replace("\u2009", "").replace(" ", ""))


@pytest.mark.parametrize("engine", ["mtdf:preset=plaat", "pvs", "sss", "bns"])
def test_every_step_shows_what_the_walk_says(opened: Any, engine: str) -> None:
    recording = recorded(engine, SHARED)
    visits, steps = recording.visits, walked(recording)
    page = opened(recording)
    entered, hits, expanded = 0, 0, 0
    for number, step in enumerate(steps):
        assert place(page) == number
        if step.enters:
            entered += 1 + visits.below[step.row]
            hits += visits.hits[step.row]
        if step.leaves:
            expanded += visits.expanded[step.row]
        assert count(page, "nodes") == entered
        assert count(page, "entries found in the table") == hits
        assert count(page, "expanded") == expanded
        # What is not left yet is open; the node of the step is marked.
        open_ = len(step.path) - step.leaves
        assert page.locator(".search-tree .open").count() == open_
        assert page.locator(".search-tree .now").count() == 1
        sign = 1 if (len(step.path) - 1) % 2 == 0 else -1
        value = str(sign * visits.value[step.row]).replace("-", "−")
        if step.leaves:
            assert f"It returns {value}" in told(page) or f" with {value}" in told(page)
        assert told(page).startswith("Pass ") == (step.enters and visits.parent[step.row] < 0)
        page.keyboard.press("ArrowRight")
    assert place(page) == len(steps) - 1
    assert "The search " in told(page)
    page.keyboard.press("Home")
    assert place(page) == 0


def test_breakpoints_lead_to_what_they_name(opened: Any) -> None:
    recording = recorded("mtdf:preset=plaat", NINE, guess=9)
    visits, steps = recording.visits, walked(recording)
    page = opened(recording)
    wanted = {
        "p": lambda one: one.enters and visits.parent[one.row] < 0,
        "c": lambda one: one.leaves and recording.reasons[visits.reason[one.row]].cut,
        "t": lambda one: one.enters and visits.hits[one.row] > 0,
        "r": lambda one: one.leaves and visits.again[one.row] == 1,
    }
    for key, test in wanted.items():
        places = [at for at, step in enumerate(steps) if test(step)]
        page.keyboard.press("Home")
        for at in (at for at in places if at > 0):
            page.keyboard.press(key)
            assert place(page) == at, key
        page.keyboard.press(key)
        assert "There is no later one" in page.locator(".missing").inner_text()
        page.keyboard.press(f"Shift+{key.upper()}")
        assert place(page) == ([0, *places][-2] if places[-1:] == [place(page)] else places[-2])
    # The next visit of the node of this step, and a pass of the table.
    page.keyboard.press("Home")
    page.keyboard.press("v")
    assert steps[place(page)].enters and visits.parent[steps[place(page)].row] < 0
    page.locator(".passes button").first.click()
    assert place(page) == 0
    page.locator(".search-tree [data-place='5']").click()
    assert told(page).startswith("Enter C")
    page.locator(".controls input").fill(str(len(steps) - 1))
    assert "The search is over: value 3, principal variation B 1." in told(page)
    page.evaluate("location.hash = '#player-1-4'")
    page.wait_for_function("document.querySelector('.controls input').value === '3'")


def test_two_searches_step_by_nodes(opened: Any) -> None:
    one, other = recorded("mtdf:preset=plaat", NINE, guess=9), recorded("minimax", NINE)
    page = opened(one, other)
    totals = [sum(1 + below for below in each.visits.below) for each in (one, other)]
    for nodes in range(1, max(totals) + 1):
        assert place(page) == nodes
        assert [count(page, "nodes", at) for at in (0, 1)] == [min(nodes, all_) for all_ in totals]
        page.keyboard.press("ArrowRight")
    assert [text.count("is over") for text in page.locator(".step-words").all_inner_texts()] == [
        1,
        1,
    ]
    page.keyboard.press("Home")
    page.keyboard.press("p")
    assert count(page, "nodes") == one.passes[0].nodes + 1


def test_a_board_follows_the_moves(opened: Any) -> None:
    variant = parse_variant("pvs:game=connect-four")
    recording = of_position(variant, "------------------------------------------ x", 2)
    page = opened(recording)
    for step in walked(recording):
        assert page.locator(".board [data-piece]").count() == len(step.path) - 1
        page.keyboard.press("ArrowRight")


NAMES = (
    # markup and scripts
    *(
        "<b>",
        "</script>",
        "<!--",
        "-->",
        "]]>",
        "&amp;",
        "&#60;b&#62;",
        "<img src=x onerror=alert(1)>",
    ),
    *("<svg/onload=alert(1)>", "javascript:alert(1)", "';alert(1)//", '"><i>', "</title><b>"),
    # quotes, templates and formats
    *("'", '"', "`", "${x}", "{{x}}", "{% x %}", "\\", "\\u003cb", "%s", "%00", "$&", "$1"),
    # what scripts and numbers know
    *(
        "constructor",
        "__proto__",
        "toString",
        "hasOwnProperty",
        "valueOf",
        "length",
        "null",
        "undefined",
    ),
    *("NaN", "-0", "0", "1e999", "Infinity", "true", "root"),
    # scripts from right to left, marks and signs
    *(
        "אבג",
        "אבג 12",
        "ﷺ",
        "مرحبا",
        "\u202eabc",
        "\u202d",
        "\u2066x",
        "\u200f",
        "e\u0301",
        "Z\u0351\u0352\u0353",
    ),
    *("🏳️‍🌈", "👩‍👩‍👧", "\u200b", "\ufeff", "\u2028", "\u2029", "x" * 300, "字" * 40, "٣", "a\tb"),
)


def shown_as(name: str) -> str:
    """A name in a sentence: one of another script keeps its direction to itself."""
    return name if all(" " <= char <= "~" for char in name) else f"\u2068{name}\u2069"


def test_hostile_names_are_text(opened: Any) -> None:
    """Names come to the player as the recorder gives them, whatever the grammar of trees allows."""
    recording = recorded("minimax", "random:depth=2,width=8,seed=1,values=0..9")
    assert recording.tree is not None and len(recording.tree) > len(NAMES) >= 58
    names = [NAMES[at % len(NAMES)] for at in range(len(recording.tree))]
    moves = [f"{NAMES[at]}{move}" for at, move in enumerate(recording.moves)]
    new = dict(zip(recording.moves, moves, strict=True))
    tree = [
        replace(one, name=name, move=new.get(one.move, ""))
        for one, name in zip(recording.tree, names, strict=True)
    ]
    page = opened(replace(recording, engine="x" * 300, tree=tree, moves=moves), width=390)
    drawn = page.locator(".search-tree .node")
    title = "all => all.map(one => [one.dataset.place, one.querySelector('title').textContent])"
    titles = {int(at): text for at, text in drawn.evaluate_all(title)}
    assert sorted(titles) == list(range(len(tree)))
    for at, text in titles.items():
        assert shown_as(names[at]) in text, at
    for step in walked(recording):
        text = page.locator(".step-words").first.text_content()
        assert shown_as(names[step.row]) in text, (step, text)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, step
        page.keyboard.press("ArrowRight")
    # No element comes from a name.
    for tag in ("b", "i", "img", "script", "title[id]", "[onload]", "[onerror]"):
        assert page.locator(f".player {tag}").count() == 0, tag


def test_windows_beyond_all_leaves_are_those_of_the_pass(opened: Any) -> None:
    """SSS* and DUAL* begin at infinity, of which plies are no part in a tree without mates."""
    for driver, window in (("sss", "(∞−1, ∞)"), ("dual", "(−∞, −∞+1)")):
        recording = recorded(driver, SHARED)
        page, first = opened(recording), recording.passes[1].first_visit
        for step in walked(recording):
            if first is not None and step.row >= first:
                break
            if step.enters:
                assert f"window {window}" in told(page), driver
            page.keyboard.press("ArrowRight")
    variant = parse_variant("dual:game=connect-four")
    page = opened(of_position(variant, "------------------------------------------ x", 1))
    assert "window (−∞, −31999)" in told(page)  # in a game a mate at once is asked for


def test_passes_have_their_counts_and_the_first_step_its_guess(opened: Any) -> None:
    for recording in (recorded("mtdf:preset=plaat", NINE, 9), recorded("bns", SHARED)):
        page, visits = opened(recording), recording.visits
        firsts = [one.first_visit for one in recording.passes]
        cells = page.locator(".passes tbody tr").evaluate_all(
            "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
        )
        for row, start, end in zip(cells, firsts, [*firsts[1:], len(visits.parent)], strict=True):
            inside = slice(start, end)
            counted = [
                sum(1 + below for below in visits.below[inside]),
                visits.depth[inside].count(0),
                sum(visits.hits[inside]),
                sum(visits.expanded[inside]),
                sum(visits.again[inside]),
            ]
            assert [int(text) for text in row[-5:]] == counted
        guess = recording.first_guess
        assert (f"The first guess is {guess} (" in told(page)) == (guess is not None)


def test_labels_lie_inside_the_picture(opened: Any) -> None:
    wide = "((29999 -30000) (-29998 29998 7) (-29997 29997))"
    for engine, tree in (("sss", SHARED), ("dual", SHARED), ("mtdf:preset=plaat", wide)):
        page = opened(recorded(engine, tree), width=390)
        for key in "pppp":
            page.keyboard.press(key)
            page.keyboard.press("ArrowLeft")  # the end of the pass before
            outside = page.locator(".strip").evaluate(
                "svg => [...svg.querySelectorAll('text')].filter(text => {"
                " const box = text.getBBox(), { width, height } = svg.viewBox.baseVal;"
                " return box.x < 0 || box.x + box.width > width || box.y + box.height > height;"
                "}).map(text => text.textContent)"
            )
            assert outside == [], engine
            page.keyboard.press("ArrowRight")


def test_the_table_of_nodes_is_a_tree(browser: Browser) -> None:
    query = replace(tree_query(NINE), record=True)
    page = browser.new_page()
    page.set_content(trace_page(trace_search(query)))
    table = page.get_by_role("table", name="Nodes of the tree")
    page.wait_for_selector(".step-words")
    left = table.locator("tbody tr").evaluate_all(
        "rows => rows.map(row => {"
        " const range = document.createRange(), text = row.cells[0].firstChild;"
        " range.setStart(text, text.data.search(/\\S/));"
        " range.setEnd(text, text.data.length);"
        " return range.getBoundingClientRect().x; })"
    )
    plies = [0, *[1, 2, 2, 2] * 3]
    assert sorted(set(left)) == [left[0], left[1], left[2]]
    assert [sorted(set(left)).index(x) for x in left] == plies
    page.close()


def test_large_searches_draw_what_is_in_view(opened: Any) -> None:
    recording = of_position(parse_variant("mtdf"), CHESS, 4)
    page = opened(recording, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for key in ("End", "Home", "c", "t", "p", "r"):
        page.keyboard.press(key)
        assert page.locator(".player *").count() < 1500
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_axe_finds_nothing(opened: Any) -> None:
    page = opened(recorded("mtdf:preset=plaat", NINE), recorded("pvs", NINE))
    page.keyboard.press("c")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_print_has_the_passes_and_no_controls(opened: Any) -> None:
    page = opened(recorded("mtdf:preset=plaat", NINE))
    page.emulate_media(media="print")
    assert page.locator(".controls").is_hidden() and page.locator(".breaks").is_hidden()
    assert page.locator(".passes tbody tr").first.is_visible()
