"""Rating lists: the joint fit over games of the database.

A rating belongs to an engine under conditions, its limit and the core that played it; see
:mod:`toolkit.played`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from db.records import Core
from toolkit.anchors import find_anchors
from toolkit.errors import NothingMatched, OperationFailed, UsageError
from toolkit.limits import spell_limit_key
from toolkit.output import count_of
from toolkit.played import (
    Mixing,
    Player,
    PlayerNames,
    cores_apart,
    limits_of,
    player_names,
    read_games,
)
from toolkit.report_rows import LosRow
from toolkit.rows import RatingLine
from toolkit.selection import Chosen, Selection, choose

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.stats.ratings import PlayerRating, Pool, Ratings


@dataclass(frozen=True, slots=True)
class RatingReport:
    """A rating list and what it was made from."""

    ratings: Ratings
    """The fit; its players are ids of :attr:`players`."""
    players: Mapping[str, Player]
    """Engines under conditions, by id."""
    names: PlayerNames
    excluded: int
    """Games left out because they repeat others of the list."""
    self_games: int
    """Games left out because an engine played itself."""
    settings: Mapping[str, Any]
    below_minimum: int = 0
    """Engines left out because they have too few games."""
    list_id: int | None = field(default=None, compare=False)
    """Number of the stored list; None when it was not stored."""

    @property
    def apart(self) -> dict[str, tuple[Core, ...]]:
        """Engines that several cores played, by identity; each core is a player of the list."""
        return cores_apart(self.rated)

    @property
    def limits(self) -> tuple[str, ...]:
        """Keys of the limits that occur; each engine is a player of the list under each."""
        return limits_of(self.rated)

    @property
    def rated(self) -> list[Player]:
        """The players of the list, in its order."""
        return [self.players[line.player] for line in self.ratings.players]

    @property
    def error_model(self) -> str:
        """Where the errors come from; of several pools all that occur."""
        return ", ".join(sorted({pool.error_model for pool in self.ratings.pools}))

    def rows(self) -> list[RatingLine]:
        """The lines as ``--json`` prints them, pool after pool, strongest first."""
        apart = self.apart
        return [
            _row(self, number, pool, line, apart)
            for number, pool in enumerate(self.ratings.pools)
            for line in pool.players
        ]

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        from toolkit.notebook import html_of

        return html_of("ratings", self)


LEAST_RESAMPLES, MOST_RESAMPLES = 100, 100_000
"""Of a bootstrap: of fewer the ends of a 95 % interval are those of one or two resamples, and more
tell no more and fill the memory."""


@dataclass(frozen=True, slots=True)
class RatingQuery:
    """What to rate, and how."""

    selection: Selection = Selection()
    min_games: int = 0
    """Engines with fewer games against the others of the list are left out, one after the other
    until all that are left have as many."""
    mix: bool = False
    """Rate an engine as one although different cores (backend or signature) played it. Without it
    each core's games are a player of their own."""
    mix_limits: bool = False
    """Rate an engine as one although it had different limits. Without it its games under each limit
    are a player of their own."""
    anchors: Mapping[str, float] = field(default_factory=dict)
    """Known ratings by engine, or by engine under a limit as in ``pvs@nodes=2000``. One sets the
    place of the scale, several are held fixed; without any the mean of a pool is 0."""
    bootstrap: int = 0
    """Resamples that errors are taken from; 0: they are from the covariance."""
    prior: float | None = None
    """Standard deviation of a weak prior in Elo; None: plain maximum likelihood."""

    def __post_init__(self) -> None:
        """Raises UsageError for numbers that make no sense."""
        if self.min_games < 0:
            raise UsageError(f"min-games must be at least 0, not {self.min_games}")
        if self.bootstrap and not LEAST_RESAMPLES <= self.bootstrap <= MOST_RESAMPLES:
            raise UsageError(
                f"bootstrap must be from {LEAST_RESAMPLES} to {MOST_RESAMPLES} resamples, not "
                f"{self.bootstrap}"
            )
        if self.prior is not None and not 0.0 < self.prior < math.inf:
            raise UsageError(f"prior must be a positive number of Elo, not {self.prior:g}")


