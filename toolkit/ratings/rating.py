"""Rating lists: the joint fit over games of the database.

A rating belongs to an engine under conditions, its limit and the core that played it; see
:mod:`toolkit.selection.players`.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from toolkit.base.errors import NothingMatched, OperationFailed, UsageError
from toolkit.base.format import count_of
from toolkit.ratings.anchors import find_anchors
from toolkit.ratings.influence import find_influence
from toolkit.ratings.rating_list import RatingReport
from toolkit.selection.engines import in_other_games
from toolkit.selection.games import ChosenGames, Selection, choose
from toolkit.selection.players import Mixing, PlayerNames, player_names, read_games

if TYPE_CHECKING:
    from db.records.events import EventRecord
    from db.session import Database


LEAST_RESAMPLES, MOST_RESAMPLES = 100, 100_000
"""Of a bootstrap: of fewer the ends of a 95 % interval are those of one or two resamples, and more
tell no more and fill the memory."""
LEAST_PRIOR, MOST_PRIOR = 0.01, 1e6
"""Elo: a narrower prior fixes every rating at 0, and a wider one says nothing."""


class RatingQuery(Struct, frozen=True):
    """What to rate, and how."""

    selection: Selection = Selection()
    min_games: int = 0
    """Engines with fewer games against the others of the list are excluded, in rounds, until all
    remaining engines have this many."""
    mix: bool = False
    """Give an engine one rating even if different cores (backend or signature) played it. Otherwise
    each core has a separate player."""
    mix_limits: bool = False
    """Give an engine one rating for all its limits. Otherwise each limit has a separate player."""
    anchors: Mapping[str, float] = {}
    """Known ratings by engine, or by engine under a limit as in ``pvs@nodes=2000``. One sets the
    place of the scale, several are held fixed; without any the mean of a pool is 0."""
    bootstrap: int = 0
    """Resamples that errors are taken from; 0: they are from the covariance."""
    prior: float | None = None
    """Standard deviation of a weak prior in Elo; None: plain maximum likelihood."""
    influence: bool = False
    """Also find what changes the order of two neighbours."""

    def __post_init__(self) -> None:
        """Raises UsageError for numbers that make no sense."""
        if self.min_games < 0:
            raise UsageError(f"min-games must be at least 0, not {self.min_games}")
        if self.bootstrap and not LEAST_RESAMPLES <= self.bootstrap <= MOST_RESAMPLES:
            raise UsageError(
                f"bootstrap must be from {LEAST_RESAMPLES} to {MOST_RESAMPLES} resamples, not "
                f"{self.bootstrap}"
            )
        if self.prior is not None and not LEAST_PRIOR <= self.prior <= MOST_PRIOR:
            raise UsageError(
                f"prior must be a positive number of Elo from {LEAST_PRIOR:g} to {MOST_PRIOR:g}, "
                f"not {self.prior:g}"
            )


def rate_games(
    db: Database,
    query: RatingQuery | None = None,
    *,
    event: EventRecord | str | None = None,
    anchors: Mapping[str, float] | None = None,
    store: bool = False,
) -> RatingReport:
    """Fit ratings, white advantage and draw rate to all games in the database, or to a selection.

    Each distinct game counts once. ``event`` and ``anchors`` override those of the query. ``store``
    stores the list in the database, where :func:`toolkit.rating_history` finds it; without it
    nothing is written. Raises NothingMatched if there is no game to rate or an anchor did not play,
    UsageError for an anchor with several players, DatabaseError.
    """
    # The matrices are small: threads would only wait for each other, and busily so.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from toolkit.stats.errors import StatisticsError
    from toolkit.stats.ratings import RatingOptions, rate_table

    query = query or RatingQuery()
    if event is not None:
        query = replace(query, selection=replace(query.selection, events=(event,)))
    if anchors is not None:
        query = replace(query, anchors=anchors)
    chosen = choose(db, query.selection)
    mixing = Mixing(cores=query.mix, limits=query.mix_limits)
    games = read_games(db, chosen, mixing=mixing, min_games=query.min_games)
    if not games.players:
        raise NothingMatched(_nothing(db, chosen, query))
    names = player_names(db, chosen, games)
    known = find_anchors(db, games.players, names, query.anchors, chosen.game)
    options = RatingOptions(
        anchors=known,
        anchor_groups={player: games.known[player].limit or "" for player in known},
        bootstrap=query.bootstrap,
        prior=query.prior,
        names=names.labels,
    )
    try:
        ratings = rate_table(games.table, options)
        influence = (
            find_influence(db, chosen, games, mixing, options, ratings) if query.influence else ()
        )
    except StatisticsError as error:
        raise OperationFailed(f"these games cannot be rated: {error}") from error
    report = RatingReport(
        ratings=ratings,
        players=games.known,
        names=names,
        excluded=games.excluded,
        self_games=games.self_games,
        settings=_settings(query, chosen, known, names),
        game=query.selection.game,
        below_minimum=games.below_minimum,
        influence=influence,
    )
    if not store:
        return report
    from toolkit.ratings.history import store_list

    return dataclasses.replace(report, list_id=store_list(db, report))


def store_after_event(db: Database, game: str) -> str | None:
    """Keep the list of all games of one game under default settings, as after each event that was
    played to its end. Returns why these games cannot be rated, if so. Raises DatabaseError."""
    try:
        rate_games(db, RatingQuery(Selection(game=game)), store=True)
    except NothingMatched:
        return None  # engines that only played themselves
    except OperationFailed as error:
        return str(error)
    return None


def _settings(
    query: RatingQuery, chosen: ChosenGames, known: Mapping[str, float], names: PlayerNames
) -> dict[str, Any]:
    """What the list was made with, as plain data."""
    keys = chosen.event_keys
    settings: dict[str, Any] = {
        "event": keys[0] if len(keys) == 1 else None,
        "anchors": dict(known),
        "mean": 0.0,
    }
    extra = {
        **chosen.settings(query.selection),
        "min_games": query.min_games,
        "mix": query.mix,
        "mix_limits": query.mix_limits,
        "anchor_labels": {player: names.labels[player] for player in known},
        "bootstrap": query.bootstrap,
        "prior": query.prior,
    }
    if len(keys) == 1:
        del extra["events"]
    return settings | {name: value for name, value in extra.items() if value}


def _nothing(db: Database, chosen: ChosenGames, query: RatingQuery) -> str:
    where = f"event {chosen.event_keys[0]}" if len(chosen.event_keys) == 1 else db.name
    least = f" that have at least {count_of(query.min_games, 'game')}" if query.min_games else ""
    hint = in_other_games(db, *query.selection.engines)
    return f"no game between different engines{least} to rate in {where}{hint}"
