"""The documented fields of what counts and reports print; see :mod:`toolkit.commands._json`."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from toolkit.ratings.rows import RatingLine


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


class EventRow(TypedDict):
    """One event."""

    id: Annotated[str, "short id, such as `r3f9`, as `resume` and `--event` take it"]
    name: Annotated[str, "name given with `--name`; empty when there was none"]
    kind: Annotated[str, "`gauntlet`, `round-robin`, `match`, `sprt`, `ablation` or `import`"]
    status: Annotated[str, "`planned`, `running`, `interrupted`, `done` or `failed`"]
    pairs_planned: Annotated[int, "game pairs of the whole event"]
    pairs_done: Annotated[int, "game pairs in the database"]
    seed: Annotated[int | None, "seed of the schedule; null of an import"]
    pairs_failed: Annotated[int, "game pairs that could not be played"]
    engines: Annotated[list[str], "labels of the players"]
    limit: Annotated[dict[str, int], "what a move may cost, as in the settings; empty of an import"]
    book: Annotated[str, "name of the book of openings; empty of an import"]
    book_slice: Annotated[str | None, "the part of it that is played, as `1/2`; null: all of it"]
    created_at: Annotated[str, "UTC, ISO 8601"]
    started_at: Annotated[str | None, "UTC, ISO 8601"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]
    backend: Annotated[str, "`native` or `reference`: what it is played with"]
    signature: Annotated[str, "signature of the core it is played with"]
    version: Annotated[str, "version of mtdf that made it"]
    singles: Annotated[int, "imported games without a partner"]


class GameRow(TypedDict):
    """One game; ordered by event, pairing, pair, game."""

    id: Annotated[str, "short id, such as `g1042`, as `mtdf game` takes it"]
    event: Annotated[str, "short id of the event"]
    pairing: Annotated[int, "which two players, from 0 in the event's order"]
    pair: Annotated[int, "game pair within the pairing, from 0"]
    game: Annotated[int, "1 or 2: the first or the second game of the pair"]
    white: Annotated[str, "label"]
    black: Annotated[str, "label"]
    white_id: Annotated[str, "identity of the variant"]
    black_id: Annotated[str, "identity of the variant"]
    result: Annotated[str, "`1-0`, `0-1` or `1/2-1/2`"]
    end_reason: Annotated[str, "why the game ended, see below"]
    plies: Annotated[int, "number of moves after the opening; 0 where an imported game is silent"]
    start_fen: Annotated[str, "the opening position, from which `moves` were played"]
    moves: Annotated[list[str], "UCI notation; empty where a game was imported without them"]
    counted: Annotated[bool, "false where the game repeats an earlier one of the database"]
    opening_line: Annotated[int | None, "line of the book, from 1"]
    white_nodes: Annotated[
        int | None, "nodes that White searched; null where an imported game is silent"
    ]
    black_nodes: Annotated[int | None, "nodes that Black searched; null likewise"]
    white_cpu_us: Annotated[
        int | None, "CPU time of White's searches, microseconds; null if imported"
    ]
    black_cpu_us: Annotated[
        int | None, "CPU time of Black's searches, microseconds; null if imported"
    ]
    started_at: Annotated[str | None, "UTC, ISO 8601"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]
    backend: Annotated[str, "`native` or `reference`: what it was played with; or `imported`"]
    signature: Annotated[str, "signature of the core it was played with; empty if imported"]
    seed: Annotated[int | None, "seed of the pair; null if imported"]
    load: Annotated[float, "the machine's one-minute load average when the game began"]
    jobs: Annotated[int, "worker processes of the event; 0 if imported"]
    after_stop: Annotated[bool, "of a sequential test: finished after the verdict, not counted"]


class MoveRow(TypedDict):
    """One move of a game and what its search found."""

    ply: Annotated[int, "from 1, after the opening"]
    uci: Annotated[str, "the move in UCI notation"]
    san: Annotated[str, "the move in standard algebraic notation"]
    value: Annotated[int | None, "centipawns from the view of the side to move; null if unknown"]
    depth: Annotated[int | None, "depth of the last finished iteration; null if unknown"]
    nodes: Annotated[int | None, "nodes searched; null if unknown"]
    passes: Annotated[int | None, "calls of the driver in all iterations; null if unknown"]
    time_us: Annotated[int | None, "wall clock in microseconds; null if unknown"]


class GameDetail(GameRow):
    """The fields of `games`, then every search."""

    searches: Annotated[list[MoveRow], "the moves, each with what its search found"]


class ScoreRow(TypedDict):
    """How a pairing of an event stands, from the view of its first engine. Every distinct game of
    the event counts once."""

    first: Annotated[str, "label"]
    second: Annotated[str, "label"]
    games: Annotated[int, "games played, repetitions included"]
    wins: Annotated[int, "games that the first engine won"]
    draws: Annotated[int, "draws"]
    losses: Annotated[int, "games that the first engine lost"]
    pentanomial: Annotated[
        list[int], "pairs in which the first engine had 0, 1/2, 1, 3/2, 2 points"
    ]
    elo: Annotated[float | None, "Elo difference, from the pentanomial counts"]
    error95: Annotated[float | None, "half of its 95 % interval"]
    low95: Annotated[float | None, "lower end of the interval; null: the results set none"]
    high95: Annotated[float | None, "upper end of the interval; null: the results set none"]
    los: Annotated[float | None, "likelihood that the first engine is stronger, 0 to 1"]


class OutcomeRow(EventRow):
    """What `gauntlet`, `round-robin`, `match` and `resume` print: the event, then its end."""

    games: Annotated[int, "games in the database"]
    excluded_games: Annotated[int, "games that repeat an earlier one of the database"]
    scores: Annotated[list[ScoreRow], "a row a pairing"]
    ratings: Annotated[list[RatingLine], "the joint fit over the event's games"]


class EngineRow(TypedDict):
    """One variant: those in the database but those that only tuning played, and every driver at its
    defaults."""

    engine: Annotated[str, "label"]
    id: Annotated[str, "identity: hash of all effective parameters"]
    driver: Annotated[str, "the algorithm at the root; empty for an imported player"]
    spelling: Annotated[str, "the shortest text that means this variant; an imported name"]
    parameters: Annotated[
        dict[str, Any],
        "parameters that mean something beside the others; of an imported player its name",
    ]
    games: Annotated[int, "games in the database that count, without those of tuning"]
    kind: Annotated[str, "`native`, or `imported`: a name in a PGN file, which cannot be played"]


class DifferenceRow(TypedDict):
    """One setting in which two variants differ; null where one of them has no such setting."""

    parameter: Annotated[
        str, "name of the parameter; or `kind`, `driver`, or `name` of an imported player"
    ]
    engine: Annotated[Any, "value of the one that is shown"]
    other: Annotated[Any, "value of the one it is compared with"]


class EngineDifference(TypedDict):
    """In what two variants differ."""

    engine: Annotated[str, "label of the one that is shown"]
    other: Annotated[str, "label of the one it is compared with"]
    differences: Annotated[list[DifferenceRow], "empty when the two are one engine"]


class DatabaseCheck(TypedDict):
    """Whether a database is sound; a damaged file is an error, exit code 3."""

    database: Annotated[str, "path, or URL without password"]
    sound: Annotated[bool, "false where rows contradict each other or a game is not as stored"]
    contradictions: Annotated[list[str], "what is not as it was stored; of each kind the first 20"]
    replayed: Annotated[int | None, "games replayed with `--replay`; null without it"]
    mismatches: Annotated[list[str], "what is wrong with each game that is not as stored"]


class EventStats(EventRow):
    """The event, then what happened in it; repeated games are in all numbers."""

    games: Annotated[int, "games in the database"]
    repeated_games: Annotated[int, "games that repeat an earlier one of the database"]
    after_stop: Annotated[int, "of a sequential test: game pairs finished after the verdict"]
    white_wins: Annotated[int, "games that White won"]
    draws: Annotated[int, "draws"]
    black_wins: Annotated[int, "games that Black won"]
    white_score: Annotated[float, "mean score of White, 0 to 1"]
    plies: Annotated[float, "mean length in plies"]
    least_plies: Annotated[int, "length of the shortest game"]
    most_plies: Annotated[int, "length of the longest game"]
    nodes: Annotated[int | None, "nodes searched by all players; null where nobody counted"]
    cpu_us: Annotated[int | None, "CPU time of all searches in microseconds; null of an import"]
    end_reasons: Annotated[list[EndReasonCount], "most games first"]
    players: Annotated[list[PlayerStats], "the best score first"]


class DatabaseUpgrade(TypedDict):
    """What an upgrade did, or would do."""

    database: Annotated[str, "path, or URL without password"]
    from_schema: Annotated[int, "schema that was found"]
    to_schema: Annotated[int, "schema of this program"]
    upgraded: Annotated[bool, "whether anything was changed"]
    backup: Annotated[str | None, "file that keeps the old database"]


class DatabaseInfo(TypedDict):
    """What a database holds."""

    database: Annotated[str, "path, or URL without password"]
    schema: Annotated[int, "number of its schema"]
    bytes: Annotated[int | None, "size of its file; null for a server"]
    events: Annotated[int, "events"]
    engines: Annotated[int, "variants"]
    games: Annotated[int, "games, repetitions included"]
    excluded_games: Annotated[int, "games that repeat an earlier one"]
    rating_lists: Annotated[int, "stored rating lists"]
    running: Annotated[dict[str, int], "events being played now, and the process of each"]
    studies: Annotated[int, "studies of tuning"]


class DriverRow(TypedDict):
    """One driver of the registry."""

    driver: Annotated[str, "name"]
    doc: Annotated[str, "what it does"]
    windows: Annotated[str, "`open`, `null`, or `both`: first null, then open windows at the root"]
    parameters: Annotated[list[str], "names of its parameters"]
    source: Annotated[str, "where it was published"]


class ParameterRow(TypedDict):
    """One parameter of the registry."""

    parameter: Annotated[str, "name"]
    kind: Annotated[str, "`int`, `float`, `choice` or `flag`"]
    default: Annotated[Any, "value when it is not given"]
    range: Annotated[str, "what it accepts"]
    drivers: Annotated[list[str], "drivers that have it"]
    needs: Annotated[str | None, "what must be set for it to mean anything"]
    doc: Annotated[str, "what it does"]
    off: Annotated[Any, "value that switches the feature off; null where nothing can be"]


class AblationOutcome(EventRow):
    """What `ablate`, and `resume` of one, print: the event, then the engine's features."""

    games: Annotated[int, "games in the database"]
    excluded_games: Annotated[int, "games that repeat an earlier one of the database"]
    features: Annotated[list[AblationRow], "first all features on, then the worst loss first"]


class SprtOutcome(EventRow, SprtResult):
    """What `sprt`, and `resume` of one, print: the event, then the test."""


class SprtPlanRow(TypedDict):
    """What a sequential test does at one true strength."""

    true_elo: Annotated[float, "true strength in the unit of the hypotheses"]
    elo: Annotated[float, "the same in Elo"]
    nelo: Annotated[float, "the same in normalized Elo"]
    pass_rate: Annotated[float, "chance of H1"]
    fail_rate: Annotated[float, "chance of H0"]
    no_verdict_rate: Annotated[float, "chance of neither; 0 without `--max-pairs`"]
    mean_pairs: Annotated[float, "expected game pairs"]
    pairs95: Annotated[float, "with 95 % chance the test is over by then"]
