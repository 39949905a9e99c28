"""The interval of a share."""

from __future__ import annotations


def share_interval(hits: int, n: int, chance: float = 0.05) -> tuple[float, float]:
    """The exact interval of a share of which ``hits`` of ``n`` independent cases are counted
    (Clopper and Pearson, Biometrika 26, 1934), which misses the share with at most this chance.
    Raises ValueError unless 0 <= hits <= n and n > 0."""
    from scipy.stats import beta

    if n <= 0 or not 0 <= hits <= n:
        raise ValueError(f"{hits} of {n} is no share")
    low = 0.0 if hits == 0 else float(beta.ppf(chance / 2, hits, n - hits + 1))
    high = 1.0 if hits == n else float(beta.ppf(1 - chance / 2, hits + 1, n - hits))
    return low, high
