"""The documented fields of every ``--json`` object, as one typed dictionary per kind.

The order of the fields is their order in the output, ``docs/json.md`` is generated from these
types, and a field is never renamed or removed. Every object and every row of an array ends with the
field ``program_backend`` (``native`` or ``reference``, the backend of the printing program), unless
a statement given to ``query`` has a column of that name.
"""

from __future__ import annotations

from typing import Annotated, TypedDict

from toolkit.base.rows import JsonOutput
from toolkit.books.rows import BookCheck, BookDescription, MadeBook
from toolkit.compliance.rows import EngineTest
from toolkit.events.rows import RelabelledRow
from toolkit.imports.rows import ImportRow
from toolkit.lab.claims.rows import CLAIM_OUTPUT
from toolkit.lab.fits.rows import FIT_OUTPUT
from toolkit.lab.rows import LAB_OUTPUT
from toolkit.ratings.rows import HistoryLine, LosRow, RatingLine
from toolkit.reports.rows import (
    AblationOutcome,
    CrosstableRow,
    DatabaseBackup,
    DatabaseCheck,
    DatabaseExport,
    DatabaseInfo,
    DatabaseUpgrade,
    DatabaseVacuum,
    DriverRow,
    EngineDetail,
    EngineDifference,
    EngineRow,
    EventRow,
    EventStats,
    ExportedGame,
    GameDetail,
    GameRow,
    HeadToHeadRow,
    OpeningStats,
    OutcomeRow,
    ParameterRow,
    QueryRow,
    RemovedEngine,
    RoundsOutcome,
    SprtOutcome,
    SprtPlanRow,
    SprtRow,
    ViewRow,
)
from toolkit.runs.rows import HOUSEKEEPING_OUTPUT
from toolkit.show.charts.rows import PlotRow
from toolkit.show.pages.rows import PAGE_OUTPUT
from toolkit.show.pages.server.rows import SERVED_OUTPUT
from toolkit.tuning.rows import TUNING_OUTPUT


class EventPlanRow(TypedDict):
    """The output of `--dry-run`."""

    kind: Annotated[
        str, "`gauntlet`, `round-robin`, `match`, `knockout`, `swiss`, `sprt` or `ablation`"
    ]
    pairings: Annotated[
        list[list[str]], "two labels for each pairing; empty if results decide who meets"
    ]
    pairs: Annotated[
        int, "game pairs per pairing; for a test or an adaptive event the maximum of the event"
    ]
    games: Annotated[int, "games of the whole event, at most"]
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
    expected_pairs: Annotated[
        float | None, "for a test, or an event in rounds: expected number of pairs; else null"
    ]
    latest_s: Annotated[
        float | None, "for a test, or an event in rounds: estimate for all its pairs; else null"
    ]
    chess960: Annotated[bool, "whether the games are of Chess960"]
    form: Annotated[
        str | None, "the rounds of a knockout, Swiss or adaptive event in words; else null"
    ]


class CheckRow(TypedDict):
    """One check of `doctor`."""

    name: Annotated[str, "name of the check"]
    status: Annotated[str, "`ok`, `warn` or `FAIL`"]
    detail: Annotated[str, "result of the check"]
    fix: Annotated[str, "how to fix the problem; empty if there is none"]


class BenchSearch(TypedDict):
    """One search of the bench."""

    position: Annotated[str, "the position as text; in chess FEN"]
    engine: Annotated[str, "the variant"]
    mode: Annotated[str, "`exact` or `selective`"]
    nodes: Annotated[int, "nodes searched"]
    value: Annotated[int, "value in units of the evaluation, in chess centipawns"]


class BenchOutcome(TypedDict):
    """The output of `bench`."""

    signature: Annotated[str, "16 hex digits; builds with the same signature play the same"]
    nodes: Annotated[int, "nodes of all searches"]
    time_us: Annotated[int, "wall clock in microseconds"]
    cpu_us: Annotated[int, "CPU time of all searching threads in microseconds"]
    nodes_per_second: Annotated[int, "nodes per second of CPU time"]
    searches: Annotated[list[BenchSearch], "searches, in order"]


