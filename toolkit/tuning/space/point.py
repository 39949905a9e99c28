"""Points of a space: values of its parameters."""

from __future__ import annotations

from collections.abc import Mapping

from engines.spec import Value
from engines.variant import format_value

Point = Mapping[str, Value]
"""Values of the tuned parameters that mean anything under one another."""


def point_text(point: Mapping[str, Value] | None) -> str:
    """A point in short: ``grain=4,guess=parity``; ``--`` if there is none."""
    if point is None:
        return "--"
    return ",".join(f"{name}={_short(value)}" for name, value in point.items())


def _short(value: Value) -> str:
    return f"{value:.4g}" if isinstance(value, float) else format_value(value)
