"""The documented fields of ``mtdf lab`` and ``mtdf trace``."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from toolkit.base.rows import JsonOutput


class LabRunRow(TypedDict):
    """One laboratory run."""

    name: Annotated[str, "name for `lab show`"]
    kind: Annotated[str, "`compare`, `sweep` or `parallel`"]
    status: Annotated[str, "`planned`, `running`, `interrupted`, `done` or `failed`"]
    suite: Annotated[str, "name of the suite of positions"]
    positions: Annotated[int, "positions of the run"]
    depths: Annotated[list[int], "compared depths"]
    engines: Annotated[
        list[str], "labels, including baselines; with the distance if first guesses are given"
    ]
    searches_done: Annotated[int, "stored searches"]
    searches_planned: Annotated[int, "planned searches"]
    created_at: Annotated[str, "UTC, ISO 8601"]
    started_at: Annotated[str | None, "UTC, ISO 8601"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]
    backend: Annotated[str, "backend when it was started: `native` or `reference`"]
    signature: Annotated[str, "core signature when it was started"]
    version: Annotated[str, "version of mtdf that started it"]
    note: Annotated[str, "note of `lab annotate`; empty if there is none"]
    mode: Annotated[str, "`exact`, or `selective` for runs that prune"]


class LabRow(TypedDict):
    """One engine at one depth, relative to its baseline on the same positions. Ratios are geometric
    means over positions; values below 1 are cheaper than the baseline. Null means that there is
    nothing to compare."""

    engine: Annotated[str, "label"]
    depth: Annotated[int, "depth"]
    positions: Annotated[int, "positions searched by both engine and baseline"]
    agree: Annotated[
        int, "positions on which the value, or the value of the move, equals the baseline's"
    ]
    baseline: Annotated[str, "label of the baseline, as in `engines` of the run"]
    parameter: Annotated[str | None, "parameter that a sweep varies"]
    parameter_value: Annotated[str | None, "value of that parameter"]
    nodes: Annotated[float | None, "ratio of all nodes"]
    nodes_low95: Annotated[float | None, "lower end of its 95 % interval, by paired bootstrap"]
    nodes_high95: Annotated[float | None, "upper end"]
    leaves: Annotated[float | None, "ratio of leaves"]
    leaves_low95: Annotated[float | None, "lower end of its interval"]
    leaves_high95: Annotated[float | None, "upper end"]
    interior: Annotated[float | None, "ratio of interior nodes"]
    interior_low95: Annotated[float | None, "lower end of its interval"]
    interior_high95: Annotated[float | None, "upper end"]
    quiescence: Annotated[float | None, "ratio of nodes below the leaves; null if there are none"]
    quiescence_low95: Annotated[float | None, "lower end of its interval"]
    quiescence_high95: Annotated[float | None, "upper end"]
    cpu: Annotated[
        float | None, "ratio of CPU time; its interval does not include disturbances of the machine"
    ]
    cpu_low95: Annotated[float | None, "lower end of its interval"]
    cpu_high95: Annotated[float | None, "upper end"]
    threads: Annotated[int, "threads that search together"]
    parallel: Annotated[
        str | None,
        "what they search: `lazy` or `abdada`; null with one thread, which has no others",
    ]
    speedup: Annotated[
        float | None,
        "`lab parallel`: the time of one thread over the time of the engine; null if the machine "
        "has fewer cores than the engine threads",
    ]
    speedup_low95: Annotated[float | None, "lower end of its interval"]
    speedup_high95: Annotated[float | None, "upper end"]
    wall_ms: Annotated[
        float | None, "`lab parallel`: geometric mean of the time to the depth, in milliseconds"
    ]
    idle: Annotated[
        float | None,
        "`lab parallel`: share of the time of all threads in which they used no processor; null "
        "like `speedup`",
    ]
    against: Annotated[
        str | None,
        "`lab parallel`: the first engine of the run; the next six fields compare with its gain by "
        "as many threads in the same way; null in its own rows and in those of one thread",
    ]
    speedup_against: Annotated[
        float | None,
        "`speedup` over that of the first engine, position by position; above 1: the engine gains "
        "more; null like `speedup`",
    ]
    speedup_against_low95: Annotated[float | None, "lower end of its interval"]
    speedup_against_high95: Annotated[float | None, "upper end"]
    nodes_against: Annotated[
        float | None,
        "`nodes` over that of the first engine, position by position; above 1: the engine pays a "
        "greater search overhead",
    ]
    nodes_against_low95: Annotated[float | None, "lower end of its interval"]
    nodes_against_high95: Annotated[float | None, "upper end"]
    p95: Annotated[float | None, "95th percentile of the positions' ratios of all nodes"]
    worst: Annotated[float | None, "maximum of these ratios"]
    worst_position: Annotated[str | None, "position with the maximum ratio"]
    nodes_mean: Annotated[float | None, "geometric mean of the engine's nodes"]
    passes: Annotated[float | None, "mean number of passes in the iteration of this depth"]
    passes_most: Annotated[int | None, "maximum number of passes for any position"]
    first_share: Annotated[
        float | None,
        "mean share of the first pass in the iteration's nodes; like the next six fields null with "
        "several threads, whose nodes belong to no pass",
    ]
    high_passes: Annotated[float | None, "mean number of passes of the iteration that fail high"]
    low_passes: Annotated[float | None, "mean number of passes of the iteration that fail low"]
    first_high: Annotated[
        float | None,
        "nodes of first passes that fail high, relative to the baseline's whole iteration",
    ]
    first_low: Annotated[float | None, "the same for first passes that fail low"]
    later_high: Annotated[float | None, "the same for each later pass that fails high"]
    later_low: Annotated[float | None, "the same for each later pass that fails low"]
    driver: Annotated[str, "driver of the variant"]
    engine_id: Annotated[str, "identity of the variant"]


class LabDisagreement(TypedDict):
    """A search whose result differs from its baseline's."""

    engine: Annotated[str, "label"]
    position: Annotated[str, "label of the position in the suite"]
    fen: Annotated[str, "the position"]
    depth: Annotated[int, "depth"]
    value: Annotated[int, "value found by the engine; a lower bound for drivers that prove a move"]
    move: Annotated[str, "move found by the engine, UCI"]
    move_value: Annotated[
        int | None, "exact value of the move, for drivers that prove a move; else null"
    ]
    true_value: Annotated[int, "value found by the baseline"]


