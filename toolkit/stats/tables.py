"""Counts of games and of game pairs as arrays, in one order however they came."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from .errors import StatisticsError
from .likelihood import Ints, PoolGames
from .outcome import Floats

Encounter = tuple[str, str, int, int, int]
"""The shape of :class:`EncounterCounts`; any such tuple will do."""
Paired = tuple[str, str, Sequence[int]]
"""The shape of :class:`PairedCounts`; any such tuple will do."""


class EncounterCounts(NamedTuple):
    """Games of one ordered encounter."""

    white: str
    black: str
    white_wins: int
    draws: int
    black_wins: int


class PairedCounts(NamedTuple):
    """Complete game pairs of two players, in either order."""

    first: str
    second: str
    joint: Sequence[int]
    """Nine counts of pairs by both results, each 0 White won, 1 draw, 2 Black won: number
    3·i + j has result i where ``first`` was White and j where ``second`` was."""


class SharedPairs(Struct, frozen=True):
    """Game pairs that share their opening with pairs of other players, one a place. They are among
    the pairs of a pool, and say which of these are not independent."""

    opening: Ints
    first: Ints
    """Had White in the first game."""
    second: Ints
    result: Ints
    """Number of the results, as in :class:`PairedCounts`."""

    def renumbered(self, place: Ints) -> SharedPairs:
        """With players that have other numbers now, -1 for those that are gone."""
        first, second = place[self.first], place[self.second]
        here = (first >= 0) & (second >= 0) & (first != second)
        return SharedPairs(self.opening[here], first[here], second[here], self.result[here])


class PoolPairs(Struct, frozen=True):
    """Whole game pairs of one pool; each two players stand here once, the lower number first."""

    first: Ints
    second: Ints
    joint: Floats
    """Rows as in :class:`PairedCounts`; a column two players."""
    shared: SharedPairs | None = None
    """Those among them that share openings."""

    def columns_of(self, one: Ints, other: Ints) -> Ints:
        """The column of each two players, in either order; each must have one."""
        size = int(max(self.first.max(initial=0), self.second.max(initial=0))) + 1
        keys = self.first * size + self.second
        order = np.argsort(keys)
        wanted = np.minimum(one, other) * size + np.maximum(one, other)
        return np.asarray(order[np.searchsorted(keys, wanted, sorter=order)], dtype=np.intp)

    def pentanomial(self) -> Floats:
        """Pairs by points of the first player, worst (row 0) to best."""
        result = np.zeros((5, self.joint.shape[1]))
        for i in range(3):
            for j in range(3):
                result[(2 - i) + j] += self.joint[3 * i + j]
        return result


class GameTable(Struct, frozen=True):
    """Everything that ratings are fitted to."""

    players: tuple[str, ...]
    """Sorted; a player's number is its place."""
    games: PoolGames
    pairs: PoolPairs
    self_games: int
    """Games of a player against itself, left out of ``games``."""

    def results(self) -> Floats:
        """Wins, draws and losses (columns) of each player (rows)."""
        games, n = self.games, len(self.players)
        table = np.zeros((n, 3))
        for column in range(3):
            table[:, column] += np.bincount(games.white, games.counts[column], n)
            table[:, 2 - column] += np.bincount(games.black, games.counts[column], n)
        return table


def tabulate(encounters: Iterable[Encounter], pairs: Iterable[Paired]) -> GameTable:
    """Sum up the counts by encounter.

    :raises StatisticsError: a negative count, or pairs that are not among the games.
    """
    rows = list(encounters)
    number: dict[str, int] = {}
    for row in rows:
        for player in row[:2]:
            number.setdefault(player, len(number))
    games = PoolGames(
        len(number),
        np.array([number[row[0]] for row in rows], dtype=np.intp),
        np.array([number[row[1]] for row in rows], dtype=np.intp),
        np.array([row[2:] for row in rows], dtype=np.float64).reshape(-1, 3).T,
    )
    return merge(tuple(number), games, _pair_columns(pairs, number))


