"""Files that a user names: opened for reading, and written as a whole.

What is no file must end in an error, not in waiting: a named pipe may have no writer, and a device
such as ``/dev/zero`` has no end. The pipe of a shell, as in ``--book <(zcat a.epd.gz)``, has no
name and is read like a file.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from toolkit.base.errors import OperationFailed, UsageError


def open_input(path: str | Path, *, named_pipe: bool = False) -> BinaryIO:
    """Open a file for reading. Raises OSError with the reason if it cannot be read, also for a
    device that is neither a terminal nor empty, and, unless ``named_pipe``, for a named pipe."""
    if not named_pipe:
        _refuse_named_pipe(path)
    file = open(path, "rb")  # noqa: SIM115 -- the caller closes it
    status = os.fstat(file.fileno())
    endless = stat.S_ISCHR(status.st_mode) and not os.path.samestat(status, os.stat(os.devnull))
    if endless and not file.isatty():
        file.close()
        raise OSError(errno.EINVAL, "it is a device: give a file", str(path))
    return file


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a file as a whole, text as UTF-8: if that fails, an older one is unchanged, and a new
    one does not exist. It is written beside its place and then renamed; a device, and the pipe of
    a shell, are written in place. Raises OSError, and UnicodeError for a text that is not UTF-8."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    with whole_file(path) as file:
        file.write(data)


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """A file to be written as :func:`write_whole` does, in pieces: it has its name if the context
    ends without an error. Every output is opened here. Raises OSError, also where it would destroy
    a database."""
    from db.storage.sides import part_of, refuse_database  # the help page needs no database

    _refuse_named_pipe(path)
    refuse_database(path)
    place = Path(os.path.realpath(path))
    if place.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    # The pipe of a shell is there, but its real path is not.
    is_other = Path(path).exists() and not Path(path).is_file()
    if is_other or not place.parent.is_dir():
        with Path(path).open("wb") as file:
            yield file
        return
    with part_of(place) as (part, descriptor):
        with open(descriptor, "wb", closefd=False) as file:
            yield file
        if place.exists():
            part.chmod(stat.S_IMODE(place.stat().st_mode))
        os.replace(part, place)


def write_output(path: str | Path, content: str | bytes) -> None:
    """:func:`write_whole` for a file that a user names. Raises OperationFailed."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise OperationFailed(f"cannot write {path}: {error.strerror or error}") from error
    except UnicodeEncodeError as error:
        raise OperationFailed(f"cannot write {path}: the text is not valid Unicode") from error


def check_writable(path: Path) -> None:
    """Raises OSError if no file can be written beside ``path``, which :func:`whole_file` needs: a
    byte is written and removed again. Also where it would destroy a database."""
    from db.storage.sides import part_of, refuse_database

    refuse_database(path)
    with part_of(Path(os.path.realpath(path))) as (_, file):
        os.write(file, b"\n")


def check_place(path: Path) -> None:
    """Raise UsageError if a file that a user names could not be written, before the work for it is
    done."""
    from db.storage.sides import refuse_database

    if path.is_dir():
        raise UsageError(f"cannot write {path}: it is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise UsageError(f"cannot write {path}: there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"cannot write {path}: permission denied")
    try:
        refuse_database(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def _refuse_named_pipe(path: str | Path) -> None:
    """Raises OSError for a named pipe; the pipe of a shell has a name in /dev or /proc only."""
    place = os.path.realpath(path)
    try:
        is_pipe = stat.S_ISFIFO(os.lstat(place).st_mode)
    except OSError:
        return  # a missing file, or the pipe of a shell: opening it says
    if is_pipe and not place.startswith(("/dev/", "/proc/")):
        raise OSError(errno.EINVAL, "it is a named pipe: give a file", str(path))
