"""Whether intervals cover the truth and tests err as often as they say, by simulation.

    python benchmarks/stats_coverage.py
    python benchmarks/stats_coverage.py --quick --json

``coverage``: share of simulated results whose 95 % interval contains the true value, for the Elo of
a match (pentanomial, with openings that favour one side), for ratings from few games (Fisher
information) and from many pairs (clustered by pair), and for the estimate after a sequential test.
``bias``: share of estimates above the truth, which should be a half. ``sprt``: pass rate and mean
length of simulated tests beside what ``plan`` expects. Everything follows from ``--seed``.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from toolkit.stats.elo import ELO_PER_NAT
from toolkit.stats.match import match_statistics
from toolkit.stats.outcome import outcomes
from toolkit.stats.ratings import EncounterCounts, PairedCounts, RatingOptions, rate
from toolkit.stats.sequential import (
    at_strength,
    independent_pairs,
    plan,
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


def pentanomial(joint: Sequence[int]) -> list[int]:
    """Pairs by points of the first player."""
    counts = [0] * 5
    for place, number in enumerate(joint):
        counts[2 - place // 3 + place % 3] += number
    return counts


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


def match_coverage(random: np.random.Generator, runs: int, pairs: int, elo: float) -> Coverage:
    """Elo of single matches."""
    truth = expected_elo(elo, 30.0)
    matches = [
        match_statistics(pentanomial(joint_results(random, elo, pairs, 30.0))) for _ in range(runs)
    ]
    inside = np.array([abs(match.elo - truth) < match.elo_error95 for match in matches])
    above = np.array([match.elo > truth for match in matches])
    return covered(f"match, {pairs} pairs, {elo:+.0f} Elo", inside, above)


def rating_coverage(random: np.random.Generator, runs: int, players: int, pairs: int) -> Coverage:
    """Ratings of a round robin whose games follow the model exactly but come in pairs."""
    theta = math.log(DRAW_RATE / (1.0 - DRAW_RATE))
    inside, above, model = [], [], ""
    for _ in range(runs):
        truth = random.normal(0.0, 100.0, players)
        encounters, paired = [], []
        for i in range(players):
            for j in range(i):
                joint = model_results(random, float(truth[i] - truth[j]), pairs, theta)
                table = np.array(joint).reshape(3, 3)
                one, two = f"p{i:02d}", f"p{j:02d}"
                encounters.append(EncounterCounts(one, two, *map(int, table.sum(axis=1))))
                encounters.append(EncounterCounts(two, one, *map(int, table.sum(axis=0))))
                paired.append(PairedCounts(one, two, joint))
        (pool, *_) = rate(encounters, paired).pools
        model = pool.error_model
        errors = {line.player: line.error95 or math.inf for line in pool.players}
        off = pool.estimates - (truth - truth.mean())[: len(pool.rated)]
        inside.append(np.abs(off) < [errors[name] for name in pool.rated])
        above.append(off > 0.0)
    what = f"ratings, {players} players, {pairs} pairs each ({model})"
    return covered(what, np.array(inside), np.array(above))


def model_results(
    random: np.random.Generator, difference: float, pairs: int, theta: float
) -> list[int]:
    """Nine counts of pairs of independent games, White 30 Elo ahead."""
    white = outcomes(np.array([difference + 30.0]) / ELO_PER_NAT, theta).probability[:, 0]
    black = outcomes(np.array([30.0 - difference]) / ELO_PER_NAT, theta).probability[:, 0]
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


def sequential_coverage(runs: int, seed: int, true_elo: float) -> list[Coverage]:
    """The estimates after a stop: the corrected and the plain one."""
    test = SprtTest(0.0, 20.0, model="logistic")
    base = at_strength(independent_pairs(0.6), true_elo, test)
    rows = simulate_tests(test, base, runs=runs, seed=seed).counts
    counts = [[int(n) for n in row] for row in rows]
    corrected = [sequential_estimate(row, test) for row in counts]
    plain = [match_statistics(row) for row in counts]
    return [
        covered(
            f"after SPRT [0, 20], true {true_elo:+.0f}, corrected",
            np.array([e.elo_low95 < true_elo < e.elo_high95 for e in corrected]),
            np.array([e.elo > true_elo for e in corrected]),
        ),
        covered(
            f"after SPRT [0, 20], true {true_elo:+.0f}, plain",
            np.array([abs(m.elo - true_elo) < m.elo_error95 for m in plain]),
            np.array([m.elo > true_elo for m in plain]),
        ),
    ]


def sprt_errors(runs: int, seed: int, model: str, true_elo: float) -> Test:
    """Error rates and length of a test of [0, 10], independent games with 60 % draws."""
    test = SprtTest(0.0, 10.0, model="logistic" if model == "logistic" else "normalized")
    base = independent_pairs(0.6)
    simulated = simulate_tests(test, at_strength(base, true_elo, test), runs=runs, seed=seed)
    (expected,) = plan(test, base, [true_elo])
    return Test(
        what=f"{model} [0, 10], 60 % draws",
        true_elo=true_elo,
        runs=runs,
        pass_rate=simulated.pass_rate,
        planned_rate=expected.pass_rate,
        mean_pairs=simulated.mean_units,
        mean_error=float(simulated.units.std()) / math.sqrt(runs),
        planned_pairs=expected.mean_units,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the simulations")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    part = 0.1 if options.quick else 1.0
    started = time.process_time()
    random = np.random.default_rng(options.seed)
    runs = int(4000 * part)
    coverage = [
        match_coverage(random, 2 * runs, 20, 0.0),
        match_coverage(random, 2 * runs, 100, 30.0),
        match_coverage(random, 2 * runs, 500, 150.0),
        rating_coverage(random, runs // 4, 8, 8),
        rating_coverage(random, runs // 4, 8, 30),
        rating_coverage(random, runs // 4, 8, 100),
        *clustering(random, runs // 2, 30),
        *clustering(random, runs // 2, 200),
    ]
    for true_elo in (0.0, 12.0):
        coverage += sequential_coverage(runs // 2, options.seed, true_elo)
    tests = [
        sprt_errors(int(10_000 * part), options.seed, "logistic", true_elo)
        for true_elo in (0.0, 10.0)
    ]
    tests += [
        sprt_errors(int(2000 * part), options.seed, "normalized", true_elo)
        for true_elo in (0.0, 10.0)
    ]
    cpu = time.process_time() - started
    if options.json:
        rows = {"coverage": [asdict(c) for c in coverage], "sprt": [asdict(t) for t in tests]}
        print(json.dumps(rows | {"seed": options.seed, "cpu_s": cpu}))
        return
    print(f"{'intervals of 95 %':<62} {'cover':>16} {'above':>7}")
    for row in coverage:
        share = f"{100 * row.coverage:.1f} ± {100 * row.error:.1f} %"
        print(f"{row.what:<62} {share:>16} {100 * row.above:>5.1f} %")
    print(
        f"\n{'sequential tests':<26} {'true':>5} {'pass':>8} {'plan':>8} {'pairs':>14} {'plan':>6}"
    )
    for test in tests:
        pairs = f"{test.mean_pairs:.0f} ± {test.mean_error:.0f}"
        print(
            f"{test.what:<26} {test.true_elo:>5.0f} {100 * test.pass_rate:>6.2f} % "
            f"{100 * test.planned_rate:>6.2f} % {pairs:>14} {test.planned_pairs:>6.0f}"
        )
    print(f"\n{cpu:.0f} s of CPU, seed {options.seed}")


if __name__ == "__main__":
    main()
