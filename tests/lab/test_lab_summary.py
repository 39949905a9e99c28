"""The figures of a comparison agree with arithmetic by hand."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean, stdev
from typing import Any

import pytest

from db.records.laboratory import LabPositionRecord, LabSearchRecord
from engines.variant import parse_variant
from toolkit.lab import cost
from toolkit.lab.plan import SHIFT, LabEngine, LabPlan
from toolkit.lab.summary import summarise

LEAST = cost.LEAST_POSITIONS
BASE = parse_variant("pvs:window=0")
OTHER = parse_variant("mtdf")


def plan_of(*engines: LabEngine, positions: int, depths: tuple[int, ...] = (1, 2)) -> LabPlan:
    """A plan of so many positions."""
    places = tuple(LabPositionRecord(n, f"p{n}", f"fen {n}") for n in range(positions))
    return LabPlan("compare", "some", "id", engines, places, depths)


def iteration(
    depth: int, leaves: int, passes: list[list[int]], value: int = 5, move_value: int | None = None
) -> dict[str, Any]:
    """An iteration with as many interior nodes as leaves, half as many below, and 10 us a leaf."""
    names = ("alpha", "beta", "value", "nodes")
    return {
        "depth": depth,
        "value": value,
        "move": "e2e4",
        "move_value": move_value,
        "first_guess": 0,
        "interior": leaves,
        "leaves": leaves,
        "quiescence": leaves // 2,
        "probes": 9,
        "hits": 3,
        "cutoffs": 1,
        "cpu_us": 10 * leaves,
        "wall_us": 10 * leaves,
        "passes": [dict(zip(names, one, strict=True)) for one in passes],
    }


def search(engine: int, position: int, *iterations: dict[str, Any]) -> LabSearchRecord:
    """A stored search."""
    last = iterations[-1]
    found = last["depth"], last["value"], last["move"]
    return LabSearchRecord(engine, position, *found, 0, 0, 0, 0, 0, iterations)


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


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals of few positions can be computed by hand."""
    monkeypatch.setattr(cost, "LEAST_POSITIONS", 2)


@pytest.mark.parametrize("positions", [LEAST - 1, LEAST])
def test_few_positions_give_no_interval(positions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "LEAST_POSITIONS", LEAST)
    plan = plan_of(LabEngine(BASE, 0), LabEngine(OTHER, 0), positions=positions, depths=(1,))
    searches = [
        search(number, place, iteration(1, 10 + number * place, OPEN))
        for number in (0, 1)
        for place in range(positions)
    ]
    row = summarise(plan, searches).rows[1]
    assert row.nodes is not None and row.positions == positions
    assert (row.nodes_low95 is None) == (row.cpu_high95 is None) == (positions < LEAST)


def test_ratios_are_geometric_means_over_positions() -> None:
    rows = summarise(TWO, SEARCHES).rows
    assert [(row.engine, row.depth) for row in rows] == [
        ("pvs:window=0", 1),
        ("mtdf", 1),
        ("pvs:window=0", 2),
        ("mtdf", 2),
    ]
    base, own = rows[2:]
    # Two and eight times as much: sqrt(2 * 8) = 4 times.
    for name in ("nodes", "leaves", "interior", "quiescence", "cpu"):
        assert getattr(base, name) == 1.0
        assert getattr(own, name) == pytest.approx(4.0)
    assert (own.worst, own.worst_position) == (pytest.approx(8.0), "p1")
    assert own.p95 == pytest.approx(2 + 0.95 * 6)
    # All iterations up to the depth: 2.5 * (10 + 100) nodes of the baseline on either position.
    assert base.nodes_mean == pytest.approx(275)
    assert own.nodes_mean == pytest.approx(math.sqrt(550 * 2200))


def proportional(
    costs: Sequence[int], factors: Sequence[float], passes: list[list[int]] = OPEN
) -> list[LabSearchRecord]:
    """Searches of one iteration: the baseline spends ``costs``, the other engine so many times as
    much."""
    return [
        search(engine, place, iteration(1, round(cost * (factor if engine else 1)), passes))
        for engine in (0, 1)
        for place, (cost, factor) in enumerate(zip(costs, factors, strict=True))
    ]


def test_interval_is_of_ratios_within_positions() -> None:
    """Costs of positions lie far apart, and the engine always spends three times as much: whoever
    draws positions for each engine apart has a wide interval."""
    costs = [10 * 3**place for place in range(8)]
    plan = plan_of(LabEngine(BASE, 0), LabEngine(OTHER, 0), positions=8, depths=(1,))
    own = summarise(plan, proportional(costs, [3.0] * 8)).rows[1]
    for name in ("nodes", "leaves", "interior", "cpu"):
        ends = [getattr(own, f"{name}{end}") for end in ("", "_low95", "_high95")]
        assert ends == [pytest.approx(3.0)] * 3
    assert (own.p95, own.worst) == (pytest.approx(3.0), pytest.approx(3.0))


