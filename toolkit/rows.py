"""The documented fields of every ``--json`` object, one typed dictionary a kind.

The order of the fields is the order in the output, ``docs/json.md`` is made from these types, and
a field is never renamed or taken away. ``program_backend`` (``native`` or ``reference``: what runs
the program that prints) follows as the last field of every object and every row of an array, unless
a statement given to ``query`` has a column of that name.
"""

from __future__ import annotations

from typing import Annotated, Any, TypedDict, get_type_hints

from toolkit.lab.fit_rows import FIT_OUTPUT
from toolkit.lab.rows import LAB_OUTPUT
from toolkit.report_rows import (
    AblationRow,
    CrosstableRow,
    EndReasonCount,
    HeadToHeadPart,
    HeadToHeadRow,
    HistoryLine,
    JsonOutput,
    LosRow,
    OpeningStats,
    PlayerStats,
    QueryRow,
    SideCost,
    SprtResult,
    SprtRow,
    ViewRow,
)
from toolkit.tuning.rows import TUNING_OUTPUT


def field_names(row_type: type[Any]) -> list[str]:
    """The fields of a row type in their documented order."""
    return list(get_type_hints(row_type))


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


class PlanRow(TypedDict):
    """What `--dry-run` prints."""

    kind: Annotated[str, "`gauntlet`, `round-robin`, `match`, `sprt` or `ablation`"]
    pairings: Annotated[list[list[str]], "the two labels of each pairing"]
    pairs: Annotated[int, "game pairs of each pairing; of a test at most"]
    games: Annotated[int, "games of the whole event"]
    book: Annotated[str, "name of the book"]
    book_slice: Annotated[str | None, "the part of it that is played, as `1/2`; null: all of it"]
    lines: Annotated[int, "openings that may be played: of the slice, where there is one"]
    lines_used: Annotated[int, "openings that the event plays"]
    seed: Annotated[int, "seed of the schedule"]
    limit: Annotated[str, "what a move may cost, in words"]
    deterministic: Annotated[bool, "whether the same seed gives the same games anywhere"]
    adjudication: Annotated[str, "rules that end games early, in words"]
    jobs: Annotated[int, "worker processes"]
    estimate_s: Annotated[float | None, "estimate of the time in seconds; of a test the expected"]
    estimate_basis: Annotated[str, "what the estimate comes from"]
    notices: Annotated[list[str], "what to know before play starts"]
    expected_pairs: Annotated[float | None, "pairs that a test is expected to take; else null"]
    latest_s: Annotated[float | None, "estimate for all pairs of a test; else null"]


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


class CheckRow(TypedDict):
    """One check of `doctor`."""

    name: Annotated[str, "what was looked at"]
    status: Annotated[str, "`ok`, `warn` or `FAIL`"]
    detail: Annotated[str, "what was found"]
    fix: Annotated[str, "what to do; empty when nothing need be done"]


class BenchSearch(TypedDict):
    """One search of the bench."""

    position: Annotated[str, "FEN"]
    engine: Annotated[str, "the variant"]
    mode: Annotated[str, "`exact` or `selective`"]
    nodes: Annotated[int, "nodes searched"]
    value: Annotated[int, "value in centipawns"]


class BenchOutcome(TypedDict):
    """What `bench` prints."""

    signature: Annotated[str, "16 hex digits; two builds of one signature play the same"]
    nodes: Annotated[int, "nodes of all searches"]
    time_us: Annotated[int, "wall clock in microseconds"]
    cpu_us: Annotated[int, "CPU time of the searching thread in microseconds"]
    nodes_per_second: Annotated[int, "of CPU time"]
    searches: Annotated[list[BenchSearch], "the searches in order"]


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


class ImportRow(TypedDict):
    """One imported file."""

    file: Annotated[str, "as it was given"]
    sha256: Annotated[str, "hash of the file"]
    event: Annotated[str, "short id of the event that has its games"]
    name: Annotated[str, "name of that event"]
    games: Annotated[int, "games in the file, bad ones included"]
    added: Annotated[int, "games that are new in the event"]
    known: Annotated[int, "games that the event had, from this file or another"]
    bad: Annotated[int, "games left out with `--skip-bad`"]
    pairs: Annotated[int, "game pairs among the added ones"]
    singles: Annotated[int, "added games without a partner"]
    players: Annotated[int, "players of the event"]
    headers_only: Annotated[bool, "whether moves were left out"]
    trinomial: Annotated[
        list[int] | None,
        "losses, draws, wins of the first player in the whole event, as `sprt calc` takes them; "
        "null unless it has two players",
    ]
    pentanomial: Annotated[list[int] | None, "its pairs by points, worst first; null likewise"]
    repeated: Annotated[int, "games left out because they stand in the file before"]


