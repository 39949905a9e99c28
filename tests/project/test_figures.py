"""Every measured figure in the docs says what made it, and pages show what is stored."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from msgspec import structs


@pytest.fixture
def figures(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The script, as ``python docs/figures.py`` finds it."""
    monkeypatch.syspath_prepend(str(root / "docs"))
    import figures as script

    yield script
    for name in ("figures", "figure_list"):
        sys.modules.pop(name, None)


@pytest.fixture
def docs(figures: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Docs of one figure that one page shows and quotes."""
    (tmp_path / "figures").mkdir()
    (tmp_path / "images").mkdir()
    figure = figures.Figure(("echo 0.95 ± 0.02",), lambda outputs: {"table": outputs[0]})
    monkeypatch.setattr(figures, "DOCS", tmp_path)
    monkeypatch.setattr(figures, "STORE", tmp_path / "figures")
    monkeypatch.setattr(figures, "FIGURES", {"one": figure})
    monkeypatch.setattr(figures, "TOURS", (tmp_path / "README.md",))
    stamp = f"mtdf 0.1.0, native core {figures.signature()}, 2026-11-22"
    readme = f"<!-- made by docs/tour.py: {stamp} -->\n"
    (tmp_path / "README.md").write_text(readme, encoding="utf-8")
    monkeypatch.setattr(figures, "_revision", lambda: "abc")
    (tmp_path / "work").mkdir()
    figures.make("one", figure, tmp_path / "work")
    page = (
        "<!-- figure one table -->\n<!-- /figure -->\n"
        "<!-- figure one commands -->\n<!-- /figure -->\n"
        "<!-- quotes one -->\nIt is 0.95 of `10 ± 1`.\n<!-- /quotes -->\n"
    )
    (tmp_path / "page.md").write_text(figures.written(page), encoding="utf-8")
    return tmp_path


def _store(docs: Path, **changes: Any) -> None:
    path = docs / "figures" / "one.json"
    data = json.loads(path.read_text(encoding="utf-8")) | changes
    path.write_text(json.dumps(data), encoding="utf-8")


def test_docs_show_what_is_stored(figures: ModuleType) -> None:
    assert list(figures.problems()) == []


def test_a_made_figure_is_complete(figures: ModuleType, docs: Path) -> None:
    assert list(figures.problems()) == []
    page = (docs / "page.md").read_text(encoding="utf-8")
    stored = figures.load("one")
    assert stored.pieces == {"table": "0.95 ± 0.02\n"}
    for word in (stored.signature, stored.program, stored.made, "echo 0.95 ± 0.02"):
        assert word and word in page
    assert figures.written(page) == page


@pytest.mark.parametrize(
    "field",
    ["program", "signature", "backend", "commands", "pieces", "made", "revision", "defaults"],
)
def test_a_figure_without_its_origin_is_refused(
    figures: ModuleType, docs: Path, field: str
) -> None:
    _store(docs, **{field: type(getattr(figures.load("one"), field))()})
    with pytest.raises(ValueError, match=field):
        figures.load("one")
    assert any(field in problem for problem in figures.problems())


@pytest.mark.parametrize(
    "change, problem",
    [
        (("0.95 ± 0.02", "0.94 ± 0.02"), "is not what is stored"),
        (("It is 0.95", "It is 0.93"), "has the number 0.93"),
        (("<!-- quotes one -->", "It is +91 ± 32 Elo better.\n<!-- quotes one -->"), "+91 ± 32"),
        (("<!-- quotes one -->", "0.99 [0.97, 1.01]\n<!-- quotes one -->"), "[0.97, 1.01]"),
        (("figure one table", "figure one picture"), "no piece picture"),
        (("figure one commands", "figure one table"), "without <!-- figure one commands -->"),
    ],
)
def test_a_page_that_differs_is_found(
    figures: ModuleType, docs: Path, change: tuple[str, str], problem: str
) -> None:
    page = docs / "page.md"
    text = page.read_text(encoding="utf-8")
    assert change[0] in text
    page.write_text(text.replace(change[0], change[1], 1), encoding="utf-8")
    assert any(problem in found for found in figures.problems())


def test_figures_of_other_commands_are_listed(
    figures: ModuleType, docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _store(docs, commands=["echo 0.95"])
    assert figures._list(stale_only=True) == 1
    assert "other commands" in capsys.readouterr().out


def test_figures_of_another_core_are_listed(
    figures: ModuleType, docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert figures._list(stale_only=True) == 0
    assert capsys.readouterr().out == ""
    _store(docs, signature="0" * 16)
    assert figures._list(stale_only=True) == 1
    listed = capsys.readouterr().out
    assert "0" * 16 in listed and "another core" in listed and "echo 0.95 ± 0.02" in listed


def test_figures_of_other_defaults_are_listed(
    figures: ModuleType,
    docs: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    step = figures.PARAMETERS["step"]
    changed = structs.replace(step, default=step.default + 1)
    monkeypatch.setitem(figures.PARAMETERS, "step", changed)
    assert figures._list(stale_only=True) == 1
    assert "other defaults of engines" in capsys.readouterr().out
    free = replace(figures.FIGURES["one"], by_defaults=False)
    monkeypatch.setattr(figures, "FIGURES", {"one": free})
    assert figures._list(stale_only=True) == 0


def test_defaults_of_a_game_count_for_commands_that_name_it(
    figures: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = ("mtdf match mtdf pvs --pairs 2", "mtdf match mtdf pvs --pairs 2 --game othello")
    before = [figures.defaults((command,)) for command in commands]
    step = figures.PARAMETERS["step"]
    changed = structs.replace(step, by_game={"othello": 3})
    monkeypatch.setitem(figures.PARAMETERS, "step", changed)
    after = [figures.defaults((command,)) for command in commands]
    assert after[0] == before[0] and after[1] != before[1]


def test_a_new_neutral_parameter_makes_no_figure_stale(
    figures: ModuleType,
    docs: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    added = structs.replace(figures.PARAMETERS["cap"], name="added", default=0, neutral=0)
    monkeypatch.setitem(figures.PARAMETERS, "added", added)
    assert figures._list(stale_only=True) == 0
    assert capsys.readouterr().out == ""
    monkeypatch.setitem(figures.PARAMETERS, "added", structs.replace(added, default=1))
    assert figures._list(stale_only=True) == 1


def test_outputs_of_the_tour_say_what_printed_them(
    figures: ModuleType, docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = docs / "README.md"
    text = readme.read_text(encoding="utf-8")
    readme.write_text(text.replace(figures.signature(), "0" * 16), encoding="utf-8")
    assert figures._list(stale_only=True) == 1
    assert "README.md" in capsys.readouterr().out
    readme.write_text("", encoding="utf-8")
    assert any("README.md" in problem for problem in figures.problems())


def test_a_failing_command_stores_nothing(figures: ModuleType, docs: Path, tmp_path: Path) -> None:
    before = (docs / "figures" / "one.json").read_bytes()
    failing = figures.Figure(("false",), lambda outputs: {"table": "x"})
    (tmp_path / "again").mkdir()
    with pytest.raises(SystemExit, match="exit code 1"):
        figures.make("one", failing, tmp_path / "again")
    assert (docs / "figures" / "one.json").read_bytes() == before
