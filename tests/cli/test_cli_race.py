"""``mtdf race`` plays candidates against one base until each is decided, and plans that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from db.session import open_database
from toolkit.events.progress import EventPlanRow
from toolkit.events.tally import stored_progress
from toolkit.reports.race import RaceOutcome, RacePlanRow, race_result
from toolkit.reports.standing import standing_of
from toolkit.show.live.event import EventView, race_rows, standing_frame
from toolkit.show.pages.event import event_subject
from toolkit.show.pages.overview import contents_subject

Run = Callable[..., Any]
SHORT = ("--nodes", "60", "--max-plies", "12", "--draw", "off", "--quiet")


def test_race_is_played_resumed_and_drawn(mtdf: Run, has_fields: Callable[..., bool]) -> None:
    words = ("race", "pvs", "mtdf:hash={1,2}", "bns", "--elo1", "300", "--block", "3", *SHORT)
    plan = mtdf(*words, "--max-pairs", "30", "--dry-run", "--json").json
    assert has_fields(plan, EventPlanRow)
    assert (plan["kind"], plan["games"], len(plan["pairings"])) == ("race", 60, 3)
    assert 9 <= plan["expected_pairs"] <= 30
    row = mtdf(*words, "--max-pairs", "30", "--json").json
    assert has_fields(row, RaceOutcome)
    race = row["race"]
    assert race["base"] == "pvs" == row["engines"][-1]
    assert {one["engine"] for one in race["candidates"]} == set(row["engines"][:-1])
    assert sum(one["pairs"] for one in race["candidates"]) == row["pairs_done"]
    for one in race["candidates"]:
        assert one["pairs"] == sum(one["pentanomial"])
        assert one["elo_low95"] is None or one["elo_low95"] < one["elo_high95"]
        assert (one["verdict"] == "accepted") == (one["evidence"] >= race["needed"])
    assert mtdf("resume", row["id"], "--json").json["race"] == race
    text = mtdf("resume", row["id"]).out
    assert "evidence" in text and "valid at any look" in text and "candidate" in text
    assert mtdf("events").out.count("race") == 1
    assert mtdf("plot", "race", "last", "-o", "race.svg").code == 0
    assert "Evidence" in Path("race.svg").read_text(encoding="utf-8")
    assert mtdf("plot", "sprt", "last", "-o", "x.svg").code == 2
    with open_database(Path("mtdf.db")) as db:
        page = event_subject(db, db.repository.events()[-1], None)
        assert row["reason"] in str(contents_subject(db).sections[0].blocks)
    assert page.title.startswith("Race of") and "accepted" in str(page.sections[0].blocks)


def test_terminal_shows_every_candidate(mtdf: Run) -> None:
    words = ("race", "pvs", "mtdf", "bns", "--elo1", "300", "--block", "2", "--max-pairs", "9")
    assert mtdf(*words, *SHORT).code == 0
    with open_database(Path("mtdf.db")) as db:
        progress = stored_progress(db.repository, db.repository.events()[-1])
        standing = standing_of(progress)
        assert standing.race is not None
        rows = race_rows(standing.race, standing.names)
        assert standing_frame(standing)[1] == rows
    _, lines = rows.versions[0]
    assert {line[0] for line in lines} == {"mtdf", "bns"}
    assert all("evidence" in line[-1] and "pairs" in line[2] for line in lines)
    assert "dropped=" in EventView().line(progress)


def test_race_has_no_verdict_before_its_end(mtdf: Run) -> None:
    cases = (("-900", "accepted", "is better"), ("800", "none better", "dropped"))
    for elo0, verdict, said in cases:
        words = ("race", "pvs", "mtdf", "--elo0", elo0, "--elo1", "900", "--block", "9")
        key = mtdf(*words, *SHORT, "--json").json["id"]
        with open_database(Path("mtdf.db")) as db:
            event = db.repository.events()[-1]
            assert race_result(db, event).verdict == verdict
            db.repository.set_status(event, "interrupted")  # as if a part of its block were missing
        row = mtdf("show", key, "--json").json
        assert row["verdict"] == "continue"
        assert said in row["reason"] and row["reason"].endswith("so far")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("mtdf",), "a base and at least one candidate, not `mtdf` alone"),
        (("mtdf", "mtdf:guess={zero,previous}"), "which is no better than itself"),
        (("mtdf", "pvs", "pvs:name=other"), "the same engine as another candidate, `pvs`"),
        (("mtdf", "mtdf:guess={zero"), "a brace is not closed"),
        (("mtdf", "pvs", "--alpha", "1"), "alpha must be between 0 and 1"),
        (("mtdf", "pvs", "bns", "--max-pairs", "99"), "fewer than 2 blocks of 50 pairs"),
        (("mtdf", "pvs", "--block", "0"), "pairs of a block"),
        (("plan", "--candidates", "0"), "candidates"),
        (("plan", "--gain-sd", "-1"), "gain-sd -1: expected 0"),
        (("plan", "--draws", "1"), "draw"),
    ],
)
def test_bad_input_is_one_line(mtdf: Run, words: tuple[str, ...], why: str) -> None:
    nodes = () if words[0] == "plan" else ("--nodes", "50")
    result = mtdf("race", *words, *nodes)
    assert result.code == 2 and why in result.err
    assert len([line for line in result.err.splitlines() if line.startswith("error")]) == 1
    assert not Path("mtdf.db").exists()


def test_plan_compares_with_sequential_tests(mtdf: Run, has_fields: Callable[..., bool]) -> None:
    words = ("race", "plan", "--candidates", "3", "--elo1", "30", "--max-pairs", "900")
    rows = mtdf(*words, "--json").json
    assert all(has_fields(row, RacePlanRow) for row in rows)
    assert [row["way"].split(",")[0] for row in rows] == ["race", "SPRT each", "SPRT each"]
    assert all(0 <= row["wrong"] <= row["found"] <= 1 for row in rows)
