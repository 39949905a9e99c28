"""The backend is the one that MTDF_BACKEND selects; its bench, signature and counts are pinned."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engines import backend
from engines.choices import GAMES
from engines.errors import EngineFailure, PositionError
from engines.native import NativeSearcher
from engines.reference import ReferenceSearcher
from engines.variant import parse_variant

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

SIGNATURES = {
    "native": {
        "chess": "6a9f2c643ed7e869",
        "othello": "e9307cd520e39189",
        "draughts": "de6e2afdeee33b4b",
        "connect-four": "13b432718ada956d",
    },
    "reference": {
        "chess": "335fc920c61fd94c",
        "othello": "5897152eb87082c7",
        "draughts": "1b9cccf291268267",
        "connect-four": "6d1324b81c802aac",
    },
}
"""How each backend plays each game, evaluation included: weights that are fitted again change the
signature of their game. That of chess identifies the core in databases."""


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Sets MTDF_BACKEND as if the process had just begun, with an empty cache."""

    def chosen(name: str) -> None:
        monkeypatch.setenv("MTDF_BACKEND", name)
        forget()

    def forget() -> None:
        for known in (backend.load, backend.first_bench, backend._kept_signature):
            known.cache_clear()

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    yield chosen
    monkeypatch.undo()
    forget()


def test_reference_can_be_selected(choose: Callable[[str], None]) -> None:
    choose("reference")
    reason = "MTDF_BACKEND=reference selects the reference"
    assert (backend.backend_name(), backend.fallback_reason()) == ("reference", reason)
    assert isinstance(backend.make_searcher(parse_variant("pvs")), ReferenceSearcher)
    info = backend.core_info()
    assert (info["backend"], info["reason"]) == ("reference", reason)


@pytest.mark.native
def test_core_is_used_where_it_is_installed(choose: Callable[[str], None]) -> None:
    choose("")
    assert (backend.backend_name(), backend.fallback_reason()) == ("native", None)
    assert isinstance(backend.make_searcher(parse_variant("pvs")), NativeSearcher)
    info = backend.core_info()
    assert info.keys() == {"backend", "core", "profile", "cozy-chess", "path"}
    assert info["profile"] == "release"


def test_missing_core_gives_a_reason_in_one_line(
    choose: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "engines._core", None)
    choose("")
    assert backend.backend_name() == "reference"
    reason = backend.fallback_reason()
    assert reason is not None
    assert "was not built" in reason
    assert "cargo" in reason
    assert "\n" not in reason
    assert isinstance(backend.make_searcher(parse_variant("mtdf")), ReferenceSearcher)
    choose("native")
    with pytest.raises(EngineFailure, match="MTDF_BACKEND=native, but"):
        backend.backend_name()


def test_unknown_backend_is_an_error(choose: Callable[[str], None]) -> None:
    choose("gpu")
    with pytest.raises(EngineFailure, match="`gpu`; it must be native or reference"):
        backend.backend_name()


@pytest.mark.parametrize("name", ["reference", pytest.param("native", marks=pytest.mark.native)])
class TestEachBackend:
    """The functions beside the searcher."""

    def test_perft(self, choose: Callable[[str], None], name: str) -> None:
        choose(name)
        # P. McKenzie's "kiwipete", from the Chess Programming Wiki.
        assert [backend.perft(KIWIPETE, depth) for depth in (0, 1, 2)] == [1, 48, 2039]
        with pytest.raises(ValueError, match="negative"):
            backend.perft(KIWIPETE, -1)
        with pytest.raises(PositionError):
            backend.perft("8/8/8/8/8/8/8/8 w - - 0 1", 1)

    def test_evaluate(self, choose: Callable[[str], None], name: str) -> None:
        choose(name)
        value = backend.evaluate(KIWIPETE)
        assert abs(backend.evaluate(KIWIPETE, grain=10) - value) <= 5
        assert backend.evaluate(KIWIPETE, grain=10) % 10 == 0
        with pytest.raises(PositionError):
            backend.evaluate("nonsense")

    def test_bench_counts_cpu_time_of_the_searching_thread(
        self, choose: Callable[[str], None], name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        choose(name)
        for clock, step_ns in (("thread_time_ns", 2 * 10**9), ("perf_counter_ns", 9 * 10**9)):
            ticks = itertools.count(step=step_ns)
            monkeypatch.setattr(time, clock, ticks.__next__)
        report = backend.bench("connect-four")
        # The searches of the reference read both clocks as well; those of the core read their own.
        assert report.cpu_us % 2_000_000 == 0 and report.time_us % 9_000_000 == 0
        assert 0 < report.cpu_us < report.time_us


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("reference", marks=pytest.mark.slow),
        pytest.param("native", marks=pytest.mark.native),
    ],
)
def test_bench_and_its_signature_of_each_game_are_pinned(
    choose: Callable[[str], None], name: str
) -> None:
    choose(name)
    assert {game: backend.signature(game) for game in GAMES} == SIGNATURES[name]
    assert backend.signature() == SIGNATURES[name]["chess"]
    report = backend.first_bench("chess")
    assert report.nodes == sum(row.nodes for row in report.searches) > 1000
    assert {row.mode for row in report.searches} == {"exact", "selective"}
    drivers = {row.engine.split(":")[0] for row in report.searches}
    assert drivers == {"alphabeta", "pvs", "mtdf"}
    exact = [(row.position, row.value) for row in report.searches if row.mode == "exact"]
    assert len(set(exact)) < len(exact)


@pytest.mark.native
def test_bench_of_a_core_runs_once_for_a_user(
    choose: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    choose("native")
    found = backend.signature("connect-four")
    (kept,) = (tmp_path / "mtdf").iterdir()
    monkeypatch.setattr(backend, "bench", lambda _: pytest.fail("it runs again"))
    choose("native")
    assert backend.signature("connect-four") == found
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for damaged in (b"", found[:9].encode(), b"\xff", found.encode() + b"0"):
        kept.write_bytes(damaged)
        choose("native")
        assert backend.signature("connect-four") == found, damaged
        assert kept.read_text() == found, damaged
    core = tmp_path / "other_core.so"
    core.write_bytes(b"another build")
    monkeypatch.setattr(backend.load()[0], "__file__", str(core))
    kept.write_text("0" * 16)
    backend._kept_signature.cache_clear()
    assert backend.signature("connect-four") == found, "it is of another build"


def test_signature_depends_on_every_count(
    choose: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    choose("reference")
    rows = [("fen", "pvs", "exact", 100, 5), ("fen", "mtdf", "exact", 90, 5)]
    seen = set()
    for changed in (rows, rows[:1], [*rows[:1], ("fen", "mtdf", "exact", 91, 5)]):
        monkeypatch.setattr("engines.reference.bench.run", lambda _, rows=changed: rows)
        seen.add(backend.bench().signature)
    assert len(seen) == 3
