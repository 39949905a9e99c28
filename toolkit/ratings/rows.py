"""The documented fields of rating lists."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict


class LosRow(TypedDict):
    """Two engines in the same pool of a rating list."""

    engine: Annotated[str, "label"]
    other: Annotated[str, "label"]
    los: Annotated[float, "likelihood of superiority of the engine over the other, 0 to 1"]
    elo: Annotated[float, "rating of the engine minus that of the other"]
    error95: Annotated[float, "half the width of the 95 % interval of the difference"]
    pool: Annotated[int, "as in `ratings`"]
    engine_id: Annotated[str, "identity of the variant"]
    other_id: Annotated[str, "identity of the variant"]
    limit: Annotated[dict[str, Any] | None, "as in `ratings`"]
    other_limit: Annotated[dict[str, Any] | None, "limit of the other engine"]


class HistoryLine(TypedDict):
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


class RatingLine(TypedDict):
    """One player of a rating list, strongest first."""

    engine: Annotated[str, "label"]
    elo: Annotated[float, "Elo; the mean of the pool is 0 unless an anchor is set"]
    error95: Annotated[float | None, "half the width of the 95 % interval; null for the anchor"]
    error_model: Annotated[
        str,
        "`pair-clustered`; `opening-clustered`: also by opening, where pairings share openings; "
        "`fisher`: inverse Fisher information, if no pairs are known; "
        "`bootstrap`: resampled; `none`: no fit was possible, only bounds",
    ]
    games: Annotated[int, "games counted"]
    score: Annotated[float, "mean score per game, 0 to 1"]
    los_next: Annotated[float | None, "likelihood of superiority over the next player, 0 to 1"]
    engine_id: Annotated[str, "identity of the variant"]
    pool: Annotated[
        int, "number of the pool, from 0; ratings of different pools are not comparable"
    ]
    bound: Annotated[
        str | None,
        "`at least` or `at most` if the engine won or lost every game; `elo` is then the end of a "
        "one-sided 97.5 % interval",
    ]
    scale: Annotated[
        str,
        "what fixes the scale of the pool: `mean 0`, anchors as in `pvs=0`, or `pvs=0 (alone)` if "
        "every other engine has only a bound. An anchor that has only a bound fixes nothing",
    ]
    draws: Annotated[float, "draw rate, 0 to 1"]
    core: Annotated[
        str | None,
        "`backend:signature` if several cores played this engine; each core has its own row",
    ]
    limit: Annotated[
        dict[str, Any] | None,
        "limit of the engine, as in `events`; each limit of an engine has its own row; empty if "
        "unknown, null with `--mix-limits`",
    ]
