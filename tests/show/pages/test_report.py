"""`mtdf report`: what the file has, what it leaves out and says so, and that it is only data."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from cli import program
from db.session import open_database
from toolkit.base.format import format_number
from toolkit.commands._program import run_program
from toolkit.lab import measuring
from toolkit.reports.games import GameQuery, list_games
from toolkit.reports.scores import event_scores
from toolkit.reports.sprt import stored_sprt
from toolkit.selection.events import find_event
from toolkit.show.pages import report as report_module
from toolkit.show.pages.event import event_subject
from toolkit.show.pages.overview import contents_subject, studies_subject
from toolkit.show.pages.parts import TableBlock, Words
from toolkit.show.pages.report import Report, find_runs, make_report
from toolkit.stats.match import match_statistics
from toolkit.tuning.study.report import find_study

GUARD_MS = 120_000
EVIL = "</svg><script>alert(1)</script>&\"'$[/x]"
PLAY = (
    *("gauntlet", "--hero", "mtdf", "--field", "pvs", "--field", "alphabeta", "--pairs", "4"),
    *("--nodes", "40", "--max-plies", "20", "--seed", "7", "--name", "first", "--quiet"),
)
TEST = (
    *("sprt", "--test", "pvs", "--base", "mtdf", "--elo0", "0", "--elo1", "30", "--nodes", "40"),
    *("--max-plies", "16", "--max-pairs", "6", "--seed", "3", "--name", "second", "--quiet"),
)
TUNE = (
    *("tune", "run", "--base", "mtdf", "--param", "guess", "--param", "null_move_reduction"),
    *("--nodes", "30", "--budget-pairs", "20", "--seed", "1", "--name", "third", "--quiet"),
)
SEARCH = (
    *("lab", "compare", "--engine", "mtdf", "--depth", "1..2", "--limit-positions", "3"),
    *("--name", "fourth", "--quiet"),
)
FILLED = ("data..", "{{7*7}}", "{% raw %}", "${x}", "constructor", "__proto__")
"""Names that a template or an object of JavaScript might take for something of theirs."""
PGN = f"""[Event "x"]
[White "{EVIL.replace('"', chr(92) + '"')}"]
[Black "plain"]
[Result "1-0"]

1. e4 {{</script><script>alert(2)</script>}} e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0
"""
PGN += "".join(
    f'\n[White "{name}"]\n[Black "plain"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n' for name in FILLED
)


class Elements(HTMLParser):
    """The elements of a page: their names and attributes, and the text of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._inside = tag
        if tag in self.raw:
            self.raw[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in self.raw:
            self.raw[self._inside][-1] += data


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    (folder / "evil.pgn").write_text(PGN, encoding="utf-8")
    path = folder / "games.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.excepthook", sys.excepthook)
        patch.setattr(measuring, "_WARM_CPU_MS", 1)
        for words in (PLAY, TEST, TUNE, SEARCH, ("import", str(folder / "evil.pgn"), "--quiet")):
            assert run_program(program, (*words, "--db", str(path))) == 0
    return path


@pytest.fixture(scope="module")
def report(database: Path) -> Report:
    """A report of everything."""
    with open_database(database, read_only=True) as db:
        return make_report(db, None, games=100)


@pytest.fixture(scope="module")
def short(database: Path) -> Report:
    """A report of the second event with the moves of two games."""
    with open_database(database, read_only=True) as db:
        return make_report(db, find_runs(db, ["second"], [], []), games=2)


@pytest.fixture(scope="module")
def whole(report: Report) -> str:
    """Its text."""
    return report.html


