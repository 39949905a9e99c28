"""The builds of engines in the user's cache, a folder for each commit and build command.

A folder has the work tree, the log of the build and a record, which says how far the build came: an
interrupted one never counts as built. Who builds or removes holds the folder's lock.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from engines.cache import user_cache
from engines.errors import EngineFailure
from engines.external.locks import is_locked, locked
from engines.notices import tell
from engines.spec import GitBuild, GitSource

State = Literal["building", "failed", "built"]


class Build(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What is known of one build."""

    source: GitSource
    state: State
    """``building`` also for one that was interrupted."""
    started_at: str
    seconds: float = 0.0
    """How long it took."""
    binary: str = ""
    """Path of the program in the work tree."""
    program: str = ""
    """SHA-256 of the program."""
    known: GitBuild = GitBuild(subject="", date="")

    @property
    def folder(self) -> Path:
        """Where it is."""
        return folder_of(self.source)

    @property
    def path(self) -> str:
        """The absolute path of the program."""
        return str(self.folder / TREE / self.binary)


TREE = "tree"
LOG = "build.log"
_LOCK = "lock"
_RECORD = "build.json"


def folder_of(source: GitSource) -> Path:
    """Where the build of a source is, or would be."""
    return _builds() / source.key


def lock_of(source: GitSource) -> Path:
    """The lock of a build, see :func:`engines.external.locks.locked`."""
    return folder_of(source) / _LOCK


def find_build(source: GitSource) -> Build | None:
    """The build of a source; None unless it is complete."""
    build = _read(folder_of(source))
    is_there = build is not None and build.state == "built" and os.path.isfile(build.path)
    return build if is_there else None


def built(source: GitSource) -> Build:
    """The build of a source. Raises EngineFailure if it is not in the cache."""
    build = find_build(source)
    if build is None:
        raise EngineFailure(
            f"the build of commit {source.version} is not in the cache {folder_of(source)} any more"
        )
    return build


def keep(build: Build) -> None:
    """Write the record of a build, as a whole."""
    record = build.folder / _RECORD
    part = record.with_suffix(f".{os.getpid()}")
    part.write_bytes(msgspec.json.encode(build))
    os.replace(part, record)


def all_builds() -> list[Build]:
    """Every build in the cache, also those that failed, the newest first."""
    with suppress(FileNotFoundError):
        found = [build for folder in _builds().iterdir() if (build := _read(folder)) is not None]
        return sorted(found, key=lambda build: build.started_at, reverse=True)
    return []


def builds_of(source: GitSource) -> Iterator[Build]:
    """The complete builds of the same commit, changes and program by other commands."""
    same = (source.commit, source.diff, source.binary)
    for build in all_builds():
        one = build.source
        if build.state == "built" and (one.commit, one.diff, one.binary) == same:
            yield build


def status_of(build: Build) -> str:
    """How far a build came, in a word."""
    was_left = build.state == "building" and not is_locked(build.folder / _LOCK)
    return "interrupted" if was_left else build.state


def size_of(build: Build) -> int:
    """Bytes that a build takes in the cache."""
    sizes = 0
    for folder, _, names in os.walk(build.folder):
        for name in names:
            with suppress(OSError):
                sizes += os.lstat(os.path.join(folder, name)).st_blocks * 512
    return sizes


def remove(build: Build) -> None:
    """Remove a build, once nobody builds it any more. Raises EngineFailure."""
    with locked(build.folder / _LOCK, lambda: tell(f"build {build.source.key} goes on, waiting")):
        try:
            (build.folder / _RECORD).unlink(missing_ok=True)
            shutil.rmtree(build.folder)
        except OSError as error:
            raise EngineFailure(f"cannot remove `{build.folder}`: {error.strerror}") from None


def _builds() -> Path:
    return user_cache() / "builds"


def _read(folder: Path) -> Build | None:
    """The record in a folder; None if there is none, or it is damaged."""
    try:
        return msgspec.json.decode((folder / _RECORD).read_bytes(), type=Build)
    except (OSError, msgspec.DecodeError):
        return None
