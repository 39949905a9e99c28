"""Stored rating lists: storing a list, and the history of a rating.

A list is stored on request and after each event. Ratings of two lists are comparable only if both
have the same scale and come from the same selection of games with the same options. Such lists form
a history, and an engine has a history for each of its limits and cores.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct

from db.limits import limit_key
from db.records import HistoryRow
from toolkit.selection.limits import limit_of_key
from toolkit.selection.players import Player

if TYPE_CHECKING:
    from toolkit.ratings.rating_list import RatingReport

_BARS = "▁▂▃▄▅▆▇█"
_LAYOUT = ("pools", "players", "pool_anchors", "anchors", "anchor_labels")
"""Settings on the result or scale of a list, as opposed to its selection and options."""


class HistoryLine(Struct, frozen=True):
    """An engine in one stored rating list, oldest first. Only rows with the same `history` are
    comparable: they have the same engine, core, limit, scale and selection of games."""

    list: Annotated[int, "number of the list"]
    created_at: Annotated[str, "UTC, ISO 8601"]
    engine: Annotated[str, "label in that list"]
    elo: Annotated[float, "Elo on the scale of that list"]
    error95: Annotated[float | None, "half the width of the 95 % interval"]
    error_model: Annotated[
        str, "as in `ratings`; if there are several pools, all models that occur"
    ]
    games: Annotated[int, "games counted"]
    score: Annotated[float, "mean score per game, 0 to 1"]
    rank: Annotated[int, "rank in its pool, from 1"]
    players: Annotated[int, "players in its pool"]
    settings: Annotated[
        dict[str, Any],
        "selection, anchors and options of the list; sizes of its `pools`, if several",
    ]
    engine_id: Annotated[str, "identity of the variant"]
    pool: Annotated[
        int, "number of the pool in the list, from 0; ratings of different pools are not comparable"
    ]
    history: Annotated[int, "number of the history, from 0, in the order of the tables"]
    scale: Annotated[str, "what fixes the scale: `mean 0`, or anchors as in `pvs=0`"]
    bound: Annotated[str | None, "as in `ratings`"]
    core: Annotated[str | None, "`backend:signature`; null if mixed or unknown"]
    limit: Annotated[dict[str, Any] | None, "as in `ratings`"]


class _Place:
    """Everything that two rows of one history must have in common."""

    is_part: bool
    """Whether it is of some games only."""
    manner: str
    """Selection and options as JSON."""
    scale: tuple[tuple[str, float], ...]
    """Known ratings by player; none: the mean of the pool is 0."""
    identity: str
    core: str
    limit: str
    """Key; empty if it played under several."""


def _stored_settings(report: RatingReport) -> dict[str, Any]:
    """The stored settings of a list. Ranks cover the whole list, so the settings have the lengths
    and anchors of the pools, and for each row the conditions of its engine."""
    pools = report.ratings.pools
    settings: dict[str, Any] = dict(report.settings)
    if len(pools) > 1:
        settings["pools"] = [len(pool.players) for pool in pools]
    if settings["anchors"]:
        settings["pool_anchors"] = [
            [
                line.player
                for line in pool.players
                if line.player in settings["anchors"] and line.bound is None
            ]
            for pool in pools
        ]
    settings["players"] = [
        _conditions(report.players[line.player], line.bound) for line in report.ratings.players
    ]
    return settings


def _conditions(player: Player, bound: str | None) -> dict[str, Any]:
    data = {"core": player.core_text, "limit": player.limit_data, "bound": bound}
    return {name: value for name, value in data.items() if value is not None}


def _is_part(settings: Mapping[str, Any]) -> bool:
    """Whether a list is only of some games."""
    names = ("event", "events", "engines", "limit", "since", "until", "min_games")
    return any(settings.get(name) for name in names)


def _places(rows: Sequence[HistoryRow]) -> list[_Place]:
    """What history each row belongs to."""
    places = []
    for row in rows:
        settings = row.settings
        conditions = settings["players"][row.rank - 1]
        places.append(
            _Place(
                is_part=_is_part(settings),
                manner=_manner(settings),
                scale=tuple(sorted(_scale(row).items())),
                identity=row.row.variant_id,
                core=conditions.get("core", ""),
                limit=limit_key(conditions["limit"]) if "limit" in conditions else "",
            )
        )
    return places


def _manner(settings: Mapping[str, Any]) -> str:
    """Selection and options of a list. Dates that were given as a time before now, as in ``30d``,
    are one selection whenever that was."""
    kept = {name: value for name, value in _undated(settings).items() if name not in _LAYOUT}
    return json.dumps(kept, sort_keys=True)


def _undated(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings without the absolute times of relative dates such as ``30d``."""
    dates = settings.get("ago", {})
    return {name: value for name, value in settings.items() if name not in dates}


def _scale(row: HistoryRow) -> dict[str, float]:
    """The known ratings that fixed the scale of the row's pool, by player."""
    anchors: dict[str, float] = row.settings["anchors"]
    if not anchors:
        return {}
    return {player: anchors[player] for player in row.settings["pool_anchors"][_pool(row)[0]]}


def _pool(row: HistoryRow) -> tuple[int, int, int]:
    """Pool of the line, its place there, and the length of the pool."""
    before = 0
    for number, size in enumerate(row.settings.get("pools", ())):
        if row.rank <= before + size:
            return number, row.rank - before, size
        before += size
    return 0, row.rank, row.players


def _scale_text(row: HistoryRow, called: Mapping[str, str]) -> str:
    anchors = ", ".join(f"{called[player]}={elo:g}" for player, elo in _scale(row).items())
    return anchors or f"mean {row.settings['mean']:g}"


def _line(row: HistoryRow, place: _Place, number: int, called: Mapping[str, str]) -> HistoryLine:
    pool, rank, players = _pool(row)
    return HistoryLine(
        list=row.list_id,
        created_at=row.created_at,
        engine=row.row.label,
        elo=row.row.elo,
        error95=row.row.error95,
        error_model=row.error_model,
        games=row.row.games,
        score=row.row.score,
        rank=rank,
        players=players,
        settings={name: value for name, value in row.settings.items() if name != "players"},
        engine_id=row.row.variant_id,
        pool=pool,
        history=number,
        scale=_scale_text(row, called),
        bound=row.settings["players"][row.rank - 1].get("bound"),
        core=place.core or None,
        limit=limit_of_key(place.limit) if place.limit else None,
    )
