"""How often the errors of ratings cover the truth, and how wide they are, by form of tournament.

    python benchmarks/rating_errors.py > benchmarks/rating_errors.txt
    python benchmarks/rating_errors.py --runs 100 --form "gauntlet 1x30" --pairs 3

A cell is a form, a number of pairs for each pairing, a draw rate between equals, and a kind:
``level`` (equal players), ``0.8`` (the hero or first player scores 80 %; a round robin is a ladder
in which the higher players score 80 % on average) or ``white`` (equal players, White 200 Elo
ahead).
Games follow the model. Each tournament is fitted once, and has two errors: with its pairs known,
and unknown. A player with a perfect score has a bound in place of a rating and is left out. For
each group (the hero, its opponents, or all players of a form without a hero) the table has the
share of intervals that contain the true rating relative to the mean, and their width relative to
the width that covers 95 %. ``-``: fewer than 100 intervals; ``n``: covers less than 94 %, beyond
two standard errors; ``w``: wider than 1.1 and covers more than 97 %.

All tournaments of a cell are fitted together, with the model of :mod:`toolkit.stats.outcome`. The
first ones of each cell are compared with :func:`toolkit.stats.fit.fit_pool` and
:func:`toolkit.stats.uncertainty.covariance`. Everything follows from ``--seed``.
"""

from __future__ import annotations

import argparse
import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolkit.base.version import program_version
from toolkit.stats.elo import ELO_PER_NAT, Z95
from toolkit.stats.fit import MAX_WHITE_ADVANTAGE, MIN_DECISIVE_RATE, FitRequest, fit_pool
from toolkit.stats.likelihood import Ints, PoolGames
from toolkit.stats.outcome import Floats, Terms, likelihood_terms, outcomes
from toolkit.stats.pools import plan_pools
from toolkit.stats.tables import PoolPairs, restrict
from toolkit.stats.uncertainty import LOST, PAIRS_OF_MODEL, covariance

Flags = NDArray[np.bool_]

FORMS = (
    "two players",
    "round robin of 4",
    "round robin of 8",
    "gauntlet 1x4",
    "gauntlet 1x10",
    "gauntlet 1x30",
)
PAIRS = (1, 3, 10, 100)
DRAWS = (0.1, 0.5, 0.8)
KINDS = ("level", "0.8", "white")
SCORE = 0.8
WHITE_AHEAD = 200.0 / ELO_PER_NAT
LEAST_INTERVALS = 100
LOW, HIGH, WIDE = 0.94, 0.97, 1.1
HIGHEST_THETA = math.log((1.0 - MIN_DECISIVE_RATE) / MIN_DECISIVE_RATE)
NO_DRAWS = -12.0
UNBOUNDED = 0.9 * MAX_WHITE_ADVANTAGE / ELO_PER_NAT
COMPARED = 1