def merge(players: Sequence[str], games: PoolGames, pairs: PoolPairs) -> GameTable:
    """Sum columns of counts in which encounters and pairs are in any order and may be repeated.
    Players without encounters are omitted.

    :raises StatisticsError: a negative count, or pairs that are not among the games.
    """
    if (games.counts < 0).any():
        raise StatisticsError("counts of games must not be negative")
    present = np.unique(np.concatenate([games.white, games.black]))
    order = sorted(present.tolist(), key=lambda player: players[player])
    place = np.full(len(players), -1, dtype=np.intp)
    place[order] = np.arange(len(order))
    size = max(len(order), 1)
    white, black = place[games.white], place[games.black]
    other = white != black
    keys, summed = _sum_by_key(white[other] * size + black[other], games.counts[:, other])
    played = summed.any(axis=0)
    keys, summed = keys[played], summed[:, played]
    table = GameTable(
        players=tuple(players[player] for player in order),
        games=PoolGames(len(order), keys // size, keys % size, summed),
        pairs=_merge_pairs(players, place, pairs, size),
        self_games=int(games.counts[:, ~other].sum()),
    )
    unpaired(table.games, table.pairs)
    return table


def restrict(games: PoolGames, pairs: PoolPairs, members: Ints) -> tuple[PoolGames, PoolPairs]:
    """The games and pairs of some players against each other, with players renumbered."""
    place = np.full(games.players, -1, dtype=np.intp)
    place[members] = np.arange(members.size)
    white, black = place[games.white], place[games.black]
    inside = (white >= 0) & (black >= 0)
    first, second = place[pairs.first], place[pairs.second]
    both = (first >= 0) & (second >= 0)
    return (
        PoolGames(members.size, white[inside], black[inside], games.counts[:, inside]),
        PoolPairs(
            first[both],
            second[both],
            pairs.joint[:, both],
            None if pairs.shared is None else pairs.shared.renumbered(place),
        ),
    )


def unpaired(games: PoolGames, pairs: PoolPairs) -> Floats:
    """Counts of the games that belong to no pair.

    :raises StatisticsError: the pairs are not among the games.
    """
    rest = games.counts.copy()
    table = pairs.joint.reshape(3, 3, -1)
    wanted = np.concatenate(
        [pairs.first * games.players + pairs.second, pairs.second * games.players + pairs.first]
    )
    taken = np.concatenate([table.sum(axis=1), table.sum(axis=0)], axis=1)
    keys = games.white * games.players + games.black
    at = np.minimum(np.searchsorted(keys, wanted), max(keys.size - 1, 0))
    if wanted.size and (not keys.size or (keys[at] != wanted).any()):
        raise StatisticsError("there are game pairs of players who have no such games")
    rest[:, at] -= taken  # no encounter stands twice in `at`
    if (rest < 0).any():
        raise StatisticsError("there are more game pairs than games of the same results")
    return rest


def _pair_columns(pairs: Iterable[Paired], number: dict[str, int]) -> PoolPairs:
    first: list[int] = []
    second: list[int] = []
    columns: list[Sequence[int]] = []
    for one, other, joint in pairs:
        if one == other or not any(joint):
            continue
        if len(joint) != 9 or min(joint) < 0:
            raise StatisticsError(f"pairs of {one} and {other}: expected nine counts from 0 up")
        if one not in number or other not in number:
            raise StatisticsError(f"there are game pairs but no games of {one} and {other}")
        first.append(number[one])
        second.append(number[other])
        columns.append(joint)
    return PoolPairs(
        np.array(first, dtype=np.intp),
        np.array(second, dtype=np.intp),
        np.array(columns, dtype=np.float64).reshape(-1, 9).T,
    )


def _merge_pairs(players: Sequence[str], place: Ints, pairs: PoolPairs, size: int) -> PoolPairs:
    first, second = place[pairs.first], place[pairs.second]
    strange = np.flatnonzero((first < 0) | (second < 0))
    if strange.size:
        one, other = players[pairs.first[strange[0]]], players[pairs.second[strange[0]]]
        raise StatisticsError(f"there are game pairs but no games of {one} and {other}")
    turned = first > second
    swapped = pairs.joint.reshape(3, 3, -1).transpose(1, 0, 2).reshape(9, -1)
    joint = np.where(turned, swapped, pairs.joint)
    low, high = np.minimum(first, second), np.maximum(first, second)
    other_players = low != high
    keys, summed = _sum_by_key((low * size + high)[other_players], joint[:, other_players])
    shared = None if pairs.shared is None else pairs.shared.renumbered(place)
    return PoolPairs(keys // size, keys % size, summed, shared)


def _sum_by_key(keys: Ints, columns: Floats) -> tuple[Ints, Floats]:
    """The keys in order, each once, with the sum of its columns."""
    unique, place = np.unique(keys, return_inverse=True)
    summed = np.stack([np.bincount(place, row, unique.size) for row in columns])
    return unique, summed.astype(np.float64, copy=False)
