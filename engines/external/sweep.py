"""No orphans: what engines leave behind is found by a mark in its environment, and killed.

An engine and all that it starts inherit the variable ``MTDF_OWNER``, which names the process that
owns them. So they are found wherever they hide from the process group of their engine: by a
session of their own, or because their owner was killed. This needs ``/proc``, as Linux has it;
elsewhere only process groups are killed, and what left its group ends with its closed pipe.

A process that cleared its environment is found only by the worker that adopted it
(:func:`adopt_orphans`).
"""

from __future__ import annotations

import itertools
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import cache

OWNER = "MTDF_OWNER"
"""The variable of the mark: number and start time of the owner, its PID namespace, and a number
that no other engine of the owner has."""
END_GRACE_S = 1.0
"""How long a process that ends waits for those it killed."""
KILL_GRACE_S = 30.0
"""How long others wait for processes that they killed: the system frees a large table slowly where
it has other work."""

_PR_SET_CHILD_SUBREAPER = 36
_MOST_ENVIRONMENT = 4 << 20
"""Bytes of an environment that are searched."""
_STATE, _START = 0, 19
"""Places in /proc/PID/stat after the name, see proc_pid_stat(5)."""
_LOOK_EVERY_S = 0.002
_ROUNDS = 20
"""Generations of processes that start others while they are killed."""

_numbers = itertools.count(1)
_adopting = False


def new_mark() -> str | None:
    """The mark of a new engine of this process; None where marks cannot be read."""
    owner = _this_process(os.getpid())
    return None if owner is None else f"{owner}:{next(_numbers)}"


def adopt_orphans() -> None:
    """Make this process the parent of all descendants that lose theirs, so that they are found
    without a look at all processes of the machine. For a process whose children are engines and
    nothing else: it buries all others."""
    global _adopting
    change = prctl()
    if change is not None and os.path.exists(f"/proc/self/task/{os.getpid()}/children"):
        _adopting = change(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def adopts_orphans() -> bool:
    """Whether this process does that."""
    return _adopting


def kill_marked(mark: str | None, engines: Collection[int]) -> None:
    """Kill what an engine that ended has left behind. ``engines``: the running ones of this
    process."""
    if mark is None:
        return
    exactly = mark.encode()
    for _ in range(_ROUNDS):
        if _adopting:
            bury_strays(engines)
            found: Iterable[int] = [pid for pid in _children() if pid not in engines]
        else:
            found = _own_processes()
        if not _kill(found, lambda told: told == exactly):
            return


def bury_strays(engines: Collection[int]) -> None:
    """Let go of processes that this one adopted and that have ended; ``engines``: its others."""
    if _adopting:
        for pid in _children():
            if pid not in engines:
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)


def kill_family() -> None:
    """Kill all engines of this process and everything they started, within :data:`END_GRACE_S`.
    For a process that is about to end."""
    if not _adopting:
        owner = _this_process(os.getpid())
        if owner is not None:
            begin = f"{owner}:".encode()
            for _ in range(_ROUNDS):
                if not _kill(_own_processes(), lambda told: told.startswith(begin)):
                    return
        return
    deadline = time.monotonic() + END_GRACE_S
    while (children := _children()) and time.monotonic() < deadline:
        for pid in children:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)  # it is ours, so nothing else has its number yet
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(_LOOK_EVERY_S)


def kill_orphans() -> int:
    """Kill all processes of this user that engines started and whose owner is dead; how many.

    Those of a process that lives are left alone, and so are those of other PID namespaces, of which
    nothing can be known.
    """
    us = os.environ.get(OWNER, "").encode()
    killed: set[int] = set()
    for _ in range(_ROUNDS):
        found = _kill(_own_processes(), lambda told: told != us and _owner_is_dead(told))
        if not found:
            break
        killed |= found
    return len(killed)


def _kill(pids: Iterable[int], wanted: Callable[[bytes], bool]) -> set[int]:
    """Kill the processes among these whose mark is wanted, and wait until they are gone; which
    ones."""
    dying: dict[int, int] = {}
    for pid in pids:
        if not _is_wanted(pid, wanted):
            continue
        with suppress(OSError):
            handle = os.pidfd_open(pid)
            # The number may be another process's by now; what the handle means does not change.
            if _is_wanted(pid, wanted):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
                dying[handle] = pid
            else:
                os.close(handle)
    deadline = time.monotonic() + KILL_GRACE_S
    for handle, pid in dying.items():
        gone = select.poll()
        gone.register(handle, select.POLLIN)
        gone.poll(max(0.0, deadline - time.monotonic()) * 1000)
        os.close(handle)
        if _adopting:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
    return set(dying.values())


def _is_wanted(pid: int, wanted: Callable[[bytes], bool]) -> bool:
    told = _mark_of(pid)
    return told is not None and wanted(told)


def _mark_of(pid: int) -> bytes | None:
    """The mark of a process; None if it has none, or belongs to somebody else."""
    try:
        with open(f"/proc/{pid}/environ", "rb", buffering=0) as file:
            text = b"\0" + file.read(_MOST_ENVIRONMENT)
    except OSError:
        return None
    _, found, rest = text.partition(b"\0%s=" % OWNER.encode())
    return rest.partition(b"\0")[0] if found else None


def _own_processes() -> Iterator[int]:
    """The numbers of all processes of this user but this one; none without ``/proc``."""
    if not sys.platform.startswith("linux"):
        return
    us, user = os.getpid(), os.getuid()
    with suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) != us:
                with suppress(OSError):
                    if os.stat(f"/proc/{name}").st_uid == user:
                        yield int(name)


def _children() -> list[int]:
    """The numbers of this process's children, dead ones included until they are buried."""
    found: list[int] = []
    with suppress(OSError):
        for task in os.listdir("/proc/self/task"):
            with suppress(OSError), open(f"/proc/self/task/{task}/children", "rb") as file:
                found += map(int, file.read().split())
    return found


def _owner_is_dead(mark: bytes) -> bool:
    """Whether the owner that a mark names is known to be dead."""
    try:
        pid, start, namespace, _ = map(int, mark.split(b":"))
    except ValueError:
        return False
    if namespace != _namespace():
        return False
    stat = _stat(pid)
    if stat is not None:
        return int(stat[_START]) != start or stat[_STATE] in ("Z", "X")
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass  # it lives, and may not be looked at
    return False


@cache
def _this_process(pid: int) -> str | None:
    """What begins the marks of this process, whose number is ``pid``; None without ``/proc``."""
    stat, namespace = _stat(pid), _namespace()
    return None if stat is None or namespace is None else f"{pid}:{stat[_START]}:{namespace}"


def _namespace() -> int | None:
    """What the numbers of processes refer to, see pid_namespaces(7)."""
    try:
        return os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return None


def _stat(pid: int) -> list[str] | None:
    """The state of a process, see :data:`_START`; None if it cannot be read."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name, in brackets, may hold anything.
            return file.read().decode("ascii", "replace").rpartition(") ")[2].split()
    except OSError:
        return None


@cache
def prctl() -> Callable[..., int] | None:
    """prctl(2) of Linux; None elsewhere."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    with suppress(AttributeError, OSError):
        function: Callable[..., int] = ctypes.CDLL(None).prctl
        return function
    return None
