"""What charts of a study show: plain data, and how it follows from trials and models.

All strengths are gains over the base, in Elo or per cent of effort saved. Nothing here is a
headline but the gain that was measured; what models say is drawn with its interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from engines.spec import Value
from engines.variant import format_value
from toolkit.stats.elo import Z95
from toolkit.tuning.models.gain import Gain, GainUnit
from toolkit.tuning.models.posterior import Surrogate
from toolkit.tuning.models.surface import Surface
from toolkit.tuning.models.worth import WORTH_PER_ELO, MeasuredPoint
from toolkit.tuning.space.dimension import Dimension
from toolkit.tuning.space.point import Point
from toolkit.tuning.space.space import Space
from toolkit.tuning.study.estimates import gain_of_worth

STOPS = 40
"""Points of time at which the gain of SPSA's θ is estimated."""
SLICE_POINTS = 41
"""Values of an ordered parameter in its slice."""
CELLS = 24
"""Cells of a contour along an ordered parameter."""

Shown = float | str
"""A value of an ordered parameter, or an option as text."""
Predict = Callable[[Sequence[Point]], Sequence["Span"]]
"""The gains of points over the base, by a model."""


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
    """θ, 0 to 1, at ``ShownStudy.pairs``."""
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
    point: Mapping[str, Shown]
    """Its values, without those that mean nothing there."""
    units: Mapping[str, float]
    """Where they lie between the ends of their ranges, 0 to 1; options at equal distances."""


@dataclass(frozen=True, slots=True)
class ShownParameter:
    """A tuned parameter, its range, and what is marked in it."""

    name: str
    ends: tuple[float, float] | None
    """None for options."""
    options: tuple[str, ...]
    log: bool
    base: Shown | None
    """None where it means nothing."""
    recommended: Shown | None


@dataclass(frozen=True, slots=True)
class Slice:
    """The gain along one parameter by a model, the others as recommended."""

    name: str
    values: tuple[Shown, ...]
    gains: tuple[Span, ...]
    log: bool
    base: Shown | None
    recommended: Shown | None


@dataclass(frozen=True, slots=True)
class PlaneCell:
    """A part of the plane of two parameters."""

    x: tuple[float, float] | str
    """From where to where, or an option."""
    y: tuple[float, float] | str
    gain: Span
    """At its middle."""


@dataclass(frozen=True, slots=True)
class Contour:
    """The gain over the plane of two parameters by a model, the others as recommended."""

    x: ShownParameter
    y: ShownParameter
    cells: tuple[PlaneCell, ...]
    points: tuple[tuple[Shown, Shown], ...]
    """What was played: trials; of SPSA the way of θ."""


@dataclass(frozen=True, slots=True)
class LeadingPoint:
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
class ShownStudy:
    """Everything that charts show of a study; an empty part is left out."""

    name: str
    unit: GainUnit
    facts: tuple[tuple[str, str], ...]
    """Names and values that stand above the charts."""
    by_comparisons: bool = False
    """Whether the models were fitted to comparisons of two points, as with SPSA. They are
    indicative only."""
    statements: tuple[Statement, ...] = ()
    parameters: tuple[ShownParameter, ...] = ()
    pairs: tuple[int, ...] = ()
    """Pairs played at each value of θ in the tracks."""
    averaged_from: int | None = None
    """Pairs from which on θ was averaged for the recommendation."""
    tracks: tuple[Track, ...] = ()
    climb: tuple[Stop, ...] = ()
    trials: tuple[ShownTrial, ...] = ()
    slices: tuple[Slice, ...] = ()
    contour: Contour | None = None
    contenders: tuple[LeadingPoint, ...] = ()


def span_of_worth(mean: float, sd: float, effort: bool) -> Span:
    """A worth and its standard deviation as a gain with its interval."""
    half = Z95 * sd
    return Span(*(gain_of_worth(one, effort) for one in (mean, mean - half, mean + half)))


def span_of_gain(gain: Gain) -> Span:
    """A measured gain."""
    return Span(gain.value, gain.low95, gain.high95)


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
    effort: bool,
) -> tuple[Stop, ...]:
    """Gain of θ at some 40 times, each estimated from the comparisons up to then.

    A comparison is (first, second, mean worth of the first over the second, pairs); ``thetas`` is θ
    before each comparison, in unit coordinates of the ordered parameters.
    """
    surface = Surface(space, base, variance)
    stops, pairs = [], 0
    wanted = set(np.linspace(0, len(comparisons) - 1, STOPS).round().astype(int).tolist())
    for number, (first, second, worth, count) in enumerate(comparisons):
        if count:
            surface.add(first, second, worth, count)
        pairs += count
        if number in wanted:
            moved = theta_point(space, thetas[number])
            (here,) = by_surface(surface, effort)([{**base, **moved}])
            stops.append(Stop(pairs, here))
    return tuple(stops)


def by_surface(surface: Surface, effort: bool) -> Predict:
    """Gains by a response surface."""

    def predict(points: Sequence[Point]) -> list[Span]:
        found = [surface.gain(point) for point in points]
        return [
            span_of_worth(WORTH_PER_ELO * one.elo, WORTH_PER_ELO * one.sd, effort) for one in found
        ]

    return predict


