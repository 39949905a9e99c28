"""The crosstable: the scores of every pairing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, overload

from msgspec import Struct

from toolkit.base.errors import NothingMatched
from toolkit.selection.engines import in_other_games
from toolkit.selection.games import Selection, choose
from toolkit.selection.players import (
    Mixing,
    PlayedGames,
    RatedPlayer,
    cores_apart,
    limits_of,
    player_names,
    read_games,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from db.session import Database
    from toolkit.stats.tables import GameTable

_ROWS_AT_ONCE = 1000
"""Rows made together."""


class CrosstableRow(Struct, frozen=True):
    """A pairing, from the point of view of its first engine. If both engines have the same limit,
    the first is the one with more points in total."""

    first: Annotated[str, "label"]
    second: Annotated[str, "label"]
    games: Annotated[int, "games counted"]
    wins: Annotated[int, "games won by the first engine"]
    draws: Annotated[int, "draws"]
    losses: Annotated[int, "games lost by the first engine"]
    score: Annotated[float, "mean score of the first engine, 0 to 1"]
    pentanomial: Annotated[
        list[int], "complete pairs in which the first engine scored 0, 1/2, 1, 3/2, 2 points"
    ]
    white_wins: Annotated[int, "games that the first engine won with White"]
    white_draws: Annotated[int, "games drawn by the first engine with White"]
    white_losses: Annotated[int, "games lost by the first engine with White"]
    black_wins: Annotated[int, "games that the first engine won with Black"]
    black_draws: Annotated[int, "games drawn by the first engine with Black"]
    black_losses: Annotated[int, "games lost by the first engine with Black"]
    first_id: Annotated[str, "identity of the variant"]
    second_id: Annotated[str, "identity of the variant"]
    first_limit: Annotated[dict[str, Any] | None, "limit of the first engine, as in `ratings`"]
    second_limit: Annotated[dict[str, Any] | None, "limit of the second engine"]


class CrosstableRows(Sequence[CrosstableRow]):
    """The rows of a crosstable, computed on access, because 1,000 players who all met have half
    a million."""

    def __init__(
        self,
        names: Sequence[str],
        players: Sequence[RatedPlayer],
        met: NDArray[np.int64],
        counts: NDArray[np.int64],
    ) -> None:
        """``met``: places of two players, the first's times the number of all plus the second's;
        ``counts``: their numbers as of :func:`_meetings`."""
        self._names = names
        self._players = players
        self._met = met
        self._counts = counts

    def __len__(self) -> int:
        return len(self._met)

    @overload
    def __getitem__(self, at: int) -> CrosstableRow: ...
    @overload
    def __getitem__(self, at: slice) -> list[CrosstableRow]: ...
    def __getitem__(self, at: int | slice) -> CrosstableRow | list[CrosstableRow]:
        if isinstance(at, slice):
            found = zip(self._met[at].tolist(), self._counts[at].tolist(), strict=True)
            return [self._row(met, counts) for met, counts in found]
        return self._row(int(self._met[at]), self._counts[at].tolist())

    def __iter__(self) -> Iterator[CrosstableRow]:
        for start in range(0, len(self), _ROWS_AT_ONCE):
            yield from self[start : start + _ROWS_AT_ONCE]

    def _row(self, met: int, counts: list[int]) -> CrosstableRow:
        one, two = divmod(met, len(self._names))
        names, players = self._names, self._players
        return _crosstable_row(names[one], names[two], players[one], players[two], counts)


@dataclass(frozen=True, slots=True)
class Crosstable:
    """Every two players who met, once each, and the players by their score."""

    rows: Sequence[CrosstableRow]
    players: list[str]
    """Labels, limit after limit, the best share of points first."""
    shown: list[str]
    """What tables call the players, in the same order."""
    limits: list[str | None]
    """The keys of their limits, in the same order; None if limits are mixed."""
    excluded: int
    """Games left out because they repeat others."""
    apart: int
    """Engines that several cores played and that are several players."""

    @property
    def several_limits(self) -> bool:
        """Whether players had different limits."""
        return len(set(self.limits)) > 1


def crosstable(
    db: Database,
    selection: Selection | None = None,
    *,
    mix: bool = False,
    mix_limits: bool = False,
) -> Crosstable:
    """The crosstable of all games of the database, or of a choice; every distinct game counts once.

    Different cores of one engine, and the engine under different limits, are separate players
    unless they are mixed (``mix``, ``mix_limits``). Raises NothingMatched if there is no game
    between different engines.
    """
    selection = selection or Selection()
    chosen = choose(db, selection)
    games = read_games(db, chosen, mixing=Mixing(cores=mix, limits=mix_limits))
    if not games.players:
        hint = in_other_games(db, *selection.engines)
        raise NothingMatched(f"no game between different engines in {db.name}{hint}")
    names = player_names(db, chosen, games)
    points = _points(games)
    rank = {limit: at for at, limit in enumerate(limits_of(games.players))}
    order = sorted(
        points,
        key=lambda player: (
            rank.get(games.known[player].limit or "", 0),
            -points[player],
            names.labels[player],
        ),
    )
    players = [games.known[player] for player in order]
    labels = [names.labels[player] for player in order]
    return Crosstable(
        rows=CrosstableRows(labels, players, *_meetings(games.table, order)),
        players=labels,
        shown=[names.shown[player] for player in order],
        limits=[player.limit for player in players],
        excluded=games.excluded,
        apart=len(cores_apart(players)),
    )


def _meetings(
    table: GameTable, order: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every two players who met, by their places in ``order``: the lower one times the number of
    players plus the other; and a row of numbers for each: the first one's wins, draws and losses
    with White, the same with Black, and its pairs of 0 to 2 points."""
    import numpy as np

    size = len(order)
    rank_of = {player: rank for rank, player in enumerate(order)}
    rank = np.array([rank_of[player] for player in table.players], dtype=np.intp)
    games, pairs = table.games, table.pairs
    white, black = rank[games.white], rank[games.black]
    first, second = rank[pairs.first], rank[pairs.second]
    ahead, turned = white < black, second < first
    met, at = np.unique(
        np.where(ahead, white * size + black, black * size + white), return_inverse=True
    )
    counts = np.zeros((met.size, 11), dtype=np.int64)
    counts[at[ahead], :3] = games.counts.T[ahead]
    counts[at[~ahead], 3:6] = games.counts.T[~ahead, ::-1]
    pentanomial = np.where(turned, pairs.pentanomial()[::-1], pairs.pentanomial())
    keys = np.where(turned, second * size + first, first * size + second)
    counts[np.searchsorted(met, keys), 6:] = pentanomial.T
    return met, counts


def _crosstable_row(
    first: str, second: str, one: RatedPlayer, two: RatedPlayer, counts: list[int]
) -> CrosstableRow:
    """A row from the numbers of :func:`_meetings`."""
    white_wins, white_draws, white_losses, black_wins, black_draws, black_losses = counts[:6]
    wins, draws = white_wins + black_wins, white_draws + black_draws
    losses = white_losses + black_losses
    games = wins + draws + losses
    return CrosstableRow(
        first=first,
        second=second,
        games=games,
        wins=wins,
        draws=draws,
        losses=losses,
        score=(wins + draws / 2) / games,
        pentanomial=counts[6:],
        white_wins=white_wins,
        white_draws=white_draws,
        white_losses=white_losses,
        black_wins=black_wins,
        black_draws=black_draws,
        black_losses=black_losses,
        first_id=one.identity,
        second_id=two.identity,
        first_limit=one.limit_data,
        second_limit=two.limit_data,
    )


def _points(games: PlayedGames) -> dict[str, float]:
    """Share of the points of each player, by id."""
    results = games.table.results()
    shares = (results[:, 0] + results[:, 1] / 2.0) / results.sum(axis=1)
    return dict(zip(games.table.players, shares.tolist(), strict=True))
