"""The names that parameters of the kind `choice` take, with what each means: a part of the
registry's declaration.
"""

from __future__ import annotations

GUESSES: dict[str, str] = {
    "zero": "always 0",
    "static": "the static value of the root",
    "previous": "the value of the iteration before",
    "parity": "the value two iterations back: separate guesses for odd and even depths",
    "average": "the mean of the last two values, rounded half away from zero",
    "blend": "weight x previous + (1 - weight) x parity, rounded half away from zero",
    "offset": "previous + offset_odd at odd depths, + offset_even at even ones",
    "drift": "previous + the exponential mean of what values changed by to depths of this parity",
    "ema": "the exponential mean of the values at depths of this parity",
    "trend": "parity + trend percent of what it changed by from two iterations before",
    "game": "what the last search of this game, two plies ago, found at a depth two plies greater; "
    "where it did not come so far, as parity",
    "regression": "a linear function of the last two values, the static and the quiescence value "
    "of the root, the depth's parity and the phase; where one of them is a mate, as parity",
    "quantile": "regression + quantile_odd at odd depths, + quantile_even at even ones: the "
    "quantile of its errors that balances what failing high and failing low cost",
}
"""First guesses of null-window drivers; where too few iterations are known, the nearest older
one, and at first the static value, stands in."""

CONVERGENCES: dict[str, str] = {
    "plaat": "at the bound just found, as published",
    "growth": "beyond it by a step that doubles while passes fail the same way, and halves after",
    "step": "beyond it by a fixed step",
    "one-side": "to one side of the value by steps that double, and from there as plaat: the value "
    "is crossed once",
    "bisect": "in the middle of the bounds; until both are known, as growth",
    "secant": "where the line through the last two passes meets their windows; without one, as "
    "growth",
}
"""How the null windows of an iteration move."""

REPLACEMENTS: dict[str, str] = {
    "always": "what stood in the one place of the key",
    "depth": "the shallowest entry of four; where all are deeper, the new one is not kept",
    "two-tier": "the newer of two places of the key, of which the first keeps what is deeper",
    "age": "the shallowest and oldest entry of four; a search ago counts as four plies",
}
"""What makes room for a new entry of the table."""

EXPECTED_PV: dict[str, str] = {
    "first": "none but what pvs searches again inside an open window",
    "raised": "those that raised alpha; of the table only bounds of such nodes cut them",
    "root": "as raised, at the root only",
    "none": "none, and not even the first move is expected PV",
}
"""Which nodes count as expected PV."""
