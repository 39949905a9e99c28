"""How a traced search is shown."""

from __future__ import annotations

from toolkit.lab.rows import TraceIterationRow, TracePassRow, TraceReport, TraceTree
from toolkit.output import Column, Output, count_of, format_count, format_value


def print_trace(output: Output, report: TraceReport, *, every: bool) -> None:
    """The earlier iterations in a line each, and the passes of the last one."""
    output.text(f"position  {report['fen']}")
    output.text(f"engine    {report['engine']}, exact search to depth {report['depth']}")
    output.text()
    if not every and len(report["iterations"]) > 1:
        _print_iterations(output, report["iterations"][:-1])
        output.text()
    for iteration in report["iterations"] if every else report["iterations"][-1:]:
        rows = [row for row in report["passes"] if row["depth"] == iteration["depth"]]
        _print_passes(output, iteration, rows)
        output.text()
    more = report["nodes"] / max(report["pvs_nodes"], 1) - 1
    value = format_value(report["value"])
    output.text(
        f"value {value}{' at least' if report['proves'] == 'move' else ''}   best {report['best']}"
        f"   {count_of(len(report['passes']), 'pass', 'passes')}   "
        f"{count_of(report['nodes'], 'node')} ({report['pvs_engine']}: "
        f"{format_count(report['pvs_nodes'])}, value {format_value(report['pvs_value'])}; "
        f"{100 * more:+.1f} %)"
    )
    output.text(_told_again(report))
    if report["check_passed"]:
        worth = f", the value of {report['best']}" if report["proves"] == "move" else ""
        output.text(f"plain minimax agrees: {format_value(report['checked'])}{worth}")
    if report["tree"] is not None:
        output.text()
        print_tree(output, report["tree"])


def _print_iterations(output: Output, rows: list[TraceIterationRow]) -> None:
    titles = ("depth", "guess", "value", "passes", "nodes", "re-exp.", "hits")
    columns = [*(Column(title, "right") for title in titles), Column("best")]
    output.table(
        columns,
        [
            [
                str(row["depth"]),
                format_value(row["first_guess"]),
                format_value(row["value"]),
                str(row["passes"]),
                format_count(row["nodes"]),
                _count(row["re_expanded"]),
                _hits(row),
                row["best"],
            ]
            for row in rows
        ],
    )


def _print_passes(output: Output, iteration: TraceIterationRow, rows: list[TracePassRow]) -> None:
    head = f"depth {iteration['depth']}"
    if iteration["first_guess"] is not None:
        head += f"   first guess {format_value(iteration['first_guess'])}"
        head += f" ({iteration['guess_source']})"
    output.text(head)
    one_move = any(row["move"] is not None for row in rows)
    columns = [Column("pass", "right"), Column("window"), Column("returned", "right")]
    columns += [Column("fails"), Column("bounds"), Column("nodes", "right")]
    columns += [Column("re-exp.", "right"), Column("hits", "right"), Column("best")]
    columns += [Column("searched")] if one_move else []
    output.table(
        columns,
        [
            [
                str(row["number"]),
                f"({_bound(row['alpha'], '-')}, {_bound(row['beta'], '+')})",
                format_value(row["value"]),
                row["fails"] or "",
                f"[{_bound(row['lower'], '-')}, {_bound(row['upper'], '+')}]",
                format_count(row["nodes"]),
                _count(row["re_expanded"]),
                _hits(row),
                row["best"] or "",
                *([row["move"] or "all"] if one_move else []),
            ]
            for row in rows
        ],
    )


def print_tree(output: Output, tree: TraceTree) -> None:
    """The top of the tree, a line a node, indented by ply."""
    output.text(
        f"tree of depth {tree['depth']} by the reference backend, whose order of moves is its own: "
        f"value {format_value(tree['value'])}"
    )
    for number, (first, again) in enumerate(
        zip(tree["expanded"], tree["re_expanded"], strict=True), 1
    ):
        output.text(
            f"pass {number}: {count_of(first, 'node')} expanded, {format_count(again)} of them "
            "expanded before"
        )
        for row in tree["rows"]:
            if row["pass_number"] != number:
                continue
            move = row["line"][-1] if row["line"] else "root"
            window = f"({_bound(row['alpha'], '-')}, {_bound(row['beta'], '+')})"
            cut = f"   cut by {row['cut']}" if row["cut"] else ""
            output.text(
                f"  {'  ' * row['ply']}{move} {window} {format_value(row['value'])}   "
                f"{count_of(row['nodes'], 'node')}{cut}{'   again' if row['again'] else ''}"
            )


def _told_again(report: TraceReport) -> str:
    """What the last iteration expanded again, beside PVS."""
    last = report["iterations"][-1]
    parts = [
        f"{_count(again)} of {_count(all_of_them)}{who}"
        for again, all_of_them, who in (
            (last["re_expanded"], last["expanded"], f" at depth {last['depth']}"),
            (report["pvs_re_expanded"], report["pvs_expanded"], f" by {report['pvs_engine']}"),
        )
    ]
    return f"re-expanded interior nodes (re-exp.): {'; '.join(parts)}"


def _count(count: int | None) -> str:
    return "--" if count is None else format_count(count)


def _hits(row: TraceIterationRow | TracePassRow) -> str:
    return f"{100 * row['hits'] / row['probes']:.0f} %" if row["probes"] else "--"


def _bound(value: int | None, sign: str) -> str:
    return f"{sign}inf" if value is None else format_value(value)
