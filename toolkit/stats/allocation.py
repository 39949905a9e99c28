"""Where the next game pairs tell most: greedy allocation of pairs to pairings of a joint fit.

A pair of i and j adds the information w·u·uᵀ with u = e_i − e_j, so it changes the covariance C to
C − C·u·uᵀ·C / (1/w + uᵀ·C·u) (J. Sherman and W. Morrison, 1950). The criterion is a sum of
variances of ratings or of differences, tr(A·C). It decreases by uᵀ·(C·A·C)·u / (1/w + uᵀ·C·u).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .elo import ELO_PER_NAT
from .likelihood import Ints
from .outcome import Floats, outcomes
from .uncertainty import variances_of_differences

_STEPS = 50
"""An allocation is made in at most so many steps, of equal numbers of pairs."""
_EQUAL = 1e-9
"""Gains that differ by less are equal, because the difference is rounding; the first one counts."""


def pair_information(differences: Floats, white_advantage: float, draw_rate: float) -> Floats:
    """Expected information in Elo⁻² of one game pair about each of these rating differences, if its
    games are independent. All in Elo; ``draw_rate`` is that between equals."""
    theta = math.log(draw_rate / (1.0 - draw_rate)) if 0.0 < draw_rate < 1.0 else None
    total = np.zeros(differences.shape)
    for advantage in (white_advantage, -white_advantage):
        model = outcomes((differences + advantage) / ELO_PER_NAT, theta)
        total += np.sum(model.probability * model.by_x**2, axis=0)
    return np.asarray(total / ELO_PER_NAT**2, dtype=np.float64)


def allocate(
    covariance: Floats,
    candidates: tuple[Ints, Ints],
    information: Floats,
    criterion: Callable[[Floats], Floats],
    pairs: int,
    room: Ints,
) -> Ints:
    """The number of pairs for each candidate pairing.

    :param covariance: of the ratings, Elo².
    :param candidates: the two players of each pairing.
    :param information: of one pair of each pairing, Elo⁻².
    :param criterion: the matrix A at a covariance; 0 if all is known well enough, which is then
        the sum of the variances of all ratings.
    :param pairs: how many to allocate; fewer only if there is no room.
    :param room: the most pairs of each pairing.
    """
    first, second = candidates
    given = np.zeros(first.size, dtype=np.intp)
    step = max(1, math.ceil(pairs / _STEPS))
    wanted = criterion(covariance)
    if not wanted.any():
        wanted = np.eye(len(covariance))
    while pairs > 0 and (given < room).any():
        at = _best(covariance, first, second, information, wanted, given < room)
        number = min(step, pairs, int(room[at] - given[at]))
        given[at] += number
        pairs -= number
        covariance = updated(covariance, first[at], second[at], number * float(information[at]))
        still = criterion(covariance)
        # Once everything would be known well enough, the rest goes on to where it told most.
        wanted = still if still.any() else wanted
    return given


def updated(covariance: Floats, first: int, second: int, information: float) -> Floats:
    """The covariance after games that tell so much about the difference of two players."""
    column = covariance[:, first] - covariance[:, second]
    variance = max(float(column[first] - column[second]), 0.0)
    return np.asarray(
        covariance - np.outer(column, column) * (information / (1.0 + information * variance)),
        dtype=np.float64,
    )


def _best(
    covariance: Floats,
    first: Ints,
    second: Ints,
    information: Floats,
    wanted: Floats,
    has_room: NDArray[np.bool_],
) -> int:
    """The candidate of which one pair reduces the criterion most; the first of equals."""
    told = variances_of_differences(covariance @ wanted @ covariance, first, second)
    known = variances_of_differences(covariance, first, second)
    gains = np.where(has_room, information * told / (1.0 + information * known), -1.0)
    return int(np.argmax(gains >= gains.max() * (1.0 - _EQUAL)))
