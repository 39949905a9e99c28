"""Asking Optuna's trials for points."""

from __future__ import annotations

from typing import cast

from optuna.trial import Trial

from engines.spec import Value
from toolkit.tuning.space.dimension import Dimension
from toolkit.tuning.space.point import Point
from toolkit.tuning.space.space import Space


def suggested(trial: Trial, space: Space) -> Point:
    """The point of a trial: a parameter is asked for only where it means something. What the
    sampler noted on its copy of the trial is stored with it."""
    point: dict[str, Value] = {}
    for dimension in space.dimensions:
        if dimension.needs is not None:
            name, wanted = dimension.needs
            if point.get(name) not in wanted:
                continue
        point[dimension.name] = _value(trial, dimension)
    for key, value in trial.user_attrs.items():
        trial.set_user_attr(key, value)
    return point


def _value(trial: Trial, dimension: Dimension) -> Value:
    if dimension.kind == "choice":
        return cast("Value", trial.suggest_categorical(dimension.name, dimension.choices))
    if dimension.power_of_two:
        return cast("Value", trial.suggest_categorical(dimension.name, dimension.powers))
    low, high = dimension.ends
    if dimension.kind == "int":
        return trial.suggest_int(dimension.name, int(low), int(high), log=dimension.log)
    return trial.suggest_float(dimension.name, low, high, log=dimension.log)
