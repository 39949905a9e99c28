"""Rating lists: the joint fit over games of the database, stored with its settings."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from db.records import Core, RatingListRecord, RatingRow
from toolkit.errors import NothingMatched, OperationFailed, UsageError
from toolkit.output import count_of
from toolkit.played import PlayedGames, core_of, identity_of, player_labels, read_games
from toolkit.queries import resolve_engine
from toolkit.report_rows import LosRow
from toolkit.rows import RatingLine
from toolkit.selection import Chosen, Selection, choose
from toolkit.version import program_version

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.stats.ratings import PlayerRating, Pool, Ratings


@dataclass(frozen=True, slots=True)
class RatingReport:
    """A rating list and what it was made from."""

    ratings: Ratings
    """The fit; its players are identities, and those of :attr:`apart` identities with a core."""
    labels: Mapping[str, str]
    """What the players are called."""
    excluded: int
    """Games left out because they repeat others of the list."""
    self_games: int
    """Games left out because an engine played itself."""
    settings: Mapping[str, Any]
    apart: Mapping[str, tuple[Core, ...]] = field(default_factory=dict)
    """Engines that several cores played, by identity; each core is a player of the list."""
    below_minimum: int = 0
    """Engines left out because they have too few games."""
    list_id: int | None = field(default=None, compare=False)
    """Number of the stored list; None when it was not stored."""

    @property
    def error_model(self) -> str:
        """Where the errors come from; of several pools all that occur."""
        return ", ".join(sorted({pool.error_model for pool in self.ratings.pools}))

    def rows(self) -> list[RatingLine]:
        """The lines as ``--json`` prints them, pool after pool, strongest first."""
        return [
            _row(self, number, pool, line)
            for number, pool in enumerate(self.ratings.pools)
            for line in pool.players
        ]


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
    anchors: Mapping[str, float] = field(default_factory=dict)
    """Known ratings by engine; one sets the place of the scale, several are held fixed; without any
    the mean of a pool is 0."""
    bootstrap: int = 0
    """Resamples that errors are taken from; 0: they are from the covariance."""
    prior: float | None = None
    """Standard deviation of a weak prior in Elo; None: plain maximum likelihood."""

    def __post_init__(self) -> None:
        """Raises UsageError for numbers that make no sense."""
        if self.min_games < 0:
            raise UsageError(f"min-games must be at least 0, not {self.min_games}")
        if self.bootstrap < 0 or self.bootstrap == 1:
            raise UsageError(f"bootstrap must be at least 2 resamples, not {self.bootstrap}")
        if self.prior is not None and not 0.0 < self.prior < math.inf:
            raise UsageError(f"prior must be a positive number of Elo, not {self.prior:g}")


def rate_games(
    db: Database,
    query: RatingQuery | None = None,
    *,
    event: str | None = None,
    anchors: Mapping[str, float] | None = None,
    store: bool = True,
) -> RatingReport:
    """Fit ratings, white advantage and draw rate to all games of the database, or to a choice.

    Every distinct game counts once. ``event`` and ``anchors`` stand for those of the query.
    ``store`` keeps the list in the database, unless it can only be read. Raises NothingMatched when
    there is no game to rate or an anchor did not play, UsageError for an anchor of several players.
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
    games = read_games(db, chosen, mix=query.mix, min_games=query.min_games)
    if not games.players:
        raise NothingMatched(_nothing(db, chosen, query))
    labels = player_labels(db, chosen, games)
    known = _anchors(db, labels, games, query.anchors)
    options = RatingOptions(
        anchors=known, bootstrap=query.bootstrap, prior=query.prior, names=labels
    )
    try:
        ratings = rate_table(games.table, options)
    except StatisticsError as error:
        raise OperationFailed(f"these games cannot be rated: {error}") from error
    report = RatingReport(
        ratings=ratings,
        labels=labels,
        excluded=games.excluded,
        self_games=games.self_games,
        settings=_settings(query, chosen, known),
        apart=games.apart,
        below_minimum=games.below_minimum,
    )
    if not store or db.read_only:
        return report
    return replace(report, list_id=_stored(db, report))