def rate_games(
    db: Database,
    query: RatingQuery | None = None,
    *,
    event: str | None = None,
    anchors: Mapping[str, float] | None = None,
    store: bool = False,
) -> RatingReport:
    """Fit ratings, white advantage and draw rate to all games of the database, or to a choice.

    Every distinct game counts once. ``event`` and ``anchors`` stand for those of the query.
    ``store`` keeps the list in the database, where :func:`toolkit.rating_history` finds it; without
    it nothing is written. Raises NothingMatched when there is no game to rate or an anchor did not
    play, UsageError for an anchor of several players, DatabaseError.
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
    known = find_anchors(db, games.players, names, query.anchors)
    options = RatingOptions(
        anchors=known,
        anchor_groups={player: games.known[player].limit or "" for player in known},
        bootstrap=query.bootstrap,
        prior=query.prior,
        names=names.labels,
    )
    try:
        ratings = rate_table(games.table, options)
    except StatisticsError as error:
        raise OperationFailed(f"these games cannot be rated: {error}") from error
    report = RatingReport(
        ratings=ratings,
        players=games.known,
        names=names,
        excluded=games.excluded,
        self_games=games.self_games,
        settings=_settings(query, chosen, known, names),
        below_minimum=games.below_minimum,
    )
    if not store:
        return report
    from toolkit.history import store_list

    return replace(report, list_id=store_list(db, report))


def los_rows(report: RatingReport) -> Iterator[LosRow]:
    """Every two rated engines of each pool: difference, its error, and who is stronger."""
    for number, pool in enumerate(report.ratings.pools):
        order = [line.player for line in pool.players if line.bound is None]
        place = {player: at for at, player in enumerate(pool.rated)}
        los, errors = pool.los_matrix(), pool.error_matrix()
        for player in order:
            for other in order:
                one, two = place[player], place[other]
                if one == two:
                    continue
                who, whom = report.players[player], report.players[other]
                yield LosRow(
                    engine=report.names.labels[player],
                    other=report.names.labels[other],
                    los=float(los[one, two]),
                    elo=float(pool.estimates[one] - pool.estimates[two]),
                    error95=float(errors[one, two]),
                    pool=number,
                    engine_id=who.identity,
                    other_id=whom.identity,
                    limit=who.limit_data,
                    other_limit=whom.limit_data,
                )


def limits_text(report: RatingReport, pool: Pool) -> str:
    """The limits of the players of a pool, as in ``nodes=2000``."""
    found = limits_of(report.players[line.player] for line in pool.players)
    return " and ".join(map(spell_limit_key, found)) or spell_limit_key(None)


def explain_ratings(report: RatingReport) -> list[str]:
    """What the list is, in sentences: model, pools, white advantage, draw rate, errors."""
    lines = [
        "One joint maximum-likelihood fit over all games of a pool. Expected score of White: "
        "p = 1/(1 + 10^(-(Rw + A - Rb)/400)), A the white advantage; probability D of a draw: "
        "D^2 = (2q/(1 - q))^2 W L with W = p - D/2, L = 1 - p - D/2, q the draw rate of equals."
    ]
    for number, pool in enumerate(report.ratings.pools, start=1):
        lines.append(_explain_pool(report, number, pool))
    if report.excluded:
        repeated = count_of(report.excluded, "game repeats", "games repeat")
        lines.append(f"{repeated} others of the list, left out.")
    if report.self_games:
        own = count_of(report.self_games, "game")
        lines.append(f"{own} of an engine against itself: nothing to rate.")
    for identity, cores in report.apart.items():
        names = " and ".join(f"{backend}:{signature[:8]}" for backend, signature in cores)
        lines.append(
            f"Engine {identity} was played by different cores ({names}), which may play "
            "differently: each is rated by itself; --mix rates them as one."
        )
    if len(report.limits) > 1:
        limits = " and ".join(map(spell_limit_key, report.limits))
        lines.append(
            f"The games were played under different limits ({limits}). How strong an engine is "
            "depends on its limit: each engine is rated by itself under each limit; --mix-limits "
            "rates it as one."
        )
    if report.ratings.left_out:
        between = count_of(report.ratings.left_out, "game")
        lines.append(f"{between} between pools could not be used.")
    return lines


def _settings(
    query: RatingQuery, chosen: Chosen, known: Mapping[str, float], names: PlayerNames
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


def _nothing(db: Database, chosen: Chosen, query: RatingQuery) -> str:
    where = f"event {chosen.event_keys[0]}" if len(chosen.event_keys) == 1 else db.name
    least = f" that have at least {count_of(query.min_games, 'game')}" if query.min_games else ""
    return f"no game between different engines{least} to rate in {where}"


def _row(
    report: RatingReport,
    number: int,
    pool: Pool,
    line: PlayerRating,
    apart: Mapping[str, tuple[Core, ...]],
) -> RatingLine:
    player = report.players[line.player]
    return RatingLine(
        engine=report.names.labels[line.player],
        elo=line.elo,
        error95=line.error95,
        error_model=pool.error_model,
        games=line.games,
        score=line.score,
        los_next=line.los_next,
        engine_id=player.identity,
        pool=number,
        bound=line.bound,
        draws=line.draws / line.games,
        core=player.core_text if player.identity in apart else None,
        limit=player.limit_data,
    )


def _explain_pool(report: RatingReport, number: int, pool: Pool) -> str:
    names = ", ".join(report.names.shown[line.player] for line in pool.players)
    if len(report.limits) > 1:
        names += f" under {limits_text(report, pool)}"
    errors = {
        "pair-clustered": "errors are clustered by game pair, with those of a match where a "
        "difference rests on the games of two engines",
        "fisher": "errors are from the inverse Fisher information, games taken as independent, "
        "because no pairs are known",
        "bootstrap": f"errors are from {report.settings.get('bootstrap', 0)} resamples of pairs "
        "and games",
        "none": "nothing could be fitted, only bounds",
    }[pool.error_model]
    advantage = f"{pool.white_advantage:+.1f}"
    if pool.white_advantage_error95 is not None:
        advantage += f" +- {pool.white_advantage_error95:.1f}"
    fixed = "its mean is 0" if pool.reference == "mean" else f"fixed by its {pool.reference}"
    return (
        f"Pool {number}: {names}. {count_of(pool.games, 'game')}; {fixed}; "
        f"white advantage {advantage} Elo ({pool.white_advantage_note}); "
        f"draw rate of equals {100 * pool.draw_rate:.1f} %; {errors}."
    )