def exact_bootstrap(values: Sequence[float]) -> Iterator[tuple[float, float]]:
    """By how many of its own standard deviations the mean of every resample lies above that of the
    values, with the chance of the resample: no drawing at all."""
    size = len(values)
    for drawn in itertools.combinations_with_replacement(range(size), size):
        ways = math.factorial(size)
        for times in Counter(drawn).values():
            ways //= math.factorial(times)
        resample = [values[place] for place in drawn]
        if len(set(drawn)) > 1:
            yield (fmean(resample) - fmean(values)) / stdev(resample), ways / size**size


@pytest.mark.parametrize("positions", [6, 7, 8])
def test_interval_has_the_ends_of_the_exact_bootstrap(positions: int) -> None:
    """With 2000 resamples an end misses its 2.5 % by 0.35 % (one sigma); with 200 it is 1.1 %."""
    factors = [(1.1, 1.9, 0.7, 3.1, 1.3, 0.4, 2.3, 5.3)[place] for place in range(positions)]
    plan = plan_of(LabEngine(BASE, 0), LabEngine(OTHER, 0), positions=positions, depths=(1,))
    costs = [1000 * (1 + place) for place in range(positions)]
    own = summarise(plan, proportional(costs, factors)).rows[1]
    low, high = own.leaves_low95, own.leaves_high95
    assert low is not None and high is not None
    logs = [math.log(factor) for factor in factors]
    mean, spread = math.fsum(logs) / positions, stdev(logs)
    drawn = list(exact_bootstrap(logs))
    every = math.fsum(chance for _, chance in drawn)
    # Counted in standard errors of its own, a resample lies as far from the mean as an end does.
    above = math.fsum(chance for t, chance in drawn if t > (mean - math.log(low)) / spread)
    below = math.fsum(chance for t, chance in drawn if t < (mean - math.log(high)) / spread)
    assert below / every == pytest.approx(0.025, abs=0.009)
    assert above / every == pytest.approx(0.025, abs=0.009)


def test_each_depth_is_measured_by_the_baseline_at_that_depth() -> None:
    depths = (1, 2, 3)
    plan = plan_of(LabEngine(BASE, 0), LabEngine(OTHER, 0), positions=2, depths=depths)
    base = [[10, 40, 200], [20, 90, 1000]]
    factors = [[2, 4, 8], [2, 16, 8]]
    searches = [
        search(
            *(engine, place),
            *(
                iteration(
                    depth, base[place][depth - 1] * (factors[place][depth - 1] ** engine), OPEN
                )
                for depth in depths
            ),
        )
        for engine in (0, 1)
        for place in (0, 1)
    ]
    rows = summarise(plan, searches).rows
    for depth in depths:
        ratios = []
        for place in (0, 1):
            spent = [base[place][d] * factors[place][d] for d in range(depth)]
            ratios.append(sum(spent) / sum(base[place][:depth]))
        own = next(row for row in rows if row.depth == depth and row.engine == "mtdf")
        for name in ("nodes", "leaves", "interior", "cpu"):
            assert getattr(own, name) == pytest.approx(math.sqrt(ratios[0] * ratios[1])), (
                depth,
                name,
            )
        assert own.worst == pytest.approx(max(ratios))


def test_positions_without_a_cost_are_left_out_of_that_ratio_only() -> None:
    def quiescence(engine: int, place: int, below: int) -> LabSearchRecord:
        return search(engine, place, iteration(1, 100, OPEN) | {"quiescence": below})

    plan = plan_of(LabEngine(BASE, 0), LabEngine(OTHER, 0), positions=5, depths=(1,))
    costs = [(40, 80), (0, 30), (50, 0), (10, 180), (10, 60)]
    searches = [
        quiescence(engine, place, costs[place][engine]) for engine in (0, 1) for place in range(5)
    ]
    own = summarise(plan, searches).rows[1]
    assert own.quiescence == pytest.approx((2 * 18 * 6) ** (1 / 3))
    of_three = cost.interval_of([math.log(ratio) for ratio in (2, 18, 6)])
    assert of_three is not None
    assert own.quiescence_low95 == pytest.approx(math.exp(of_three[0]))
    assert own.quiescence_high95 == pytest.approx(math.exp(of_three[1]))
    assert own.positions == 5
    nodes = [(200 + own_) / (200 + base) for base, own_ in costs]
    assert own.nodes == pytest.approx(math.prod(nodes) ** 0.2)


