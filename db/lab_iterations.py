"""What the stored iterations of one search of the laboratory are, see docs/database.md, and whether
they are those of the search."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from db.times import is_moment

_DEPTH, _VALUE, _MOVE, _GUESS = 0, 1, 2, 3
_INTERIOR, _LEAVES, _QUIESCENCE = 4, 5, 6
_PROBES, _HITS, _CUTOFFS = 7, 8, 9
_CPU_US, _MOVE_VALUE, _PASSES = 10, 11, 12
_FIELDS = 13
_COUNTS = (_INTERIOR, _LEAVES, _QUIESCENCE, _PROBES, _HITS, _CUTOFFS, _CPU_US)
_NODES = (_INTERIOR, _LEAVES, _QUIESCENCE)
"""Places of an iteration."""
_FAR = 32_700
"""An open end of a window; values are nearer to 0."""
_MOST = 2**63
_UCI = re.compile(r"([a-h][1-8]){2}[nbrq]?")


def search_problem(
    *,
    depth: Any,
    value: Any,
    move: Any,
    nodes: Sequence[Any],
    passes: Any,
    cpu_us: Any,
    searched_ms: Any,
    iterations: Any,
) -> str | None:
    """What is wrong with a stored search; None: it is sound.

    ``nodes`` are its interior ones, leaves and those of quiescence search; ``iterations`` are as
    :func:`read_iterations` has them. A column of SQLite may hold a value of any kind.
    """
    if not isinstance(iterations, list) or not iterations:
        return "its iterations cannot be read"
    if not all(map(_is_readable, iterations)):
        return "its iterations cannot be read"
    if not _is_whole(depth, 1) or [one[_DEPTH] for one in iterations] != list(range(1, depth + 1)):
        return "its iterations are not those of its depth"
    if (iterations[-1][_VALUE], iterations[-1][_MOVE]) != (value, move):
        return "value or move is not that of its last iteration"
    if [sum(one[place] for one in iterations) for place in _NODES] != list(nodes):
        return "its nodes are not those of its iterations"
    if sum(len(one[_PASSES]) for one in iterations) != passes:
        return "it has another number of passes than its iterations"
    if not _is_whole(cpu_us, 0):
        return "its CPU time is no number"
    if not _is_whole(searched_ms, 0) or not is_moment(searched_ms):
        return f"when it was searched, `{searched_ms!r}`, is no time"
    problems = (_iteration_problem(one) for one in iterations)
    return next((problem for problem in problems if problem is not None), None)


def read_iterations(text: str) -> Any:
    """The stored iterations; None for what is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_readable(one: Any) -> bool:
    """Whether it has the fields of an iteration, each of its kind."""
    return (
        isinstance(one, list)
        and len(one) == _FIELDS
        and _is_whole(one[_DEPTH], 1)
        and _is_value(one[_VALUE])
        and _is_move(one[_MOVE])
        and (one[_GUESS] is None or _is_value(one[_GUESS]))
        and (one[_MOVE_VALUE] is None or _is_value(one[_MOVE_VALUE]))
        and all(_is_whole(one[place], 0) for place in _COUNTS)
        and isinstance(one[_PASSES], list)
        and all(map(_is_pass, one[_PASSES]))
    )


def _is_pass(one: Any) -> bool:
    """Whether it is alpha, beta, value, nodes, and perhaps the one root move."""
    if not isinstance(one, list) or len(one) not in (4, 5):
        return False
    alpha, beta, value, nodes = one[:4]
    return (
        _is_whole(alpha, -_FAR)
        and _is_whole(beta, -_FAR)
        and alpha < beta <= _FAR
        and _is_value(value)
        and _is_whole(nodes, 0)
        and (len(one) == 4 or _is_move(one[4]))
    )


def _iteration_problem(one: Sequence[Any]) -> str | None:
    """What of a readable iteration contradicts itself."""
    nodes, spent = sum(one[place] for place in _NODES), sum(each[3] for each in one[_PASSES])
    if not nodes:
        return "an iteration has no nodes"
    if not one[_PROBES] >= one[_HITS] >= one[_CUTOFFS]:
        return "an iteration has more hits of the table than probes, or more cut-offs than hits"
    if spent > nodes:
        return "passes of an iteration have more nodes than it has"
    # Quiescence search from the root, which a first guess may come from, is part of no pass.
    outside = one[_QUIESCENCE] if one[_GUESS] is not None else 0
    if spent < nodes - outside:
        return "passes of an iteration have fewer nodes than it has"
    if not _follows(one[_VALUE], one[_PASSES]):
        return "the value of an iteration is not what its passes found"
    return None


def _follows(value: int, passes: Sequence[Sequence[Any]]) -> bool:
    """Whether the value is the best lower bound of the passes, and, where each of them searched all
    moves, also the best upper one."""
    lower = max((each[2] for each in passes if each[2] > each[0]), default=None)
    upper = min((each[2] for each in passes if each[2] < each[1]), default=None)
    one_by_one = any(len(each) > 4 for each in passes)
    return value == lower and (one_by_one or value == upper)


def _is_whole(number: Any, least: int) -> bool:
    # JSON's true and false are numbers to Python.
    return type(number) is int and least <= number < _MOST


def _is_value(number: Any) -> bool:
    return _is_whole(number, 1 - _FAR) and number < _FAR


def _is_move(text: Any) -> bool:
    return isinstance(text, str) and _UCI.fullmatch(text) is not None
