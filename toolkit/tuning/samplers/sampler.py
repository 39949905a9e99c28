"""The samplers of a study, ours and Optuna's.

A sampler of Optuna is created again for every trial, seeded with the study's seed and the trial's
number. Its whole state is in the trials and their attributes, which the database stores, so a
resumed study samples the same points as an uninterrupted one.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any, cast

from optuna.exceptions import ExperimentalWarning
from optuna.samplers import BaseSampler, CmaEsSampler, GPSampler, RandomSampler, TPESampler
from optuna.trial import Trial

from engines.spec import Value
from engines.suggestion import did_you_mean
from toolkit.base.errors import UsageError
from toolkit.tuning.measuring.imported import imported
from toolkit.tuning.samplers.grid import PointsSampler, grid_of
from toolkit.tuning.samplers.spsa import SpsaSampler
from toolkit.tuning.settings import StudySettings
from toolkit.tuning.space.dimension import Dimension
from toolkit.tuning.space.point import Point
from toolkit.tuning.space.space import Space

SamplerOfTrial = Callable[[int], BaseSampler]
"""The sampler that a trial is asked of, by the trial's number."""
_OURS = ("space", "start", "iterations", "pairs", "seed")
"""What a study itself says to a sampler."""
_OPTUNA: dict[str, type[BaseSampler]] = {
    "tpe": TPESampler,
    "cmaes": CmaEsSampler,
    "random": RandomSampler,
    "gp": GPSampler,
}
_DEFAULTS: dict[str, dict[str, Any]] = {
    "tpe": {"multivariate": True},
    "cmaes": {"warn_independent_sampling": False},
}
"""Options of samplers, unless the user gives others."""


def make_sampler(settings: StudySettings) -> SamplerOfTrial:
    """The sampler of a study. Raises UsageError for one that cannot be had, or not with these
    options."""
    if settings.sampler == "spsa":
        spsa = make_spsa(settings)
        return lambda number: spsa
    make = _maker(settings)
    try:
        make(0)
    except (TypeError, ValueError) as error:
        given = ", ".join(f"{name}={value}" for name, value in settings.sampler_options.items())
        raise UsageError(
            f"sampler {settings.sampler} rejects its options ({given}): {error}"
        ) from error
    return make


def make_spsa(settings: StudySettings) -> SpsaSampler:
    """Our own sampler for a study. Raises UsageError for options that it does not have."""
    _check_options("spsa", SpsaSampler, settings.sampler_options)
    for name, value in settings.sampler_options.items():
        if isinstance(value, (bool, str)):
            raise UsageError(f"sampler spsa, {name}={value}: expected a number")
    return SpsaSampler(
        settings.space,
        settings.start,
        iterations=settings.trials,
        pairs=settings.pairs_per_trial,
        seed=settings.seed,
        **_plain(settings.sampler_options),
    )


def seed_of(seed: int, number: int) -> int:
    """A seed of 32 bits for one trial."""
    digest = hashlib.sha256(f"{seed} trial {number}".encode()).digest()
    return int.from_bytes(digest[:4])


def _maker(settings: StudySettings) -> SamplerOfTrial:
    name, seed, options = settings.sampler, settings.seed, _plain(settings.sampler_options)
    if name == "grid":
        points = PointsSampler(grid_of(settings))
        return lambda number: points
    kind = _OPTUNA.get(name) or _imported(name)
    if issubclass(kind, GPSampler):
        _need("torch", "gp")
    _check_options(name, kind, options)
    options = _DEFAULTS.get(name, {}) | options
    seeded = "seed" in inspect.signature(kind).parameters
    return lambda number: _quiet(
        kind, **({"seed": seed_of(seed, number)} if seeded else {}), **options
    )


def _check_options(sampler: str, kind: type[BaseSampler], given: Mapping[str, Value]) -> None:
    """Raises UsageError for an option that the sampler does not have, or that the study sets."""
    parameters = inspect.signature(kind).parameters
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        return
    known = [name for name in parameters if name not in _OURS]
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known) or f"; it has {', '.join(known) or 'none'}"
            raise UsageError(f"sampler {sampler} has no option `{name}`{hint}")


def _plain(options: Mapping[str, Value]) -> dict[str, Any]:
    return dict(options)


def _quiet(kind: Callable[..., BaseSampler], *args: Any, **options: Any) -> BaseSampler:
    """A sampler without the remark that it, or an option of it, is new to Optuna or will leave it,
    which says nothing of the study."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        warnings.simplefilter("ignore", FutureWarning)
        return kind(*args, **options)


def _need(module: str, extra: str) -> None:
    try:
        importlib.import_module(module)
    except ImportError as error:
        raise UsageError(
            f"sampler {extra} needs {module}: pip install 'mtdf[{extra}]', or take another"
        ) from error


def _imported(path: str) -> type[BaseSampler]:
    module, _, name = path.partition(":")
    kind = imported(f"sampler `{path}`", module, name)
    if not (isinstance(kind, type) and issubclass(kind, BaseSampler)):
        raise UsageError(
            f"sampler `{path}`: {module} has no sampler {name} with Optuna's interface"
        )
    return kind


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
