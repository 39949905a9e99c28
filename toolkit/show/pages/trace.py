"""The page of one exact search: its passes, its last iteration to be played, its iterations."""

from __future__ import annotations

from msgspec.structs import replace

from engines.trees.tree import TREE
from toolkit.base.format import format_count, format_value_and_mate
from toolkit.lab.pass_sequence import traced_search
from toolkit.lab.trace import MOST_WATCHED, TraceReport, position_lines
from toolkit.show.charts.passes import passes_picture
from toolkit.show.pages.document import document
from toolkit.show.pages.parts import Block, Diagram, Drawing, Facts, Player, Section, Subject, Words
from toolkit.show.pages.player import player_data
from toolkit.show.pages.tables import printed
from toolkit.show.tables.recording import SAID
from toolkit.show.tables.trace import print_trace


def trace_page(report: TraceReport) -> str:
    """The page as a document of its own."""
    subject = trace_subject(report)
    return document(subject.title, [subject])


def trace_subject(report: TraceReport) -> Subject:
    """The page of a trace."""
    beside = report.beside and replace(report.beside, recording=None)
    captions = [f"Passes of depth {one.depth}" for one in report.iterations]
    captions += [] if beside is None else ["Both engines"]
    captions += ["Nodes of the tree"]
    told = printed(print_trace, replace(report, tree=None), captions, every=True)
    found = f"value {format_value_and_mate(report.value)}, best move {report.best}"
    other = "PVS agrees" if report.agrees else f"PVS found {report.pvs_value}"
    facts = [
        ("tree" if report.game == TREE else "position", report.fen),
        ("engine", f"{report.engine}, id {report.engine_id}"),
        ("depth", str(report.depth)),
    ]
    sections = [
        Section(
            "result",
            "",
            [
                Words(f"{found}; {other}.", "verdict"),
                Facts(facts),
                *([] if report.game == TREE else [Diagram(position_lines(report))]),
            ],
        ),
        Section("player", "The search, step by step", [*_said(report), _player(report)]),
        Section("passes", "Passes", [Drawing(passes_picture(traced_search(report)))]),
        Section("iterations", "Iterations", told),
    ]
    return Subject("trace", f"{report.engine}, depth {report.depth}", "", sections,
                   {"trace": replace(report, recording=None, beside=beside)})  # fmt: skip


def _said(report: TraceReport) -> list[Block]:
    """What drivers are that are known by other forms."""
    shown = [one for one in (report.recording, report.beside and report.beside.recording) if one]
    return [Words(f"{SAID[one.driver]}.") for one in shown if one.driver in SAID]


def _player(report: TraceReport) -> Block:
    """The recorded search, beside that of the second engine if there is one."""
    if report.recording is None:
        return Words(
            f"The search visited {format_count(report.nodes)} nodes. Searches of at most "
            f"{format_count(MOST_WATCHED)} can be played here: trace a smaller --depth."
        )
    other = report.beside and report.beside.recording
    return Player(player_data([report.recording, *([other] if other else [])]))
