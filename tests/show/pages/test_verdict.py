"""Sentences about events: they claim what the rows say, and no more."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from db.records.events import EventRecord
from toolkit.events.progress import ScoreRow
from toolkit.ratings.rating_list import RatingLine, RatingReport
from toolkit.reports.ablation import AblationRow
from toolkit.reports.events import EventRow
from toolkit.reports.rounds import RoundsReport, StandingRow
from toolkit.show.pages.verdict import (
    ablation_verdict,
    event_title,
    match_verdict,
    progress_text,
    ratings_verdict,
    rounds_verdict,
    so_far,
)
from toolkit.stats.ratings import rate

SHOWN = {"a": "A", "b": "B"}


def line(elo: float, los: float | None, bound: str | None = None, games: int = 8) -> RatingLine:
    row = {"elo": elo, "error95": 9.0, "bound": bound, "games": games, "los_next": los}
    return cast("RatingLine", SimpleNamespace(**(row)))


def standing(engine: str, place: int | None) -> StandingRow:
    return cast(
        "StandingRow", SimpleNamespace(**({"engine": engine, "place": place, "points": 2.5}))
    )


def feature(low: float | None, high: float | None) -> AblationRow:
    return cast("AblationRow", SimpleNamespace(**({"elo": 0.0, "low95": low, "high95": high})))


def test_lead_is_settled_from_95_percent() -> None:
    told = ratings_verdict([line(10, 0.95), line(-10, None)], ["A", "B"], 1, (20.0, 17.0))
    assert told == "A leads B by +20.0 ± 17.0 Elo; settled (LOS 95.00 %)"
    told = ratings_verdict([line(10, 0.9499), line(-10, None)], ["A", "B"], 1, (20.0, 17.0))
    assert "; not settled" in told


def test_lead_is_the_difference_to_the_next_player() -> None:
    """Not the rating, which says how far from the mean of all players."""
    rows = [("a", "b", 12, 3, 5), ("b", "a", 6, 2, 12), ("b", "c", 9, 1, 0), ("c", "a", 1, 1, 8)]
    ratings = rate(rows)
    names = cast("Any", None)
    report = RatingReport(ratings, {}, names, excluded=0, self_games=0, settings={})
    first, second = ratings.pools[0].players[:2]
    assert (first.player, second.player) == ("a", "b")
    lead = report.lead
    assert lead is not None and lead[0] == pytest.approx(first.elo - second.elo)
    assert lead == ratings.pools[0].difference("a", "b") and lead[0] < first.elo
    alone = RatingReport(rate([("a", "b", 3, 0, 0)]), {}, names, 0, 0, {})
    assert alone.lead is None


@pytest.mark.parametrize(("bound", "told"), [("at least", "won"), ("at most", "lost")])
def test_all_games_won_or_lost_gives_no_rating(bound: str, told: str) -> None:
    found = ratings_verdict([line(-622, None, bound)], ["A"], 1, None)
    assert found == f"A {told} all 8 of its games: this gives no rating yet"
    assert "its only game" in ratings_verdict([line(-622, None, bound, 1)], ["A"], 1, None)


def test_pools_are_not_compared() -> None:
    told = ratings_verdict([line(10, 0.99), line(0, None)], ["A", "B"], 2, None)
    assert "2 pools" in told and "cannot be compared" in told and "A" not in told.split()


def test_knockout_has_a_winner_when_it_is_decided() -> None:
    report = RoundsReport([], [standing("a", 1)], None, None)
    assert rounds_verdict(report, "knockout", SHOWN) == "The knockout is not decided yet"
    report = RoundsReport([], [standing("a", 1)], None, "b")
    assert rounds_verdict(report, "knockout", SHOWN) == "B won the knockout"


def test_first_place_may_be_shared() -> None:
    shared = RoundsReport([], [standing("a", 1), standing("b", 1)], None, None)
    assert rounds_verdict(shared, "swiss", SHOWN) == "A and B share the first place with 2.5 points"
    alone = RoundsReport([], [standing("b", 1), standing("a", 2)], None, None)
    assert rounds_verdict(alone, "swiss", SHOWN) == "B leads the tournament with 2.5 points"
    assert rounds_verdict(alone, "round-robin", SHOWN) is None


def test_features_are_counted_by_their_intervals() -> None:
    rows: list[Any] = [feature(-9, -1), feature(-9, 1), feature(2, 5), feature(None, None)]
    told = ablation_verdict([*rows, cast("AblationRow", SimpleNamespace(**({"elo": None})))])
    assert "Of 4 features, the 95 % intervals of 1 say" in told
    assert "of 1 that they harm" in told and "about 0.2" in told
    assert ablation_verdict([]) == "No feature has a finished pair yet"


def played(kind: str, engines: list[str], heroes: int = 0, **other: Any) -> str:
    row = {"kind": kind, "engines": engines, "name": "n", "limit": {"depth": 4}}
    row |= {"game_played": "chess", "chess960": False} | other
    event = cast("EventRecord", SimpleNamespace(settings={"heroes": heroes}))
    shown = {name: f"{name}:hash=1" if name == "long" else name for name in engines}
    return event_title(event, cast("EventRow", SimpleNamespace(**row)), shown)


def test_title_says_what_was_played() -> None:
    names = [f"e{number}" for number in range(9)]
    for kind, engines, heroes, title in (
        ("match", ["a", "b"], 1, "a against b, depth 4"),
        ("gauntlet", ["a", "b", "c", "d"], 2, "a and b against c and d, depth 4"),
        ("round-robin", ["a", "b", "c"], 0, "a, b and c against each other, depth 4"),
        ("swiss", names, 0, "Swiss tournament of e0, e1, e2, e3, e4, e5 and 3 more, depth 4"),
    ):
        assert played(kind, engines, heroes) == title
    assert played("match", ["a", "b"], 1, game_played="othello") == "a against b, Othello, depth 4"
    assert played("import", ["a"], limit={}) == "Imported games: n"
    assert played("match", ["long", "b"], 1) == "long:hash=1 against b, depth 4", "as in tables"


def test_unfinished_run_says_how_far_it_is() -> None:
    running = progress_text("running", 24, "60 games", 185.0)
    assert running == "24 of 60 games, 3m05s left"
    assert so_far("a leads b", "running", running) == f"a leads b (so far: {running})"
    stopped = progress_text("interrupted", 24, "60 games", 185.0)
    assert so_far("a leads b", "interrupted", stopped) == (
        "a leads b (so far: 24 of 60 games, interrupted)"
    )
    assert so_far("a leads b", "done", progress_text("done", 60, "60 games", None)) == "a leads b"


def test_match_has_its_interval() -> None:
    row = {"first": "a", "second": "b", "elo": 5.0, "error95": 7.0, "low95": -2.0, "high95": 12.0}
    told = match_verdict(
        cast("ScoreRow", SimpleNamespace(**(row | {"any_look": False, "los": 0.9}))), SHOWN
    )
    assert told == "A against B: +5.0 ± 7.0 Elo, LOS 90.00 %"
    assert "no complete pair" in match_verdict(
        cast("ScoreRow", SimpleNamespace(**(row | {"elo": None}))), SHOWN
    )