def data_of(text: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_report_of_everything_has_each_run_once(database: Path, report: Report) -> None:
    with open_database(database, read_only=True) as db:
        events = [event.key for event in db.repository.events() if event.kind != "tuning"]
    elements = Elements(report.html).found
    ids = {attributes.get("id") for tag, attributes in elements if tag == "article"}
    runs = {*(f"event-{key}" for key in events), "study-third", "lab-fourth"}
    assert runs | {"contents", "ratings", "games"} == ids
    assert report.chapters == len(runs) + 1  # the ratings


def test_list_of_runs_has_their_results(database: Path) -> None:
    """Elo of the engine under test, the verdict of a test, the gain of a study, the ratios of a
    laboratory run, nothing of an import; the newest first."""
    with open_database(database, read_only=True) as db:
        (table,) = contents_subject(db).sections[0].blocks
        assert isinstance(table, TableBlock)
        keys = [row[0].subject for row in table.rows]
        shown = {row[0].subject: row[1].text for row in table.rows}
        event, test = (find_event(db, name) for name in ("first", "second"))
        names = {row[0].subject: row[-1].text for row in table.rows}
        assert names["study-third"] == "third" and names["lab-fourth"] == "fourth"
        assert names[f"event-{event.key}"] == f'{event.key} "first"'
        pentanomials = [score.pentanomial for score in event_scores(db, event)]
        elo = match_statistics([sum(column) for column in zip(*pentanomials, strict=True)]).elo
        first, second = (f"event-{one.key}" for one in (event, test))
        assert shown[first].startswith(f"mtdf {format_number(elo, signed=True)} ")
        said = event_subject(db, event, None).sections[0].blocks[0]
        assert isinstance(said, Words) and said.text.startswith(shown[first]), "as on its own page"
        outcome = stored_sprt(db, test).result
        verdict, decided = outcome.test, outcome.verdict in ("H0", "H1")
        assert shown[second].startswith(f"{outcome.verdict} accepted" if decided else "pvs ")
        assert shown["study-third"] and "relative to" in shown["lab-fourth"]
        assert [key for key, text in shown.items() if not text] == keys[:1]
        assert keys[1:] == ["lab-fourth", "study-third", second, first]
        bars = {row[0].subject: row[2].bar for row in table.rows if row[2].bar}
        assert bars == {second: (verdict.llr, verdict.lower, verdict.upper)}


def test_several_studies_stand_side_by_side(database: Path) -> None:
    with open_database(database, read_only=True) as db:
        study = find_study(db, "third")
        made = make_report(db, [study, study], games=0)
        assert made.chapters == 2 and "Studies side by side" in made.html
        studies, values = (one.blocks[0] for one in studies_subject(db, [study] * 2).sections)
        assert isinstance(studies, TableBlock) and isinstance(values, TableBlock)
        assert [row[0].subject for row in studies.rows] == ["study-third", "study-third"]
        assert [row[0].text for row in values.rows] == ["guess", "null_move_reduction"]
        assert all(row[1].text == row[2].text != "" for row in values.rows)


def test_title_says_what_was_played_and_stands_once(database: Path, short: Report) -> None:
    with open_database(database, read_only=True) as db:
        for names, title in (
            ((["first"], [], []), "mtdf against pvs and alphabeta, 40 nodes/move"),
            ((["second"], [], []), "pvs against mtdf, 40 nodes/move"),
            (([], ["third"], []), "Tuning of guess and null_move_reduction"),
            (([], [], ["fourth"]), "pvs:window=0, pvs and mtdf on lab-60, depths 1, 2"),
        ):
            runs = find_runs(db, *names)
            page = (short if "second" in names[0] else make_report(db, runs, games=2)).html
            body = re.sub(r"<(head|script)\b.*?</\1>", "", page, flags=re.DOTALL)
            assert re.findall(r"<h1>(.*?)</h1>", body) == [title]
            assert body.count(title) == 1, title


def test_same_database_gives_the_same_file(database: Path, short: Report) -> None:
    with open_database(database, read_only=True) as db:
        assert make_report(db, find_runs(db, ["second"], [], []), games=2).html == short.html


def test_report_is_drawn_in_a_browser(whole: str, browser: Browser, tmp_path: Path) -> None:
    """Without a request or an error; test_browser.py tries the rest."""
    file = tmp_path / "report.html"
    file.write_text(whole, encoding="utf-8")
    page = browser.new_page()
    page.set_default_timeout(GUARD_MS)
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: wrong.append(request.url))
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-drawn]")
    charts = page.locator("figure .panel")
    assert charts.locator("svg").count() == charts.count() > 4
    page.close()
    assert wrong == [file.as_uri()]


