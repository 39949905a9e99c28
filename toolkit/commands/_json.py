"""The documented fields of every ``--json`` object, as one type per kind.

The order of the fields is their order in the output, ``docs/json.md`` is generated from these
types, and a field is never renamed or removed. Every object and every row of an array ends with the
field ``program_backend`` (``native`` or ``reference``, the backend of the printing program), unless
a statement given to ``query`` has a column of that name.
"""

from __future__ import annotations

from engines.backend import BenchReport
from toolkit.base.doctor import Check
from toolkit.base.rows import JsonOutput
from toolkit.books.info import BookCheck, BookDescription
from toolkit.books.making import MadeBook
from toolkit.compliance.examine import EngineTest
from toolkit.events.progress import EventPlanRow
from toolkit.imports.run import ImportRow
from toolkit.lab.speed import SpeedReport
from toolkit.lab.trace import TraceReport
from toolkit.lab.views import LabReport, LabRunRow, LabSearchRow
from toolkit.ratings.history import HistoryLine
from toolkit.ratings.influence import InfluenceRow
from toolkit.ratings.rating_list import LosRow, RatingLine
from toolkit.reports.ablation import AblationOutcome
from toolkit.reports.builds import BuildRow
from toolkit.reports.catalog import EngineDifference, ParameterRow, RemovedEngine
from toolkit.reports.crosstables import CrosstableRow
from toolkit.reports.event_statistics import EventStats
from toolkit.reports.events import EventRow
from toolkit.reports.export import ExportedGame, WrittenGames
from toolkit.reports.external import EngineDetail, EngineRow
from toolkit.reports.games import GameDetail, GameRow
from toolkit.reports.meetings import HeadToHeadRow
from toolkit.reports.openings import OpeningStats
from toolkit.reports.outcome import OutcomeRow, RoundsOutcome
from toolkit.reports.race import RaceOutcome, RacePlanRow
from toolkit.reports.sprt import SprtOutcome, SprtPlanRow, SprtRow
from toolkit.reports.sql import QueryRow, ViewRow
from toolkit.reports.upkeep import (
    DatabaseBackup,
    DatabaseCheck,
    DatabaseInfo,
    DatabaseVacuum,
)
from toolkit.runs.housekeeping import NamedRow, RemovedRow
from toolkit.runs.merging import MergeOutcome
from toolkit.show.charts.picture import PlotRow
from toolkit.show.pages.report import ReportRow
from toolkit.show.pages.server.app import ServedRow
from toolkit.suites.report import SuiteReport, SuiteSearchRow
from toolkit.tuning.models.importance import Importance
from toolkit.tuning.study.confirm import ConfirmationRow
from toolkit.tuning.study.export import OptunaStorageRow
from toolkit.tuning.study.report import (
    ExportRow,
    StudyPlanRow,
    StudyReport,
    StudyRow,
    TrialRow,
)

_OUTCOME = JsonOutput(OutcomeRow, is_array=False)
JSON_OUTPUT: dict[str, JsonOutput] = {
    "events": JsonOutput(EventRow),
    "extend, show of an event": JsonOutput(EventRow, is_array=False),
    "rm": JsonOutput(RemovedRow, is_array=False),
    "rename, annotate": JsonOutput(NamedRow, is_array=False),
    "db merge": JsonOutput(MergeOutcome),
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
    "ratings --influence": JsonOutput(InfluenceRow),
    "gauntlet, match, resume of an event": _OUTCOME,
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
    "engines add": JsonOutput(EngineDetail, is_array=False),
    "engines rm": JsonOutput(RemovedEngine, is_array=False),
    "engines test": JsonOutput(EngineTest, is_array=False),
    "engines parameters": JsonOutput(ParameterRow),
    "engines builds": JsonOutput(BuildRow),
    "sprt, show of a sequential test": JsonOutput(SprtOutcome, is_array=False),
    "race, resume and show of a race": JsonOutput(RaceOutcome, is_array=False),
    "race --dry-run": JsonOutput(EventPlanRow, is_array=False),
    "race plan": JsonOutput(RacePlanRow),
    "sprt calc": JsonOutput(SprtRow, is_array=False),
    "sprt plan": JsonOutput(SprtPlanRow),
    "tune run, resume and show of a study": JsonOutput(StudyReport, is_array=False),
    "tune run --dry-run": JsonOutput(StudyPlanRow, is_array=False),
    "tune list": JsonOutput(StudyRow),
    "tune trials": JsonOutput(TrialRow),
    "tune importance": JsonOutput(Importance),
    "tune confirm": JsonOutput(ConfirmationRow, is_array=False),
    "tune export": JsonOutput(ExportRow, is_array=False),
    "tune export --optuna-storage": JsonOutput(OptunaStorageRow, is_array=False),
    "trace": JsonOutput(TraceReport, is_array=False),
    "lab compare, lab sweep, show of a laboratory run": JsonOutput(LabReport, is_array=False),
    "show --searches": JsonOutput(LabSearchRow),
    "lab list": JsonOutput(LabRunRow),
    "suite, show of a suite": JsonOutput(SuiteReport, is_array=False),
    "show --searches of a suite": JsonOutput(SuiteSearchRow),
    "report": JsonOutput(ReportRow, is_array=False),
    "serve": JsonOutput(ServedRow, is_array=False),
    "import": JsonOutput(ImportRow),
    "openings info": JsonOutput(BookDescription, is_array=False),
    "openings check": JsonOutput(BookCheck, is_array=False),
    "openings stats": JsonOutput(OpeningStats),
    "openings make": JsonOutput(MadeBook, is_array=False),
    "bench": JsonOutput(BenchReport, is_array=False),
    "bench ENGINE ENGINE": JsonOutput(SpeedReport, is_array=False),
    "doctor": JsonOutput(Check),
    "db info": JsonOutput(DatabaseInfo, is_array=False),
    "games --output": JsonOutput(WrittenGames, is_array=False),
    "games --jsonl": JsonOutput(ExportedGame),
    "db backup": JsonOutput(DatabaseBackup, is_array=False),
    "db check": JsonOutput(DatabaseCheck, is_array=False),
    "db vacuum": JsonOutput(DatabaseVacuum, is_array=False),
}
"""All JSON output, by command."""
