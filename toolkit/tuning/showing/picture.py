"""What the plots of a study show: plain data, and how it follows from trials and models.

All strengths are gains over the base, in Elo or per cent of effort saved. Nothing here is a
headline but the gain that was measured; what models say is drawn with its interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from engines.variant import format_value
from toolkit.stats.elo import Z95
from toolkit.tuning.models.gain import Gain, GainUnit
from toolkit.tuning.models.posterior import Surrogate
from toolkit.tuning.models.surface import Surface
from toolkit.tuning.models.worth import Measured
from toolkit.tuning.space.dimension import Dimension
from toolkit.tuning.space.point import Point
from toolkit.tuning.space.space import Space
from toolkit.tuning.study.estimates import gain_of_worth

STOPS = 40
"""Points of time at which the gain of SPSA's θ is estimated."""
SLICE_POINTS = 41
"""Values of an ordered parameter in its slice."""


@dataclass(frozen=True, slots=True)
class Span:
    """A value with its 95 % interval; None: no bound."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Track:
    """One parameter of θ over an SPSA study."""

    name: str
    low: str
    """The value at 0 of the scale."""
    high: str
    """The value at 1."""
    units: tuple[float, ...]
    """θ, 0 to 1, at ``TuningPicture.pairs``."""
    base: float | None
    recommended: float | None


@dataclass(frozen=True, slots=True)
class Stop:
    """The gain of θ after some pairs, by the response surface."""

    pairs: int
    gain: Span


@dataclass(frozen=True, slots=True)
class ShownTrial:
    """A trial: the posterior of its point after all trials, and its own mean."""

    number: int
    pruned: bool
    pairs: int
    raw: float
    gain: Span


@dataclass(frozen=True, slots=True)
class Slice:
    """The posterior along one parameter, the others as recommended."""

    name: str
    values: tuple[float | str, ...]
    """Numbers of an ordered parameter, else texts."""
    gains: tuple[Span, ...]
    log: bool
    base: float | str | None
    recommended: float | str | None


@dataclass(frozen=True, slots=True)
class Contender:
    """A leading point in the final choice."""

    label: str
    rounds: int
    """Rounds that it played."""
    pairs: int
    """Fresh pairs."""
    search: Span
    """Posterior of the search."""
    fresh: float | None
    """Mean of its fresh pairs; None without."""
    decided: Span
    """Both weighed, which decided."""
    chosen: bool


@dataclass(frozen=True, slots=True)
class Statement:
    """A measured gain: the stated one, or a confirmation's."""

    label: str
    gain: Span
    pairs: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class TuningPicture:
    """Everything that is drawn of a study; an empty part is left out."""

    title: str
    unit: GainUnit
    facts: tuple[tuple[str, str], ...]
    """Names and values that stand above the plots."""
    statements: tuple[Statement, ...] = ()
    pairs: tuple[int, ...] = ()
    """Pairs played at each value of θ in the tracks."""
    averaged_from: int | None = None
    """Pairs from which on θ was averaged for the recommendation."""
    tracks: tuple[Track, ...] = ()
    climb: tuple[Stop, ...] = ()
    trials: tuple[ShownTrial, ...] = ()
    slices: tuple[Slice, ...] = ()
    contenders: tuple[Contender, ...] = field(default=())


def span_of_worth(mean: float, sd: float, effort: bool) -> Span:
    """A worth and its standard deviation as a gain with its interval."""
    half = Z95 * sd
    return Span(*(gain_of_worth(one, effort) for one in (mean, mean - half, mean + half)))


def span_of_gain(gain: Gain) -> Span:
    """A measured gain."""
    return Span(gain.estimate, gain.low95, gain.high95)


