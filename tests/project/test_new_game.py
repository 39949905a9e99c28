"""The page on how to add a game names what Connect Four, its example, consists of."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

import cli

CALLED = re.compile(r"connect[_-]four|ConnectFour", re.IGNORECASE)
SOURCES = {"engines", "toolkit", "db"}


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "new-game.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def linked(root: Path, page: str) -> set[Path]:
    """The files to which the page links."""
    targets = [one for one in re.findall(r"\]\(([^)]+)\)", page) if "://" not in one]
    return {(root / "docs" / one).resolve() for one in targets}


def test_every_link_leads_to_a_file(linked: set[Path]) -> None:
    assert len(linked) > 12
    assert [path for path in linked if not path.is_file()] == []


def test_every_file_with_the_name_of_the_game_is_a_step(
    root: Path, page: str, linked: set[Path], project_files: list[Path]
) -> None:
    ours = [path for path in project_files if path.relative_to(root).parts[0] in SOURCES]
    texts = [path for path in ours if path.suffix in (".py", ".rs", ".pyi", ".json", ".toml")]
    named = {path for path in texts if CALLED.search(path.read_text(encoding="utf-8"))}
    assert len(named) > 5
    assert named <= linked, "the page leaves out a file"
    books = [path.name for path in ours if CALLED.search(path.name) and path.suffix == ".gz"]
    assert len(books) == 1 and books[0].removesuffix(".gz") in page


def test_every_command_is_understood(page: str) -> None:
    lines = page.replace("\\\n", " ")
    shown = re.findall(r"^(?:\w+=\w+ )?mtdf (.+)$", lines, re.MULTILINE)
    assert len(shown) == 3
    for words in map(shlex.split, shown):
        name, *rest = words
        command = cli.program.get_command(click.Context(cli.program), name)
        assert command is not None, words
        if isinstance(command, click.Group):
            command = command.commands[rest.pop(0)]
        with command.make_context(name, rest, click.Context(cli.program)) as context:
            assert context.params
