"""Exact statements about shares: of one engine, and of two that met the same tasks."""

from __future__ import annotations


def clopper_pearson(successes: int, trials: int) -> tuple[float, float]:
    """The exact 95 % interval of a share. Source: Clopper and Pearson, Biometrika 26, 1934. It
    covers the true share in at least 95 % of all samples."""
    from scipy.special import betaincinv

    low = betaincinv(successes, trials - successes + 1, 0.025) if successes else 0.0
    high = betaincinv(successes + 1, trials - successes, 0.975) if successes < trials else 1.0
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
