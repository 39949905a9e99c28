"""What each feature of an engine is worth: the engine against itself with one feature off.

An ablation is an event whose only hero is the engine; the field is the engine without each of the
features, labelled ``feature=value``. An ablation against opponents has all of these as heroes, and
the opponents as the field.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median_grouped
from typing import TYPE_CHECKING, Annotated, Unpack

from msgspec import Struct, structs, to_builtins

from db.limits import limit_key
from db.records.events import EventRecord
from db.records.games import GameFilter
from engines.features import features_of, without_feature
from engines.limit import Limit
from engines.spec import Variant
from engines.variant import parse_variant
from toolkit.base.errors import NothingMatched, OperationFailed, UsageError
from toolkit.events.contenders import Asked
from toolkit.events.progress import MatchFields, ScoreRow, match_fields
from toolkit.events.settings import EventKeywords, EventSettings, gauntlet_settings
from toolkit.ratings.rating import RatingQuery, rate_games
from toolkit.referee.searchdata import NO_SEARCHES, decode_found
from toolkit.reports.event_statistics import PlayerStats, player_stats
from toolkit.reports.events import EventRow, event_row
from toolkit.reports.scores import event_scores, repeated_games
from toolkit.selection.events import find_event
from toolkit.selection.games import Selection

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.stats.ratings import Pool


class AblationRow(Struct, frozen=True):
    """An engine with one feature off, against the same engine with all features on, or both against
    the same opponents. The row with all features on has no Elo, and without opponents only
    costs. Each distinct game of the event counts once; costs cover all
    games."""

    engine: Annotated[str, "label, such as `null_move=off`"]
    feature: Annotated[str | None, "name of the parameter; null for all features on"]
    off: Annotated[str | None, "value that switches the feature off, in command-line spelling"]
    games: Annotated[
        int | None, "games played against the full engine or the opponents, including repetitions"
    ]
    wins: Annotated[int | None, "games won with the feature off"]
    draws: Annotated[int | None, "draws"]
    losses: Annotated[int | None, "games lost with the feature off"]
    pentanomial: Annotated[
        list[int] | None, "pairs in which it scored 0, 1/2, 1, 3/2, 2 points with the feature off"
    ]
    elo: Annotated[
        float | None,
        "Elo without the feature relative to the full engine: from the pentanomial counts; with "
        "opponents the difference of ratings in one fit to all games",
    ]
    error95: Annotated[float | None, "half the width of its 95 % interval"]
    low95: Annotated[float | None, "lower end of the interval; null if open"]
    high95: Annotated[float | None, "upper end of the interval; null if open"]
    any_look: Annotated[bool, "whether the interval is valid at any look, as in `match`"]
    los: Annotated[float | None, "likelihood of superiority with the feature off, 0 to 1"]
    nodes_per_move: Annotated[float | None, "mean nodes per move of this engine"]
    depth: Annotated[
        float | None, "median completed depth of its searches, with ties spread evenly"
    ]
    nodes_per_second: Annotated[float | None, "nodes per second of CPU time"]


class AblationOutcome(EventRow, frozen=True):
    """The output of `ablate` and of resuming an ablation: the event and the features."""

    games: Annotated[int, "games in the database"]
    excluded_games: Annotated[int, "games that repeat an earlier one in the database"]
    opponents: Annotated[list[str], "labels of the field; empty if the full engine is the opponent"]
    features: Annotated[list[AblationRow], "all features on, then by greatest loss"]


def ablation_settings(
    engine: str | Variant,
    features: Sequence[str] = (),
    *,
    field: Sequence[Asked] = (),
    pairs: int,
    limit: Limit,
    **options: Unpack[EventKeywords],
) -> EventSettings:
    """Settings of an ablation: ``engine`` plays ``pairs`` game pairs against itself without each
    of the ``features``; none named: all that it has on. With a ``field`` it plays them against each
    opponent there, and so does the engine without each of the features.

    Raises UsageError, or VariantError for a text that is no variant and for a name that is no
    feature which the engine has on.
    """
    hero = parse_variant(engine) if isinstance(engine, str) else engine
    names = list(dict.fromkeys(features)) or features_of(hero)
    copies = [without_feature(hero, name) for name in names]
    if not copies:
        raise UsageError(f"engine `{hero.label}` has no enabled feature to switch off")
    heroes, others = ([hero, *copies], list(field)) if field else ([hero], list(copies))
    settings = gauntlet_settings(heroes, others, pairs=pairs, limit=limit, **options)
    return structs.replace(settings, kind="ablation")


def find_ablation(db: Database, text: str) -> AblationOutcome:
    """The table of the ablation that ``text`` means, finished or not. Raises NothingMatched for an
    event that is not there or has no games, UsageError for one of another kind."""
    event = find_event(db, text)
    if event.kind != "ablation":
        raise UsageError(f"event {event.key} is not an ablation, but of kind {event.kind}")
    table = ablation_table(db, event, repeated_games(db, event))
    if not table.games:
        raise NothingMatched(f"event {event.key} has no games yet")
    return table


def ablation_table(db: Database, event: EventRecord, repeated: int) -> AblationOutcome:
    """What the features are worth as far as the ablation was played: the engine with all on, which
    everything is measured against, then those without a feature, the worst loss first. What has
    no finished pair is left out. ``repeated``: :func:`toolkit.reports.scores.repeated_games`."""
    settings = EventSettings.from_json(event.settings)
    opponents = [player.label for player in settings.players[settings.heroes :]]
    against_field = settings.heroes > 1
    costs = {row.engine: row for row in player_stats(db.repository.event_counts(event.id))}
    depths = _depths(db, event.id)
    results = _against_field(db, event) if against_field else _against_itself(db, event)
    full = settings.players[0].label
    rows = [
        _row(label, result, costs[label], depths.get(label), full=label == full)
        for label, result in results.items()
    ]
    rows.sort(
        key=lambda row: (
            row.feature is not None,
            row.elo is None,
            row.elo or 0.0,
            row.engine,
        )
    )
    return AblationOutcome(
        **structs.asdict(event_row(db, event)),
        games=db.repository.count_games(GameFilter(event_id=event.id)),
        excluded_games=repeated,
        opponents=opponents if against_field else [],
        features=rows,
    )


class _Result(Struct, frozen=True):
    """The games of an engine in an ablation."""

    games: int
    wins: int
    draws: int
    losses: int
    pentanomial: tuple[int, ...]
    difference: MatchFields
    """Elo relative to the full engine."""


def _against_itself(db: Database, event: EventRecord) -> dict[str, _Result | None]:
    """By label; None for the full engine, which all others meet."""
    from toolkit.stats.counts import swapped

    found: dict[str, _Result | None] = {}
    for score in event_scores(db, event):
        counts = swapped(score.pentanomial)
        found.setdefault(score.first, None)
        found[score.second] = _Result(
            score.games,
            score.losses,
            score.draws,
            score.wins,
            counts,
            match_fields(counts, score.any_look),
        )
    return found


def _against_field(db: Database, event: EventRecord) -> dict[str, _Result | None]:
    """By label: the games against all opponents together."""
    scores: dict[str, list[ScoreRow]] = {}
    for score in event_scores(db, event):
        scores.setdefault(score.first, []).append(score)
    differences = _differences(db, event)
    return {
        label: _Result(
            sum(score.games for score in own),
            sum(score.wins for score in own),
            sum(score.draws for score in own),
            sum(score.losses for score in own),
            tuple(map(sum, zip(*(score.pentanomial for score in own), strict=True))),
            differences.get(label, match_fields(())),
        )
        for label, own in scores.items()
    }


def _differences(db: Database, event: EventRecord) -> dict[str, MatchFields]:
    """Elo of each engine relative to the full one, by label: the difference of their ratings in one
    fit to all games of the event, with its error. Those without an estimate are left out: they won
    or lost every game, or have none."""
    settings = EventSettings.from_json(event.settings)
    query = RatingQuery(selection=Selection(events=(event,)), mix=True)
    try:
        report = rate_games(db, query)
    except (NothingMatched, OperationFailed):
        return {}
    known = {(player.identity, player.limit): player.id for player in report.players.values()}
    full, *others = (
        known.get((player.id, limit_key(to_builtins(limit))), "")
        for player, limit in zip(settings.players, settings.limits, strict=True)
    )
    for pool in report.ratings.pools:
        if full in pool.rated:
            return {
                player.label: _difference(pool, rated, full)
                for player, rated in zip(settings.players[1:], others, strict=True)
                if rated in pool.rated
            }
    return {}


def _difference(pool: Pool, player: str, other: str) -> MatchFields:
    elo, error = pool.difference(player, other)
    return MatchFields(
        elo=elo,
        error95=error,
        low95=elo - error,
        high95=elo + error,
        any_look=False,
        los=pool.los(player, other),
    )


def _row(
    label: str, result: _Result | None, cost: PlayerStats, depth: float | None, *, full: bool
) -> AblationRow:
    """A line of the table. ``full``: of the engine with all features on."""
    feature, _, off = (None, "", None) if full else label.partition("=")
    return AblationRow(
        engine=label,
        feature=feature,
        off=off,
        games=result.games if result else None,
        wins=result.wins if result else None,
        draws=result.draws if result else None,
        losses=result.losses if result else None,
        pentanomial=list(result.pentanomial) if result else None,
        **(result.difference if result else match_fields(())),
        nodes_per_move=cost.nodes_per_move,
        depth=depth,
        nodes_per_second=cost.nodes_per_second,
    )


def _depths(db: Database, event_id: int) -> dict[str, float]:
    """The median depth of each player's searches, with a digit behind the point from how many
    lie at that depth. A mean would be of the few positions that are searched to the end: depths
    grow without bound where little is left to search."""
    reached: dict[str, list[int]] = {}
    for game in db.repository.games(GameFilter(event_id=event_id)):
        if game.search_version == NO_SEARCHES:
            continue
        searches = decode_found(game.search_data, game.plies, game.search_version)
        sides = (game.white, game.black)
        starter, other = sides if " w " in game.start_fen else reversed(sides)
        for player, own in ((starter, searches[::2]), (other, searches[1::2])):
            known = (search.depth for search in own if search.depth is not None)
            reached.setdefault(player, []).extend(known)
    return {player: median_grouped(depths) for player, depths in reached.items() if depths}
