"""Every command has a complete help page with examples, and an entry in the docs."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from cases import each
from command_tree import COMMANDS

import toolkit.commands
from cli import program
from toolkit.commands import FOLDERS, FORMER, command_names, load_command
from toolkit.commands._base import Command, Group

Run = Callable[..., Any]
DOCS = Path(__file__).parents[2] / "docs"
HEAVY = ("alembic", "chess", "db", "numpy", "rich", "scipy", "sqlalchemy", "engines._core")


def test_all_command_files_are_listed() -> None:
    (top,) = toolkit.commands.__path__
    found = [
        one.stem for folder in ("", *FOLDERS.values()) for one in Path(top, folder).glob("*.py")
    ]
    files = [name for name in found if not name.startswith("_")]
    assert sorted(files) == sorted(name.replace("-", "_") for name in command_names())


def test_unknown_command_is_not_loaded() -> None:
    assert load_command("_base") is None
    assert load_command("nothing") is None


@each("path", COMMANDS)
def test_help_page_is_complete(path: str, mtdf: Run) -> None:
    command = COMMANDS[path]
    assert isinstance(command, (Command, Group))
    assert command.help
    assert 2 <= len(command.examples) <= 3
    words = path.split()
    result = mtdf(*words, "--help")
    assert (result.code, result.errors) == (0, [])
    assert result.out.startswith(" ".join(["Usage: mtdf", *words]))
    page, _, examples = result.out.partition("\nExamples:\n")
    for line, meaning in command.examples:
        assert line.startswith("mtdf ") or "| mtdf " in line
        assert line in examples and meaning in examples
    own, _, common = page.partition("Global options:")
    for name in ("--db", "--json", "--quiet", "--verbose", "--color", "--version", "--help"):
        assert f"{name} " in common and f" {name} " not in own
    listed = result.out.partition("\nOptions:\n")[2].partition("\n\n")[0]
    for line in listed.splitlines():
        assert line.startswith(("  -", "      ")), f"not an option: {line}"
    if isinstance(command, click.Group):
        _check_list(path, result.out.splitlines())


def _check_list(path: str, lines: list[str]) -> None:
    """A list of commands has each of them with a whole description."""
    names = {name.rpartition(" ")[2] for name in COMMANDS if name.rpartition(" ")[0] == path} - {""}
    shown = [line for line in lines if line.startswith("  ") and line.split()[0] in names]
    assert {line.split()[0] for line in shown} == names
    for line in shown:
        assert len(line) <= 80 and line.endswith(".") and not line.endswith("..."), line


@each("path", ["", "games", "engines", "engines list"])
def test_two_options_show_the_same_help(path: str, mtdf: Run) -> None:
    pages = [mtdf(*path.split(), option) for option in ("--help", "-h")]
    assert [page.code for page in pages] == [0, 0]
    assert pages[0].out == pages[1].out


def test_former_commands_name_the_new_ones(mtdf: Run) -> None:
    assert FORMER.keys().isdisjoint(COMMANDS)
    for former, answer in FORMER.items():
        result = mtdf(*former.split(), "x", "--json")
        assert (result.code, result.out) == (2, ""), former
        assert result.errors == [f"error: '{former}' {answer}"]


def test_commands_are_documented() -> None:
    lines = (DOCS / "commands.md").read_text(encoding="utf-8").splitlines()
    headings = [line.removeprefix("### ") for line in lines if line.startswith("### ")]
    names = {" ".join(w for w in heading.split() if not w.isupper()) for heading in headings}
    assert {f"mtdf {path}" for path in COMMANDS if path} <= names


def test_options_have_help() -> None:
    wrong = [
        (path, param.name)
        for path, command in COMMANDS.items()
        for param in command.params
        if isinstance(param, click.Option) and not (param.help or "").endswith(".")
    ]
    assert wrong == []


def test_metavars_describe_the_value() -> None:
    vague = {"TEXT", "FLOAT", "INTEGER", "RANGE", "VALUE", "BOOLEAN"}
    found = []
    for path, command in COMMANDS.items():
        context = click.Context(command, info_name=path)
        for param in command.params:
            if isinstance(param, click.Option) and (param.is_flag or param.count):
                continue
            name = param.make_metavar(context)
            if not vague.isdisjoint(re.findall("[A-Z]+", name)):
                found.append((path, param.name, name))
    assert found == []


def _commands(line: str) -> list[list[str]]:
    """The words of each command of a pipeline; where its output goes is left out."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>&;()<")
    lexer.whitespace_split = True
    commands: list[list[str]] = [[]]
    words = iter(lexer)
    for word in words:
        if word == "|":
            commands.append([])
        elif word == ">":
            next(words)
        else:
            commands[-1].append(word)
    return commands


