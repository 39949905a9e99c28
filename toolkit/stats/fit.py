"""Maximum likelihood of ratings, white advantage and draw rate for one connected pool.

Newton steps with the observed information, turned uphill where that is not positive definite, and
halved until the likelihood rises enough. A step for a thousand players is one dense solve, and the
gradient reaches rounding precision in a handful of steps, which quasi-Newton methods do not.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from .elo import ELO_PER_NAT
from .likelihood import (
    LikelihoodValue,
    PoolGames,
    evaluate,
    laplacian,
    solve_positive,
)
from .outcome import Floats

AdvantageNote = Literal["estimated", "given", "not identifiable", "unbounded"]

MAX_WHITE_ADVANTAGE = 1000.0
"""Elo. An estimate this large grows without bound, for example if White won every game; the
advantage is then set to 0."""
WHITE_ADVANTAGE_PRIOR = 100.0
"""Elo. Standard deviation of the advantage around 0, in fits with a prior of the ratings."""
MIN_DECISIVE_RATE = 1e-4
"""q stops this far from 1: near enough that no expected score shows it, and smooth."""
_MAX_STEPS = 200
_CONVERGED = 1e-22
"""Square of the step left, in standard deviations."""
_MANY_GAMES = 100.0
"""Games a player from which on one start is enough."""
_NEXT_START = 0.75
"""Nats by which the draw parameter of a second start is above that of the plain draw rate."""
_HIGHER = 1e-9
"""Share of the likelihood by which one maximum is higher than another, and no rounding of it."""
_ENOUGH = 0.01
_FLAT = 1e-9
"""Curvature that counts as none."""
_MAX_STEP = 5.0
"""Nats a parameter may move at once."""


class FitRequest(Struct, frozen=True):
    """The estimated and the given parameters, in nats."""

    fixed: dict[int, float] = {}
    """Players whose rating is given."""
    advantage: float | None = None
    """Given white advantage; ``None``: estimated."""
    prior: float | None = None
    """Standard deviation of a normal prior on every rating around ``prior_centre``."""
    prior_centre: float = 0.0

    @property
    def floating(self) -> bool:
        """Whether nothing says where the ratings stand, so that only differences are fitted."""
        return not self.fixed and self.prior is None

    def prior_precision(self, players: int) -> Floats:
        """What the prior adds to the information of each parameter; none of it for θ."""
        precision = np.zeros(players + 2)
        if self.prior is not None:
            precision[:players] = self.prior**-2
            precision[players] = (ELO_PER_NAT / WHITE_ADVANTAGE_PRIOR) ** 2
        return precision


class Fit(Struct, frozen=True):
    """The maximum and how it was reached; nats."""

    point: Floats
    """Ratings, advantage, θ = ln(q/(1 − q)) (meaningless where no draw was played)."""
    draws: bool
    """Whether any game was drawn; q is 0 otherwise."""
    free: NDArray[np.bool_]
    """Which parameters were estimated and stand inside their range."""
    advantage_note: AdvantageNote
    log_likelihood: float
    steps: int
    residual: float
    """Length of the step left, in standard deviations: how far from the maximum."""

    @property
    def theta(self) -> float | None:
        """The draw parameter; ``None`` where q is 0."""
        return float(self.point[-1]) if self.draws else None

    @property
    def draw_rate(self) -> float:
        """q, the draw rate between equals."""
        return 1.0 / (1.0 + math.exp(-self.point[-1])) if self.draws else 0.0


def fit_pool(games: PoolGames, request: FitRequest, start: Fit | None = None) -> Fit:
    """Maximise the likelihood of one pool, starting from equal ratings or from an earlier fit.

    The pool must be strongly connected by results (or a prior given); otherwise a rating grows
    without bound. The likelihood may have several maxima where the draw rate is above a half and
    games are few; then several starts are tried, and the highest maximum counts.
    """
    problem = _Problem(games, request)
    fit = problem.ascend(problem.start(start))
    if start is None and fit.draws and problem.may_have_more_maxima(fit):
        first = problem.start(None)
        for theta in (0.0, float(first[-1]) + _NEXT_START):
            first[-1] = min(theta, problem.high[-1])
            other = problem.ascend(first)
            if other.log_likelihood > fit.log_likelihood + _HIGHER * abs(fit.log_likelihood):
                fit = other
    if fit.advantage_note == "unbounded":
        level = fit_pool(games, replace(request, advantage=0.0), start)
        return replace(level, advantage_note="unbounded")
    return fit


class _Problem:
    """The likelihood of one pool with its fixed and bounded parameters."""

    def __init__(self, games: PoolGames, request: FitRequest) -> None:
        n = games.players
        self.games, self.request = games, request
        self.draws = bool(games.counts[1].sum() > 0)
        self.estimated = np.ones(n + 2, dtype=np.bool_)
        self.estimated[list(request.fixed)] = False
        self.note: AdvantageNote = "given"
        if request.advantage is None:
            self.note = "estimated" if self._advantage_identifiable() else "not identifiable"
        self.estimated[n] = self.note == "estimated"
        self.estimated[n + 1] = self.draws
        self.low, self.high = np.full(n + 2, -np.inf), np.full(n + 2, np.inf)
        self.high[n] = MAX_WHITE_ADVANTAGE / ELO_PER_NAT
        self.low[n] = -self.high[n]
        self.high[n + 1] = math.log((1.0 - MIN_DECISIVE_RATE) / MIN_DECISIVE_RATE)

    def _advantage_identifiable(self) -> bool:
        """False when ratings alone could play its part, as where two players always met with the
        same colours: (1, …, 1) is then a difference of ratings along every encounter."""
        games, n = self.games, self.games.players
        free = self.estimated[:n]
        if self.request.prior is not None or not free.any():
            return True
        excess = np.bincount(games.white, minlength=n) - np.bincount(games.black, minlength=n)
        matrix = laplacian(games, np.ones(games.white.size))[np.ix_(free, free)]
        if self.request.floating:
            matrix += 1.0
        potential = np.zeros(n)
        potential[free] = solve_positive(matrix, excess[free].astype(np.float64))
        rest = 1.0 - (potential[games.white] - potential[games.black])
        return bool(np.sqrt(np.mean(rest * rest)) > 1e-6)

    def start(self, previous: Fit | None) -> Floats:
        """Level ratings and the plain draw rate, or where an earlier fit ended."""
        n, request = self.games.players, self.request
        point = np.zeros(n + 2)
        if request.prior is not None:
            point[:n] = request.prior_centre
        elif request.fixed:
            point[:n] = sum(request.fixed.values()) / len(request.fixed)
        if self.draws:
            rate = float(self.games.counts[1].sum() / self.games.counts.sum())
            point[n + 1] = math.log(rate / (1.0 - rate)) if rate < 1.0 else self.high[n + 1]
        if previous is not None:
            point[: n + 1] = previous.point[: n + 1]
        for player, rating in request.fixed.items():
            point[player] = rating
        if not self.estimated[n]:
            point[n] = request.advantage or 0.0
        return np.clip(point, self.low, self.high)

    def ascend(self, point: Floats) -> Fit:
        """The maximum that steps uphill from a point lead to."""
        here = self.evaluate(point)
        steps = 0
        while steps < _MAX_STEPS:
            steps += 1
            step, residual = self.step(point, here)
            if residual <= _CONVERGED:
                break
            climbed = self.climb(point, here, step)
            if climbed is None:
                break
            point, here = climbed
        return Fit(
            point=point,
            draws=self.draws,
            free=self.inside(point, here.gradient),
            advantage_note="unbounded" if self.advantage_unbounded(point, here) else self.note,
            log_likelihood=here.value,
            steps=steps,
            residual=math.sqrt(residual),
        )

    def may_have_more_maxima(self, fit: Fit) -> bool:
        """Whether games are few. Up to a draw rate of a half the likelihood of ratings is concave;
        above it, it is not, but many games leave one maximum."""
        thin = float(self.games.counts.sum()) < _MANY_GAMES * self.games.players
        return thin and max(fit.point[-1], self.start(None)[-1]) > 0.0

    def evaluate(self, point: Floats) -> LikelihoodValue:
        """The likelihood at a point, times the prior where there is one."""
        plain = evaluate(self.games, point, self.draws)
        if self.request.prior is None:
            return plain
        precision = self.request.prior_precision(self.games.players)
        away = point.copy()
        away[:-2] -= self.request.prior_centre
        return LikelihoodValue(
            value=plain.value - 0.5 * float(precision @ (away * away)),
            gradient=plain.gradient - precision * away,
            information=plain.information + np.diag(precision),
        )

    def inside(self, point: Floats, gradient: Floats) -> NDArray[np.bool_]:
        """The parameters to move: estimated, and not pressed against their limit."""
        pressed = ((point >= self.high) & (gradient >= 0)) | ((point <= self.low) & (gradient <= 0))
        return self.estimated & ~pressed

    def advantage_unbounded(self, point: Floats, here: LikelihoodValue) -> bool:
        """Whether the estimate of White's advantage ran to its limit."""
        return bool(self.estimated[-2] and not self.inside(point, here.gradient)[-2])

    def step(self, point: Floats, here: LikelihoodValue) -> tuple[Floats, float]:
        """The next step, and the square of its length in standard deviations."""
        free = self.inside(point, here.gradient)
        step = np.zeros_like(point)
        if not free.any():
            return step, 0.0
        matrix = anchored(here.information, free, self.games.players, self.request.floating)
        gradient = here.gradient[free]
        try:
            step[free] = solve_positive(matrix, gradient)
        except np.linalg.LinAlgError:
            step[free] = _away_from_saddle(matrix, gradient)
            return step, math.inf
        return step, max(float(gradient @ step[free]), 0.0)

    def climb(
        self, point: Floats, here: LikelihoodValue, step: Floats
    ) -> tuple[Floats, LikelihoodValue] | None:
        """Go along the step, halved until the likelihood rises by a part of what the gradient
        promises, or it would swing about the maximum for ever; None: nowhere to go. The first limit
        on its way ends it: the others would go on without the parameter that cannot, and down."""
        slack = 1e-13 * abs(here.value)  # a fall below this is rounding of the sum
        promise = _ENOUGH * float(here.gradient @ step)
        scale = min(1.0, _MAX_STEP / float(np.max(np.abs(step))), self.to_limit(point, step))
        for _ in range(50):
            candidate = np.clip(point + scale * step, self.low, self.high)
            there = self.evaluate(candidate)
            if there.value >= here.value + scale * promise - slack:
                return candidate, there
            scale /= 2.0
        return None

    def to_limit(self, point: Floats, step: Floats) -> float:
        """The part of a step that reaches the first limit that is not reached yet, and a little
        more, so that the parameter is set to it."""
        moved = step != 0.0
        limit = np.where(step > 0.0, self.high, self.low)[moved]
        parts = (limit - point[moved]) / step[moved]
        return float(np.min(parts, initial=math.inf, where=parts > 0.0)) * (1.0 + 1e-9)


