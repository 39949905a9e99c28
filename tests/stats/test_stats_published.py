"""Statistics against rows that others published; the sources stand in the data file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolkit.stats.match import match_statistics
from toolkit.stats.ratings import EncounterCounts, RatingOptions, rate
from toolkit.stats.sequential import sequential_estimate
from toolkit.stats.sprt import SprtTest, llr

PUBLISHED = json.loads(
    (Path(__file__).parents[1] / "data" / "stats_published.json").read_text(encoding="utf-8")
)


def _name(row: dict[str, Any]) -> str:
    return f"{row['source'].split()[0]}-{row.get('counts', 'fit')}"


@pytest.mark.parametrize("row", PUBLISHED["llr"], ids=_name)
def test_log_likelihood_ratio(row: dict[str, Any]) -> None:
    test = SprtTest(row["elo0"], row["elo1"], row["alpha"], row["beta"], row["model"])
    assert llr(row["counts"], test) == pytest.approx(row["llr"], abs=row["tolerance"])


@pytest.mark.parametrize("row", PUBLISHED["match"], ids=_name)
def test_match(row: dict[str, Any]) -> None:
    match = match_statistics(row["counts"])
    found = {name: getattr(match, name) for name in row["expected"]}
    assert found == pytest.approx(row["expected"], abs=row["tolerance"])


@pytest.mark.parametrize("row", PUBLISHED["ratings"], ids=_name)
def test_ratings(row: dict[str, Any]) -> None:
    encounters = [EncounterCounts(*encounter) for encounter in row["encounters"]]
    options = RatingOptions(white_advantage=row["white_advantage"])
    (pool,) = rate(encounters, options=options).pools
    for player, other, expected in row["differences"]:
        difference, _ = pool.difference(player, other)
        assert difference == pytest.approx(expected, abs=row["tolerance"])


@pytest.mark.parametrize("row", PUBLISHED["sequential"], ids=_name)
def test_estimate_after_a_stop(row: dict[str, Any]) -> None:
    test = SprtTest(row["elo0"], row["elo1"], model=row["model"])
    estimate = sequential_estimate(row["counts"], test)
    found = (estimate.elo, estimate.elo_low95, estimate.elo_high95)
    assert found == pytest.approx((row["elo"], row["low"], row["high"]), abs=row["tolerance"])
