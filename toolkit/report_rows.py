"""The documented fields of counts and reports; see :mod:`toolkit.rows`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict


@dataclass(frozen=True, slots=True)
class JsonOutput:
    """The ``--json`` output of a command."""

    row: type[Any]
    """The object, or each row of the array."""
    is_array: bool = True
    nested: Mapping[str, type[Any]] = field(default_factory=dict)
    """Types of the rows in fields that are arrays."""


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


class CrosstableRow(TypedDict):
    """A pairing, from the point of view of its first engine. If both engines have the same limit,
    the first is the one with more points in total."""

    first: Annotated[str, "label"]
    second: Annotated[str, "label"]
    games: Annotated[int, "games counted"]
    wins: Annotated[int, "games won by the first engine"]
    draws: Annotated[int, "draws"]
    losses: Annotated[int, "games lost by the first engine"]
    score: Annotated[float, "mean score of the first engine, 0 to 1"]
    pentanomial: Annotated[
        list[int], "complete pairs in which the first engine scored 0, 1/2, 1, 3/2, 2 points"
    ]
    white_wins: Annotated[int, "games that the first engine won with White"]
    white_draws: Annotated[int, "games drawn by the first engine with White"]
    white_losses: Annotated[int, "games lost by the first engine with White"]
    black_wins: Annotated[int, "games that the first engine won with Black"]
    black_draws: Annotated[int, "games drawn by the first engine with Black"]
    black_losses: Annotated[int, "games lost by the first engine with Black"]
    first_id: Annotated[str, "identity of the variant"]
    second_id: Annotated[str, "identity of the variant"]
    first_limit: Annotated[dict[str, Any] | None, "limit of the first engine, as in `ratings`"]
    second_limit: Annotated[dict[str, Any] | None, "limit of the second engine"]


class HeadToHeadPart(TypedDict):
    """A part of the games of two engines, from the point of view of the first."""

    part: Annotated[
        str,
        "`white` or `black`, an end reason, a range of plies, or `BOOK:LINE` or a start position",
    ]
    games: Annotated[int, "games counted"]
    wins: Annotated[int, "games won by the first engine"]
    draws: Annotated[int, "draws"]
    losses: Annotated[int, "games lost by the first engine"]
    score: Annotated[float, "mean score of the first engine, 0 to 1"]
    first_limit: Annotated[dict[str, Any] | None, "limit of the first engine, as in `ratings`"]
    second_limit: Annotated[dict[str, Any] | None, "limit of the second engine"]
    core: Annotated[str | None, "`backend:signature`; null if there are several or it is unknown"]


class SideCost(TypedDict):
    """The search cost of one engine. For imported games, only nodes may be known."""

    engine: Annotated[str, "label"]
    games: Annotated[int, "games"]
    nodes: Annotated[int | None, "nodes searched in all games; null if unknown"]
    cpu_us: Annotated[int | None, "CPU time of all searches in microseconds; null if unknown"]
    nodes_per_move: Annotated[float | None, "mean nodes per move of this engine; null if unknown"]
    cpu_us_per_move: Annotated[
        float | None, "mean CPU time per move in microseconds; null if unknown"
    ]
    nodes_per_second: Annotated[float | None, "nodes per second of CPU time"]


class SprtRow(TypedDict):
    """A sequential test computed from counts."""

    llr: Annotated[float, "log-likelihood ratio of H1 to H0"]
    lower: Annotated[float, "lower bound: H0 is accepted at or below it"]
    upper: Annotated[float, "upper bound: H1 is accepted at or above it"]
    verdict: Annotated[
        str, "`H0`, `H1` or `continue`; `inconclusive` if the event ended without a verdict"
    ]
    elo: Annotated[float, "plain estimate from the counts; biased after a stop"]
    elo_error95: Annotated[float, "half the width of its 95 % interval"]
    elo_low95: Annotated[float | None, "lower end of the interval; null if open"]
    elo_high95: Annotated[float | None, "upper end of the interval; null if open"]
    nelo: Annotated[float, "normalized Elo"]
    nelo_error95: Annotated[float, "half the width of its 95 % interval"]
    los: Annotated[float, "likelihood of superiority, 0 to 1"]
    draw_ratio: Annotated[float, "share of units with half the points"]
    pairs_ratio: Annotated[float | None, "pairs won over pairs lost"]
    elo0: Annotated[float, "H0"]
    elo1: Annotated[float, "H1"]
    alpha: Annotated[float, "probability of accepting H1 if H0 is true"]
    beta: Annotated[float, "probability of accepting H0 if H1 is true"]
    model: Annotated[str, "unit of the hypotheses: `normalized`, `logistic` or `bayesian`"]
    counts: Annotated[list[int], "counts, worst first: 3 for games or 5 for pairs"]
    elo_unbiased: Annotated[
        float | None,
        "median-unbiased estimate, valid even after a stop; null if a test would have stopped "
        "earlier",
    ]
    elo_unbiased_low95: Annotated[
        float | None, "lower end of its 95 % interval; also null if everything was lost"
    ]
    elo_unbiased_high95: Annotated[
        float | None, "upper end of its 95 % interval; also null if everything was won"
    ]
    elo_unbiased_note: Annotated[str | None, "reason why there is no such estimate"]


class SprtResult(TypedDict):
    """The result or current state of a sequential test of an event."""

    test: Annotated[SprtRow, "the test over its pairs"]
    verdict: Annotated[str, "`H0`, `H1`, `continue` (interrupted) or `inconclusive`"]
    reason: Annotated[str, "reason for the end, as text"]
    pairs_tested: Annotated[int, "game pairs of the test"]
    after_stop: Annotated[int, "game pairs finished after the verdict, excluded from the test"]
    trinomial: Annotated[list[int], "games of the test: losses, draws and wins"]
    pentanomial: Annotated[list[int], "pairs of the test by points, worst first"]


class HeadToHeadRow(TypedDict):
    """All counted games of two engines, from the point of view of the first."""

    first: Annotated[str, "first engine, as given"]
    second: Annotated[str, "second engine, as given"]
    games: Annotated[int, "games counted"]
    wins: Annotated[int, "games won by the first engine"]
    draws: Annotated[int, "draws"]
    losses: Annotated[int, "games lost by the first engine"]
    score: Annotated[float, "mean score of the first engine, 0 to 1"]
    pentanomial: Annotated[
        list[int], "complete pairs in which the first engine scored 0, 1/2, 1, 3/2, 2 points"
    ]
    elo: Annotated[float, "Elo difference"]
    error95: Annotated[float, "half the width of its 95 % interval"]
    low95: Annotated[float | None, "lower end of the interval; null if open"]
    high95: Annotated[float | None, "upper end of the interval; null if open"]
    los: Annotated[float, "likelihood of superiority of the first engine, 0 to 1"]
    nelo: Annotated[float, "normalized Elo"]
    nelo_error95: Annotated[float, "half the width of its 95 % interval"]
    draw_ratio: Annotated[float, "share of units with half the points"]
    pairs_ratio: Annotated[float | None, "pairs won over pairs lost"]
    unit: Annotated[str, "unit of the Elo estimate: `pair`, or `game` if there is no complete pair"]
    test: Annotated[
        SprtRow | None, "with `--elo0` or `--elo1`: the result of `sprt calc` for these games"
    ]
    by_colour: Annotated[list[HeadToHeadPart], "by the colour of the first engine"]
    by_end_reason: Annotated[list[HeadToHeadPart], "by end reason"]
    by_length: Annotated[list[HeadToHeadPart], "by length, in steps of 40 plies"]
    by_opening: Annotated[list[HeadToHeadPart], "by book line"]
    costs: Annotated[list[SideCost], "search costs of both engines"]
    first_ids: Annotated[list[str], "identities of the variants of the first engine"]
    second_ids: Annotated[list[str], "identities of the variants of the second engine"]
    cores: Annotated[list[str], "`backend:signature` of every core that played these games"]
    first_limit: Annotated[dict[str, Any] | None, "limit of the first engine, as in `ratings`"]
    second_limit: Annotated[dict[str, Any] | None, "limit of the second engine"]


class EndReasonCount(TypedDict):
    """The number of games with one end reason."""

    end_reason: Annotated[str, "end reason, see below"]
    games: Annotated[int, "games"]
    share: Annotated[float, "share of all games, 0 to 1"]


class PlayerStats(SideCost):
    """One player of an event, with its search cost and results."""

    wins: Annotated[int, "games won"]
    draws: Annotated[int, "draws"]
    losses: Annotated[int, "games lost"]
    score: Annotated[float, "mean score per game, 0 to 1"]
    forfeits: Annotated[int, "games lost on time, by an illegal move or by a failure"]


class AblationRow(TypedDict):
    """An engine with one feature off, against the same engine with all features on. The row with
    all features on has only costs. Each distinct game of the event counts once; costs cover all
    games."""

    engine: Annotated[str, "label, such as `null_move=off`"]
    feature: Annotated[str | None, "name of the parameter; null for all features on"]
    off: Annotated[str | None, "value that switches the feature off, in command-line spelling"]
    games: Annotated[int | None, "games played against the full engine, including repetitions"]
    wins: Annotated[int | None, "games won with the feature off"]
    draws: Annotated[int | None, "draws"]
    losses: Annotated[int | None, "games lost with the feature off"]
    pentanomial: Annotated[
        list[int] | None, "pairs in which it scored 0, 1/2, 1, 3/2, 2 points with the feature off"
    ]
    elo: Annotated[
        float | None, "Elo without the feature against the full engine, from the pentanomial counts"
    ]
    error95: Annotated[float | None, "half the width of its 95 % interval"]
    low95: Annotated[float | None, "lower end of the interval; null if open"]
    high95: Annotated[float | None, "upper end of the interval; null if open"]
    los: Annotated[float | None, "likelihood of superiority with the feature off, 0 to 1"]
    nodes_per_move: Annotated[float | None, "mean nodes per move of this engine"]
    depth: Annotated[
        float | None, "median completed depth of its searches, with ties spread evenly"
    ]
    nodes_per_second: Annotated[float | None, "nodes per second of CPU time"]


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
    core: Annotated[
        str | None,
        "`backend:signature`; null if mixed or unknown. For a list stored by an older program: "
        "8 digits of the signature if there were several cores, else null",
    ]
    limit: Annotated[
        dict[str, Any] | None,
        "as in `ratings`; also null if an older program stored a list of several limits",
    ]


class OpeningStats(TypedDict):
    """One book line in the counted games, the most decisive lines first."""

    book: Annotated[str, "name of the book"]
    line: Annotated[int, "line number in the book, from 1"]
    label: Annotated[str, "label of the line in the book"]
    games: Annotated[int, "games counted"]
    white_wins: Annotated[int, "games won by White"]
    draws: Annotated[int, "draws"]
    black_wins: Annotated[int, "games won by Black"]
    white_score: Annotated[float, "mean score of White, 0 to 1"]
    pairs: Annotated[int, "complete pairs"]
    same_colour: Annotated[int, "pairs in which one colour won both games"]
    decided: Annotated[float | None, "share of pairs in which one colour won both games, 0 to 1"]
    book_id: Annotated[str, "identity of the book"]


class ViewRow(TypedDict):
    """One column of a view."""

    view: Annotated[str, "name of the view"]
    column: Annotated[str, "name of the column"]


class QueryRow(TypedDict):
    """The columns of the statement, by name."""
