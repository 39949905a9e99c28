"""The documented fields of every ``--json`` object, as one typed dictionary per kind.

The order of the fields is their order in the output, ``docs/json.md`` is generated from these
types, and a field is never renamed or removed. Every object and every row of an array ends with the
field ``program_backend`` (``native`` or ``reference``, the backend of the printing program), unless
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
    """The fields of a row type, in their documented order."""
    return list(get_type_hints(row_type))


class EventRow(TypedDict):
    """One event."""

    id: Annotated[str, "short id for `resume` and `--event`, such as `r3f9`"]
    name: Annotated[str, "name given with `--name`; empty if none was given"]
    kind: Annotated[
        str, "`gauntlet`, `round-robin`, `match`, `sprt`, `ablation`, `tuning`, `import`"
    ]
    status: Annotated[str, "`planned`, `running`, `interrupted`, `done` or `failed`"]
    pairs_planned: Annotated[int, "planned game pairs"]
    pairs_done: Annotated[int, "game pairs in the database"]
    seed: Annotated[int | None, "seed of the schedule; null for an import"]
    pairs_failed: Annotated[int, "game pairs that could not be played"]
    engines: Annotated[list[str], "labels of the players"]
    limit: Annotated[dict[str, int], "limit for a move, as in the settings; empty if imported"]
    book: Annotated[str, "name of the opening book; empty for an import"]
    book_slice: Annotated[str | None, "slice of the book, such as `1/2`; null for the whole book"]
    created_at: Annotated[str, "UTC, ISO 8601"]
    started_at: Annotated[str | None, "UTC, ISO 8601"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]
    backend: Annotated[str, "backend that plays the event: `native` or `reference`"]
    signature: Annotated[str, "signature of the core that plays the event"]
    version: Annotated[str, "version of mtdf that created the event"]
    singles: Annotated[int, "imported games without a partner"]


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
    moves: Annotated[list[str], "moves in UCI notation; empty for a game imported without moves"]
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
    load: Annotated[float, "load average (1 min) of the machine when the game started"]
    jobs: Annotated[int, "number of games played at the same time; 0 if imported"]
    after_stop: Annotated[bool, "sequential test: finished after the verdict, not counted"]


class MoveRow(TypedDict):
    """One move of a game with its search result."""

    ply: Annotated[int, "ply after the opening, from 1"]
    uci: Annotated[str, "move in UCI notation"]
    san: Annotated[str, "move in standard algebraic notation"]
    value: Annotated[int | None, "value in centipawns for the side to move; null if unknown"]
    depth: Annotated[int | None, "depth of the last completed iteration; null if unknown"]
    nodes: Annotated[int | None, "nodes searched; null if unknown"]
    passes: Annotated[int | None, "passes in all iterations; null if unknown"]
    time_us: Annotated[int | None, "wall clock in microseconds; null if unknown"]


class GameDetail(GameRow):
    """The fields of `games`, and every search."""

    searches: Annotated[list[MoveRow], "every move with its search result"]


class RatingLine(TypedDict):
    """One player of a rating list, strongest first."""

    engine: Annotated[str, "label"]
    elo: Annotated[float, "Elo; the mean of the pool is 0 unless an anchor is set"]
    error95: Annotated[float | None, "half the width of the 95 % interval; null for the anchor"]
    error_model: Annotated[
        str,
        "`pair-clustered`; `fisher`: inverse Fisher information, if no pairs are known; "
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


class OutcomeRow(EventRow):
    """The output of `gauntlet`, `round-robin`, `match` and `resume`: the event and its results."""

    games: Annotated[int, "games in the database"]
    excluded_games: Annotated[int, "games that repeat an earlier one in the database"]
    scores: Annotated[list[ScoreRow], "one row per pairing"]
    ratings: Annotated[list[RatingLine], "joint fit over the event's games"]


class PlanRow(TypedDict):
    """The output of `--dry-run`."""

    kind: Annotated[str, "`gauntlet`, `round-robin`, `match`, `sprt` or `ablation`"]
    pairings: Annotated[list[list[str]], "two labels for each pairing"]
    pairs: Annotated[int, "game pairs per pairing; for a test the maximum"]
    games: Annotated[int, "games of the whole event"]
    book: Annotated[str, "name of the book"]
    book_slice: Annotated[str | None, "slice of the book, such as `1/2`; null for the whole book"]
    lines: Annotated[int, "openings in the book, or in the slice if there is one"]
    lines_used: Annotated[int, "openings that the event plays"]
    seed: Annotated[int, "seed of the schedule"]
    limit: Annotated[str, "limit for a move, as text"]
    deterministic: Annotated[bool, "whether the same seed gives the same games on any machine"]
    adjudication: Annotated[str, "rules that end games early, as text"]
    jobs: Annotated[int, "worker processes"]
    estimate_s: Annotated[float | None, "estimated time in seconds; expected for a test"]
    estimate_basis: Annotated[str, "basis of the estimate"]
    notices: Annotated[list[str], "warnings about this event"]
    expected_pairs: Annotated[float | None, "for a test: expected number of pairs; else null"]
    latest_s: Annotated[float | None, "for a test: estimate for all its pairs; else null"]


class EngineRow(TypedDict):
    """One variant. The list has the variants in the database, except those that only tuning played,
    and every driver with default values."""

    engine: Annotated[str, "label"]
    id: Annotated[str, "identity: hash of all effective parameters"]
    driver: Annotated[str, "algorithm at the root; empty for an imported player"]
    spelling: Annotated[str, "shortest spelling on a command line; imported name"]
    parameters: Annotated[
        dict[str, Any],
        "parameters that have an effect; for an imported player its name",
    ]
    games: Annotated[int, "counted games in the database, without tuning games"]
    kind: Annotated[str, "`native`, or `imported` for players of PGN files, which cannot play"]


class DifferenceRow(TypedDict):
    """One difference between two variants; null if a variant has no such setting."""

    parameter: Annotated[str, "parameter, or `kind`, `driver`, or `name` of an imported player"]
    engine: Annotated[Any, "value in the first variant"]
    other: Annotated[Any, "value in the second variant"]


class EngineDifference(TypedDict):
    """The differences between two variants."""

    engine: Annotated[str, "label of the first variant"]
    other: Annotated[str, "label of the second variant"]
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
    from_schema: Annotated[int, "schema before the upgrade"]
    to_schema: Annotated[int, "schema of this program"]
    upgraded: Annotated[bool, "whether anything was changed"]
    backup: Annotated[str | None, "backup file of the old database"]


class DatabaseInfo(TypedDict):
    """The contents of a database."""

    database: Annotated[str, "path, or URL without password"]
    schema: Annotated[int, "schema number"]
    bytes: Annotated[int | None, "size of the file; null for a database server"]
    events: Annotated[int, "number of events"]
    engines: Annotated[int, "number of variants"]
    games: Annotated[int, "number of games, including repetitions"]
    excluded_games: Annotated[int, "games that repeat an earlier one"]
    rating_lists: Annotated[int, "number of stored rating lists"]
    running: Annotated[dict[str, int], "events being played now, with their process ids"]
    studies: Annotated[int, "number of tuning studies"]


class CheckRow(TypedDict):
    """One check of `doctor`."""

    name: Annotated[str, "name of the check"]
    status: Annotated[str, "`ok`, `warn` or `FAIL`"]
    detail: Annotated[str, "result of the check"]
    fix: Annotated[str, "how to fix the problem; empty if there is none"]


class BenchSearch(TypedDict):
    """One search of the bench."""

    position: Annotated[str, "FEN"]
    engine: Annotated[str, "the variant"]
    mode: Annotated[str, "`exact` or `selective`"]
    nodes: Annotated[int, "nodes searched"]
    value: Annotated[int, "value in centipawns"]


class BenchOutcome(TypedDict):
    """The output of `bench`."""

    signature: Annotated[str, "16 hex digits; builds with the same signature play the same"]
    nodes: Annotated[int, "nodes of all searches"]
    time_us: Annotated[int, "wall clock in microseconds"]
    cpu_us: Annotated[int, "CPU time of the searching thread in microseconds"]
    nodes_per_second: Annotated[int, "nodes per second of CPU time"]
    searches: Annotated[list[BenchSearch], "searches, in order"]


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


class ImportRow(TypedDict):
    """One imported file."""

    file: Annotated[str, "file name as given"]
    sha256: Annotated[str, "hash of the file"]
    event: Annotated[str, "short id of the event with its games"]
    name: Annotated[str, "name of that event"]
    games: Annotated[int, "games in the file, including bad ones"]
    added: Annotated[int, "games added to the event"]
    known: Annotated[int, "games that were already in the event, from this file or another"]
    bad: Annotated[int, "bad games skipped with `--skip-bad`"]
    pairs: Annotated[int, "game pairs among the added ones"]
    singles: Annotated[int, "added games without a partner"]
    players: Annotated[int, "players of the event"]
    headers_only: Annotated[bool, "whether moves were not read"]
    trinomial: Annotated[
        list[int] | None,
        "losses, draws and wins of the first player in the whole event, for `sprt calc`; null "
        "unless there are two players",
    ]
    pentanomial: Annotated[list[int] | None, "its pairs by points; null unless two players"]
    repeated: Annotated[int, "games skipped because they repeat an earlier game of the file"]


class BookDescription(TypedDict):
    """A book of openings."""

    name: Annotated[str, "its name"]
    source: Annotated[str, "file; begins with `package:` for a built-in book"]
    id: Annotated[str, "hash of the lines, in order"]
    lines: Annotated[int, "lines that can be played"]
    repeated: Annotated[int, "lines with the same position as an earlier line"]
    bad_lines: Annotated[int, "skipped lines that cannot be played"]
    white_to_move: Annotated[int, "lines after which White is to move"]
    plies: Annotated[dict[str, int], "number of lines by length in plies"]
    slices: Annotated[list[int], "with `--slices`: number of lines in each slice, in order"]
    recipe: Annotated[
        dict[str, Any],
        "options, judge and core `signature` of `openings make`; may be empty",
    ]


class BookFault(TypedDict):
    """A faulty line of a book."""

    line: Annotated[int, "line number in the file, from 1; for a PGN game its first line"]
    fault: Annotated[str, "`unplayable`, `repeated` or `unbalanced`"]
    reason: Annotated[str, "the reason, as text"]
    cp: Annotated[int | None, "for an unbalanced line: the judge's value for the side to move"]


class BookCheck(BookDescription):
    """The result of checking a book."""

    judged: Annotated[int, "lines searched by the judge; 0 without `--max-cp`"]
    faults: Annotated[list[BookFault], "faulty lines, grouped by fault"]


class MadeBook(TypedDict):
    """A new book."""

    file: Annotated[str, "file of the book"]
    lines: Annotated[int, "number of lines"]
    tried: Annotated[int, "number of candidates tried"]


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
"""All JSON output, by command."""
