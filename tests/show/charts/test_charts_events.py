"""Charts of events draw their rows at the right positions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any, cast
from xml.etree.ElementTree import Element

import pytest
from chart_reading import HOSTILE, drawn, layer_of, layers, panels, specs, texts

from toolkit.ratings.history import HistoryLine
from toolkit.ratings.rating_list import RatingLine
from toolkit.reports.crosstables import CrosstableRow
from toolkit.reports.sprt import LlrRow, SprtOutcome
from toolkit.show.charts.crosstable import crosstable_picture
from toolkit.show.charts.history import history_picture
from toolkit.show.charts.pentanomial import pentanomial_picture
from toolkit.show.charts.picture import Picture
from toolkit.show.charts.ratings import MOST_DRAWN, ratings_picture
from toolkit.show.charts.sprt import llr_picture

NAMES = (HOSTILE, "constructor", "a" * 100)


def rating(elo: float, error: float | None, bound: str | None = None, pool: int = 0) -> RatingLine:
    row = {"elo": elo, "error95": error, "bound": bound, "games": 200, "pool": pool}
    return cast("RatingLine", SimpleNamespace(**(row)))


RATED = [rating(31.5, 12.5), rating(2.0, None), rating(-33.5, None, "at most")]


def met(first: str, second: str, wins: int, draws: int, losses: int) -> CrosstableRow:
    games = wins + draws + losses
    row = {"first": first, "second": second, "wins": wins, "draws": draws, "losses": losses}
    return cast(
        "CrosstableRow",
        SimpleNamespace(**(row | {"games": games, "score": (wins + draws / 2) / games})),
    )


def state(llr: float = 1.5, pairs: int = 3) -> SprtOutcome:
    test = {
        "llr": llr, "lower": -2.94, "upper": 2.94, "elo0": 0.0, "elo1": 5.0, "model": "normalized",
    }  # fmt: skip
    return cast(
        "SprtOutcome",
        SimpleNamespace(
            **({"test": SimpleNamespace(**test), "pairs_tested": pairs, "reason": "no verdict yet"})
        ),
    )


def course(llrs: Sequence[float]) -> list[LlrRow]:
    return [LlrRow(pairs=pairs, llr=llr) for pairs, llr in enumerate(llrs, 1)]


def line(number: int, elo: float, error: float | None = 10.0) -> HistoryLine:
    row = {"list": number, "created_at": f"2026-11-2{number}", "elo": elo, "error95": error}
    more = {"scale": "mean 0", "bound": None, "games": 100, "limit": {"nodes": 5}}
    return cast("HistoryLine", SimpleNamespace(**(row | more)))


MEETINGS = [met(HOSTILE, "pvs", 6, 2, 2), met("pvs", "toString", 1, 1, 8)]
SHOWN = {HOSTILE: HOSTILE, "pvs": "pvs", "toString": "toString"}
PICTURES = {
    "ratings": ratings_picture(RATED, NAMES),
    "no ratings": ratings_picture([], []),
    "crosstable": crosstable_picture(MEETINGS, list(SHOWN), SHOWN),
    "pentanomial": pentanomial_picture([1, 2, 3, 4, 5], HOSTILE),
    "llr": llr_picture(course([0.5, 1.0, 1.5]), state()),
    "no llr": llr_picture([], state(0.0, 0)),
    "history": history_picture(
        [(HOSTILE, [line(1, 5), line(2, 7)]), ("constructor", [line(2, 9, None)])]
    ),
}


def rows_of(picture: Picture, mark: str, **wanted: Any) -> list[dict[str, Any]]:
    (spec,) = specs(picture)
    return cast("list[dict[str, Any]]", layer_of(spec, mark, **wanted)["rows"])


@cache
def root_of(name: str) -> Element:
    """A picture, drawn once for all tests."""
    return drawn(PICTURES[name])


@pytest.mark.parametrize("name", PICTURES)
def test_picture_hides_no_markup(name: str) -> None:
    picture = PICTURES[name]
    assert specs(picture)
    assert not [one for one in root_of(name).iter() if one.tag.endswith("script")]
    assert picture.title and picture.caption and picture.alt


def test_ratings_have_their_intervals() -> None:
    rows = rows_of(PICTURES["ratings"], "rule", style="interval")
    ends = [(row["low"], row["elo"], row["high"]) for row in rows]
    # A bound is open: its bar goes beyond all others.
    assert ends == [(19.0, 31.5, 44.0), (2.0, 2.0, 2.0), (-83.5, -33.5, -33.5)]
    assert [row["told"] for row in rows] == ["+31.5 ± 12.5", "+2.0", "at most -33.5"]
    assert HOSTILE in texts(root_of("ratings"))
    assert "3 engines" in PICTURES["ratings"].alt and "+31.5 ± 12.5" in PICTURES["ratings"].alt


def test_strongest_engine_is_on_top() -> None:
    (panel,) = panels(root_of("ratings"))
    heights = {label: at for label, at in panel.ticks["y"]}
    assert heights[HOSTILE] < heights["constructor"]
    dots = {mark.told["Elo"]: mark.points[0] for mark in panel.of("point")}
    assert [told for told, _ in sorted(dots.items(), key=lambda one: -one[1][0])] == [
        "+31.5 ± 12.5", "+2.0", "at most -33.5",
    ]  # fmt: skip


def test_long_list_says_what_it_leaves_out() -> None:
    names = [f"e{number}" for number in range(MOST_DRAWN + 7)]
    picture = ratings_picture([rating(-n, 1.0) for n in range(len(names))], names)
    assert len(rows_of(picture, "rule", style="interval")) == MOST_DRAWN
    assert f"The first {MOST_DRAWN} of {len(names)} engines" in picture.caption


def test_pools_do_not_share_an_axis() -> None:
    lines = [rating(5, 1.0), rating(-5, 1.0), rating(9, 2.0, pool=1), rating(-9, 2.0, pool=1)]
    picture = ratings_picture(lines, ["a", "b", "a", "c"], ["pool 1: nodes=5", "pool 2: nodes=9"])
    found = [(spec["title"], [row["engine"] for row in layer_of(spec, "point")["rows"]])
             for spec in specs(picture)]  # fmt: skip
    assert found == [("pool 1: nodes=5", ["a", "b"]), ("pool 2: nodes=9", ["a", "c"])]
    assert "cannot be compared" in picture.caption


def test_both_sides_of_a_pairing_score_all_its_points() -> None:
    rows = rows_of(PICTURES["crosstable"], "rect")
    scores = {(row["engine"].split("  ")[1], row["opponent"]): row["score"] for row in rows}
    assert scores[HOSTILE, "pvs"] == 0.7 and scores["pvs", "toString"] == pytest.approx(0.15)
    assert len(rows) == 4
    for (one, two), score in scores.items():
        assert score + scores[two, one] == pytest.approx(1)
    results = {(row["engine"].split("  ")[1], row["opponent"]): row["result"] for row in rows}
    assert (results[HOSTILE, "pvs"], results["pvs", HOSTILE]) == ("6-2-2", "2-6-2")


def test_pairs_are_under_their_points() -> None:
    rows = rows_of(PICTURES["pentanomial"], "bar")
    assert [(row["points"], row["pairs"]) for row in rows] == [
        ("0", 1), ("½", 2), ("1", 3), ("1½", 4), ("2", 5),
    ]  # fmt: skip


def test_ratio_goes_between_its_bounds() -> None:
    (spec,) = specs(PICTURES["llr"])
    bounds, _, way = layers(spec)
    assert [(row["at"], row["told"]) for row in bounds["rows"]] == [
        (2.94, "H1: 5"), (-2.94, "H0: 0"),
    ]  # fmt: skip
    assert [(row["pairs"], row["llr"]) for row in way["rows"]][-1] == (3, 1.5)
    assert "LLR 1.50 after 3 pairs" in PICTURES["llr"].alt


def test_long_test_is_thinned_and_says_so() -> None:
    picture = llr_picture(course([number / 1000 for number in range(1, 1235)]), state(pairs=1234))
    (spec,) = specs(picture)
    drawn_pairs = [row["pairs"] for row in layers(spec)[-1]["rows"]]
    assert len(drawn_pairs) <= 501 and drawn_pairs[-1] == 1234 and drawn_pairs[0] == 1
    assert drawn_pairs[:-1] == list(range(1, 1235, 3))
    assert "One pair in 3 is drawn, and the last." in picture.caption


def test_history_has_each_list_with_its_interval() -> None:
    rows = rows_of(PICTURES["history"], "rule")
    found = [(row["engine"], row["list"], row["low"], row["elo"], row["high"]) for row in rows]
    assert found == [(HOSTILE, 1, -5, 5, 15), (HOSTILE, 2, -3, 7, 17), ("constructor", 2, 9, 9, 9)]
    assert HOSTILE in texts(root_of("history")), "the key names the engines"
