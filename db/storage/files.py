"""Checks before SQLite opens a file, so that errors name the real cause and no file is written by
mistake."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct

from db.errors import DatabaseMissing, DatabaseUnusable
from db.storage.engine import is_writable, not_sqlite, read_only_file
from db.storage.sides import SQLITE_MAGIC, head_of

_SPARE = 1.1
"""Factor for the size of a copy of the content; a log has headers."""


def check_file(path: Path, *, create: bool, read_only: bool) -> bool:
    """Whether ``path`` is a database; False if one must be created there.

    Raises DatabaseMissing, DatabaseUnusable, DatabaseReadOnly or DatabaseForeign.
    """
    name = str(path)
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return _check_absent(path, create=create and not read_only)
    except OSError as error:
        raise DatabaseUnusable(f"cannot open {name}: {error.strerror}") from None
    if not stat.S_ISREG(status.st_mode):
        raise DatabaseUnusable(f"{name} is not a regular file: give the path of a database file")
    if status.st_nlink > 1:
        # SQLite, as this program, has logs and locks for each name (sqlite.org/howtocorrupt.html).
        raise DatabaseUnusable(
            f"{name} has {status.st_nlink} names (hard links), each with its own locks: remove the "
            "others"
        )
    try:
        head = head_of(path, len(SQLITE_MAGIC))
    except OSError as error:
        raise DatabaseUnusable(f"cannot open {name}: {error.strerror}") from None
    if not head and create and not read_only:
        _check_writable(path)
        return False
    if head != SQLITE_MAGIC:
        raise not_sqlite(name)
    if not read_only:
        _check_writable(path)
    return True


class CreatedFile(Struct, frozen=True):
    """A file that this process created."""

    path: Path
    status: os.stat_result

    def remove_if_empty(self) -> None:
        """Remove it if it is still empty and has not been replaced."""
        with suppress(OSError):
            status = self.path.lstat()
            if status.st_size == 0 and os.path.samestat(status, self.status):
                self.path.unlink()


def create_file(path: Path) -> CreatedFile | None:
    """Create an empty file, where a link leads; None if there is one already. Raises
    DatabaseUnusable."""
    real = Path(os.path.realpath(path))
    try:
        file = os.open(real, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        return None
    except OSError as error:
        raise DatabaseUnusable(f"cannot create {path}: {error.strerror}") from None
    try:
        return CreatedFile(real, os.fstat(file))
    finally:
        os.close(file)


def _check_absent(path: Path, *, create: bool) -> bool:
    if not create:
        raise DatabaseMissing(f"no database at {path} (set MTDF_DB or pass --db)")
    folder = path.parent
    if not folder.is_dir():
        raise DatabaseUnusable(f"folder {folder} for {path.name} does not exist: create it first")
    if not is_writable(folder):
        raise read_only_file(str(path))
    return False


def _check_writable(path: Path) -> None:
    if not is_writable(path) or not is_writable(path.parent):
        raise read_only_file(str(path))


def check_space(path: Path, used: int, name: str) -> None:
    """Raises DatabaseUnusable if the disk cannot hold what SQLite writes while it vacuums a
    database with ``used`` bytes of content: a copy in a temporary folder, and the log beside the
    file."""
    needed: dict[int, tuple[Path, int]] = {}
    for folder in (path.resolve().parent, _temporary_folder()):
        device = folder.stat().st_dev
        needed[device] = folder, used + needed.get(device, (folder, 0))[1]
    for folder, size in needed.values():
        check_free(folder, size, f"{name}: vacuuming")


def check_free(folder: Path, size: int, what: str) -> None:
    """Raises DatabaseUnusable if a folder's disk has no room for ``size`` bytes of SQLite's."""
    free = shutil.disk_usage(folder).free
    if free < size * _SPARE:
        raise DatabaseUnusable(
            f"{what} needs {size * _SPARE / 1e6:.0f} MB in {folder}, and {free / 1e6:.0f} MB are "
            "free; nothing was changed"
        )


def _temporary_folder() -> Path:
    """Where SQLite puts temporary files (sqlite.org/tempfiles.html, section 5)."""
    named = (os.environ.get("SQLITE_TMPDIR"), os.environ.get("TMPDIR"))
    for text in (*named, "/var/tmp", "/usr/tmp", "/tmp"):
        if text and os.path.isdir(text) and os.access(text, os.W_OK | os.X_OK):
            return Path(text)
    return Path()


def remove_empty_log(path: Path) -> None:
    """Remove the side files that readers of a database create but may not remove themselves.

    SQLite does this when the last connection that may write is closed; other processes are not
    affected.
    """
    try:
        size = path.with_name(path.name + "-wal").stat().st_size
    except OSError:
        return  # there is no log
    if size > 0 or not is_writable(path):
        return
    uri = f"file:{quote(str(path.absolute()))}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=0)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.DatabaseError:
        pass  # in use by others, or damaged: others report that
    finally:
        connection.close()
