"""Adaptive round robins with known ratings: do their intervals hold, and what do they cost?

Many events of five engines are simulated with the pairer of ``mtdf round-robin --stop-when``.
Results are drawn from the model of the fit, so that only repeated looks can spoil an interval. Each
goal is played in up to three ways:

* ``adaptive``: as the program does;
* ``uniform``: the same rounds and the same rule to stop, with the pairs of every round spread over
  all pairings, which is a full round robin;
* ``naive`` (only for the order): adaptive, but a difference is significant at 1.96 standard
  deviations at each look, as if there were only one.

The table shows the mean number of pairs, the share of events that reached the goal, the coverage of
the 95 % intervals of the final ratings, and the share of events with a wrong claim: two engines in
the wrong order although their difference counts as significant. Usage:

    python benchmarks/adaptive.py [--events N] [--seed S] [--jobs J] [--json]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from engines.backend import backend_name, signature
from toolkit.base.version import program_version
from toolkit.pairing.adaptive import AdaptiveGoal, AdaptivePairer
from toolkit.pairing.rounds import PairPlace, PairPoints, PlayedRound
from toolkit.stats.elo import ELO_PER_NAT, Z95
from toolkit.stats.outcome import outcomes

DRAW_RATE = 0.5
WHITE_ADVANTAGE = 25.0
ROUND_PAIRS, MOST_PAIRS = 150, 6000

FIELDS = {
    "steps of 30": [0.0, 30.0, 60.0, 90.0, 120.0],
    "two and three": [0.0, 10.0, 150.0, 160.0, 170.0],
    "one far ahead": [0.0, 20.0, 40.0, 60.0, 400.0],
}
GOALS = {"20elo": AdaptiveGoal(20.0, 5.0), "order": AdaptiveGoal(None, 30.0)}
WAYS = {"20elo": ("adaptive", "uniform"), "order": ("adaptive", "uniform", "naive")}


class _Uniform(AdaptivePairer):
    """Spreads every round over all pairings."""

    def allocation(self, pool: Any, used: Sequence[int], pairs: int) -> list[int]:  # type: ignore[override]
        return self._spread(pairs)


@dataclass(frozen=True)
class Ended:
    """One simulated event."""

    pairs: int
    rounds: int
    reached: bool
    covered: int
    """Ratings inside their interval."""
    wrong: bool
    """Whether a difference was called significant with the wrong sign."""


@dataclass(frozen=True)
class Row:
    """All events of one kind."""

    goal: str
    field: str
    way: str
    events: int
    pairs: float
    pairs_error95: float
    rounds: float
    reached: float
    coverage: float
    wrong: float


def simulated(ratings: Sequence[float], goal: AdaptiveGoal, way: str, seed: int) -> Ended:
    """One event from its first round to its end."""
    rng = np.random.default_rng(seed)
    kind = _Uniform if way == "uniform" else AdaptivePairer
    players = len(ratings)
    pairer = kind(
        players, goal, round_pairs=ROUND_PAIRS, most_pairs=MOST_PAIRS, most_per_pairing=MOST_PAIRS
    )
    if way == "naive":
        pairer.critical = Z95
    rounds: list[PlayedRound] = []
    while (following := pairer.next_round(rounds)) is not None:
        results: dict[PairPlace, PairPoints] = {}
        for meeting in following.meetings:
            difference = ratings[meeting.first] - ratings[meeting.second]
            points = _points(difference, meeting.pairs, rng)
            results.update(zip(meeting.places, points, strict=True))
        rounds.append(PlayedRound(following, results))
    pool, known = pairer._look(rounds)
    assert pool is not None
    truth = np.array(ratings) - np.mean(ratings)
    errors = Z95 * np.sqrt(np.diag(pool.covariance))
    sd = pool.error_matrix() / Z95
    estimated = pool.estimates[:, None] - pool.estimates[None, :]
    true = truth[:, None] - truth[None, :]
    claimed = np.abs(estimated) > pairer.critical * sd
    wrong = claimed & (np.sign(estimated) != np.sign(true))
    return Ended(
        pairs=sum(played.round.pairs for played in rounds),
        rounds=len(rounds),
        reached=known.reached,
        covered=int((np.abs(pool.estimates - truth) <= errors).sum()),
        wrong=bool(np.triu(wrong, 1).any()),
    )


def _points(difference: float, pairs: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Half points of the first player in both games of each pair."""
    theta = float(np.log(DRAW_RATE / (1.0 - DRAW_RATE)))
    games = []
    for sign in (1.0, -1.0):
        x = (sign * difference + WHITE_ADVANTAGE) / ELO_PER_NAT
        model = outcomes(np.array([x]), theta).probability
        drawn = rng.random(pairs)
        of_white = np.where(drawn < model[0], 2, np.where(drawn < model[0] + model[1], 1, 0))
        games.append(of_white if sign > 0 else 2 - of_white)
    return list(zip(games[0].tolist(), games[1].tolist(), strict=True))


def _one(job: tuple[str, str, str, int]) -> Ended:
    goal, field, way, seed = job
    return simulated(FIELDS[field], GOALS[goal], way, seed)


def measured(events: int, seed: int, jobs: int) -> Iterator[Row]:
    """Every goal, field and way."""
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for goal, ways in WAYS.items():
            for field in FIELDS:
                for way in ways:
                    work = [(goal, field, way, seed + number) for number in range(events)]
                    yield _row(goal, field, way, pool.map(_one, work, chunksize=4))


def _row(goal: str, field: str, way: str, ended: Sequence[Ended]) -> Row:
    pairs = np.array([one.pairs for one in ended], dtype=float)
    return Row(
        goal=goal,
        field=field,
        way=way,
        events=len(ended),
        pairs=float(pairs.mean()),
        pairs_error95=float(Z95 * pairs.std(ddof=1) / np.sqrt(len(ended))),
        rounds=float(np.mean([one.rounds for one in ended])),
        reached=float(np.mean([one.reached for one in ended])),
        coverage=sum(one.covered for one in ended) / (len(ended) * len(FIELDS[field])),
        wrong=float(np.mean([one.wrong for one in ended])),
    )


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description="coverage and cost of adaptive round robins")
    parser.add_argument("--events", type=int, default=400, help="simulated events of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows = measured(given.events, given.seed, given.jobs)
    if given.json:
        print(json.dumps([asdict(row) for row in rows]))
        return
    print(
        f"adaptive.py --events {given.events} --seed {given.seed}, mtdf {program_version()}, "
        f"core {backend_name()}:{signature()}\n"
    )
    print(f"{'goal':6} {'field':14} {'way':9} {'pairs':>12}  reached  covered   wrong")
    for row in rows:
        print(
            f"{row.goal:6} {row.field:14} {row.way:9} {row.pairs:6.0f} ±{row.pairs_error95:<4.0f}"
            f"{100 * row.reached:7.1f} % {100 * row.coverage:6.1f} % {100 * row.wrong:5.1f} %",
            flush=True,
        )


if __name__ == "__main__":
    main()
