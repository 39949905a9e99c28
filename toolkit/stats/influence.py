"""How firm the order of a rating list is: what must be removed to put the other neighbour first.

The units are game pairs, and games outside pairs. The influence of a unit on the difference of two
ratings is, to first order, its score (derivatives of its log-likelihood) times H⁻¹c, with H the
information and c the contrast of the two. The units with the largest influence are removed first
(T. Broderick, R. Giordano and R. Meager, "An automatic finite-sample robustness metric", 2020). The
influence is taken where the two are level, on the line along which the likelihood falls least:
what counts is which units decide the sign. Every answer is then confirmed by the fit without these
units, so a number of pairs is an upper bound of the smallest one, and never a guess. For two
players who exchange colours in every pair it is the smallest one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from .elo import ELO_PER_NAT
from .fit import Fit, anchored, fit_pool
from .likelihood import Ints, PoolGames, expected_information, solve_positive
from .outcome import Floats, outcomes
from .ratings import FittedPool, RatingOptions, Ratings, fit_pools, rate_table
from .tables import GameTable, PoolPairs, merge, unpaired

FRAGILE_BELOW = 0.01
"""An order is fragile if fewer than this share of the neighbours' pairs change it."""
PLAYER_KIND = "engine"
"""The kind of a removal that takes all games of one player."""
_REFIT_ALL = 100
"""Up to this many removals of a kind are all confirmed by a fit. Of more, each has few games, so
that its influence is predicted well: the fit confirms only the strongest."""
_STRONGEST = 3
_LIKELY = 0.5
"""Share of the difference that the predicted influence of one of many removals must reach."""
_LEVEL = 1e-6
"""Elo; a smaller difference is rounding."""
_MOST_FITS = 40
"""In the search for the number of pairs of one order."""


class GameGroups(Struct, frozen=True):
    """Games by something that they have in common, one game a place. Players are numbers of the
    table."""

    kind: str
    names: Sequence[str]
    group: Ints
    """Place in ``names``."""
    white: Ints
    black: Ints
    result: Ints
    """0 White won, 1 draw, 2 Black won."""


class Removal(Struct, frozen=True):
    """A single opening, engine or event, and what the list says without its games."""

    kind: str
    name: str
    elo: float
    """Difference of the two neighbours without it; infinite where one of them has only a bound; NaN
    if the remaining games do not compare them."""


class OrderInfluence(Struct, frozen=True):
    """What changes the order of two rated neighbours of a pool."""

    pool: int
    player: str
    """Ahead of ``other``."""
    other: str
    elo: float
    pairs: int | None
    """A set of so many pairs, and games outside pairs, changes the order; None if none was found.
    There may be a smaller one."""
    own_pairs: int
    """Pairs, and games outside pairs, in which at least one of the two played."""
    changing: tuple[Removal, ...]
    """Of each kind the removal with the strongest effect, if it changes the order."""
    separating: tuple[Removal, ...]
    """Removals after which the two cannot be compared."""

    @property
    def share(self) -> float | None:
        """``pairs`` relative to ``own_pairs``."""
        return None if self.pairs is None else self.pairs / self.own_pairs

    @property
    def fragile(self) -> bool:
        """Whether less than 1 % of their pairs change the order."""
        return self.share is not None and self.share < FRAGILE_BELOW


def order_influence(
    table: GameTable, options: RatingOptions, ratings: Ratings, groups: Sequence[GameGroups] = ()
) -> list[OrderInfluence]:
    """A line for every two neighbours of each pool of ``ratings``, the ratings of this table.

    :raises StatisticsError: as :func:`toolkit.stats.ratings.rate_table`.
    """
    found: list[OrderInfluence] = []
    for number, fitted in enumerate(fit_pools(table, options)):
        if fitted.fit is None:
            continue
        pool = _PoolInfluence(table, fitted, fitted.fit, options, groups)
        order = [line.player for line in ratings.pools[number].players if line.bound is None]
        for player, other in zip(order, order[1:], strict=False):
            found.append(pool.of(number, player, other))
    return found


