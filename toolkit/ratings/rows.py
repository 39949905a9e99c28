"""The documented fields of rating lists."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict


class LosRow(TypedDict):
    """Two engines of one pool of a rating list."""

    engine: Annotated[str, "label"]
    other: Annotated[str, "label"]
    los: Annotated[float, "likelihood that the engine is stronger than the other, 0 to 1"]
    elo: Annotated[float, "rating of the engine minus that of the other"]
    error95: Annotated[float, "half of the 95 % interval of the difference"]
    pool: Annotated[int, "as in `ratings`"]
    engine_id: Annotated[str, "identity of the variant"]
    other_id: Annotated[str, "identity of the variant"]
    limit: Annotated[dict[str, Any] | None, "as in `ratings`"]
    other_limit: Annotated[dict[str, Any] | None, "of the other"]


class HistoryLine(TypedDict):
    """An engine's place in one stored rating list, the oldest first. Only lines of one `history`
    compare: those of one engine, core and limit, on one scale, from one selection of games."""

    list: Annotated[int, "number of the list"]
    created_at: Annotated[str, "UTC, ISO 8601"]
    engine: Annotated[str, "label in that list"]
    elo: Annotated[float, "Elo on the scale of that list"]
    error95: Annotated[float | None, "half of the 95 % interval"]
    error_model: Annotated[str, "as in `ratings`; of several pools all that occur"]
    games: Annotated[int, "games counted"]
    score: Annotated[float, "mean score of a game, 0 to 1"]
    rank: Annotated[int, "line of its pool in the list, from 1"]
    players: Annotated[int, "lines of its pool"]
    settings: Annotated[
        dict[str, Any], "games, anchors and options of the list; sizes of its `pools`, if several"
    ]
    engine_id: Annotated[str, "identity of the variant"]
    pool: Annotated[int, "pool of the list, from 0; ratings of different pools do not compare"]
    history: Annotated[int, "number of its history, from 0, in the order of the tables"]
    scale: Annotated[str, "what fixes the scale: `mean 0`, or anchors as in `pvs=0`"]
    core: Annotated[
        str | None,
        "`backend:signature`; null where mixed or unknown. Of a list that an older program stored: "
        "8 digits of the signature where it had several cores, else null",
    ]
    limit: Annotated[
        dict[str, Any] | None,
        "as in `ratings`; null also where an older program stored a list of several limits",
    ]


class RatingLine(TypedDict):
    """One player of a rating list, strongest first."""

    engine: Annotated[str, "label"]
    elo: Annotated[float, "Elo; the mean of the list is 0 unless an anchor is set"]
    error95: Annotated[float | None, "half of the 95 % interval; null for the anchor"]
    error_model: Annotated[
        str,
        "`pair-clustered`; `fisher`: inverse Fisher information, where no pairs are known; "
        "`bootstrap`: resampled; `none`: nothing could be fitted, only bounds",
    ]
    games: Annotated[int, "games counted"]
    score: Annotated[float, "mean score of a game, 0 to 1"]
    los_next: Annotated[float | None, "likelihood that it is stronger than the next, 0 to 1"]
    engine_id: Annotated[str, "identity of the variant"]
    pool: Annotated[int, "from 0; ratings of different pools must not be compared"]
    bound: Annotated[
        str | None,
        "`at least` or `at most` where an engine won, or lost, every game: `elo` then is the end "
        "of a one-sided 97.5 % interval",
    ]
    draws: Annotated[float, "share of draws, 0 to 1"]
    core: Annotated[
        str | None,
        "`backend:signature` where several cores played this engine: each is a line of its own",
    ]
    limit: Annotated[
        dict[str, Any] | None,
        "what a move might cost it, as in `events`; each limit of an engine is a line of its own; "
        "empty where unknown, null with `--mix-limits`",
    ]
