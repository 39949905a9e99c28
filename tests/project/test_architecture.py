"""The map of the program is short, and what it names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def text(root: Path) -> str:
    return (root / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_map_is_short(text: str) -> None:
    assert len(text.encode()) <= 10_000


def test_paths_and_their_names_exist(root: Path, text: str, project_files: list[Path]) -> None:
    files = {f"/{path.relative_to(root).as_posix()}" for path in project_files}
    folders = {f"{parent}/" for name in files for parent in Path(name).parents}
    named = re.findall(r"`([\w./*]+)(?:: ([\w.:]+))?`|\]\(([\w./-]+)\)", text)
    paths = [(path or link, name) for path, name, link in named]
    paths = [(path, name) for path, name in paths if "/" in path or path.endswith((".py", ".rs"))]
    assert len(paths) > 60
    for path, name in paths:
        pattern = re.escape(path).replace(r"\*", r"\w*")
        found = [one for one in files | folders if re.search(f"/{pattern}/?$", one)]
        assert found, f"ARCHITECTURE.md names {path}, which does not exist"
        word = name.rpartition(".")[2]
        sources = [(root / one[1:]).read_text("utf-8") for one in found if word]
        declared = re.compile(rf"(?:def|fn|class) {word}\b")
        assert not word or any(map(declared.search, sources)), f"{path} has no {word}"
