"""Synthetic landscapes: objectives whose true Elo is known by formula, to test tuners with.

    python benchmarks/landscapes.py rough          # the options that declare it
    PYTHONPATH=benchmarks mtdf tune run --objective simulated:landscapes:rough --param ...

The function of a landscape's name takes (parameters, opponent, pair numbers, seed) and gives the
score of each pair; opponent None is the start. With a seed come other places of the optimum, 0.1 to
0.35 of the range away from the start in every parameter, and other weights w; the optimum is 30 Elo
over the start. With d the distance to the optimum on the scale from 0 to 1 of the range, a
parameter costs w times

=========  =======================================================================================
symmetric  d²; 8 parameters
rough      1.6·d^1.2 on its steep side and 0.7·d^1.7 on the other, plus ripples of
           0.025·(1 − cos(2πd/0.2)); 8 parameters
mixed      d²; 5 parameters. Two categorical parameters of 4 and 3 options have effects of their
           own; ``reach`` means something under one option only, which is the best one of its list
           once ``reach`` is tuned and not before
=========  =======================================================================================

A pair's score is 0, ¼, ½, ¾ or 1, with the mean that the Elo difference demands exactly and a
standard deviation of 0.35. It is where a normal number falls that is the sum of one of the opening
(the pair number, for all points the same: a quarter of its variance) and one of opening and points.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from engines.spec import Value
from toolkit.stats.elo import score_of_elo
from toolkit.tuning.space.space import Space

Name = Literal["symmetric", "rough", "mixed"]
NAMES: tuple[Name, ...] = get_args(Name)
Point = Mapping[str, Value]
TOP_ELO = 30.0
"""True gain of the optimum over the start, of all parameters together."""
OPENING_SHARE = 0.25
SHARES = np.array([0.20, 0.18, 0.24, 0.18, 0.20])
"""Of the scores 0, ¼, ½, ¾, 1 at equal strength: standard deviation 0.35."""
NEAREST, FARTHEST = 0.1, 0.35
STEEP, FLAT = (1.6, 1.2), (0.7, 1.7)
"""Factor and exponent of the two sides of ``rough``."""
RIPPLE, WAVE = 0.025, 0.2
STYLES = ("solid", "active", "wild", "blunt")
CLOCKS = ("even", "early", "late")
REACH_STYLE = "active"
STYLE_ELO = {"solid": 0.0, "wild": -12.0, "blunt": 4.0}
ACTIVE_ELO, REACH_LOSS = 10.0, 14.0
"""What the style of ``reach`` gives with its best value, and loses of that at its start."""
CLOCK_ELO = {"even": 0.0, "early": -6.0, "late": 5.0}
ORDERED_ELO = TOP_ELO - ACTIVE_ELO - CLOCK_ELO["late"]
"""What the ordered parameters of ``mixed`` give without ``reach``."""


@functools.cache
def space(name: Name) -> Space:
    """The space of a landscape."""
    return Space.declared(declarations(name))


def declarations(name: Name) -> tuple[str, ...]:
    """Its parameters, as ``--param`` has them: integers and floats in turn."""
    ranges = ("-100..100", "0.0..2.0")
    ordered = tuple(f"p{n + 1}={ranges[n % 2]}" for n in range(5 if name == "mixed" else 8))
    if name != "mixed":
        return ordered
    options = (f"style={'|'.join(STYLES)}", f"clock={'|'.join(CLOCKS)}")
    return (*ordered, *options, f"reach=0..40,style={REACH_STYLE}")


@functools.cache
def start(name: Name) -> Mapping[str, Value]:
    """The value of every parameter at the start: the middle of each range, the first options."""
    return {
        one.name: one.from_unit(0.5) if one.ordered else one.choices[0]
        for one in space(name).dimensions
    }


@dataclass(frozen=True, slots=True)
class Landscape:
    """One landscape of a kind."""

    name: Name
    optimum: Mapping[str, float]
    """On the scale from 0 to 1."""
    weights: Mapping[str, float]
    """Elo of a unit of loss."""
    steep: Mapping[str, int]
    """Of ``rough``: on which side of the optimum its steep side is, −1 or 1."""

    def gain(self, point: Point) -> float:
        """True Elo of a point over the start."""
        return self._height(point) - self._height(start(self.name))

    def _height(self, point: Point) -> float:
        height = 0.0
        if self.name == "mixed":
            style = str(point["style"])
            height = CLOCK_ELO[str(point["clock"])] + STYLE_ELO.get(style, ACTIVE_ELO)
        active = {one.name for one in space(self.name).active(point)}
        for one in space(self.name).ordered:
            if one.name in active:
                away = one.to_unit(point[one.name]) - self.optimum[one.name]
                height -= self.weights[one.name] * loss(self.name, away, self.steep[one.name])
        return height


def loss(name: Name, away: float, steep: int) -> float:
    """What a parameter loses that is ``away`` from its optimum, on the scale from 0 to 1."""
    if name != "rough":
        return away * away
    factor, power = STEEP if away * steep > 0 else FLAT
    ripple = RIPPLE * (1.0 - math.cos(2.0 * math.pi * away / WAVE))
    return factor * math.pow(abs(away), power) + ripple


@functools.cache
def landscape(name: Name, seed: int) -> Landscape:
    """The landscape of a kind that belongs to a seed."""
    draw = np.random.default_rng([NAMES.index(name), seed])
    names = [one.name for one in space(name).ordered]
    away = draw.uniform(NEAREST, FARTHEST, len(names)) * draw.choice([-1, 1], len(names))
    raw = np.exp(draw.normal(0.0, 0.7, len(names)))
    steep = [int(side) for side in draw.choice([-1, 1], len(names))]
    losses = np.array([loss(name, -a, s) for a, s in zip(away, steep, strict=True)])
    own = np.array([one != "reach" for one in names])
    top = ORDERED_ELO if name == "mixed" else TOP_ELO
    weights = raw * top / float((raw * losses)[own].sum())
    weights[~own] = REACH_LOSS / losses[~own]
    return Landscape(
        name,
        {one: 0.5 + float(a) for one, a in zip(names, away, strict=True)},
        {one: float(weight) for one, weight in zip(names, weights, strict=True)},
        dict(zip(names, steep, strict=True)),
    )


def true_elo(name: Name, parameters: Point, seed: int) -> float:
    """True Elo of a point over the start."""
    return landscape(name, seed).gain(parameters)


def symmetric(
    parameters: Point, opponent: Point | None, pair_numbers: Sequence[int], seed: int
) -> list[float]:
    """Pair scores on a quadratic landscape."""
    return _scores("symmetric", parameters, opponent, pair_numbers, seed)


def rough(
    parameters: Point, opponent: Point | None, pair_numbers: Sequence[int], seed: int
) -> list[float]:
    """Pair scores on a rippled landscape that is steep on one side."""
    return _scores("rough", parameters, opponent, pair_numbers, seed)


def mixed(
    parameters: Point, opponent: Point | None, pair_numbers: Sequence[int], seed: int
) -> list[float]:
    """Pair scores on a landscape with categorical and conditional parameters."""
    return _scores("mixed", parameters, opponent, pair_numbers, seed)


def _scores(
    name: Name, point: Point, opponent: Point | None, numbers: Sequence[int], seed: int
) -> list[float]:
    other = start(name) if opponent is None else opponent
    gap = true_elo(name, point, seed) - true_elo(name, other, seed)
    # A part of all results becomes a win of both games (a loss): the mean is exact.
    share = 2.0 * score_of_elo(gap) - 1.0
    chances = SHARES * (1.0 - abs(share))
    chances[-1 if share > 0 else 0] += abs(share)
    points = json.dumps([dict(sorted(point.items())), dict(sorted(other.items()))])
    opening = _normal([f"{name} {seed} {number}" for number in numbers])
    own = _normal([f"{name} {seed} {number} {points}" for number in numbers])
    mixed = math.sqrt(OPENING_SHARE) * opening + math.sqrt(1.0 - OPENING_SHARE) * own
    places = np.searchsorted(np.cumsum(chances)[:-1], ndtr(mixed), side="right")
    return [float(place) / 4.0 for place in places]


def _normal(texts: Sequence[str]) -> NDArray[np.float64]:
    """A normal number for each text, always the same."""
    digests = [hashlib.sha256(text.encode()).digest()[:6] for text in texts]
    uniform = (np.array([int.from_bytes(one) for one in digests]) + 0.5) / 2.0**48
    return np.asarray(ndtri(uniform), dtype=np.float64)


if __name__ == "__main__":
    for wanted in sys.argv[1:] or NAMES:
        chosen = NAMES[NAMES.index(wanted)]
        print(
            f"--objective simulated:landscapes:{chosen}",
            *(f"--param {shlex.quote(text)}" for text in declarations(chosen)),
        )
