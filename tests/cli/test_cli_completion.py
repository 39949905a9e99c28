"""Shell completion of engines, derived from the registry."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from engines.choices import GUESSES
from engines.registry import DRIVERS
from engines.variant import parse_variant
from toolkit.commands._types import complete_variant


def _texts(incomplete: str) -> list[str]:
    return [text for text, _ in complete_variant(incomplete)]


def test_drivers() -> None:
    assert _texts("") == list(DRIVERS)
    assert _texts("mt") == ["mtdf", "mtd-bi", "mtd-step", "mtd-best"]
    assert _texts("mtdf") == ["mtdf"]
    assert _texts("nothing") == []


def test_parameters() -> None:
    assert _texts("mtdf:") == [f"mtdf:{name}=" for name in DRIVERS["mtdf"].parameters]
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


def _complete(line: str) -> list[str]:
    variables = {"COMP_WORDS": line, "COMP_CWORD": "0", "_MTDF_COMPLETE": "bash_complete"}
    done = subprocess.run(
        [sys.executable, "-c", "import cli; cli.main()"],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("mtdf gaun", ["plain,gauntlet"]),
        ("mtdf gauntlet --hero hy", ["plain,hybrid"]),
        # Bash ends words at `:` and `=`, so only what follows is given back.
        ("mtdf gauntlet --hero mtdf:gue", ["plain,guess="]),
        ("mtdf gauntlet --hero mtdf:guess=pa", ["plain,parity"]),
        ("mtdf engines sh", ["plain,show"]),
        ("mtdf engines show pv", ["plain,pvs"]),
        ("mtdf games --resu", ["plain,--result"]),
    ],
)
def test_bash(line: str, wanted: list[str]) -> None:
    assert _complete(line) == wanted


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