EXPANDED = r"[][*?{}$~&;()<>|!#`\\]"


def _unquoted(line: str) -> str:
    """What the shell may expand: the line without quoted parts, pipes and redirections."""
    bare = re.sub(r"""'[^']*'|"(?:[^"$`\\]|\\.)*\"""", "Q", line)
    return re.sub(r" \| | > [\w./-]+$", " ", bare)


def test_shell_changes_no_example() -> None:
    """No glob, brace, variable or comment outside quotes: the shell would expand it, or zsh would
    refuse it."""
    commands = [one for one in COMMANDS.values() if isinstance(one, (Command, Group))]
    lines = [line for command in commands for line, _ in command.examples]
    assert [line for line in lines if re.search(EXPANDED, _unquoted(line))] == []
    for line in ("mtdf ratings --engine mtdf*", "mtdf h2h a b; ls", "mtdf events | jq .[0].id"):
        assert re.search(EXPANDED, _unquoted(line)), line


DOC_LINES = sorted(
    {
        line.removeprefix("$ ").partition("   #")[0].strip()
        for page in [*DOCS.glob("*.md"), DOCS.parent / "README.md"]
        for block in re.findall(
            r"^```(?:sh|console)\n(.*?)^```",
            page.read_text(encoding="utf-8"),
            re.DOTALL | re.MULTILINE,
        )
        for line in block.replace("\\\n", " ").splitlines()
        if line.removeprefix("$ ").startswith("mtdf ")
    }
)


def test_shell_changes_no_line_of_the_docs() -> None:
    changed = [line for line in DOC_LINES if re.search(r"[][*?{}~;()<`]", _unquoted(line))]
    assert DOC_LINES and changed == []


def test_examples_parse(on: Run) -> None:
    """An example with a wrong option or engine would mislead; only those that read are run."""
    parsed = 0
    for path, command in COMMANDS.items():
        assert isinstance(command, (Command, Group))
        for line, _ in command.examples:
            for words in _commands(line):
                if words[0] != "mtdf":
                    continue
                context = program.make_context("mtdf", words[1:2])
                child = program.get_command(context, words[1])
                assert child is not None, path
                child.make_context(words[1], words[2:], parent=context)
                parsed += 1
    assert parsed >= 2 * len(COMMANDS)


@each("words", [["--help"], ["gauntlet", "--help"], ["--version"], ["gauntlt"]])
def test_help_imports_no_heavy_modules(words: list[str]) -> None:
    script = (
        "import sys, cli\n"
        f"sys.argv = ['mtdf', *{words!r}]\n"
        "try:\n    cli.main()\nexcept SystemExit:\n    pass\n"
        "print('loaded', *sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.rpartition("loaded ")[2].split())
    assert "toolkit.commands" in loaded
    assert loaded.isdisjoint(HEAVY)
    if words[0] == "gauntlet":
        assert "toolkit.commands.doctor" not in loaded, "commands are loaded one by one"


@each(
    "words, hint",
    [
        (["gauntlt"], "Did you mean 'gauntlet'?"),
        (["rating"], "Did you mean 'ratings'?"),
        (["engines", "lst"], "Did you mean 'list'?"),
        (["games", "--engin", "pvs"], "--engine"),
        (["xyzzy"], "mtdf --help"),
    ],
)
def test_mistyped_word_gets_a_hint(words: list[str], hint: str, mtdf: Run) -> None:
    result = mtdf(*words)
    assert result.code == 2
    assert len(result.errors) == 1
    assert hint in result.err


def test_version(mtdf: Run) -> None:
    from toolkit.base.version import program_version

    for words in (["--version"], ["games", "--version"], ["engines", "list", "--version"]):
        result = mtdf(*words)
        assert (result.code, result.out) == (0, f"mtdf {program_version()}\n")


def test_no_command_shows_help(mtdf: Run) -> None:
    result = mtdf()
    assert result.code == 2
    assert "Usage: mtdf" in result.err and "gauntlet" in result.err
