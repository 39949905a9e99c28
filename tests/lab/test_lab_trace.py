"""A trace shows each pass as it was searched."""

from __future__ import annotations

from collections import Counter
from typing import Any

import chess
import pytest
from msgspec.structs import replace

from engines.backend import make_searcher
from engines.reference import ReferenceSearcher
from engines.registry import DRIVERS
from engines.spec import MATE, Pass, Searcher, SearchLimit, SearchResult, Variant
from engines.variant import parse_variant
from toolkit.base.errors import UsageError
from toolkit.lab import trace
from toolkit.lab.passes import pass_rows
from toolkit.lab.positions import find_position
from toolkit.lab.trace import TraceQuery, minimax_leaves, trace_search, watched

FEN = find_position("lab-50").fen
MATES = "7k/8/5K2/8/8/8/8/6R1 w - - 0 1"
"""Nodes without moves lie beside those that the table decides."""
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
TABLE = "entries=2^12,eval=pst"
MTDF = parse_variant(f"mtdf:{TABLE},convergence=plaat,below=0")
QUERY = TraceQuery(MTDF, FEN, 3)


@pytest.mark.parametrize("driver", DRIVERS)
def test_every_driver_can_be_traced_and_checked(driver: str) -> None:
    table, depth = ("", 2) if driver == "minimax" else ("entries=2^12,", 3)
    variant = parse_variant(f"{driver}:{table}eval=pst")
    report = trace_search(TraceQuery(variant, FEN, depth, check=True, plies=1))
    assert report.agrees and report.check_passed and report.checked == report.pvs_value
    assert report.proves == DRIVERS[driver].proves
    assert sum(row.nodes for row in report.passes) == report.nodes
    for iteration in report.iterations:
        rows = [row for row in report.passes if row.depth == iteration.depth]
        assert sum(row.probes for row in rows) == iteration.probes
        assert sum(row.hits for row in rows) == iteration.hits
        assert report.proves == "move" or rows[-1].best == iteration.best
    assert [row.depth for row in report.iterations] == [1, 2, 3][:depth]
    tree = report.tree
    assert tree is not None and len(tree.expanded) == tree.passes
    assert len(tree.re_expanded) == tree.passes
    moves = report.proves == "move"
    assert report.move_value == (report.pvs_value if moves else None)
    again = [row.re_expanded or 0 for row in report.passes if row.depth == depth]
    assert sum(again) == report.iterations[-1].re_expanded


def test_bound_above_the_value_of_its_move_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    report = trace_search(TraceQuery(parse_variant("bns:eval=pst"), FEN, 3))
    assert report.agrees
    monkeypatch.setattr(trace, "move_values", lambda *_: [report.pvs_value - 1])
    assert not trace_search(TraceQuery(parse_variant("bns:eval=pst"), FEN, 3)).agrees


@pytest.mark.parametrize("off", [-1, 1])
def test_value_other_than_that_of_pvs_is_an_error(
    monkeypatch: pytest.MonkeyPatch, off: int
) -> None:
    class Off:
        """PVS that finds another value at the end."""

        def __init__(self, searcher: Searcher) -> None:
            self.searcher = searcher

        def set_position(self, fen: str) -> None:
            self.searcher.set_position(fen)

        def search(self, limit: SearchLimit, **others: Any) -> SearchResult:
            result = self.searcher.search(limit, **others)
            return replace(result, value=result.value + off)

    def make(variant: Variant) -> Any:
        found = make_searcher(variant)
        return Off(found) if variant.driver == "pvs" else found

    truth = trace_search(QUERY)
    assert truth.agrees
    monkeypatch.setattr(trace, "make_searcher", make)
    report = trace_search(QUERY)
    assert not report.agrees
    assert (report.value, report.pvs_value) == (truth.value, truth.value + off)


