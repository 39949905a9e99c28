"""Exact statements about shares: of one engine, and of two that met the same tasks."""

from __future__ import annotations


def clopper_pearson(successes: int, trials: int, chance: float = 0.05) -> tuple[float, float]:
    """The exact interval of a share, which misses the true one with at most this chance; by default
    95 %. Source: Clopper and Pearson, Biometrika 26, 1934. Raises ValueError unless
    0 <= successes <= trials and trials > 0."""
    from scipy.special import betaincinv

    if trials <= 0 or not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is not a share")
    half, failures = chance / 2, trials - successes
    low = betaincinv(successes, failures + 1, half) if successes else 0.0
    high = betaincinv(successes + 1, failures, 1.0 - half) if failures else 1.0
    return float(low), float(high)


def mcnemar(first_only: int, second_only: int) -> float:
    """The p-value of the exact two-sided McNemar test that two engines solve equally well, from the
    numbers of tasks that only one of them solved. Source: McNemar, Psychometrika 12, 1947; exact
    by the binomial distribution."""
    from scipy.special import bdtr

    differ = first_only + second_only
    if not differ:
        return 1.0
    return min(1.0, 2 * float(bdtr(min(first_only, second_only), differ, 0.5)))
