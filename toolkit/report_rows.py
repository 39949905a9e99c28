"""The documented fields of what counts and reports print; see :mod:`toolkit.rows`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict


@dataclass(frozen=True, slots=True)
class JsonOutput:
    """What a command prints with ``--json``."""

    row: type[Any]
    """The object, or each row of the array."""
    is_array: bool = True
    nested: Mapping[str, type[Any]] = field(default_factory=dict)
    """Types of the rows inside a field that is an array."""


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


class CrosstableRow(TypedDict):
    """Two engines who met, from the view of the first: of one limit the one with more of all its
    points."""

    first: Annotated[str, "label"]
    second: Annotated[str, "label"]
    games: Annotated[int, "games counted"]
    wins: Annotated[int, "games that the first engine won"]
    draws: Annotated[int, "draws"]
    losses: Annotated[int, "games that the first engine lost"]
    score: Annotated[float, "mean score of the first engine, 0 to 1"]
    pentanomial: Annotated[
        list[int], "whole pairs in which the first engine had 0, 1/2, 1, 3/2, 2 points"
    ]
    white_wins: Annotated[int, "games that the first engine won with White"]
    white_draws: Annotated[int, "draws in which it had White"]
    white_losses: Annotated[int, "games that it lost with White"]
    black_wins: Annotated[int, "games that the first engine won with Black"]
    black_draws: Annotated[int, "draws in which it had Black"]
    black_losses: Annotated[int, "games that it lost with Black"]
    first_id: Annotated[str, "identity of the variant"]
    second_id: Annotated[str, "identity of the variant"]
    first_limit: Annotated[dict[str, Any] | None, "as `limit` in `ratings`"]
    second_limit: Annotated[dict[str, Any] | None, "of the second"]


class HeadToHeadPart(TypedDict):
    """Some of the games of two engines, from the view of the first."""

    part: Annotated[
        str, "`white` or `black`; an end reason; a range of plies; `BOOK:LINE`, or a start"
    ]
    games: Annotated[int, "games counted"]
    wins: Annotated[int, "games that the first engine won"]
    draws: Annotated[int, "draws"]
    losses: Annotated[int, "games that the first engine lost"]
    score: Annotated[float, "mean score of the first engine, 0 to 1"]
    first_limit: Annotated[dict[str, Any] | None, "as `limit` in `ratings`"]
    second_limit: Annotated[dict[str, Any] | None, "of the second engine"]
    core: Annotated[str | None, "`backend:signature`; null where several played, or nobody knows"]


class SideCost(TypedDict):
    """What the searches of one engine cost; of imported games only nodes may be known."""

    engine: Annotated[str, "label"]
    games: Annotated[int, "games"]
    nodes: Annotated[int | None, "nodes searched in all of them; null where nobody counted"]
    cpu_us: Annotated[int | None, "CPU time of all searches in microseconds; likewise"]
    nodes_per_move: Annotated[float | None, "of its own moves; null where nobody counted"]
    cpu_us_per_move: Annotated[float | None, "null where nobody measured"]
    nodes_per_second: Annotated[float | None, "of CPU time"]


class SprtRow(TypedDict):
    """A sequential test, from counts."""

    llr: Annotated[float, "log-likelihood ratio of H1 to H0"]
    lower: Annotated[float, "H0 is accepted at or below it"]
    upper: Annotated[float, "H1 is accepted at or above it"]
    verdict: Annotated[str, "`H0`, `H1` or `continue`; of an event that ended, `inconclusive`"]
    elo: Annotated[float, "plain estimate of the counts; biased by a stop"]
    elo_error95: Annotated[float, "half of its 95 % interval"]
    elo_low95: Annotated[float | None, "lower end of the interval; null: the results set none"]
    elo_high95: Annotated[float | None, "upper end of the interval; null: the results set none"]
    nelo: Annotated[float, "normalized Elo"]
    nelo_error95: Annotated[float, "half of its 95 % interval"]
    los: Annotated[float, "likelihood of superiority, 0 to 1"]
    draw_ratio: Annotated[float, "share of units scored half"]
    pairs_ratio: Annotated[float | None, "pairs won over pairs lost"]
    elo0: Annotated[float, "H0"]
    elo1: Annotated[float, "H1"]
    alpha: Annotated[float, "chance to accept H1 when H0 is true"]
    beta: Annotated[float, "chance to accept H0 when H1 is true"]
    model: Annotated[str, "unit of the hypotheses: `normalized`, `logistic` or `bayesian`"]
    counts: Annotated[list[int], "what was counted, worst first: 3 of games or 5 of pairs"]
    elo_unbiased: Annotated[
        float | None,
        "median-unbiased estimate, right after a stop too; null where a test would have stopped "
        "before",
    ]
    elo_unbiased_low95: Annotated[
        float | None, "lower end of its 95 % interval; null too where everything was lost"
    ]
    elo_unbiased_high95: Annotated[
        float | None, "upper end of its 95 % interval; null too where everything was won"
    ]
    elo_unbiased_note: Annotated[str | None, "why there is none"]


class SprtResult(TypedDict):
    """How a sequential test of an event ended, or stands."""

    test: Annotated[SprtRow, "the test, over the pairs that it took"]
    verdict: Annotated[str, "`H0`, `H1`, `continue` (interrupted) or `inconclusive`"]
    reason: Annotated[str, "in words, why it ended"]
    pairs_tested: Annotated[int, "game pairs of the test"]
    after_stop: Annotated[int, "game pairs finished after the verdict, left out of the test"]
    trinomial: Annotated[list[int], "games of the test: losses, draws, wins"]
    pentanomial: Annotated[list[int], "pairs of the test by points, worst first"]


class HeadToHeadRow(TypedDict):
    """All counted games of two engines, from the view of the first."""

    first: Annotated[str, "as it was asked for"]
    second: Annotated[str, "as it was asked for"]
    games: Annotated[int, "games counted"]
    wins: Annotated[int, "games that the first engine won"]
    draws: Annotated[int, "draws"]
    losses: Annotated[int, "games that the first engine lost"]
    score: Annotated[float, "mean score of the first engine, 0 to 1"]
    pentanomial: Annotated[
        list[int], "whole pairs in which the first engine had 0, 1/2, 1, 3/2, 2 points"
    ]
    elo: Annotated[float, "Elo difference"]
    error95: Annotated[float, "half of its 95 % interval"]
    low95: Annotated[float | None, "lower end of the interval; null: the results set none"]
    high95: Annotated[float | None, "upper end of the interval; null: the results set none"]
    los: Annotated[float, "likelihood that the first engine is stronger, 0 to 1"]
    nelo: Annotated[float, "normalized Elo"]
    nelo_error95: Annotated[float, "half of its 95 % interval"]
    draw_ratio: Annotated[float, "share of units scored half"]
    pairs_ratio: Annotated[float | None, "pairs won over pairs lost"]
    unit: Annotated[str, "what Elo is from: `pair`, or `game` where there is no whole pair"]
    test: Annotated[SprtRow | None, "with `--elo0` or `--elo1`: as `sprt calc` of these games"]
    by_colour: Annotated[list[HeadToHeadPart], "by the colour of the first engine"]
    by_end_reason: Annotated[list[HeadToHeadPart], "by why the game ended"]
    by_length: Annotated[list[HeadToHeadPart], "by length, in steps of 40 plies"]
    by_opening: Annotated[list[HeadToHeadPart], "by line of the book"]
    costs: Annotated[list[SideCost], "of both engines"]
    first_ids: Annotated[list[str], "identities of the variants that played as the first"]
    second_ids: Annotated[list[str], "identities of the variants that played as the second"]
    cores: Annotated[list[str], "`backend:signature` of everything that played these games"]
    first_limit: Annotated[dict[str, Any] | None, "as `limit` in `ratings`"]
    second_limit: Annotated[dict[str, Any] | None, "of the second engine"]


class EndReasonCount(TypedDict):
    """How often games ended for one reason."""

    end_reason: Annotated[str, "see below"]
    games: Annotated[int, "games"]
    share: Annotated[float, "of all games, 0 to 1"]


class PlayerStats(SideCost):
    """One player of an event: what its searches cost, then its results."""

    wins: Annotated[int, "games won"]
    draws: Annotated[int, "draws"]
    losses: Annotated[int, "games lost"]
    score: Annotated[float, "mean score of a game, 0 to 1"]
    forfeits: Annotated[int, "games lost on time, by an illegal move or by a failure"]


class AblationRow(TypedDict):
    """An engine with one feature off, against itself with all on; the line with all on has costs
    only. Every distinct game of the event counts once; costs are of all its games."""

    engine: Annotated[str, "label, such as `null_move=off`"]
    feature: Annotated[str | None, "name of the parameter; null: all features on"]
    off: Annotated[str | None, "its value that switches the feature off, as variants spell it"]
    games: Annotated[int | None, "games played against all on, repetitions included"]
    wins: Annotated[int | None, "games won with the feature off"]
    draws: Annotated[int | None, "draws"]
    losses: Annotated[int | None, "games lost with the feature off"]
    pentanomial: Annotated[
        list[int] | None, "pairs in which it had 0, 1/2, 1, 3/2, 2 points with the feature off"
    ]
    elo: Annotated[float | None, "Elo of off against on, from the pentanomial counts"]
    error95: Annotated[float | None, "half of its 95 % interval"]
    low95: Annotated[float | None, "lower end of the interval; null: the results set none"]
    high95: Annotated[float | None, "upper end of the interval; null: the results set none"]
    los: Annotated[float | None, "likelihood that it is stronger with the feature off, 0 to 1"]
    nodes_per_move: Annotated[float | None, "of its own moves"]
    depth: Annotated[float | None, "median depth that its searches finished, ties spread evenly"]
    nodes_per_second: Annotated[float | None, "of CPU time"]


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


class OpeningStats(TypedDict):
    """One line of a book in the counted games, the most deciding first."""

    book: Annotated[str, "name of the book"]
    line: Annotated[int, "line of the book, from 1"]
    label: Annotated[str, "what the book calls it"]
    games: Annotated[int, "games counted"]
    white_wins: Annotated[int, "games that White won"]
    draws: Annotated[int, "draws"]
    black_wins: Annotated[int, "games that Black won"]
    white_score: Annotated[float, "mean score of White, 0 to 1"]
    pairs: Annotated[int, "whole pairs"]
    same_colour: Annotated[int, "pairs of which one colour won both games"]
    decided: Annotated[float | None, "their share of the pairs, 0 to 1"]
    book_id: Annotated[str, "identity of the book"]


class ViewRow(TypedDict):
    """One column of a view that `query` may read."""

    view: Annotated[str, "name of the view"]
    column: Annotated[str, "name of the column"]


class QueryRow(TypedDict):
    """The columns of the statement, by the names it gives them."""
