"""Plain minimax of chess positions, worked out once for all tests that compare with it."""

from __future__ import annotations

from functools import cache

from engines.backend import plain_value
from engines.variant import parse_variant


@cache
def exact_value(
    fen: str,
    depth: int,
    *,
    evaluation: str = "pst",
    grain: int = 1,
    swing: int = 0,
    quiescence: bool = True,
) -> int:
    """The value of the tree of this depth by the core's minimax, which ``test_backends_agree``
    compares with that of Python; by the latter where there is no core."""
    tree = f"grain={grain},swing={swing},quiescence={'on' if quiescence else 'off'}"
    return plain_value(parse_variant(f"minimax:eval={evaluation},{tree}"), fen, depth)
