"""Tables and threads too large for the machine are refused, and an event needs little memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from db.session import Database
from engines.limit import Limit
from engines.variant import parse_variant
from toolkit.base.errors import UsageError
from toolkit.base.version import Provenance
from toolkit.events import memory
from toolkit.events.event import make_assignment, start_event
from toolkit.events.memory import THREAD_BYTES, check_memory, player_bytes, table_bytes
from toolkit.events.settings import match_settings

Failing = Callable[..., list[str]]


def test_table_has_requested_size(failing: Failing) -> None:
    def check(text: str, size: int) -> None:
        assert table_bytes(parse_variant(text)) == size

    assert not failing(
        check,
        [
            ("pvs", 16 * 2**20),
            ("pvs:hash=0", 0),
            ("pvs:hash=64", 2**26),
            ("pvs:entries=2^8", 4096),
        ],
    )


def test_memory_counts_players_of_all_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_physical_bytes", lambda: 106 * 2**20)
    variants = [parse_variant("pvs:hash=20"), parse_variant("mtdf:hash=30")]
    check_memory(variants, 2)
    with pytest.raises(UsageError) as caught:
        check_memory(variants, 3)
    assert str(caught.value) == (
        "2 engines in 3 workers need 159 MB and this machine has 106 MB: "
        "use a smaller hash, fewer threads or fewer jobs"
    )


def test_memory_counts_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_physical_bytes", lambda: 100 * 2**20)
    check_memory([parse_variant("pvs:hash=4,threads=64")], 1)
    with pytest.raises(UsageError, match="1 engine in 2 workers need 200 MB"):
        check_memory([parse_variant("pvs:hash=4,threads=64")], 2)


MEASURE = """
import os
from engines.backend import make_searcher
from engines.variant import parse_variant

def taken():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")

variant = parse_variant("pvs:entries=2^8,threads=64")
before = taken()
players = [make_searcher(variant) for _ in range(4)]
print(taken() - before)
"""


@pytest.mark.slow
@pytest.mark.native
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells")
def test_threads_take_counted_memory() -> None:
    """In a fresh process, whose memory nothing else changes."""
    words = [sys.executable, "-c", MEASURE]
    taken = int(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    counted = 4 * player_bytes(parse_variant("pvs:entries=2^8,threads=64"))
    each = f"a thread takes {taken // (4 * 64)} bytes, not {THREAD_BYTES}"
    assert counted * 3 / 4 < taken <= counted, each


def test_memory_counts_players_that_join_later(monkeypatch: pytest.MonkeyPatch) -> None:
    program = Provenance(version="1", backend="toy", signature="0" * 16, host="here")
    match = match_settings("pvs:hash=20", "mtdf:hash=30", pairs=1, limit=Limit(nodes=1))
    tuning = replace(match, kind="tuning")
    # Base and opponent, and four points of the base's size.
    monkeypatch.setattr(memory, "_physical_bytes", lambda: 139 * 2**20)
    make_assignment(tuning, 1, program)
    make_assignment(match, 2, program)
    with pytest.raises(UsageError, match="6 engines in 2 workers need 278 MB"):
        make_assignment(tuning, 2, program)


def test_huge_table_is_refused_before_storing(db: Database) -> None:
    settings = match_settings("pvs:hash=65536", "mtdf:hash=65536", pairs=1, limit=Limit(nodes=1))
    with pytest.raises(UsageError, match="MB"):
        start_event(db, settings, jobs=1000)
    assert db.repository.events() == []


BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "memory.py"


@pytest.mark.slow
@pytest.mark.native
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_memory_grows_with_neither_floods_nor_games() -> None:
    """20 MB before each of four moves, on either output, and 2,000 games of each kind of engine."""
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), "--quick", "--json"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["case"] for row in rows] == ["flood-stdout", "flood-stderr", "native", "uci"]
    for row in rows:
        # The benchmark compares with its aims; these are the promised ones.
        assert 10 < row["worker_peak_mb"] < 150 and 10 < row["coordinator_peak_mb"] < 150
        assert row["output_mb"] < 1
        if row["games"] > 2:
            assert len(row["worker_after_mb"]) > 3
            assert abs(row["worker_growth_mb"]) < 16 and abs(row["coordinator_growth_mb"]) < 16
