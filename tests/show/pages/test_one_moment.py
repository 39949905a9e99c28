"""A page shows one state of the database, also while games are stored."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli import program
from db.records.events import EventRecord
from db.session import open_database
from toolkit.commands._program import run_program
from toolkit.show.pages import report
from toolkit.show.pages.parts import Subject
from toolkit.show.pages.server.opened import ServedDatabase

PLAYERS = {"anna": "a" * 16, "bert": "b" * 16}
PAIR = [("anna", "bert", "1-0"), ("bert", "anna", "1-0")]


def test_page_is_of_one_moment(
    tmp_path: Path, store_event: Callable[..., EventRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.db"
    with open_database(path, create=True) as db:
        store_event(db, PLAYERS, [PAIR])
        served = ServedDatabase(str(path))
        with served.reading(60) as seen:
            assert seen.repository.count_games() == 2
            store_event(db, PLAYERS, [PAIR])
            assert seen.repository.count_games() == len(list(seen.repository.games())) == 2
        with served.reading(60) as seen:
            assert seen.repository.count_games() == 4
        served.close()

        counts = []

        def chapter(own: Any, run: Any, chosen: Any) -> Subject:
            with open_database(path) as other:
                store_event(other, PLAYERS, [PAIR])
            counts.append(own.repository.count_games())
            return Subject(f"event-{run.id}", "event", "event", [])

        monkeypatch.setattr(report, "_chapter", chapter)
        monkeypatch.setattr(sys, "excepthook", sys.excepthook)
        words = ("report", "--db", str(path), "--event", "last", "--games", "0")
        assert run_program(program, (*words, "-o", str(tmp_path / "r.html"))) == 0
        assert counts == [4]
        assert db.repository.count_games() == 6