def by_surrogate(surrogate: Surrogate, effort: bool) -> Predict:
    """Gains by the posterior after trials."""

    def predict(points: Sequence[Point]) -> list[Span]:
        found = surrogate.predict(points)
        return [
            span_of_worth(float(mean), float(sd), effort)
            for mean, sd in zip(found.mean, found.sd, strict=True)
        ]

    return predict


def parameters_of(
    space: Space, base: Point, recommended: Point | None
) -> tuple[ShownParameter, ...]:
    """Every parameter of a space."""
    return tuple(_parameter(one, base, recommended or {}) for one in space.dimensions)


def trials_of(
    space: Space,
    predict: Predict,
    trials: Sequence[tuple[int, bool, MeasuredPoint]],
    effort: bool,
) -> tuple[ShownTrial, ...]:
    """Trials (number, pruned, measured) that played any pair, as the posterior sees them."""
    known = [one for one in trials if one[2].pairs]
    gains = predict([one.point for _, _, one in known])
    return tuple(
        ShownTrial(
            number, pruned, one.pairs, gain_of_worth(one.mean, effort), gain,
            point={each.name: shown_value(each, one.point[each.name])
                   for each in space.dimensions if each.name in one.point},
            units={each.name: _place(each, one.point[each.name])
                   for each in space.dimensions if each.name in one.point},
        )
        for (number, pruned, one), gain in zip(known, gains, strict=True)
    )  # fmt: skip


def slices_of(space: Space, predict: Predict, base: Point, recommended: Point) -> tuple[Slice, ...]:
    """The gain along every parameter that means anything in ``recommended``."""
    return tuple(
        _slice(one, predict, base, recommended)
        for one in space.dimensions
        if one.name in recommended
    )


def most_telling(slices: Sequence[Slice]) -> tuple[str, str] | None:
    """The two parameters along which the gain differs most; None if there are fewer."""
    ordered = sorted(slices, key=_spread, reverse=True)
    return (ordered[0].name, ordered[1].name) if len(ordered) > 1 else None


def contour_of(
    space: Space,
    predict: Predict,
    base: Point,
    recommended: Point,
    axes: tuple[str, str],
    points: Sequence[Point],
) -> Contour:
    """The gain over the plane of two parameters of ``recommended``."""
    by_name = {one.name: one for one in space.dimensions}
    x, y = (by_name[name] for name in axes)
    places = list(product(_cells(x), _cells(y)))
    gains = predict([{**recommended, x.name: at[1], y.name: to[1]} for at, to in places])
    return Contour(
        _parameter(x, base, recommended),
        _parameter(y, base, recommended),
        tuple(PlaneCell(at[0], to[0], gain) for (at, to), gain in zip(places, gains, strict=True)),
        tuple(
            (shown_value(x, one[x.name]), shown_value(y, one[y.name]))
            for one in points
            if x.name in one and y.name in one
        ),
    )


def theta_point(space: Space, units: Sequence[float]) -> Point:
    """θ as values of the ordered parameters, not rounded: θ of an integer lies between integers."""
    ordered = [one for one in space.dimensions if one.ordered]
    return {one.name: _between(one, float(at)) for one, at in zip(ordered, units, strict=True)}


def shown_value(dimension: Dimension, value: Value) -> Shown:
    """A value as a chart has it."""
    return value if dimension.ordered else format_value(value)


def _slice(dimension: Dimension, predict: Predict, base: Point, recommended: Point) -> Slice:
    values: list[Value] = (
        list(dict.fromkeys(dimension.from_unit(unit) for unit in np.linspace(0, 1, SLICE_POINTS)))
        if dimension.ordered
        else list(dimension.choices)
    )
    gains = predict([{**recommended, dimension.name: value} for value in values])
    shown = _parameter(dimension, base, recommended)
    return Slice(
        dimension.name,
        tuple(shown_value(dimension, value) for value in values),
        tuple(gains),
        dimension.log,
        shown.base,
        shown.recommended,
    )


def _spread(one: Slice) -> float:
    values = [gain.value for gain in one.gains]
    return max(values) - min(values)


def _cells(dimension: Dimension) -> list[tuple[tuple[float, float] | str, Value]]:
    """The cells along a parameter, each with the value at its middle."""
    if not dimension.ordered:
        return [(format_value(choice), choice) for choice in dimension.choices]
    return [
        (
            (_between(dimension, at / CELLS), _between(dimension, (at + 1) / CELLS)),
            _between(dimension, (at + 0.5) / CELLS),
        )
        for at in range(CELLS)
    ]


def _parameter(dimension: Dimension, base: Point, recommended: Point) -> ShownParameter:
    marks = [
        None if value is None else shown_value(dimension, value)
        for value in (base.get(dimension.name), recommended.get(dimension.name))
    ]
    return ShownParameter(
        dimension.name,
        (float(dimension.ends[0]), float(dimension.ends[1])) if dimension.ordered else None,
        tuple(map(format_value, dimension.choices)),
        dimension.log,
        *marks,
    )


def _place(dimension: Dimension, value: Value) -> float:
    """Where a value lies on the scale from 0 to 1; options at equal distances."""
    if dimension.ordered:
        return dimension.to_unit(value)
    return dimension.choices.index(value) / (len(dimension.choices) - 1)


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