@dataclass(frozen=True, slots=True)
class Truth:
    """What the games of one cell are played by, in nats."""

    ratings: Floats
    advantage: float
    theta: float
    first: Ints
    second: Ints
    """The players of each pairing."""
    hero: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One group of players in one cell."""

    form: str
    pairs: int
    kind: str
    draws: float
    known: bool
    group: str
    coverage: float
    error: float
    """Standard error of the coverage; the players of one tournament count as one."""
    width: float
    """Relative to the width that covers 95 %."""

    @property
    def fault(self) -> str:
        """What is not as wanted."""
        if self.coverage + 2.0 * self.error < LOW:
            return "n"
        return "w" if self.width > WIDE and self.coverage > HIGH else " "


def truth_of(form: str, kind: str, draws: float) -> Truth:
    """The players and pairings of a cell."""
    hero = form.startswith("gauntlet")
    size = 2 if form == "two players" else int(form.replace("x", " ").split()[-1]) + hero
    pairings = [(i, j) for i in range(size) for j in range(i + 1, size) if not hero or i == 0]
    ratings = np.zeros(size)
    if kind == "0.8" and form.startswith("round"):
        ratings = -np.arange(size) * ladder_step(pairings)
    elif kind == "0.8":
        ratings[0] = math.log(SCORE / (1.0 - SCORE))
    first, second = np.array(pairings, dtype=np.intp).T
    advantage = WHITE_AHEAD if kind == "white" else 0.0
    return Truth(ratings, advantage, math.log(draws / (1.0 - draws)), first, second, hero)


def ladder_step(pairings: Sequence[tuple[int, int]]) -> float:
    """Nats between neighbours at which the higher player of a pairing scores 80 % on average."""
    apart = np.array([j - i for i, j in pairings])
    low, high = 0.0, 10.0
    for _ in range(60):
        step = (low + high) / 2.0
        if np.mean(1.0 / (1.0 + np.exp(-step * apart))) < SCORE:
            low = step
        else:
            high = step
    return low


def played(truth: Truth, pairs: int, runs: int, random: np.random.Generator) -> Floats:
    """Joint counts (nine columns) of each pairing (last axis) of so many tournaments."""
    difference = truth.ratings[truth.first] - truth.ratings[truth.second]
    forth = outcomes(difference + truth.advantage, truth.theta).probability
    back = outcomes(truth.advantage - difference, truth.theta).probability
    chances = (forth[:, None, :] * back[None, :, :]).reshape(9, -1).T
    chances /= chances.sum(axis=1, keepdims=True)
    counts = [random.multinomial(pairs, row, size=runs) for row in chances]
    return np.stack(counts, axis=2).astype(np.float64)


class Tournaments:
    """Many tournaments of one cell, and their fits; the first axis of each array. Parameters are as
    in :mod:`toolkit.stats.likelihood`, the rating of the first member is held at 0."""

    def __init__(self, truth: Truth, joint: Floats) -> None:
        self.truth, self.players = truth, truth.ratings.size
        self.encounters = np.zeros((2 * truth.first.size, self.players + 1))
        rows = np.arange(2 * truth.first.size)
        self.white = np.concatenate([truth.first, truth.second])
        self.black = np.concatenate([truth.second, truth.first])
        self.encounters[rows, self.white] = 1.0
        self.encounters[rows, self.black] = -1.0
        self.encounters[:, -1] = 1.0
        counts = counts_of(joint)
        members = self._largest_pools(counts)
        rated = members.sum(axis=1) > 1
        self.members, joint, counts = members[rated], joint[rated], counts[:, rated]
        inside = self.members[:, truth.first] & self.members[:, truth.second]
        self.joint = joint * inside[:, None, :]
        self.counts = counts * np.concatenate([inside, inside], axis=1)
        self.number = self.counts.sum(axis=0)
        self.draws = self.counts[1].any(axis=1)
        self.point, self.free = self._fitted()

    def _largest_pools(self, counts: Floats) -> Flags:
        """The players of the largest set that results connect strongly."""
        runs, n = counts.shape[1], self.players
        above = np.tile(np.eye(n, dtype=np.bool_), (runs, 1, 1))
        for row, (white, black) in enumerate(zip(self.white, self.black, strict=True)):
            above[:, white, black] |= counts[:2, :, row].any(axis=0)
            above[:, black, white] |= counts[1:, :, row].any(axis=0)
        for _ in range(math.ceil(math.log2(n))):
            above = np.matmul(above.astype(np.float64), above.astype(np.float64)) > 0.0
        both = above & above.transpose(0, 2, 1)
        return np.asarray(both[np.arange(runs), np.argmax(both.sum(axis=2), axis=1)])

    def _fitted(self) -> tuple[Floats, Flags]:
        """Maximum and free parameters; where White's advantage grows without bound it is 0."""
        runs, truth = len(self.members), self.truth
        reference = np.argmax(self.members, axis=1)
        free = np.concatenate(
            [self.members, np.ones((runs, 1), np.bool_), self.draws[:, None]], axis=1
        )
        free[np.arange(runs), reference] = False
        start = np.zeros((runs, self.players + 2))
        start[:, :-2] = (truth.ratings - truth.ratings[reference][:, None]) * self.members
        start[:, -2] = truth.advantage
        start[:, -1] = np.where(self.draws, truth.theta, NO_DRAWS)
        point = start.copy()
        everywhere = np.arange(runs)
        self._climb(point, free, everywhere)
        unbounded = np.abs(point[:, -2]) > UNBOUNDED
        free[unbounded, -2] = False
        point[unbounded] = start[unbounded]
        point[unbounded, -2] = 0.0
        self._climb(point, free, everywhere[unbounded])
        free[:, -1] &= point[:, -1] < HIGHEST_THETA
        return point, free

    def _climb(self, points: Floats, may_move: Flags, active: Ints) -> None:
        """Move the points of the active tournaments to maxima, by Newton steps that are damped
        where they would lead down."""
        damping = np.full(len(points), 1e-2)
        for _ in range(80):
            if not active.size:
                break
            point, here = points[active], self._terms(points[active], active)
            gradient = np.concatenate(
                [here.by_x @ self.encounters, here.by_theta.sum(axis=1)[:, None]], axis=1
            )
            free = may_move[active]
            free[:, -1] &= (point[:, -1] < HIGHEST_THETA) | (gradient[:, -1] < 0.0)
            matrix = self._matrix(here.xx, here.xt, here.tt)
            diagonal = np.einsum("bii->bi", matrix)
            diagonal += damping[active, None] * np.maximum(np.abs(diagonal), 1e-3)
            step = np.linalg.solve(masked(matrix, free), (gradient * free)[:, :, None])[:, :, 0]
            length = np.abs(step).max(axis=1)
            step *= np.minimum(1.0, 2.0 / np.maximum(length, 1e-9))[:, None]
            tried = point + step
            tried[:, -1] = np.minimum(tried[:, -1], HIGHEST_THETA)
            there = self._terms(tried, active)
            up = there.value.sum(axis=1) >= here.value.sum(axis=1) - 1e-12
            points[active[up]] = tried[up]
            damping[active] = np.clip(damping[active] * np.where(up, 0.1, 8.0), 1e-12, 1e8)
            active = active[~up | (length > 1e-7)]

    def _differences(self, point: Floats) -> Floats:
        return np.asarray(point[:, :-1] @ self.encounters.T)

    def _terms(self, point: Floats, runs: Ints) -> Terms:
        return likelihood_terms(self._differences(point), point[:, -1:], self.counts[:, runs])

    def _matrix(self, xx: Floats, xt: Floats, tt: Floats) -> Floats:
        """Symmetric matrices over all parameters from products of each encounter."""
        n = self.players
        matrix = np.zeros((len(xx), n + 2, n + 2))
        matrix[:, :-1, :-1] = np.matmul(self.encounters.T * xx[:, None, :], self.encounters)
        matrix[:, :-1, -1] = matrix[:, -1, :-1] = xt @ self.encounters
        matrix[:, -1, -1] = tt.sum(axis=1)
        return matrix

    def covariances(self, known: bool) -> Floats:
        """As :func:`toolkit.stats.uncertainty.covariance`."""
        point = self.point.copy()
        point[:, -1] = np.where(self.draws, self._cautious_theta(), point[:, -1])
        model = outcomes(self._differences(point), point[:, -1:])

        def expected(number: Floats) -> Floats:
            weight = number * model.probability
            xx, xt, tt = (
                np.sum(weight * one * other, axis=0)
                for one, other in (
                    (model.by_x, model.by_x),
                    (model.by_x, model.by_theta),
                    (model.by_theta, model.by_theta),
                )
            )
            return self._matrix(xx, xt, tt)

        inverse = np.linalg.inv(masked(expected(self.number), self.free))
        inverse *= self.free[:, :, None] & self.free[:, None, :]
        if not known:
            return inverse
        pairs = self.joint.sum(axis=1)
        trust = pairs / (pairs + PAIRS_OF_MODEL)
        meat = expected(self.number - np.concatenate([pairs * trust] * 2, axis=1))
        size = self.truth.first.size
        joint = (self.joint * trust[:, None, :]).reshape(len(pairs), 3, 3, size)
        for i in range(3):
            for j in range(3):
                weight = joint[:, i, j]
                one, two = model.by_x[i][:, :size], model.by_x[j][:, size:]
                t = model.by_theta[i][:, :size] + model.by_theta[j][:, size:]
                meat += self._products(weight, one, two, t)
        return np.asarray(inverse @ meat @ inverse)

    def _products(self, weight: Floats, one: Floats, two: Floats, t: Floats) -> Floats:
        """Σ weight·s·sᵀ over pairings, with the scores of both games of a pair."""
        n, size = self.players, self.truth.first.size
        forth, back = self.encounters[:size], self.encounters[size:]
        score = np.zeros((len(weight), size, n + 2))
        score[:, :, :-1] = one[:, :, None] * forth + two[:, :, None] * back
        score[:, :, -1] = t
        return np.asarray(np.matmul(score.transpose(0, 2, 1) * weight[:, None, :], score))

    def _cautious_theta(self) -> Floats:
        """By halving, where the log-likelihood is ``LOST`` below that of the estimates."""
        difference = self._differences(self.point)

        def value(theta: Floats) -> Floats:
            return likelihood_terms(difference, theta[:, None], self.counts).value.sum(axis=1)

        high = self.point[:, -1].copy()
        top, low, step = value(high), high - 0.5, 0.5
        while step < 30.0 and (near := top - value(low) < LOST).any():
            low = np.where(near, low - step, low)
            step *= 1.6
        for _ in range(18):
            middle = (low + high) / 2.0
            near = top - value(middle) < LOST
            high, low = np.where(near, middle, high), np.where(near, low, middle)
        return np.asarray((low + high) / 2.0)

    def intervals(self, known: bool) -> tuple[Floats, Floats]:
        """How far each rating is from the truth, and its error of 95 %, relative to the mean."""
        mask = self.members.astype(np.float64)
        size = mask.sum(axis=1, keepdims=True)
        whole = self.covariances(known)[:, :-2, :-2]
        means = np.einsum("bij,bj->bi", whole, mask) / size
        variance = np.einsum("bii->bi", whole) - 2.0 * means
        variance += np.sum(means * mask, axis=1, keepdims=True) / size
        off = self.point[:, :-2] - self.truth.ratings
        off -= np.sum(off * mask, axis=1, keepdims=True) / size
        return off, Z95 * np.sqrt(np.maximum(variance, 1e-12))


