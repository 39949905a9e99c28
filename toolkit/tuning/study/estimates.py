"""The current point of a running study and its estimated gain, for display.

Both come from models and are indicative only; the recommendation is measured afterwards.
"""

from __future__ import annotations

import math
import time

from toolkit.stats.elo import Z95
from toolkit.tuning.models import posterior
from toolkit.tuning.models.surface import Surface
from toolkit.tuning.models.worth import WORTH_PER_ELO, pair_variance
from toolkit.tuning.samplers.spsa import SpsaSampler
from toolkit.tuning.settings import StudySettings
from toolkit.tuning.space.point import Point
from toolkit.tuning.study.progress import StandingEstimate
from toolkit.tuning.study.recall import Trial
from toolkit.tuning.study.search import TrialSearch

_COST = 20
"""An estimate that took a second is taken for so many seconds."""


class Estimator:
    """The current point of a search and its estimate, recomputed from time to time."""

    def __init__(
        self, settings: StudySettings, search: TrialSearch, spsa: SpsaSampler | None
    ) -> None:
        self._settings = settings
        self._search = search
        self._spsa = spsa
        self._base = settings.space.restrict(settings.start)
        self._surface = Surface(settings.space, self._base)
        self._taken = 0
        self._last: tuple[Point | None, StandingEstimate | None] = (None, None)
        self._next_s = 0.0

    def current(self) -> tuple[Point | None, StandingEstimate | None]:
        """Theta of SPSA with the surface's gain over the base, or the point with the best posterior
        mean and this mean; None before any trial has finished."""
        if time.monotonic() >= self._next_s:
            begin = time.monotonic()
            self._last = self._of_theta() if self._spsa is not None else self._of_posterior()
            self._next_s = time.monotonic() + _COST * (time.monotonic() - begin)
        return self._last

    def surface(self) -> Surface:
        """The surface of all finished SPSA trials."""
        for told in self._search.told[self._taken :]:
            if told.opponent is not None and told.measured.pairs:
                one = told.measured
                self._surface.add(one.point, told.opponent, one.mean, one.pairs)
        self._taken = len(self._search.told)
        return self._surface

    def _of_theta(self) -> tuple[Point | None, StandingEstimate | None]:
        assert self._spsa is not None
        point = self._spsa.theta(self._search.study)
        surface = self.surface()
        if not self._taken:
            return point, None
        surface.variance = pair_variance(told.measured for told in self._search.told)
        gain = surface.gain(point)
        return point, StandingEstimate(gain.elo, gain.low95, gain.high95, "surface")

    def _of_posterior(self) -> tuple[Point | None, StandingEstimate | None]:
        measured = [told.measured for told in compared(self._search.told)]
        if not measured:
            return None, None
        surrogate = posterior.fit(self._settings.space, self._base, measured)
        leaders = posterior.leading(surrogate, measured, self._base, 2)
        if not leaders or leaders[0].mean <= 0:
            return self._base, None
        best = leaders[0]
        half, effort = Z95 * best.sd, self._settings.objective.is_effort
        return best.point, StandingEstimate(
            gain_of_worth(best.mean, effort),
            gain_of_worth(best.mean - half, effort),
            gain_of_worth(best.mean + half, effort),
            "posterior",
        )


def compared(told: list[Trial]) -> list[Trial]:
    """The trials that say how good their own point is: all but the base's and failed ones."""
    return [one for one in told if one.opponent is None and one.measured.pairs]


def gain_of_worth(worth: float, effort: bool) -> float:
    """A worth as Elo (near equal strength), or as per cent of effort saved."""
    return -100.0 * math.expm1(-worth) if effort else worth / WORTH_PER_ELO
