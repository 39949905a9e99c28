"""Roots of functions of one number."""

from __future__ import annotations

import math

import pytest

from toolkit.stats.roots import root_between


def test_roots_are_found_in_few_steps() -> None:
    for name, function, low, high, wanted in (
        ("line", lambda x: 2.0 * x - 1.0, -3.0, 5.0, 0.5),
        ("falling", lambda x: 1.0 - math.exp(x), -50.0, 3.0, 0.0),
        ("flat ends", lambda x: math.tanh(x - 7.0), -60.0, 60.0, 7.0),
        ("steep", lambda x: math.tanh(1e6 * (x - 0.3)), -60.0, 60.0, 0.3),
        ("cube", lambda x: (x - 1.0) ** 3, -10.0, 20.0, 1.0),
        ("at an end", lambda x: x - 4.0, 4.0, 9.0, 4.0),
    ):
        calls = 0

        def counted(x: float, function=function) -> float:  # type: ignore[no-untyped-def]
            nonlocal calls
            calls += 1
            return float(function(x))

        found = root_between(counted, low, high)
        assert found == pytest.approx(wanted, abs=1e-11), name
        assert calls < 120, (name, calls)
    with pytest.raises(ValueError, match="one sign at 1 and 2"):
        root_between(lambda x: x, 1.0, 2.0)
