"""On synthetic trees built so that a claim is false its experiment says so, and on trees built so
that it is true it says that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from synthetic import AS_PLANNED, ROOTS, MakeGame, Searching, TreeGame, drawn, measured

from claims.catalogue import CLAIMS
from claims.claim import ClaimVerdict, judge
from claims.critical_table import TABLE_SIZES
from claims.fewer_leaves import DRIVERS, DRIVERS_COARSE
from claims.fewest_nodes import EVEN, ODD, TRIED
from claims.fine_grain import GRAINS
from claims.guess_distance import GUESS_DISTANCE
from claims.separate_guesses import GUESSES
from claims.swings import SWINGS
from engines.spec import Variant
from engines.variant import make_variant

Path = tuple[int, ...]


def verdicts(number: int, evidence: dict[str, Any]) -> dict[str, ClaimVerdict]:
    findings, _ = judge(CLAIMS[number], evidence)
    return {one.part: one.verdict for one in findings}


def noisy(root: int, span: int, width: int = 3) -> TreeGame:
    """Leaves of random values."""
    return TreeGame(lambda path: drawn(root, path, span), width)


def by_depth(root: int, values: Sequence[int], width: int = 3, span: int = 2) -> TreeGame:
    """A tree whose value at depth d is about the d-th of ``values`` for the side at the root."""

    def value(path: Path) -> int:
        seen = values[max(len(path), 1) - 1] + drawn(root, path, span)
        return seen if len(path) % 2 == 0 else -seen

    return TreeGame(value, width)


def grained(root: int, grain: int, span: int = 60) -> TreeGame:
    """Leaves of random values on a grain."""
    return TreeGame(lambda path: round(drawn(root, path, span) / grain) * grain, 4)


def number(variant: Variant, name: str) -> int:
    return int(variant.parameters[name])


@pytest.fixture(scope="module")
def guesses_on_noise() -> dict[str, Any]:
    return measured(GUESS_DISTANCE, lambda _, root: noisy(root, 60), 4)


@pytest.fixture(scope="module")
def guesses_on_equal_leaves() -> dict[str, Any]:
    """Any guess finds the value in its first pass and confirms it in the second."""
    return measured(GUESS_DISTANCE, lambda _, root: noisy(root, 0), 4, roots=40)


def test_1_two_passes_at_the_value(guesses_on_noise: dict[str, Any]) -> None:
    found, _ = judge(CLAIMS[1], measured(GUESS_DISTANCE, lambda _, root: noisy(root, 60), 3, 40))
    assert {one.part: one.verdict for one in found} == dict.fromkeys(
        ("at-value", "above-value", "fewer"), "holds"
    )
    # With twelve positions nothing of the kind can be shown.
    assert set(verdicts(1, guesses_on_noise).values()) == {"undecided"}


def test_1_is_false_if_the_guess_is_another_value() -> None:
    searching = Searching(guess_error=100)
    evidence = measured(GUESS_DISTANCE, lambda _, root: noisy(root, 600), 3, 40, searching)
    assert verdicts(1, evidence)["at-value"] == "does not hold"
    assert verdicts(1, evidence)["above-value"] == "does not hold"


def test_1_is_false_for_a_search_of_one_pass() -> None:
    searching = Searching(instead=lambda variant: make_variant("alphabeta", {}))
    evidence = measured(GUESS_DISTANCE, lambda _, root: noisy(root, 60), 3, 40, searching)
    assert verdicts(1, evidence)["fewer"] == "does not hold"


def test_2_holds_on_noise_and_not_on_equal_leaves(
    guesses_on_noise: dict[str, Any], guesses_on_equal_leaves: dict[str, Any]
) -> None:
    true = verdicts(2, guesses_on_noise)
    assert (true["far-below"], true["far-above"]) == ("holds", "holds")
    equal = verdicts(2, guesses_on_equal_leaves)
    assert (equal.pop("most-below"), equal.pop("most-above")) == ("holds", "holds")
    assert set(equal.values()) == {"does not hold"}
    # More than was claimed is not what was claimed.
    far = measured(GUESS_DISTANCE, lambda _, root: noisy(root, 20, width=6), 4)
    found = verdicts(2, far)
    assert (found["most-below"], found["most-above"]) == ("does not hold", "does not hold")


def drivers(
    make: MakeGame, depth: int, searching: Searching = AS_PLANNED, roots: int = ROOTS
) -> dict[str, Any]:
    """The same trees for both grains."""
    return {
        name: one
        for experiment in (DRIVERS, DRIVERS_COARSE)
        for name, one in measured(experiment, make, depth, roots, searching).items()
    }


def test_3_and_4_with_coarse_and_fine_values() -> None:
    coarse = drivers(lambda _, root: noisy(root, 1, width=6), 4)
    found = verdicts(3, coarse)
    for grain in (1, 10):
        assert found[f"fewest-passes-{grain}"] == "does not hold"
        assert found[f"most-passes-{grain}"] == "holds"
    assert verdicts(4, coarse)["sss-passes"] == "does not hold"
    assert verdicts(4, coarse)["dual-passes"] == "does not hold"
    # Every leaf has another value, and depth 2 has hardly anything to cut.
    fine = drivers(lambda _, root: noisy(root, 20_000, width=60), 2, roots=18)
    found = verdicts(3, fine)
    for grain in (1, 10):
        for key in ("leaves", "nodes", "most-passes"):
            assert found[f"{key}-{grain}"] == "does not hold"
        assert found[f"fewest-passes-{grain}"] == "holds"
    assert verdicts(4, fine)["sss-passes"] == "holds"
    assert verdicts(4, fine)["sss-nodes"] == "holds"
    assert verdicts(4, fine)["leaves"] == "does not hold"


def test_3_and_4_are_false_without_a_table() -> None:
    """Every pass searches the whole tree again."""
    evidence = drivers(lambda _, root: noisy(root, 300, width=4), 3, Searching(table=False))
    found = verdicts(3, evidence)
    for grain in (1, 10):
        assert found[f"leaves-{grain}"] == found[f"nodes-{grain}"] == "does not hold"
    assert verdicts(4, evidence)["leaves"] == "does not hold"


def test_4_nodes_are_not_lost_where_one_pass_is_enough() -> None:
    searching = Searching(instead=lambda variant: make_variant("mtdf", {}))
    evidence = measured(DRIVERS, lambda _, root: noisy(root, 1), 4, searching=searching)
    # All engines are the same one, so none loses against another.
    assert verdicts(4, evidence)["sss-nodes"] != "holds"
    assert verdicts(4, evidence)["leaves"] == "holds"


def test_5_on_trees_that_fit_a_table_and_on_one_that_does_not() -> None:
    fits = verdicts(5, measured(TABLE_SIZES, lambda _, root: noisy(root, 60), 2))
    assert fits["large"] == "does not hold"  # no table makes SSS* the better one
    assert fits["level"] == "holds"
    searching = Searching(smaller=256)
    many = measured(TABLE_SIZES, lambda _, root: noisy(root, 600, width=4), 4, searching=searching)
    found = verdicts(5, many)
    assert found["small"] == "holds"
    assert found["level"] == "does not hold"  # the greatest table is still too small
    assert found["mtdf-small"] == "does not hold"


def exchanged(one: str, other: str, smaller: int = 1) -> Searching:
    """Two drivers search under each other's name, with the tables that were asked for."""
    names = {one: other, other: one}

    def instead(variant: Variant) -> Variant:
        if variant.driver not in names:
            return variant
        entries = variant.parameters["entries"]
        return make_variant(names[variant.driver], {"entries": entries} if entries else {})

    return Searching(instead, smaller=smaller)


