"""The values of parameters of kind `choice`, and what each means: a part of the registry's
declaration.
"""

from __future__ import annotations

GAMES: dict[str, str] = {
    "chess": "chess, and Chess960 in events of it",
    "othello": "Othello (Reversi) on 8 x 8 squares; most discs win",
    "draughts": "English draughts (checkers) on 8 x 8 squares",
    "connect-four": "Connect Four in seven columns of six rows",
}
"""The games that variants play."""
DEFAULT_GAME = "chess"
"""The game of engines, books and suites that name none."""

GUESSES: dict[str, str] = {
    "zero": "always 0",
    "static": "the static value of the root",
    "previous": "the value of the previous iteration",
    "parity": "the value two iterations back: separate guesses for odd and even depths",
    "average": "the mean of the last two values, rounded half away from zero",
    "blend": "weight x previous + (1 - weight) x parity, rounded half away from zero",
    "offset": "previous + offset_odd at odd depths, + offset_even at even ones",
    "drift": "previous + the exponential mean of the changes in value to depths of this parity",
    "ema": "the exponential mean of the values at depths of this parity",
    "trend": "parity + trend percent of the change to it from two iterations earlier",
    "game": "the value that the last search of this game, two plies ago, found at a depth two "
    "plies greater; as parity if it did not reach that depth",
}
"""First guesses of null-window drivers. If too few iterations are known, the nearest older value is
used, and in the first iteration the static value."""

CONVERGENCES: dict[str, str] = {
    "plaat": "at the bound just found, as published",
    "growth": "beyond that bound by a step that doubles while passes fail in the same direction, "
    "and halves otherwise",
    "step": "beyond that bound by a fixed step",
    "one-side": "to one side of the value by doubling steps, then as plaat: the value is crossed "
    "only once",
    "bisect": "in the middle of the bounds; as growth until both are known",
    "secant": "where the line through the last two passes meets their windows; as growth if there "
    "is no such line",
}
"""How the next null window of an iteration is chosen."""

REPORTED: dict[str, str] = {
    "lower": "the lower bound, which the best move has proved",
    "middle": "the middle of the bounds, rounded down",
    "estimate": "the value between the bounds that is nearest to the first guess",
}
"""The value of an iteration whose bounds a tolerance left apart."""

ADOPTED: dict[str, str] = {
    "proven": "those at or above the value of the previous iteration",
    "all": "all of them",
}
"""Null windows that failed high whose move an unfinished iteration plays."""

REPLACEMENTS: dict[str, str] = {
    "always": "the entry in the key's only slot",
    "depth": "the shallowest of four entries; if all are deeper, the new one is not stored",
    "two-tier": "the entry in the second of the key's two slots; the first keeps the deeper entry",
    "age": "the shallowest and oldest of four entries; each later search counts as four plies",
}
"""Which table entry a new one replaces."""

ETC_RULES: dict[str, str] = {
    "cut": "the first upper bound that fails high at the node cuts it",
    "settle": "the best such bound cuts; lower bounds of all children let the node fail low; a "
    "child whose own bounds settle its window is not visited",
}
"""What stored bounds of the children may do before the moves of a node are searched."""

PARALLEL: dict[str, str] = {
    "lazy": "other null windows of the iteration, or other depths; all share the table",
    "abdada": "the same window and depth; at each node, moves that another thread is searching "
    "come last",
}
"""What the other threads of a search do beside the main thread."""

EXPECTED_PV: dict[str, str] = {
    "first": "none, except those that pvs searches again inside an open window",
    "raised": "those that raised alpha; only table bounds found at expected PV nodes cut them",
    "root": "as raised, but only at the root",
    "none": "none, and the first move is not expected PV either",
}
"""Which nodes count as expected PV."""
