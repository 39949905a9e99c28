"""``mtdf extend`` adds pairs, marks the result, and refuses what cannot be extended."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cases import each

Run = Callable[..., Any]
FIXED = "no sample of a fixed size"


def test_event_is_extended_and_resumed(on: Run) -> None:
    before = on("games", "--json").json
    extended = on("extend", "short", "--pairs", "2")
    assert extended.code == 0 and "now has 10 pairs" in extended.out
    assert "mtdf resume" in extended.out
    row = on("show", "short", "--json").json
    assert (row["extensions"], row["pairs_planned"], row["pairs_done"]) == ([2], 10, 6)
    assert row["status"] == "interrupted"
    resumed = on("resume", "short")
    assert resumed.code == 0
    assert any("was extended by 2 pairs a pairing" in line for line in resumed.errors)
    assert FIXED in on("show", "short").out
    again = on("extend", "short", "--pairs", "1", "--json").json
    assert (again["extensions"], again["pairs_planned"]) == ([2, 1], 12)
    outcome = on("resume", "short", "--json", "--quiet")
    assert (outcome.json["extensions"], outcome.json["games"]) == ([2, 1], 24)
    assert "by 2 and 1 pairs" in outcome.err
    after = on("games", "--json").json
    kept = [row for row in after if row["id"] in {one["id"] for one in before}]
    assert kept == before and len(after) == 24
    checked = on("db", "check", "--replay")
    assert checked.code == 0, checked.out + checked.err
    # As a file it is one event of a fixed size.
    assert "pairs = 6\n" in on("show", "short", "--toml").out


def test_result_mentions_only_real_extensions(on: Run) -> None:
    assert "extended" not in on("resume", "short").err
    assert "extended" not in on("show", "short").out


@each(
    "words, code, message",
    [
        (("extend", "short", "--pairs", "0"), 2, "pairs of an extension"),
        (("extend", "short", "--pairs", "1" * 30), 2, "pairs of an extension"),
        (("extend", "short", "--pairs", "20000"), 2, "20003 openings"),
        (("extend", "short"), 2, "--pairs"),
        (("extend", "nothing", "--pairs", "1"), 5, "nothing"),
    ],
)
def test_bad_extension_is_refused(on: Run, words: tuple[str, ...], code: int, message: str) -> None:
    before = on("show", "short", "--json").out
    result = on(*words)
    assert (result.code, len(result.errors), result.out) == (code, 1, "")
    assert message in result.err
    assert on("show", "short", "--json").out == before


def test_other_kinds_of_event_are_refused(mtdf: Run) -> None:
    short = ("--nodes", "40", "--max-plies", "8", "--quiet")
    Path("i.pgn").write_text('[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n')
    study = "tune run --base pvs:entries=2^10 --param reverse_futility --budget-pairs 48"
    for words in (
        ("sprt", "--test", "mtdf", "--base", "pvs", "--max-pairs", "2", *short),
        ("swiss", "mtdf", "pvs", "--rounds", "1", "--pairs", "1", *short),
        ("knockout", "mtdf", "pvs", "--pairs", "1", *short),
        ("import", "i.pgn", "--quiet"),
        (*study.split(), *"--measure 0 --sampler random --trials 2".split(), *short),
    ):
        assert mtdf(*words).code in (0, 1), words
        event = json.loads(mtdf("events", "--json").out)[-1]
        refused = mtdf("extend", event["id"], "--pairs", "1")
        assert (refused.code, len(refused.errors)) == (2, 1), (words, refused)
        assert json.loads(mtdf("events", "--json").out)[-1] == event
