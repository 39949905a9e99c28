"""``mtdf knockout``, ``swiss`` and ``round-robin --stop-when`` play their rounds to the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cases import each

from toolkit.events.progress import EventPlanRow
from toolkit.reports.outcome import RoundsOutcome

Run = Callable[..., Any]
SHORT = ("--nodes", "60", "--max-plies", "12", "--draw", "off", "--quiet")
FOUR = ("mtdf:hash=1", "pvs:hash=1", "alphabeta:hash=1", "bns:hash=1")


def test_knockout(mtdf: Run, has_fields: Callable[..., bool]) -> None:
    words = ("knockout", *FOUR, "--pairs", "1", "--extra-pairs", "2", *SHORT)
    plan = mtdf(*words, "--dry-run", "--json").json
    assert has_fields(plan, EventPlanRow)
    assert (plan["kind"], plan["pairings"], plan["games"]) == ("knockout", [], 18)
    assert plan["expected_pairs"] == 3
    row = mtdf(*words, "--json").json
    assert has_fields(row, RoundsOutcome)
    assert (row["kind"], row["status"], row["goal"]) == ("knockout", "done", None)
    assert [meeting["title"] for meeting in row["meetings"]] == ["semi-finals"] * 2 + ["final"]
    assert [line["place"] for line in row["standings"]] == [1, 2, 3, 3]
    assert row["pairs_done"] == sum(meeting["pairs"] for meeting in row["meetings"])
    text = mtdf("resume", row["id"]).out
    assert "semi-finals" in text and "place" in text and "Elo" in text
    assert row["standings"][0]["engine"] in text.split("place")[1].splitlines()[1]
    again = mtdf("resume", row["id"], "--json").json
    assert again["meetings"] == row["meetings"] and again["standings"] == row["standings"]
    assert mtdf("events").out.count("knockout") == 1
    assert mtdf("crosstable", "--event", row["id"]).code == 0
    assert mtdf("stats", row["id"]).code == 0


def test_swiss_tournament_with_a_bye(mtdf: Run, has_fields: Callable[..., bool]) -> None:
    words = ("swiss", *FOUR, "--engine", "sss:hash=1", "--rounds", "2", "--pairs", "1", *SHORT)
    assert "2 rounds of 2 meetings of 1 pair = 8 games" in mtdf(*words, "--dry-run").out
    row = mtdf(*words, "--json").json
    assert has_fields(row, RoundsOutcome)
    assert (row["kind"], row["games"], row["pairs_planned"]) == ("swiss", 8, 4)
    byes = [meeting["first"] for meeting in row["meetings"] if meeting["second"] is None]
    assert len(set(byes)) == 2
    assert sum(line["points"] for line in row["standings"]) == 6
    text = mtdf("resume", row["id"]).out
    assert "bye" in text and "Buchholz" in text and "Sonneborn-Berger" in text


def test_adaptive_round_robin(mtdf: Run, has_fields: Callable[..., bool]) -> None:
    words = ("round-robin", *FOUR[:3], "--round-pairs", "6", *SHORT)
    row = mtdf(*words, "--stop-when", "order", "--max-pairs", "12", "--zone", "0", "--json").json
    assert has_fields(row, RoundsOutcome)
    goal = row["goal"]
    assert (goal["stop_when"], goal["zone"], goal["reached"]) == ("order", 0, False)
    assert (goal["rounds"], row["pairs_done"], row["standings"]) == (2, 12, [])
    assert goal["critical"] > 1.96
    assert "goal order: not reached after 2 rounds" in mtdf("resume", row["id"]).out
    assert "goal order: not reached after 2 rounds" in mtdf("show", row["id"]).out
    assert row["stop_when"] == "order" == mtdf("show", row["id"], "--json").json["stop_when"]
    assert " goal " in mtdf("events").out.splitlines()[0]
    dry = mtdf(*words, "--stop-when", "order", "--tc", "1+0", "--dry-run")
    assert "for all --max-pairs: the goal may end it earlier" in dry.out
    wide = mtdf(*words, "--stop-when", "900elo", "--max-pairs", "60", "--json").json
    assert wide["goal"]["reached"] and wide["pairs_done"] < 60


def test_log_names_the_round(mtdf: Run) -> None:
    result = mtdf("swiss", *FOUR, "--rounds", "2", "--pairs", "1", *SHORT[:-1])
    assert result.code == 0
    assert "round=2" in result.err


@each(
    "words, told",
    [
        (("round-robin", *FOUR), "--pairs N is missing"),
        (("round-robin", *FOUR, "--pairs", "3", "--zone", "5"), "--zone needs --stop-when"),
        (("round-robin", *FOUR, "--pairs", "3", "--max-pairs", "5"), "--max-pairs needs"),
        (("round-robin", *FOUR, "--pairs", "3", "--stop-when", "order"), "instead of --pairs"),
        (("round-robin", *FOUR, "--stop-when", "soon"), "expected a number of Elo"),
        (("round-robin", *FOUR, "--stop-when", "9elo", "--zone", "3"), "--zone needs"),
        (("round-robin", *FOUR, "--stop-when", "order", "--zone", "-1"), "zone (-1)"),
        (("round-robin", *FOUR, "--stop-when", "order", "--zone", "nan"), "zone (nan)"),
        (("round-robin", *FOUR, "--stop-when", "order", "--round-pairs", "3"), "do not connect"),
        (("round-robin", *FOUR, "--stop-when", "order", "--max-pairs", "2"), "do not connect"),
        (("round-robin", "mtdf", "--stop-when", "order"), "number of engines (1)"),
        (("round-robin", "mtdf", "mtdf:name=b", "--stop-when", "order"), "under two labels"),
        (("swiss", *FOUR, "--rounds", "4", "--pairs", "1"), "rounds (4) must be from 1 to 3"),
        (("swiss", *FOUR, "--rounds", "0", "--pairs", "1"), "rounds (0)"),
        (("swiss", "mtdf", "--rounds", "1", "--pairs", "1"), "number of engines (1)"),
        (("knockout", "mtdf", "--pairs", "1"), "number of engines (1)"),
        (("knockout", *FOUR, "--pairs", "1", "--extra-pairs", "-1"), "extra pairs (-1)"),
        (("knockout", *FOUR, "--pairs", "20000"), "20010 pairs need 20010 openings"),
    ],
)
def test_bad_options_are_refused(mtdf: Run, words: tuple[str, ...], told: str) -> None:
    result = mtdf(*words, *SHORT)
    assert result.code == 2
    assert len(result.errors) == 1 and told in result.errors[0]
    assert mtdf("events").code == 3  # there is no database
