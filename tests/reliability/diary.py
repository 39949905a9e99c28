"""Commands on a disk that keeps a diary (``disk.c``), and what a power failure leaves of their
files.

The model: a file has, for certain, what was in it when it was last flushed. Of the writes since
then any part may have reached the disk, in any order, in sectors of 512 bytes. A name that was
made, removed or renamed is certain when the folder was flushed; before that, the disk has the first
some of these changes.
"""

from __future__ import annotations

import os
import random
import struct
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SECTOR = 512
_HEAD = struct.Struct("=5Q")
_OPEN, _WRITE, _TRUNCATE, _SYNC, _SYNC_FOLDER, _UNLINK, _RENAME = range(1, 8)

Image = dict[str, bytes]
"""Files by name."""


@dataclass(frozen=True, slots=True)
class Record:
    """One change, as ``disk.c`` writes it."""

    what: int
    file: int
    at: int
    data: bytes


@dataclass(slots=True, eq=False)
class _File:
    """A file: what is certain of it, and the writes (place, data) and truncations (size, None)
    after that."""

    certain: bytes = b""
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)

    def content(self, changes: Sequence[tuple[int, bytes | None]]) -> bytes:
        """The certain content with some changes."""
        content = bytearray(self.certain)
        for at, data in changes:
            end = at if data is None else at + len(data)
            if len(content) < end:
                content.extend(bytes(end - len(content)))
            if data is None:
                del content[at:]
            else:
                content[at:end] = data
        return bytes(content)

    def sync(self) -> None:
        self.certain = self.content(self.pending)
        self.pending.clear()


@dataclass(frozen=True, slots=True)
class Cut:
    """A power failure: after how many records, the files it left, and how it did that."""

    moment: int
    image: Image
    how: str


