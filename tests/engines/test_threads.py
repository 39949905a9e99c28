"""Engines, UCI and reports treat several threads correctly; the core's own tests are in Rust."""

from __future__ import annotations

import io
import threading
import time

import pytest

from engines import backend
from engines.backend import check_backend, make_searcher
from engines.errors import VariantError
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import SearchLimit
from engines.uci import session as uci
from engines.uci.options import Options
from engines.variant import parse_variant

WAYS = ("lazy", "abdada")
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def test_one_thread_is_neutral_and_threads_are_not_tunable() -> None:
    for text in ("mtdf", "pvs", "sss"):
        plain, said = parse_variant(text), parse_variant(f"{text}:threads=1")
        assert plain.identity == said.identity
        assert "parallel" not in parse_variant(f"{text}:threads=2").effective
        several = parse_variant(f"{text}:threads=2,parallel=abdada")
        assert several.effective["parallel"] == "abdada"
        assert (several.threads, several.deterministic) == (2, False)
    assert not PARAMETERS["threads"].tunable and not PARAMETERS["parallel"].tunable
    assert [name for name in DRIVERS if "threads" not in DRIVERS[name].parameters] == ["minimax"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("mtdf:parallel=abdada", "only with threads=2..64"),
        ("mtdf:threads=65", "threads takes 1 to 64"),
        ("minimax:threads=2", "is not a parameter of minimax"),
        ("pvs:threads=2,parallel=ybwc", "parallel takes lazy, abdada"),
    ],
)
def test_errors_are_one_line(text: str, error: str) -> None:
    with pytest.raises(VariantError, match=error):
        parse_variant(text)


def test_reference_has_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "load", lambda: (None, "as a test wants it"))
    for ask in (check_backend, make_searcher):
        with pytest.raises(VariantError, match="`mtdf:threads=2`: threads=2 needs the native core"):
            ask(parse_variant("mtdf:threads=2"))
        ask(parse_variant("mtdf:threads=1"))
    options = Options(parse_variant("mtdf"))
    assert "option name Threads type spin default 1 min 1 max 1" in list(options.lines())
    with pytest.raises(VariantError, match="Threads=2 is not allowed; the reference has one"):
        options.set("Threads", "2")
    assert options.set("Threads", "1") and options.variant().threads == 1


@pytest.mark.native
def test_uci_lists_and_sets_threads() -> None:
    options = Options(parse_variant("mtdf"))
    assert "option name Threads type spin default 1 min 1 max 64" in list(options.lines())
    assert options.set("Threads", "4")
    assert options.variant().threads == 4
    with pytest.raises(VariantError):
        options.set("Threads", "65")


@pytest.mark.native
def test_uci_warns_when_threads_share_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uci, "available_cores", lambda: 2)

    def said(text: str, engine: str) -> list[str]:
        out = io.StringIO()
        uci.serve(parse_variant(engine), io.StringIO(text), out, "1.2")
        return [line for line in out.getvalue().splitlines() if line != "readyok"]

    few, many = "mtdf:entries=2^8,threads=2", "mtdf:entries=2^8,threads=3"
    assert said("isready\nisready\n", few) == []
    assert said("isready\nisready\n", many) == ["info string 3 threads share 2 cores"]
    text = "setoption name Threads value 8\nisready\nucinewgame\nisready\n"
    assert said(text, few) == ["info string 8 threads share 2 cores"]


@pytest.mark.native
@pytest.mark.parametrize("way", WAYS)
def test_reports_add_up(way: str) -> None:
    for driver in ("mtdf", "pvs", "bns"):
        player = make_searcher(parse_variant(f"{driver}:threads=3,parallel={way},entries=2^12"))
        player.set_position(START)
        result = player.search(SearchLimit(nodes=30_000))
        assert result.nodes <= 30_000
        assert result.overrun == 0
        assert sum(one.nodes for one in result.iterations) == result.nodes
        for one in result.iterations:
            assert sum(found.nodes for found in one.passes) <= one.nodes
            assert min(one.interior, one.leaves, one.quiescence) >= 0


@pytest.mark.native
@pytest.mark.parametrize("way", WAYS)
def test_stop_ends_all_threads(way: str) -> None:
    player = make_searcher(parse_variant(f"mtdf:threads=4,parallel={way},entries=2^16"))
    player.set_position(START)
    begun = threading.Event()

    def stop() -> None:
        begun.wait()
        player.stop()

    before = threads_of_this_process()
    stopper = threading.Thread(target=stop)
    stopper.start()
    player.search(SearchLimit(), on_iteration=lambda _: begun.set())
    stopper.join()
    guard = time.monotonic() + 300
    while threads_of_this_process() > before:  # the system takes a moment to count them off
        assert time.monotonic() < guard
    assert player.go(SearchLimit(nodes=2_000)).depth >= 1


def threads_of_this_process() -> int:
    """As Linux counts them; 0 where it does not."""
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("Threads:"))
    except OSError:
        return 0
