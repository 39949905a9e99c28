"""The extension checks parameters, reports errors and can be interrupted.

What both backends promise is tested in ``test_searcher_contract``.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import pytest

from engines.choices import GAMES
from engines.registry import DRIVERS
from engines.spec import Value
from engines.variant import parse_variant

pytestmark = pytest.mark.native

MIDDLE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def complete(driver: str) -> dict[str, Any]:
    """All parameters of a driver at their defaults."""
    return dict(parse_variant(driver).parameters)


@pytest.fixture
def searcher(core: Any) -> Any:
    """A player at a rich middlegame."""
    searcher = core.Searcher("mtdf", complete("mtdf"))
    searcher.set_position(MIDDLE)
    return searcher


def test_build_is_optimised(core: Any) -> None:
    assert core.build_profile() == "release"


def test_every_parameter_is_required(core: Any) -> None:
    for driver in DRIVERS:
        for name in complete(driver):
            rest = {key: value for key, value in complete(driver).items() if key != name}
            with pytest.raises(ValueError, match=f"`{name}` is missing"):
                core.Searcher(driver, rest)
        with pytest.raises(ValueError, match="`depth`"):
            core.Searcher(driver, complete(driver) | {"depth": 3})


WRONG: list[tuple[str, object]] = [
    *(("guess", "parrot"), ("guess", 1), ("weight", 1.5), ("weight", float("nan"))),
    *(("entries", 1000), ("entries", True), ("hash", -1), ("hash", "16"), ("grain", 0)),
    *(("grain", 2.0), ("eval", "nnue"), ("null_move", 1), ("null_move_reduction", 7)),
    ("check_extension", None),
]


def test_wrong_values_are_refused_in_one_line(core: Any) -> None:
    for name, value in WRONG:
        with pytest.raises(ValueError) as caught:
            core.Searcher("mtdf", complete("mtdf") | {name: value})
        assert "\n" not in str(caught.value), name


def test_unknown_drivers_and_wrong_limits_are_refused(core: Any, searcher: Any) -> None:
    with pytest.raises(ValueError, match="negascout"):
        core.Searcher("negascout", {})
    for limit in ("nodes", "depth", "soft_ms", "hard_ms"):
        with pytest.raises(ValueError, match=f"{limit}=-1 is negative"):
            searcher.go(**{limit: -1})
    with pytest.raises(ValueError, match="first_guess"):
        searcher.search(depth=2, first_guess=40_000)


def test_ctrl_c_ends_a_search(searcher: Any) -> None:
    for search in (searcher.go, searcher.search):
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            search()
        timer.join()
    # The searcher is still usable.
    assert searcher.go(nodes=50_000)[3] == 50_000


def test_other_threads_cannot_disturb_a_running_search(searcher: Any) -> None:
    results: list[Any] = []
    begun = threading.Event()

    def search() -> None:
        results.append(searcher.search(on_iteration=lambda _: begun.set()))

    thread = threading.Thread(target=search)
    thread.start()
    begun.wait()
    for disturb in (searcher.new_game, searcher.go, lambda: searcher.set_position(MIDDLE)):
        with pytest.raises(RuntimeError, match="still running"):
            disturb()
    searcher.stop()
    thread.join()
    assert results[0]["stopped"]


def test_stop_just_before_the_search_is_not_lost(searcher: Any) -> None:
    searcher.stop()
    assert searcher.search()["depth"] == 1
    searcher.stop()
    searcher.set_position(MIDDLE)
    assert searcher.search(depth=3)["depth"] == 3


@pytest.mark.parametrize("game", GAMES)
def test_bench_is_deterministic_and_complete(core: Any, game: str) -> None:
    rows = core.bench(game)
    assert rows == core.bench(game)
    assert len({row[:3] for row in rows}) == len(rows) > 100
    assert {row[2] for row in rows} == {"exact", "selective"}
    # The signature is older than the other drivers, which engines/core/tests/pinned.rs pins.
    assert {row[1].partition(":")[0] for row in rows} == {"alphabeta", "pvs", "mtdf"}
    assert {"alphabeta", "pvs", "mtdf"} < set(DRIVERS)
    exact: dict[tuple[str, str], set[int]] = {}
    for fen, variant, mode, _, value in rows:
        if mode == "exact":
            exact.setdefault((fen, variant.rpartition("grain=")[2]), set()).add(value)
    assert all(len(values) == 1 for values in exact.values()), "drivers differ in exact mode"


def test_time_is_in_microseconds(searcher: Any) -> None:
    start = time.perf_counter()
    time_us, cpu_us = searcher.go(nodes=100_000)[5:7]
    wall_us = (time.perf_counter() - start) * 1e6
    assert 1_000 < time_us <= wall_us
    assert 1_000 < cpu_us <= wall_us + 20_000


def game_of(searcher: Any, moves: int = 6) -> list[Any]:
    """What a player says of a game that it plays alone, without the times."""
    searcher.new_game()
    searcher.set_position(MIDDLE)
    told = []
    for _ in range(moves):
        found = searcher.go(nodes=3000)
        told.append((*found[:5], found[7]))
        searcher.push(found[0])
    return told


@pytest.mark.parametrize(
    "size", [{"hash": 1}, {"hash": 2}, {"entries": 2**8}, {"hash": 1, "bounds": "one"}]
)
def test_player_in_the_memory_of_another_plays_as_a_new_one(
    core: Any, size: dict[str, Value]
) -> None:
    old = core.Searcher("pvs", complete("pvs") | {"hash": 1})
    game_of(old)
    parameters = complete("mtdf") | {"grain": 5} | size
    heir = core.Searcher("mtdf", parameters, old)
    assert game_of(heir) == game_of(core.Searcher("mtdf", parameters))
    # The old one has no table now.
    without = core.Searcher("pvs", complete("pvs") | {"hash": 0})
    assert game_of(old) == game_of(without) != game_of(core.Searcher("pvs", complete("pvs")))


def test_failed_takeover_of_memory_keeps_the_table(core: Any) -> None:
    old = core.Searcher("pvs", complete("pvs"))
    game = game_of(old)
    with pytest.raises(ValueError, match="grain=0 is not an integer"):
        core.Searcher("pvs", complete("pvs") | {"grain": 0}, old)
    assert game_of(old) == game
