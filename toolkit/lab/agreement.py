"""Whether exact searches agree: on the value of the tree, or on a move with that value.

A driver's declaration states what it proves (:class:`engines.spec.DriverSpec`). A driver that
proves something else needs its own branch in :func:`is_right`, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engines.registry import DRIVERS, TREE
from engines.rules.catalog import rules_of
from engines.spec import Iteration, Searcher, SearchLimit, Variant
from toolkit.base.errors import UsageError

if TYPE_CHECKING:
    from toolkit.lab.effort import DepthEffort


def proves_move(variant: Variant) -> bool:
    """Whether its driver proves a best move, of which its value is only a lower bound."""
    return DRIVERS[variant.driver].proves == "move"


def agrees(found: DepthEffort, truth: DepthEffort) -> bool:
    """Whether an iteration agrees with the baseline's iteration of the same depth. A baseline that
    proves a move has the value of that move."""
    known = truth.value if truth.move_value is None else truth.move_value
    return is_right(found.value, found.move_value, known)


def is_right(value: int, move_value: int | None, truth: int) -> bool:
    """Whether a search that found ``value`` is right; where it proved a move, whose exact value is
    ``move_value``, its own value is a lower bound."""
    if move_value is None:
        return value == truth
    return move_value == truth and value <= truth


def move_values(
    judge: Searcher, variant: Variant, fen: str, iterations: Sequence[Iteration]
) -> list[int]:
    """The exact value of the move of each iteration: that of the position after it, a ply
    shallower, as ``judge``, the searcher of ``variant``, finds it. Raises EngineError."""
    from engines.backend import plain_value
    from engines.reference.search.game import from_child

    after: dict[str, dict[int, int]] = {}
    for move in {iteration.move for iteration in iterations}:
        depths = [iteration.depth - 1 for iteration in iterations if iteration.move == move]
        judge.set_position(fen, [rules_of(variant.game).move_code(move)])
        result = judge.search(SearchLimit(depth=max(1, *depths)), exact=True)
        found = {iteration.depth: iteration.value for iteration in result.iterations}
        # A game that is over has its value at every depth.
        after[move] = {depth: found.get(depth, result.value) for depth in depths}
        if 0 in depths:
            after[move][0] = plain_value(variant, fen, 0, [rules_of(variant.game).move_code(move)])
    return [from_child(after[one.move][one.depth - 1]) for one in iterations]


def check_one_tree(variants: Sequence[Variant]) -> None:
    """Raise UsageError unless all of them search the same exact trees."""
    from engines.variant import format_value

    first = variants[0]
    for other in variants[1:]:
        for name in TREE:
            one, two = first.parameters[name], other.parameters[name]
            if one != two:
                raise UsageError(
                    f"{first.label} and {other.label} search different trees: {name}="
                    f"{format_value(one)} and {name}={format_value(two)}; give all engines the "
                    f"same {', '.join(TREE)}"
                )
