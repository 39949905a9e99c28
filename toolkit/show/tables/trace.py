"""A traced search."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from engines.trees.tree import TREE
from toolkit.base.format import (
    count_of,
    format_centipawns,
    format_count,
    format_value,
    format_value_and_mate,
)
from toolkit.base.output import Output
from toolkit.base.table import Field
from toolkit.show.tables.recording import print_beside, print_made_tree

if TYPE_CHECKING:
    from toolkit.lab.passes import TracePassRow
    from toolkit.lab.trace import (
        TraceIterationRow,
        TraceReport,
        TraceTree,
        TraceTreeRow,
    )

_MOST_ROWS, _HEAD_ROWS, _TAIL_ROWS = 50, 20, 20
"""Passes that are shown in full, and how many of both ends otherwise."""
_MOST_NODES = 400
"""Maximum number of nodes shown; for a larger tree about this many, in whole passes."""
_MANY_TIMES = 10
"""From here on, a ratio is printed as a factor, not in per cent."""


def print_trace(output: Output, report: TraceReport, *, every: bool) -> None:
    """The earlier iterations, one line each, and the passes of the last one."""
    output.text(f"{'position' if report.game != TREE else 'tree    '}  {report.fen}")
    by = ", by the reference backend" if report.backend == "reference" else ""
    output.text(f"engine    {report.engine}, exact search to depth {report.depth}{by}")
    output.text()
    if not every and len(report.iterations) > 1:
        _print_iterations(output, report.iterations[:-1])
        output.text()
    for iteration in report.iterations if every else report.iterations[-1:]:
        rows = [row for row in report.passes if row.depth == iteration.depth]
        _print_passes(output, iteration, rows, every=every)
        output.text()
    bound = " at least" if report.proves == "move" else ""
    output.text(
        f"value {format_value_and_mate(report.value)}{bound}   "
        f"best {report.best}   {count_of(len(report.passes), 'pass', 'passes')}   "
        f"{count_of(report.nodes, 'node')}, {_more_than_pvs(report)}"
    )
    output.text(_pvs(report))
    if again := _told_again(report):
        output.text(again)
    if report.check_passed:
        worth = f", the value of {report.best}" if report.proves == "move" else ""
        output.text(f"plain minimax agrees: {format_value(report.checked)}{worth}")
    if report.beside is not None:
        output.text()
        print_beside(output, report, report.beside)
    if report.game == TREE and report.recording is not None:
        output.text()
        print_made_tree(output, report.recording)
    if report.tree is not None:
        output.text()
        print_tree(output, report.tree, every=every)


def _print_iterations(output: Output, rows: list[TraceIterationRow]) -> None:
    fields: list[Field[TraceIterationRow]] = [
        Field("depth", lambda row: str(row.depth), "right"),
        Field("guess", _guess_text, "right", 1),
        Field("value", lambda row: format_value_and_mate(row.value), "right"),
        Field("passes", lambda row: str(row.passes), "right"),
        Field("nodes", lambda row: format_count(row.nodes), "right"),
        Field("re-exp.", lambda row: format_count(row.re_expanded), "right", 3),
        Field("hits", _hits, "right", 4),
        Field("best", lambda row: row.best, spare=2),
    ]
    output.table(fields, rows, data="--json")


def _guess_text(row: TraceIterationRow) -> str | None:
    return None if row.first_guess is None else format_centipawns(row.first_guess)


def _print_passes(
    output: Output, iteration: TraceIterationRow, rows: list[TracePassRow], *, every: bool
) -> None:
    head = f"depth {iteration.depth}"
    if iteration.first_guess is not None:
        head += f"   first guess {format_centipawns(iteration.first_guess)}"
        head += f" ({iteration.guess_source})"
    output.text(head)
    shown = rows if every or len(rows) <= _MOST_ROWS else [*rows[:_HEAD_ROWS], *rows[-_TAIL_ROWS:]]
    fields: list[Field[TracePassRow]] = [
        Field("pass", lambda row: str(row.number), "right"),
        Field("window", lambda row: f"({_bound(row.alpha, '-')}, {_bound(row.beta, '+')})"),
        Field("returned", lambda row: f"{row.value:+d}", "right"),
        Field("fails", lambda row: row.fails or "", spare=3),
        Field(
            "bounds", lambda row: f"[{_bound(row.lower, '-')}, {_bound(row.upper, '+')}]", spare=1
        ),
        Field("nodes", lambda row: format_count(row.nodes), "right"),
        Field("re-exp.", lambda row: format_count(row.re_expanded), "right", 5),
        Field("hits", _hits, "right", 6),
        Field("best", lambda row: row.best or "", spare=4),
        Field(
            "searched",
            lambda row: row.move or "all",
            spare=2,
            when=any(row.move is not None for row in rows),
        ),
    ]
    output.table(fields, shown, data="--json")
    if len(shown) < len(rows):
        output.text(
            f"passes {_HEAD_ROWS + 1} to {len(rows) - _TAIL_ROWS} are left out: --all shows them"
        )


def print_tree(output: Output, tree: TraceTree, *, every: bool) -> None:
    """The top of the tree, one line per node, indented by ply; for a large tree only the first and
    last passes, unless ``every``."""
    output.text(f"tree of depth {tree.depth}; values as the side to move sees them")
    passes: list[list[TraceTreeRow]] = [[] for _ in range(tree.passes)]
    for row in tree.rows:
        passes[row.pass_number - 1].append(row)
    head, tail = len(passes), len(passes)
    if not every and len(tree.rows) > _MOST_NODES:
        sizes = list(map(len, passes))
        head = _fitting(sizes)
        tail = max(head, len(passes) - _fitting(sizes[::-1]))
    for number, rows in enumerate(passes, 1):
        if head < number <= tail:
            if number == tail:
                output.text(f"passes {head + 1} to {tail} are left out: --all shows them")
            continue
        again = format_count(tree.re_expanded[number - 1])
        output.text(
            f"pass {number}: {count_of(tree.expanded[number - 1], 'node')} expanded, "
            f"{again} of them expanded before"
        )
        for row in rows:
            output.text(_node_line(row))


def _fitting(sizes: list[int]) -> int:
    """How many passes of these sizes go into half of a large tree; one at least."""
    return max(1, sum(total <= _MOST_NODES // 2 for total in accumulate(sizes)))


def _node_line(row: TraceTreeRow) -> str:
    move = row.line[-1] if row.line else "root"
    window = f"({_bound(row.alpha, '-')}, {_bound(row.beta, '+')})"
    cut = f"   cut by {row.cut}" if row.cut else ""
    return (
        f"  {'  ' * row.ply}{move} {window} {row.value:+d}   "
        f"{count_of(row.nodes, 'node')}{cut}{'   again' if row.again else ''}"
    )


def _told_again(report: TraceReport) -> str:
    """The re-expanded nodes of the last iteration, compared with PVS; empty where those of the
    engine are not known."""
    first, last = report.iterations[0], report.iterations[-1]
    if first.re_expanded is None:  # one thread counts until they are too many
        return "not repeatable: several threads search together; re-expanded nodes are not counted"
    if last.re_expanded is None:
        return ""
    parts = [
        f"{format_count(again)} of {format_count(all_of_them)}{who}"
        for again, all_of_them, who in (
            (last.re_expanded, last.expanded, f" at depth {last.depth}"),
            (report.pvs_re_expanded, report.pvs_expanded, f" by {report.pvs_engine}"),
        )
    ]
    return f"re-expanded interior nodes (re-exp.): {'; '.join(parts)}"


def _hits(row: TraceIterationRow | TracePassRow) -> str:
    return f"{100 * row.hits / row.probes:.0f} %" if row.probes else "--"


def _bound(value: int | None, sign: str) -> str:
    """An end of a window."""
    return f"{sign}inf" if value is None else f"{value:+d}"


def _more_than_pvs(report: TraceReport) -> str:
    """The nodes relative to those of PVS."""
    ratio = report.nodes / max(report.pvs_nodes, 1)
    if ratio >= _MANY_TIMES:
        return f"{format_count(round(ratio))} times those of {report.pvs_engine}"
    # Adding 0.0 takes the sign from a zero.
    return f"{round(100 * (ratio - 1), 1) + 0.0:+.1f} % relative to {report.pvs_engine}"


def _pvs(report: TraceReport) -> str:
    """What PVS found."""
    worth = f", that of {report.best}" if report.proves == "move" else ""
    agrees = "agrees" if report.agrees else "differs"
    return (
        f"{report.pvs_engine} {agrees}: value {format_value_and_mate(report.pvs_value)}"
        f"{worth if report.agrees else ''}   {count_of(report.pvs_nodes, 'node')}"
    )
