"""Encounters measured by nodes or CPU time score the log ratio of the efforts."""

from __future__ import annotations

import math
import multiprocessing
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from db.records.studies import EncounterRecord, Phase
from engines.backend import make_searcher
from engines.errors import VariantError
from engines.registry import DRIVERS, PARAMETERS, TREE
from engines.spec import Param, SearchLimit, SearchResult, Value, Variant
from engines.variant import is_of_game, make_variant, parse_variant
from toolkit.base.errors import UsageError
from toolkit.books.book import default_book
from toolkit.books.info import position_of
from toolkit.lab import searches
from toolkit.lab.suite import read_suite
from toolkit.tuning.measuring import effort
from toolkit.tuning.measuring.effort import EffortEvaluator
from toolkit.tuning.measuring.encounter import Evaluator
from toolkit.tuning.measuring.objective import Objective
from toolkit.tuning.measuring.positions import StudyPositions
from toolkit.tuning.space.point import Point

BASE = parse_variant("mtdf:entries=2^12,eval=pst,grain=4")
DEPTH = 3
EPD = Path(__file__).parents[1] / "data" / "bratko_kopec.epd"


@pytest.fixture(scope="module")
def positions() -> StudyPositions:
    return StudyPositions.of_book(default_book(), 4, 3, seed=1)


def encounter(
    number: int,
    first: Point,
    pairs: range = range(4),
    second: Point | None = None,
    phase: Phase = "search",
) -> EncounterRecord:
    return EncounterRecord(number, phase, first, pairs.start, len(pairs), second=second)


def measure(
    positions: StudyPositions,
    encounters: Sequence[EncounterRecord],
    jobs: int = 1,
    objective: effort.EffortKind = "nodes",
) -> dict[int, EncounterRecord]:
    evaluator: Evaluator = EffortEvaluator(
        BASE, positions, DEPTH, objective, jobs=jobs, stop=threading.Event()
    )
    try:
        for one in encounters:
            evaluator.submit(one)
        found = [evaluator.next_finished() for _ in encounters]
    finally:
        evaluator.close()
    assert multiprocessing.active_children() == []
    return {one.number: one for one in found if one is not None}


def nodes(text: str, fen: str) -> int:
    return exact(parse_variant(text), fen).nodes


def exact(variant: Variant, fen: str, depth: int = DEPTH) -> SearchResult:
    searcher = make_searcher(variant)
    searcher.set_position(fen)
    return searcher.search(SearchLimit(depth=depth), exact=True)


def test_score_is_log_ratio_of_nodes(
    positions: StudyPositions,
) -> None:
    (done,) = measure(positions, [encounter(0, {"guess": "zero"})]).values()
    fens = [opening.fen for opening in positions.tuned.positions]
    spelling = "mtdf:entries=2^12,eval=pst,grain=4"
    expected = [
        math.log(nodes(f"{spelling},guess=zero", fen) / nodes(spelling, fen)) for fen in fens
    ]
    assert done.scores == pytest.approx(expected, abs=1e-15)
    assert any(expected)


def test_scores_do_not_depend_on_jobs_or_order(positions: StudyPositions) -> None:
    points: list[Point] = [{"guess": "zero"}, {"guess": "blend", "weight": 0.3}, {"grain": 10}]
    encounters = [encounter(number, point) for number, point in enumerate(points)]
    alone = measure(positions, encounters)
    together = measure(positions, encounters[::-1], jobs=2)
    assert alone == together
    assert len({done.scores for done in alone.values()}) == 3


def test_base_against_itself_scores_zero(positions: StudyPositions) -> None:
    same: Point = {"grain": 4}
    for objective in ("nodes", "time"):
        done = measure(positions, [encounter(0, same)], objective=objective)
        assert done[0].scores == (0.0,) * 4


