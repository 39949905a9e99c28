"""Locks of files in the cache, which several processes may want to make at once."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LOOK_EVERY_S = 0.1


@contextmanager
def locked(path: Path, on_wait: Callable[[], object] | None = None) -> Iterator[int]:
    """Hold the lock of a file, which is made; its descriptor. ``on_wait`` is called once if another
    process has it. A process that inherits the descriptor holds the lock, too."""
    handle = _taken(path, on_wait)
    try:
        yield handle
    finally:
        os.close(handle)


def is_locked(path: Path) -> bool:
    """Whether a process has the lock of a file. Whoever asks takes it for a moment."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _is_free(handle)
    finally:
        os.close(handle)


def _taken(path: Path, on_wait: Callable[[], object] | None) -> int:
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # its folder was removed at this moment
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                if _is_free(handle) and os.path.samestat(os.fstat(handle), os.stat(path)):
                    return handle
            except FileNotFoundError:
                pass
            except BaseException:
                os.close(handle)
                raise
            os.close(handle)
        if on_wait is not None:
            on_wait()
            on_wait = None
        time.sleep(_LOOK_EVERY_S)


def _is_free(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
