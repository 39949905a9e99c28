"""``mtdf lab`` reports skipped positions and refuses bad names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from cases import each

Run = Callable[..., Any]
QUICK = ("--engine", "mtdf:eval=pst", "--depth", "1")
GAMES = "".join(f'[White "A"]\n\n{moves} *\n\n' for moves in ("1. e4 e5", "1. f3 e5 2. g4 Qh4#"))


def test_finished_positions_are_skipped_and_counted(mtdf: Run) -> None:
    Path("g.pgn").write_text(GAMES, encoding="utf-8")
    result = mtdf("lab", "compare", *QUICK, "--positions", "g.pgn", "--quiet")
    assert result.code == 0 and "1 position of g" in result.out
    assert result.errors == [
        "warning: suite g: 1 game is over at the last position and left out: there is nothing to "
        "search"
    ]


def test_small_suite_is_reported(mtdf: Run) -> None:
    said = "suite own has 2 positions, and {} were requested: all of them are searched"
    lines = ("8/8/1p2pK2/1N2P3/P2n1k2/8/8/8 b - -", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - -")
    Path("own.epd").write_text("\n".join(lines), encoding="utf-8")
    words = ("lab", "compare", *QUICK, "--positions", "own.epd", "--limit-positions")
    result = mtdf(*words, "3")
    assert result.code == 0 and said.format(3) in result.errors
    for enough in ("2", "1"):
        assert "asked for" not in mtdf(*words, enough).err


@each("name", ["", "  ", "-x", "x\ny", "x\x1b[31m", "x" * 61, "last"])
def test_bad_run_names_are_refused(mtdf: Run, name: str) -> None:
    for words in (
        ("lab", "compare", *QUICK, "--limit-positions", "1"),
        ("lab", "sweep", *QUICK, "--param", "grain=1,2", "--limit-positions", "1"),
    ):
        result = mtdf(*words, f"--name={name}")
        assert result.code == 2 and len(result.errors) == 1 and not Path("mtdf.db").exists()
        assert result.errors[0].startswith("error: name of the run")


@each("name", ["x" * 60, "ä b", "x-1"])
def test_good_run_names_are_accepted(mtdf: Run, name: str) -> None:
    assert mtdf("lab", "compare", *QUICK, "--limit-positions", "1", "--name", name).code == 0
    assert [row["name"] for row in mtdf("lab", "list", "--json").json] == [name]
    assert mtdf("resume", name).code == 0


@each("name", ["", "-x", "x" * 101])
def test_event_and_study_names_follow_the_same_rule(mtdf: Run, name: str) -> None:
    for words, what in (
        (("match", "mtdf", "pvs", "--pairs", "1", "--nodes", "50"), "event"),
        (("tune", "run", "--param", "grain", "--nodes", "50", "--dry-run"), "study"),
    ):
        result = mtdf(*words, f"--name={name}")
        assert result.code == 2 and len(result.errors) == 1
        assert result.errors[0].startswith(f"error: name of the {what} `{name[:64]}")
        assert f"give 1 to {100 if what == 'event' else 64} printable" in result.errors[0]
