"""SSS* as published: a best-first search on a list of states.

The driver ``sss`` is another algorithm, which is claimed to evaluate the same leaves.
"""

from __future__ import annotations

from claims.random_tree import Node, RandomTree
from engines.reference.search.game import INFINITY


def stockman(tree: RandomTree) -> tuple[int, list[Node]]:
    """The value of a tree, and its leaves in the order of their evaluation.

    States (node, solved, merit) on a list; the one of the greatest merit is taken, of several the
    leftmost. G. Stockman, A minimax algorithm better than alpha-beta?, Artificial Intelligence 12
    (1979), with the order of M. Campbell and T. Marsland, Artificial Intelligence 20 (1983).
    """
    states: dict[Node, tuple[bool, int]] = {(): (False, INFINITY)}
    evaluated: list[Node] = []
    while True:
        node = min(states, key=lambda one: (-states[one][1], one))
        solved, merit = states.pop(node)
        is_max = len(node) % 2 == 0
        if not solved:
            children = tree.children(node)
            if not children:
                evaluated.append(node)
                states[node] = True, min(merit, tree.value(node))
            elif is_max:
                states.update((child, (False, merit)) for child in children)
            else:
                states[children[0]] = False, merit
        elif not node:
            return merit, evaluated
        elif not is_max:
            parent = node[:-1]
            for other in [one for one in states if one[: len(parent)] == parent]:
                del states[other]
            states[parent] = True, merit
        else:
            brothers = tree.children(node[:-1])
            if node[-1] + 1 < len(brothers):
                states[brothers[node[-1] + 1]] = False, merit
            else:
                states[node[:-1]] = True, merit