def los_rows(report: RatingReport) -> Iterator[LosRow]:
    """Every two rated engines of each pool: difference, its error, and who is stronger."""
    from toolkit.stats.elo import Z95

    for number, pool in enumerate(report.ratings.pools):
        order = [line.player for line in pool.players if line.bound is None]
        place = {player: at for at, player in enumerate(pool.rated)}
        los, c = pool.los_matrix(), pool.covariance
        for player in order:
            for other in order:
                one, two = place[player], place[other]
                if one == two:
                    continue
                variance = float(c[one, one] + c[two, two] - 2.0 * c[one, two])
                yield LosRow(
                    engine=report.labels[player],
                    other=report.labels[other],
                    los=float(los[one, two]),
                    elo=float(pool.estimates[one] - pool.estimates[two]),
                    error95=Z95 * math.sqrt(max(variance, 0.0)),
                    pool=number,
                    engine_id=identity_of(player),
                    other_id=identity_of(other),
                )


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
    if report.ratings.left_out:
        between = count_of(report.ratings.left_out, "game")
        lines.append(f"{between} between pools could not be used.")
    return lines


def _settings(query: RatingQuery, chosen: Chosen, known: Mapping[str, float]) -> dict[str, Any]:
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


def _anchors(
    db: Database, labels: Mapping[str, str], games: PlayedGames, given: Mapping[str, float]
) -> dict[str, float]:
    """The anchors by player."""
    by_label = {label: player for player, label in labels.items()}
    known = {}
    for text, elo in given.items():
        player = by_label.get(text) or resolve_engine(db, text)
        if player not in labels:
            # A label of any event means the engine.
            named = {
                identity for label, identity in db.repository.labelled_variants() if label == text
            }
            present = sorted({identity_of(p) for p in labels} & named)
            if len(present) > 1:
                several = " or ".join(f"`{text} [{identity[:6]}]`" for identity in present[:5])
                raise UsageError(
                    f"anchor `{text}` is the label of {len(present)} engines: give {several}"
                )
            player = present[0] if present else player
        if player in games.apart:
            several = " or ".join(
                f"`{label}`" for p, label in labels.items() if games.identity(p) == player
            )
            raise UsageError(f"anchor `{text}` stands for several cores: give {several}, or --mix")
        if player not in labels:
            raise NothingMatched(f"anchor `{text}` did not play in these games")
        known[player] = elo
    return known


def _row(report: RatingReport, number: int, pool: Pool, line: PlayerRating) -> RatingLine:
    core = core_of(line.player)
    return RatingLine(
        engine=report.labels[line.player],
        elo=line.elo,
        error95=line.error95,
        error_model=pool.error_model,
        games=line.games,
        score=line.score,
        los_next=line.los_next,
        engine_id=identity_of(line.player),
        pool=number,
        bound=line.bound,
        draws=line.draws / line.games,
        core=None if core is None else f"{core[0]}:{core[1]}",
    )


def _stored(db: Database, report: RatingReport) -> int:
    """Keep the list, unless the newest one says the same; its number."""
    rows = tuple(
        RatingRow(
            variant_id=row["engine_id"],
            label=row["engine"],
            elo=row["elo"],
            error95=row["error95"],
            games=row["games"],
            score=row["score"],
            los_next=row["los_next"],
        )
        for row in report.rows()
    )
    sizes = [len(pool.players) for pool in report.ratings.pools]
    # Ranks are of the whole list; this tells them of each pool.
    settings = dict(report.settings) | ({"pools": sizes} if len(sizes) > 1 else {})
    newest = db.repository.newest_rating_list()
    if newest and newest.rows == rows and newest.settings == settings:
        return newest.id
    record = RatingListRecord(
        id=0,
        created_at="",
        version=program_version(),
        error_model=report.error_model,
        settings=settings,
        rows=rows,
    )
    return db.repository.add_rating_list(record).id


def _explain_pool(report: RatingReport, number: int, pool: Pool) -> str:
    names = ", ".join(report.labels[line.player] for line in pool.players)
    errors = {
        "pair-clustered": "errors are clustered by game pair",
        "fisher": "errors are from the inverse Fisher information, games taken as independent, "
        "because some two engines that met have fewer than 30 pairs, or pairs that all scored "
        "the same",
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
