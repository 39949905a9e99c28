"""The documented fields of counts and reports; see :mod:`toolkit.commands._json`."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from toolkit.ratings.rows import RatingLine


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


class LlrRow(TypedDict):
    """A sequential test after some of its pairs, in the order of the schedule."""

    pairs: Annotated[int, "pairs so far, with those that repeat others or were given up"]
    llr: Annotated[float, "log-likelihood ratio of H1 to H0"]


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
    los: Annotated[float | None, "likelihood of superiority with the feature off, 0 to 1"]
    nodes_per_move: Annotated[float | None, "mean nodes per move of this engine"]
    depth: Annotated[
        float | None, "median completed depth of its searches, with ties spread evenly"
    ]
    nodes_per_second: Annotated[float | None, "nodes per second of CPU time"]


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


class EventRow(TypedDict):
    """One event."""

    id: Annotated[str, "short id for `resume` and `--event`, such as `r3f9`"]
    name: Annotated[str, "name given with `--name`; empty if none was given"]
    kind: Annotated[
        str,
        "`gauntlet`, `round-robin`, `match`, `knockout`, `swiss`, `sprt`, `ablation`, `tuning`, "
        "`import`",
    ]
    status: Annotated[str, "`planned`, `running`, `interrupted`, `done` or `failed`"]
    pairs_planned: Annotated[
        int, "planned game pairs; the maximum if the event may end before them"
    ]
    pairs_done: Annotated[int, "game pairs in the database"]
    seed: Annotated[int | None, "seed of the schedule; null for an import"]
    pairs_failed: Annotated[int, "game pairs that could not be played"]
    engines: Annotated[list[str], "labels of the players"]
    limit: Annotated[dict[str, int], "limit for a move, as in the settings; empty if imported"]
    variation: Annotated[
        str,
        "why the same event need not have the same games, such as `not repeatable: time limits the "
        "searches`; empty if it has them, or was imported",
    ]
    book: Annotated[str, "name of the opening book; empty for an import"]
    book_slice: Annotated[str | None, "slice of the book, such as `1/2`; null for the whole book"]
    game_played: Annotated[str, "game of all its engines, such as `chess` or `othello`"]
    chess960: Annotated[bool, "whether its games are of Chess960; false for imported games"]
    created_at: Annotated[str, "UTC, ISO 8601"]
    started_at: Annotated[str | None, "UTC, ISO 8601"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]
    backend: Annotated[str, "backend that plays the event: `native` or `reference`"]
    signature: Annotated[str, "signature of the core that plays the event"]
    version: Annotated[str, "version of mtdf that created the event"]
    singles: Annotated[int, "imported games without a partner"]
    note: Annotated[str, "note of `events annotate`; empty if there is none"]
    changed: Annotated[
        list[str],
        "external engines that were others when the event was continued with `--allow-changed`: "
        "label and both ids",
    ]
    extensions: Annotated[
        list[int], "game pairs per pairing added by `events extend`, one number each time"
    ]


class GameRow(TypedDict):
    """One game; games are ordered by event, pairing, pair and game."""

    id: Annotated[str, "short id for `mtdf game`, such as `g1042`"]
    event: Annotated[str, "short id of the event"]
    pairing: Annotated[int, "number of the pairing in the event, from 0"]
    pair: Annotated[int, "number of the game pair in the pairing, from 0"]
    game: Annotated[int, "game of the pair: 1 or 2"]
    white: Annotated[str, "label"]
    black: Annotated[str, "label"]
    white_id: Annotated[str, "identity of the variant"]
    black_id: Annotated[str, "identity of the variant"]
    result: Annotated[str, "`1-0`, `0-1` or `1/2-1/2`"]
    end_reason: Annotated[str, "why the game ended, see below"]
    plies: Annotated[int, "number of plies after the opening; 0 if unknown"]
    start_fen: Annotated[str, "opening position, where `moves` start"]
    moves: Annotated[
        list[str], "moves, in chess in UCI notation; empty for a game imported without moves"
    ]
    counted: Annotated[bool, "false if the game repeats an earlier one in the database"]
    opening_line: Annotated[int | None, "line number in the book, from 1"]
    white_nodes: Annotated[int | None, "nodes searched by White; null if unknown"]
    black_nodes: Annotated[int | None, "nodes searched by Black; null if unknown"]
    white_cpu_us: Annotated[int | None, "CPU time of White in microseconds; null if imported"]
    black_cpu_us: Annotated[int | None, "CPU time of Black in microseconds; null if imported"]
    started_at: Annotated[str | None, "UTC, ISO 8601"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]
    backend: Annotated[str, "`native`, `reference` or `imported`"]
    signature: Annotated[str, "core signature; empty if imported"]
    seed: Annotated[int | None, "seed of the pair; null if imported"]
    host: Annotated[str, "name of the machine that played; empty if imported"]
    speed: Annotated[
        int | None,
        "speed of that machine, where a clock limited the game: nodes per second of CPU time in "
        "the bench; else null",
    ]
    load: Annotated[float, "load average (1 min) of the machine when the game started"]
    jobs: Annotated[int, "number of games played at the same time; 0 if imported"]
    after_stop: Annotated[bool, "sequential test: finished after the verdict, not counted"]
    game_played: Annotated[str, "game that was played, such as `chess` or `othello`"]
    chess960: Annotated[bool, "a game of Chess960: castling moves are king takes rook"]


class MoveRow(TypedDict):
    """One move of a game with its search result."""

    ply: Annotated[int, "ply after the opening, from 1"]
    uci: Annotated[str, "move, in chess in UCI notation"]
    san: Annotated[str, "move as people write it, in chess in standard algebraic notation"]
    value: Annotated[
        int | None,
        "value for the side to move, in units of the evaluation (chess: centipawns); null if "
        "unknown",
    ]
    depth: Annotated[int | None, "depth of the last completed iteration; null if unknown"]
    nodes: Annotated[int | None, "nodes searched; null if unknown"]
    passes: Annotated[int | None, "passes in all iterations; null if unknown"]
    time_us: Annotated[int | None, "wall clock in microseconds; null if unknown"]


class GameProblemRow(TypedDict):
    """Something that an engine did wrong in a game."""

    engine: Annotated[str, "its label"]
    severity: Annotated[str, "`fault`: it ended the game; `warning`: it cost nothing"]
    text: Annotated[str, "what it did"]
    fen: Annotated[str | None, "position in which a fault happened, after the moves of the game"]
    command: Annotated[str, "how the engine was started; the spelling of one of ours"]


class GameDetail(GameRow):
    """The fields of `games`, what engines did wrong, and every search."""

    problems: Annotated[list[GameProblemRow], "what engines did wrong"]
    searches: Annotated[list[MoveRow], "every move with its search result"]


class ExportedGame(GameRow):
    """A line of `db export --jsonl`: everything that is stored about a game. The lists on searches
    are parallel to `moves`; values in them are null if unknown, and a list is null if nothing is
    known of the searches."""

    event_name: Annotated[str, "name of the event; may be empty"]
    event_kind: Annotated[str, "`match`, `gauntlet`, …; `tuning` for games of a study, `import`"]
    white_limit: Annotated[
        dict[str, Any] | None, "limit of White, as in `ratings`; null if unknown"
    ]
    black_limit: Annotated[dict[str, Any] | None, "limit of Black"]
    book: Annotated[str | None, "identity of the book; null without a book"]
    opening: Annotated[str | None, "label of the book line; null without a book"]
    book_start_fen: Annotated[str | None, "position before the moves of the book line"]
    book_moves: Annotated[list[str], "moves of the book line, up to `start_fen`"]
    values: Annotated[
        list[int | None] | None, "value of each search in centipawns for the side to move"
    ]
    depths: Annotated[list[int | None] | None, "depth of the last completed iteration"]
    nodes: Annotated[list[int | None] | None, "nodes searched"]
    passes: Annotated[list[int | None] | None, "passes in all iterations"]
    times_us: Annotated[list[int | None] | None, "wall clock in microseconds"]
    problems: Annotated[list[GameProblemRow], "what engines did wrong"]
    version: Annotated[str, "program version; empty if imported"]
    game_key: Annotated[str | None, "identical games have the same key; null under a time limit"]
    repeats: Annotated[str | None, "id of the first game with the same key, if that is another one"]


class DatabaseExport(TypedDict):
    """What was exported."""

    file: Annotated[str, "path"]
    games: Annotated[int, "games in it"]


class ScoreRow(TypedDict):
    """The score of a pairing of an event, from the point of view of its first engine. Each distinct
    game of the event counts once."""

    first: Annotated[str, "label"]
    second: Annotated[str, "label"]
    games: Annotated[int, "games played, including repetitions"]
    wins: Annotated[int, "games won by the first engine"]
    draws: Annotated[int, "draws"]
    losses: Annotated[int, "games lost by the first engine"]
    pentanomial: Annotated[
        list[int], "pairs in which the first engine scored 0, 1/2, 1, 3/2, 2 points"
    ]
    elo: Annotated[float | None, "Elo difference, from the pentanomial counts"]
    error95: Annotated[float | None, "half the width of its 95 % interval"]
    low95: Annotated[float | None, "lower end of the interval; null if open"]
    high95: Annotated[float | None, "upper end of the interval; null if open"]
    los: Annotated[float | None, "likelihood of superiority of the first engine, 0 to 1"]


class PairingStanding(ScoreRow):
    """How far a pairing is, and its score."""

    pairing: Annotated[int, "its number in the event, from 0"]
    games_planned: Annotated[int, "games to play, at most"]


class SprtStanding(TypedDict):
    """The state of the sequential test of an event, over its pairs up to the first gap."""

    llr: Annotated[float, "log-likelihood ratio of H1 to H0"]
    lower: Annotated[float, "lower bound: H0 is accepted at or below it"]
    upper: Annotated[float, "upper bound: H1 is accepted at or above it"]
    verdict: Annotated[str, "`H0`, `H1` or `continue`"]
    elo0: Annotated[float, "H0"]
    elo1: Annotated[float, "H1"]
    alpha: Annotated[float, "probability of accepting H1 if H0 is true"]
    beta: Annotated[float, "probability of accepting H0 if H1 is true"]
    model: Annotated[str, "unit of the hypotheses: `normalized`, `logistic` or `bayesian`"]
    pairs: Annotated[int, "game pairs of the test so far"]
    pairs_left: Annotated[float, "game pairs that it is expected to take yet"]


class RoundStanding(TypedDict):
    """The round of an event whose later pairings depend on results."""

    number: Annotated[int, "of the round, from 1; of the last one if the event is over"]
    title: Annotated[str, "such as `round 2 of 5` or `semi-finals`"]
    pairings: Annotated[list[int], "numbers of its pairings"]
    over: Annotated[bool, "whether there is no further round"]


class EventStanding(TypedDict):
    """The state of an event while it is played: what the terminal shows and `serve` sends."""

    id: Annotated[str, "event, such as `r3f9`"]
    name: Annotated[str, "name; may be empty"]
    kind: Annotated[str, "kind, as in `events`"]
    status: Annotated[str, "status, as in `events`"]
    over: Annotated[bool, "whether no game is left to play"]
    games_planned: Annotated[int, "games to play, at most"]
    games_played: Annotated[int, "games in the database, including repetitions"]
    pairs_failed: Annotated[int, "pairs given up"]
    pairings: Annotated[list[PairingStanding], "one row per pairing, without later rounds"]
    ratings: Annotated[
        list[RatingLine], "joint fit over the event's games, strongest first; may be a moment old"
    ]
    test: Annotated[SprtStanding | None, "for a sequential test; else null"]
    round: Annotated[RoundStanding | None, "for an event in rounds; else null"]
    games_per_second: Annotated[float | None, "over the latest games; null before the first"]
    eta_s: Annotated[
        float | None, "seconds until the expected end if it is played; null if unknown"
    ]
    at_most_s: Annotated[
        float | None,
        "seconds if a test or an event in rounds takes its largest number of games; else null",
    ]
    time_losses: Annotated[int, "games lost on time"]
    engine_failures: Annotated[int, "games that ended by an illegal move or a failed engine"]
    repetitions: Annotated[int, "games that repeat others of the event and are not counted"]
    names: Annotated[dict[str, str], "what tables call the engines, by label"]


class OutcomeRow(EventRow):
    """The output of `gauntlet`, `round-robin`, `match` and `resume`: the event and its results."""

    games: Annotated[int, "games in the database"]
    excluded_games: Annotated[int, "games that repeat an earlier one in the database"]
    scores: Annotated[list[ScoreRow], "one row per pairing"]
    ratings: Annotated[list[RatingLine], "joint fit over the event's games"]


class RoundMeeting(TypedDict):
    """A meeting of two engines in one round, or a bye. Of a knockout it is a match with its extra
    pairs."""

    round: Annotated[int, "number of the round, or of the stage of a knockout, from 1"]
    title: Annotated[str, "such as `round 2 of 5` or `semi-finals`"]
    first: Annotated[str, "label; in a knockout of the better seed"]
    second: Annotated[str | None, "label; null for a bye of the first"]
    pairs: Annotated[int, "game pairs of this meeting, at least those played so far"]
    first_points: Annotated[float, "points of the first engine in these games"]
    second_points: Annotated[float, "points of the second engine"]
    winner: Annotated[str | None, "label of the engine with more points; null if there is none yet"]
    by_seed: Annotated[bool, "knockout: tied after all extra pairs, so the better seed won"]


class StandingRow(TypedDict):
    """An engine in a Swiss tournament or a knockout, the best place first."""

    place: Annotated[int | None, "from 1; null in a knockout while it may still win"]
    engine: Annotated[str, "label"]
    points: Annotated[
        float | None, "Swiss: 1 for a meeting won and for a bye, 1/2 for a level one; else null"
    ]
    buchholz: Annotated[float | None, "Swiss: sum of the points of its opponents"]
    sonneborn_berger: Annotated[
        float | None, "Swiss: sum of opponents' points times those won against them"
    ]
    game_points: Annotated[float, "points in games"]
    games: Annotated[int, "games played"]
    out_in: Annotated[str | None, "knockout: stage in which it lost; else null"]


class GoalRow(TypedDict):
    """The goal of an adaptive event, and what is known after its complete rounds."""

    stop_when: Annotated[str, "as in `--stop-when`"]
    zone: Annotated[float, "indifference zone in Elo, for the goal `order`"]
    reached: Annotated[bool, "whether the goal is reached"]
    rounds: Annotated[int, "complete rounds"]
    largest_error95: Annotated[
        float | None, "largest error of a rating; null if an engine won or lost everything"
    ]
    unsettled: Annotated[int, "pairings whose order is not settled"]
    critical: Annotated[float, "standard deviations by which a difference is significant"]


class RoundsOutcome(OutcomeRow):
    """The output of `knockout`, `swiss` and `round-robin --stop-when`, also by `resume`: the event
    and its results."""

    meetings: Annotated[list[RoundMeeting], "all rounds so far"]
    standings: Annotated[list[StandingRow], "empty for an adaptive event"]
    goal: Annotated[GoalRow | None, "for an adaptive event; else null"]


class EngineRow(TypedDict):
    """One engine. The list has the engines in the database, except those that only tuning played,
    every driver with default values, and the external engines that are kept under names."""

    engine: Annotated[str, "label"]
    id: Annotated[
        str,
        "identity: hash of all effective parameters, or of all that an external engine is made of; "
        "empty for one that is kept and has not played",
    ]
    driver: Annotated[str, "algorithm at the root; `uci`; empty for an imported player"]
    spelling: Annotated[str, "shortest spelling on a command line; imported name"]
    parameters: Annotated[
        dict[str, Any],
        "parameters that have an effect; for an imported player its name; for an external engine "
        "what its identity is made of",
    ]
    games: Annotated[int, "counted games in the database, without tuning games"]
    kind: Annotated[
        str,
        "`native`, `uci` for external engines, or `imported` for players of PGN files, which "
        "cannot play",
    ]
    command: Annotated[
        str | None, "command line of an external engine that is kept under a name, else null"
    ]


class OptionRow(TypedDict):
    """One option that an external engine announces."""

    option: Annotated[str, "name"]
    type: Annotated[str, "`check`, `spin`, `combo`, `button` or `string`"]
    default: Annotated[str | None, "default value in UCI spelling; null if there is none"]
    low: Annotated[int | None, "least value of a `spin`"]
    high: Annotated[int | None, "greatest value of a `spin`"]
    choices: Annotated[list[str], "values of a `combo`; else empty"]
    value: Annotated[str | None, "value that is set; null if the default is left"]


class EngineDetail(EngineRow):
    """One engine with the options that it announces. The id is the present one."""

    options: Annotated[
        list[OptionRow] | None, "options of an external engine that was started; else null"
    ]


class RemovedEngine(TypedDict):
    """An external engine that is no longer kept."""

    engine: Annotated[str, "the name that it had"]
    command: Annotated[str, "its command line"]


class DifferenceRow(TypedDict):
    """One difference between two engines; null if an engine has no such setting."""

    parameter: Annotated[
        str,
        "parameter, `kind` or `driver`; `name` of an imported player; for external engines `name`, "
        "`program`, `argument N`, `environment NAME`, `option NAME`",
    ]
    engine: Annotated[Any, "value in the first engine"]
    other: Annotated[Any, "value in the second engine"]


class EngineDifference(TypedDict):
    """The differences between two engines."""

    engine: Annotated[str, "label of the first engine"]
    other: Annotated[str, "label of the second engine"]
    differences: Annotated[
        list[DifferenceRow], "the differences; empty if the two are the same engine"
    ]


class DatabaseCheck(TypedDict):
    """Whether a database is sound. A file that cannot be read is an error with exit code 3."""

    database: Annotated[str, "path, or URL without password"]
    sound: Annotated[bool, "false if rows contradict each other or games differ"]
    contradictions: Annotated[
        list[str], "differences from what was stored, at most 20 of each kind"
    ]
    replayed: Annotated[int | None, "games replayed with `--replay`; null without it"]
    mismatches: Annotated[list[str], "description of each game that differs on replay"]


class EventStats(EventRow):
    """The event and its statistics. Repeated games are included."""

    games: Annotated[int, "games in the database"]
    repeated_games: Annotated[int, "games that repeat an earlier one in the database"]
    after_stop: Annotated[int, "in a sequential test: game pairs finished after the verdict"]
    white_wins: Annotated[int, "games won by White"]
    draws: Annotated[int, "draws"]
    black_wins: Annotated[int, "games won by Black"]
    white_score: Annotated[float, "mean score of White, 0 to 1"]
    plies: Annotated[float, "mean length in plies"]
    least_plies: Annotated[int, "length of the shortest game"]
    most_plies: Annotated[int, "length of the longest game"]
    nodes: Annotated[int | None, "nodes searched by all players; null if unknown"]
    cpu_us: Annotated[int | None, "CPU time of all searches in microseconds; null for an import"]
    end_reasons: Annotated[list[EndReasonCount], "games by end reason, most frequent first"]
    players: Annotated[list[PlayerStats], "players, best score first"]


class DatabaseUpgrade(TypedDict):
    """The result of an upgrade, or of its dry run."""

    database: Annotated[str, "path, or URL without password"]
    from_schema: Annotated[str, "schema before the upgrade"]
    to_schema: Annotated[str, "schema of this program"]
    upgraded: Annotated[bool, "whether anything was changed"]
    backup: Annotated[str | None, "backup file of the old database"]


class DatabaseVacuum(TypedDict):
    """The result of vacuuming."""

    database: Annotated[str, "path"]
    bytes_before: Annotated[int, "size of the file before"]
    bytes_after: Annotated[int, "size of the file now"]
    shrunk: Annotated[
        bool, "whether the file has its new size; false while another program reads it"
    ]


class DatabaseBackup(TypedDict):
    """A copy of a database."""

    database: Annotated[str, "path"]
    copy: Annotated[str, "path of the copy"]
    bytes: Annotated[int, "its size"]


class DatabaseInfo(TypedDict):
    """The contents of a database."""

    database: Annotated[str, "path, or URL without password"]
    schema: Annotated[str, "the version of mtdf that brought the schema"]
    bytes: Annotated[int, "size of the file, or of the database on a server"]
    events: Annotated[int, "number of events"]
    engines: Annotated[int, "number of variants"]
    games: Annotated[int, "number of games, including repetitions"]
    excluded_games: Annotated[int, "games that repeat an earlier one"]
    rating_lists: Annotated[int, "number of stored rating lists"]
    running: Annotated[dict[str, int], "events being played now, with their process ids"]
    hosts: Annotated[dict[str, str], "those of them on other machines, with their host names"]
    studies: Annotated[int, "number of tuning studies"]


class DriverRow(TypedDict):
    """One driver of the registry."""

    driver: Annotated[str, "name"]
    doc: Annotated[str, "what it does"]
    windows: Annotated[str, "root windows: `open`, `null` or `both` (null first)"]
    parameters: Annotated[list[str], "names of its parameters"]
    source: Annotated[str, "publication"]


class ParameterRow(TypedDict):
    """One parameter of the registry."""

    parameter: Annotated[str, "name"]
    kind: Annotated[str, "`int`, `float`, `choice` or `flag`"]
    default: Annotated[Any, "default value"]
    range: Annotated[str, "accepted values"]
    drivers: Annotated[list[str], "drivers with this parameter"]
    needs: Annotated[str | None, "condition for it to have an effect"]
    doc: Annotated[str, "what it does"]
    off: Annotated[Any, "value that switches the feature off; null if there is none"]


class AblationOutcome(EventRow):
    """The output of `ablate` and of resuming an ablation: the event and the features."""

    games: Annotated[int, "games in the database"]
    excluded_games: Annotated[int, "games that repeat an earlier one in the database"]
    opponents: Annotated[list[str], "labels of the field; empty if the full engine is the opponent"]
    features: Annotated[list[AblationRow], "all features on, then by greatest loss"]


class SprtOutcome(EventRow, SprtResult):
    """The output of `sprt` and of resuming a test: the event and the test."""


class SprtPlanRow(TypedDict):
    """The behaviour of a sequential test at one true strength."""

    true_elo: Annotated[float, "true strength in the unit of the hypotheses"]
    elo: Annotated[float, "true strength in Elo"]
    nelo: Annotated[float, "true strength in normalized Elo"]
    pass_rate: Annotated[float, "probability of H1"]
    fail_rate: Annotated[float, "probability of H0"]
    no_verdict_rate: Annotated[float, "probability of neither; 0 without `--max-pairs`"]
    mean_pairs: Annotated[float, "expected number of game pairs"]
    pairs95: Annotated[float, "number of game pairs within which 95 % of tests end"]