def test_4_and_5_are_false_if_drivers_are_swapped() -> None:
    for searching, verdict in (
        (AS_PLANNED, "holds"),
        (exchanged("dual", "pvs"), "does not hold"),
    ):
        fine = measured(DRIVERS, lambda _, root: noisy(root, 20_000, 4), 3, searching=searching)
        assert verdicts(4, fine)["dual-nodes"] == verdict
    searching = exchanged("sss", "alphabeta", smaller=64)
    many = measured(TABLE_SIZES, lambda _, root: noisy(root, 600, width=6), 3, searching=searching)
    assert verdicts(5, many)["small"] == "does not hold"


@pytest.mark.parametrize(
    ("values", "swing", "expected"),
    [
        # Odd and even depths differ and go on doing so: the same parity is the better guess.
        ((0, 40, 0, 40, 0), lambda swing: swing, "holds"),
        # They seemed to differ, but the values stay what the last one was.
        ((0, 40, 0, 0, 0), lambda swing: 0, "does not hold"),
    ],
)
def test_6(values: Sequence[int], swing: Callable[[int], int], expected: ClaimVerdict) -> None:
    evidence = measured(GUESSES, lambda _, root: by_depth(root, values), 5)

    def alternating(variant: Variant, root: int) -> TreeGame:
        by = swing(number(variant, "swing"))
        drift = 0 if by else 40
        return by_depth(root, [drift * depth + by * (depth % 2) for depth in range(1, 6)])

    evidence |= measured(SWINGS[1], alternating, 5)
    assert verdicts(6, evidence) == {"passes": expected, "swung": expected}


