"""The response surface recovers known functions, and its interval holds."""

from __future__ import annotations

import numpy as np
import pytest

from toolkit.stats.elo import score_of_elo
from toolkit.tuning.models.surface import EloDifference, Surface
from toolkit.tuning.space.point import Point
from toolkit.tuning.space.space import Dimension, Space

NAMES = tuple(f"p{place}" for place in range(4))
SPACE = Space.declared([f"{name}=0.0..1.0" for name in NAMES])
BASE: Point = dict.fromkeys(NAMES, 0.5)


def at(values: np.ndarray) -> Point:
    return dict(zip(NAMES, map(float, values), strict=True))


def climbed(
    seed: int, height: float, pairs: int, sd: float = 0.35
) -> tuple[Surface, np.ndarray, float, float]:
    """A small SPSA run on a bowl: the surface, the end, its gain, the loss of moving p0."""
    random = np.random.default_rng(seed)
    best = 0.5 + random.choice([-1, 1], 4) * random.uniform(0.1, 0.35, 4)
    steep = random.uniform(0.5, 2.0, 4)
    steep *= height / float(steep @ (best - 0.5) ** 2)

    def elo(values: np.ndarray) -> float:
        return -float(steep @ (values - best) ** 2)

    surface = Surface(SPACE, BASE, 0.35**2)
    theta, visited, span, ends = np.full(4, 0.5), [], 0.15, []
    for _ in range(pairs // 10):
        flip = random.choice([-1, 1], 4)
        one, two = theta + span * flip, theta - span * flip
        worth = score_of_elo(elo(one) - elo(two)) - 0.5 + random.normal() * sd / 10**0.5
        surface.add(at(one), at(two), worth, 10)
        theta = np.clip(theta + 0.006 * span * 40.0 * worth * flip, span, 1.0 - span)
        visited.append(theta)
        ends += [one[0], two[0]]
    end = np.mean(visited[len(visited) // 2 :], axis=0)
    moved = [elo(np.r_[unit, end[1:]]) for unit in np.linspace(min(ends), max(ends), 21)]
    return surface, end, elo(end) - elo(np.full(4, 0.5)), elo(end) - float(np.mean(moved))


def within(truth: float, estimate: EloDifference) -> bool:
    return estimate.low95 <= truth <= estimate.high95


@pytest.mark.parametrize(("height", "pairs"), [(0.0, 1000), (30.0, 1500), (100.0, 1500)])
def test_interval_covers_truth_on_bowls(height: float, pairs: int) -> None:
    gains, losses = [], []
    for seed in range(16):
        surface, end, gain, lost = climbed(seed, height, pairs)
        gains.append(within(gain, surface.gain(at(end))))
        losses.append(within(lost, surface.lost("p0", at(end))))
    assert np.mean(gains) >= 0.83
    assert np.mean(losses) >= 0.9


def test_much_data_gives_truth() -> None:
    surface, end, gain, lost = climbed(3, 40.0, 20_000, sd=0.01)
    surface.variance = 0.01**2
    assert surface.gain(at(end)).elo == pytest.approx(gain, rel=0.05)
    assert surface.lost("p0", at(end)).elo == pytest.approx(lost, rel=0.1)


def test_gain_of_base_is_exactly_zero() -> None:
    surface, _, _, _ = climbed(1, 30.0, 200)
    assert surface.gain(BASE) == EloDifference(0.0, 0.0)


def test_without_comparisons_no_gain_is_expected() -> None:
    estimate = Surface(SPACE, BASE).gain(at(np.array([0.9, 0.1, 0.5, 0.5])))
    assert estimate.elo < 0.0 < estimate.high95


def test_exchanged_ends_give_same_gain() -> None:
    one, two = Surface(SPACE, BASE), Surface(SPACE, BASE)
    high, low = at(np.full(4, 0.7)), at(np.full(4, 0.4))
    one.add(high, low, 0.02, 400)
    two.add(low, high, -0.02, 400)
    assert one.gain(high).elo == pytest.approx(two.gain(high).elo)


def test_estimates_follow_new_data() -> None:
    surface = Surface(SPACE, BASE)
    high = at(np.full(4, 0.7))
    before = surface.gain(high)
    surface.add(high, BASE, 0.05, 1000)
    after = surface.gain(high)
    assert after.elo > before.elo and after.sd < before.sd
    surface.variance = 0.05**2
    sharper = surface.gain(high)
    assert sharper.sd < after.sd and sharper.elo == pytest.approx(0.05 * 695.0, rel=0.05)


def test_surface_handles_options_and_conditions() -> None:
    space = Space(
        (
            Dimension("mode", "choice", choices=("plain", "wide", "deep")),
            Dimension("reach", "int", 1, 9, needs=("mode", ("wide",))),
            Dimension("size", "float", 0.0, 1.0),
        )
    )
    base: Point = {"mode": "plain", "size": 0.5}
    wide: Point = {"mode": "wide", "reach": 5, "size": 0.5}
    surface = Surface(space, base)
    for _ in range(20):
        surface.add(wide, base, 20.0 / 695.0, 400)
        surface.add({**base, "mode": "deep"}, base, -20.0 / 695.0, 400)
    assert surface.gain(wide).elo == pytest.approx(20.0, abs=4.0)
    lost = surface.lost("mode", wide)
    assert lost.elo == pytest.approx(30.0, abs=6.0)  # 20 to plain, 40 to deep
    assert surface.lost("reach", base) == EloDifference(0.0, 0.0)
    with pytest.raises(KeyError):
        surface.lost("depth", base)
