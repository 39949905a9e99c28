"""The page of a run of a suite: what each engine solved, and every position."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from toolkit.base.errors import NothingMatched
from toolkit.base.format import format_count, format_moment
from toolkit.show.charts.suite import suite_picture
from toolkit.show.pages.parts import Block, Drawing, Facts, Section, Subject, Words
from toolkit.show.pages.tables import printed
from toolkit.show.pages.verdict import ENDED, named, so_far
from toolkit.show.tables.suite import pair_lines, print_solved, print_suite_searches
from toolkit.suites.report import SuiteReport, suite_search_rows

if TYPE_CHECKING:
    from db.records.laboratory import LabRunRecord
    from db.session import Database


def suite_subject(
    db: Database, record: LabRunRecord, report: SuiteReport, progress: str
) -> Subject:
    """The page of a run that is as far as ``progress`` says. Raises DatabaseError."""
    searches = suite_search_rows(db, record)
    verdict = so_far(suite_verdict(report), report.status, progress)
    blocks: list[Block] = [Words(verdict, "verdict")]
    blocks += [Words(line) for pair in report.pairs for line in pair_lines(pair)]
    with suppress(NothingMatched):
        blocks.append(Drawing(suite_picture(report, searches)))
    blocks += printed(print_solved, report, "Solved positions")
    blocks.append(Facts(_facts(report, record), "Settings"))
    sections = [Section("result", "", blocks)]
    if searches:
        rows = printed(print_suite_searches, searches, "Positions")
        sections.append(Section("positions", "Positions", rows))
    return Subject(
        key=f"lab-{record.name}",
        title=f"{named(report.engines)} on {report.suite}",
        about=f"suite {record.name}, {format_moment(report.started_at)}",
        sections=sections,
        rows={"suite": report},
        is_live=report.status not in ENDED,
    )


def suite_verdict(report: SuiteReport) -> str:
    """What was solved, in a sentence."""
    told = ", ".join(f"{row.engine} {row.solved} of {row.searched}" for row in report.rows)
    verdicts = "; ".join(f"{pair.engine}: {pair.verdict}" for pair in report.pairs)
    against = f". Against {report.pairs[0].first}, {verdicts}" if report.pairs else ""
    return f"Solved: {told}{against}."


def _facts(report: SuiteReport, record: LabRunRecord) -> list[tuple[str, str]]:
    done, planned = format_count(report.searches_done), format_count(report.searches_planned)
    facts = [
        ("status", report.status),
        ("suite", f"{report.suite} ({format_count(report.positions)})"),
        ("limits", ", ".join(dict.fromkeys(row.limit for row in report.rows))),
        ("searches", f"{done} of {planned}"),
        ("program", f"mtdf {record.version}, {record.backend} {record.signature}"),
        ("machine", record.host),
        ("created", record.created_at),
        ("ended", record.ended_at or ""),
        ("note", report.note),
        ("to be read with", "; ".join(report.notes)),
    ]
    return [(name, text) for name, text in facts if text]
