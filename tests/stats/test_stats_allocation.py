"""Allocated pairs equal those found by inverting the information anew for every choice."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from toolkit.stats.allocation import allocate, pair_information, updated
from toolkit.stats.elo import ELO_PER_NAT

Failing = Callable[..., list[str]]


def laplacian(n: int, weights: dict[tuple[int, int], float]) -> np.ndarray:
    matrix = np.zeros((n, n))
    for (i, j), weight in weights.items():
        u = np.zeros(n)
        u[i], u[j] = 1.0, -1.0
        matrix += weight * np.outer(u, u)
    return matrix


def test_information_of_pair_without_draws() -> None:
    difference = np.array([0.0, 100.0, -250.0])
    p = 1.0 / (1.0 + 10.0 ** (-difference / 400.0))
    expected = 2.0 * p * (1.0 - p) / ELO_PER_NAT**2
    assert pair_information(difference, 0.0, 0.0) == pytest.approx(expected)


def test_information_agrees_with_finite_differences() -> None:
    """Against the curvature of the mean log-likelihood, by differences of the model."""
    from toolkit.stats.outcome import outcomes

    q, advantage, difference, step = 0.4, 60.0, 80.0, 1e-3
    theta = float(np.log(q / (1 - q)))
    total = 0.0
    for x in (difference + advantage, difference - advantage):
        at = [
            outcomes(np.array([(x + d) / ELO_PER_NAT]), theta).probability for d in (-step, 0, step)
        ]
        logs = [np.log(p) for p in at]
        total -= float(np.sum(at[1] * (logs[0] - 2 * logs[1] + logs[2]))) / step**2
    assert pair_information(np.array([difference]), advantage, q)[0] == pytest.approx(
        total, rel=1e-3
    )


def test_each_step_is_best(failing: Failing) -> None:
    def check(seed: int) -> None:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 6))
        pairings = list(combinations(range(n), 2))
        first, second = np.array(pairings, dtype=np.intp).T
        information = rng.uniform(0.5, 2.0, len(pairings)) * 1e-5
        played = {pairing: float(rng.integers(1, 40)) * 1e-5 for pairing in pairings}
        # Differences, two of which are known well enough.
        edges = np.ones((n, n)) - np.eye(n)
        edges[0, 1] = edges[1, 0] = 0.0
        wanted = np.diag(edges.sum(axis=1)) - edges
        given = allocate(
            np.linalg.pinv(laplacian(n, played)),
            (first, second),
            information,
            lambda covariance: wanted,
            6,
            np.full(len(pairings), 3, dtype=np.intp),
        )
        counts = dict.fromkeys(pairings, 0)
        for _ in range(6):
            costs = []
            for at, pairing in enumerate(pairings):
                if counts[pairing] == 3:
                    costs.append(np.inf)
                    continue
                more = dict(played)
                more[pairing] += float(information[at])
                costs.append(float(np.trace(wanted @ np.linalg.pinv(laplacian(n, more)))))
            best = int(np.argmin(costs))
            counts[pairings[best]] += 1
            played[pairings[best]] += float(information[best])
        assert given.tolist() == list(counts.values())

    assert not failing(check, zip(range(12)))


def test_update_is_inverse_of_sum() -> None:
    weights = {(0, 1): 2.0, (1, 2): 3.0, (0, 3): 0.5, (2, 3): 1.0}
    before = np.linalg.pinv(laplacian(4, weights))
    weights[(1, 2)] += 0.7
    assert updated(before, 1, 2, 0.7) == pytest.approx(np.linalg.pinv(laplacian(4, weights)))


def test_pairs_stop_without_room() -> None:
    first, second = np.array([(0, 1), (0, 2), (1, 2)], dtype=np.intp).T
    given = allocate(
        np.eye(3) * 100.0,
        (first, second),
        np.full(3, 1e-5),
        lambda covariance: np.zeros((3, 3)),
        50,
        np.array([4, 0, 6], dtype=np.intp),
    )
    assert given.tolist() == [4, 0, 6]