def test_rows_are_those_of_the_commands(
    database: Path, whole: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = data_of(whole)["rows"]
    with open_database(database, read_only=True) as db:
        first, second = (f"event-{find_event(db, name).key}" for name in ("first", "second"))

    def printed(*words: str) -> Any:
        capsys.readouterr()
        assert run_program(program, (*words, "--json", "--db", str(database))) == 0
        found = json.loads(capsys.readouterr().out)
        for row in found if isinstance(found, list) else [found]:
            row.pop("program_backend")
        return found

    assert rows[first]["stats"] == printed("stats", "first")
    assert rows[first]["ratings"] == printed("ratings", "--event", "first")
    assert rows[first]["crosstable"] == printed("crosstable", "--event", "first")
    assert rows[second]["stats"] == printed("stats", "second")
    assert rows["study-third"]["study"] == printed("show", "third")
    assert rows["study-third"]["trials"] == printed("tune", "trials", "third")
    assert rows["lab-fourth"]["lab"] == printed("show", "fourth")


def test_sprt_of_the_page_equals_that_of_the_run(
    database: Path, whole: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page computes the test from the database, the run from its games as they come."""
    assert run_program(program, ("resume", "second", "--json", "--db", str(database))) == 0
    row = json.loads(capsys.readouterr().out)
    with open_database(database, read_only=True) as db:
        key = find_event(db, "second").key
    subject = data_of(whole)["rows"][f"event-{key}"]
    ended = {"ended_at": row["ended_at"]}  # it was resumed meanwhile
    assert (subject["sprt"] | ended).items() <= row.items()
    assert subject["llr"][-1]["llr"] == row["test"]["llr"]
    assert [one["pairs"] for one in subject["llr"]] == list(range(1, row["pairs_tested"] + 1))


def test_games_with_moves_are_as_many_as_asked(database: Path, short: Report) -> None:
    with open_database(database, read_only=True) as db:
        every = make_report(db, find_runs(db, ["second"], [], []), games=1000)
        games = {row.id: row for row in list_games(db, GameQuery(event="second"))}
        for wanted, made in ((2, short), (1000, every)):
            kept = data_of(made.html)["games"]
            assert made.viewed == len(kept) == min(wanted, len(games))
            assert made.games == len(games)
            for name, game in kept.items():
                assert game["moves"]["uci"] == games[name].moves
                assert game["fens"][0] == games[name].start_fen
            said = f"This file has the moves of {len(kept)} of {len(games)} games."
            assert (said in made.html) == (len(kept) < len(games))


def test_shortened_list_is_marked(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_module, "MOST_LISTED", 5)
    with open_database(database, read_only=True) as db:
        made = make_report(db, find_runs(db, ["second"], [], []), games=2)
    assert made.listed == 5 < made.games
    assert f"Its lists have 5 of {made.games} games" in made.html


def test_only_the_scripts_of_the_page_may_run(whole: str) -> None:
    """The policy allows the hashes of the scripts and the style that are there, and nothing else;
    no element has a handler, a style or another address."""
    page = Elements(whole)
    (policy,) = (
        attributes["content"] or "" for tag, attributes in page.found
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )  # fmt: skip
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["connect-src"] == "'none'"
    kinds = [attributes.get("type") for tag, attributes in page.found if tag == "script"]
    code = [text for text, kind in zip(page.raw["script"], kinds, strict=True) if kind is None]
    assert kinds.count("application/json") == 1 and len(code) == len(kinds) - 1
    for rule, texts in (("script-src", code), ("style-src", page.raw["style"])):
        digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()) for text in texts)
        assert rules[rule].split() == [f"'sha256-{digest.decode()}'" for digest in digests]
    for tag, attributes in page.found:
        assert not {name for name in attributes if name.startswith("on") or name == "style"}
        assert tag not in ("iframe", "object", "embed", "base", "link", "form") or (
            tag == "form" and "action" not in attributes
        )
        for name in ("src", "href"):
            assert (attributes.get(name) or "#").startswith("#")


def test_hostile_name_is_text(whole: str) -> None:
    assert "alert(1)" in whole and "<script>alert" not in whole
    assert html.escape(EVIL, quote=False) in whole.replace("&#34;", '"').replace("&#39;", "'")
    assert "\\u003c/svg\\u003e\\u003cscript\\u003ealert" in whole


def test_names_are_not_taken_for_placeholders(whole: str) -> None:
    page = Elements(whole)
    options = [attributes["value"] for tag, attributes in page.found
               if tag == "option" and attributes.get("value")]  # fmt: skip
    assert set(FILLED) <= set(options)
    assert whole.count('{"served":') == 1, "the data are in one place"
    ids = [attributes["id"] for _, attributes in page.found if "id" in attributes]
    assert len(ids) == len(set(ids)), "an id is that of one element"


def test_match_of_an_engine_with_itself_has_a_result(tmp_path: Path) -> None:
    path = tmp_path / "self.db"
    words = ("match", "pvs", "pvs:name=twin", "--pairs", "3", "--nodes", "60", "--seed", "2")
    assert run_program(program, (*words, "--max-plies", "20", "--quiet", "--db", str(path))) == 0
    with open_database(path, read_only=True) as db:
        made = make_report(db, None, games=0)
        (key,) = (event.key for event in db.repository.events())
    (score,) = data_of(made.html)["rows"][f"event-{key}"]["scores"]
    assert score["pentanomial"] == [0, 0, 3, 0, 0]
    assert "pvs against twin: 0.0 ±" in made.html


@pytest.mark.slow
def test_report_needs_no_home(database: Path) -> None:
    environment = {"PATH": os.environ["PATH"]}
    code = """
import pwd
def nobody(number):
    raise KeyError(number)
pwd.getpwuid = nobody
import cli
cli.main()
"""
    words = ("report", "--event", "first", "-o", "/dev/stdout", "--quiet", "--games", "0")
    done = subprocess.run(
        [sys.executable, "-c", code, *words, "--db", str(database)],
        capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("<!DOCTYPE html>") and "vegaEmbed" in done.stdout


def test_mistakes_are_one_line_and_leave_no_file(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "x.html"
    for words, said in (
        ((), "give --event, --study or --lab, or else --all"),
        (("--all", "--event", "first"), "give --event, --study or --lab, or else --all"),
        (("--event", "nothing"), "nothing"),
        (("--study", "nothing"), "nothing"),
        (("--lab", "nothing"), "nothing"),
        (("--all", "--games", "-1"), "games (-1) must be from 0"),
    ):
        code = run_program(program, ("report", *words, "-o", str(place), "--db", str(database)))
        printed = capsys.readouterr()
        assert code != 0 and printed.out == "" and not place.exists(), words
        assert said in printed.err and printed.err.count("\n") <= 3, words


def test_row_describes_the_file(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "x.html"
    words = ("report", "--event", "first", "-o", str(place), "--games", "3", "--json")
    assert run_program(program, (*words, "--db", str(database))) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["bytes"] == place.stat().st_size and row["file"] == str(place)
    assert (row["chapters"], row["games_with_moves"]) == (1, 3)
    assert row["games"] == row["games_listed"] == 16
