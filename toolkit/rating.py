"""Rating lists: the joint fit over games of the database, stored with its settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from db.records import EventRecord, RatingListRecord, RatingRow
from toolkit.errors import NothingMatched, OperationFailed, UsageError
from toolkit.queries import find_event, resolve_engine
from toolkit.rows import RatingLine
from toolkit.version import program_version

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.stats.ratings import EncounterCounts, PairedCounts, PlayerRating, Pool, Ratings


@dataclass(frozen=True, slots=True)
class RatingReport:
    """A rating list and what it was made from."""

    ratings: Ratings
    """The fit; its players are identities."""
    labels: Mapping[str, str]
    """What the players are called, by identity."""
    excluded: int
    """Games left out because they repeat others of the list."""
    self_games: int
    """Games left out because an engine played itself."""
    settings: Mapping[str, Any]
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


def rate_games(
    db: Database,
    *,
    event: str | None = None,
    anchors: Mapping[str, float] | None = None,
    store: bool = True,
) -> RatingReport:
    """Fit ratings, white advantage and draw rate to all games of the database, or of one event.

    Every distinct game counts once. ``anchors``: known ratings by engine; one sets the place of the
    scale, several are held fixed; without any the mean of a pool is 0. ``store`` keeps the list in
    the database, unless it can only be read. Raises NothingMatched when there is no game to rate,
    UsageError for an anchor that did not play.
    """
    from toolkit.stats.errors import StatisticsError
    from toolkit.stats.ratings import RatingOptions, rate

    chosen = None if event is None else find_event(db, event)
    games = _selected_games(db, chosen)
    if not games.encounters:
        where = f"event {chosen.key}" if chosen else db.name
        raise NothingMatched(f"no game between different engines to rate in {where}")
    labels = _labels(db, chosen, {player for row in games.encounters for player in row[:2]})
    known = _anchors(db, labels, anchors or {})
    try:
        ratings = rate(games.encounters, games.pairs, RatingOptions(anchors=known))
    except StatisticsError as error:
        raise OperationFailed(f"these games cannot be rated: {error}") from error
    settings = {"event": chosen.key if chosen else None, "anchors": known, "mean": 0.0}
    report = RatingReport(ratings, labels, games.excluded, games.self_games, settings)
    if not store or db.read_only:
        return report
    return replace(report, list_id=_stored(db, report))


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
        lines.append(f"{report.excluded} games repeat others of the list and were left out.")
    if report.self_games:
        lines.append(f"{report.self_games} games of an engine against itself say nothing here.")
    if report.ratings.left_out:
        lines.append(f"{report.ratings.left_out} games between pools could not be used.")
    return lines


@dataclass(frozen=True, slots=True)
class _Games:
    """Counts of the chosen games; those of an engine against itself are only a number."""

    encounters: Sequence[EncounterCounts]
    pairs: Sequence[PairedCounts]
    excluded: int
    self_games: int


def _selected_games(db: Database, event: EventRecord | None) -> _Games:
    from toolkit.stats.ratings import EncounterCounts, PairedCounts

    repository = db.repository
    chosen = None if event is None else [event.id]
    rows = [
        EncounterCounts(c.white_id, c.black_id, c.white_wins, c.draws, c.black_wins)
        for c in repository.score_counts(chosen)
    ]
    pairs = [
        PairedCounts(c.first_id, c.second_id, c.joint) for c in repository.joint_counts(chosen)
    ]
    own = [row for row in rows if row.white == row.black]
    return _Games(
        encounters=[row for row in rows if row.white != row.black],
        pairs=[pair for pair in pairs if pair.first != pair.second],
        excluded=repository.excluded_games(chosen),
        self_games=sum(row.white_wins + row.draws + row.black_wins for row in own),
    )


def _labels(db: Database, event: EventRecord | None, players: set[str]) -> dict[str, str]:
    """A name for each player; where two would have the same, with the beginning of the id."""
    found: dict[str, str] = {}
    if event is None:
        found = db.repository.labels(sorted(players))
    else:
        for player in db.repository.event_players(event.id):
            before = found.get(player.variant_id)
            found[player.variant_id] = f"{before} = {player.label}" if before else player.label
    times = Counter(found.values())
    return {
        identity: label if times[label] == 1 else f"{label} [{identity[:6]}]"
        for identity, label in found.items()
    }


def _anchors(
    db: Database, labels: Mapping[str, str], given: Mapping[str, float]
) -> dict[str, float]:
    """The anchors by identity."""
    by_label = {label: identity for identity, label in labels.items()}
    known = {}
    for text, elo in given.items():
        identity = by_label.get(text) or resolve_engine(db, text)
        if identity not in labels:
            raise UsageError(f"anchor `{text}` did not play in these games")
        known[identity] = elo
    return known


def _row(report: RatingReport, number: int, pool: Pool, line: PlayerRating) -> RatingLine:
    return RatingLine(
        engine=report.labels[line.player],
        elo=line.elo,
        error95=line.error95,
        error_model=pool.error_model,
        games=line.games,
        score=line.score,
        los_next=line.los_next,
        engine_id=line.player,
        pool=number,
        bound=line.bound,
        draws=line.draws / line.games,
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
    lists = db.repository.rating_lists()
    if lists and lists[-1].rows == rows and lists[-1].settings == report.settings:
        return lists[-1].id
    record = RatingListRecord(
        id=0,
        created_at="",
        version=program_version(),
        error_model=report.error_model,
        settings=report.settings,
        rows=rows,
    )
    return db.repository.add_rating_list(record).id


def _explain_pool(report: RatingReport, number: int, pool: Pool) -> str:
    names = ", ".join(report.labels[line.player] for line in pool.players)
    errors = {
        "pair-clustered": "errors are clustered by game pair",
        "fisher": "fewer than 30 pairs in some pairing: errors are from the inverse Fisher "
        "information, games taken as independent",
        "bootstrap": "errors are from a bootstrap",
        "none": "nothing could be fitted, only bounds",
    }[pool.error_model]
    advantage = f"{pool.white_advantage:+.1f}"
    if pool.white_advantage_error95 is not None:
        advantage += f" +- {pool.white_advantage_error95:.1f}"
    fixed = "its mean is 0" if pool.reference == "mean" else f"fixed by its {pool.reference}"
    return (
        f"Pool {number}: {names}. {pool.games} games; {fixed}; white advantage {advantage} Elo "
        f"({pool.white_advantage_note}); draw rate of equals {100 * pool.draw_rate:.1f} %; "
        f"{errors}."
    )
