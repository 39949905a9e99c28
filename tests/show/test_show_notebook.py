"""A notebook shows results as the tables of the commands, in HTML."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

import toolkit
from engines.rules.catalog import rules_of
from engines.variant import parse_variant
from toolkit import Limit, gauntlet_settings, open_database
from toolkit.events.settings import sprt_settings
from toolkit.reports.outcome import event_report
from toolkit.selection.sequential import SprtSettings
from toolkit.show.notebook import SHOWN, HtmlOutput, html_of, register
from toolkit.show.tables.sprt import print_test

EVIL = "<b>&x"


class _Reader(HTMLParser):
    """The tables of a document: rows of cells."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.tags: set[str] = set()
        self._in_cell = False

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.tables[-1][-1][-1] += data


def test_a_trace_is_a_page_of_its_own() -> None:
    """Its player cannot reach the notebook, and its text cannot leave its attribute."""
    query = toolkit.TraceQuery(parse_variant("mtdf"), rules_of("chess").start, 1, record=True)
    report = toolkit.trace_search(query)
    told = _html(report)
    assert told.startswith("<iframe srcdoc=") and told.count(">") == 2
    assert 'sandbox="allow-scripts"' in told and "allow-same-origin" not in told
    assert "data-player" in told


def _html(result: Any) -> str:
    found = html_of(result)
    assert found is not None
    return found


def _read(shown: Any) -> _Reader:
    reader = _Reader()
    reader.feed(_html(shown))
    assert reader.tags <= {"table", "thead", "tbody", "tr", "th", "td", "p", "br"}
    return reader


def _tables(shown: Any) -> list[list[list[str]]]:
    return _read(shown).tables


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What the library returns of a small event. Its database is closed when it is shown."""
    path = tmp_path_factory.mktemp("notebook") / "notebook.db"
    settings = gauntlet_settings(
        [f"mtdf:name={EVIL}"], ["pvs", "alphabeta"], pairs=2, limit=Limit(nodes=40), name=EVIL,
        adjudication=toolkit.Adjudication(max_plies=12),
    )  # fmt: skip
    with open_database(path) as db:
        yield {
            "plan": toolkit.plan_event(settings, warm_up=False),
            "outcome": toolkit.start_event(db, settings),
            "ratings": toolkit.rate_games(db),
            "crosstable": toolkit.crosstable(db),
            "h2h": toolkit.head_to_head(db, EVIL, "pvs"),
            "events": toolkit.list_events(db),
            "stats": toolkit.event_stats(db, "last"),
            "history": toolkit.rating_history(db, "pvs"),
            "openings": toolkit.opening_stats(db),
            "engines": toolkit.list_engines(db),
            "drivers": toolkit.list_drivers(),
            "parameters": toolkit.list_parameters(),
        }


def test_event_is_a_table_of_its_pairings(results: dict[str, Any]) -> None:
    html = _html(results["outcome"])
    assert "gauntlet, done: 8 of 8 games" in html
    (table,) = _tables(results["outcome"])
    assert table[0] == ["engine", "opponent", "games", "results", "Elo ±95", "LOS"]
    assert [row[:3] for row in table[1:]] == [[EVIL, "pvs", "4/4"], [EVIL, "alphabeta", "4/4"]]


def test_test_has_its_verdict_and_estimate_as_the_command(tmp_path: Path) -> None:
    settings = sprt_settings(
        "mtdf", "pvs", sprt=SprtSettings.make(0, 400), max_pairs=4, limit=Limit(nodes=40),
        adjudication=toolkit.Adjudication(max_plies=12),
    )  # fmt: skip
    printed = HtmlOutput()
    with open_database(tmp_path / "sprt.db") as db:
        outcome = toolkit.start_event(db, settings)
        test = event_report(db, outcome).test
        assert test is not None
        names = [outcome.progress.names.get(name, name) for name in ("mtdf", "pvs")]
        print_test(printed, test, names)
    shown = _html(outcome)
    assert re.search("H0 accepted|H1 accepted|inconclusive", shown) and "LLR " in shown
    assert shown.endswith(printed.html)


def test_ratings_have_the_columns_of_the_command(results: dict[str, Any]) -> None:
    (table,) = _tables(results["ratings"])
    titles = ["#", "engine", "Elo", "±95", "games", "score", "draws", "LOS vs next"]
    assert table[0] == titles
    rows = results["ratings"].rows()
    assert [row[1] for row in table[1:]] == [row.engine for row in rows]
    assert "ratings: Bradley-Terry" in _html(results["ratings"])


def test_results_are_tables_with_escaped_text(results: dict[str, Any]) -> None:
    for kind in sorted(set(results) - {"plan"}):
        reader = _read(results[kind])
        assert reader.tables and all(len(table) > 1 for table in reader.tables), kind
        for table in reader.tables:
            assert len({len(row) for row in table}) == 1, kind
        assert "b" not in reader.tags, f"{kind}: a name is no markup"
        cells = {cell for table in reader.tables for row in table for cell in row}
        if kind in ("crosstable", "ratings", "outcome", "engines", "stats"):
            assert EVIL in cells, kind


def test_plan_is_text(results: dict[str, Any]) -> None:
    html = _html(results["plan"])
    assert html.startswith("<p") and "2 pairs each = 8 games" in html


def test_control_characters_are_escaped() -> None:
    driver = replace(toolkit.list_drivers()[0], driver="a\x1b[2J\u202e<script>")
    html = _html([driver])
    assert "a\\x1b[2J\\u202e&lt;script&gt;" in html


def test_other_values_are_shown_as_they_are() -> None:
    for value in ([], [1], {}, {"a": 1}, ["text"], "text", None):
        assert html_of(value) is None, value


def test_a_notebook_is_told_of_results_when_it_imports_the_library() -> None:
    asked: dict[Any, Any] = {}

    class Formatter:
        def for_type(self, kind: type, function: Any) -> None:
            asked[kind.__module__, kind.__name__] = function

        def for_type_by_name(self, module: str, name: str, function: Any) -> None:
            asked[module, name] = function

    display = SimpleNamespace(formatters={"text/html": Formatter()})
    register(lambda: SimpleNamespace(display_formatter=display))
    register(lambda: None)
    for module, name in asked:
        assert isinstance(getattr(importlib.import_module(module), name), type)
    assert set(asked.values()) == {html_of} and len(asked) > len(SHOWN)
