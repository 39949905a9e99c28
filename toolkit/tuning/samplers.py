"""The samplers of a study, ours and Optuna's.

A sampler of Optuna's is made anew for every trial, seeded by the study's seed and the trial's
number: all that it knows is in the trials and their attributes, which the database keeps, so a
study that is taken up again asks for the same points as one that was never stopped.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from optuna.exceptions import ExperimentalWarning
from optuna.samplers import (
    BaseSampler,
    CmaEsSampler,
    GPSampler,
    RandomSampler,
    TPESampler,
)

from engines.spec import Value
from toolkit.errors import UsageError
from toolkit.tuning.encounter import Point
from toolkit.tuning.grid import PointsSampler, grid_points
from toolkit.tuning.settings import StudySettings
from toolkit.tuning.spsa import SpsaSampler

SamplerOfTrial = Callable[[int], BaseSampler]
"""The sampler that a trial is asked of, by the trial's number."""
_GRID_POINTS = 5
"""Values of an ordered parameter in a grid, unless ``points`` says otherwise."""


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
            f"sampler {settings.sampler} refuses its options ({given}): {error}"
        ) from error
    return make


def make_spsa(settings: StudySettings) -> SpsaSampler:
    """Our own sampler for a study. Raises UsageError for options that it does not have."""
    try:
        return SpsaSampler(
            settings.space,
            settings.start,
            iterations=settings.trials,
            pairs=settings.pairs_per_trial,
            seed=settings.seed,
            **_plain(settings.sampler_options),
        )
    except TypeError as error:
        raise UsageError(f"sampler spsa: {error}") from error


def seed_of(seed: int, number: int) -> int:
    """A seed of 32 bits for one trial."""
    digest = hashlib.sha256(f"{seed} trial {number}".encode()).digest()
    return int.from_bytes(digest[:4])


def grid_of(settings: StudySettings) -> list[Point]:
    """The points of a study whose sampler is ``grid``. Raises UsageError."""
    options = dict(settings.sampler_options)
    values = options.pop("points", _GRID_POINTS)
    if options or not isinstance(values, int):
        raise UsageError("sampler grid has one option: points, a whole number")
    start = settings.space.restrict(settings.start)
    return grid_points(settings.space, values, settings.seed, start)


def _maker(settings: StudySettings) -> SamplerOfTrial:
    name, seed, options = settings.sampler, settings.seed, _plain(settings.sampler_options)
    if name == "tpe":
        options = {"multivariate": True} | options
        return lambda number: _quiet(TPESampler, seed=seed_of(seed, number), **options)
    if name == "cmaes":
        options = {"warn_independent_sampling": False} | options
        return lambda number: _quiet(CmaEsSampler, seed=seed_of(seed, number), **options)
    if name == "random":
        return lambda number: _quiet(RandomSampler, seed=seed_of(seed, number), **options)
    if name == "gp":
        _need("torch", "gp")
        return lambda number: _quiet(GPSampler, seed=seed_of(seed, number), **options)
    if name == "grid":
        points = PointsSampler(grid_of(settings))
        return lambda number: points
    kind = _imported(name)
    seeded = "seed" in inspect.signature(kind).parameters
    return lambda number: _quiet(
        kind, **({"seed": seed_of(seed, number)} if seeded else {}), **options
    )


def _plain(options: Mapping[str, Value]) -> dict[str, Any]:
    return dict(options)


def _quiet(kind: Callable[..., BaseSampler], *args: Any, **options: Any) -> BaseSampler:
    """A sampler without the remark that it is new to Optuna, which says nothing of the study."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
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
    try:
        kind = getattr(importlib.import_module(module), name, None)
    except ImportError as error:
        raise UsageError(f"sampler `{path}`: cannot import {module} ({error})") from error
    if not (isinstance(kind, type) and issubclass(kind, BaseSampler)):
        raise UsageError(f"sampler `{path}`: {module} has no sampler {name} of Optuna's kind")
    return kind
