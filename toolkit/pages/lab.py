"""The page of a laboratory run: ratios by depth and engine, curves of a sweep, passes, gains by
threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from toolkit.base.errors import NothingMatched
from toolkit.base.format import count_of, format_count
from toolkit.charts.lab import lab_picture
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
_MOST_ANSWERS = 2
"""Answers in a verdict: all are below the table."""


def lab_subject(db: Database, record: LabRunRecord) -> Subject:
    """The page of a run. Raises DatabaseError, EngineProblem."""
    report = run_report(db, record)
    is_parallel = report["kind"] == "parallel"
    heading = "Speed-up and nodes by threads" if is_parallel else "Nodes and passes"
    sections = [
        Section("result", "Result", [Words(_verdict(report), True), Facts(_facts(report, record))]),
        Section("nodes", heading, list(_nodes(report))),
    ]
    if not is_parallel:  # passes of several threads have no nodes of their own
        closing = list(_closing(db, record, report))
        sections.append(Section("passes", "Closing in on the value", closing))
    return Subject(
        key=f"lab-{record.name}",
        title=record.name,
        kind=f"laboratory {report['kind']}",
        sections=[section for section in sections if section.blocks],
        rows={"lab": report},
    )


def _nodes(report: LabReport) -> Iterator[Block]:
    with suppress(NothingMatched):
        yield Drawing(lab_picture(report))
    captions = ["Ratios to the baseline"]
    if report["kind"] == "parallel":
        captions = ["Ratios to one thread of the same engine", "Gains over those of the first"]
    yield from printed("lab", report, captions, False)


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
    """The ratios at the greatest depth with their intervals, of threads with what they answer."""
    agree = "" if report["values_agree"] else " Values differ between engines."
    deepest = max(report["depths"], default=0)
    rows = [
        row
        for row in report["rows"]
        if row["depth"] == deepest and row["nodes"] is not None and row["engine"] != row["baseline"]
    ]
    if not rows:
        return f"No ratio is known yet: the run is {report['status']}.{agree}"
    if all(row["nodes_low95"] is None for row in rows):
        agree += "".join(
            f" No intervals: {note}." for note in report["notes"] if "interval" in note
        )
    if report["kind"] == "parallel":
        return f"{_gains(report, rows)}{agree}"
    over = report["baseline"] or "their baselines"
    nodes = [
        (
            listed_name(row["engine"], row["parameter"], row["parameter_value"]),
            *(row["nodes"], row["nodes_low95"], row["nodes_high95"]),
        )
        for row in rows
    ]
    return f"Nodes at depth {deepest} relative to {over}: {_listed(nodes)}.{agree}"


def _gains(report: LabReport, rows: Sequence[LabRow]) -> str:
    """Speed-up by several threads, or nodes where it is not judged; what they answer, if short."""
    names = [f"{row['baseline']} with {row['threads']} threads ({row['parallel']})" for row in rows]
    speeds = [
        (name, row["speedup"], row["speedup_low95"], row["speedup_high95"])
        for name, row in zip(names, rows, strict=True)
        if row["speedup"] is not None
    ]
    nodes = [
        (name, row["nodes"], row["nodes_low95"], row["nodes_high95"])
        for name, row in zip(names, rows, strict=True)
    ]
    told = f"Speed-up over one thread: {_listed(speeds)}." if speeds else ""
    told = told or f"Nodes of several threads over those of one: {_listed(nodes)}."
    answers = report["answers"] if len(report["answers"]) <= _MOST_ANSWERS else []
    return told + "".join(f" {one[0].upper()}{one[1:]}." for one in answers)


_Named = tuple[str, float | None, float | None, float | None]


def _listed(ratios: Sequence[_Named]) -> str:
    """Ratios with their intervals by name: of few engines all, of many the range, because the least
    of many is partly luck."""
    told = [
        f"{name} {ratio:.3f}" + ("" if low is None or high is None else f" [{low:.3f}, {high:.3f}]")
        for name, ratio, low, high in ratios
    ]
    if len(told) <= _MOST_TOLD:
        return "; ".join(told)
    ordered = sorted(zip(ratios, told, strict=True), key=lambda one: one[0][1] or 0.0)
    return f"from {ordered[0][1]} to {ordered[-1][1]}"


def _facts(report: LabReport, record: LabRunRecord) -> list[tuple[str, str]]:
    """Everything that the searches depend on."""
    done, planned = format_count(report["searches_done"]), format_count(report["searches_planned"])
    own = "one thread of each engine" if report["kind"] == "parallel" else "each value's own"
    facts = [
        ("run", f"{report['name']}, {report['kind']}, {report['status']}"),
        ("suite", f"{count_of(report['positions'], 'position')} of {report['suite']}"),
        ("depths", depths_in_words(report["depths"])),
        ("searches", f"{done} of {planned}"),
        ("baseline", report["baseline"] or own),
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
