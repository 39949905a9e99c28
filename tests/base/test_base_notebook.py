"""A notebook shows results as the tables of the commands, in HTML."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import toolkit
from toolkit import Limit, gauntlet_settings, open_database
from toolkit.base.notebook import PRINTERS, HtmlOutput, html_of, shown_rows
from toolkit.base.rows import field_names
from toolkit.events.settings import sprt_settings
from toolkit.reports.outcome import event_report
from toolkit.reports.rows import EventRow
from toolkit.selection.sequential import SprtSettings
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


def _read(shown: Any) -> _Reader:
    reader = _Reader()
    reader.feed(shown._repr_html_())
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
    html = results["outcome"]._repr_html_()
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
        names = [outcome.progress.shown.get(name, name) for name in test["engines"]]
        print_test(printed, test, names)
    shown = outcome._repr_html_()
    assert re.search("H0 accepted|H1 accepted|inconclusive", shown) and "LLR " in shown
    assert shown.endswith(printed.html)


def test_ratings_have_the_columns_of_the_command(results: dict[str, Any]) -> None:
    (table,) = _tables(results["ratings"])
    titles = ["#", "engine", "Elo", "±95", "games", "score", "draws", "LOS vs next"]
    assert table[0] == titles
    rows = results["ratings"].rows()
    assert [row[1] for row in table[1:]] == [row["engine"] for row in rows]
    assert "ratings: Bradley-Terry" in results["ratings"]._repr_html_()


@pytest.mark.parametrize("kind", sorted(set(PRINTERS) - {"ablation", "plan"}))
def test_results_are_tables_with_escaped_text(kind: str, results: dict[str, Any]) -> None:
    reader = _read(results[kind])
    assert reader.tables and all(len(table) > 1 for table in reader.tables)
    for table in reader.tables:
        assert len({len(row) for row in table}) == 1
    assert "b" not in reader.tags, "a name is no markup"
    cells = {cell for table in reader.tables for row in table for cell in row}
    if kind in ("crosstable", "ratings", "outcome", "engines", "stats"):
        assert EVIL in cells


def test_plan_is_text(results: dict[str, Any]) -> None:
    html = results["plan"]._repr_html_()
    assert html.startswith("<p") and "2 pairs each = 8 games" in html


def test_rows_are_unchanged(results: dict[str, Any]) -> None:
    events, h2h = results["events"], results["h2h"]
    assert isinstance(events, list) and isinstance(h2h, dict)
    assert list(events[0]) == field_names(EventRow)
    for row in (events, h2h):
        plain = json.loads(json.dumps(row))
        assert json.loads(json.dumps(copy.deepcopy(row))) == plain
        assert json.loads(json.dumps(pickle.loads(pickle.dumps(row)))) == plain
        assert copy.copy(row)._repr_html_() == row._repr_html_()
    assert type(events[:1]) is list, "a part of a list is only a list"


def test_control_characters_are_escaped() -> None:
    driver = toolkit.list_drivers()[0] | {"driver": "a\x1b[2J\u202e<script>"}
    html = html_of("drivers", shown_rows("drivers", [driver]))
    assert "a\\x1b[2J\\u202e&lt;script&gt;" in html


def test_every_printer_is_there(tmp_path: Path) -> None:
    import importlib

    for module, name in PRINTERS.values():
        assert callable(getattr(importlib.import_module(f"toolkit.show.tables.{module}"), name))
