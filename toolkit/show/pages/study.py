"""The page of a tuning study: its result, its parameters, its search, its confirmations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from toolkit.base.errors import NothingMatched, UsageError
from toolkit.base.format import and_list, count_of, format_count, format_moment
from toolkit.events.tally import LATEST, Speed
from toolkit.show.charts.stored_study import shown_study
from toolkit.show.charts.study import study_pictures
from toolkit.show.pages.parts import Block, Drawing, Facts, Section, Subject, Words
from toolkit.show.pages.tables import printed
from toolkit.show.pages.verdict import ENDED, MOST_NAMED, progress_text, so_far
from toolkit.show.tables.study import print_trials, print_tuned
from toolkit.tuning.study.report import importance_rows, study_report, trial_rows

if TYPE_CHECKING:
    from db.records.studies import StudyRecord
    from db.session import Database
    from toolkit.tuning.models.importance import Importance
    from toolkit.tuning.study.report import StudyReport, StudyRow

_TITLES = {
    "contenders": "Final choice",
    "parameters": "Course of each parameter",
    "importance": "Importance",
    "slices": "Slices",
    "contour": "Two parameters",
    "parallel": "All trials side by side",
}
"""The headings of the charts."""
MOST_TRIALS = 200
"""Trials of the table: the first."""


def study_subject(db: Database, record: StudyRecord) -> Subject:
    """The page of a study. Raises DatabaseError."""
    report = study_report(db, record)
    rows: dict[str, Any] = {"study": report}
    importance: list[Importance] = []
    missing = ""
    try:
        importance = rows["importance"] = importance_rows(db, record)
    except (NothingMatched, UsageError) as error:
        missing = str(error)
    progress = study_progress(db, record, report)
    pictures = study_pictures(shown_study(db, record), importance)
    sections = [
        Section(
            "result",
            "",
            [
                Words(so_far(_verdict(report), report.status, progress), "verdict"),
                *([Drawing(pictures.pop("gain"), beside=True)] if "gain" in pictures else []),
                *printed(print_tuned, report, "Parameters"),
                Facts(_facts(report, record), "Settings"),
            ],
        ),
        *(Section(kind, _TITLES[kind], [Drawing(one)]) for kind, one in pictures.items()),
        Section("no-importance", _TITLES["importance"], [Words(missing)] if missing else []),
        Section("trials", "Trials", list(_trials(db, record, report, rows))),
    ]
    return Subject(
        key=f"study-{record.name}",
        title=study_title(report),
        about=f"tuning study {record.name}, {format_moment(report.started_at)}",
        sections=[section for section in sections if section.blocks],
        rows=rows,
        is_live=report.status not in ENDED,
    )


def study_progress(db: Database, record: StudyRecord, row: StudyRow) -> str:
    """How far a study is."""
    left, speed = row.budget_pairs - row.pairs_used, None
    if row.status == "running" and record.event_id is not None:
        speed = Speed(db.repository.latest_times(record.event_id, LATEST)).games_per_second()
    planned = count_of(row.budget_pairs, "pair")
    return progress_text(row.status, row.pairs_used, planned, 2 * left / speed if speed else None)


def study_title(row: StudyRow) -> str:
    """What was tuned."""
    names = row.parameters_tuned
    return (
        f"Tuning of {and_list(names) if len(names) <= MOST_NAMED else f'{len(names)} parameters'}"
    )


def _verdict(report: StudyReport) -> str:
    """What is recommended, and what it was measured to gain."""
    from toolkit.tuning.study.export import gain_text, nothing_better

    if report.is_base is None:
        return "Nothing is recommended yet"
    if report.is_base:
        return f"The base is recommended: {nothing_better(report)}."
    what = report.recommended or ", ".join(
        f"{row.parameter}={row.recommended}" for row in report.tuned
    )
    return f"Recommended: {what}; {gain_text(report.gain)}"


def _facts(report: StudyReport, record: StudyRecord) -> list[tuple[str, str]]:
    """Everything that the result depends on."""
    facts = [
        ("status", report.status),
        ("objective", report.objective),
        ("base", report.base or ""),
        ("against", ", ".join(report.against)),
        ("limit", report.limit),
        ("book", report.book or ""),
        ("slice of the book", report.book_slice or ""),
        ("sampler", report.sampler),
        ("seed", str(report.seed)),
        (
            "trials",
            f"{format_count(report.trials_done)}, {format_count(report.pruned)} pruned",
        ),
        (
            "pairs",
            f"{format_count(report.pairs_used)} of {format_count(report.budget_pairs)}",
        ),
        ("event of its games", report.event or ""),
        ("program", f"mtdf {record.version}, {record.backend} {record.signature}"),
        ("machine", record.host),
        ("created", record.created_at),
        ("ended", record.ended_at or ""),
        ("note", report.note),
    ]
    return [(name, text) for name, text in facts if text]


def _trials(
    db: Database, record: StudyRecord, report: StudyReport, rows: dict[str, Any]
) -> Iterator[Block]:
    with suppress(NothingMatched):
        rows["trials"] = trial_rows(db, record)
        some = rows["trials"][:MOST_TRIALS]
        first = f", the first {MOST_TRIALS}" if len(some) < len(rows["trials"]) else ""
        caption = count_of(len(rows["trials"]), "trial") + first
        effort = "effort" in report.objective
        yield from printed(print_trials, some, caption, effort=effort)