def test_bounds_of_a_trace_never_open_again() -> None:
    """A pass may return a weaker bound than an earlier one: the better one stays. Bounds are those
    of the root, or of the one move that was searched."""
    searcher = make_searcher(MTDF)
    searcher.set_position(FEN)
    made = searcher.search(SearchLimit(depth=1), exact=True).iterations[-1]

    def bounds(*passes: Pass) -> list[tuple[int | None, int | None]]:
        rows = pass_rows(replace(made, passes=passes))
        return [(row.lower, row.upper) for row in rows]

    lows = (Pass(49, 50, 40, 1), Pass(29, 30, 20, 1), Pass(39, 40, 35, 1), Pass(24, 25, 20, 1))
    assert bounds(*lows) == [(None, 40), (None, 20), (None, 20), (None, 20)]
    highs = (Pass(-1, 0, 3, 1), Pass(9, 10, 12, 1), Pass(4, 5, 8, 1), Pass(-32001, 30, 12, 1))
    assert bounds(*highs) == [(3, None), (12, None), (12, None), (12, 12)]
    moves = (
        *(Pass(9, 10, 12, 1, "a2a3"), Pass(9, 10, 4, 1, "b2b3"), Pass(19, 20, 15, 1, "a2a3")),
        *(Pass(19, 20, 19, 1, "a2a3"), Pass(5, 6, 5, 1, "b2b3"), Pass(3, 4, 4, 1, "b2b3")),
    )
    assert bounds(*moves) == [(12, None), (None, 4), (12, 15), (12, 15), (None, 4), (4, 4)]


def test_bounds_close_on_the_value() -> None:
    report = trace_search(QUERY)
    last = [row for row in report.passes if row.depth == 3]
    assert [row.number for row in last] == list(range(1, len(last) + 1))
    width = float("inf")
    for row in last:
        assert row.alpha is not None and row.beta == row.alpha + 1
        assert row.fails == ("high" if row.value >= row.beta else "low")
        lower = -float("inf") if row.lower is None else row.lower
        upper = float("inf") if row.upper is None else row.upper
        assert lower <= report.value <= upper
        assert upper - lower < width or width == float("inf")
        width = upper - lower
    assert width == 0


def test_first_guess_may_be_given() -> None:
    value = trace_search(QUERY).value
    report = trace_search(replace(QUERY, first_guess=value))
    assert report.iterations[-1].passes == 2
    assert {row.first_guess for row in report.iterations} == {value}
    assert {row.guess_source for row in report.iterations} == {"given"}


def test_origin_of_a_guess() -> None:
    for name, sources in (
        ("parity", ["the static value", "value of depth 1", "value of depth 1"]),
        ("previous", ["the static value", "value of depth 1", "value of depth 2"]),
    ):
        report = trace_search(
            replace(QUERY, variant=parse_variant(f"mtdf:{TABLE},guess={name},below=0"))
        )
        assert [row.guess_source for row in report.iterations] == sources
        values = [row.value for row in report.iterations]
        guesses = [row.first_guess for row in report.iterations]
        assert guesses[1] == values[0]
        assert guesses[2] == values[0 if name == "parity" else 1]
    report = trace_search(replace(QUERY, variant=parse_variant(f"mtdf:{TABLE},guess=zero")))
    assert "always 0" in str(report.iterations[0].guess_source)
    report = trace_search(replace(QUERY, variant=parse_variant(f"mtdf:{TABLE},below=9")))
    for row in report.iterations:
        assert "9 lower, by `below`" in str(row.guess_source)
        first = next(one for one in report.passes if one.depth == row.depth)
        assert first.beta == row.first_guess - 9


def test_top_of_the_tree_is_consistent() -> None:
    report = trace_search(replace(QUERY, plies=2))
    tree = report.tree
    assert tree is not None and report.backend == "reference"
    # The passes and the tree are of one search.
    last = [row for row in report.passes if row.depth == tree.depth]
    assert len(last) == tree.passes
    for row in last:
        top = next(node for node in tree.rows if node.pass_number == row.number)
        for field in ("alpha", "beta", "value", "nodes"):
            assert getattr(top, field) == getattr(row, field)
    for number in range(1, tree.passes + 1):
        rows = [row for row in tree.rows if row.pass_number == number]
        root, *below = rows
        assert root.ply == 0 and root.again == (number > 1)
        assert not any(row.again and row.cut == "table" for row in rows)
        children = [row for row in below if row.ply == 1]
        assert root.nodes == 1 + sum(row.nodes for row in children)
        assert tree.re_expanded[number - 1] <= tree.expanded[number - 1]
    assert sum(tree.re_expanded) > 0


