"""Studies are read from TOML files, and an error names its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engines.variant import parse_variant
from toolkit.base.errors import UsageError
from toolkit.base.toml import read_toml
from toolkit.commands.tune.tune import command
from toolkit.tuning.space.space import Space
from toolkit.tuning.study.file import study_tables

RUN = command.commands["run"]

COMPLETE = """\
base = "mtdf:guess=parity"
against = ["pvs", "alphabeta"]
budget-pairs = 4_000      # a dash is as good as a bar below
measure = 0.25
nodes = 5000
max_plies = 40
affinity = true

[parameters]
grain = true
null_move_reduction = "2..5"
guess = ["parity", "blend"]
check_extension = [true, false]
futility = { low = 20, high = 200, log = true }

[parameters.late_move_pruning]
choices = [2, 4]

[start]
x = 1.5
y = "a"
flag = true

[sampler_options]
c = 0.2
"""


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "lmr.toml"
    path.write_text(text, encoding="utf-8")
    return path


def read(path: Path) -> dict[str, Any]:
    """What a file says for the options of `mtdf tune run`, by their internal names."""
    ctx = RUN.make_context("run", [str(path), "--dry-run"], resilient_parsing=False)
    return dict(ctx.default_map or {})


def test_file_with_every_key_is_read(tmp_path: Path) -> None:
    assert read(_file(tmp_path, COMPLETE)) == {
        "base": "mtdf:guess=parity",
        "against": ["pvs", "alphabeta"],
        "budget_pairs": "4000",
        "measure": "0.25",
        "nodes": "5000",
        "max_plies": "40",
        "affinity": True,
        "parameters": (
            "grain",
            "null_move_reduction=2..5",
            "guess=parity|blend",
            "check_extension=true|false",
            "futility=20..200,log",
            "late_move_pruning=2|4",
        ),
        "start_values": ("x=1.5", "y=a", "flag=true"),
        "sampler_options": ("c=0.2",),
    }


def test_texts_are_those_of_space(tmp_path: Path) -> None:
    parameters = read(_file(tmp_path, COMPLETE))["parameters"]
    space = Space.of_registry(parse_variant("mtdf"), parameters)
    assert space.names == tuple(text.partition("=")[0] for text in parameters)


def test_parameters_as_texts_and_conditions(tmp_path: Path) -> None:
    for text, parameters in (
        ('parameters = ["grain", "guess=a|b"]\n', ("grain", "guess=a|b")),
        (
            '[parameters]\nw = { low = 0.0, high = 1, when = { g = ["a", "b"] } }\n',
            ("w=0.0..1,g=a|b",),
        ),
        ("[parameters]\nw = { choices = [1, 2], when = { on = true } }\n", ("w=1|2,on=true",)),
    ):
        assert study_tables(read_toml(str(_file(tmp_path, text))))["parameters"] == parameters


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 5000 + "]" * 5000, "lmr.toml: its arrays or tables are nested too deeply"),
        ("\n\nbudgt_pairs = 5\n", "lmr.toml:3: unknown key `budgt_pairs`; did you mean `budget_"),
        ("nodes = 5\n[paramters]\n", "lmr.toml:2: unknown key `paramters`; did you mean `para"),
        ("nodes = 'many'\n", "lmr.toml:1: `nodes` must be a whole number"),
        ("nodes = true\n", "lmr.toml:1: `nodes` must be a whole number"),
        ("measure = 'x'\n", "lmr.toml:1: `measure` must be a number"),
        ("affinity = 1\n", "lmr.toml:1: `affinity` must be true or false"),
        ("base = [5]\n", "lmr.toml:1: `base` must be a number or a text"),
        ("against = [5]\n", "lmr.toml:1: `against` must be a text or an array of texts"),
        ("nodes = 5\nnodes 7\n", "lmr.toml:2: not TOML: "),
        ("parameters = 5\n", "lmr.toml:1: `parameters` must be a table or an array of texts"),
        ("start = 5\n", "lmr.toml:1: `start` must be a table"),
        ("[start]\n\nx = [1]\n", "lmr.toml:3: `x` must be a number, a text, true or false"),
        ("[parameters]\ngrain = 5\n", "lmr.toml:2: `grain` must be true, a text such as"),
        ("[parameters]\ngrain = [5, [6]]\n", "lmr.toml:2: `grain` must be true, a text such as"),
        ("[parameters]\ngrain = {lo = 1}\n", "lmr.toml:2: unknown key `lo` in [parameters.grain]"),
        ("[parameters.grain]\nlo = 1\n", "lmr.toml:1: unknown key `lo` in [parameters.grain]"),
        ("[parameters]\ngrain = {low = 1}\n", "lmr.toml:2: `grain` needs either low and high"),
        (
            "[parameters]\ngrain = {low = 1, high = 2, choices = [1]}\n",
            "lmr.toml:2: `grain` needs either low and high, or choices",
        ),
    ],
)
def test_errors_name_file_and_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read(_file(tmp_path, text))
    found = str(caught.value)
    assert message in found and found.startswith(str(tmp_path)) and "\n" not in found


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none.toml: No such file"):
        read(tmp_path / "none.toml")
    path = tmp_path / "lmr.toml"
    path.write_bytes(b"base = '\xff'\n")
    with pytest.raises(UsageError, match="lmr.toml: not UTF-8 text"):
        read(path)
