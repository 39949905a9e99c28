"""What charts show follows from trials and models."""

from __future__ import annotations

import math

import pytest

from toolkit.show.charts.study_data import (
    CELLS,
    ShownParameter,
    Span,
    by_surface,
    by_surrogate,
    climb_of,
    contour_of,
    most_telling,
    parameters_of,
    slices_of,
    span_of_gain,
    span_of_worth,
    theta_point,
    tracks_of,
    trials_of,
)
from toolkit.stats.elo import Z95
from toolkit.tuning.models.gain import gain_of_pairs
from toolkit.tuning.models.posterior import fit
from toolkit.tuning.models.surface import Surface
from toolkit.tuning.models.worth import WORTH_PER_ELO, MeasuredPoint
from toolkit.tuning.space.point import Point
from toolkit.tuning.space.space import Space

SPACE = Space.declared(["depth=1..9", "grain=1.0..64.0,log", "mode=plain|wide"])
BASE: Point = {"depth": 3, "grain": 8.0, "mode": "plain"}
BEST: Point = {"depth": 7, "grain": 8.0, "mode": "plain"}


def test_spans_are_gains() -> None:
    span = span_of_worth(20 * WORTH_PER_ELO, 5 * WORTH_PER_ELO, effort=False)
    assert (span.value, span.low, span.high) == pytest.approx((20, 20 - 5 * Z95, 20 + 5 * Z95))
    saved = span_of_worth(0.1, 0.0, effort=True)
    assert saved.value == pytest.approx(100 * (1 - math.exp(-0.1)))
    gain = gain_of_pairs([0.5, 0.75, 0.25, 1.0])
    assert span_of_gain(gain) == Span(gain.value, gain.low95, gain.high95)


def test_tracks_show_ordered_parameters_on_one_scale() -> None:
    depth, grain = tracks_of(SPACE, BASE, BEST, [(0.25, 0.5), (0.5, 0.4)])
    assert (depth.name, depth.low, depth.high, depth.units) == ("depth", "1", "9", (0.25, 0.5))
    assert (depth.base, depth.recommended) == (0.25, 0.75)
    assert grain.base == grain.recommended == pytest.approx(0.5)
    assert tracks_of(SPACE, BASE, None, [])[0].recommended is None


def test_climb_uses_surface_known_at_each_trial() -> None:
    comparisons = [(BEST, BASE, 0.03, 50), (BASE, BEST, -0.02, 50), (BEST, BASE, 0.05, 0)]
    stops = climb_of(SPACE, BASE, comparisons, [(0.25, 0.5), (0.5, 0.5), (0.75, 0.5)], 0.1, False)
    assert [stop.pairs for stop in stops] == [50, 100, 100]
    assert stops[0].gain.value == pytest.approx(0.0, abs=1e-9)
    surface = Surface(SPACE, BASE, 0.1)
    surface.add(BEST, BASE, 0.03, 50)
    surface.add(BASE, BEST, -0.02, 50)
    assert stops[2].gain.value == pytest.approx(surface.gain(BEST).elo)
    assert stops[1].gain.value == pytest.approx(surface.gain({**BASE, "depth": 5}).elo)
    assert climb_of(SPACE, BASE, [], [], 0.1, False) == ()


def test_trials_show_posterior_and_own_mean() -> None:
    trials = [
        (0, False, MeasuredPoint(BEST, 40, 0.1, 4.0)),
        (1, True, MeasuredPoint({**BASE, "depth": 9}, 24, -0.1, 3.0)),
        (2, False, MeasuredPoint({**BASE, "depth": 2}, 0, 0.0, 0.0)),
    ]
    surrogate = fit(SPACE, BASE, [one for _, _, one in trials])
    model = by_surrogate(surrogate, effort=False)
    first, second = trials_of(SPACE, model, trials, effort=False)
    assert (first.number, first.pruned, first.pairs) == (0, False, 40)
    assert first.raw == pytest.approx(0.1 / WORTH_PER_ELO)
    assert 0.0 < first.gain.value < first.raw
    assert (second.number, second.pruned) == (1, True)
    assert first.point == {"depth": 7, "grain": 8.0, "mode": "plain"}
    assert first.units == {"depth": 0.75, "grain": pytest.approx(0.5), "mode": 0.0}
    wide = [(2, False, MeasuredPoint({**BEST, "mode": "wide"}, 10, 0.1, 1.0))]
    assert trials_of(SPACE, model, wide, effort=False)[0].units["mode"] == 1.0


