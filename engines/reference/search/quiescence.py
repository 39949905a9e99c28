"""Quiescence: captures at the leaves until the position is quiet.

Its rules look at the position only, never at the window, so the value of a leaf is one and the
same for all drivers: stand pat or captures with SEE at least 0; in check all evasions and no stand
pat; no delta pruning, no depth. Mate and stalemate are seen at every node. So bounds of its nodes
hold wherever they are found, and may be kept.
"""

from __future__ import annotations

from engines.reference.search.game import INFINITY, Game, M, from_child, to_child


class Leaves:
    """What is told of the nodes of quiescence; this one neither counts nor remembers them."""

    def visit_quiescence(self, ply: int) -> None:
        """Called for each node below a leaf before it is searched; may raise to end the search."""

    def known_leaf(self, alpha: int, beta: int, *, visited: bool) -> int | None:
        """A bound of the node that was kept and answers for the window, if there is one."""
        return None

    def keep_leaf(self, value: int, alpha: int, beta: int) -> None:
        """Called with what was found for a node and its window."""


def quiesce(game: Game[M], alpha: int, beta: int, leaves: Leaves, ply: int = 0) -> int:
    """The fail-soft quiescence value g of the node; ``ply`` is its distance from the root.

    g <= alpha: an upper bound. g >= beta: a lower bound. In between: the value.
    """
    known = leaves.known_leaf(alpha, beta, visited=True)
    if known is not None:
        return known
    if game.is_forced():
        best = -INFINITY
        moves = game.moves()
        if not moves:
            return game.terminal_value()
    else:
        if not game.has_move():
            return game.terminal_value()
        best = game.static()
        moves = game.captures() if best < beta else []
    for move in sorted(moves, key=game.promise, reverse=True):
        game.push(move)
        try:
            low, high = to_child(beta), to_child(max(alpha, best))
            value = leaves.known_leaf(low, high, visited=False)
            if value is None:
                leaves.visit_quiescence(ply + 1)
                value = quiesce(game, low, high, leaves, ply + 1)
        finally:
            game.pop()
        best = max(best, from_child(value))
        if best >= beta:
            break
    leaves.keep_leaf(best, alpha, beta)
    return best
