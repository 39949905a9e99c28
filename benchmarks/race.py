"""What a race of eight candidates costs and finds, beside sequential tests of each.

    python benchmarks/race.py
    python benchmarks/race.py --families 200 --json

A family is eight candidates. Its gains are normal with mean −1 and standard deviation 3.5
normalized Elo (``prior``), all 0 (``level``), or 0 but for one of +5 (``one``); the draw rate
between equals is given. Races look for a gain of 5 normalized Elo; sequential tests have the
hypotheses 0 and 5 and β = 0.05. ``pairs``: mean of a family. ``found``, ``wrong``: share of
families of which a candidate is accepted, or one that is no better. ``share``: of the accepted
candidates those that are no better, in the mean of families, which e-BH bounds. ``gain``:
normalized Elo of the best candidate that is accepted, 0 where none is; the best is known to the
simulation only. ``chosen``: of the accepted candidate with the best score, tests being simulated
result by result (``prior`` only).
Everything follows from ``--seed``. The first line names program and core.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from engines.backend import backend_name, signature
from toolkit.base.version import program_version
from toolkit.stats.elo import elo_of_score
from toolkit.stats.race import Floats
from toolkit.stats.race_plan import GainPrior, pair_chances, plan_tests, simulate_races
from toolkit.stats.race_rule import RaceRule
from toolkit.stats.sequential import independent_pairs
from toolkit.stats.simulate import simulate_tests
from toolkit.stats.sprt import SprtTest, mean_and_variance, support, t_of_nelo

CANDIDATES = 8
MEAN, SD, WORTH = -1.0, 3.5, 5.0
"""Normalized Elo."""
BLOCK = 50
MOST = {"one": 100_000 * CANDIDATES, "all": 20_000 * CANDIDATES}
"""Pairs of a family, at most: far away, or what the program takes by default."""
_STEP = 0.5
"""Normalized Elo to which the gains of simulated tests are rounded."""


@dataclass(frozen=True, slots=True)
class Row:
    """A way to test the families of a cell."""

    families: str
    draws: float
    way: str
    pairs: float
    found: float
    wrong: float
    gain: float
    chosen: float | None = None
    wrong_share: float | None = None
    seconds: float = 0.0


def elo_of_nelo(draws: float) -> float:
    """Elo of one normalized Elo between equals."""
    _, variance = mean_and_variance(independent_pairs(draws))
    return elo_of_score(0.5 + t_of_nelo(1.0, 5) * math.sqrt(variance))


def gains_of(kind: str, families: int, seed: int) -> Floats:
    """Gains of families in normalized Elo."""
    if kind == "prior":
        return GainPrior(MEAN, SD).draw(families, CANDIDATES, seed)
    gains = np.zeros((families, CANDIDATES))
    gains[:, 0] = WORTH if kind == "one" else 0.0
    return gains


def race_row(kind: str, draws: float, gains: Floats, seed: int, accept: str) -> Row:
    """Races of these families."""
    begin, unit = time.process_time(), elo_of_nelo(draws)
    rule = RaceRule(0.0, WORTH * unit, accept=accept)  # type: ignore[arg-type]
    chances = pair_chances(gains * unit, draws)
    races = simulate_races(rule, chances, block=BLOCK, most_pairs=MOST[accept], seed=seed)
    wrong = races.accepted & (gains <= 0.0)
    number = np.maximum(races.accepted.sum(axis=1), 1)
    return Row(
        kind, draws, f"race, {accept}", float(races.pairs.mean()),
        float(races.accepted.any(axis=1).mean()), float(wrong.any(axis=1).mean()),
        best_gain(gains, races.accepted), chosen_gain(gains, races.accepted, races.counts),
        float((wrong.sum(axis=1) / number).mean()), time.process_time() - begin,
    )  # fmt: skip


def best_gain(gains: Floats, accepted: np.ndarray) -> float:
    """Of the accepted candidate with the best true gain."""
    best = np.where(accepted, gains, -np.inf).max(axis=1)
    return float(np.where(np.isfinite(best), best, 0.0).mean())


def chosen_gain(gains: Floats, accepted: np.ndarray, counts: Floats) -> float:
    """Of the accepted candidate with the best score."""
    score = counts @ np.array(support(5)) / np.maximum(counts.sum(axis=-1), 1.0)
    at = np.where(accepted, score, -np.inf).argmax(axis=1)
    chosen = np.take_along_axis(gains, at[:, None], axis=1)[:, 0]
    return float(np.where(accepted.any(axis=1), chosen, 0.0).mean())


def test_row(kind: str, draws: float, gains: Floats, seed: int, shared: bool) -> Row:
    """Sequential tests of each candidate, planned; with ``prior`` also simulated."""
    begin, unit = time.process_time(), elo_of_nelo(draws)
    rule = RaceRule(0.0, WORTH * unit)
    prior = GainPrior(MEAN * unit, SD * unit, draws)
    way = plan_tests(rule, prior, gains * unit, most_pairs=MOST["one"], seed=seed, shared=shared)
    chosen = None
    if kind == "prior":
        alpha = rule.alpha / CANDIDATES if shared else rule.alpha
        test = SprtTest(0.0, WORTH * unit, alpha, rule.alpha, "logistic")
        chosen = chosen_gain(gains, *simulated(test, draws, gains, seed))
    return Row(
        kind, draws, f"SPRT each, α {test_alpha(rule, shared):.3g}", way.pairs, way.found,
        way.wrong, way.gain / unit, chosen, None, time.process_time() - begin,
    )  # fmt: skip


def test_alpha(rule: RaceRule, shared: bool) -> float:
    return rule.alpha / CANDIDATES if shared else rule.alpha


def simulated(test: SprtTest, draws: float, gains: Floats, seed: int) -> tuple[np.ndarray, Floats]:
    """Which candidates pass, and the counts at which their tests stop."""
    unit = elo_of_nelo(draws)
    rounded = np.round(gains / _STEP) * _STEP
    passed, counts = np.zeros(gains.shape, dtype=bool), np.zeros((*gains.shape, 5))
    for number, gain in enumerate(np.unique(rounded)):
        places = np.nonzero(rounded == gain)
        chances = pair_chances(np.array([gain * unit]), draws)[0]
        runs = simulate_tests(test, chances.tolist(), runs=len(places[0]), seed=seed + number)
        passed[places], counts[places] = runs.passed, runs.counts
    return passed, counts


def rows(families: int, seed: int) -> Iterator[Row]:
    """All cells."""
    for kind, draws in (("prior", 0.5), ("prior", 0.7), ("level", 0.5), ("one", 0.5)):
        gains = gains_of(kind, families, seed)
        for accept in MOST:
            yield race_row(kind, draws, gains, seed + 1, accept)
        for shared in (False, True):
            yield test_row(kind, draws, gains, seed + 1, shared)


def main() -> None:
    """Print the cells."""
    parser = argparse.ArgumentParser(description="Races beside sequential tests, simulated.")
    parser.add_argument("--families", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if not given.json:
        core = f"{backend_name()}:{signature()}"
        print(f"race.py --seed {given.seed}, mtdf {program_version()}, core {core}\n")
        print("families  draws  way                    pairs  found  wrong  share   gain  chosen")
    for row in rows(given.families, given.seed):
        if given.json:
            print(json.dumps(asdict(row)), flush=True)
            continue
        share = "" if row.wrong_share is None else f"{row.wrong_share:.4f}"
        chosen = "" if row.chosen is None else f"{row.chosen:.2f}"
        print(
            f"{row.families:8}  {row.draws:5.2f}  {row.way:19} {row.pairs:8.0f} {row.found:6.3f} "
            f"{row.wrong:6.4f} {share:>6} {row.gain:6.2f}  {chosen:>6}",
            flush=True,
        )


if __name__ == "__main__":
    main()
