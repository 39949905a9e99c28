"""The cost of an exact search is that of all its iterations, and variants take turns."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
from msgspec.structs import replace

from engines.backend import make_searcher
from engines.spec import Iteration, Searcher, SearchLimit, SearchResult, Variant
from engines.variant import parse_variant
from toolkit.lab.measuring import Searchers, SearchTask, exact_effort, run_task

FEN = "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 1"
PLAIN = "entries=2^12,eval=pst"


def test_effort_covers_all_iterations_of_an_exact_search() -> None:
    variant = parse_variant(f"mtdf:{PLAIN}")
    effort = exact_effort(make_searcher(variant), FEN, 3)
    direct = make_searcher(variant)
    direct.set_position(FEN)
    result = direct.search(SearchLimit(depth=3), exact=True)
    assert effort.nodes == result.nodes > 0
    assert effort.interior + effort.leaves == result.nodes - effort.quiescence
    assert min(effort.interior, effort.leaves, effort.quiescence) > 0
    assert (effort.passes, effort.value) == (result.passes, result.value)
    assert [iteration.depth for iteration in result.iterations] == [1, 2, 3]


def test_each_iteration_has_the_time_since_the_one_before(
    toys: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread's clock does not begin at 0; an iteration on which it steps back took no time."""
    clock_ns = [5_000_000_000]
    monkeypatch.setattr("toolkit.lab.measuring.time.thread_time_ns", lambda: clock_ns[0])
    steps_us = [300, 4_000, -50, 70_000]
    real = make_searcher(parse_variant(f"mtdf:{PLAIN}"))
    real.set_position(FEN)
    made = real.search(SearchLimit(depth=len(steps_us)), exact=True)

    class Ticking(toys.CountingSearcher):
        def search(
            self,
            limit: SearchLimit,
            *,
            on_iteration: Callable[[Iteration], None] | None = None,
            **others: object,
        ) -> SearchResult:
            if limit.depth is None:
                return made  # to warm up
            assert limit.depth == len(steps_us) and on_iteration is not None
            for step, iteration in zip(steps_us, made.iterations, strict=True):
                clock_ns[0] += 1_000 * step
                on_iteration(iteration)
            clock_ns[0] += 9_999_000
            return replace(made, cpu_us=88_888)

    variant = parse_variant("mtdf")
    task = SearchTask(0, (variant,), FEN, len(steps_us), judge=parse_variant("pvs:window=0"))
    (effort,) = run_task(task, Searchers(Ticking))
    assert [one.cpu_us for one in effort.iterations] == [300, 4_000, 0, 70_000]
    assert effort.cpu_us == 88_888, "of the whole search, as the searcher tells it"
    assert [one.depth for one in effort.iterations] == [1, 2, 3, 4]


def test_used_searcher_costs_the_same() -> None:
    searchers = Searchers(make_searcher)
    variants = (parse_variant(f"mtdf:{PLAIN}"), parse_variant(f"pvs:{PLAIN}"))
    task = SearchTask(0, variants, FEN, 3, repeats=2)
    fresh = [exact_effort(make_searcher(variant), FEN, 3) for variant in variants]
    for _ in range(2):
        efforts = run_task(task, searchers)
        assert [effort.nodes for effort in efforts] == [effort.nodes for effort in fresh]
    assert len({effort.value for effort in efforts}) == 1


def test_variants_alternate_and_the_cheapest_search_counts(toys: ModuleType) -> None:
    order: list[str] = []
    costs = iter([30, 99, 10, 97, 20, 98] * 2)

    class Noting(toys.CountingSearcher):
        def __init__(self, variant: Variant) -> None:
            super().__init__(variant)
            self.label = variant.label

        def set_position(self, fen: str, moves: object = ()) -> None:
            order.append(self.label)
            self.searched = next(costs) - 1

    variants = (parse_variant("mtdf:name=a"), parse_variant("pvs:name=b"))
    searchers = Searchers(Noting)
    efforts = run_task(SearchTask(4, variants, FEN, 3, repeats=3), searchers)
    assert [effort.cpu_us for effort in efforts] == [10, 97]
    efforts = run_task(SearchTask(5, variants, FEN, 3, repeats=3), searchers)
    assert [effort.cpu_us for effort in efforts] == [97, 10]
    assert "".join(order) == "ababab" + "bababa"


def test_searcher_unused_for_longest_is_closed(toys: ModuleType) -> None:
    closed: list[str] = []

    class Closing(toys.CountingSearcher):
        def __init__(self, variant: Variant) -> None:
            super().__init__(variant)
            self.label = variant.label

        def close(self) -> None:
            closed.append(self.label)

    def searcher(name: str) -> Searcher:
        grain = "abc".index(name) + 1
        return searchers.of(parse_variant(f"mtdf:grain={grain},name={name}"))

    searchers = Searchers(Closing, kept=2)
    first = searcher("a")
    searcher("b")
    assert searcher("a") is first
    searcher("c")
    assert closed == ["b"]
    assert searcher("a") is first
