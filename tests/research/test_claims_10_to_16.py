"""On synthetic trees built so that one of claims 10 to 16 is false its experiment says so, and on
trees built so that it is true it says that."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from scipy.stats import binomtest
from synthetic import Searching, TreeGame, drawn, measured

from claims.best_node_search import BEST_NODE
from claims.catalogue import CLAIMS
from claims.claim import ClaimVerdict, judge, verdict_on
from claims.engines import MTDF, OPEN
from claims.failing_costs import DISTANCES, FAILING, _above, _below
from claims.instability import INSTABILITY, _changes, _crossings
from claims.measured import figure_of_gain
from claims.sss_as_alphabeta import CLAIM, compared, weigh_trees
from claims.storing import SELECTIVE
from claims.table_dependence import TABLE
from claims.two_bounds import BOUNDS
from engines.spec import Pass, Variant
from engines.variant import make_variant
from toolkit.lab.plan import SHIFT, listed_name

MANY = 90
"""Roots: enough to show that something is rare."""


def verdicts(number: int, evidence: dict[str, Any]) -> dict[str, ClaimVerdict]:
    findings, _ = judge(CLAIMS[number], evidence)
    return {one.part: one.verdict for one in findings}


def noisy(root: int, span: int, width: int | Sequence[int] = 3) -> TreeGame:
    """Leaves of random values."""
    return TreeGame(lambda path: drawn(root, path, span), width)


def has_table(variant: Variant) -> bool:
    return bool(variant.parameters["hash"]) or bool(variant.parameters["entries"])


class Meeting(TreeGame):
    """Of the moves of each side only the parity of their sum counts, and of all moves the first."""

    def __init__(self, root: int, span: int, width: int) -> None:
        super().__init__(lambda path: drawn(root, self.state(path), span), width)

    def key(self) -> Hashable:
        return self.state(tuple(self._path))

    @staticmethod
    def state(path: tuple[int, ...]) -> tuple[int, ...]:
        return (len(path), *path[:1], sum(path[::2]) % 2, sum(path[1::2]) % 2)


def test_10_holds_where_passes_are_many() -> None:
    searching = Searching(smaller=64)
    evidence = measured(TABLE, lambda _, root: noisy(root, 30_000, 4), 5, 30, searching)
    found = verdicts(10, evidence)
    assert (found["off"], found["off-more"], found["small-more"]) == ("holds",) * 3


def test_10_more_memory_gains_where_all_tables_are_full() -> None:
    searching = Searching(smaller=1024)
    evidence = measured(TABLE, lambda _, root: noisy(root, 30_000), 4, searching=searching)
    assert verdicts(10, evidence)["level"] == "does not hold"


def test_10_is_false_where_two_passes_find_the_value() -> None:
    found = verdicts(10, measured(TABLE, lambda _, root: noisy(root, 0, 3), 4))
    assert found == dict.fromkeys(("off", "off-more", "small-more"), "does not hold") | {
        "level": "holds"
    }


def test_11_holds_with_a_table_that_keeps_everything_only() -> None:
    def told(entries: int, trees: int) -> dict[str, ClaimVerdict]:
        figures = weigh_trees([compared(seed, entries) for seed in range(trees)]).figures
        return {part.key: verdict_on(part, figures[part.key]) for part in CLAIM.parts}

    # So many show that two searches differ in less than one tree of a hundred.
    assert told(2**61 - 1, 400) == dict.fromkeys(("leaves", "value", "storage"), "holds")
    assert told(4, 60)["leaves"] == "does not hold"


def test_11_is_false_for_another_value_and_without_repeated_searches() -> None:
    trees = [
        replace(one, stored_value=one.value + 1, bare=len(one.leaves))
        for one in map(compared, range(20))
    ]
    figures = weigh_trees(trees).figures
    wrong = {part.key: verdict_on(part, figures[part.key]) for part in CLAIM.parts}
    assert (wrong["value"], wrong["storage"]) == ("does not hold", "does not hold")


def test_12_costs_where_the_other_bound_is_needed_again() -> None:
    def forgetful(variant: Variant) -> Variant:
        is_mtdf = variant.driver == "mtdf" and variant.parameters["bounds"] == "one"
        return make_variant("mtdf", {"convergence": "plaat", "hash": 0}) if is_mtdf else variant

    true = measured(BOUNDS, lambda _, root: noisy(root, 60), 4, searching=Searching(forgetful))
    assert verdicts(12, true) == {"mtdf": "holds", "more": "holds"}
    # As published MTD(f) comes from one side, so the bound of the other one is never needed again.
    false = measured(BOUNDS, lambda _, root: noisy(root, 60), 5)
    assert verdicts(12, false) == {"mtdf": "does not hold", "more": "does not hold"}


def test_13() -> None:
    """Where all values are equal two passes find the value, and Best Node Search has to look at
    each move until its interval is closed. As if MTD(best) were called Best Node Search it is the
    cheaper one where values are fine."""
    equal = verdicts(13, measured(BEST_NODE, lambda _, root: noisy(root, 0), 3))
    assert equal.pop("mtdf-bare-most") == "holds"
    assert set(equal.values()) == {"does not hold"}
    names = {"bns": "mtd-best", "mtd-best": "bns"}

    def swapped(variant: Variant) -> Variant:
        driver = names.get(variant.driver, variant.driver)
        return make_variant(driver, {"hash": variant.parameters["hash"]})

    fine = measured(
        BEST_NODE, lambda _, root: noisy(root, 30_000), 3, 30, searching=Searching(swapped)
    )
    found = verdicts(13, fine)
    assert found.pop("mtdf-bare-most") == "does not hold"  # by far more than 10 %
    assert set(found.values()) == {"holds"}


@pytest.mark.parametrize(
    ("widths", "expected"),
    [
        # A pass that fails low searches all own moves, one that fails high all of the other side.
        ((8, 1), {"low": "holds", "high": "does not hold"}),
        ((1, 8), {"low": "does not hold", "high": "holds"}),
        ((1, 1), {"low": "does not hold", "high": "does not hold"}),
    ],
)
def test_14(widths: Sequence[int], expected: dict[str, ClaimVerdict]) -> None:
    evidence = {}
    for parity, depth in (("odd", 5), ("even", 4)):
        evidence |= measured(FAILING[parity], lambda _, root: noisy(root, 2, widths), depth)
    found = verdicts(14, evidence)
    assert {side: found[f"odd-{side}"] for side in expected} == expected
    assert {side: found[f"even-{side}"] for side in expected} == expected
    assert found["thirty"] == ("holds" if widths == (8, 1) else "does not hold")


@pytest.mark.parametrize(
    ("noise", "names", "expected"),
    [
        (60, {}, "holds"),
        # MTD(f) under the name of PVS, and the reverse.
        (60, {"mtdf": "pvs", "pvs": "mtdf"}, "does not hold"),
        # Nothing ever differs: forty positions do not show that it is rare.
        (0, {}, "undecided"),
    ],
)
def test_15_counts_values_that_differ_each_time(
    noise: int, names: dict[str, str], expected: ClaimVerdict
) -> None:
    def unstable(_: Variant, root: int) -> TreeGame:
        calls = count()
        return TreeGame(lambda path: drawn(root, path, 60) + drawn(next(calls), (), noise), 3)

    def swapped(variant: Variant) -> Variant:
        if variant.driver not in names:
            return variant
        own = {"window": 25} if variant.driver == "mtdf" else {"convergence": "plaat"}
        return make_variant(names[variant.driver], own)

    evidence = measured(INSTABILITY, unstable, 4, 40, Searching(swapped))
    assert verdicts(15, evidence) == {"crossings": expected, "changes": expected}


def test_16_holds_with_transpositions() -> None:
    def meeting(_: Variant, root: int) -> TreeGame:
        return Meeting(root, 30_000, 6)

    evidence = measured(TABLE, meeting, 5, MANY) | measured(SELECTIVE, meeting, 5, MANY)
    assert set(verdicts(16, evidence).values()) == {"holds"}


def test_16_is_false_without_transpositions_and_with_a_wrong_table() -> None:
    exact = measured(TABLE, lambda _, root: noisy(root, 300), 3, 40)
    selective = measured(
        SELECTIVE, lambda one, root: noisy(root + 100 * has_table(one), 300), 3, 40
    )
    assert set(verdicts(16, exact | selective).values()) == {"does not hold"}


def test_14_compares_windows_as_far_above_the_value_as_below() -> None:
    evidence = measured(FAILING["odd"], lambda _, root: noisy(root, 60), 5)
    found = evidence[FAILING["odd"].name]
    for distance in DISTANCES:
        for side, fails in ((_above, "low"), (_below, "high")):
            name = listed_name(MTDF, SHIFT, str(side(distance)))
            for _, one, other in found.pairs(name, OPEN):
                value, first = other.iteration.value, one.iteration.passes[0]
                assert value == one.iteration.value
                away = first.alpha - value if fails == "low" else value - first.beta
                assert away == distance
                assert (first.value < first.beta) == (fails == "low")


def test_14_takes_the_mean_of_both_depths() -> None:
    evidence = {}
    for parity, depth in (("odd", 5), ("even", 4)):
        evidence |= measured(FAILING[parity], lambda _, root: noisy(root, 2, (4, 1)), depth)
    found = {one.part: one.estimate for one in judge(CLAIMS[14], evidence)[0]}
    odd, even, both = (found[key] for key in ("odd-low", "even-low", "thirty"))
    assert odd is not None and even is not None and odd > even > 1
    assert both == pytest.approx(math.sqrt(odd * even))


@pytest.mark.parametrize(("difference", "expected"), [(9, 0), (10, 1)])
def test_15_and_16_count_changes_of_ten_or_more(difference: int, expected: int) -> None:
    high = Pass(19, 20, 20, 1, 0)
    low = Pass(29, 30, 20 - difference, 1, 0)
    assert (_crossings([high, low]), _changes([high, low])) == (1, expected)
    assert (_crossings([high]), _changes([high])) == (0, 0)
    evidence = measured(
        SELECTIVE, lambda one, root: TreeGame(lambda path: difference * has_table(one), 2), 2
    )
    exact = measured(TABLE, lambda _, root: noisy(root, 300), 3)
    findings, _ = judge(CLAIMS[16], exact | evidence)
    figures = {one.part: one.estimate for one in findings}
    assert figures["values"] == expected


@pytest.mark.parametrize(("won", "lost", "n"), [(30, 10, 100), (0, 7, 40), (5, 5, 10)])
def test_gain_has_the_ends_of_two_exact_intervals(won: int, lost: int, n: int) -> None:
    """Bonferroni: each of 97.5 %, so that both hold together at 95 %."""
    gain, loss = (binomtest(hits, n).proportion_ci(0.975, method="exact") for hits in (won, lost))
    figure = figure_of_gain(won, lost, n)
    assert figure.estimate == pytest.approx((won - lost) / n)
    assert figure.low95 == pytest.approx(gain.low - loss.high)
    assert figure.high95 == pytest.approx(gain.high - loss.low)
    assert figure.low95 < figure.estimate < figure.high95