def test_zero_cpu_time_counts_as_a_microsecond() -> None:
    """CPU time is that of all iterations; one of 0 us is taken for 1."""

    def timed(engine: int, place: int, *times: int) -> LabSearchRecord:
        found = [iteration(depth, 7, OPEN) for depth in range(1, len(times) + 1)]
        return search(
            engine,
            place,
            *(one | {"cpu_us": us} for one, us in zip(found, times, strict=True)),
        )

    plan = plan_of(LabEngine(BASE, 0), LabEngine(OTHER, 0), positions=1, depths=(1, 2))
    rows = summarise(plan, [timed(0, 0, 8, 12), timed(1, 0, 0, 59)]).rows
    assert [row.cpu for row in rows] == [1.0, pytest.approx(1 / 8), 1.0, pytest.approx(3.0)]


def test_pass_inside_its_window_did_not_fail() -> None:
    """An aspiration that fails low, the pass that then holds the value, and an open window."""
    plan = plan_of(LabEngine(BASE, 0), LabEngine(OTHER, 0), positions=2, depths=(1,))
    searches = [
        *(search(0, place, iteration(1, 100, OPEN)) for place in (0, 1)),
        search(1, 0, iteration(1, 100, [[-20, 30, -25, 50], [-32001, 30, 5, 900]])),
        search(1, 1, iteration(1, 100, [[-20, 30, 5, 700]])),
    ]
    own = summarise(plan, searches).rows[1]
    assert own.first_low == pytest.approx(50 / 250)
    assert (own.first_high, own.later_high, own.later_low) == (None, None, None)
    assert (own.high_passes, own.low_passes) == (0.0, 0.5)
    opened = summarise(plan, searches).rows[0]
    assert (opened.high_passes, opened.low_passes) == (0.0, 0.0)
    assert (opened.first_high, opened.first_low) == (None, None)


def test_passes_belong_to_the_iteration_itself() -> None:
    own = summarise(TWO, SEARCHES).rows[3]
    assert (own.passes, own.passes_most) == (2.5, 3)
    assert own.first_share == pytest.approx((400 / 500 + 1000 / 2000) / 2)
    assert (own.high_passes, own.low_passes) == (1.0, 1.5)
    assert own.first_high == pytest.approx(400 / 250)
    assert own.first_low == pytest.approx(1000 / 250)
    assert own.later_high == pytest.approx(500 / 250)
    assert own.later_low == pytest.approx(math.sqrt((100 / 250) * (500 / 250)))


def test_values_that_differ_are_counted_and_named() -> None:
    wrong = search(1, 1, iteration(1, 80, OPEN), iteration(2, 800, OPEN, value=6))
    summary = summarise(TWO, [*SEARCHES[:3], wrong])
    assert not summary.values_agree and (summary.agree, summary.compared) == (3, 4)
    (one,) = summary.disagreements
    assert (one.engine, one.position, one.depth) == ("mtdf", "p1", 2)
    assert (one.value, one.true_value) == (6, 5)
    assert summary.rows[3].agree == 1
    assert summarise(TWO, SEARCHES).values_agree


def test_value_of_a_proven_move_counts() -> None:
    good = search(1, 0, iteration(1, 9, OPEN, 3, 5), iteration(2, 9, OPEN, 3, 5))
    bad = search(1, 1, iteration(1, 9, OPEN, 3, 5), iteration(2, 9, OPEN, 3, 4))
    summary = summarise(TWO, [*SEARCHES[:2], good, bad])
    assert [one.move_value for one in summary.disagreements] == [4]


def test_unfinished_run_compares_what_both_have_searched() -> None:
    summary = summarise(TWO, SEARCHES[1:])
    own = summary.rows[3]
    assert own.positions == 1 and own.nodes == pytest.approx(8.0)
    assert own.nodes_low95 is None and own.nodes_high95 is None
    empty = summarise(TWO, []).rows[1]
    assert empty.positions == 0 and empty.nodes is None and empty.passes is None


def test_given_first_guesses_are_measured_by_the_last_iteration_only() -> None:
    shifted = LabEngine(OTHER, 0, SHIFT, "10")
    plan = plan_of(LabEngine(BASE, 0), shifted, positions=2, depths=(2,))
    base, own = summarise(plan, SEARCHES).rows
    assert base.nodes_mean == pytest.approx(250)
    assert own.nodes_mean == pytest.approx(math.sqrt(500 * 2000))


def test_no_quiescence_has_no_ratio() -> None:
    def quiet(record: LabSearchRecord) -> LabSearchRecord:
        return search(
            *(record.engine, record.position),
            *({**one, "quiescence": 0} for one in record.iterations),
        )

    row = summarise(TWO, map(quiet, SEARCHES)).rows[3]
    assert row.quiescence is None and row.nodes == pytest.approx(4.0)