def tracks_of(
    space: Space, base: Point, recommended: Point | None, thetas: Sequence[Sequence[float]]
) -> tuple[Track, ...]:
    """θ of every ordered parameter; rows of ``thetas`` are unit coordinates in that order."""
    ordered = [one for one in space.dimensions if one.ordered]
    return tuple(
        Track(
            name=one.name,
            low=_text(one, 0.0),
            high=_text(one, 1.0),
            units=tuple(float(theta[place]) for theta in thetas),
            base=_unit(one, base),
            recommended=_unit(one, recommended or {}),
        )
        for place, one in enumerate(ordered)
    )


def climb_of(
    space: Space,
    base: Point,
    comparisons: Sequence[tuple[Point, Point, float, int]],
    thetas: Sequence[Sequence[float]],
    variance: float,
) -> tuple[Stop, ...]:
    """Gain of θ at some 40 times, each estimated from the comparisons up to then.

    A comparison is (first, second, mean worth of the first over the second, pairs); ``thetas`` is θ
    before each comparison, in unit coordinates of the ordered parameters.
    """
    surface = Surface(space, base, variance)
    ordered = [one for one in space.dimensions if one.ordered]
    stops, pairs = [], 0
    wanted = set(np.linspace(0, len(comparisons) - 1, STOPS).round().astype(int).tolist())
    for number, (first, second, worth, count) in enumerate(comparisons):
        if count:
            surface.add(first, second, worth, count)
        pairs += count
        if number in wanted:
            values = zip(ordered, thetas[number], strict=True)
            # The drawn value, not a rounded one: θ of an integer lies between integers.
            moved = {one.name: _between(one, float(unit)) for one, unit in values}
            here = surface.gain({**base, **moved})
            stops.append(Stop(pairs, Span(here.elo, here.low95, here.high95)))
    return tuple(stops)


def trials_of(
    surrogate: Surrogate,
    trials: Sequence[tuple[int, bool, Measured]],
    effort: bool,
) -> tuple[ShownTrial, ...]:
    """Trials (number, pruned, measured) that played any pair, as the posterior sees them."""
    known = [one for one in trials if one[2].pairs]
    found = surrogate.predict([one.point for _, _, one in known])
    return tuple(
        ShownTrial(
            number, pruned, one.pairs, gain_of_worth(one.mean, effort),
            span_of_worth(float(mean), float(sd), effort),
        )
        for (number, pruned, one), mean, sd in zip(known, found.mean, found.sd, strict=True)
    )  # fmt: skip


def slices_of(
    space: Space, surrogate: Surrogate, base: Point, recommended: Point, effort: bool
) -> tuple[Slice, ...]:
    """The posterior along every parameter that means anything in ``recommended``."""
    return tuple(
        _slice(one, surrogate, base, recommended, effort)
        for one in space.dimensions
        if one.name in recommended
    )


def _slice(
    dimension: Dimension, surrogate: Surrogate, base: Point, recommended: Point, effort: bool
) -> Slice:
    values = (
        list(dict.fromkeys(dimension.from_unit(unit) for unit in np.linspace(0, 1, SLICE_POINTS)))
        if dimension.ordered
        else list(dimension.choices)
    )
    found = surrogate.predict([{**recommended, dimension.name: value} for value in values])
    shown = [value if dimension.ordered else format_value(value) for value in values]
    gains = [
        span_of_worth(float(mean), float(sd), effort)
        for mean, sd in zip(found.mean, found.sd, strict=True)
    ]
    marks = [
        None if value is None else value if dimension.ordered else format_value(value)
        for value in (base.get(dimension.name), recommended[dimension.name])
    ]
    return Slice(dimension.name, tuple(shown), tuple(gains), dimension.log, *marks)


def _between(dimension: Dimension, unit: float) -> float:
    """The value at a unit coordinate, not rounded."""
    low, high = dimension.ends
    if dimension.log:
        return float(low) * math.pow(high / low, unit)
    return low + unit * (high - low)


def _unit(dimension: Dimension, point: Point) -> float | None:
    value = point.get(dimension.name)
    return None if value is None else dimension.to_unit(value)


def _text(dimension: Dimension, unit: float) -> str:
    return format_value(dimension.from_unit(unit))
