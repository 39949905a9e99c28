"""Whether intervals cover the truth and tests err as often as they say.

    python benchmarks/stats_coverage.py
    python benchmarks/stats_coverage.py --quick --json

``cells``: the interval of a match (:mod:`toolkit.stats.profile`) in every feasible cell of 2 to 500
pairs, 0 to 400 Elo and 0 to 95 % draws, of independent games and of openings that favour one side;
also of single games (three counts). Coverage is the sum over all possible results where these are
at most 50,000, else a simulation of 20,000 matches. ``coverage``: share of simulated results whose
95 % interval contains the true value, for LOS, normalized Elo, ratings of few and of many games,
and the estimate after a sequential test. ``bias``: share of estimates above the truth, which should
be a half. ``sprt``: pass rate and mean length of simulated tests beside what ``plan`` expects.
Everything follows from ``--seed``. The first line names program and core.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.stats import multinomial

from engines.backend import backend_name, signature
from toolkit.base.version import program_version
from toolkit.stats.elo import ELO_PER_NAT, score_of_elo
from toolkit.stats.match import match_statistics
from toolkit.stats.outcome import outcomes
from toolkit.stats.profile import elo_intervals
from toolkit.stats.ratings import EncounterCounts, PairedCounts, RatingOptions, rate
from toolkit.stats.sequential import (
    at_strength,
    independent_pairs,
    nelo_of,
    plan,
    regularised,
    sequential_estimate,
)
from toolkit.stats.simulate import simulate_tests
from toolkit.stats.sprt import SprtTest

OPENING_SPREAD = 150.0
"""Elo: standard deviation of what an opening is worth to White in both games of its pair."""
DRAW_RATE = 0.4


@dataclass(frozen=True, slots=True)
class Coverage:
    """One kind of interval."""

    what: str
    intervals: int
    coverage: float
    error: float
    """Standard error of the coverage, the intervals of one simulation counted as one."""
    above: float
    """Share of estimates above the truth."""


@dataclass(frozen=True, slots=True)
class Test:
    """One simulated sequential test."""

    what: str
    true_elo: float
    runs: int
    pass_rate: float
    planned_rate: float
    mean_pairs: float
    mean_error: float
    planned_pairs: float


UNITS = (2, 3, 4, 6, 8, 10, 15, 20, 30, 50, 70, 100, 200, 500)
ELOS = (0.0, 10.0, 30.0, 60.0, 100.0, 150.0, 200.0, 250.0, 300.0, 350.0, 400.0)
DRAWS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95)
LEANS = (0.0, 0.15, 0.3)
"""Points that an opening is worth to White, in both games of its pair, beside strength."""
MOST_RESULTS = 50_000
SIMULATED = 20_000


@dataclass(frozen=True, slots=True)
class Cells:
    """The interval of a match of so many units over all feasible cells."""

    unit: str
    units: int
    cells: int
    infeasible: int
    """Cells left out: so many draws, or such openings, are impossible at that strength."""
    least: float
    least_cell: str
    median: float
    most: float
    most_cell: str
    below93: int
    above97: int
    above97_decisive: int
    """Of these, cells in which 20 or more games are decisive on average."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One true distribution."""

    elo: float
    draws: float
    lean: float
    chances: NDArray[np.float64]

    @property
    def name(self) -> str:
        """Its place in the table."""
        lean = f", openings ±{self.lean:g}" if self.lean else ""
        return f"{self.elo:.0f} Elo, {100 * self.draws:.0f} % draws{lean}"


def cells_of(unit: str) -> tuple[list[Cell], int]:
    """All feasible cells, and how many are not."""
    found, infeasible = [], 0
    for elo in ELOS:
        for draws in DRAWS:
            for lean in LEANS if unit == "pair" else (0.0,):
                games = [game_of(score_of_elo(elo) + side * lean, draws) for side in (1.0, -1.0)]
                if any(game.min() < -1e-12 for game in games):
                    infeasible += 1
                    continue
                one, other = (np.maximum(game, 0.0) for game in games)
                chances = np.convolve(one, other) if unit == "pair" else one
                found.append(Cell(elo, draws, lean, chances / chances.sum()))
    return found, infeasible


def game_of(score: float, draws: float) -> NDArray[np.float64]:
    """Loss, draw, win."""
    return np.array([1.0 - score - draws / 2.0, draws, score - draws / 2.0])


