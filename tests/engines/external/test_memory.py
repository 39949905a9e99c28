"""An engine cannot exceed its memory bound, and one killed by the system is reported."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engines.errors import EngineFailure
from engines.external import process as module
from engines.external.process import EngineProcess
from engines.spec import UciCommand

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux alone does this")
HOG = """
import sys
eaten = []
for _ in range(240):
    eaten.append(bytearray(1 << 20))
print("full", flush=True)
sys.stdin.read()
"""


def hog(memory_mb: int | None) -> EngineProcess:
    return EngineProcess(UciCommand((sys.executable, "-S", "-c", HOG), memory_mb=memory_mb), "hog")


@pytest.mark.slow
@LINUX
def test_engine_cannot_exceed_its_bound() -> None:
    process = hog(100)
    with pytest.raises(EngineFailure, match=r"`hog` ended .*with memory=100: MemoryError"):
        process.read_until(b"full", 20)
    assert not process.running


@pytest.mark.slow
@pytest.mark.parametrize("memory_mb", [None, 600])
def test_engine_within_its_bound_runs(memory_mb: int | None) -> None:
    process = hog(memory_mb)
    assert process.read_until(b"full", 20) == b"full"
    process.close()


@pytest.mark.slow
@LINUX
def test_bound_too_small_to_start_is_reported() -> None:
    with pytest.raises(EngineFailure, match="with memory=1"):
        hog(1).read_until(b"full", 20)


@pytest.mark.slow
@LINUX
def test_mapped_files_do_not_count(tmp_path: Path) -> None:
    """As tablebases are, which may be larger than all memory."""
    (file := tmp_path / "table").touch()
    with file.open("r+b") as opened:
        opened.truncate(8 << 30)
    code = "import mmap, sys; f = open(sys.argv[1], 'rb')\n"
    code += "m = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ); print('mapped', len(m))"
    command = UciCommand((sys.executable, "-S", "-c", code, str(file)), memory_mb=100)
    process = EngineProcess(command, "mapping")
    assert process.read_until(b"mapped", 20) == b"mapped 8589934592"
    process.close()


@LINUX
@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ((3, 4), "was killed by the system, which ran out of memory"),
        ((3, 3), r"died \(SIGKILL\)"),
        ((None, None), r"died \(SIGKILL\)"),
    ],
)
def test_kill_by_system_is_reported(
    monkeypatch: pytest.MonkeyPatch, counts: tuple[int | None, int | None], said: str
) -> None:
    monkeypatch.setattr(module, "_killed_before", counts[0])
    monkeypatch.setattr(module, "_killed_for_memory", lambda: counts[1])
    process = EngineProcess(UciCommand(("sh", "-c", "kill -9 $$")), "killed")
    with pytest.raises(EngineFailure, match=f"`killed` {said}"):
        process.read_until(b"nothing", 20)
