"""Quiescence: captures at the leaves until the position is quiet.

Its rules look at the position only, never at the window, so the value of a leaf is one and the
same for all drivers: stand pat or captures with SEE at least 0; in check all evasions and no stand
pat; no delta pruning, no table, no depth. Mate and stalemate are seen at every node.
"""

from __future__ import annotations

from collections.abc import Callable

from engines.reference.game import INFINITY, Game, M, from_child, to_child


def quiesce(
    game: Game[M], alpha: int, beta: int, visit: Callable[[int], None], ply: int = 0
) -> int:
    """The fail-soft quiescence value g of the node.

    g <= alpha: an upper bound. g >= beta: a lower bound. In between: the value. ``visit`` is
    called for each node below this one, before it is searched, with its distance from the root, and
    may raise to end the search. ``ply`` is the distance of this node.
    """
    if game.is_forced():
        best = -INFINITY
        moves = game.moves()
        if not moves:
            return game.terminal_value()
    else:
        if not game.has_move():
            return game.terminal_value()
        best = game.static()
        if best >= beta:
            return best
        moves = game.captures()
    for move in sorted(moves, key=game.promise, reverse=True):
        game.push(move)
        try:
            visit(ply + 1)
            window = to_child(beta), to_child(max(alpha, best))
            value = from_child(quiesce(game, *window, visit, ply + 1))
        finally:
            game.pop()
        best = max(best, value)
        if best >= beta:
            break
    return best