class LabReport(LabRunRow):
    """A run with its results."""

    baseline: Annotated[str | None, "label of the baseline; null if there are several"]
    baseline_table: Annotated[
        str | None,
        "table size of the baseline, such as `16 MB`, `4096 entries` or `none`; null if there are "
        "several",
    ]
    measure: Annotated[
        str, "`cumulative`: all iterations up to the depth; `last`: only the iteration of the depth"
    ]
    values_agree: Annotated[
        bool, "whether every search agrees with its baseline; also true if none was compared"
    ]
    values_compared: Annotated[
        int, "number of compared searches over all depths, without those of baselines"
    ]
    disagreements: Annotated[list[LabDisagreement], "searches that disagree, at most 100"]
    answers: Annotated[
        list[str],
        "`lab parallel`: whether engines gain more by threads, and pay more, than the first one",
    ]
    notes: Annotated[list[str], "remarks needed to interpret the numbers; usually empty"]
    rows: Annotated[list[LabRow], "one row per engine and depth"]


class LabSearchRow(TypedDict):
    """One iteration of a stored search."""

    engine: Annotated[str, "label"]
    parameter: Annotated[str | None, "parameter that a sweep varies; null for a baseline"]
    parameter_value: Annotated[str | None, "value of that parameter"]
    position: Annotated[str, "label of the position in the suite"]
    fen: Annotated[str, "the position"]
    depth: Annotated[int, "depth of the iteration"]
    value: Annotated[int, "its value; a lower bound for drivers that prove a move"]
    move: Annotated[str, "best move, UCI"]
    move_value: Annotated[
        int | None, "exact value of the move, for drivers that prove a move; else null"
    ]
    first_guess: Annotated[int | None, "first guess; null if the driver has none"]
    interior: Annotated[int, "interior nodes"]
    leaves: Annotated[int, "leaves"]
    quiescence: Annotated[int, "nodes below the leaves"]
    probes: Annotated[int, "positions looked up in the table"]
    hits: Annotated[int, "positions found in the table"]
    cutoffs: Annotated[int, "nodes cut off by the table"]
    cpu_us: Annotated[int, "CPU time in microseconds"]
    wall_us: Annotated[int | None, "time on the clock in microseconds; null in older runs"]
    passes: Annotated[
        list[Any],
        "one array per pass: alpha, beta (null if open), value, nodes, and the root move if only "
        "one was searched",
    ]
    engine_id: Annotated[str, "identity of the variant"]


class TracePassRow(TypedDict):
    """One pass."""

    depth: Annotated[int, "depth of its iteration"]
    number: Annotated[int, "number of the pass in the iteration, from 1"]
    alpha: Annotated[int | None, "values up to alpha fail low; null if open"]
    beta: Annotated[int | None, "values from beta on fail high; null if open"]
    value: Annotated[int, "returned fail-soft value"]
    fails: Annotated[str | None, "`high`, `low`, or null if the value lies inside the window"]
    lower: Annotated[int | None, "lower bound of the value after the pass; null if none"]
    upper: Annotated[int | None, "upper bound of the value after the pass; null if none"]
    nodes: Annotated[int, "nodes of all kinds"]
    move: Annotated[str | None, "root move, if only one was searched; null if all were"]
    best: Annotated[str | None, "best root move after the pass, if known, UCI"]
    probes: Annotated[int, "positions looked up in the table"]
    hits: Annotated[int, "positions found in the table"]
    expanded: Annotated[
        int | None, "interior nodes whose moves were searched; null if too many to count"
    ]
    re_expanded: Annotated[
        int | None,
        "expanded nodes whose position had already been expanded at the same depth, in this pass "
        "or an earlier pass of the iteration; null if too many to count",
    ]


