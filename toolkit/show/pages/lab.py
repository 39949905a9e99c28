"""The page of a laboratory run: its finding, with ratios by depth and engine, over the values of a
sweep or by threads; passes of one search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from toolkit.base.errors import NothingMatched
from toolkit.base.format import count_of, format_count, format_moment
from toolkit.lab.notes import depths_in_words
from toolkit.lab.pass_sequence import worst_recording, worst_search
from toolkit.lab.plan import titles_of
from toolkit.lab.views import run_report
from toolkit.show.charts.lab import lab_picture
from toolkit.show.charts.passes import passes_picture
from toolkit.show.pages.parts import Block, Drawing, Facts, Player, Section, Subject, Words
from toolkit.show.pages.player import player_data
from toolkit.show.pages.suite import suite_subject
from toolkit.show.pages.tables import printed
from toolkit.show.pages.verdict import ENDED, named, progress_text, so_far
from toolkit.show.tables.lab import print_ratios
from toolkit.suites.report import suite_report

if TYPE_CHECKING:
    from db.records.laboratory import LabRunRecord
    from db.session import Database
    from toolkit.lab.summary import LabRow
    from toolkit.lab.views import LabReport, LabRunRow

_MOST_TOLD = 5
"""Engines whose ratios a sentence has."""
_MOST_IN_VERDICT = 2
"""Of them in the verdict of a run with threads."""
_MOST_ANSWERS = 2
"""Of a run at the top of its page: all are below the table."""


def lab_subject(db: Database, record: LabRunRecord) -> Subject:
    """The page of a run. Raises DatabaseError, EngineProblem."""
    if record.kind == "suite":
        of_suite = suite_report(db, record)
        return suite_subject(db, record, of_suite, lab_progress(db, record, of_suite))
    report = run_report(db, record)
    drawn: list[Block] = []
    with suppress(NothingMatched):
        drawn = [Drawing(lab_picture(report), beside=True)]
    captions = ["Ratios to the baseline"]
    if report.kind == "parallel":
        captions = ["Ratios to one thread of the same engine", "Gains over those of the first"]
    settings = Facts(_facts(report, record), "Settings")
    # Its first line is the caption of the chart.
    told = printed(print_ratios, report, captions)
    verdict, *others = lab_verdict(report)
    verdict = so_far(verdict, report.status, lab_progress(db, record, report))
    said = [Words(verdict, "verdict"), *map(Words, others)]
    sections = [Section("result", "", [*said, *drawn, *told[1:], settings])]
    if report.kind != "parallel":  # passes of several threads have no nodes of their own
        closing = list(_closing(db, record, report))
        sections.append(Section("passes", "Passes of one search", closing))
    return Subject(
        key=f"lab-{record.name}",
        title=lab_title(report),
        about=f"laboratory run {record.name} ({report.kind}), {format_moment(report.started_at)}",
        sections=[section for section in sections if section.blocks],
        rows={"lab": report},
        is_live=report.status not in ENDED,
    )


def lab_progress(db: Database, record: LabRunRecord, row: LabRunRow) -> str:
    """How far a run is."""
    done, planned = row.searches_done, row.searches_planned
    pace = db.repository.lab_pace(record.id) if row.status == "running" else None
    left_s = None if pace is None else pace * (planned - done)
    return progress_text(row.status, done, count_of(planned, "search", "searches"), left_s)


def lab_title(row: LabRunRow) -> str:
    """What was searched."""
    depths = f", {depths_in_words(row.depths)}" if row.depths else ""
    return f"{named(row.engines)} on {row.suite}{depths}"


def _closing(db: Database, record: LabRunRecord, report: LabReport) -> Iterator[Block]:
    """The passes of one search: the worst of the engine that needs the most passes."""
    deepest = max(report.depths, default=0)
    rows = [row for row in report.rows if row.depth == deepest and row.worst_position]
    if not rows:
        return
    most = max(rows, key=lambda row: row.passes or 0.0)
    with suppress(NothingMatched):
        search = worst_search(db, record, most)
        yield Words(
            f"{most.engine} at {most.worst_position}, where it needs the most nodes relative "
            f"to {most.baseline}: {most.worst:.3f} times as many."
        )
        yield Drawing(passes_picture(search))
    if report.status in ENDED:
        with suppress(NothingMatched):
            recording = worst_recording(db, record, most)
            yield Words(f"The same search to depth {recording.depth}, to be played:")
            yield Player(player_data([recording]))


def lab_verdict(report: LabReport) -> list[str]:
    """The ratios at the greatest depth with their intervals; of threads first what they answer, and
    what else there is to say."""
    agree = "" if report.values_agree else "; values differ between engines"
    deepest = max(report.depths, default=0)
    rows = [
        row
        for row in report.rows
        if row.depth == deepest and row.nodes is not None and row.engine != row.baseline
    ]
    if not rows:
        return [f"No ratio is known yet{agree}"]
    limits = []
    if all(row.nodes_low95 is None for row in rows):
        limits = [f"No intervals: {note}" for note in report.notes if "interval" in note]
    if report.kind == "parallel":
        verdict, *others = _gains(report, rows)
        return [f"{verdict}{agree}", *others, *limits]
    over = report.baseline or "their baselines"
    names = titles_of([(row.engine, row.parameter, row.parameter_value) for row in rows])
    nodes = [
        (name, row.nodes, row.nodes_low95, row.nodes_high95)
        for name, row in zip(names, rows, strict=True)
    ]
    return [f"Nodes at depth {deepest} relative to {over}: {_listed(nodes)}{agree}", *limits]


def _gains(report: LabReport, rows: Sequence[LabRow]) -> list[str]:
    """What the run answers, if short, and the speed-up by several threads, or nodes where it is not
    judged; the first is the verdict."""
    names = [f"{row.baseline} with {row.threads} threads ({row.parallel})" for row in rows]
    ratios: list[_Named] = [
        (name, row.speedup, row.speedup_low95, row.speedup_high95)
        for name, row in zip(names, rows, strict=True)
        if row.speedup is not None
    ]
    topic = "Speed-up over one thread"
    if not ratios:
        topic = "Nodes of several threads over those of one"
        ratios = [
            (name, row.nodes, row.nodes_low95, row.nodes_high95)
            for name, row in zip(names, rows, strict=True)
        ]
    answers = report.answers if len(report.answers) <= _MOST_ANSWERS else []
    told = [f"{one[0].upper()}{one[1:]}" for one in answers]
    if not told:
        told = [f"{topic}: {_listed(ratios, _MOST_IN_VERDICT)}"]
    # Of many ratios both are the same range.
    return list(dict.fromkeys([*told, f"{topic}: {_listed(ratios)}"]))


_Named = tuple[str, float | None, float | None, float | None]


def _listed(ratios: Sequence[_Named], most: int = _MOST_TOLD) -> str:
    """Ratios with their intervals by name: up to ``most`` all, of more the range, because the least
    of many is partly luck."""
    told = [
        f"{name} {ratio:.3f}" + ("" if low is None or high is None else f" [{low:.3f}, {high:.3f}]")
        for name, ratio, low, high in ratios
    ]
    if len(told) <= most:
        return "; ".join(told)
    ordered = sorted(zip(ratios, told, strict=True), key=lambda one: one[0][1] or 0.0)
    return f"from {ordered[0][1]} to {ordered[-1][1]}"


def _facts(report: LabReport, record: LabRunRecord) -> list[tuple[str, str]]:
    """Everything that the searches depend on."""
    done, planned = format_count(report.searches_done), format_count(report.searches_planned)
    own = "one thread of each engine" if report.kind == "parallel" else "each value's own"
    facts = [
        ("status", report.status),
        ("suite", f"{count_of(report.positions, 'position')} of {report.suite}"),
        ("depths", depths_in_words(report.depths)),
        ("searches", f"{done} of {planned}"),
        ("baseline", report.baseline or own),
        ("table of the baseline", report.baseline_table or ""),
        (
            "ratios of",
            "the iteration of each depth" if report.measure == "last" else "all iterations",
        ),
        ("program", f"mtdf {record.version}, {record.backend} {record.signature}"),
        ("machine", record.host),
        ("created", record.created_at),
        ("ended", record.ended_at or ""),
        ("note", report.note),
        ("to be read with", "; ".join(report.notes)),
    ]
    return [(name, text) for name, text in facts if text]