def counts_of(joint: Floats) -> Floats:
    """White's wins, draws and losses (first axis) of each tournament and encounter."""
    cube = joint.reshape(len(joint), 3, 3, -1)
    return np.concatenate([cube.sum(axis=2), cube.sum(axis=1)], axis=2).transpose(1, 0, 2)


def masked(matrix: Floats, free: Flags) -> Floats:
    """The matrices with ones in place of parameters that are not free."""
    result = matrix * (free[:, :, None] & free[:, None, :])
    np.einsum("bii->bi", result)[...] += ~free
    return np.asarray(result)


def compare(truth: Truth, joint: Floats, ours: Tournaments, known: bool) -> None:
    """Compare the errors of the first tournaments with those of the program. Where the likelihood
    has several maxima the fits may differ, so most of them must agree."""
    _, errors = ours.intervals(known)
    differences = []
    rated = 0
    for one in joint:
        cube, size = one.reshape(3, 3, -1), truth.ratings.size
        white = np.concatenate([truth.first, truth.second])
        black = np.concatenate([truth.second, truth.first])
        counts = np.concatenate([cube.sum(axis=1), cube.sum(axis=0)], axis=1)
        order = np.argsort(white * size + black)
        games = PoolGames(size, white[order], black[order], counts[:, order])
        members = np.array(plan_pools(games, {}, False)[0].members, dtype=np.intp)
        if members.size < 2 or rated == len(errors):
            continue
        games, pairs = restrict(games, PoolPairs(truth.first, truth.second, one), members)
        if not known:
            none = np.zeros(0, dtype=np.intp)
            pairs = PoolPairs(none, none, np.zeros((9, 0)))
        whole = covariance(games, pairs, fit_pool(games, FitRequest()), FitRequest())[:-2, :-2]
        means = whole.mean(axis=0)
        theirs = Z95 * np.sqrt(np.diag(whole) - 2.0 * means + means.mean())
        mine = errors[rated][ours.members[rated]]
        rated += 1
        if mine.size == theirs.size:
            differences.append(float(np.max(np.abs(mine / theirs - 1.0))))
    if differences and np.median(differences) > 1e-3:
        raise SystemExit(f"the errors are not those of the program: {differences}")


