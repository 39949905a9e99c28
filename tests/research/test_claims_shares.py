"""The interval of a share, against sums of binomial chances."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from claims.measured import share_interval

Failing = Callable[..., list[str]]


def at_least(hits: int, n: int, chance: float) -> float:
    """The chance of so many hits or more."""
    return math.fsum(
        math.comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(hits, n + 1)
    )


def test_each_end_leaves_one_fortieth(failing: Failing) -> None:
    def check(hits: int, n: int) -> None:
        low, high = share_interval(hits, n)
        assert 0 <= low <= hits / n <= high <= 1
        if hits:
            assert at_least(hits, n, low) == pytest.approx(0.025)
        else:
            assert low == 0
        if hits < n:
            assert 1 - at_least(hits + 1, n, high) == pytest.approx(0.025)
        else:
            assert high == 1

    assert not failing(check, [(0, 1), (0, 40), (1, 12), (6, 12), (39, 40), (40, 40)])


@pytest.mark.parametrize(("hits", "n"), [(0, 0), (-1, 3), (4, 3)])
def test_invalid_shares_are_refused(hits: int, n: int) -> None:
    with pytest.raises(ValueError, match="no share"):
        share_interval(hits, n)
