"""Stored rating lists: storing a list, and the history of a rating.

A list is stored on request and after each event. Ratings of two lists are comparable only if both
have the same scale and come from the same selection of games with the same options. Such lists form
a history, and an engine has a history for each of its limits and cores.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct

from db.limits import limit_key
from db.records.ratings import HistoryRow, RatingListRecord, RatingRow
from engines.limit import Limit, limit_of_key
from toolkit.base.errors import NothingMatched, UsageError
from toolkit.base.version import program_version
from toolkit.selection.engines import in_other_games, resolve_engine
from toolkit.selection.events import find_event
from toolkit.selection.players import RatedPlayer

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.ratings.rating_list import RatingReport

_BARS = "▁▂▃▄▅▆▇█"
_LAYOUT = ("pools", "players", "pool_anchors", "anchors", "anchor_labels")
"""Settings on the result or scale of a list, as opposed to its selection and options."""


class ListSettings(Struct, frozen=True):
    """What is stored of how a rating list was made, and of each of its engines."""

    anchors: dict[str, float]
    mean: float
    players: list[Conditions]
    """In the order of the list."""
    event: str | None = None
    events: list[str] = []
    engines: list[str] = []
    limit: Limit | None = None
    since: str | None = None
    until: str | None = None
    ago: dict[str, str] = {}
    game: str | None = None
    min_games: int = 0
    mix: bool = False
    mix_limits: bool = False
    anchor_labels: dict[str, str] = {}
    bootstrap: int = 0
    prior: float = 0.0
    pools: list[int] = []
    pool_anchors: list[list[str]] = []


class Conditions(Struct, frozen=True):
    """What an engine of a list played with; a key without a value is left out."""

    core: str | None = None
    limit: Limit | None = None
    bound: str | None = None


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


def store_list(db: Database, report: RatingReport) -> int:
    """Keep a rating list, unless the newest one of its manner and scale says the same; its number.
    Raises DatabaseError."""
    rows, settings = rating_rows(report), _stored_settings(report)
    alike = (_manner(settings), settings["anchors"])
    newest = db.repository.newest_rating_list(
        lambda stored: (_manner(stored), stored["anchors"]) == alike
    )
    if newest and newest.rows == rows and _undated(newest.settings) == _undated(settings):
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


def rating_rows(report: RatingReport) -> tuple[RatingRow, ...]:
    """The lines of a list as they are stored."""
    return tuple(
        RatingRow(
            variant_id=row.engine_id,
            label=row.engine,
            elo=row.elo,
            error95=row.error95,
            games=row.games,
            score=row.score,
            los_next=row.los_next,
        )
        for row in report.rows()
    )


def rating_history(
    db: Database, engine: str, *, event: str | None = None, whole: bool = False
) -> list[HistoryLine]:
    """The engine's row in each stored list, oldest first; :func:`histories` groups comparable rows.

    ``event``: only lists of that event. ``whole``: only lists of all games. Raises UsageError for
    a name of several engines, NothingMatched if the engine is in no such list.
    """
    key = None if event is None else find_event(db, event).key
    rows = [
        row
        for row in db.repository.rating_history(resolve_engine(db, engine))
        if (key is None or row.settings.get("event") == key)
        and not (whole and _is_part(row.settings))
    ]
    if not rows:
        hint = in_other_games(db, engine) or " (mtdf ratings --store stores one)"
        raise NothingMatched(f"`{engine}` is in no matching rating list{hint}")
    places = _places(rows)
    called: dict[str, str] = {}
    for row in rows:
        called |= row.settings.get("anchor_labels", {})
    newest = {place: row.list_id for place, row in zip(places, rows, strict=True)}
    order = sorted(newest, key=lambda place: (place.is_part, -newest[place], place))
    number = {place: at for at, place in enumerate(order)}
    lines = (
        _line(row, place, number[place], called) for row, place in zip(rows, places, strict=True)
    )
    return list(lines)


def histories(rows: Sequence[HistoryLine]) -> list[list[HistoryLine]]:
    """The rows of each history, oldest first; histories of all games come first, with the most
    recently extended one at the top."""
    found: dict[int, list[HistoryLine]] = {}
    for row in rows:
        found.setdefault(row.history, []).append(row)
    return [found[number] for number in sorted(found)]


def newest_courses(
    db: Database, engines: Sequence[str], *, event: str | None = None
) -> list[tuple[str, list[HistoryLine]]]:
    """The newest history of each of these engines and what to call it, for one picture. Raises
    NothingMatched if an engine has none, UsageError for histories that are not comparable."""
    found = [histories(rating_history(db, engine, event=event))[0] for engine in engines]
    first = found[0][-1]
    for row in (lines[-1] for lines in found[1:]):
        if comparable(row) != comparable(first):
            raise UsageError(
                f"the newest histories of `{first.engine}` and `{row.engine}` have different "
                "limits, scales or selections of games: draw them apart, or give --event"
            )
    return [(lines[-1].engine, lines) for lines in found]


def comparable(row: HistoryLine) -> tuple[str, str, str]:
    """What the newest rows of histories must share to be drawn on one axis."""
    limit = json.dumps(row.limit, sort_keys=True)
    return row.scale, limit, _manner(row.settings)


def sparkline(values: Sequence[float]) -> str:
    """A bar a value, the lowest as low as the highest is high."""
    low, high = min(values), max(values)
    steps = len(_BARS) - 1
    if high - low < 1e-9:
        return _BARS[steps // 2] * len(values)
    return "".join(_BARS[round(steps * (value - low) / (high - low))] for value in values)


@dataclass(frozen=True, slots=True, order=True)
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


def _conditions(player: RatedPlayer, bound: str | None) -> dict[str, Any]:
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
