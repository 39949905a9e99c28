"""Whether intervals that are valid at any look are, how wide they are, and what they cost.

    python benchmarks/anytime.py
    python benchmarks/anytime.py --quick --json

``misses``: the share of simulated matches whose interval excludes the truth after *some* pair from
the second to the last, for each draw rate and strength. At 0 Elo that is also the worst rule of
stopping: stop as soon as 0 is excluded. ``widths``: the width in Elo over that of the interval of a
fixed number of pairs (:mod:`toolkit.stats.match`), means over simulated matches, with the same of
two alternatives; also the share of matches whose *fixed* interval excludes the truth at some look,
up to that many pairs. ``refresh``: a new interval of 100,000 pairs. Games of a pair are independent
here. Everything but the time follows from ``--seed``. The first line names program and core.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from engines.backend import backend_name, signature
from toolkit.base.version import program_version
from toolkit.stats.anytime import ALPHA, anytime_interval, bets
from toolkit.stats.elo import elo_of_score, score_of_elo
from toolkit.stats.match import match_statistics
from toolkit.stats.profile import elo_intervals

Floats = NDArray[np.float64]

VALUES = np.linspace(0.0, 1.0, 5)
DRAWS = (0.1, 0.3, 0.5, 0.7, 0.95)
STRENGTHS = (0.0, 20.0, 50.0, 100.0, 200.0, 400.0)
LOOKS = (50, 200, 1000, 5000)


@dataclass(frozen=True, slots=True)
class Miss:
    """One cell."""

    draw_rate: float
    elo: float
    runs: int
    pairs: int
    missed: float
    """Share of runs whose interval excluded the truth at some look."""


@dataclass(frozen=True, slots=True)
class Width:
    """Widths after so many pairs."""

    pairs: int
    ratio: float
    plug_in: float
    """Of bets that follow the estimated variance (Waudby-Smith and Ramdas 2024, section 4.4:
    hedged, predictable plug-in, grid of means, running intersection)."""
    mixture: float
    """Of Robbins' normal mixture with the estimated variance, tuned to 1,000 pairs."""
    fixed_missed: float
    """Share of runs whose fixed interval excluded the truth at some look so far."""


def pair_chances(elo: float, draw_rate: float) -> Floats | None:
    """The chances of 0, ½, 1, 1½ and 2 points in a pair; None where so many draws do not fit."""
    score = score_of_elo(elo)
    game = np.array([1.0 - score - draw_rate / 2, draw_rate, score - draw_rate / 2])
    return None if game.min() < 0.0 else np.convolve(game, game)


def missed(chances: Floats, runs: int, pairs: int, rng: np.random.Generator) -> float:
    """The share of runs whose interval excludes the truth after some pair from the second on."""
    mean, goal = float(chances @ VALUES), math.log(2.0 / ALPHA)
    shares, log_weights = bets()
    above = np.log1p(shares * (VALUES[:, None] / mean - 1.0))
    below = np.log1p(shares * ((1.0 - VALUES[:, None]) / (1.0 - mean) - 1.0))
    out = np.zeros(runs, dtype=bool)
    capital = np.zeros((2, runs, len(shares)))
    for pair in range(1, pairs + 1):
        drawn = rng.choice(5, size=runs, p=chances)
        capital[0] += above[drawn]
        capital[1] += below[drawn]
        # The mean over the bets is not greater than the best of them.
        near = capital.max(axis=2) >= goal
        if pair >= 2 and near.any():
            grown = np.log(np.exp(capital[near] + log_weights).sum(axis=1)) >= goal
            out[np.nonzero(near)[1][grown]] = True
    return float(out.mean())


class PlugIn:
    """The means that bets with predictable shares leave, on a grid, for several runs."""

    def __init__(self, runs: int) -> None:
        self.grid = np.linspace(0.0025, 0.9975, 399)
        self.capital = np.zeros((2, runs, len(self.grid)))
        self.left = np.ones((runs, len(self.grid)), dtype=bool)
        self.sums, self.squares, self.pairs = np.full(runs, 0.5), np.full(runs, 0.25), 0

    def add(self, scores: Floats) -> None:
        """One pair of each run."""
        self.pairs += 1
        t = self.pairs
        size = np.sqrt(2 * math.log(2 / ALPHA) / (self.squares / t * t * math.log(1 + t)))
        gain = scores[:, None] - self.grid
        self.capital[0] += np.log1p(np.minimum(size[:, None], 0.75 / self.grid) * gain)
        self.capital[1] += np.log1p(-np.minimum(size[:, None], 0.75 / (1 - self.grid)) * gain)
        self.left &= self.capital.max(axis=0) < math.log(2 / ALPHA)
        self.sums += scores
        self.squares += (scores - self.sums / (t + 1)) ** 2

    def width(self) -> float:
        """The mean width in Elo."""
        ends = [self.grid[row][[0, -1]] for row in self.left]
        return float(np.mean([elo_of_score(high) - elo_of_score(low) for low, high in ends]))