class BookDescription(TypedDict):
    """A book of openings."""

    name: Annotated[str, "its name"]
    source: Annotated[str, "file it was read from, or `package:`"]
    id: Annotated[str, "hash of its lines in order"]
    lines: Annotated[int, "lines that can be played"]
    repeated: Annotated[int, "lines whose position an earlier line has"]
    bad_lines: Annotated[int, "lines that cannot be played and were left out"]
    white_to_move: Annotated[int, "lines after which White moves"]
    plies: Annotated[dict[str, int], "lines by their length in plies"]
    slices: Annotated[list[int], "with `--slices`: lines of each slice, the first slice first"]
    recipe: Annotated[
        dict[str, Any],
        "what the maker recorded: its options, the judge, the judge's core `signature`; "
        "empty for a book of other origin",
    ]


class BookFault(TypedDict):
    """A line of a book that is no good."""

    line: Annotated[int, "its number in the file, from 1; of a PGN game its first line"]
    fault: Annotated[str, "`unplayable`, `repeated` or `unbalanced`"]
    reason: Annotated[str, "why, in words"]
    cp: Annotated[int | None, "of an unbalanced line: the judge's value for the side to move"]


class BookCheck(BookDescription):
    """A book that was checked."""

    judged: Annotated[int, "with `--max-cp`: lines that the judge searched; 0 without it"]
    faults: Annotated[list[BookFault], "lines that are no good, by their fault"]


class MadeBook(TypedDict):
    """A book that was made."""

    file: Annotated[str, "where it was written"]
    lines: Annotated[int, "lines in it"]
    tried: Annotated[int, "candidates looked at"]


_OUTCOME = JsonOutput(
    OutcomeRow, is_array=False, nested={"scores": ScoreRow, "ratings": RatingLine}
)
JSON_OUTPUT: dict[str, JsonOutput] = {
    "events": JsonOutput(EventRow),
    "stats": JsonOutput(
        EventStats,
        is_array=False,
        nested={"end_reasons": EndReasonCount, "players": PlayerStats},
    ),
    "crosstable": JsonOutput(CrosstableRow),
    "h2h": JsonOutput(
        HeadToHeadRow,
        is_array=False,
        nested={
            "by_colour, by_end_reason, by_length, by_opening": HeadToHeadPart,
            "costs": SideCost,
            "test": SprtRow,
        },
    ),
    "history": JsonOutput(HistoryLine),
    "query": JsonOutput(QueryRow),
    "query --list-views": JsonOutput(ViewRow),
    "games": JsonOutput(GameRow),
    "game": JsonOutput(GameDetail, is_array=False, nested={"searches": MoveRow}),
    "ratings": JsonOutput(RatingLine),
    "ratings --los": JsonOutput(LosRow),
    "gauntlet, match, resume": _OUTCOME,
    "round-robin": _OUTCOME,
    "gauntlet --dry-run, match --dry-run": JsonOutput(PlanRow, is_array=False),
    "round-robin --dry-run": JsonOutput(PlanRow, is_array=False),
    "ablate": JsonOutput(AblationOutcome, is_array=False, nested={"features": AblationRow}),
    "ablate --dry-run": JsonOutput(PlanRow, is_array=False),
    "tune confirm --dry-run": JsonOutput(PlanRow, is_array=False),
    "engines list": JsonOutput(EngineRow),
    "engines show": JsonOutput(EngineRow, is_array=False),
    "engines show --diff": JsonOutput(
        EngineDifference, is_array=False, nested={"differences": DifferenceRow}
    ),
    "engines drivers": JsonOutput(DriverRow),
    "engines parameters": JsonOutput(ParameterRow),
    "sprt": JsonOutput(SprtOutcome, is_array=False, nested={"test": SprtRow}),
    "sprt calc": JsonOutput(SprtRow, is_array=False),
    "sprt plan": JsonOutput(SprtPlanRow),
    **TUNING_OUTPUT,
    **LAB_OUTPUT,
    **FIT_OUTPUT,
    "import": JsonOutput(ImportRow),
    "openings info": JsonOutput(BookDescription, is_array=False),
    "openings check": JsonOutput(BookCheck, is_array=False, nested={"faults": BookFault}),
    "openings stats": JsonOutput(OpeningStats),
    "openings make": JsonOutput(MadeBook, is_array=False),
    "bench": JsonOutput(BenchOutcome, is_array=False, nested={"searches": BenchSearch}),
    "doctor": JsonOutput(CheckRow),
    "db info": JsonOutput(DatabaseInfo, is_array=False),
    "db upgrade": JsonOutput(DatabaseUpgrade, is_array=False),
    "db check": JsonOutput(DatabaseCheck, is_array=False),
}
"""Every kind of JSON that commands print, by command."""
