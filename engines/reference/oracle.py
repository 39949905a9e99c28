"""The oracle: plain minimax, written without regard to anything that the drivers share.

It has no window above the leaves, no table, no ordering and no counters, so that it can be wrong
only where the rules of the tree themselves are.
"""

from __future__ import annotations

from engines.reference.search.game import INFINITY, Game, M, from_child, to_child


def minimax(game: Game[M], depth: int, *, quiescence: bool = True) -> int:
    """The exact value of the tree of this depth, every move of which is searched."""
    if depth == 0:
        if quiescence:
            return open_quiescence(game)
        return game.static() if game.has_move() else game.terminal_value()
    values = []
    for move in game.moves():
        game.push(move)
        values.append(from_child(minimax(game, depth - 1, quiescence=quiescence)))
        game.pop()
    return max(values, default=game.terminal_value())


def open_quiescence(game: Game[M], alpha: int = -INFINITY, beta: int = INFINITY) -> int:
    """Quiescence by alpha-beta without ordering; exact for the open window."""
    if not game.has_move():
        return game.terminal_value()
    forced = game.is_forced()
    best = -INFINITY if forced else game.static()
    for move in game.moves() if forced else game.captures():
        if best >= beta:
            break
        game.push(move)
        child = open_quiescence(game, to_child(beta), to_child(max(alpha, best)))
        game.pop()
        best = max(best, from_child(child))
    return best


def unpruned_quiescence(game: Game[M], max_nodes: int) -> int | None:
    """Quiescence by minimax; ``None`` when its tree has more than ``max_nodes`` nodes."""
    left = [max_nodes]

    def value() -> int | None:
        left[0] -= 1
        if left[0] < 0:
            return None
        if not game.has_move():
            return game.terminal_value()
        forced = game.is_forced()
        best = -INFINITY if forced else game.static()
        for move in game.moves() if forced else game.captures():
            game.push(move)
            child = value()
            game.pop()
            if child is None:
                return None
            best = max(best, from_child(child))
        return best

    return value()


def perft(game: Game[M], depth: int) -> int:
    """The number of leaves of the tree of legal moves."""
    if depth == 0:
        return 1
    moves = game.moves()
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        game.push(move)
        total += perft(game, depth - 1)
        game.pop()
    return total