def test_slices_pass_through_recommended_point() -> None:
    measured = [
        MeasuredPoint(BEST, 400, 0.1, 40.0),
        MeasuredPoint({**BEST, "mode": "wide"}, 400, 0.0, 40.0),
    ]
    surrogate = fit(SPACE, BASE, measured)
    model = by_surrogate(surrogate, effort=False)
    depth, grain, mode = slices_of(SPACE, model, BASE, BEST)
    here = surrogate.predict([BEST]).mean[0] / WORTH_PER_ELO
    assert depth.values == tuple(range(1, 10)) and (depth.base, depth.recommended) == (3, 7)
    assert depth.gains[6].value == pytest.approx(here)
    assert grain.log and len(grain.values) > 20
    assert mode.values == ("plain", "wide") and mode.base == mode.recommended == "plain"
    assert mode.gains[0].value == pytest.approx(here) and mode.gains[1].value < here


def test_contour_is_model_over_two_parameters() -> None:
    measured = [
        MeasuredPoint(BEST, 400, 0.1, 40.0),
        MeasuredPoint({**BEST, "mode": "wide"}, 400, 0.0, 40.0),
    ]
    model = by_surrogate(fit(SPACE, BASE, measured), effort=False)
    points = [BEST, {"depth": 1, "grain": 2.0}]
    found = contour_of(SPACE, model, BASE, BEST, ("grain", "mode"), points)
    assert (found.x, found.y) == (
        ShownParameter("grain", (1.0, 64.0), (), True, 8.0, 8.0),
        ShownParameter("mode", None, ("plain", "wide"), False, "plain", "plain"),
    )
    assert found.points == ((8.0, "plain"),), "a point without one of the parameters is left out"
    assert len(found.cells) == 2 * CELLS
    for cell in found.cells:
        assert isinstance(cell.x, tuple)
        low, high = cell.x
        assert high / low == pytest.approx(64 ** (1 / CELLS)), "even on a logarithmic scale"
        (gain,) = model([{**BEST, "grain": math.sqrt(low * high), "mode": cell.y}])
        assert cell.gain.value == pytest.approx(gain.value)
    assert found.cells[0].x[0] == 1.0 and found.cells[-1].x[1] == pytest.approx(64.0)


def test_most_important_parameters_differ_most() -> None:
    measured = [
        MeasuredPoint(BEST, 400, 0.1, 40.0),
        MeasuredPoint({**BEST, "mode": "wide"}, 400, 0.0, 40.0),
    ]
    slices = slices_of(SPACE, by_surrogate(fit(SPACE, BASE, measured), effort=False), BASE, BEST)
    spread = {one.name: max(g.value for g in one.gains) - min(g.value for g in one.gains)
              for one in slices}  # fmt: skip
    assert most_telling(slices) == tuple(sorted(spread, key=lambda name: -spread[name])[:2])
    assert most_telling(slices[:1]) is None and most_telling(()) is None


def test_surface_uses_unit_of_study() -> None:
    surface = Surface(SPACE, BASE, 0.1)
    surface.add(BEST, BASE, 0.03, 50)
    (elo,) = by_surface(surface, effort=False)([BEST])
    here = surface.gain(BEST)
    assert (elo.value, elo.low, elo.high) == pytest.approx((here.elo, here.low95, here.high95))
    (percent,) = by_surface(surface, effort=True)([BEST])
    assert percent.value == pytest.approx(100 * (1 - math.exp(-here.elo * WORTH_PER_ELO)))


def test_theta_is_not_rounded() -> None:
    assert theta_point(SPACE, (0.3, 0.5)) == {
        "depth": pytest.approx(3.4),
        "grain": pytest.approx(8),
    }
    assert [one.recommended for one in parameters_of(SPACE, BASE, None)] == [None] * 3
