"""Locks between processes: held alone, and gone with their process."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from db.errors import DatabaseLocked, DatabaseUnusable, EventLocked
from db.session import open_database
from db.storage import file_lock
from db.storage.file_lock import FileLock, FileLocks
from db.storage.lock import Holder, RunLock, WholeLock

HOLD = """
import sys
import threading
from pathlib import Path
from db.storage import file_lock
from db.storage.file_lock import FileLocks
from db.storage.lock import RunLock, WholeLock
place = FileLocks.beside(Path(sys.argv[1]), "mtdf.db")
whole = sys.argv[2] == "upgrade"
lock = WholeLock(place, 1.0, "upgraded") if whole else RunLock(place, sys.argv[2])
with lock:
    print("held", flush=True)
    sys.stdin.read()
"""


Hold = Callable[[str], AbstractContextManager["subprocess.Popen[str]"]]


@pytest.fixture
def place(tmp_path: Path) -> FileLocks:
    """Where the locks of a database of this test are."""
    return FileLocks.beside(tmp_path / "mtdf.db", "mtdf.db")


@pytest.fixture
def hold(tmp_path: Path) -> Hold:
    """Another process that holds an event's lock, or the upgrade's, until its input ends."""

    @contextmanager
    def holding(what: str) -> Iterator[subprocess.Popen[str]]:
        command = [sys.executable, "-c", HOLD, str(tmp_path / "mtdf.db"), what]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as child:
            assert child.stdout is not None and child.stdout.readline() == "held\n"
            yield child

    return holding


def test_one_process_plays_an_event(place: FileLocks, hold: Hold) -> None:
    lock = RunLock(place, "r3f9")
    with hold("r3f9") as other:
        assert lock.holder() == Holder(other.pid)
        assert place.running() == {"r3f9": Holder(other.pid)}
        with pytest.raises(EventLocked) as caught:
            lock.acquire()
        assert str(caught.value) == (
            f"event r3f9 in mtdf.db is already running in process {other.pid}: "
            "wait for it or stop it"
        )
        with RunLock(place, "r3f8"):
            assert place.running() == {"r3f8": Holder(os.getpid()), "r3f9": Holder(other.pid)}
    with lock:
        assert lock.holder() == Holder(os.getpid())
    assert lock.holder() is None


@pytest.mark.slow
def test_lock_ends_with_its_process(place: FileLocks, hold: Hold) -> None:
    with hold("r3f9") as other:
        other.send_signal(signal.SIGKILL)
        other.wait()
        assert place.event("r3f9").path.exists(), "the file of a killed process stays"
        assert place.running() == {}
        with RunLock(place, "r3f9") as lock:
            assert lock.holder() == Holder(os.getpid())
    assert list(place.folder.iterdir()) == [], "and goes with its next owner"


def test_lock_is_exclusive_within_a_process(place: FileLocks) -> None:
    with RunLock(place, "r3f9"):
        with pytest.raises(EventLocked):
            RunLock(place, "r3f9").acquire()


def test_lock_can_be_taken_again(place: FileLocks) -> None:
    lock = RunLock(place, "r3f9")
    for _ in range(3):
        lock.acquire()
        lock.release()
        lock.release()
    assert list(place.folder.iterdir()) == []


def test_refused_lock_is_given_back(place: FileLocks) -> None:
    def refuse() -> None:
        raise ValueError("not now")

    with pytest.raises(ValueError, match="not now"):
        RunLock(place, "r3f9", refuse).acquire()
    assert list(place.folder.iterdir()) == []


def test_lock_waits_for_a_reader_of_its_holder(
    place: FileLocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading the holder takes the lock for a moment."""
    monkeypatch.setattr(file_lock, "PATIENCE_S", 300.0)
    looker = os.open(place.event("r3f9").path, os.O_RDWR | os.O_CREAT)
    fcntl.flock(looker, fcntl.LOCK_SH)
    timer = threading.Timer(0.1, os.close, (looker,))
    timer.start()
    with RunLock(place, "r3f9") as lock:
        assert lock.holder() == Holder(os.getpid())
    timer.join()


