"""All objectives are measured on one scale."""

from __future__ import annotations

import numpy as np
import pytest

from toolkit.stats.elo import score_of_elo
from toolkit.stats.match import match_statistics
from toolkit.tuning.models.worth import (
    WORTH_PER_ELO,
    MeasuredPoint,
    across,
    against_base,
    pair_variance,
    resolution,
    worths,
)


def test_more_is_better_for_all_objectives() -> None:
    assert worths([0.75, None, 0.25]) == (0.25, None, -0.25)
    assert worths([-0.2, None, 0.1], effort=True) == (0.2, None, -0.1)


def test_resolution_is_the_error_of_a_level_match() -> None:
    counts = (48, 102, 0, 102, 48)  # pairs with the standard deviation that is assumed
    error = match_statistics(counts).elo_error95
    assert error == pytest.approx(resolution(300, shared=False), rel=0.02)
    assert resolution(300, shared=True) == 2 * resolution(300, shared=False)


def test_opponents_count_alike() -> None:
    rows = [[0.2, 0.0, None], [0.4, 0.1, 0.3]]
    assert across(rows) == (pytest.approx(0.3), pytest.approx(0.05), None)
    assert against_base(rows, rows) == (0.0, 0.0, None)


def test_results_of_point_are_summed() -> None:
    values = [0.25, None, -0.25, 0.0, 0.5]
    measured = MeasuredPoint.of({"x": 1}, values)
    known = np.array([value for value in values if value is not None])
    assert measured.pairs == 4
    assert measured.mean == pytest.approx(known.mean())
    assert measured.squares == pytest.approx(known.var() * 4)
    assert MeasuredPoint.of({}, [None]) == MeasuredPoint({}, 0, 0.0, 0.0)


def test_variance_is_pooled_within_points() -> None:
    random = np.random.default_rng(1)
    points = [
        MeasuredPoint.of({"x": place}, list(place + random.normal(0.0, 0.3, 50)))
        for place in range(40)
    ]
    assert pair_variance(points) == pytest.approx(0.09, rel=0.08)
    assert pair_variance([]) == pytest.approx(0.35**2)
    assert pair_variance([MeasuredPoint.of({}, [0.5, 0.5])], prior=0.1) == pytest.approx(0.08)


def test_elo_slope_matches_scale() -> None:
    assert score_of_elo(0.1) - score_of_elo(-0.1) == pytest.approx(0.2 * WORTH_PER_ELO)
