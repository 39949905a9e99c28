"""What each feature of an engine is worth: the engine against itself with one feature off.

An ablation is an event whose only hero is the engine; the field is the engine without each of the
features, labelled ``feature=value``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median_grouped
from typing import TYPE_CHECKING, Unpack

from db.records import EventRecord, GameFilter
from engines.features import features_of, without_feature
from engines.spec import Limit, Variant
from engines.variant import parse_variant
from toolkit.base.errors import NothingMatched, UsageError
from toolkit.base.notebook import shown_row
from toolkit.games.searchdata import NO_SEARCHES, decode_found
from toolkit.play.settings import EventOptions, EventSettings, gauntlet_settings
from toolkit.reports.event_statistics import player_stats
from toolkit.reports.events import event_row
from toolkit.reports.rows import AblationOutcome, AblationRow, PlayerStats, ScoreRow
from toolkit.reports.scores import event_scores, match_fields, repeated_games
from toolkit.selection.events import find_event

if TYPE_CHECKING:
    from db.session import Database


def ablation_settings(
    engine: str | Variant,
    features: Sequence[str] = (),
    *,
    pairs: int,
    limit: Limit,
    **options: Unpack[EventOptions],
) -> EventSettings:
    """Settings of an ablation: ``engine`` plays ``pairs`` game pairs against itself without each
    of the ``features``; none named: all that it has on.

    Raises UsageError, or VariantError for a text that is no variant and for a name that is no
    feature which the engine has on.
    """
    hero = parse_variant(engine) if isinstance(engine, str) else engine
    names = list(dict.fromkeys(features)) or features_of(hero)
    field = [without_feature(hero, name) for name in names]
    if not field:
        raise UsageError(f"engine `{hero.label}` has no enabled feature to switch off")
    settings = gauntlet_settings([hero], field, pairs=pairs, limit=limit, **options)
    return replace(settings, kind="ablation")


def find_ablation(db: Database, text: str) -> AblationOutcome:
    """The table of the ablation that ``text`` means, finished or not. Raises NothingMatched for an
    event that is not there or has no games, UsageError for one of another kind."""
    event = find_event(db, text)
    if event.kind != "ablation":
        raise UsageError(f"event {event.key} is not an ablation, but of kind {event.kind}")
    table = ablation_table(db, event, repeated_games(db, event))
    if not table["games"]:
        raise NothingMatched(f"event {event.key} has no games yet")
    return shown_row("ablation", table)


def ablation_table(db: Database, event: EventRecord, repeated: int) -> AblationOutcome:
    """What the features are worth as far as the ablation was played: the engine with all on, which
    everything is measured against, then those without a feature, the worst loss first. What has
    no finished pair is left out. ``repeated``: :func:`toolkit.reports.scores.repeated_games`."""
    costs = {row["engine"]: row for row in player_stats(db.repository.event_counts(event.id))}
    depths = _depths(db, event.id)
    scores = event_scores(db, event)
    rows = [
        _row(score["second"], score, costs[score["second"]], depths.get(score["second"]))
        for score in scores
    ]
    rows.sort(key=lambda row: (row["elo"] is None, row["elo"] or 0.0, row["engine"]))
    for hero in {score["first"] for score in scores}:
        rows.insert(0, _row(hero, None, costs[hero], depths.get(hero)))
    return AblationOutcome(
        **event_row(db, event),
        games=db.repository.count_games(GameFilter(event_id=event.id)),
        excluded_games=repeated,
        features=rows,
    )


def _row(label: str, score: ScoreRow | None, cost: PlayerStats, depth: float | None) -> AblationRow:
    """A line of the table. ``score``: of the engine against this one; None: it is the engine."""
    from toolkit.stats.counts import swapped

    counts = swapped(score["pentanomial"]) if score else ()
    feature, _, off = label.partition("=") if score else (None, "", None)
    return AblationRow(
        engine=label,
        feature=feature,
        off=off,
        games=score["games"] if score else None,
        wins=score["losses"] if score else None,
        draws=score["draws"] if score else None,
        losses=score["wins"] if score else None,
        pentanomial=list(counts) if score else None,
        **match_fields(counts),
        nodes_per_move=cost["nodes_per_move"],
        depth=depth,
        nodes_per_second=cost["nodes_per_second"],
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
