"""Probability of a win, a draw and a loss from a rating difference, with analytic derivatives.

With x the difference (white advantage included) in nats, p = 1/(1 + e^(−x)) the expected score and
q the draw rate between equals, the model is

    D² = (2q/(1 − q))²·W·L,   W = p − D/2,   L = 1 − p − D/2

(the draw model of Ordo, M. Ballicora). It is solved here in a form that divides by nothing that
vanishes. With a = |x|, y = tanh(a/2), m = 1 − y² = 4p(1 − p), ω = ((1 − q)/q)², S = √(y² + m·ω):

    D = m/(1 + S),   favourite's win F = (y + 1 − D)/2,   underdog's win U = ω·D²/(4F),

which holds for every q in (0, 1), q = ½ included. The draw parameter of the fit is
θ = ln(q/(1 − q)), so ω = e^(−2θ). From S_a = m·y·(1 − ω)/(2S) and S_θ = −m·ω/S come

    (ln D)_a = −(y/2)(1 + 1/S)     (ln D)_aa = −(m/4)(1 + ω/S³)     (ln D)_aθ = −m·y·ω/(2S³)
    (ln D)_θ = D·ω/S               (ln D)_θθ = (ln D)_θ·((ln D)_θ − 2 + m·ω/S²)
    F_a = (m/4)(1 + y/S)           F_aa = −y·F_a + m²·ω/(8S³)       F_aθ = m²·y·ω/(4S³)
    F_θ = −D_θ/2                   F_θθ = −D_θθ/2                   ln U = ln(ω/4) + 2 ln D − ln F.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Outcomes(Struct, frozen=True):
    """Probabilities of White's win, draw and loss over an array of differences, and the scores
    (derivatives of their logarithms) by x and by θ. Rows of each array: win, draw, loss."""

    probability: Floats
    by_x: Floats
    by_theta: Floats


class Terms(Struct, frozen=True):
    """The log-likelihood of results at an array of differences: for each difference its value, its
    first derivatives and its second derivatives with the sign changed (observed information)."""

    value: Floats
    by_x: Floats
    by_theta: Floats
    xx: Floats
    xt: Floats
    tt: Floats


class _Side(Struct, frozen=True):
    """Logarithmic derivatives of one outcome's probability by a = |x| and θ."""

    probability: Floats
    a: Floats
    t: Floats
    aa: Floats
    at: Floats
    tt: Floats


def outcomes(x: Floats, theta: float | Floats | None) -> Outcomes:
    """The model at differences ``x`` in nats; ``theta`` None means that draws do not happen; with
    an array of it each row of ``x`` has its own."""
    favourite, draw, underdog = _sides(np.abs(x), theta)
    ahead = x >= 0.0
    sign = np.where(ahead, 1.0, -1.0)

    def rows(first: Floats, middle: Floats, last: Floats) -> Floats:
        return np.stack([np.where(ahead, first, last), middle, np.where(ahead, last, first)])

    return Outcomes(
        rows(favourite.probability, draw.probability, underdog.probability),
        sign * rows(favourite.a, draw.a, underdog.a),
        rows(favourite.t, draw.t, underdog.t),
    )


def likelihood_terms(x: Floats, theta: float | Floats | None, counts: Floats) -> Terms:
    """Terms of the likelihood of ``counts`` (rows: White's wins, draws, losses) at ``x``."""
    favourite, draw, underdog = _sides(np.abs(x), theta)
    ahead = x >= 0.0
    sign = np.where(ahead, 1.0, -1.0)
    wins = np.where(ahead, counts[0], counts[2])
    losses = np.where(ahead, counts[2], counts[0])
    draws = counts[1]

    def log(number: Floats, side: _Side) -> Floats:
        with np.errstate(divide="ignore"):
            return np.where(number > 0, np.log(side.probability), 0.0)

    def total(first: Floats, middle: Floats, last: Floats) -> Floats:
        result: Floats = wins * first + draws * middle + losses * last
        return result

    return Terms(
        value=total(log(wins, favourite), log(draws, draw), log(losses, underdog)),
        by_x=sign * total(favourite.a, draw.a, underdog.a),
        by_theta=total(favourite.t, draw.t, underdog.t),
        xx=-total(favourite.aa, draw.aa, underdog.aa),
        xt=-sign * total(favourite.at, draw.at, underdog.at),
        tt=-total(favourite.tt, draw.tt, underdog.tt),
    )


def _sides(a: Floats, theta: float | Floats | None) -> tuple[_Side, _Side, _Side]:
    """Favourite's win, draw and underdog's win at ``a`` = |x|."""
    a = np.minimum(a, 700.0)
    tail = np.exp(-a)
    y = -np.expm1(-a) / (1.0 + tail)
    m = 4.0 * tail / (1.0 + tail) ** 2
    if theta is None:
        return _sides_without_draws(tail, m)
    w = np.exp(-2.0 * theta)
    s = np.sqrt(y * y + m * w)
    d = m / (1.0 + s)
    f = (y + (y * y + s) / (1.0 + s)) / 2.0
    w_s3 = w / (s * s * s)
    d_t = d * (w / s)
    draw = _Side(
        probability=d,
        a=-(y / 2.0) * (1.0 + 1.0 / s),
        t=d_t,
        aa=-(m / 4.0) * (1.0 + w_s3),
        at=-(m * y / 2.0) * w_s3,
        tt=d_t * (d_t - 2.0 + m * w / (s * s)),
    )
    f_a = (m / 4.0) * (1.0 + y / s) / f
    f_t = -d * d_t / (2.0 * f)
    favourite = _Side(
        probability=f,
        a=f_a,
        t=f_t,
        aa=-y * f_a + m * m * w_s3 / (8.0 * f) - f_a * f_a,
        at=m * m * y * w_s3 / (4.0 * f) - f_a * f_t,
        tt=-d * (draw.tt + d_t * d_t) / (2.0 * f) - f_t * f_t,
    )
    underdog = _Side(
        probability=w * d * d / (4.0 * f),
        a=2.0 * draw.a - f_a,
        t=-2.0 * f / s,
        aa=2.0 * draw.aa - favourite.aa,
        at=2.0 * draw.at - favourite.at,
        tt=2.0 * draw.tt - favourite.tt,
    )
    return favourite, draw, underdog


def _sides_without_draws(tail: Floats, m: Floats) -> tuple[_Side, _Side, _Side]:
    """The limit q = 0: the logistic model of wins and losses alone."""
    favourite, underdog = 1.0 / (1.0 + tail), tail / (1.0 + tail)
    zero, curvature = np.zeros_like(tail), -m / 4.0
    return (
        _Side(favourite, underdog, zero, curvature, zero, zero),
        _Side(zero, zero, zero, zero, zero, zero),
        _Side(underdog, -favourite, zero, curvature, zero, zero),
    )
