"""The page of a laboratory run: ratios by depth and engine, curves of a sweep, passes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from toolkit.base.errors import NothingMatched
from toolkit.base.format import count_of, format_count
from toolkit.charts.curves import curves_picture
from toolkit.charts.passes import passes_picture
from toolkit.lab.closing import worst_search
from toolkit.lab.notes import depths_in_words
from toolkit.lab.plan import listed_name
from toolkit.lab.views import run_report
from toolkit.pages.parts import Block, Drawing, Facts, Section, Subject, Words
from toolkit.pages.tables import printed

if TYPE_CHECKING:
    from db.records import LabRunRecord
    from db.session import Database
    from toolkit.lab.rows import LabReport, LabRow

_MOST_TOLD = 5
"""Engines whose ratios a sentence has."""


def lab_subject(db: Database, record: LabRunRecord) -> Subject:
    """The page of a run. Raises DatabaseError, EngineProblem."""
    report = run_report(db, record)
    sections = [
        Section("result", "Result", [Words(_verdict(report), True), Facts(_facts(report, record))]),
        Section("nodes", "Nodes and passes", list(_nodes(report))),
        Section("passes", "Closing in on the value", list(_closing(db, record, report))),
    ]
    return Subject(
        key=f"lab-{record.name}",
        title=record.name,
        kind=f"laboratory {report['kind']}",
        sections=[section for section in sections if section.blocks],
        rows={"lab": report},
    )


def _nodes(report: LabReport) -> Iterator[Block]:
    with suppress(NothingMatched):
        yield Drawing(curves_picture(report))
    yield from printed("lab", report, "Ratios to the baseline", False)


def _closing(db: Database, record: LabRunRecord, report: LabReport) -> Iterator[Block]:
    """The passes of one search: the worst of the engine that needs the most passes."""
    deepest = max(report["depths"], default=0)
    rows = [row for row in report["rows"] if row["depth"] == deepest and row["worst_position"]]
    if not rows:
        return
    most = max(rows, key=lambda row: row["passes"] or 0.0)
    with suppress(NothingMatched):
        search = worst_search(db, record, most)
        yield Words(
            f"{most['engine']} at {most['worst_position']}, where it needs the most nodes relative "
            f"to {most['baseline']}: {most['worst']:.3f} times as many."
        )
        yield Drawing(passes_picture(search))


def _verdict(report: LabReport) -> str:
    """The ratios at the greatest depth with their intervals: of few engines all, of many the range,
    because the least of many is partly luck."""
    agree = "" if report["values_agree"] else " Values differ between engines."
    deepest = max(report["depths"], default=0)
    rows = [
        row
        for row in report["rows"]
        if row["depth"] == deepest and row["nodes"] is not None and row["engine"] != row["baseline"]
    ]
    if not rows:
        return f"No ratio is known yet: the run is {report['status']}.{agree}"
    names = [listed_name(row["engine"], row["parameter"], row["parameter_value"]) for row in rows]
    told = [f"{name} {_ratio(row)}" for name, row in zip(names, rows, strict=True)]
    if len(told) > _MOST_TOLD:
        ordered = sorted(zip(rows, told, strict=True), key=lambda one: one[0]["nodes"] or 0.0)
        told = [f"from {ordered[0][1]} to {ordered[-1][1]}"]
    if all(row["nodes_low95"] is None for row in rows):
        agree += "".join(
            f" No intervals: {note}." for note in report["notes"] if "interval" in note
        )
    over = report["baseline"] or "their baselines"
    return f"Nodes at depth {deepest} relative to {over}: {'; '.join(told)}.{agree}"


def _ratio(row: LabRow) -> str:
    low, high = row["nodes_low95"], row["nodes_high95"]
    interval = "" if low is None or high is None else f" [{low:.3f}, {high:.3f}]"
    return f"{row['nodes']:.3f}{interval}"


def _facts(report: LabReport, record: LabRunRecord) -> list[tuple[str, str]]:
    """Everything that the searches depend on."""
    done, planned = format_count(report["searches_done"]), format_count(report["searches_planned"])
    facts = [
        ("run", f"{report['name']}, {report['kind']}, {report['status']}"),
        ("suite", f"{count_of(report['positions'], 'position')} of {report['suite']}"),
        ("depths", depths_in_words(report["depths"])),
        ("searches", f"{done} of {planned}"),
        ("baseline", report["baseline"] or "each value's own"),
        ("table of the baseline", report["baseline_table"] or ""),
        (
            "ratios of",
            "the iteration of each depth" if report["measure"] == "last" else "all iterations",
        ),
        ("program", f"mtdf {record.version}, {record.backend} {record.signature}"),
        ("machine", record.host),
        ("created", record.created_at),
        ("ended", record.ended_at or ""),
        ("note", report["note"]),
    ]
    return [(name, text) for name, text in facts if text]
