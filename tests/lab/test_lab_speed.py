"""The speeds of two engines: the interval, the order of searches, and what makes them alike."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence

import pytest
from scipy import stats

from engines.errors import EngineFailure
from engines.limit import Limit
from engines.spec import MoveReport, SearchLimit, Variant
from engines.variant import parse_variant
from toolkit.lab import speed
from toolkit.stats.student import ratio_interval

PVS, MTDF = parse_variant("pvs"), parse_variant("mtdf")
FENS = ("one", "two")


class Timed:
    """A player whose searches take as long as its driver says, in memory that only the first of a
    half round has."""

    searches: list[tuple[str, str]] = []
    drawn = random.Random(1)
    cpu_us = {"pvs": 1000.0, "mtdf": 1000.0}
    nodes = {"pvs": 500, "mtdf": 500}
    alive = 0

    def __init__(self, variant: Variant) -> None:
        self.driver = variant.driver
        self.memory = 1.15 if Timed.alive else 1.0
        Timed.alive += 1

    def new_game(self) -> None:
        """There is nothing to forget."""

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        self.fen = fen

    def go(self, limit: SearchLimit) -> MoveReport:
        self.searches.append((self.driver, self.fen))
        spent = round(self.cpu_us[self.driver] * self.memory * self.drawn.uniform(0.99, 1.01))
        return MoveReport(1, 0, 5, self.nodes[self.driver], None, 2000, spent)

    def close(self) -> None:
        Timed.alive -= 1


@pytest.fixture(autouse=True)
def timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "make_player", Timed)
    monkeypatch.setattr(Timed, "searches", [])
    monkeypatch.setattr(Timed, "drawn", random.Random(1))
    monkeypatch.setattr(Timed, "cpu_us", {"pvs": 1000.0, "mtdf": 1000.0})
    monkeypatch.setattr(Timed, "nodes", {"pvs": 500, "mtdf": 500})


def compared(rounds: int = 30) -> speed.SpeedReport:
    return speed.compare_speed(PVS, MTDF, FENS, Limit(nodes=500), rounds=rounds)


def test_the_interval_is_that_of_students_t_on_logarithms() -> None:
    ratios = [1.01, 0.99, 1.05, 1.02]
    logs = [math.log(one) for one in ratios]
    told = stats.t.interval(
        0.95, len(logs) - 1, statistics.fmean(logs), statistics.stdev(logs) / math.sqrt(len(logs))
    )
    assert ratio_interval(ratios)[1:] == pytest.approx([math.exp(end) for end in told])
    assert ratio_interval([2.0, 0.5])[0] == pytest.approx(1)
    assert ratio_interval([2.0, 0.5])[1:] == (0, math.inf)


def test_a_faster_engine_is_found_however_memory_favours_the_first() -> None:
    Timed.cpu_us["mtdf"] = 900
    report = compared()
    assert report.verdict == "faster" and report.ratio == pytest.approx(1 / 0.9, abs=0.01)
    assert report.same_search and report.first.repeats
    assert report.high is not None and report.high / report.ratio <= 1.01
    assert report.rounds < 30, "the interval is narrow before"
    Timed.cpu_us["mtdf"] = 1100
    assert compared().verdict == "slower"
    Timed.cpu_us["mtdf"] = 1000
    assert compared().verdict == "no difference shown"


def test_engines_search_in_turn_and_begin_by_turns() -> None:
    compared(rounds=1)
    done = [(driver, fen) for driver, fen in Timed.searches]
    half = ["pvs", "mtdf", *("pvs", "mtdf", "mtdf", "pvs") * 2]
    turned = [{"pvs": "mtdf", "mtdf": "pvs"}[one] for one in half]
    assert [driver for driver, _ in done[6:]] == half + turned
    assert [fen for _, fen in done[8:16]] == ["one"] * 4 + ["two"] * 4


def test_other_nodes_are_no_pure_speed_up() -> None:
    Timed.nodes["mtdf"] = 501
    assert not compared(rounds=3).same_search


def test_an_engine_that_hides_nodes_or_does_not_search_is_refused() -> None:
    Timed.nodes["mtdf"] = 0
    with pytest.raises(EngineFailure, match="does not report nodes"):
        compared()
    Timed.nodes["mtdf"] = 500
    Timed.cpu_us["mtdf"] = 1
    with pytest.raises(EngineFailure, match="give the program that searches"):
        compared()
