"""What the tests of the laboratory share."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from db.session import Database, open_database
from toolkit.lab import measuring


@pytest.fixture(autouse=True)
def searchers_are_hardly_warmed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test compares times of searches of this process."""
    monkeypatch.setattr(measuring, "_WARM_CPU_MS", 1)


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of toy searchers, found by worker processes too."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    return importlib.import_module("toy_searchers")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    with open_database(tmp_path / "lab.db") as opened:
        yield opened