def lines_of(
    form: str, pairs: int, kind: str, draws: float, runs: int, seed: int
) -> Iterator[Line]:
    """Simulate one cell."""
    truth = truth_of(form, kind, draws)
    random = np.random.default_rng([seed, zlib.crc32(f"{form}{pairs}{kind}{draws}".encode())])
    joint = played(truth, pairs, runs, random)
    tournaments = Tournaments(truth, joint)
    players = np.arange(truth.ratings.size)
    groups = {"players": players >= 0}
    if truth.hero:
        groups = {"hero": players == 0, "opponents": players > 0}
    for known in (True, False):
        compare(truth, joint[:COMPARED], tournaments, known)
        off, error = tournaments.intervals(known)
        ratio = np.abs(off) / error
        for group, places in groups.items():
            here = tournaments.members & places
            each = ratio[here]
            if each.size < LEAST_INTERVALS:
                continue
            some = here.any(axis=1)
            shares = np.sum((ratio <= 1.0) & here, axis=1)[some] / here.sum(axis=1)[some]
            yield Line(
                form=form,
                pairs=pairs,
                kind=kind,
                draws=draws,
                known=known,
                group=group,
                coverage=float(np.mean(each <= 1.0)),
                error=max(float(shares.std()), 0.05) / math.sqrt(shares.size),
                width=1.0 / max(float(np.quantile(each, 0.95)), 0.01),
            )


