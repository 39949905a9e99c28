"""The documented fields of what ``mtdf lab`` and ``mtdf trace`` print; see :mod:`toolkit.commands._json`."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from toolkit.base.rows import JsonOutput


class LabRunRow(TypedDict):
    """One run of the laboratory."""

    name: Annotated[str, "name, as `lab show` takes it"]
    kind: Annotated[str, "`compare` or `sweep`"]
    status: Annotated[str, "`planned`, `running`, `interrupted`, `done` or `failed`"]
    suite: Annotated[str, "name of the suite of positions"]
    positions: Annotated[int, "positions of the run"]
    depths: Annotated[list[int], "depths that are compared"]
    engines: Annotated[
        list[str], "labels, baselines included; where first guesses are given, with the distance"
    ]
    searches_done: Annotated[int, "searches that are stored"]
    searches_planned: Annotated[int, "searches of the whole run"]
    created_at: Annotated[str, "UTC, ISO 8601"]
    started_at: Annotated[str | None, "UTC, ISO 8601"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]
    backend: Annotated[str, "`native` or `reference`: what it was begun with"]
    signature: Annotated[str, "signature of the core it was begun with"]
    version: Annotated[str, "version of mtdf that began it"]


class LabRow(TypedDict):
    """One engine at one depth, relative to its baseline on the same positions. Ratios are geometric
    means over positions; below 1 is cheaper than the baseline. Null: nothing to compare."""

    engine: Annotated[str, "label"]
    depth: Annotated[int, "depth"]
    positions: Annotated[int, "positions that both have searched"]
    agree: Annotated[int, "positions whose value is the baseline's, or whose move has that value"]
    baseline: Annotated[str, "what the baseline is called, as in `engines` of the run"]
    parameter: Annotated[str | None, "what a sweep varies"]
    parameter_value: Annotated[str | None, "its value"]
    nodes: Annotated[float | None, "ratio of all nodes"]
    nodes_low95: Annotated[float | None, "lower end of its 95 % interval, by paired bootstrap"]
    nodes_high95: Annotated[float | None, "upper end"]
    leaves: Annotated[float | None, "ratio of leaves"]
    leaves_low95: Annotated[float | None, "lower end of its interval"]
    leaves_high95: Annotated[float | None, "upper end"]
    interior: Annotated[float | None, "ratio of interior nodes"]
    interior_low95: Annotated[float | None, "lower end of its interval"]
    interior_high95: Annotated[float | None, "upper end"]
    quiescence: Annotated[
        float | None, "ratio of nodes below the leaves; null where there are none"
    ]
    quiescence_low95: Annotated[float | None, "lower end of its interval"]
    quiescence_high95: Annotated[float | None, "upper end"]
    cpu: Annotated[
        float | None, "ratio of CPU time; its interval leaves out what disturbed the machine"
    ]
    cpu_low95: Annotated[float | None, "lower end of its interval"]
    cpu_high95: Annotated[float | None, "upper end"]
    p95: Annotated[float | None, "95th percentile of the positions' ratios of all nodes"]
    worst: Annotated[float | None, "the largest of these ratios"]
    worst_position: Annotated[str | None, "the position that it is of"]
    nodes_mean: Annotated[float | None, "geometric mean of the engine's own nodes"]
    passes: Annotated[float | None, "passes of the iteration of this depth, on average"]
    passes_most: Annotated[int | None, "the most of any position"]
    first_share: Annotated[float | None, "share of its first pass in the iteration's nodes, mean"]
    high_passes: Annotated[float | None, "passes of the iteration that fail high, on average"]
    low_passes: Annotated[float | None, "passes of the iteration that fail low, on average"]
    first_high: Annotated[
        float | None, "nodes of first passes that fail high, over the baseline's whole iteration"
    ]
    first_low: Annotated[float | None, "the same of first passes that fail low"]
    later_high: Annotated[float | None, "the same of one later pass that fails high"]
    later_low: Annotated[float | None, "the same of one later pass that fails low"]
    driver: Annotated[str, "its driver"]
    engine_id: Annotated[str, "identity of the variant"]


class LabDisagreement(TypedDict):
    """A search that did not find what its baseline found."""

    engine: Annotated[str, "label"]
    position: Annotated[str, "what the suite calls it"]
    fen: Annotated[str, "the position"]
    depth: Annotated[int, "depth"]
    value: Annotated[int, "what the engine says; of a driver that proves a move a lower bound"]
    move: Annotated[str, "its move, UCI"]
    move_value: Annotated[int | None, "exact value of the move, of a driver that proves one"]
    true_value: Annotated[int, "what the baseline says"]


class LabReport(LabRunRow):
    """A run with what it says."""

    baseline: Annotated[str | None, "label of the baseline; null where there are several"]
    baseline_table: Annotated[
        str | None,
        "its table, as in `16 MB`, `4096 entries` or `none`; null where there are several",
    ]
    measure: Annotated[
        str, "`cumulative`: all iterations up to the depth, or `last`: that of the depth alone"
    ]
    values_agree: Annotated[
        bool, "whether every search found what its baseline found; also where none was compared"
    ]
    values_compared: Annotated[
        int, "searches that were compared, at each depth; those of baselines are not"
    ]
    disagreements: Annotated[list[LabDisagreement], "those that did not, at most 100"]
    notes: Annotated[list[str], "what the figures do not say by themselves; empty in most runs"]
    rows: Annotated[list[LabRow], "each engine at each depth"]


class LabSearchRow(TypedDict):
    """One iteration of a stored search."""

    engine: Annotated[str, "label"]
    parameter: Annotated[str | None, "what a sweep varies; null for a baseline"]
    parameter_value: Annotated[str | None, "its value"]
    position: Annotated[str, "what the suite calls it"]
    fen: Annotated[str, "the position"]
    depth: Annotated[int, "depth of the iteration"]
    value: Annotated[int, "its value; of a driver that proves a move a lower bound"]
    move: Annotated[str, "best move, UCI"]
    move_value: Annotated[int | None, "exact value of the move, of a driver that proves one"]
    first_guess: Annotated[int | None, "where its passes began; null without a guess"]
    interior: Annotated[int, "interior nodes"]
    leaves: Annotated[int, "leaves"]
    quiescence: Annotated[int, "nodes below the leaves"]
    probes: Annotated[int, "positions looked up in the table"]
    hits: Annotated[int, "positions found there"]
    cutoffs: Annotated[int, "nodes that the table decided"]
    cpu_us: Annotated[int, "CPU time in microseconds"]
    passes: Annotated[
        list[Any],
        "each pass: alpha, beta (null: no bound), value, nodes, and its move where one alone was "
        "searched",
    ]
    engine_id: Annotated[str, "identity of the variant"]


class TracePassRow(TypedDict):
    """One pass."""

    depth: Annotated[int, "depth of its iteration"]
    number: Annotated[int, "from 1 within the iteration"]
    alpha: Annotated[int | None, "values up to it fail low; null: no bound"]
    beta: Annotated[int | None, "values from it fail high; null: no bound"]
    value: Annotated[int, "the fail-soft value returned"]
    fails: Annotated[str | None, "`high`, `low`, or null where the value lies within the window"]
    lower: Annotated[int | None, "lower bound of the value after the pass; null: none"]
    upper: Annotated[int | None, "upper bound of the value after the pass; null: none"]
    nodes: Annotated[int, "nodes of all kinds"]
    move: Annotated[str | None, "the one root move that was searched; null: all of them"]
    best: Annotated[str | None, "best root move after the pass, as far as is known, UCI"]
    probes: Annotated[int, "positions looked up in the table"]
    hits: Annotated[int, "positions found there"]
    expanded: Annotated[
        int | None, "interior nodes whose moves were searched; null: too many to count"
    ]
    re_expanded: Annotated[
        int | None,
        "those whose position had been expanded at the same depth before, in this pass or an "
        "earlier one of the iteration; null: too many to count",
    ]


class TraceIterationRow(TypedDict):
    """One depth of iterative deepening."""

    depth: Annotated[int, "depth"]
    value: Annotated[int, "value found"]
    best: Annotated[str, "best move, UCI"]
    first_guess: Annotated[int | None, "where its passes began; null without a guess"]
    guess_source: Annotated[str | None, "where the first guess came from"]
    passes: Annotated[int, "number of passes"]
    nodes: Annotated[int, "nodes of all kinds"]
    interior: Annotated[int, "interior nodes"]
    leaves: Annotated[int, "leaves"]
    quiescence: Annotated[int, "nodes below the leaves"]
    probes: Annotated[int, "positions looked up in the table"]
    hits: Annotated[int, "positions found there"]
    cutoffs: Annotated[int, "nodes that the table decided"]
    expanded: Annotated[int | None, "those of its passes together"]
    re_expanded: Annotated[int | None, "those of its passes together"]
    pv: Annotated[list[str], "principal variation, UCI"]


class TraceTreeRow(TypedDict):
    """A node at the top of the tree, as the reference backend searched it."""

    pass_number: Annotated[int, "pass of the last iteration, from 1"]
    ply: Annotated[int, "distance from the root"]
    line: Annotated[list[str], "moves from the root, UCI"]
    alpha: Annotated[int | None, "lower end of its window; null: none"]
    beta: Annotated[int | None, "upper end of its window; null: none"]
    value: Annotated[int, "the fail-soft value returned"]
    cut: Annotated[str | None, "`table` or `beta`, or null where every move was searched"]
    nodes: Annotated[int, "nodes of all kinds in its subtree"]
    again: Annotated[bool, "whether its moves were searched again, as in `re_expanded`"]


class TraceTree(TypedDict):
    """The last iteration, searched again by the reference backend, which records it."""

    depth: Annotated[int, "depth of the iteration"]
    value: Annotated[int, "value found; the native core's"]
    passes: Annotated[int, "passes of the iteration there"]
    expanded: Annotated[list[int], "of each pass: interior nodes whose moves were searched"]
    re_expanded: Annotated[list[int], "those that the iteration had expanded before"]
    rows: Annotated[list[TraceTreeRow], "the top of the tree in the order of search"]


class TraceReport(TypedDict):
    """One exact search."""

    fen: Annotated[str, "the position"]
    engine: Annotated[str, "label"]
    depth: Annotated[int, "depth of the last iteration"]
    value: Annotated[int, "its value; of a driver that proves a move a lower bound"]
    best: Annotated[str, "best move, UCI"]
    move_value: Annotated[
        int | None, "of a driver that proves a move: the exact value of that move; else null"
    ]
    nodes: Annotated[int, "nodes of all iterations"]
    passes: Annotated[list[TracePassRow], "every pass of every iteration, in order"]
    iterations: Annotated[list[TraceIterationRow], "every iteration"]
    proves: Annotated[str, "`value` or `move`: what the driver proves"]
    pvs_engine: Annotated[str, "PVS with an open window and the same trees"]
    pvs_nodes: Annotated[int, "its nodes of all iterations"]
    pvs_expanded: Annotated[int | None, "the interior nodes of its last iteration that it expanded"]
    pvs_re_expanded: Annotated[int | None, "those that it expanded again there"]
    pvs_value: Annotated[int, "the value that it found"]
    pvs_best: Annotated[str, "its best move, UCI"]
    agrees: Annotated[
        bool, "whether the value is PVS's, or the move's value is and its bound is not above"
    ]
    checked: Annotated[int | None, "with `--check`: the value of plain minimax; else null"]
    check_passed: Annotated[
        bool | None, "with `--check`: whether value or move is right; else null"
    ]
    tree: Annotated[TraceTree | None, "with `--tree`; else null"]
    engine_id: Annotated[str, "identity of the variant"]


_REPORT = JsonOutput(
    LabReport, is_array=False, nested={"rows": LabRow, "disagreements": LabDisagreement}
)
LAB_OUTPUT: dict[str, JsonOutput] = {
    "trace": JsonOutput(
        TraceReport,
        is_array=False,
        nested={
            "passes": TracePassRow,
            "iterations": TraceIterationRow,
            "tree": TraceTree,
            "tree.rows": TraceTreeRow,
        },
    ),
    "lab compare, lab sweep, lab resume, lab show": _REPORT,
    "lab show --searches": JsonOutput(LabSearchRow),
    "lab list": JsonOutput(LabRunRow),
}
"""Every kind of JSON that the laboratory prints, by command."""