def _away_from_saddle(matrix: Floats, gradient: Floats) -> Floats:
    """A step uphill where the information is not positive definite: along each of its axes Newton's
    step with the sign that leads up, and at least one standard deviation along those on which the
    likelihood is convex, so that no saddle holds it."""
    scale = 1.0 / np.sqrt(np.maximum(np.abs(np.diag(matrix)), _FLAT))
    curvature, axes = np.linalg.eigh(matrix * scale[:, None] * scale[None, :])
    slope = axes.T @ (scale * gradient)
    strength = np.maximum(np.abs(curvature), _FLAT)
    along = slope / strength
    convex = curvature < _FLAT
    least = np.copysign(1.0 / np.sqrt(strength), slope)
    along[convex] = np.where(np.abs(along) > np.abs(least), along, least)[convex]
    most = _MAX_STEP / np.max(np.abs(scale[:, None] * axes), axis=0)
    return np.asarray(scale * (axes @ np.clip(along, -most, most)), dtype=np.float64)


def anchored(information: Floats, free: NDArray[np.bool_], players: int, floating: bool) -> Floats:
    """The information of the free parameters. Where only differences of ratings are fitted the
    mean is tied to its place by a term of like size, which leaves every difference as it was."""
    matrix: Floats = information[np.ix_(free, free)]
    if floating:
        matrix[:players, :players] += np.trace(matrix[:players, :players]) / players**2
    return matrix
