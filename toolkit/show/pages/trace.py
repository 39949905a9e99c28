"""The page of one exact search: its passes, its iterations, and the top of its tree."""

from __future__ import annotations

from msgspec.structs import replace

from engines.trees.tree import TREE
from toolkit.base.format import format_value_and_mate
from toolkit.lab.pass_sequence import traced_search
from toolkit.lab.trace import TraceReport, position_lines
from toolkit.show.charts.passes import passes_picture
from toolkit.show.charts.tree import tree_picture
from toolkit.show.pages.parts import Diagram, Drawing, Facts, Section, Subject, Words
from toolkit.show.pages.tables import printed
from toolkit.show.tables.trace import print_trace


def trace_subject(report: TraceReport) -> Subject:
    """The page of a trace."""
    told = printed(print_trace, replace(report, tree=None), "Iterations and passes", every=True)
    found = f"value {format_value_and_mate(report.value)}, best move {report.best}"
    other = "PVS agrees" if report.agrees else f"PVS found {report.pvs_value}"
    facts = [
        ("tree" if report.game == TREE else "position", report.fen),
        ("engine", f"{report.engine}, id {report.engine_id}"),
        ("depth", str(report.depth)),
    ]
    tree = report.tree
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
        Section("passes", "Passes", [Drawing(passes_picture(traced_search(report)))]),
        *([] if tree is None else [Section("tree", "Tree", [Drawing(tree_picture(report, tree))])]),
        Section("iterations", "Iterations", told),
    ]
    return Subject("trace", f"{report.engine}, depth {report.depth}", "", sections,
                   {"trace": report})  # fmt: skip