class Diary:
    """The records of one command, replayed record by record."""

    def __init__(self, before: dict[int, tuple[str, bytes]], log: Path) -> None:
        """``before``: name and content of the files that were there, by inode."""
        self._before, self._log = before, log
        self._number = 0
        self.records = list(_read(log))
        self._files = {inode: _File(content) for inode, (_, content) in before.items()}
        self._files |= {1: _File(), 2: _File()}  # what was printed
        self._names = {name: self._files[inode] for inode, (name, _) in before.items()}
        self._certain_names = dict(self._names)
        self._renamings: list[dict[str, _File]] = []
        """The names after each change since the folder was flushed."""

    def __iter__(self) -> Iterator[int]:
        """Replay: the number of records so far, from 0."""
        yield 0
        for number, record in enumerate(self.records, 1):
            self._apply(record)
            yield number

    def again(self) -> Diary:
        """The same diary, at its begin."""
        return Diary(self._before, self._log)

    @property
    def printed(self) -> bytes:
        """What was written to standard output."""
        return self._files[1].content(self._files[1].pending)

    def file(self, name: str) -> bytes:
        """What a program reads in the file now; nothing if there is none."""
        found = self._names.get(name)
        return b"" if found is None else found.content(found.pending)

    def certain(self) -> Image:
        """Nothing reached the disk that was not flushed."""
        return {name: file.certain for name, file in self._certain_names.items()}

    def torn(self, sectors: int) -> Image | None:
        """All reached the disk but the last write, of which so many sectors did. None if the last
        record is no write, or has no more sectors."""
        last = self._last()
        if last is None or last.at // SECTOR + sectors >= -(-(last.at + len(last.data)) // SECTOR):
            return None
        cut = (last.at // SECTOR + sectors) * SECTOR - last.at
        image = {}
        for name, file in self._names.items():
            changes = file.pending
            if file is self._files[last.file]:
                part = [(last.at, last.data[:cut])] if cut > 0 else []
                changes = [*file.pending[:-1], *part]
            image[name] = file.content(changes)
        return image

    def shuffled(self, rng: random.Random) -> Image:
        """Some sectors of what was not flushed reached the disk."""
        names = rng.choice([self._certain_names, *self._renamings])
        share = rng.choice([0.1, 0.5, 0.9])
        return {
            name: file.content([c for c in _sectors(file.pending) if rng.random() < share])
            for name, file in names.items()
        }

    def _last(self) -> Record | None:
        record = self.records[self._number - 1] if self._number else None
        return record if record is not None and record.what == _WRITE and record.file > 2 else None

    def _apply(self, record: Record) -> None:
        self._number += 1
        if record.what == _OPEN:
            self._files[record.file] = file = _File()
            self._rename({**self._names, record.data.decode(): file})
        elif record.what == _WRITE:
            file = self._files[record.file]
            at = record.at if record.file > 2 else sum(len(data or b"") for _, data in file.pending)
            file.pending.append((at, record.data))
        elif record.what == _TRUNCATE:
            self._files[record.file].pending.append((record.at, None))
        elif record.what == _SYNC:
            self._files[record.file].sync()
        elif record.what == _SYNC_FOLDER:
            self._certain_names = self._names
            self._renamings.clear()
        elif record.what == _UNLINK:
            gone = record.data.decode()
            self._rename({name: file for name, file in self._names.items() if name != gone})
        elif record.what == _RENAME:
            old, new = record.data.decode().split("/")
            names = {name: file for name, file in self._names.items() if name != old}
            self._rename({**names, new: self._names[old]})

    def _rename(self, names: dict[str, _File]) -> None:
        self._names = names
        self._renamings.append(names)


def cuts(diary: Diary, *, every_sector: bool, samples: int, seed: int) -> Iterator[Cut]:
    """Power failures after each record: what was flushed, all but the rest of the last write (torn
    at each sector, or at one), and random ``samples``."""
    rng = random.Random(seed)
    for moment in diary:
        found = [(diary.certain(), "only what was flushed")]
        torn = []
        while (image := diary.torn(len(torn))) is not None:
            torn.append((image, f"all but the last write after {len(torn)} sectors"))
        found += torn if every_sector else torn[rng.randrange(len(torn)) :][:1] if torn else []
        found += [(diary.shuffled(rng), f"sample {number}") for number in range(samples)]
        yield from (Cut(moment, image, how) for image, how in found)


def run_on_disk(
    library: Path, folder: Path, words: Sequence[str], **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder on the disk of ``disk.c``; ``environment``: its variables."""
    return subprocess.run(
        words,
        cwd=folder,
        env=os.environ
        | {
            "LD_PRELOAD": str(library),
            "DISK_FOLDER": str(folder.resolve()),
            "PYTHONSAFEPATH": "1",
            "MTDF_DB": "m.db",
        }
        | environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def recorded(library: Path, folder: Path, words: Sequence[str]) -> Diary:
    """The diary of a command, which must succeed."""
    before = {path.stat().st_ino: (path.name, path.read_bytes()) for path in folder.iterdir()}
    log = folder.with_name(f"{folder.name}.log")
    done = run_on_disk(library, folder, words, DISK_LOG=str(log))
    assert done.returncode == 0, done.stderr
    return Diary(before, log)


def _read(log: Path) -> Iterator[Record]:
    data, place = log.read_bytes(), 0
    while place < len(data):
        what, file, at, size, _ = _HEAD.unpack_from(data, place)
        place += _HEAD.size
        yield Record(what, file, at, data[place : place + size])
        place += size


def _sectors(
    changes: Sequence[tuple[int, bytes | None]],
) -> Iterator[tuple[int, bytes | None]]:
    """The changes, each write cut at the borders of sectors."""
    for at, data in changes:
        if data is None:
            yield at, None
            continue
        begin = 0
        while begin < len(data):
            end = min(len(data), begin + SECTOR - (at + begin) % SECTOR)
            yield at + begin, data[begin:end]
            begin = end