def results_of(
    random: np.random.Generator, cell: Cell, units: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Results of so many units and their chances: all of them where they are few."""
    possible = np.flatnonzero(cell.chances > 0.0)
    number = math.comb(units + possible.size - 1, possible.size - 1)
    if number <= MOST_RESULTS:
        counts = np.zeros((number, cell.chances.size), dtype=np.int64)
        counts[:, possible] = compositions(units, possible.size)
        return counts, np.asarray(multinomial.pmf(counts, units, cell.chances), dtype=np.float64)
    drawn = random.multinomial(units, cell.chances, size=SIMULATED)
    counts, times = np.unique(drawn, axis=0, return_counts=True)
    return counts, times / SIMULATED


@cache
def compositions(units: int, outcomes: int) -> NDArray[np.int64]:
    """All counts of so many units, a row each."""
    if outcomes == 1:
        return np.array([[units]])
    parts = []
    for first in range(units + 1):
        rest = compositions(units - first, outcomes - 1)
        parts.append(np.column_stack([np.full(len(rest), first), rest]))
    return np.concatenate(parts)


def coverage_of(random: np.random.Generator, cell: Cell, units: int) -> float:
    """Chance that the interval of a match contains the truth."""
    counts, chances = results_of(random, cell, units)
    low, high = elo_intervals(counts.astype(np.float64))
    low = np.where(counts[:, 0] == units, -np.inf, low)
    high = np.where(counts[:, -1] == units, np.inf, high)
    return float(chances[(low <= cell.elo) & (cell.elo <= high)].sum())


def match_cells(random: np.random.Generator, unit: str, units: int) -> Cells:
    """All cells of one number of units."""
    cells, infeasible = cells_of(unit)
    found = sorted((coverage_of(random, cell, units), at) for at, cell in enumerate(cells))
    shares = np.array([share for share, _ in found])
    games = units * (2 if unit == "pair" else 1)
    noise = 0.0 if units <= 20 else 0.004  # two standard errors of a simulated cell
    above = [cells[at] for share, at in found if share > 0.97 + noise]
    return Cells(
        unit=unit,
        units=units,
        cells=len(cells),
        infeasible=infeasible,
        least=float(shares[0]),
        least_cell=cells[found[0][1]].name,
        median=float(np.median(shares)),
        most=float(shares[-1]),
        most_cell=cells[found[-1][1]].name,
        below93=int((shares < 0.93 - noise).sum()),
        above97=len(above),
        above97_decisive=sum(games * (1.0 - cell.draws) >= 20.0 for cell in above),
    )


def small_sample(random: np.random.Generator, units: int, runs: int) -> list[Coverage]:
    """Estimate ± error of Elo and of normalized Elo, and LOS, over some cells."""
    cells = [
        cell
        for cell in cells_of("pair")[0]
        if cell.elo in (0.0, 30.0, 100.0, 200.0, 400.0) and not cell.lean
    ]
    rows: dict[str, list[tuple[float, float, float]]] = {"Elo ±": [], "nElo ±": [], "LOS": []}
    for cell in cells:
        counts, times = np.unique(
            random.multinomial(units, cell.chances, size=runs), axis=0, return_counts=True
        )
        share = times / runs
        matches = [match_statistics(row) for row in counts.tolist()]
        nelo = nelo_of(np.maximum(cell.chances, 1e-12).tolist())
        for what, good, above in (
            (
                "Elo ±",
                [abs(m.elo - cell.elo) <= m.elo_error95 for m in matches],
                [m.elo > cell.elo for m in matches],
            ),
            (
                "nElo ±",
                [abs(m.nelo - nelo) <= m.nelo_error95 for m in matches],
                [m.nelo > nelo for m in matches],
            ),
            (
                "LOS",
                [0.025 <= m.los <= 0.975 if cell.elo == 0.0 else m.los >= 0.025 for m in matches],
                [m.los > 0.5 for m in matches],
            ),
        ):
            rows[what].append((float(share @ np.array(good)), float(share @ np.array(above)), runs))
    return [
        Coverage(
            f"{what}, {units} pairs, least of {len(found)} cells",
            len(found) * runs,
            min(share for share, _, _ in found),
            0.5 / math.sqrt(runs),
            float(np.mean([above for _, above, _ in found])),
        )
        for what, found in rows.items()
    ]


def joint_results(
    random: np.random.Generator, difference: float, pairs: int, advantage: float
) -> list[int]:
    """Nine counts of pairs by both results; each pair's opening favours White by its own amount."""
    opening = (advantage + random.normal(0.0, OPENING_SPREAD, pairs)) / ELO_PER_NAT
    theta = math.log(DRAW_RATE / (1.0 - DRAW_RATE))
    results = []
    for sign in (1.0, -1.0):
        chances = outcomes(sign * difference / ELO_PER_NAT + opening, theta).probability
        draw = random.random(pairs)
        results.append(
            (draw >= chances[0]).astype(int) + (draw >= chances[0] + chances[1]).astype(int)
        )
    return [int(n) for n in np.bincount(3 * results[0] + results[1], minlength=9)]


def expected_elo(difference: float, advantage: float) -> float:
    """Elo of the expected score over all openings, which is what a match measures."""
    x, weights = np.polynomial.hermite_e.hermegauss(80)
    opening = advantage + OPENING_SPREAD * x
    theta = math.log(DRAW_RATE / (1.0 - DRAW_RATE))
    score = 0.0
    for sign in (1.0, -1.0):
        win, draw, loss = outcomes((sign * difference + opening) / ELO_PER_NAT, theta).probability
        own = win + draw / 2.0 if sign > 0 else loss + draw / 2.0
        score += float(weights @ own) / (2.0 * math.sqrt(2.0 * math.pi))
    return 400.0 * math.log10(score / (1.0 - score))


def covered(what: str, inside: NDArray[np.bool_], above: NDArray[np.bool_]) -> Coverage:
    """Summary of intervals, one simulation a row."""
    inside, above = np.atleast_2d(inside.T).T, np.atleast_2d(above.T).T
    by_run = inside.mean(axis=1)
    error = max(float(by_run.std()), 0.02) / math.sqrt(by_run.size)
    return Coverage(what, inside.size, float(inside.mean()), error, float(above.mean()))


def rating_coverage(
    random: np.random.Generator,
    runs: int,
    players: int,
    pairs: int,
    draws: float,
    sd: float,
    advantage: float = 30.0,
) -> list[Coverage]:
    """Ratings, bounds and differences of a round robin whose games follow the model exactly but
    come in pairs."""
    theta = math.log(draws / (1.0 - draws))
    found: dict[str, list[tuple[bool, bool]]] = {"ratings": [], "differences": []}
    for _ in range(runs):
        truth = random.normal(0.0, sd, players)
        encounters, paired = [], []
        for i in range(players):
            for j in range(i):
                joint = model_results(random, float(truth[i] - truth[j]), pairs, theta, advantage)
                table = np.array(joint).reshape(3, 3)
                one, two = f"p{i:02d}", f"p{j:02d}"
                encounters.append(EncounterCounts(one, two, *map(int, table.sum(axis=1))))
                encounters.append(EncounterCounts(two, one, *map(int, table.sum(axis=0))))
                paired.append(PairedCounts(one, two, joint))
        for pool in rate(encounters, paired).pools:
            own = np.array([truth[int(name[1:])] for name in pool.rated])
            for line in pool.players:
                off = line.elo - (truth[int(line.player[1:])] - own.mean())
                if line.bound:
                    held = off <= 0.0 if line.bound == "at least" else off >= 0.0
                    found["ratings"].append((held, off > 0.0))
                elif line.error95 is not None and len(own) > 1:
                    found["ratings"].append((abs(off) <= line.error95, off > 0.0))
            for x in range(len(own)):
                for y in range(x):
                    difference, error = pool.difference(pool.rated[x], pool.rated[y])
                    off = difference - (own[x] - own[y])
                    found["differences"].append((abs(off) <= error, off > 0.0))
    what = f"{players} players, {pairs} pairs each, {100 * draws:.0f} % draws, ±{sd:.0f} Elo"
    what += f", White {advantage:.0f} ahead" if advantage != 30.0 else ""
    return [
        Coverage(
            f"{name}, {what}",
            len(results),
            float(np.mean([inside for inside, _ in results])),
            0.22 / math.sqrt(runs),
            float(np.mean([above for _, above in results])),
        )
        for name, results in found.items()
    ]


def model_results(
    random: np.random.Generator, difference: float, pairs: int, theta: float, advantage: float
) -> list[int]:
    """Nine counts of pairs of independent games."""
    white = outcomes(np.array([difference + advantage]) / ELO_PER_NAT, theta).probability[:, 0]
    black = outcomes(np.array([advantage - difference]) / ELO_PER_NAT, theta).probability[:, 0]
    chances = np.outer(white, black).ravel()
    return [int(n) for n in random.multinomial(pairs, chances / chances.sum())]


def clustering(random: np.random.Generator, runs: int, pairs: int) -> list[Coverage]:
    """The difference of two players where openings favour White: pairs told, and pairs hidden."""
    truth = expected_elo(20.0, 30.0)
    found: dict[str, list[tuple[bool, bool]]] = {"pairs told": [], "pairs hidden": []}
    for _ in range(runs):
        joint = joint_results(random, 20.0, pairs, 30.0)
        table = np.array(joint).reshape(3, 3)
        encounters = [
            EncounterCounts("x", "y", *map(int, table.sum(axis=1))),
            EncounterCounts("y", "x", *map(int, table.sum(axis=0))),
        ]
        for what, told in (("pairs told", [PairedCounts("x", "y", joint)]), ("pairs hidden", [])):
            pool = rate(encounters, told, RatingOptions()).pools[0]
            difference, error = pool.difference("x", "y")
            found[what].append((abs(difference - truth) < error, difference > truth))
    return [
        covered(
            f"ratings, 2 players, {pairs} pairs of one opening each, {what}",
            np.array([inside for inside, _ in results]),
            np.array([above for _, above in results]),
        )
        for what, results in found.items()
    ]


def sequential_coverage(
    runs: int, seed: int, base: Sequence[float], what: str, true_elo: float
) -> list[Coverage]:
    """The estimates after a stop: the corrected and the plain one."""
    test = SprtTest(0.0, 20.0, model="logistic")
    chances = at_strength(base, true_elo, test)
    rows = simulate_tests(test, chances, runs=runs, seed=seed).counts
    counts = [[int(n) for n in row] for row in rows]
    corrected = [sequential_estimate(row, test) for row in counts]
    plain = [match_statistics(row) for row in counts]
    return [
        covered(
            f"after SPRT [0, 20], {what}, true {true_elo:+.0f}, corrected",
            np.array(
                [
                    (e.elo_low95 is None or e.elo_low95 < true_elo)
                    and (e.elo_high95 is None or true_elo < e.elo_high95)
                    for e in corrected
                ]
            ),
            np.array([e.elo > true_elo for e in corrected]),
        ),
        covered(
            f"after SPRT [0, 20], {what}, true {true_elo:+.0f}, plain",
            np.array([abs(m.elo - true_elo) < m.elo_error95 for m in plain]),
            np.array([m.elo > true_elo for m in plain]),
        ),
    ]


def sprt_errors(
    runs: int, seed: int, test: SprtTest, base: Sequence[float], what: str, true_elo: float
) -> Test:
    """Error rates and length of a test."""
    simulated = simulate_tests(test, at_strength(base, true_elo, test), runs=runs, seed=seed)
    (expected,) = plan(test, base, [true_elo])
    return Test(
        what=f"{test.model} [{test.elo0:g}, {test.elo1:g}], {what}",
        true_elo=true_elo,
        runs=runs,
        pass_rate=simulated.pass_rate,
        planned_rate=expected.pass_rate,
        mean_pairs=simulated.mean_units,
        mean_error=float(simulated.units.std()) / math.sqrt(runs),
        planned_pairs=expected.mean_units,
    )


def sequential_tests(part: float, seed: int) -> list[Test]:
    """Tests of independent games, and of pairs as measured."""
    games, level = independent_pairs(0.6), regularised([0, 10, 80, 10, 0])
    measured = regularised([10, 120, 300, 150, 20])
    plans: list[tuple[int, SprtTest, list[float], str]] = [
        (10_000, SprtTest(0.0, 10.0, model="logistic"), games, "60 % draws"),
        (2000, SprtTest(0.0, 10.0), games, "60 % draws"),
        (4000, SprtTest(0.0, 20.0, model="logistic"), level, "0,10,80,10,0"),
        (2000, SprtTest(0.0, 50.0), level, "0,10,80,10,0"),
        (4000, SprtTest(0.0, 50.0, model="logistic"), measured, "10,120,300,150,20"),
        (2000, SprtTest(0.0, 50.0), measured, "10,120,300,150,20"),
    ]
    return [
        sprt_errors(int(runs * part), seed, test, base, what, true_elo)
        for runs, test, base, what in plans
        for true_elo in (test.elo0, test.elo1)
    ]


def simulate(part: float, seed: int) -> tuple[list[Cells], list[Coverage], list[Test]]:
    """All tables; ``part`` of the simulations."""
    random = np.random.default_rng(seed)
    runs = int(4000 * part)
    quick = part < 1.0
    sizes = [n for n in UNITS if not quick or n in (2, 4, 8, 30, 100)]
    cells = [match_cells(random, unit, units) for unit in ("pair", "game") for units in sizes]
    coverage = [row for units in (2, 6, 20, 100) for row in small_sample(random, units, runs // 4)]
    for players, pairs in ((2, (2, 8, 30)), (4, (1, 2, 8)), (8, (1, 4, 30))):
        for number in pairs:
            for draws, sd in ((0.05, 200.0), (0.4, 100.0), (0.8, 50.0)):
                number_of_runs = runs // (4 if players == 2 else 16)
                coverage += rating_coverage(random, number_of_runs, players, number, draws, sd)
    for ahead in (150.0, 250.0, 350.0):
        coverage += rating_coverage(random, runs // 4, 2, 100, 0.1, 50.0, ahead)
    coverage += [row for pairs in (4, 30, 200) for row in clustering(random, runs // 4, pairs)]
    for base, what in (
        (independent_pairs(0.6), "60 % draws"),
        (regularised([0, 10, 80, 10, 0]), "0,10,80,10,0"),
    ):
        for true_elo in (0.0, 12.0):
            coverage += sequential_coverage(runs // 2, seed, base, what, true_elo)
    return cells, coverage, sequential_tests(part, seed)


def print_tables(cells: list[Cells], coverage: list[Coverage], tests: list[Test]) -> None:
    """For a reader."""
    print("unit  units  cells    least  median    most  <93 %  >97 %  least in; most in")
    for row in cells:
        shares = "".join(f"{100 * x:>6.1f} %" for x in (row.least, row.median, row.most))
        print(
            f"{row.unit}  {row.units:>5}  {row.cells:>5} {shares}  {row.below93:>5}  "
            f"{row.above97:>2} ({row.above97_decisive})  {row.least_cell}; {row.most_cell}"
        )
    print(
        f"cells that are impossible and left out: {cells[0].infeasible} of pairs, "
        f"{cells[-1].infeasible} of games; in brackets those with 20 decisive games or more"
    )
    print(f"\n{'intervals of 95 %':<66} {'cover':>16} {'above':>7}")
    for line in coverage:
        share = f"{100 * line.coverage:.1f} ± {100 * line.error:.1f} %"
        print(f"{line.what:<66} {share:>16} {100 * line.above:>5.1f} %")
    print(f"\n{'sequential tests':<42} true    pass    plan           pairs    plan")
    for test in tests:
        pairs = f"{test.mean_pairs:.1f} ± {test.mean_error:.1f}"
        print(
            f"{test.what:<42} {test.true_elo:>4.0f} {100 * test.pass_rate:>5.2f} % "
            f"{100 * test.planned_rate:>5.2f} % {pairs:>15} {test.planned_pairs:>7.1f}"
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the simulations")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    started = time.process_time()
    cells, coverage, tests = simulate(0.1 if options.quick else 1.0, options.seed)
    cpu = time.process_time() - started
    command = f"stats_coverage.py{' --quick' if options.quick else ''} --seed {options.seed}"
    made_by = {
        "command": command,
        "version": program_version(),
        "core": f"{backend_name()}:{signature()}",
    }
    if options.json:
        rows = {
            "cells": [asdict(row) for row in cells],
            "coverage": [asdict(row) for row in coverage],
            "sprt": [asdict(test) for test in tests],
        }
        print(json.dumps(made_by | rows | {"seed": options.seed, "cpu_s": cpu}))
        return
    print(f"{command}, mtdf {made_by['version']}, core {made_by['core']}\n")
    print_tables(cells, coverage, tests)
    print(f"\n{cpu:.0f} s of CPU")


if __name__ == "__main__":
    main()
