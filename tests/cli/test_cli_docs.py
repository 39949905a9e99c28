"""The generated reference pages are current and complete."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from cases import each

from engines.choices import CONVERGENCES, EXPECTED_PV, GUESSES
from engines.registry import DRIVERS, PARAMETERS
from toolkit.base.rows import field_names
from toolkit.commands._json import JSON_OUTPUT
from toolkit.referee.outcome import EndReason
from toolkit.show.pages.document import LAST, SCRIPTS, asset

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    made = runpy.run_path(str(DOCS / "generate.py"))["pages"]()
    assert isinstance(made, dict)
    return made


@each("name", ["../README.md", "claims.md", "commands.md", "json.md", "library.md", "variants.md"])
def test_page_is_current(name: str, pages: dict[str, str]) -> None:
    written = (DOCS / name).read_text(encoding="utf-8")
    assert written == pages[name], f"run `python docs/generate.py` to renew docs/{name}"


def test_ten_minutes_are_current() -> None:
    """Its text, its recordings and our scripts; the libraries in it may be of other versions."""
    made = runpy.run_path(str(DOCS / "ten_minutes.py"))["page"]()
    written = (DOCS / "mtdf-in-ten-minutes.html").read_text(encoding="utf-8")
    for begin, end in (("<main", "</main>"), ('id="data">', "</script>"), ("<style>", "</style>")):
        old, new = (text.partition(begin)[2].partition(end)[0] for text in (written, made))
        assert new and old == new, "run `python docs/ten_minutes.py`"
    assert all(asset(name) in written for name in (*SCRIPTS, LAST))


def test_every_end_reason_is_explained(pages: dict[str, str]) -> None:
    for reason in EndReason:
        assert f"| `{reason}` |" in pages["json.md"]


def test_every_json_field_is_explained(pages: dict[str, str]) -> None:
    for command, output in JSON_OUTPUT.items():
        for name in command.split(", "):
            assert f"`{name}`" in pages["json.md"]
        for row in (output.row, *output.nested.values()):
            assert f"## {row.__name__}\n" in pages["json.md"]
            for name in field_names(row):
                assert f"| `{name}` |" in pages["json.md"]


def test_registry_is_explained(pages: dict[str, str]) -> None:
    for name in (*DRIVERS, *GUESSES, *CONVERGENCES, *EXPECTED_PV, *PARAMETERS):
        assert f"| `{name}` |" in pages["variants.md"]