def mixture_width(counts: Floats) -> float:
    """The mean width in Elo of Robbins' mixture."""
    n = counts.sum(axis=1)
    mean = counts @ VALUES / n
    sigma = np.sqrt(counts @ VALUES**2 / n - mean**2)
    tuned = (-2 * math.log(ALPHA) + math.log(1 - 2 * math.log(ALPHA))) / 1000
    grown = n * tuned + 1
    reach = sigma * np.sqrt(2 * grown / (n**2 * tuned) * np.log(np.sqrt(grown) / ALPHA))
    low, high = np.maximum(mean - reach, 1e-3), np.minimum(mean + reach, 1 - 1e-3)
    return float(
        np.mean([elo_of_score(b) - elo_of_score(a) for a, b in zip(low, high, strict=True)])
    )


def widths(runs: int, pairs: int, rng: np.random.Generator) -> list[Width]:
    """At equal strength and half of the games drawn."""
    chances = pair_chances(0.0, 0.5)
    assert chances is not None
    counts, out = np.zeros((runs, 5)), np.zeros(runs, dtype=bool)
    some = min(runs, 200)
    plug_in, found = PlugIn(some), []
    for pair in range(1, pairs + 1):
        drawn = rng.choice(5, size=runs, p=chances)
        counts[np.arange(runs), drawn] += 1
        plug_in.add(VALUES[drawn[:some]])
        # Looks of the fixed interval: all at first, later every hundredth of the pairs so far.
        if pair >= 2 and (pair <= 100 or pair % (pair // 100) == 0):
            low, high = elo_intervals(counts)
            out |= (low > 0.0) | (high < 0.0)
        if pair in LOOKS:
            rows = [[int(one) for one in row] for row in counts[:some]]
            anytime = [anytime_interval(row) for row in rows]
            fixed = [match_statistics(row) for row in rows]
            mine = sum(2.0 * one.elo_error(0.0) for one in anytime)
            whole = sum(2.0 * one.elo_error95 for one in fixed)
            other = some * plug_in.width() / whole, some * mixture_width(counts[:some]) / whole
            found.append(Width(pair, mine / whole, *other, float(out.mean())))
    return found


def refresh_ms() -> float:
    """CPU milliseconds of a new interval of 100,000 pairs; the least of several."""
    spent = []
    for more in range(20):
        begin = time.process_time()
        anytime_interval([5_000 + more, 20_000, 50_000, 20_000, 5_000])
        spent.append(1e3 * (time.process_time() - begin))
    return min(spent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="few and short runs")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    runs, pairs = (200, 200) if options.quick else (4000, 10_000)
    cells = [
        Miss(draw_rate, elo, runs, pairs, missed(chances, runs, pairs, rng))
        for draw_rate in DRAWS
        for elo in STRENGTHS
        if (chances := pair_chances(elo, draw_rate)) is not None
    ]
    wide = widths(min(runs, 2000), min(pairs, max(LOOKS)), rng)
    report = {
        "program": f"anytime.py --seed {options.seed}, mtdf {program_version()}, core "
        f"{backend_name()}:{signature()}",
        "misses": [asdict(one) for one in cells],
        "widths": [asdict(one) for one in wide],
        "refresh_ms": refresh_ms(),
    }
    print(json.dumps(report, indent=1) if options.json else told(report))


def told(report: dict[str, object]) -> str:
    """The report as text."""
    misses, wide = report["misses"], report["widths"]
    assert isinstance(misses, list) and isinstance(wide, list)
    worst = max(misses, key=lambda one: one["missed"])
    lines = [str(report["program"]), "", f"{'draws':>6} {'Elo':>5}  missed at some look"]
    lines += [
        f"{one['draw_rate']:6.0%} {one['elo']:5.0f}  {one['missed']:.2%}".replace("%", " %")
        for one in misses
    ]
    runs = f"{worst['runs']} runs of {worst['pairs']} pairs a cell"
    lines += [f"{runs}, most {worst['missed']:.2%}".replace("%", " %"), ""]
    lines += ["width over that of the fixed interval, and how often that missed at some look"]
    lines += ["pairs  constant bets  plug-in  mixture  the fixed one missed"]
    lines += [
        f"{one['pairs']:5}  {one['ratio']:13.2f}  {one['plug_in']:7.2f}  {one['mixture']:7.2f}  "
        f"{one['fixed_missed']:.1%}".replace("%", " %")
        for one in wide
    ]
    return "\n".join(
        [*lines, "", f"refresh of 100 000 pairs: {report['refresh_ms']:.1f} ms of CPU"]
    )


if __name__ == "__main__":
    main()
