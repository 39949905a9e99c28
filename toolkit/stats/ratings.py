"""Ratings of many players from the counts of their games: one joint fit, errors, pools.

The model and its source are described in :mod:`toolkit.stats.outcome`. The results do not depend on
the order of players, encounters or games.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from .bootstrap import resampled_ratings
from .elo import ELO_PER_NAT, Z95, score_of_elo
from .errors import StatisticsError
from .fit import AdvantageNote, Fit, FitRequest, fit_pool
from .likelihood import Ints, PoolGames
from .match import match_statistics
from .outcome import Floats
from .pools import PoolPlan, plan_pools
from .tables import (
    Encounter,
    EncounterCounts,
    GameTable,
    Paired,
    PairedCounts,
    PoolPairs,
    restrict,
    tabulate,
)
from .uncertainty import covariance, variances_of_differences

__all__ = [
    "EncounterCounts",
    "FittedPool",
    "PairedCounts",
    "PlayerRating",
    "Pool",
    "RatingOptions",
    "Ratings",
    "fit_pools",
    "rate",
    "rate_table",
]

ErrorModel = Literal["pair-clustered", "opening-clustered", "fisher", "bootstrap", "none"]
Bound = Literal["at least", "at most"]
Reference = Literal["mean", "anchor", "anchors"]

_erfc = np.frompyfunc(math.erfc, 1, 1)
"""Of each element; that of :mod:`scipy.special` is quicker, but takes long to import."""
_ELO_DIGITS = 6
"""Ratings that differ by less are equal in the order of lines: the rest is rounding."""


class RatingOptions(Struct, frozen=True):
    """How to fit. Elo."""

    anchors: Mapping[str, float] = {}
    """Known ratings. One sets the place of the scale; several are held fixed."""
    anchor_groups: Mapping[str, str] = {}
    """Only anchors of the same group connect players who did not meet into one pool. Players not
    named here also form a group. A pool has one white advantage and draw rate, so players whose
    games may differ in these, as under different limits, must be in different groups."""
    mean: float = 0.0
    """Mean rating of a pool without an anchor."""
    white_advantage: float | None = None
    """``None``: estimated."""
    prior: float | None = None
    """Standard deviation of a normal prior of every rating around the middle of its pool (with 100
    for White's advantage around 0); ``None``, no prior, is plain maximum likelihood."""
    bootstrap: int = 0
    """Resamples from which errors are taken instead of the covariance."""
    seed: int = 0
    """Of the bootstrap."""
    names: Mapping[str, str] = {}
    """Labels of the players; players equal in everything else are listed in this order."""


class PlayerRating(Struct, frozen=True):
    """One player's line."""

    player: str
    elo: float
    """The estimate, or where ``bound`` is set the end of the 95 % interval."""
    error95: float | None
    """Half the width of the 95 % interval, relative to the pool's reference; None if there is
    none."""
    bound: Bound | None
    """Set where the player won, or lost, every game against its pool."""
    wins: int
    draws: int
    losses: int
    los_next: float | None
    """Probability to be stronger than the next player of the pool."""

    @property
    def games(self) -> int:
        """All games, those that led out of the pool included."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points a game."""
        return (self.wins + self.draws / 2.0) / self.games


@dataclass(frozen=True, slots=True)
class Pool:
    """Players on one scale. Ratings of different pools must not be compared."""

    players: tuple[PlayerRating, ...]
    """Strongest first."""
    error_model: ErrorModel
    """``pair-clustered``: the games of a pair count together; ``opening-clustered``: so do the
    pairs of an opening, in events whose pairings share their openings; ``fisher``: no pairs are
    known, games count as independent; ``none``: nothing was fitted, only bounds."""
    reference: Reference
    """What fixes the scale: ``mean``, one ``anchor``, or several ``anchors`` held fixed."""
    white_advantage: float
    white_advantage_error95: float | None
    white_advantage_note: AdvantageNote
    draw_rate: float
    """q, between equals; at most 0.9999."""
    unused_anchors: tuple[str, ...]
    """Anchors that have only a bound here, so that they could not fix the scale."""
    games: int
    """Of the fit and of the bounds."""
    rated: tuple[str, ...] = field(repr=False)
    """The players that have estimates, in the order of ``estimates`` and ``covariance``."""
    estimates: Floats = field(repr=False, compare=False)
    """Elo."""
    covariance: Floats = field(repr=False, compare=False)
    """Of the ratings, Elo², relative to the reference."""

    def difference(self, player: str, other: str) -> tuple[float, float]:
        """Elo of ``player`` minus that of ``other``, and half of its 95 % interval.

        :raises StatisticsError: one of them has no estimate in this pool.
        """
        one, two = self._row(player), self._row(other)
        variance = variances_of_differences(self.covariance, np.array(one), np.array(two))
        return float(self.estimates[one] - self.estimates[two]), Z95 * math.sqrt(variance)

    def error_matrix(self) -> Floats:
        """Half of the 95 % interval of the difference of each rated player (row) and each other
        (column), in the order of ``rated``."""
        return Z95 * _sd_matrix(self.covariance)

    def los(self, player: str, other: str) -> float:
        """Probability that ``player`` is stronger than ``other``: Φ(difference/sd)."""
        return float(self.los_matrix()[self._row(player), self._row(other)])

    def los_matrix(self) -> Floats:
        """LOS of each rated player (row) over each other (column), in the order of ``rated``."""
        return _los_matrix(self.estimates, self.covariance)

    def _row(self, player: str) -> int:
        try:
            return self.rated.index(player)
        except ValueError:
            raise StatisticsError(f"{player} has no estimate in this pool") from None


class Ratings(Struct, frozen=True):
    """A whole rating list."""

    pools: tuple[Pool, ...]
    """Most games first."""
    games: int
    """Of all players with each other."""
    left_out: int
    """Games between players of different pools, which no fit can use."""
    self_games: int
    """Games of a player against itself, which say nothing."""

    @property
    def players(self) -> tuple[PlayerRating, ...]:
        """Every line, pool after pool."""
        return tuple(line for pool in self.pools for line in pool.players)


def rate(
    encounters: Iterable[Encounter],
    pairs: Iterable[Paired] = (),
    options: RatingOptions | None = None,
) -> Ratings:
    """Fit ratings, white advantage and draw rate to all games of each pool at once.

    ``pairs`` gives the games that belong together; without it all games are treated as independent
    in the errors. Intervals are 95 %.

    :raises StatisticsError: a negative count, pairs that are not among the encounters, an anchor
        that did not play, a setting out of range.
    """
    return rate_table(tabulate(encounters, pairs), options)


def rate_table(table: GameTable, options: RatingOptions | None = None) -> Ratings:
    """:func:`rate` of counts that are a table already.

    :raises StatisticsError: an anchor that did not play, a setting out of range.
    """
    options = options or RatingOptions()
    results = table.results()
    pools = tuple(
        _Scale(table, results, fitted, options, number).pool()
        for number, fitted in enumerate(fit_pools(table, options))
    )
    total = int(table.games.counts.sum())
    return Ratings(pools, total, total - sum(pool.games for pool in pools), table.self_games)


def _checked(options: RatingOptions, table: GameTable) -> dict[int, float]:
    """The anchors by player number.

    :raises StatisticsError: an anchor that did not play, a setting out of range.
    """
    if options.prior is not None and not options.prior > 0.0:
        raise StatisticsError(f"the prior's standard deviation must be positive: {options.prior}")
    if options.bootstrap < 0 or options.bootstrap == 1:
        raise StatisticsError("a bootstrap needs at least two resamples")
    settings = [options.mean, options.white_advantage or 0.0, *options.anchors.values()]
    if not all(math.isfinite(value) for value in settings):
        raise StatisticsError("mean, white advantage and anchors must be finite numbers")
    number = {player: at for at, player in enumerate(table.players)}
    missing = sorted(set(options.anchors) - set(number))
    if missing:
        raise StatisticsError(f"the anchor {missing[0]} has no games here")
    return {number[player]: elo for player, elo in options.anchors.items()}


@dataclass(frozen=True, slots=True)
class FittedPool:
    """The fit of one pool, before errors, bounds and order."""

    plan: PoolPlan
    games: PoolGames
    """Of the members with each other; a member's number is its place in the plan."""
    pairs: PoolPairs
    anchors: Mapping[int, float]
    """Elo, by number."""
    request: FitRequest
    fit: Fit | None
    """None where the pool has only one member."""


def fit_pools(table: GameTable, options: RatingOptions) -> list[FittedPool]:
    """The fit of every pool, most games first.

    :raises StatisticsError: an anchor that did not play, a setting out of range.
    """
    anchors = _checked(options, table)
    groups = {at: options.anchor_groups.get(table.players[at], "") for at in anchors}
    plans = plan_pools(table.games, groups, connect_all=options.prior is not None)
    return [_fitted(table, plan, options, anchors) for plan in plans]


def _fitted(
    table: GameTable, plan: PoolPlan, options: RatingOptions, anchors: Mapping[int, float]
) -> FittedPool:
    games, pairs = restrict(table.games, table.pairs, np.array(plan.members, dtype=np.intp))
    own = {place: anchors[player] for place, player in enumerate(plan.members) if player in anchors}
    request = _request(options, own)
    fit = fit_pool(games, request) if games.counts.any() else None
    return FittedPool(plan, games, pairs, own, request, fit)


def _request(options: RatingOptions, anchors: Mapping[int, float]) -> FitRequest:
    """A single anchor fixes the place only; where a prior has a centre it is the pool's."""
    fixed = {place: elo / ELO_PER_NAT for place, elo in anchors.items()}
    if options.prior is not None and len(fixed) < 2:
        fixed = {}
    given = options.white_advantage
    return FitRequest(
        fixed=fixed,
        advantage=None if given is None else given / ELO_PER_NAT,
        prior=None if options.prior is None else options.prior / ELO_PER_NAT,
        prior_centre=sum(fixed.values()) / len(fixed) if fixed else 0.0,
    )


class _Scale:
    """One pool on its way from its fit to lines."""

    def __init__(
        self,
        table: GameTable,
        results: Floats,
        fitted: FittedPool,
        options: RatingOptions,
        number: int,
    ) -> None:
        self.table, self.options, self.number = table, options, number
        self.results = results
        self.plan, self.games, self.pairs = fitted.plan, fitted.games, fitted.pairs
        self.anchors, self.request, self.fit = fitted.anchors, fitted.request, fitted.fit
        outside = [table.players[player] for player in self.plan.outside]
        self.unused = tuple(player for player in outside if player in options.anchors)
        self.whole: Floats | None = None
        if self.fit is not None:
            self.whole = covariance(self.games, self.pairs, self.fit, self.request)

    def pool(self) -> Pool:
        """Fit, errors, bounds and order."""
        raw = self.fit.point[:-2] if self.fit else np.zeros(self.games.players)
        estimates = self._placed(raw[None, :])[0]
        spread, errors, model = self._errors()
        given = self.options.white_advantage or 0.0
        return Pool(
            players=self._lines(raw, estimates, spread, errors),
            error_model=model,
            reference=self._reference(),
            white_advantage=self.fit.point[-2] * ELO_PER_NAT if self.fit else given,
            white_advantage_error95=self._advantage_error(),
            white_advantage_note=self.fit.advantage_note if self.fit else "given",
            draw_rate=self.fit.draw_rate if self.fit else 0.0,
            unused_anchors=self.unused,
            games=int(self.plan.games),
            rated=tuple(self.table.players[player] for player in self.plan.members),
            estimates=estimates,
            covariance=spread,
        )

    def _lines(
        self, raw: Floats, estimates: Floats, spread: Floats, errors: Floats | None
    ) -> tuple[PlayerRating, ...]:
        """Members and bounded players, strongest first, each with its LOS over the next."""
        lines = []
        places: dict[str, int] = {}
        for place, player in enumerate(self.plan.members):
            error = None if errors is None else float(errors[place])
            lines.append(self._line(player, float(estimates[place]), error, None))
            places[lines[-1].player] = place
        shift = float(estimates[0] - raw[0] * ELO_PER_NAT)
        lines += [self._bounded(player, raw, shift) for player in self.plan.outside]
        lines.sort(key=lambda line: self._order(line, estimates))
        los = _los_matrix(estimates, spread)
        for at, (line, following) in enumerate(zip(lines, lines[1:], strict=False)):
            if line.player in places and following.player in places:
                value = float(los[places[line.player], places[following.player]])
                lines[at] = replace(line, los_next=value)
        return tuple(lines)

    def _order(self, line: PlayerRating, estimates: Floats) -> tuple[float, int, float, str, str]:
        """What lines are sorted by: height, free of rounding; of equal height those first who beat
        all members, and those last who lost to all; then score and name."""
        height = round(self._height(line, estimates), _ELO_DIGITS)
        side = {"at least": 0, None: 1, "at most": 2}[line.bound]
        name = self.options.names.get(line.player, line.player)
        return -height, side, -line.score, name, line.player

    def _height(self, line: PlayerRating, estimates: Floats) -> float:
        """Where the line stands: a bound of few games may lie on the wrong side of the pool."""
        if line.bound == "at least":
            return max(line.elo, float(estimates.max()))
        return min(line.elo, float(estimates.min())) if line.bound else line.elo

    def _reference(self) -> Reference:
        if not self.anchors:
            return "mean"
        return "anchor" if len(self.anchors) == 1 else "anchors"

    def _placed(self, ratings: Floats) -> Floats:
        """Rows of ratings in nats to Elo on the pool's scale."""
        elo: Floats = ratings * ELO_PER_NAT
        if len(self.anchors) == 1:
            ((place, value),) = self.anchors.items()
            elo += value - elo[:, place : place + 1]
        elif not self.anchors:
            elo += self.options.mean - elo.mean(axis=1, keepdims=True)
        for place, value in self.anchors.items():
            elo[:, place] = value  # free of rounding
        return elo

    def _errors(self) -> tuple[Floats, Floats | None, ErrorModel]:
        """Covariance of the ratings in Elo², their errors, and where both come from."""
        n = self.games.players
        if self.fit is None or self.whole is None:
            return np.zeros((n, n)), None, "none"
        if self.options.bootstrap:
            seed = (self.options.seed, self.number)
            sample = self._placed(
                resampled_ratings(
                    self.games,
                    self.pairs,
                    self.fit,
                    self.request,
                    size=self.options.bootstrap,
                    seed=seed,
                )
            )
            low, high = np.quantile(sample, (0.025, 0.975), axis=0)
            return np.cov(sample, rowvar=False), (high - low) / 2.0, "bootstrap"
        spread = self._relative(self.whole[:n, :n]) * ELO_PER_NAT**2
        errors = Z95 * np.sqrt(np.maximum(np.diag(spread), 0.0))
        if self.pairs.shared is not None and self.pairs.shared.opening.size:
            return spread, errors, "opening-clustered"
        return spread, errors, "pair-clustered" if self.pairs.joint.any() else "fisher"

    def _relative(self, c: Floats) -> Floats:
        """A covariance turned to the pool's reference: C seen through the same placing."""
        if len(self.anchors) > 1:
            return c
        if self.anchors:
            (place,) = self.anchors
            relative: Floats = c - c[place] - c[:, place : place + 1] + c[place, place]
            return relative
        means = c.mean(axis=0)
        centred: Floats = c - means - means[:, None] + means.mean()
        return centred

    def _advantage_error(self) -> float | None:
        """Half of the 95 % interval of White's advantage where it was estimated."""
        if self.fit is None or self.whole is None or not self.fit.free[-2]:
            return None
        return Z95 * math.sqrt(max(float(self.whole[-2, -2]), 0.0)) * ELO_PER_NAT

    def _bounded(self, player: int, ratings: Floats, shift: float) -> PlayerRating:
        """The line of a player who won or lost every game against the members: where the score
        expected of it is the end of the interval that a match of such results has."""
        games, members = self.table.games, np.array(self.plan.members, dtype=np.intp)
        rating_of = np.full(games.players, np.nan)
        rating_of[members] = ratings
        as_white = (games.white == player) & np.isfinite(rating_of[games.black])
        as_black = (games.black == player) & np.isfinite(rating_of[games.white])
        number = games.counts.sum(axis=0)
        given = (self.options.white_advantage or 0.0) / ELO_PER_NAT
        advantage = float(self.fit.point[-2]) if self.fit else given
        opponents = np.concatenate(
            [
                rating_of[games.black[as_white]] - advantage,
                rating_of[games.white[as_black]] + advantage,
            ]
        )
        share = np.concatenate([number[as_white], number[as_black]])
        won = bool(games.counts[0, as_white].any() or games.counts[2, as_black].any())
        low = self._low_of_perfect(player, members, int(share.sum()))
        share /= share.sum()

        def short(rating: float) -> float:
            """By how much a rating's expected points fall short (lost: exceed)."""
            ahead = rating - opponents if won else opponents - rating
            return float(share @ (1.0 / (1.0 + np.exp(-ahead)))) - score_of_elo(low)

        reach = 60.0
        below, above = float(ratings.min()) - reach, float(ratings.max()) + reach
        # By halves: importing scipy for this takes longer, and more memory than all else.
        while below < (end := (below + above) / 2) < above:
            below, above = (end, above) if (short(end) < 0) == won else (below, end)
        return self._line(player, end * ELO_PER_NAT + shift, None, "at least" if won else "at most")

    def _low_of_perfect(self, player: int, members: Ints, games: int) -> float:
        """Lower end of Elo of a match in which all these games are won, in pairs where all are."""
        pairs = self.table.pairs
        one, other = np.isin(pairs.first, members), np.isin(pairs.second, members)
        ours = ((pairs.first == player) & other) | ((pairs.second == player) & one)
        number = int(pairs.joint[:, ours].sum())
        counts = (0, 0, 0, 0, number) if 2 * number == games else (0, 0, games)
        low = match_statistics(counts).elo_low95
        assert low is not None
        return low

    def _line(
        self, player: int, elo: float, error: float | None, bound: Bound | None
    ) -> PlayerRating:
        wins, draws, losses = (int(count) for count in self.results[player])
        return PlayerRating(
            player=self.table.players[player],
            elo=elo,
            error95=error,
            bound=bound,
            wins=wins,
            draws=draws,
            losses=losses,
            los_next=None,
        )


def _los_matrix(estimates: Floats, covariance_of: Floats) -> Floats:
    """Φ(difference/sd) of each over each; by the sign alone where both are fixed."""
    difference = estimates[:, None] - estimates[None, :]
    sd = _sd_matrix(covariance_of)
    certain = np.where(difference == 0.0, 0.0, np.copysign(np.inf, difference))
    ratio = np.divide(difference, sd, out=certain, where=sd > 0.0)
    return np.asarray(_erfc(-math.sqrt(0.5) * ratio), dtype=np.float64) / 2


def _sd_matrix(covariance_of: Floats) -> Floats:
    """Standard deviation of the difference of each and each other."""
    place = np.arange(covariance_of.shape[0])
    return np.sqrt(variances_of_differences(covariance_of, place[:, None], place[None, :]))
