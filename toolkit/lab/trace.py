"""One exact search pass by pass, compared with PVS on the same trees."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct
from msgspec.structs import replace

from engines.backend import backend_name, make_searcher, perft, plain_value
from engines.choices import DEFAULT_GAME, GUESSES
from engines.errors import EngineFailure
from engines.recorded import BY_TABLE, FAIL_HIGH, ONE_MOVE, REASONS, UPPER_MET, RecordedTree
from engines.registry import DRIVERS
from engines.rules.board import diagram
from engines.rules.catalog import rules_of
from engines.spec import MATE, Iteration, Searcher, SearchLimit, SearchResult, Variant
from engines.trees.text import read_tree
from engines.trees.tree import TREE, GameTree
from engines.variant import parse_variant
from toolkit.base.errors import UsageError
from toolkit.base.ranges import check_whole
from toolkit.lab.agreement import check_one_tree, is_right, move_values, proves_move
from toolkit.lab.effort import IterationCounts
from toolkit.lab.passes import TracePassRow, pass_rows
from toolkit.lab.plan import MAX_DEPTH, open_window
from toolkit.lab.recording import Recording, recording_of
from toolkit.lab.trees import PUBLISHED_MTDF, on_tree

if TYPE_CHECKING:
    from engines.reference.search.nodes import Tree

MOST_PLIES = 6
"""Plies of the tree that a user may want to see."""


MOST_WATCHED = 50_000
"""Nodes of a search that is recorded for a page: more would take the reference a minute."""
MANY_LEAVES = 20_000
"""Leaves from which on plain minimax may take minutes, since all captures below them are played."""
_COUNTED = 3
"""Plies whose leaves are counted to estimate those of more."""


class TraceIterationRow(IterationCounts, frozen=True, kw_only=True):
    """One depth of iterative deepening."""

    best: Annotated[str, "best move, UCI"]
    guess_source: Annotated[str | None, "source of the first guess"]
    passes: Annotated[int, "number of passes"]
    nodes: Annotated[int, "nodes of all kinds"]
    expanded: Annotated[int | None, "sum over its passes"]
    re_expanded: Annotated[int | None, "sum over its passes"]
    pv: Annotated[list[str], "principal variation, UCI"]


class TraceTreeRow(Struct, frozen=True):
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


class TraceTree(Struct, frozen=True):
    """The tree of the last iteration, as the reference backend recorded it."""

    depth: Annotated[int, "depth of the iteration"]
    passes: Annotated[int, "passes of the iteration"]
    expanded: Annotated[list[int], "for each pass: interior nodes whose moves were searched"]
    re_expanded: Annotated[
        list[int], "for each pass: nodes that the iteration had already expanded"
    ]
    rows: Annotated[list[TraceTreeRow], "the top of the tree, in search order"]


class TraceBeside(Struct, frozen=True):
    """The exact search of a second engine, to the same depth of the same position or tree."""

    engine: Annotated[str, "label"]
    engine_id: Annotated[str, "identity of the variant"]
    value: Annotated[int, "its value; a lower bound for drivers that prove a move"]
    best: Annotated[str, "best move"]
    proves: Annotated[str, "`value` or `move`: what the driver proves"]
    move_value: Annotated[
        int | None, "for drivers that prove a move: exact value of that move; else null"
    ]
    nodes: Annotated[int, "nodes of all iterations"]
    passes: Annotated[list[TracePassRow], "every pass of every iteration, in order"]
    iterations: Annotated[list[TraceIterationRow], "every iteration"]
    agrees: Annotated[bool, "whether it agrees with PVS, as in `agrees` of the report"]
    recording: Annotated[Recording | None, "with `--record`: the last iteration; else null"]


class TraceReport(Struct, frozen=True):
    """One exact search."""

    game: Annotated[str, "the game; `tree` for a tree made by hand"]
    fen: Annotated[str, "the position, or the tree as it was given"]
    engine: Annotated[str, "label"]
    depth: Annotated[int, "depth of the last iteration"]
    value: Annotated[int, "its value; a lower bound for drivers that prove a move"]
    best: Annotated[
        str, "best move, UCI; in a tree made by hand the child's name, or its place from 1"
    ]
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
    tree: Annotated[TraceTree | None, "with `--top`: the top of the tree; else null"]
    engine_id: Annotated[str, "identity of the variant"]
    backend: Annotated[
        str, "backend that searched; with `--top`, `--record` or `--tree` always `reference`"
    ]
    recording: Annotated[Recording | None, "with `--record`: the last iteration; else null"]
    beside: Annotated[TraceBeside | None, "with `--beside`: the second engine; else null"]


class TraceQuery(Struct, frozen=True):
    """What is to be traced."""

    variant: Variant
    fen: str
    """The position; with ``tree`` what the user calls the tree."""
    depth: int
    first_guess: int | None = None
    """Replaces the first guess of every iteration."""
    check: bool = False
    """Whether to run plain minimax, too."""
    plies: int | None = None
    """How many plies of the tree are shown, which the reference searches then; None: none."""
    record: bool = False
    """Whether the reference searches, and every visit is recorded."""
    tree: GameTree | None = None
    """A tree made by hand, searched to its height by the reference; see :func:`tree_query`."""
    beside: Variant | None = None
    """A second engine for the same position or tree and depth."""

    @property
    def by_reference(self) -> bool:
        """Whether the reference searches, which can be watched."""
        return self.record or self.plies is not None or self.tree is not None


def tree_query(text: str, variant: Variant | None = None) -> TraceQuery:
    """What traces a tree made by hand, such as ``((3 12 8) (2 4 6))`` or ``plaat``; without a
    variant by MTD(f) as published. Raises PositionError."""
    tree = read_tree(text)
    engine = parse_variant(PUBLISHED_MTDF) if variant is None else variant
    return TraceQuery(engine, " ".join(text.split()), tree.height, tree=tree)


def trace_search(query: TraceQuery) -> TraceReport:
    """Search and record every pass. Visits are recorded by the reference, which can be watched: the
    whole report is of its searches then. Raises UsageError, PositionError, EngineFailure."""
    variant = query.variant
    _check(query)
    pvs = open_window(variant)
    found, other = _searched(query, variant), _search(query, pvs, None)
    result, last, others = found.result, found.last, other.iterations[-1]
    move_value = _value_of_move(query, variant, last)
    checked = _plain_value(query) if query.check else None
    return TraceReport(
        game=variant.game if query.tree is None else TREE,
        fen=query.fen,
        engine=variant.label,
        depth=last.depth,
        value=last.value,
        best=last.move,
        move_value=move_value,
        nodes=result.nodes,
        passes=found.passes,
        iterations=found.iterations,
        proves=DRIVERS[variant.driver].proves,
        pvs_engine=pvs.label,
        pvs_nodes=other.nodes,
        pvs_expanded=total(one.expanded for one in others.passes),
        pvs_re_expanded=total(one.re_expanded for one in others.passes),
        pvs_value=other.value,
        pvs_best=other.move or "",
        agrees=is_right(last.value, move_value, other.value),
        checked=checked,
        check_passed=None if checked is None else is_right(last.value, move_value, checked),
        tree=found.top,
        engine_id=variant.identity,
        backend="reference" if query.by_reference else backend_name(),
        recording=found.recording,
        beside=_second(query, other.value),
    )


class _Searched(Struct, frozen=True):
    """A search with its rows."""

    result: SearchResult
    iterations: list[TraceIterationRow]
    passes: list[TracePassRow]
    top: TraceTree | None
    recording: Recording | None

    @property
    def last(self) -> Iteration:
        """The last iteration."""
        return self.result.iterations[-1]


def _check(query: TraceQuery) -> None:
    """Raise UsageError for what makes no sense."""
    check_whole("--depth", query.depth, 1, MAX_DEPTH)
    variants = [query.variant, *([] if query.beside is None else [query.beside])]
    if query.tree is not None:
        _check_tree(query.tree, query.depth, variants)
    check_one_tree(variants)
    if query.by_reference and any(one.threads > 1 for one in variants):
        raise UsageError("the reference searches with one thread: leave `threads` out")
    if query.first_guess is not None:
        if not any("guess" in DRIVERS[one.driver].parameters for one in variants):
            label = query.variant.label
            raise UsageError(f"engine {label} uses no first guess: leave --first-guess out")
        # What the beta of a null window may be.
        check_whole("--first-guess", query.first_guess, 1 - MATE, MATE)
    if query.plies is not None:
        check_whole("--top", query.plies, 0, MOST_PLIES)


def _check_tree(tree: GameTree, depth: int, variants: Sequence[Variant]) -> None:
    if depth != tree.height:
        raise UsageError(
            f"the tree has {tree.height} plies and no values above its leaves: leave --depth out"
        )
    for one in variants:
        if one.game != DEFAULT_GAME:
            raise UsageError(f"a tree made by hand is no position of {one.game}: leave it out")


def _searched(query: TraceQuery, variant: Variant) -> _Searched:
    """The search of an engine."""
    if not (query.record or query.plies is not None):
        result, recorded = _search(query, variant, _guess(query, variant)), None
    else:
        result, recorded = _recorded(query, variant)
    last, rows = result.iterations[-1], _iteration_rows(query, variant, result.iterations)
    recording = top = None
    if recorded is not None and query.plies is not None:
        top = _top_of_tree(recorded, last, query.plies)
    if recorded is not None and query.record:
        made = query.tree
        recording = recording_of(
            variant if made is None else on_tree(variant),
            query.fen if made is None else str(made),
            last,
            rows[-1].guess_source,
            recorded,
            None if made is None else made.places(),
        )
    passes = [row for iteration in result.iterations for row in pass_rows(iteration)]
    return _Searched(result, rows, passes, top, recording)


def _second(query: TraceQuery, truth: int) -> TraceBeside | None:
    """The report of the second engine. ``truth``: the value that PVS found."""
    variant = query.beside
    if variant is None:
        return None
    found = _searched(query, variant)
    move_value = _value_of_move(query, variant, found.last)
    return TraceBeside(
        engine=variant.label,
        engine_id=variant.identity,
        value=found.last.value,
        best=found.last.move,
        proves=DRIVERS[variant.driver].proves,
        move_value=move_value,
        nodes=found.result.nodes,
        passes=found.passes,
        iterations=found.iterations,
        agrees=is_right(found.last.value, move_value, truth),
        recording=found.recording,
    )


def watched(query: TraceQuery, report: TraceReport) -> TraceReport:
    """The report of a query that a page plays: that of the same searches by the reference, which
    are recorded. The core orders moves differently, so its passes and nodes are not what the page
    plays. The report itself where they are too large, or of several threads. Raises as
    :func:`trace_search`."""
    most = max(report.nodes, report.beside.nodes if report.beside else 0)
    threads = max(one.threads for one in (query.variant, query.beside) if one is not None)
    if report.recording is not None or most > MOST_WATCHED or threads > 1:
        return report
    again = trace_search(replace(query, record=True, check=False))
    return replace(again, checked=report.checked, check_passed=report.check_passed)


def position_lines(report: TraceReport) -> list[str]:
    """The board of a traced position, and who is to move; none for a tree made by hand."""
    if report.game == TREE:
        return []
    rules = rules_of(report.game)
    board = rules.board(report.fen)
    side = "White" if board.white_to_move else "Black"
    return [*diagram(rules.look, board.squares(), plain=False), f"{side} to move"]


def minimax_leaves(fen: str, depth: int, game: str = "chess") -> int:
    """About how many leaves plain minimax visits: counted for few plies, and beyond them growing as
    at the last of these. Raises PositionError."""
    counts = [perft(fen, plies, game=game) for plies in range(min(depth, _COUNTED) + 1)]
    growth = counts[-1] / max(counts[-2], 1) if depth > 0 else 1.0
    return round(counts[-1] * growth ** (depth - len(counts) + 1))


def total(counts: Iterable[int | None]) -> int | None:
    """The sum, or None if one of them is not known."""
    known = list(counts)
    return None if None in known else sum(count for count in known if count is not None)


def guess_source(variant: Variant, place: int, given: str | None) -> str | None:
    """Where the first guess of the iteration at ``place`` (0 is depth 1) came from; ``given``: what
    is said of one that the engine did not make."""
    name = variant.parameters.get("guess")
    if name is None:
        return None
    back = {"previous": 1, "parity": 2}.get(str(name))
    if given is not None:
        source = given
    elif back is None:
        source = f"guess={name}: {GUESSES[str(name)]}"
    elif place == 0:
        source = "the static value"
    else:
        source = f"value of depth {max(place + 1 - back, 1)}"
    below = variant.parameters.get("below")
    return f"{source}; the first window is {below} lower, by `below`" if below else source


def _search(
    query: TraceQuery,
    variant: Variant,
    first_guess: int | None,
    tree: type[Tree[Any]] | None = None,
) -> SearchResult:
    """``tree``: one that records; then and for trees made by hand the reference searches."""
    searcher: Searcher
    if query.by_reference:
        from engines.reference import ReferenceSearcher

        searcher = ReferenceSearcher(variant if query.tree is None else on_tree(variant), tree)
    else:
        searcher = make_searcher(variant)
    if query.tree is not None and first_guess is None:
        first_guess = 0
    searcher.set_position(query.fen if query.tree is None else str(query.tree))
    limit = SearchLimit(depth=query.depth)
    result = searcher.search(limit, exact=True, first_guess=first_guess, expansions=True)
    if not result.iterations:
        raise EngineFailure(f"there is no legal move in `{query.fen}`")
    return result


def _plain_value(query: TraceQuery) -> int:
    """The value by plain minimax."""
    if query.tree is not None:
        return query.tree.minimax(query.tree.root, is_max=True)
    return plain_value(query.variant, query.fen, query.depth)


def _value_of_move(query: TraceQuery, variant: Variant, last: Iteration) -> int | None:
    """The exact value of the move of a driver that proves one."""
    if not proves_move(variant):
        return None
    if query.tree is not None:
        return query.tree.value_of(last.move)
    pvs = open_window(variant)
    (value,) = move_values(make_searcher(pvs), pvs, query.fen, [last])
    return value


def _iteration_rows(
    query: TraceQuery, variant: Variant, iterations: Sequence[Iteration]
) -> list[TraceIterationRow]:
    given = "given" if query.first_guess is not None else None
    if query.tree is not None:
        given = given or "always 0 on a tree made by hand"
    return [
        TraceIterationRow(
            **{name: getattr(one, name) for name in IterationCounts.__struct_fields__},
            nodes=one.nodes,
            best=one.move,
            guess_source=guess_source(variant, place, given),
            passes=len(one.passes),
            expanded=total(each.expanded for each in one.passes),
            re_expanded=total(each.re_expanded for each in one.passes),
            pv=list(one.pv),
        )
        for place, one in enumerate(iterations)
    ]


def _recorded(query: TraceQuery, variant: Variant) -> tuple[SearchResult, RecordedTree]:
    """A search by the reference, and the visits of its last iteration."""
    from engines.reference.drivers.catalog import TREES
    from engines.reference.recording import Recorder

    recorder = Recorder() if query.record else Recorder(query.plies, most=sys.maxsize)
    tree = recorder.tree_of(TREES[variant.driver])
    return _search(query, variant, _guess(query, variant), tree), recorder.found


def _guess(query: TraceQuery, variant: Variant) -> int | None:
    """What replaces the first guesses of an engine that uses some."""
    return query.first_guess if "guess" in DRIVERS[variant.driver].parameters else None


def _top_of_tree(recorded: RecordedTree, last: Iteration, plies: int) -> TraceTree:
    """The first plies of the passes of the last iteration."""
    visits, nodes = recorded.visits, recorded.nodes_of_subtrees()
    rows, lines = list[TraceTreeRow](), list[list[str]]()
    number = 0
    for row, (above, move) in enumerate(zip(visits.parent, visits.move, strict=True)):
        number += above < 0
        name = [] if move < 0 else [recorded.moves[move]]
        lines.append([*(lines[above] if above >= 0 else []), *name])
        code = REASONS[visits.reason[row]].code
        if len(lines[row]) <= plies and code != ONE_MOVE:
            rows.append(
                TraceTreeRow(
                    pass_number=number,
                    ply=len(lines[row]),
                    line=lines[row],
                    alpha=visits.alpha[row],
                    beta=visits.beta[row],
                    value=visits.value[row],
                    cut=_CUTS.get(code),
                    nodes=nodes[row],
                    again=bool(visits.again[row]),
                )
            )
    return TraceTree(
        depth=last.depth,
        passes=len(last.passes),
        expanded=[one.expanded or 0 for one in last.passes],
        re_expanded=[one.re_expanded or 0 for one in last.passes],
        rows=rows,
    )


_CUTS = {**dict.fromkeys(BY_TABLE, "table"), UPPER_MET: "table", FAIL_HIGH: "beta"}