def print_cells(cells: Sequence[Line]) -> None:
    """A row for each group, pairs known and unknown, with its three draw rates."""
    rows: dict[tuple[bool, str], dict[float, Line]] = {}
    for line in cells:
        rows.setdefault((line.known, line.group), {})[line.draws] = line
    for (known, group), by_draws in rows.items():
        first = next(iter(by_draws.values()))
        shown = (
            f"{100 * by_draws[q].coverage:5.1f} {by_draws[q].width:5.2f}{by_draws[q].fault}"
            if q in by_draws
            else f"{'-':>11} "
            for q in DRAWS
        )
        what = "known" if known else "unknown"
        start = f"{first.form:<17}{first.pairs:>5}  {first.kind:<6}{what:<8}{group:<10}"
        print(start, *shown, flush=True)


def print_summary(lines: Sequence[Line]) -> None:
    """By form and number of pairs: the middle and the ends of coverage and width."""
    print("\n| form | pairs | cells | coverage in % | width | narrow | wide |")
    print("|---|---|---|---|---|---|---|")
    for form, pairs in dict.fromkeys((line.form, line.pairs) for line in lines):
        here = [line for line in lines if (line.form, line.pairs) == (form, pairs)]
        cover = np.quantile([100.0 * line.coverage for line in here], (0.0, 0.5, 1.0))
        width = np.quantile([line.width for line in here], (0.0, 0.5, 1.0))
        faults = [line.fault for line in here]
        print(
            f"| {form} | {pairs} | {len(here)} "
            f"| {cover[1]:.1f} ({cover[0]:.1f} to {cover[2]:.1f}) "
            f"| {width[1]:.2f} ({width[0]:.2f} to {width[2]:.2f}) "
            f"| {faults.count('n')} | {faults.count('w')} |"
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=600, help="tournaments of each cell")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--form", action="append", choices=FORMS)
    parser.add_argument("--pairs", action="append", type=int)
    options = parser.parse_args(arguments)
    print(f"rating_errors.py --runs {options.runs} --seed {options.seed}, mtdf {program_version()}")
    print("coverage in % and width over that of 95 %, at draw rates of 10, 50 and 80 %\n")
    lines: list[Line] = []
    for form in options.form or FORMS:
        for pairs in options.pairs or PAIRS:
            for kind in KINDS:
                cells = [
                    line
                    for draws in DRAWS
                    for line in lines_of(form, pairs, kind, draws, options.runs, options.seed)
                ]
                print_cells(cells)
                lines += cells
    print_summary(lines)


if __name__ == "__main__":
    main()
