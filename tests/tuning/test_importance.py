"""Importance ranks the parameters that matter, from trials and from comparisons."""

from __future__ import annotations

import numpy as np
import optuna
import pytest

from toolkit.tuning.models.importance import of_surface, of_trials
from toolkit.tuning.models.surface import Surface
from toolkit.tuning.space.point import Point
from toolkit.tuning.space.space import Dimension, Space

SPACE = Space(
    (
        Dimension("mode", "choice", choices=("plain", "wide")),
        Dimension("reach", "int", 1, 9, needs=("mode", ("wide",))),
        Dimension("main", "float", 0.0, 1.0),
        Dimension("idle", "float", 0.0, 1.0),
    )
)


def trials(number: int) -> tuple[list[Point], list[float]]:
    random = np.random.default_rng(1)
    points: list[Point] = []
    for _ in range(number):
        point: dict[str, bool | int | float | str] = {
            "mode": str(random.choice(["plain", "wide"])),
            "main": float(random.uniform()),
            "idle": float(random.uniform()),
        }
        if point["mode"] == "wide":
            point["reach"] = int(random.integers(1, 10))
        points.append(point)
    return points, [-((float(point["main"]) - 0.2) ** 2) for point in points]


def test_trials_rank_parameters(capfd: pytest.CaptureFixture[str]) -> None:
    points, values = trials(200)
    found = of_trials(SPACE, points, values)
    assert found[0].parameter == "main" and found[0].importance > 0.6
    assert {one.parameter for one in found} == set(SPACE.names)
    assert sum(one.importance for one in found) == pytest.approx(1.0)
    assert all((one.method, one.error95, one.trials) == ("ped-anova", None, 200) for one in found)
    assert capfd.readouterr() == ("", "")


def test_conditional_parameters_are_counted() -> None:
    points, _ = trials(300)
    values = [float(point.get("reach", 3)) for point in points]
    shares = {one.parameter: one.importance for one in of_trials(SPACE, points, values)}
    assert shares["reach"] > shares["main"] and shares["reach"] > shares["idle"]


def test_constants_and_rare_conditions_cause_no_warning() -> None:
    points, values = trials(40)
    plain = [{**point, "mode": "plain", "idle": 0.5} for point in points]
    for point in plain[:-1]:
        point.pop("reach", None)
    plain[-1] |= {"mode": "wide", "reach": 2}
    shares = {one.parameter: one.importance for one in of_trials(SPACE, plain, values)}
    assert shares["idle"] == shares["reach"] == 0.0
    assert shares["main"] > 0.5


def test_too_few_trials_give_no_importance() -> None:
    points, values = trials(19)
    assert of_trials(SPACE, points, values) == []
    points, _ = trials(30)
    assert {one.importance for one in of_trials(SPACE, points, [0.0] * 30)} == {0.0}


def test_verbosity_of_optuna_is_restored() -> None:
    before = optuna.logging.get_verbosity()
    of_trials(SPACE, *trials(30))
    assert optuna.logging.get_verbosity() == before


def test_surface_ranks_parameters() -> None:
    base: Point = {"mode": "plain", "main": 0.5, "idle": 0.5}
    surface = Surface(SPACE, base)
    random = np.random.default_rng(2)
    for _ in range(300):
        centre = random.uniform(0.3, 0.7, 2)
        flip = random.choice([-0.2, 0.2], 2)
        ends: list[Point] = [
            {"mode": "plain", "main": float(x), "idle": float(y)}
            for x, y in (centre + flip, centre - flip)
        ]
        elo = [-300.0 * (float(end["main"]) - 0.5) ** 2 for end in ends]
        surface.add(ends[0], ends[1], (elo[0] - elo[1]) / 695.0 + random.normal() * 0.07, 25)
    first, second, third = of_surface(SPACE, surface, base, 300)
    assert first.parameter == "main" and {second.parameter, third.parameter} == {"mode", "idle"}
    assert (first.method, first.trials) == ("surface", 300) and first.error95 is not None
    truth = 300.0 * float(np.mean(np.linspace(-0.4, 0.4, 21) ** 2))
    assert abs(first.importance - truth) < first.error95
    assert second.error95 is not None
    assert second.importance < second.error95 or second.parameter == "idle"