def test_removed_file_locks_nothing(place: FileLocks, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last owner removes the file just when the next one has opened it."""
    owner = RunLock(place, "r3f9")
    owner.acquire()
    open_file = FileLock._open

    def open_late(self: FileLock, flags: int) -> int:
        handle = open_file(self, flags)
        if self.path == place.event("r3f9").path:
            owner.release()
        return handle

    with monkeypatch.context() as patch:
        patch.setattr(FileLock, "_open", open_late)
        next_owner = RunLock(place, "r3f9")
        next_owner.acquire()
    with pytest.raises(EventLocked):
        RunLock(place, "r3f9").acquire()
    next_owner.release()


@pytest.mark.slow
def test_no_event_starts_during_an_upgrade(place: FileLocks, hold: Hold) -> None:
    with hold("upgrade"):
        with pytest.raises(DatabaseLocked, match="mtdf.db is being upgraded"):
            RunLock(place, "r3f9").acquire()
        with pytest.raises(DatabaseLocked, match="being upgraded by another process"):
            with WholeLock(place, 0.0, "upgraded"):
                pass
    with WholeLock(place, 0.0, "upgraded"):
        pass
    assert list(place.folder.iterdir()) == []


@pytest.mark.slow
def test_no_upgrade_during_an_event(place: FileLocks, hold: Hold) -> None:
    with hold("r3f9") as other:
        with RunLock(place, "r111"):
            pass
        with pytest.raises(DatabaseLocked) as caught:
            with WholeLock(place, 60.0, "upgraded"):
                pass
        assert f"running event (r3f9, process {other.pid})" in str(caught.value)


def test_links_to_one_database_share_its_locks(tmp_path: Path) -> None:
    real = tmp_path / "real.db"
    link = tmp_path / "link.db"
    link.symlink_to(real)
    assert FileLocks.beside(link, "x") == FileLocks.beside(real, "x")


def test_databases_of_like_names_do_not_share_locks(tmp_path: Path) -> None:
    one, two = (FileLocks.beside(tmp_path / name, name) for name in ("a.db", "a.db.r123.lock"))
    with RunLock(two, "r3f9"):
        assert one.running() == {}
        with RunLock(one, "r3f9"):
            assert one.running() == two.running() == {"r3f9": Holder(os.getpid())}


def test_missing_folder_is_reported(tmp_path: Path) -> None:
    place = FileLocks.beside(tmp_path / "gone" / "mtdf.db", "mtdf.db")
    with pytest.raises(DatabaseUnusable, match="No such file or directory"):
        RunLock(place, "r3f9").acquire()


def test_lock_is_released_if_it_cannot_be_written(
    place: FileLocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk a file can be made and nothing be written into it."""

    def write_nothing(handle: int, data: bytes, offset: int) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", write_nothing)
        with pytest.raises(DatabaseUnusable) as caught:
            RunLock(place, "r3f9").acquire()
        assert str(caught.value) == f"lock file {place.event('r3f9').path}: No space left on device"
        with pytest.raises(DatabaseUnusable, match="No space left on device"):
            with WholeLock(place, 0.0, "upgraded"):
                pass
    assert list(place.folder.iterdir()) == []
    with RunLock(place, "r3f9"):
        pass


def test_locks_overwrite_no_file_of_others(place: FileLocks) -> None:
    """A link, a file with several names, one with a text, and what is no file."""
    victim = place.folder / "victim"
    lock = place.event("r3f9")
    for kind, make in (
        ("link", lambda: lock.path.symlink_to(victim)),
        ("dangling link", lambda: lock.path.symlink_to("nowhere")),
        ("second name", lambda: os.link(victim, lock.path)),
        ("text", lambda: lock.path.write_text("my notes\n")),
        ("pipe", lambda: os.mkfifo(lock.path)),
    ):
        victim.write_text("123\n")
        make()
        before = lock.path.lstat()
        assert lock.holder() is None and place.running() == {}, kind
        with pytest.raises(DatabaseUnusable, match=r"lock file .*mtdf.db.r3f9.lock: .*remove it"):
            RunLock(place, "r3f9").acquire()
        assert os.path.samestat(lock.path.lstat(), before), kind
        assert victim.read_text() == "123\n", kind
        assert sorted(path.name for path in place.folder.iterdir()) == [lock.path.name, "victim"]
        lock.path.unlink()
    lock.path.write_text("12345\n")  # of a process that was killed
    with RunLock(place, "r3f9"):
        assert lock.holder() == Holder(os.getpid())


def test_database_has_locks_of_its_events(tmp_path: Path) -> None:
    with open_database(tmp_path / "mtdf.db") as database:
        with database.run_lock("rabc"):
            assert database.running_events() == {"rabc": Holder(os.getpid())}
            with pytest.raises(EventLocked):
                database.run_lock("rabc").acquire()
        assert database.running_events() == {}