class TraceIterationRow(TypedDict):
    """One depth of iterative deepening."""

    depth: Annotated[int, "depth"]
    value: Annotated[int, "value found"]
    best: Annotated[str, "best move, UCI"]
    first_guess: Annotated[int | None, "first guess; null if the driver has none"]
    guess_source: Annotated[str | None, "source of the first guess"]
    passes: Annotated[int, "number of passes"]
    nodes: Annotated[int, "nodes of all kinds"]
    interior: Annotated[int, "interior nodes"]
    leaves: Annotated[int, "leaves"]
    quiescence: Annotated[int, "nodes below the leaves"]
    probes: Annotated[int, "positions looked up in the table"]
    hits: Annotated[int, "positions found in the table"]
    cutoffs: Annotated[int, "nodes cut off by the table"]
    expanded: Annotated[int | None, "sum over its passes"]
    re_expanded: Annotated[int | None, "sum over its passes"]
    pv: Annotated[list[str], "principal variation, UCI"]


class TraceTreeRow(TypedDict):
    """A node at the top of the tree, as the reference backend searched it."""

    pass_number: Annotated[int, "pass of the last iteration, from 1"]
    ply: Annotated[int, "distance from the root"]
    line: Annotated[list[str], "moves from the root, UCI"]
    alpha: Annotated[int | None, "lower end of the window; null if open"]
    beta: Annotated[int | None, "upper end of the window; null if open"]
    value: Annotated[int, "returned fail-soft value"]
    cut: Annotated[
        str | None, "cause of the cut-off, `table` or `beta`; null if every move was searched"
    ]
    nodes: Annotated[int, "nodes of all kinds in the subtree"]
    again: Annotated[bool, "whether the node was re-expanded, as in `re_expanded`"]


class TraceTree(TypedDict):
    """The tree of the last iteration, as the reference backend recorded it."""

    depth: Annotated[int, "depth of the iteration"]
    passes: Annotated[int, "passes of the iteration"]
    expanded: Annotated[list[int], "for each pass: interior nodes whose moves were searched"]
    re_expanded: Annotated[
        list[int], "for each pass: nodes that the iteration had already expanded"
    ]
    rows: Annotated[list[TraceTreeRow], "the top of the tree, in search order"]


class TraceReport(TypedDict):
    """One exact search."""

    game: Annotated[str, "the game"]
    fen: Annotated[str, "the position"]
    engine: Annotated[str, "label"]
    depth: Annotated[int, "depth of the last iteration"]
    value: Annotated[int, "its value; a lower bound for drivers that prove a move"]
    best: Annotated[str, "best move, UCI"]
    move_value: Annotated[
        int | None, "for drivers that prove a move: exact value of that move; else null"
    ]
    nodes: Annotated[int, "nodes of all iterations"]
    passes: Annotated[list[TracePassRow], "every pass of every iteration, in order"]
    iterations: Annotated[list[TraceIterationRow], "every iteration"]
    proves: Annotated[str, "`value` or `move`: what the driver proves"]
    pvs_engine: Annotated[str, "PVS with an open window on the same trees"]
    pvs_nodes: Annotated[int, "nodes of PVS in all iterations"]
    pvs_expanded: Annotated[int | None, "interior nodes that PVS expanded in its last iteration"]
    pvs_re_expanded: Annotated[
        int | None, "interior nodes that PVS re-expanded in its last iteration"
    ]
    pvs_value: Annotated[int, "value found by PVS"]
    pvs_best: Annotated[str, "best move found by PVS, UCI"]
    agrees: Annotated[
        bool,
        "whether the value equals that of PVS; for drivers that prove a move, whether the move's "
        "value does and the bound is not greater",
    ]
    checked: Annotated[int | None, "with `--check`: the value of plain minimax; else null"]
    check_passed: Annotated[
        bool | None, "with `--check`: whether the value or move is correct; else null"
    ]
    tree: Annotated[TraceTree | None, "with `--tree`: the recorded tree; else null"]
    engine_id: Annotated[str, "identity of the variant"]
    backend: Annotated[str, "backend that searched; with `--tree` always `reference`"]


_REPORT = JsonOutput(LabReport, is_array=False)
LAB_OUTPUT: dict[str, JsonOutput] = {
    "trace": JsonOutput(TraceReport, is_array=False),
    "lab compare, lab sweep, lab resume, lab show": _REPORT,
    "lab show --searches": JsonOutput(LabSearchRow),
    "lab list": JsonOutput(LabRunRow),
}
"""All JSON output of the laboratory, by command."""