def test_two_points_are_compared(positions: StudyPositions) -> None:
    one: Point = {"guess": "zero"}
    other: Point = {"guess": "static"}
    done = measure(
        positions,
        [encounter(0, one), encounter(1, other), encounter(2, one, second=other)],
    )
    differences = [a - b for a, b in zip(done[0].scores, done[1].scores, strict=True)]
    assert done[2].scores == pytest.approx(differences, abs=1e-12)


def test_nothing_is_searched_twice(
    positions: StudyPositions, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []

    make_executor = searches.make_executor

    def counting(*arguments: Any, **options: Any) -> Any:
        executor = make_executor(*arguments, **options)
        submit = executor.submit

        def counted(task: effort.SearchTask) -> None:
            (variant,) = task.variants
            asked.append((variant.identity, task.fen))
            submit(task)

        executor.submit = counted
        return executor

    monkeypatch.setattr(searches, "make_executor", counting)
    point: Point = {"guess": "zero"}
    measure(
        positions, [encounter(0, point), encounter(1, point), encounter(2, {"guess": "static"})]
    )
    assert len(asked) == len(set(asked)) == 3 * 4


def test_gain_is_measured_on_positions_held_out(positions: StudyPositions) -> None:
    held = range(4, 7)
    assert [len(half) for half in (positions.tuned, positions.held_out)] == [4, 3]
    (done,) = measure(positions, [encounter(0, {"grain": 10}, held, phase="gain")]).values()
    base = "mtdf:entries=2^12,eval=pst"
    expected = [
        math.log(nodes(f"{base},grain=10", one.fen) / nodes(f"{base},grain=4", one.fen))
        for one in positions.held_out.positions
    ]
    assert done.scores == pytest.approx(expected, abs=1e-15)


def test_numbers_beyond_last_position_repeat(positions: StudyPositions) -> None:
    assert positions.at(6, "choice") == positions.tuned.positions[2]
    assert positions.at(7, "gain") == positions.held_out.positions[0]
    with pytest.raises(ValueError, match="position 3 was used in tuning"):
        positions.at(3, "gain")


def test_time_is_measured_again_for_each_encounter(
    positions: StudyPositions, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks: list[effort.SearchTask] = []

    make_executor = searches.make_executor

    def noting(*arguments: Any, **options: Any) -> Any:
        executor = make_executor(*arguments, **options)
        submit = executor.submit
        executor.submit = lambda task: (tasks.append(task), submit(task))
        return executor

    monkeypatch.setattr(searches, "make_executor", noting)
    point: Point = {"quiescence": False}
    done = measure(positions, [encounter(0, point), encounter(1, point)], objective="time")
    assert [len(done[number].scores) for number in (0, 1)] == [4, 4]
    assert all(math.isfinite(score) for one in done.values() for score in one.scores)
    assert len(tasks) == 8
    for task in tasks:
        assert task.repeats == effort.TIME_REPEATS > 1
        assert [variant.parameters["quiescence"] for variant in task.variants] == [False, True]


@pytest.mark.workers
@pytest.mark.slow
def test_stop_ends_waiting(positions: StudyPositions) -> None:
    stop = threading.Event()
    evaluator = EffortEvaluator(BASE, positions, 30, "nodes", jobs=1, stop=stop)
    evaluator.submit(encounter(0, {"guess": "zero"}))
    threading.Timer(0.5, stop.set).start()
    assert evaluator.next_finished() is None
    evaluator.close()
    evaluator.close()
    assert multiprocessing.active_children() == []


def test_unmeasurable_encounters_are_refused(positions: StudyPositions) -> None:
    evaluator = EffortEvaluator(BASE, positions, 3, "nodes", jobs=1, stop=threading.Event())
    with pytest.raises(VariantError, match="only with guess=blend"):
        evaluator.submit(encounter(0, {"weight": 0.3}))
    with pytest.raises(ValueError, match="opponents"):
        evaluator.submit(EncounterRecord(0, "search", {}, 0, 1, opponent=0))
    evaluator.close()


def test_suites_share_no_position(positions: StudyPositions) -> None:
    for both in (positions, StudyPositions.of_file(EPD, 10, None, seed=3)):
        sides = [
            {position_of(one) for one in suite.positions} for suite in (both.tuned, both.held_out)
        ]
        assert not sides[0] & sides[1]
    assert (len(both.tuned), len(both.held_out)) == (10, 12)
    again = StudyPositions.of_file(EPD, 10, None, seed=3)
    assert both.identity == again.identity != StudyPositions.of_file(EPD, 10, 11, 3).identity


def test_file_with_too_few_positions_is_refused() -> None:
    with pytest.raises(UsageError, match="13 positions were requested, and its second half has 12"):
        StudyPositions.of_file(EPD, 12, 13, seed=3)


def _others(param: Param) -> list[Value]:
    if param.kind == "flag":
        return [not param.default]
    if param.kind == "choice":
        return [choice for choice in param.choices if choice != param.default]
    assert param.low is not None and param.high is not None
    return [end for end in (param.low, param.high) if end != param.default]


_TREES: dict[tuple[str, str], tuple[int, int | None]] = {}


def _tree(variant: Variant, fen: str) -> tuple[int, int | None]:
    key = variant.identity, fen
    if key not in _TREES:
        found = exact(variant, fen, 5)
        _TREES[key] = found.nodes, found.passes
    return _TREES[key]


@pytest.mark.native
def test_warnings_name_parameters_without_effect() -> None:
    """Each parameter is set to something else; only those without effect may change nothing."""
    plain: dict[str, Value] = {"entries": 2**12, "eval": "pst"}
    fen = read_suite(EPD).positions[3].fen
    drivers = {
        name: driver
        for driver in ("pvs", "mtdf")
        for name in DRIVERS[driver].parameters
        if PARAMETERS[name].tunable and is_of_game(PARAMETERS[name], {})
    }
    names, changed = [*drivers], set()
    for name, driver in drivers.items():
        param = PARAMETERS[name]
        needed = param.needs is not None and param.needs[0] in DRIVERS[driver].parameters
        start = plain | ({param.needs[0]: param.needs[1][0]} if param.needs and needed else {})
        if any(
            _tree(make_variant(driver, start), fen)
            != _tree(make_variant(driver, start | {name: value}), fen)
            for value in _others(param)
        ):
            changed.add(name)
    # These act in exact search, but no value that is tried reaches into so small a tree.
    reaching_further = {"etc", "iid", "max_passes"}
    idle = {*Objective("nodes").without_effect(names)}
    assert not reaching_further & idle
    assert idle == {*names} - changed - reaching_further


@pytest.mark.native
def test_games_do_not_depend_on_parameters_of_exact_search() -> None:
    plain: dict[str, Value] = {"entries": 2**12, "etc": 1}
    idle = Objective("elo").without_effect(DRIVERS["mtdf"].parameters)
    assert idle
    for position in read_suite(EPD).positions[:3]:
        trees = set()
        for others in ({}, *({name: _others(PARAMETERS[name])[0]} for name in idle)):
            searcher = make_searcher(make_variant("mtdf", plain | others))
            searcher.set_position(position.fen)
            trees.add(searcher.search(SearchLimit(depth=6)).nodes)
        assert len(trees) == 1


def test_warnings_are_one_line_each() -> None:
    nodes, elo = Objective("nodes"), Objective("elo")
    assert nodes.warnings(["guess", "weight", "killers"]) == ()
    idle, tree = nodes.warnings(["grain", "futility", "guess", "razoring"])
    assert "futility, razoring: tune them by elo" in idle
    assert tree.startswith("grain changes the values themselves")
    assert nodes.warnings(["null_move"])[0].endswith("null_move: tune it by elo")
    (line,) = elo.warnings(["etc_rule", "grain", "futility", "Hash"])
    assert line.endswith("etc_rule: tune it by nodes or time")
    assert Objective("simulated").warnings(["etc_rule", "grain"]) == ()
    assert set(TREE) <= set(PARAMETERS)