_OUTCOME = JsonOutput(OutcomeRow, is_array=False)
JSON_OUTPUT: dict[str, JsonOutput] = {
    "events": JsonOutput(EventRow),
    "events show": JsonOutput(EventRow, is_array=False),
    **HOUSEKEEPING_OUTPUT,
    "stats": JsonOutput(EventStats, is_array=False),
    "crosstable": JsonOutput(CrosstableRow),
    "h2h": JsonOutput(HeadToHeadRow, is_array=False),
    "history": JsonOutput(HistoryLine),
    "plot": JsonOutput(PlotRow, is_array=False),
    "query": JsonOutput(QueryRow),
    "query --list-views": JsonOutput(ViewRow),
    "games": JsonOutput(GameRow),
    "game": JsonOutput(GameDetail, is_array=False),
    "ratings": JsonOutput(RatingLine),
    "ratings --los": JsonOutput(LosRow),
    "gauntlet, match, resume": _OUTCOME,
    "round-robin": _OUTCOME,
    "knockout, swiss, round-robin --stop-when": JsonOutput(RoundsOutcome, is_array=False),
    "gauntlet --dry-run, match --dry-run": JsonOutput(EventPlanRow, is_array=False),
    "round-robin --dry-run": JsonOutput(EventPlanRow, is_array=False),
    "knockout --dry-run, swiss --dry-run": JsonOutput(EventPlanRow, is_array=False),
    "ablate": JsonOutput(AblationOutcome, is_array=False),
    "ablate --dry-run": JsonOutput(EventPlanRow, is_array=False),
    "tune confirm --dry-run": JsonOutput(EventPlanRow, is_array=False),
    "engines list": JsonOutput(EngineRow),
    "engines show": JsonOutput(EngineDetail, is_array=False),
    "engines show --diff": JsonOutput(EngineDifference, is_array=False),
    "engines rename": JsonOutput(RelabelledRow, is_array=False),
    "engines add": JsonOutput(EngineDetail, is_array=False),
    "engines rm": JsonOutput(RemovedEngine, is_array=False),
    "engines test": JsonOutput(EngineTest, is_array=False),
    "engines drivers": JsonOutput(DriverRow),
    "engines parameters": JsonOutput(ParameterRow),
    "sprt": JsonOutput(SprtOutcome, is_array=False),
    "sprt calc": JsonOutput(SprtRow, is_array=False),
    "sprt plan": JsonOutput(SprtPlanRow),
    **TUNING_OUTPUT,
    **LAB_OUTPUT,
    **PAGE_OUTPUT,
    **SERVED_OUTPUT,
    **FIT_OUTPUT,
    **CLAIM_OUTPUT,
    "import": JsonOutput(ImportRow),
    "openings info": JsonOutput(BookDescription, is_array=False),
    "openings check": JsonOutput(BookCheck, is_array=False),
    "openings stats": JsonOutput(OpeningStats),
    "openings make": JsonOutput(MadeBook, is_array=False),
    "bench": JsonOutput(BenchOutcome, is_array=False),
    "doctor": JsonOutput(CheckRow),
    "db info": JsonOutput(DatabaseInfo, is_array=False),
    "db export": JsonOutput(DatabaseExport, is_array=False),
    "db export --jsonl": JsonOutput(ExportedGame),
    "db upgrade": JsonOutput(DatabaseUpgrade, is_array=False),
    "db backup": JsonOutput(DatabaseBackup, is_array=False),
    "db check": JsonOutput(DatabaseCheck, is_array=False),
    "db vacuum": JsonOutput(DatabaseVacuum, is_array=False),
}
"""All JSON output, by command."""