@pytest.mark.parametrize("fen", [FEN, MATES])
@pytest.mark.parametrize("driver", ["mtdf:guess=zero,", "sss:", "dual:"])
def test_cuts_of_a_whole_tree_equal_the_count(driver: str, fen: str) -> None:
    """The search counts every node that its table decided; the recorded tree must have as many in
    its inner nodes, and nothing below them."""
    variant = parse_variant(driver + TABLE)
    tree = trace_search(TraceQuery(variant, fen, 3, plies=3)).tree
    assert tree is not None
    searcher = ReferenceSearcher(variant)
    searcher.set_position(fen)
    counted = searcher.search(SearchLimit(depth=3), exact=True).iterations[-1]
    cut = [row for row in tree.rows if row.cut == "table"]
    assert len(cut) == counted.cutoffs > 0
    assert all(row.ply < 3 for row in cut)
    inner = {(row.pass_number, *row.line[:-1]) for row in tree.rows if row.ply}
    assert not inner & {(row.pass_number, *row.line) for row in cut}


@pytest.mark.parametrize("driver", ["mtdf:convergence=plaat,", "sss:", "hybrid:"])
def test_re_expansions_of_a_whole_tree_equal_the_count(driver: str) -> None:
    tree = trace_search(TraceQuery(parse_variant(driver + TABLE), FEN, 3, plies=3)).tree
    assert tree is not None and sum(tree.re_expanded) > 0
    again = Counter(row.pass_number for row in tree.rows if row.again)
    assert [again[number] for number in range(1, tree.passes + 1)] == tree.re_expanded


def test_passes_from_distant_guesses_re_expand_more() -> None:
    shares = []
    for first_guess in (trace_search(QUERY).value, -500):
        last = trace_search(replace(QUERY, first_guess=first_guess)).iterations[-1]
        assert last.expanded and last.re_expanded is not None
        shares.append(last.re_expanded / last.expanded)
    assert shares[0] < shares[1]


def test_a_page_has_one_search_only() -> None:
    """Its passes and nodes are those that it plays, also where the core has searched first."""
    query = TraceQuery(
        parse_variant("mtdf"), chess.STARTING_FEN, 3, check=True, beside=parse_variant("pvs")
    )
    report = trace_search(query)
    page = watched(query, report)
    assert page.beside is not None
    for one in (page, page.beside):
        played = one.recording
        assert played is not None
        passes = [row for row in one.passes if row.depth == 3]
        assert [row.nodes for row in passes] == [row.nodes for row in played.passes]
        assert one.iterations[-1].nodes == played.nodes == sum(row.nodes for row in passes)
    assert (page.value, page.checked, page.check_passed) == (report.value, report.checked, True)


def test_leaves_of_minimax() -> None:
    start = chess.STARTING_FEN
    assert [minimax_leaves(start, depth) for depth in range(4)] == [1, 20, 400, 8_902]
    assert minimax_leaves(start, 5) == round(8_902 * (8_902 / 400) ** 2)


def test_senseless_requests_are_refused() -> None:
    for query, said in (
        (replace(QUERY, depth=0), "--depth"),
        (replace(QUERY, plies=9), "--top"),
        (replace(QUERY, first_guess=MATE + 1), "--first-guess"),
        (replace(QUERY, first_guess=-MATE), "--first-guess"),
        (replace(QUERY, variant=parse_variant("pvs"), first_guess=0), "uses no first guess"),
    ):
        with pytest.raises(UsageError, match=said):
            trace_search(query)
