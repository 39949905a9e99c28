"""The three published forms of MTD(f) make the same passes, and contradicting bounds end an
iteration."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.choices import CONVERGENCES
from engines.native import NativeSearcher
from engines.reference.drivers.bounds import contradictions, crossings
from engines.reference.drivers.convergence import Convergence
from engines.reference.drivers.hybrid import hybrid
from engines.reference.drivers.mtdf import mtdf
from engines.spec import Pass, SearchLimit
from engines.variant import parse_variant

Search = Callable[[int, int], int]
INFINITE = 10**6
VALUES = st.integers(-3_000, 3_000)


def pascal(search: Search, f: int) -> int:
    """Plaat's Pascal: repeat ... until."""
    g, upperbound, lowerbound = f, INFINITE, -INFINITE
    while True:
        beta = g + 1 if g == lowerbound else g
        g = search(beta - 1, beta)
        if g < beta:
            upperbound = g
        else:
            lowerbound = g
        if lowerbound >= upperbound:
            return g


def c(search: Search, f: int) -> int:
    """The C form: ``bound[f < beta] = f``."""
    bound = [-INFINITE, INFINITE]
    while True:
        beta = f + (f == bound[0])
        f = search(beta - 1, beta)
        bound[f < beta] = f
        if not bound[0] < bound[1]:
            return f


def loop(search: Search, f: int) -> int:
    """The form with ``while`` and ``beta = max(g, lower + 1)``."""
    g, lower, upper = f, -INFINITE, INFINITE
    while lower < upper:
        beta = max(g, lower + 1)
        g = search(beta - 1, beta)
        if g < beta:
            upper = g
        else:
            lower = g
    return g


def recorded(driver: Callable[[Search, int], int], truth: int, guess: int, slack: int) -> list[int]:
    """The betas that a driver asks of a consistent fail-soft search, and the value at last."""
    betas: list[int] = []

    def search(alpha: int, beta: int) -> int:
        betas.append(beta)
        return max(beta, truth - slack) if truth >= beta else min(alpha, truth + slack)

    return [*betas, driver(search, guess)]


@given(VALUES, st.integers(-60, 60), st.integers(0, 90))
def test_published_forms_make_the_same_passes(truth: int, miss: int, slack: int) -> None:
    ours = recorded(mtdf, truth, truth + miss, slack)
    assert ours[-1] == truth
    for form in (pascal, c, loop):
        assert recorded(form, truth, truth + miss, slack) == ours


def contradicting(alpha: int, beta: int) -> int:
    """It fails high with 5, and at 6 low with 3."""
    return 5 if beta <= 5 else 3


@pytest.mark.parametrize("convergence", CONVERGENCES)
def test_crossing_ends_the_iteration_and_is_counted(convergence: str) -> None:
    passes: list[Pass] = []

    def search(alpha: int, beta: int) -> int:
        passes.append(Pass(alpha, beta, contradicting(alpha, beta), 1))
        assert len(passes) < 100
        return passes[-1].value

    assert mtdf(search, 0, Convergence(convergence, step=1)) == 3
    assert crossings(passes) == 1
    passes.clear()
    assert hybrid(search, 0, Convergence(convergence, step=1), 9) == 3
    assert crossings(passes) == 1


def test_unhandled_crossing_never_ends() -> None:
    """The mutant that the test above is there for: it waits until the bounds are equal."""

    def waits(search: Search, f: int, *, at_most: int = 1_000) -> int:
        g, lower, upper = f, -INFINITE, INFINITE
        for passes in itertools.count():
            if lower == upper or passes == at_most:
                return passes
            beta = g + 1 if g == lower else g
            g = search(beta - 1, beta)
            lower, upper = (lower, g) if g < beta else (g, upper)
        raise AssertionError

    assert waits(lambda alpha, beta: min(alpha, 5) if beta > 5 else 5, 0) == 2
    assert waits(contradicting, 0) == 1_000


def test_crossings_are_counted_per_move() -> None:
    def one(alpha: int, beta: int, value: int, move: str | None = None) -> Pass:
        return Pass(alpha, beta, value, 1, move)

    assert crossings([one(9, 10, 12), one(19, 20, 15), one(12, 15, 13)]) == 0
    assert crossings([one(9, 10, 12), one(12, 13, 12)]) == 0
    assert crossings([one(9, 10, 12), one(12, 13, 11)]) == 1
    assert crossings([one(-25, 25, -30), one(-100, 25, -29)]) == 1
    assert contradictions([one(9, 10, 12), one(12, 13, 8), one(7, 8, 9)]) == [4, 1]
    moves = [one(9, 10, 12, "a"), one(12, 13, 3, "b"), one(1, 2, 4, "b"), one(5, 9, 8, "a")]
    assert crossings(moves) == 2


def contradicts(one: Pass, earlier: Sequence[Pass]) -> bool:
    """Whether a pass denies what the last pass before it that says the opposite has said."""
    same = [each for each in reversed(earlier) if each.move == one.move]
    upper = next((each.value for each in same if each.value < each.beta), INFINITE)
    lower = next((each.value for each in same if each.value > each.alpha), -INFINITE)
    return (one.value > one.alpha and one.value > upper) or (
        one.value < one.beta and one.value < lower
    )


@pytest.mark.native
@pytest.mark.parametrize(
    "driver",
    [
        "mtdf:guess=parity,convergence=step,tolerance=0,best_move_stop=off",
        "pvs:window=5,best_move_stop=off",
        "bns:grain=1",
    ],
)
def test_core_counts_each_contradiction_of_its_passes(
    core: Any, book_fens: list[str], driver: str
) -> None:
    upwards = downwards = 0
    player = NativeSearcher(core, parse_variant(f"{driver},eval=pst,hash=1"))
    for fen in book_fens[::40]:
        player.new_game()
        player.set_position(fen)
        for iteration in player.search(SearchLimit(nodes=20_000)).iterations:
            passes = iteration.passes
            crossed = [one for place, one in enumerate(passes) if contradicts(one, passes[:place])]
            assert iteration.crossings == len(crossed), (fen, passes)
            upwards += sum(one.value > one.alpha for one in crossed)
            downwards += sum(one.value < one.beta for one in crossed)
    assert upwards > 0 and downwards > 0
