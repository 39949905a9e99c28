"""Times scaled by the speed of a machine: what engines get, and what is stored with the games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import chess
import pytest

from engines.limit import Limit
from engines.moves import decode_move, encode_move
from engines.spec import Engine, MoveReport, SearchLimit
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.base.version import this_program
from toolkit.books.book import package_book
from toolkit.events.event import make_assignment
from toolkit.events.schedule import Schedule
from toolkit.events.settings import EventSettings, match_settings, sprt_settings
from toolkit.events.time_scale import POSITIONS, scaled
from toolkit.events.worker import Assignment, PairWorker
from toolkit.referee.adjudication import Adjudication
from toolkit.selection.sequential import SprtSettings

BOOK = package_book("default-500")
MS = 1_000


class Paced:
    """Searches 500,000 nodes a second of CPU time by its own account, one named pvs twice that."""

    seen: ClassVar[list[tuple[str, SearchLimit]]] = []
    nodes: ClassVar[int] = 500

    def __init__(self, engine: Engine) -> None:
        self._label, self._board = engine.label, chess.Board()

    def new_game(self) -> None:
        """There is nothing to forget."""

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        """Stand there."""
        self._board = chess.Board(fen)
        for move in moves:
            self.push(move)

    def push(self, move: int) -> None:
        """Play the move."""
        self._board.push_uci(decode_move(move))

    def go(self, limit: SearchLimit) -> MoveReport:
        """The first legal move."""
        self.seen.append((self._label, limit))
        move = encode_move(min(move.uci() for move in self._board.legal_moves))
        nodes = self.nodes * (2 if self._label.startswith("pvs") else 1)
        return MoveReport(
            move=move, value=1, depth=1, nodes=nodes, passes=1, time_us=1 * MS, cpu_us=1 * MS
        )

    def close(self) -> None:
        """There is nothing to free."""


class Silent(Paced):
    """Says nothing of its nodes."""

    nodes: ClassVar[int] = 0


@pytest.fixture(autouse=True)
def _nothing_seen() -> None:
    Paced.seen.clear()


def assigned(settings: EventSettings) -> Assignment:
    return make_assignment(settings, 1, this_program(), Paced)


def settings(limit: Limit, nps: int = 0) -> EventSettings:
    short = Adjudication(max_plies=6, draw=None, resign=None)
    return match_settings(
        "mtdf", "pvs", pairs=1, limit=limit, scale_nps=nps, adjudication=short, book=BOOK
    )


def test_all_times_of_a_limit_are_scaled_and_nothing_else() -> None:
    clock = Limit(base_ms=10_000, inc_ms=100, moves=40).scaled(1.5)
    assert (clock.base_ms, clock.inc_ms, clock.moves) == (15_000, 150, 40)
    assert Limit(movetime_ms=3, nodes=7).scaled(0.01) == Limit(movetime_ms=1, nodes=7)
    assert Limit(cpu_ms=5, depth=9).scaled(1.3) == Limit(cpu_ms=6, depth=9)
    assert Limit(base_ms=500).scaled(2.0) == Limit(base_ms=1000)


def test_machine_half_as_fast_gets_twice_the_time() -> None:
    job = assigned(settings(Limit(movetime_ms=20), 1_000_000))
    assert job.limits == (Limit(movetime_ms=40),) * 2 and job.rules.limit == job.limits[0]
    assert (job.provenance.speed, job.provenance.time_factor) == (500_000, 2.0)
    # Each position once, and one search that does not count; all of the first engine.
    assert [label for label, _ in Paced.seen] == ["mtdf"] * (POSITIONS + 1)
    assert all(limit.nodes == 100_000 for _, limit in Paced.seen)


def test_a_test_is_scaled_by_its_base() -> None:
    sprt = SprtSettings.make(0, 5)
    asked = sprt_settings(
        "mtdf", "pvs", sprt=sprt, max_pairs=1, limit=Limit(cpu_ms=9), scale_nps=500_000
    )
    job = assigned(asked)
    assert (job.provenance.speed, job.provenance.time_factor) == (1_000_000, 0.5)
    assert job.limits == (Limit(cpu_ms=4),) * 2


def test_games_keep_speed_and_factor_and_engines_get_the_scaled_time() -> None:
    asked = settings(Limit(cpu_ms=20), 1_250_000)
    job = assigned(asked)
    Paced.seen.clear()
    task = next(Schedule(asked, BOOK).missing(frozenset()))
    games = PairWorker(job).play(task)
    assert isinstance(games, Sequence)
    assert {(one.speed, one.time_factor) for one in games} == {(500_000, 2.5)}
    assert {limit.cpu_ms for _, limit in Paced.seen} == {50}


def test_without_the_option_nothing_is_measured_or_stored() -> None:
    plain = settings(Limit(movetime_ms=20))
    assert "scale_nps" not in plain.to_json()
    job = assigned(plain)
    assert job.limits == plain.limits and job.provenance.time_factor == 1.0
    assert Paced.seen == [] and scaled(job) is job


def test_wrong_speeds_are_errors() -> None:
    with pytest.raises(UsageError, match="needs a limit of time"):
        settings(Limit(nodes=100), 1_000_000)
    for nps in (20_000, 20_000_000):
        with pytest.raises(EngineProblem, match="would multiply times by"):
            assigned(settings(Limit(movetime_ms=20), nps))


def test_engine_without_nodes_is_an_error() -> None:
    asked = settings(Limit(movetime_ms=20), 1_000_000)
    with pytest.raises(EngineProblem, match="--scale-time: `mtdf` does not report nodes"):
        make_assignment(asked, 1, this_program(), Silent)