class _PoolInfluence:
    """One pool, and every list without some of its games that was fitted so far."""

    def __init__(
        self,
        table: GameTable,
        fitted: FittedPool,
        fit: Fit,
        options: RatingOptions,
        groups: Sequence[GameGroups],
    ) -> None:
        self.fitted, self.fit, self.games = fitted, fit, fitted.games
        self.players = [table.players[player] for player in fitted.plan.members]
        self.units = _Units.of(fitted.games, fitted.pairs)
        own = {name: elo for name, elo in options.anchors.items() if name in self.players}
        self.options = replace(options, anchors=own, bootstrap=0)
        parts = [_Parts.of_groups(group, table, fitted) for group in groups]
        self.parts = [_Parts.of_players(self.games, self.players), *parts]
        self.lists: dict[tuple[str, int], _List] = {}

    def of(self, number: int, player: str, other: str) -> OrderInfluence:
        """What changes the order of two neighbours."""
        one, two = self.players.index(player), self.players.index(other)
        ahead = float(self.fit.point[one] - self.fit.point[two]) * ELO_PER_NAT
        effect = self.effect(one, two)
        removals = [list(self.removals(part, effect, one, two, ahead)) for part in self.parts]
        strongest = [
            min((one for one in some if one.elo < -_LEVEL), key=lambda one: one.elo, default=None)
            for some in removals
        ]
        return OrderInfluence(
            pool=number,
            player=player,
            other=other,
            elo=ahead,
            pairs=self.fewest(effect, one, two, ahead),
            own_pairs=self.units.of_players(one, two),
            changing=tuple(one for one in strongest if one is not None),
            separating=tuple(one for some in removals for one in some if math.isnan(one.elo)),
        )

    def effect(self, one: int, two: int) -> Floats:
        """Elo by which each result (row) of each encounter (column) puts ``one`` ahead of ``two``,
        where the two are level."""
        contrast = np.zeros_like(self.fit.point)
        contrast[one], contrast[two] = 1.0, -1.0
        point = self.fit.point
        direction = self.direction(point, contrast)
        slope = float(contrast @ direction)
        if slope <= 0.0:  # both ratings are given
            return np.zeros_like(self.games.counts)
        level = point - direction * (float(contrast @ point) / slope)
        direction = self.direction(level, contrast)
        model = outcomes(self.games.differences(level), self.theta(level))
        along = self.games.differences(direction)
        effect = (model.by_x * along + model.by_theta * direction[-1]) * ELO_PER_NAT
        return np.asarray(effect, dtype=np.float64)

    def theta(self, point: Floats) -> float | None:
        """The draw parameter; None where there are no draws."""
        return float(point[-1]) if self.fit.draws else None

    def direction(self, point: Floats, contrast: Floats) -> Floats:
        """H⁻¹c of the parameters that were estimated."""
        n, free, request = self.games.players, self.fit.free, self.fitted.request
        information = expected_information(self.games, point, self.theta(point))
        information += np.diag(request.prior_precision(n))
        found = np.zeros_like(point)
        if (contrast[free] != 0.0).any():
            matrix = anchored(information, free, n, request.floating)
            found[free] = solve_positive(matrix, contrast[free])
        return found

    def fewest(self, effect: Floats, one: int, two: int, ahead: float) -> int | None:
        """Number of units in the smallest set that was found to change the order."""
        influence = self.units.influence(effect)
        order = np.argsort(-influence, kind="stable")
        order = order[influence[order] > 0.0]
        ends = np.cumsum(self.units.number[order])
        total = np.cumsum(np.repeat(influence[order], self.units.number[order]))

        def without(number: int) -> float:
            taken = np.diff(np.minimum(ends, number), prepend=0)
            counts = self.games.counts - self.units.games(order, taken, self.games.counts.shape)
            return _List.of(self, counts).difference(one, two)

        return _fewest(total, ahead, without)

    def removals(
        self, part: _Parts, effect: Floats, one: int, two: int, ahead: float
    ) -> Iterator[Removal]:
        """The lists without one opening, engine or event."""
        for at in part.candidates(effect, ahead):
            name = part.names[at]
            if part.kind == PLAYER_KIND and name in (self.players[one], self.players[two]):
                continue
            key = part.kind, at
            if key not in self.lists:
                self.lists[key] = _List.of(self, self.games.counts - part.counts(at))
            yield Removal(part.kind, name, self.lists[key].difference(one, two))


