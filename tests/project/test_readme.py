"""The README's commands are real, and continuous integration runs exactly one of them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

import cli

MARKED = re.compile(r"<!-- (\w+)-command -->\n```sh\n(.*?)\n```\n", re.DOTALL)


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def commands(readme: str) -> dict[str, str]:
    return dict(MARKED.findall(readme))


def test_two_commands_are_at_the_top(readme: str, commands: dict[str, str]) -> None:
    assert list(commands) == ["gauntlet", "test"]
    assert readme.index("```sh") < 2000
    for command in commands.values():
        assert "\n" not in command.replace("\\\n", "")


def test_ci_runs_the_marked_command(root: Path) -> None:
    script = (root / ".ci" / "run").read_text(encoding="utf-8")
    assert "<!-- test-command -->" in script
    assert "README.md" in script
    assert re.search(r"bin/pytest -n \d -m slow\n", script), "and what the README leaves out"
    assert script.count("bin/pytest") == 1


def test_test_command_installs_and_runs_the_tests(commands: dict[str, str]) -> None:
    assert "pip install '.[test]'" in " ".join(commands["test"].split())
    assert commands["test"].endswith(".venv/bin/pytest -n auto -m 'not slow'")


def _program_words(text: str) -> list[list[str]]:
    """The arguments of every `mtdf …` in shell text."""
    lines = text.replace("\\\n", " ")
    start = r"(?:^\s*\$ |&& |^(?=mtdf \S+ .*#))"
    found = re.findall(start + r"(?:\.venv/bin/)?mtdf ([^|>\n]+)", lines, re.MULTILINE)
    return [shlex.split(words, comments=True) for words in found]


@pytest.fixture(scope="module")
def tour(root: Path) -> str:
    return (root / "docs" / "tour.md").read_text(encoding="utf-8")


def test_every_command_shown_is_understood(readme: str, tour: str) -> None:
    shown = _program_words(readme) + _program_words(tour)
    assert len(_program_words(readme)) >= 5 and len(shown) >= 25
    for words in shown:
        name, *rest = words
        command = cli.program.get_command(click.Context(cli.program), name)
        assert command is not None, words
        if isinstance(command, click.Group) and rest[0] in command.commands:
            command = command.commands[rest.pop(0)]
        with command.make_context(name, list(rest), click.Context(cli.program)) as context:
            assert context.params


def test_every_kind_of_question_is_shown(tour: str) -> None:
    shown = {tuple(word for word in words[:2] if word.isalpha()) for words in _program_words(tour)}
    named = {words[0] for words in _program_words(tour)}
    assert {"gauntlet", "resume", "ratings", "games", "game", "sprt", "round-robin"} <= named
    assert {"crosstable", "h2h", "history", "stats", "import", "query", "match", "ablate"} <= named
    assert {("sprt", "plan"), ("sprt", "calc"), ("openings", "make"), ("db", "check")} <= shown


def test_tours_have_a_database_of_their_own(readme: str, tour: str) -> None:
    for text in (readme.partition("## A quick tour")[2], tour):
        assert text.index("export MTDF_DB=") < text.index("$ mtdf")
        assert "mtdf.db" not in "".join(re.findall(r"```.*?```", text, re.DOTALL))
