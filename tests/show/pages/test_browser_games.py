"""Boards of other games than chess in a real browser: each game says how they are drawn."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from cli import program
from db.session import open_database
from engines.choices import GAMES
from engines.rules.board import NOTHING
from engines.rules.catalog import rules_of
from toolkit.commands._program import run_program
from toolkit.imports.run import import_file
from toolkit.reports.games import GameQuery, find_games, list_moves, position_at
from toolkit.show.pages.report import make_report

pytestmark = pytest.mark.slow
OTHERS = [game for game in GAMES if not rules_of(game).uci]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pair of each of the other games."""
    path = tmp_path_factory.mktemp("games") / "games.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "excepthook", sys.excepthook)
        for game in OTHERS:
            words = ("match", "mtdf", "pvs", "--game", game, "--pairs", "1", "--nodes", "20")
            options = ("--max-plies", "30", "--name", game, "--quiet", "--db", str(path))
            assert run_program(program, (*words, *options)) == 0
    return path


@pytest.fixture(scope="module")
def page(database: Path, browser: Browser) -> Page:
    """A report of everything in that database."""
    with open_database(database, read_only=True) as db:
        html = make_report(db, None, games=10).html
    file = database.with_name("report.html")
    file.write_text(html, encoding="utf-8")
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.set_default_timeout(120_000)
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-drawn]", timeout=120_000)
    return page


def drawn_on(page: Page) -> dict[str, str]:
    """The pieces on the board, by square."""
    script = "all => all.map(e => [e.dataset.square, e.dataset.piece])"
    return dict(page.eval_on_selector_all(".board [data-square]", script))


@pytest.mark.parametrize("game", OTHERS)
def test_keys_step_through_a_game(page: Page, database: Path, game: str) -> None:
    with open_database(database, read_only=True) as db:
        record = next(find_games(db, GameQuery(event=game)))
        moves = list_moves(record)
    look = rules_of(game).look
    page.evaluate(f"location.hash = '#game-g{record.id}'")
    page.wait_for_selector(f".moves [data-ply='{len(moves)}']")
    page.locator(".players").focus()
    for ply in range(len(moves) + 1):
        board = position_at(record, ply)
        assert page.locator(".fen").input_value() == board.text()
        stands = zip(look.squares, board.squares(), strict=True)
        pieces = {name: letter for name, letter in stands if letter != NOTHING}
        assert drawn_on(page) == pieces
        white = sum(look.pieces[letter].white for letter in pieces.values())
        assert page.locator(".board circle.disc.white").count() == white
        assert page.locator(".board circle.disc").count() == len(pieces)
        crowned = [look.pieces[letter].shape == "crowned disc" for letter in pieces.values()]
        assert page.locator(".board text.crown").count() == sum(crowned)
        if ply:
            before = position_at(record, ply - 1)
            code = rules_of(game).move_code(moves[ply - 1].uci)
            assert page.locator(".square.last").count() == len(set(before.marked(code)))
        page.keyboard.press("ArrowRight")


@pytest.mark.parametrize("game", OTHERS)
def test_moves_are_numbered_from_the_side_that_begins(
    page: Page, database: Path, game: str
) -> None:
    with open_database(database, read_only=True) as db:
        record = next(find_games(db, GameQuery(event=game)))
        moves = [move.san for move in list_moves(record)]
    page.evaluate(f"location.hash = '#game-g{record.id}-1'")
    rows = page.locator(".moves tbody tr").all_inner_texts()
    first = position_at(record, 0)
    sides = ["White", "Black"] if first.white_to_move else ["Black", "White"]
    assert first.begins_number()
    assert rows[0] == f"{first.number()}.\t{moves[0]}\t{moves[1]}"
    heads = page.locator(".moves thead th").all_inner_texts()
    assert heads == ["number", *sides]


def test_turned_board_has_the_same_pieces(page: Page, database: Path) -> None:
    page.evaluate("location.hash = '#game-g1-9'")
    before = drawn_on(page)
    placed = "document.querySelectorAll('.board [data-square]')"
    where = f"[...{placed}].map(e => e.getAttribute('transform'))"
    places = page.evaluate(where)
    page.locator(".flip").click()
    assert drawn_on(page) == before and page.evaluate(where) != places
    page.locator(".flip").click()
    assert page.evaluate(where) == places


def test_each_game_has_its_own_ratings(page: Page) -> None:
    titles = page.locator("h3, h2").all_inner_texts()
    assert {f"Ratings in {rules_of(game).title}" for game in OTHERS} <= set(titles)


def test_viewer_shows_what_engines_printed(tmp_path: Path, browser: Browser) -> None:
    """Of the chosen move, and only in games that have it."""
    moves = '1. e4 {+0.1/2 1s, sd=3, pv="e2e4 e7e5"} e5 {+0.1/2 1s} 2. Nf3 {+0.1/2 1s, tbhits=0} *'
    tags = '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n'
    (tmp_path / "games.pgn").write_text(
        f"{tags}{moves.replace('*', '1-0')}\n\n{tags}1. d4 {{+0.1/2 1s}} 1-0\n"
    )
    with open_database(tmp_path / "games.db") as db:
        import_file(db, tmp_path / "games.pgn")
        html = make_report(db, None, games=10).html
    (tmp_path / "report.html").write_text(html, encoding="utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    page.wait_for_selector("html[data-drawn]", timeout=120_000)
    printed = page.locator(".printed")
    for ply, text in enumerate(("--", "e4 e5, seldepth 3", "--", "tbhits 0")):
        page.evaluate(f"location.hash = '#game-g1-{ply}'")
        page.wait_for_function(
            "text => document.querySelector('.printed').textContent === text", arg=text
        )
        assert printed.is_visible()
    page.evaluate("location.hash = '#game-g2-1'")
    page.wait_for_selector(".printed", state="hidden")