def _fewest(total: Floats, ahead: float, without: Callable[[int], float]) -> int | None:
    """The smallest number at which ``without`` is negative, found by regula falsi on the predicted
    influence of the first units, ``total``. None: no number tried is."""
    if ahead <= _LEVEL:
        return 0
    low, at_low, most = 0, ahead, total.size
    high, at_high = None, math.nan
    aim = ahead
    for _ in range(_MOST_FITS):
        end = most if high is None else high - 1
        if low >= end:
            break
        number = int(np.searchsorted(total, aim, side="right")) + 1
        number = min(max(number, low + 1), end)
        found = without(number)
        if found < -_LEVEL:
            high, at_high = number, found
        elif not math.isnan(found):
            low, at_low = number, min(found, at_low)
        elif high is None:
            most = number - 1  # so many games separate the two
        else:
            low = number
        aim = _next_aim(total, low, at_low, high if high is not None else most, at_high, ahead)
    return high


def _next_aim(
    total: Floats, low: int, at_low: float, high: int, at_high: float, ahead: float
) -> float:
    """The influence at which the difference is expected to vanish; the middle of both ends where
    they do not say."""
    reached = float(total[low - 1]) if low else 0.0
    if math.isfinite(at_high):
        over = float(total[high - 1])
        return reached + (over - reached) * at_low / (at_low - at_high)
    if 0.0 < at_low < ahead and math.isnan(at_high):
        return reached * ahead / (ahead - at_low)
    return float(total[(low + high) // 2 - 1]) if low + high >= 2 else 0.0


class _Units(Struct, frozen=True):
    """The pairs of a pool, and its games outside pairs, by players and results."""

    first: Ints
    """Had White in the first game."""
    second: Ints
    number: Ints
    one: Ints
    """Place of the first game in the flat counts of games."""
    back: Ints
    """The same of the second game."""
    paired: NDArray[np.bool_]
    """Whether there is a second game."""

    @classmethod
    def of(cls, games: PoolGames, pairs: PoolPairs) -> _Units:
        """The units of one pool, of which each has the smallest number of games."""
        keys, width = games.white * games.players + games.black, games.white.size
        code, column = np.nonzero(pairs.joint)
        first, second = pairs.first[column], pairs.second[column]
        forth = np.searchsorted(keys, first * games.players + second)
        back = np.searchsorted(keys, second * games.players + first)
        alone = unpaired(games, pairs)
        row, single = np.nonzero(alone)
        one = np.concatenate([code // 3 * width + forth, row * width + single])
        return cls(
            first=np.concatenate([first, games.white[single]]),
            second=np.concatenate([second, games.black[single]]),
            number=np.concatenate([pairs.joint[code, column], alone[row, single]]).astype(np.intp),
            one=one,
            back=np.concatenate([code % 3 * width + back, np.zeros_like(row)]),
            paired=np.arange(one.size) < code.size,
        )

    def influence(self, effect: Floats) -> Floats:
        """The sum of the effects of the games of each unit."""
        flat = effect.ravel()
        return flat[self.one] + np.where(self.paired, flat[self.back], 0.0)

    def of_players(self, one: int, two: int) -> int:
        """Units in which at least one of two players played."""
        own = np.isin(self.first, (one, two)) | np.isin(self.second, (one, two))
        return int(self.number[own].sum())

    def games(self, units: Ints, number: Ints, shape: tuple[int, ...]) -> Floats:
        """The games of so many of these units, as counts of a pool."""
        size = math.prod(shape)
        games = np.bincount(self.one[units], number, size)
        games += np.bincount(self.back[units], number * self.paired[units], size)
        return np.asarray(games.reshape(shape), dtype=np.float64)


class _Parts(Struct, frozen=True):
    """The games of a pool that each removal of a kind takes."""

    kind: str
    names: Sequence[str]
    part: Ints
    """Place in ``names`` of each of these games or results."""
    at: Ints
    """Place in the flat counts of games."""
    number: Floats
    shape: tuple[int, ...]
    """Of the counts."""

    @classmethod
    def of_players(cls, games: PoolGames, players: Sequence[str]) -> _Parts:
        """The games of each player."""
        part = np.concatenate([np.tile(games.white, 3), np.tile(games.black, 3)])
        at = np.tile(np.arange(games.counts.size), 2)
        number = np.tile(games.counts.ravel(), 2)
        return cls(PLAYER_KIND, players, part, at, number, games.counts.shape)

    @classmethod
    def of_groups(cls, groups: GameGroups, table: GameTable, fitted: FittedPool) -> _Parts:
        """The games of a pool in each group. Games between others are none of it."""
        games = fitted.games
        place = np.full(len(table.players), -1, dtype=np.intp)
        place[list(fitted.plan.members)] = np.arange(games.players)
        white, black = place[groups.white], place[groups.black]
        here = (white >= 0) & (black >= 0) & (white != black)
        keys = games.white * games.players + games.black
        column = np.searchsorted(keys, white[here] * games.players + black[here])
        at = groups.result[here] * games.white.size + column
        present, part = np.unique(groups.group[here], return_inverse=True)
        names = [groups.names[group] for group in present.tolist()]
        return cls(groups.kind, names, part, at, np.ones(at.size), games.counts.shape)

    def candidates(self, effect: Floats, ahead: float) -> list[int]:
        """The removals to confirm, for a difference of ``ahead``."""
        if len(self.names) < 2:  # without it there is no list
            return []
        if len(self.names) <= _REFIT_ALL:
            return list(range(len(self.names)))
        total = np.bincount(self.part, self.number * effect.ravel()[self.at], len(self.names))
        order = np.argsort(-total, kind="stable")[:_STRONGEST]
        return [int(at) for at in order if total[at] >= _LIKELY * ahead]

    def counts(self, at: int) -> Floats:
        """The games that a removal takes, as counts of the pool."""
        own = self.part == at
        taken = np.bincount(self.at[own], self.number[own], math.prod(self.shape))
        return np.asarray(taken.reshape(self.shape), dtype=np.float64)


class _List(Struct, frozen=True):
    """Where the members of a pool stand without some of their games."""

    pool: Ints
    """Number of the pool of each; -1 if it has no games left."""
    elo: Floats
    """Infinite if it has only a bound."""

    @classmethod
    def of(cls, whole: _PoolInfluence, counts: Floats) -> _List:
        """Fit what is left, ``counts``."""
        games, n = whole.games, whole.games.players
        played = counts.any(axis=0)
        left = PoolGames(n, games.white[played], games.black[played], counts[:, played])
        if _scored(games.counts) == _scored(counts):  # so the pool is one still
            point = fit_pool(left, whole.fitted.request).point
            return cls(np.zeros(n, dtype=np.intp), point[:n] * ELO_PER_NAT)
        pool, elo = np.full(n, -1, dtype=np.intp), np.full(n, math.nan)
        for player, number, height in _standings(whole, left):
            pool[player], elo[player] = number, height
        return cls(pool, elo)

    def difference(self, one: int, two: int) -> float:
        """Elo between two players; NaN if these games do not compare them."""
        if self.pool[one] != self.pool[two] or self.pool[one] < 0:
            return math.nan
        if math.isinf(self.elo[one]) and self.elo[one] == self.elo[two]:
            return math.nan
        return float(self.elo[one] - self.elo[two])


def _scored(counts: Floats) -> bytes:
    """Which sides of each encounter have points: what pools are made from."""
    return np.packbits(np.stack([counts[0] + counts[1] > 0, counts[2] + counts[1] > 0])).tobytes()


def _standings(whole: _PoolInfluence, left: PoolGames) -> Iterator[tuple[int, int, float]]:
    """Number, pool and Elo of each player who still has games, from a new list."""
    none = np.zeros(0, dtype=np.intp)
    table = merge(whole.players, left, PoolPairs(none, none, np.zeros((9, 0))))
    if not table.players:
        return
    anchors = {one: elo for one, elo in whole.options.anchors.items() if one in table.players}
    options = replace(whole.options, anchors=anchors)
    place = {name: at for at, name in enumerate(whole.players)}
    pools = fit_pools(table, options)
    if len(pools) == 1 and not pools[0].plan.outside and pools[0].fit is not None:
        for member, nats in zip(pools[0].plan.members, pools[0].fit.point, strict=False):
            yield place[table.players[member]], 0, float(nats) * ELO_PER_NAT
        return
    bounds = {"at least": math.inf, "at most": -math.inf}
    for number, pool in enumerate(rate_table(table, options).pools):
        for line in pool.players:
            yield place[line.player], number, bounds.get(line.bound or "", line.elo)
