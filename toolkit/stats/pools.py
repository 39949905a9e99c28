"""Which players can be compared: pools, and the players outside them.

A player *scored against* another if it won or drew a game against it. The likelihood has a maximum
only within the strongly connected components of that relation (L. R. Ford, 1957): between two
components all points went one way, and any distance fits better than a smaller one. So each
component is a pool with its own scale, fitted without the games that lead out of it. A player alone
in its component won or lost everything against each pool it met; it is listed with one pool, at a
bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from .likelihood import Ints, PoolGames
from .outcome import Floats


class PoolPlan(Struct, frozen=True):
    """One pool, players by number."""

    members: tuple[int, ...]
    """Rated on one scale; where it is one, the scale begins and ends with it."""
    outside: tuple[int, ...]
    """Players with only wins or only losses against the members."""
    games: float
    """Of the members with each other and with those outside."""


def plan_pools(games: PoolGames, anchors: Mapping[int, str], connect_all: bool) -> list[PoolPlan]:
    """Split the players into pools, the largest number of games first.

    ``anchors`` have known ratings, so those of one group are tied to each other as if by results;
    the group of each is its value. ``connect_all`` is for fits with a prior, which are finite
    wherever there is a path of games at all.
    """
    ties = [[p for p in anchors if anchors[p] == group] for group in sorted({*anchors.values()})]
    pool_of = _components(games, ties, strong=not connect_all)
    # One pool is one group.
    group_of = _components(games, ties, strong=False) if pool_of.any() else pool_of
    sizes = np.bincount(pool_of)
    played = _games_of(games)
    is_pool = sizes >= 2
    for group in range(int(group_of.max(initial=-1)) + 1):
        players = np.flatnonzero(group_of == group)
        if not is_pool[pool_of[players]].any():
            reference = min(players, key=lambda p: (int(p) not in anchors, -played[p], int(p)))
            is_pool[pool_of[reference]] = True
    met = _games_with_pools(games, pool_of, is_pool)
    home = pool_of.copy()
    for player in np.flatnonzero(~is_pool[pool_of]):
        if met[player].any():
            home[player] = int(np.argmax(met[player]))
        else:
            is_pool[pool_of[player]] = True
    plans = [_plan(games, pool_of, home, int(pool)) for pool in np.flatnonzero(is_pool)]
    return sorted(plans, key=lambda plan: (-plan.games, plan.members))


def strongly_connected(games: PoolGames, fixed: set[int]) -> bool:
    """Whether the ratings of all players have a maximum of likelihood, some of them given."""
    return int(_components(games, [sorted(fixed)], strong=True).max(initial=0)) == 0


def _components(games: PoolGames, ties: Sequence[Sequence[int]], strong: bool) -> Ints:
    """Label of each player's component of the relation *scored against*, which also holds among
    all players of one of the ``ties``."""
    n, counts = games.players, games.counts
    up = counts[0] + counts[1] > 0
    down = counts[2] + counts[1] > 0
    circles = [np.array(players, dtype=np.intp) for players in ties]
    turned = [np.roll(circle, 1) for circle in circles]
    source = np.concatenate([games.white[up], games.black[down], *circles])
    target = np.concatenate([games.black[up], games.white[down], *turned])
    if not strong:
        source, target = np.concatenate([source, target]), np.concatenate([target, source])
    return _in_order(
        _strong_components(_neighbours(n, source, target), _neighbours(n, target, source))
    )


def _strong_components(later: list[list[int]], earlier: list[list[int]]) -> Ints:
    """Label of each node's strongly connected component, by Kosaraju's two searches, from the nodes
    that each node leads to and those that lead to it.
    :mod:`scipy.sparse` has this, too, but its import takes longer than a fit of some players."""
    n = len(later)
    left: list[int] = []
    seen = [False] * n
    for root in range(n):
        path = [] if seen[root] else [root]
        while path:
            seen[path[-1]] = True
            ahead = later[path[-1]]
            while ahead and seen[ahead[-1]]:
                ahead.pop()
            if ahead:
                path.append(ahead[-1])
            else:
                left.append(path.pop())
    labels = [-1] * n
    for root in reversed(left):
        reached = [root] if labels[root] < 0 else []
        while reached:
            node = reached.pop()
            if labels[node] < 0:
                labels[node] = root
                reached += [other for other in earlier[node] if labels[other] < 0]
    return np.array(labels, dtype=np.intp)


def _neighbours(n: int, source: Ints, target: Ints) -> list[list[int]]:
    """The nodes to which the edges of each node lead, each once."""
    keys = np.unique(source * n + target)
    ends = np.searchsorted(keys, np.arange(1, n) * n)
    return [part.tolist() for part in np.split(keys % max(n, 1), ends)] if n else []


def _in_order(labels: NDArray[np.signedinteger]) -> Ints:
    """The labels renumbered by their first player."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.intp)
    rank[np.argsort(first)] = np.arange(first.size)
    return rank[inverse]


def _games_of(games: PoolGames) -> Floats:
    """Games of each player."""
    number, n = games.counts.sum(axis=0), games.players
    played = np.bincount(games.white, number, n) + np.bincount(games.black, number, n)
    return played.astype(np.float64, copy=False)


def _games_with_pools(games: PoolGames, pool_of: Ints, is_pool: NDArray[np.bool_]) -> Floats:
    """Games of each player (row) with the members of each component (column) that is a pool."""
    number, shape = games.counts.sum(axis=0), (games.players, is_pool.size)
    met = np.zeros(shape)
    for player, other in ((games.white, games.black), (games.black, games.white)):
        index = player * shape[1] + pool_of[other]
        met += np.bincount(index, number, shape[0] * shape[1]).reshape(shape)
    met[:, ~is_pool] = 0.0
    return met


def _plan(games: PoolGames, pool_of: Ints, home: Ints, pool: int) -> PoolPlan:
    inside = pool_of == pool
    here = home == pool
    counted = here[games.white] & here[games.black] & (inside[games.white] | inside[games.black])
    return PoolPlan(
        members=tuple(int(p) for p in np.flatnonzero(inside)),
        outside=tuple(int(p) for p in np.flatnonzero(here & ~inside)),
        games=float(games.counts[:, counted].sum()),
    )
