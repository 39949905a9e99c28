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
from sqlalchemy.engine import make_url

from db.errors import DatabaseLocked, DatabaseUnusable, EventLocked
from db.session import open_database
from db.storage.lock import LockPlace, RunLock, WholeLock, _FileLock

HOLD = """
import sys
import threading
from pathlib import Path
from db.storage.lock import RunLock, LockPlace, WholeLock
place = LockPlace.beside(Path(sys.argv[1]), "mtdf.db")
whole = sys.argv[2] == "upgrade"
lock = WholeLock(place, 1.0, "upgraded") if whole else RunLock(place, sys.argv[2])
with lock:
    print("held", flush=True)
    sys.stdin.read()
"""


Hold = Callable[[str], AbstractContextManager["subprocess.Popen[str]"]]


@pytest.fixture
def place(tmp_path: Path) -> LockPlace:
    """Where the locks of a database of this test are."""
    return LockPlace.beside(tmp_path / "mtdf.db", "mtdf.db")


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


def test_one_process_plays_an_event(place: LockPlace, hold: Hold) -> None:
    lock = RunLock(place, "r3f9")
    with hold("r3f9") as other:
        assert lock.holder() == other.pid
        assert place.running() == {"r3f9": other.pid}
        with pytest.raises(EventLocked) as caught:
            lock.acquire()
        assert str(caught.value) == (
            f"event r3f9 in mtdf.db is already running in process {other.pid}: "
            "wait for it or stop it"
        )
        with RunLock(place, "r3f8"):
            assert place.running() == {"r3f8": os.getpid(), "r3f9": other.pid}
    with lock:
        assert lock.holder() == os.getpid()
    assert lock.holder() is None


def test_a_lock_dies_with_its_process(place: LockPlace, hold: Hold) -> None:
    with hold("r3f9") as other:
        other.send_signal(signal.SIGKILL)
        other.wait()
        assert place.event("r3f9").exists(), "the file of a killed process stays"
        assert place.running() == {}
        with RunLock(place, "r3f9") as lock:
            assert lock.holder() == os.getpid()
    assert list(place.folder.iterdir()) == [], "and goes with its next owner"


def test_a_lock_is_alone_within_a_process_too(place: LockPlace) -> None:
    with RunLock(place, "r3f9"):
        with pytest.raises(EventLocked):
            RunLock(place, "r3f9").acquire()


def test_a_lock_can_be_taken_again(place: LockPlace) -> None:
    lock = RunLock(place, "r3f9")
    for _ in range(3):
        lock.acquire()
        lock.release()
        lock.release()
    assert list(place.folder.iterdir()) == []


def test_a_refused_lock_is_given_back(place: LockPlace) -> None:
    def refuse() -> None:
        raise ValueError("not now")

    with pytest.raises(ValueError, match="not now"):
        RunLock(place, "r3f9", refuse).acquire()
    assert list(place.folder.iterdir()) == []


def test_looking_who_plays_disturbs_nobody(place: LockPlace) -> None:
    """Whoever looks holds the lock for a moment; who wants it waits that long."""
    looker = os.open(place.event("r3f9"), os.O_RDWR | os.O_CREAT)
    fcntl.flock(looker, fcntl.LOCK_SH)
    timer = threading.Timer(0.1, os.close, (looker,))
    timer.start()
    with RunLock(place, "r3f9") as lock:
        assert lock.holder() == os.getpid()
    timer.join()


def test_a_removed_file_locks_nothing(place: LockPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last owner removes the file just when the next one has opened it."""
    owner = RunLock(place, "r3f9")
    owner.acquire()
    open_file = _FileLock._open

    def open_late(self: _FileLock) -> int:
        handle = open_file(self)
        if self._path == place.event("r3f9"):
            owner.release()
        return handle

    with monkeypatch.context() as patch:
        patch.setattr(_FileLock, "_open", open_late)
        next_owner = RunLock(place, "r3f9")
        next_owner.acquire()
    with pytest.raises(EventLocked):
        RunLock(place, "r3f9").acquire()
    next_owner.release()


def test_no_event_starts_during_an_upgrade(place: LockPlace, hold: Hold) -> None:
    with hold("upgrade"):
        with pytest.raises(DatabaseLocked, match="mtdf.db is being upgraded"):
            RunLock(place, "r3f9").acquire()
        with pytest.raises(DatabaseLocked, match="being upgraded by another process"):
            with WholeLock(place, 0.0, "upgraded"):
                pass
    with WholeLock(place, 0.0, "upgraded"):
        pass
    assert list(place.folder.iterdir()) == []


def test_no_upgrade_during_an_event(place: LockPlace, hold: Hold) -> None:
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
    assert LockPlace.beside(link, "x").event("r1") == LockPlace.beside(real, "x").event("r1")


def test_databases_of_like_names_do_not_share_locks(tmp_path: Path) -> None:
    one, two = (LockPlace.beside(tmp_path / name, name) for name in ("a.db", "a.db.r123.lock"))
    with RunLock(two, "r3f9"):
        assert one.running() == {}
        with RunLock(one, "r3f9"):
            assert one.running() == two.running() == {"r3f9": os.getpid()}


def test_a_lock_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    place = LockPlace.beside(tmp_path / "gone" / "mtdf.db", "mtdf.db")
    with pytest.raises(DatabaseUnusable, match="No such file or directory"):
        RunLock(place, "r3f9").acquire()


def test_a_lock_that_cannot_be_signed_is_told_and_given_back(
    place: LockPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk a file can be made and nothing be written into it."""

    def write_nothing(handle: int, data: bytes, offset: int) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", write_nothing)
        with pytest.raises(DatabaseUnusable) as caught:
            RunLock(place, "r3f9").acquire()
        assert str(caught.value) == f"lock file {place.event('r3f9')}: No space left on device"
        with pytest.raises(DatabaseUnusable, match="No space left on device"):
            with WholeLock(place, 0.0, "upgraded"):
                pass
    assert list(place.folder.iterdir()) == []
    with RunLock(place, "r3f9"):
        pass


def test_servers_have_their_locks_elsewhere() -> None:
    url = make_url("postgresql://user:secret@host:5432/mtdf")
    place = LockPlace.of_server(url)
    assert place.folder.stat().st_mode & 0o077 == 0
    assert "secret" not in place.name and "secret" not in str(place.event("r1"))
    assert place == LockPlace.of_server(url)
    other = LockPlace.of_server(make_url("postgresql://user:secret@host:5432/other"))
    assert other.event("r1") != place.event("r1")


def test_a_database_hands_out_its_locks(tmp_path: Path) -> None:
    with open_database(tmp_path / "mtdf.db") as database:
        with database.run_lock("rabc"):
            assert database.running_events() == {"rabc": os.getpid()}
            with pytest.raises(EventLocked):
                database.run_lock("rabc").acquire()
        assert database.running_events() == {}
