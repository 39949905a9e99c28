"""Shell completion offers engines of the registry, names of the database, and books."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from cases import each

from cli import program
from db.names import stored_names
from engines.choices import GUESSES
from engines.registry import DRIVERS
from engines.variant import parse_variant
from toolkit.commands._program import run_program
from toolkit.commands.options.types import complete_variant


def _texts(incomplete: str) -> list[str]:
    return [text for text, _ in complete_variant(incomplete)]


def test_drivers() -> None:
    assert _texts("") == list(DRIVERS)
    assert _texts("mt") == ["mtdf", "mtd-bi", "mtd-step", "mtd-best"]
    assert _texts("mtdf") == ["mtdf"]
    assert _texts("nothing") == []


def test_parameters() -> None:
    assert _texts("mtdf:") == [f"mtdf:{name}=" for name in (*DRIVERS["mtdf"].parameters, "preset")]
    assert _texts("pvs:preset=a") == ["pvs:preset=aspiration"]
    assert _texts("mtdf:gu") == ["mtdf:guess="]
    assert _texts("pvs:gu") == []
    assert _texts("nothing:gu") == []
    assert "mtdf:guess=zero,guess=" not in _texts("mtdf:guess=zero,")
    assert _texts("mtdf:guess=zero,grai") == ["mtdf:guess=zero,grain="]


def test_values() -> None:
    assert _texts("mtdf:guess=") == [f"mtdf:guess={name}" for name in GUESSES]
    assert _texts("mtdf:grain=2,guess=pa") == ["mtdf:grain=2,guess=parity"]
    assert _texts("pvs:null_move=o") == ["pvs:null_move=on", "pvs:null_move=off"]
    assert _texts("mtdf:weight=") == []
    assert _texts("pvs:guess=") == []


def test_completed_values_are_variants() -> None:
    for text in _texts("mtdf:guess="):
        parse_variant(text)


Complete = Callable[..., list[str]]


@pytest.fixture
def complete(capsys: pytest.CaptureFixture[str]) -> Complete:
    """What a shell is answered: ``complete(line)``, or another question."""

    def ask(line: str, question: str = "bash_complete") -> list[str]:
        capsys.readouterr()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "excepthook", sys.excepthook)
            patch.setenv("COMP_WORDS", line)
            patch.setenv("COMP_CWORD", "0")
            patch.setenv("_MTDF_COMPLETE", question)
            with pytest.raises(SystemExit) as ended:
                run_program(program, [])
        out, err = capsys.readouterr()
        assert (ended.value.code, err) == (0, "")
        return out.splitlines()

    return ask


@each(
    "line, wanted",
    [
        ("mtdf gaun", ["plain,gauntlet"]),
        ("mtdf gauntlet --hero hy", ["plain,hybrid"]),
        # Bash ends words at `:` and `=`, so only what follows is given back.
        ("mtdf gauntlet --hero mtdf:gue", ["plain,guess="]),
        ("mtdf gauntlet --hero mtdf:guess=pa", ["plain,parity"]),
        ("mtdf engines sh", ["plain,show"]),
        ("mtdf engines show pv", ["plain,pvs"]),
        ("mtdf games --resu", ["plain,--result"]),
        ("mtdf gauntlet --book d", ["plain,default-500"]),
        ("mtdf gauntlet --game draughts --book d", ["plain,draughts-4k"]),
        ("mtdf gauntlet --book my", ["file,my"]),
        ("mtdf lab compare --positions la", ["plain,lab-60", "plain,lab-120", "plain,lab-240"]),
        ("mtdf lab compare --game othello --positions ", ["plain,othello-4k"]),
        ("mtdf games --end-reason th", ["plain,threefold-repetition"]),
    ],
)
def test_bash_completes(line: str, wanted: list[str], complete: Complete) -> None:
    assert complete(line) == wanted


def _words(found: list[str]) -> list[str]:
    return [line.removeprefix("plain,") for line in found if line]


@pytest.fixture
def named(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database with an event, whose name has a blank, a study and a run of the laboratory."""
    path = tmp_path / "named.db"
    path.write_bytes(played.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE events SET key = 'r3f9', name = 'my league'")
        for table in ("tuning_studies", "lab_runs"):
            facts = connection.execute(f"PRAGMA table_info({table})").fetchall()
            columns = [name for _, name, _, needed, _, is_key in facts if needed and not is_key]
            values = ["1" if name.endswith("_id") else "lmr" for name in columns]
            marks = ", ".join("?" * len(columns))
            connection.execute("PRAGMA ignore_check_constraints = ON")
            connection.execute(
                f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", values
            )
    monkeypatch.setenv("MTDF_DB", str(path))
    return path


def test_database_names_are_completed(named: Path, complete: Complete) -> None:
    files = sorted(named.parent.iterdir())
    assert _words(complete("mtdf resume ")) == ["r3f9", "'my league'", "lmr", "last"]
    assert _words(complete("mtdf stats r")) == ["r3f9"]
    assert _words(complete("mtdf crosstable --event l")) == ["last"]
    assert _words(complete(f"mtdf --db {named} games --event m")) == ["'my league'"]
    assert _words(complete("mtdf show l")) == ["lmr", "last"]
    assert _words(complete("mtdf show lm")) == ["lmr"]
    assert _words(complete("mtdf h2h coa")) == ["coarse"]
    assert _words(complete("mtdf h2h pv")) == ["pvs"]
    assert _words(complete("mtdf ratings --anchor pv")) == ["pvs="]
    assert _words(complete("mtdf ratings --anchor coa")) == ["coarse="]
    assert sorted(named.parent.iterdir()) == files, "looking makes no file"


@each("text", ["", "no database", None])
def test_missing_database_completes_no_names(
    text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, complete: Complete
) -> None:
    path = tmp_path / "other.db"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("MTDF_DB", str(path))
    assert _words(complete("mtdf resume ")) == []
    assert path.exists() == (text is not None)
    monkeypatch.setenv("MTDF_DB", "postgresql://nowhere/x")
    assert stored_names("postgresql://nowhere/x", "event") == []


def test_completion_does_not_import_the_database_layer(named: Path) -> None:
    """It loads in a second, and a press of the tab key should not take that."""
    script = (
        "import sys, click, cli\n"
        "from click.shell_completion import ShellComplete\n"
        "found = ShellComplete(cli.program, {}, 'mtdf', 'X').get_completions(['resume'], 'r')\n"
        "print(found[0].value, {'sqlalchemy', 'alembic', 'numpy', 'rich'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "r3f9 set()\n"


@each("shell", ["bash", "zsh", "fish"])
def test_docs_show_how_to_enable_completion(shell: str, complete: Complete) -> None:
    page = Path(__file__).parents[2] / "docs" / "terminal.md"
    assert f"_MTDF_COMPLETE={shell}_source mtdf" in page.read_text(encoding="utf-8")
    assert any("_MTDF_COMPLETE" in line for line in complete("", f"{shell}_source"))


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_script_completes(tmp_path: os.PathLike[str]) -> None:
    """The script itself, run as bash runs it on a press of the tab key."""
    command = f"{tmp_path}/mtdf"
    with open(command, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nexec {sys.executable} -c 'import cli; cli.main()' \"$@\"\n")
    os.chmod(command, 0o755)
    script = (
        'eval "$(_MTDF_COMPLETE=bash_source mtdf)"\n'
        "COMP_LINE='mtdf gauntlet --hero mtdf:guess=pr'; COMP_POINT=${#COMP_LINE}\n"
        '_mtdf_completion mtdf; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "previous\n"