def test_7_grain_costs_passes_only_where_values_are_fine() -> None:
    fine = measured(GRAINS, lambda variant, root: grained(root, number(variant, "grain")), 4)
    assert verdicts(7, fine) == {"passes": "holds"}
    always_coarse = measured(GRAINS, lambda _, root: grained(root, 100, span=300), 4)
    assert verdicts(7, always_coarse) == {"passes": "does not hold"}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({}, "holds"),
        # MTD(f) under the name of aspiration search, and the reverse.
        ({"mtdf": "pvs", "pvs": "mtdf"}, "does not hold"),
    ],
)
def test_8(names: dict[str, str], expected: ClaimVerdict) -> None:
    def swapped(variant: Variant) -> Variant:
        if variant.driver not in names:
            return variant
        one_guess = {"guess": "previous", "convergence": "plaat"}
        own = {"window": 100} if variant.driver == "mtdf" else one_guess
        return make_variant(names[variant.driver], own)

    def swung(variant: Variant, root: int) -> TreeGame:
        swing = max(0, number(variant, "swing") - 10) * 4 // 3
        return by_depth(root, [swing * (depth % 2) for depth in range(1, 5)], span=60)

    evidence = {}
    for experiment in SWINGS.values():
        evidence |= measured(experiment, swung, 4, searching=Searching(swapped))
    assert verdicts(8, evidence) == {"grain-1": expected, "grain-10": expected}


def test_9_a_null_window_saves_where_there_is_something_to_cut(
    guesses_on_noise: dict[str, Any], guesses_on_equal_leaves: dict[str, Any]
) -> None:
    true = verdicts(9, guesses_on_noise)
    assert (true["below"], true["above"]) == ("holds", "holds")
    told = verdicts(9, guesses_on_equal_leaves)
    assert (told["told-below"], told["told-above"]) == ("does not hold", "does not hold")
    one_move = measured(GUESS_DISTANCE, lambda _, root: noisy(root, 60, width=1), 4)
    found = verdicts(9, one_move)
    assert (found["below"], found["above"]) == ("does not hold", "does not hold")


def few(searching: Searching) -> dict[str, Any]:
    def make(_: Variant, root: int) -> TreeGame:
        return noisy(root, 3000)

    found = measured(TRIED, make, 5, 3, searching)  # shown, not judged
    for experiment in (EVEN, ODD):
        found |= measured(experiment, make, 5, 40, searching)
    return found


def test_18_on_wild_trees_with_a_table_and_without() -> None:
    true = verdicts(18, few(AS_PLANNED))
    assert (true["odd-few"], true["odd-fewer"]) == ("holds", "holds")
    false = verdicts(18, few(Searching(table=False)))
    assert false == dict.fromkeys(true, "does not hold")
