"""The figures of a comparison, against arithmetic by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from db.lab import LabPositionRecord, LabSearchRecord
from engines.variant import parse_variant
from toolkit.lab.plan import SHIFT, LabEngine, LabPlan
from toolkit.lab.summary import summarise

BASE = parse_variant("pvs:window=0")
OTHER = parse_variant("mtdf")


def plan_of(*engines: LabEngine, positions: int, depths: tuple[int, ...] = (1, 2)) -> LabPlan:
    """A plan of so many positions."""
    places = tuple(LabPositionRecord(n, f"p{n}", f"fen {n}") for n in range(positions))
    return LabPlan("compare", "some", "id", engines, places, depths)


def iteration(
    depth: int, leaves: int, passes: list[list[int]], value: int = 5, move_value: int | None = None
) -> list[Any]:
    """An iteration with as many interior nodes as leaves, half as many below, and 10 us a leaf."""
    return [depth, value, "e2e4", 0, leaves, leaves, leaves // 2, 9, 3, 1, 10 * leaves] + [
        move_value,
        passes,
    ]


def search(engine: int, position: int, *iterations: list[Any]) -> LabSearchRecord:
    """A stored search."""
    last = iterations[-1]
    return LabSearchRecord(engine, position, last[0], last[1], "e2e4", 0, 0, 0, 0, 0, iterations)


TWO = plan_of(LabEngine(BASE, 0), LabEngine(OTHER, 0), positions=2)
OPEN = [[-32001, 32001, 5, 250]]
SEARCHES = [
    search(0, 0, iteration(1, 10, OPEN), iteration(2, 100, OPEN)),
    search(0, 1, iteration(1, 10, OPEN), iteration(2, 100, OPEN)),
    search(
        *(1, 0, iteration(1, 20, [[4, 5, 5, 30], [5, 6, 5, 20]])),
        iteration(2, 200, [[4, 5, 5, 400], [5, 6, 5, 100]]),
    ),
    search(
        *(1, 1, iteration(1, 80, [[4, 5, 5, 100], [5, 6, 5, 100]])),
        iteration(2, 800, [[9, 10, 7, 1000], [6, 7, 5, 500], [4, 5, 5, 500]]),
    ),
]


def test_ratios_are_geometric_means_over_positions() -> None:
    rows = summarise(TWO, SEARCHES).rows
    assert [(row["engine"], row["depth"]) for row in rows] == [
        ("pvs:window=0", 1),
        ("mtdf", 1),
        ("pvs:window=0", 2),
        ("mtdf", 2),
    ]
    base, own = rows[2:]
    # Two and eight times as much: sqrt(2 * 8) = 4 times.
    for name in ("nodes", "leaves", "interior", "quiescence", "cpu"):
        assert base[name] == 1.0
        assert own[name] == pytest.approx(4.0)
        assert own[f"{name}_low95"] == pytest.approx(2.0)
        assert own[f"{name}_high95"] == pytest.approx(8.0)
    assert (own["worst"], own["worst_position"]) == (pytest.approx(8.0), "p1")
    assert own["p95"] == pytest.approx(2 + 0.95 * 6)
    # All iterations up to the depth: 2.5 * (10 + 100) nodes of the baseline on either position.
    assert base["nodes_mean"] == pytest.approx(275)
    assert own["nodes_mean"] == pytest.approx(math.sqrt(550 * 2200))


def test_passes_are_those_of_the_iteration_itself() -> None:
    own = summarise(TWO, SEARCHES).rows[3]
    assert (own["passes"], own["passes_most"]) == (2.5, 3)
    assert own["first_share"] == pytest.approx((400 / 500 + 1000 / 2000) / 2)
    assert (own["high_passes"], own["low_passes"]) == (1.0, 1.5)
    assert own["first_high"] == pytest.approx(400 / 250)
    assert own["first_low"] == pytest.approx(1000 / 250)
    assert own["later_high"] == pytest.approx(500 / 250)
    assert own["later_low"] == pytest.approx(math.sqrt((100 / 250) * (500 / 250)))


def test_values_that_differ_are_counted_and_named() -> None:
    wrong = search(1, 1, iteration(1, 80, OPEN), iteration(2, 800, OPEN, value=6))
    summary = summarise(TWO, [*SEARCHES[:3], wrong])
    assert not summary.values_agree and (summary.agree, summary.compared) == (3, 4)
    (one,) = summary.disagreements
    assert (one["engine"], one["position"], one["depth"]) == ("mtdf", "p1", 2)
    assert (one["value"], one["true_value"]) == (6, 5)
    assert summary.rows[3]["agree"] == 1
    assert summarise(TWO, SEARCHES).values_agree


def test_of_a_proven_move_the_value_of_the_move_counts() -> None:
    good = search(1, 0, iteration(1, 9, OPEN, 3, 5), iteration(2, 9, OPEN, 3, 5))
    bad = search(1, 1, iteration(1, 9, OPEN, 3, 5), iteration(2, 9, OPEN, 3, 4))
    summary = summarise(TWO, [*SEARCHES[:2], good, bad])
    assert [one["move_value"] for one in summary.disagreements] == [4]


def test_an_unfinished_run_compares_what_both_have_searched() -> None:
    summary = summarise(TWO, SEARCHES[1:])
    own = summary.rows[3]
    assert own["positions"] == 1 and own["nodes"] == pytest.approx(8.0)
    assert own["nodes_low95"] is None and own["nodes_high95"] is None
    empty = summarise(TWO, []).rows[1]
    assert empty["positions"] == 0 and empty["nodes"] is None and empty["passes"] is None


def test_given_first_guesses_are_measured_by_the_last_iteration_alone() -> None:
    shifted = LabEngine(OTHER, 0, SHIFT, "10")
    plan = plan_of(LabEngine(BASE, 0), shifted, positions=2, depths=(2,))
    base, own = summarise(plan, SEARCHES).rows
    assert base["nodes_mean"] == pytest.approx(250)
    assert own["nodes_mean"] == pytest.approx(math.sqrt(500 * 2000))


def test_no_quiescence_has_no_ratio() -> None:
    def quiet(record: LabSearchRecord) -> LabSearchRecord:
        return search(
            *(record.engine, record.position),
            *([*i[:6], 0, *i[7:]] for i in record.iterations),
        )

    row = summarise(TWO, map(quiet, SEARCHES)).rows[3]
    assert row["quiescence"] is None and row["nodes"] == pytest.approx(4.0)
