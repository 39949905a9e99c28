"""Compressed files are unpacked within bounds; the tests of the import cover damaged streams."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import zstandard

from toolkit.base.compressed import PackedFile, translated
from toolkit.base.errors import UsageError
from toolkit.books.book import find_book, load_book
from toolkit.imports.scan import scan_games
from toolkit.imports.source import open_games
from toolkit.lab.suite import read_suite

EPD = b"4k3/8/8/8/8/8/4P3/4K3 w - -\n4k3/8/8/8/8/8/3P4/4K3 w - -\n"
PGN = b'[Event "x"]\n[Result "*"]\n\n1. e4 e5 *\n\n[Event "y"]\n[Result "*"]\n\n1. d4 d5 *\n'


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


PACK: dict[str, Callable[[str, bytes], bytes]] = {
    ".gz": lambda _, data: gzip.compress(data),
    ".bz2": lambda _, data: bz2.compress(data),
    ".xz": lambda _, data: lzma.compress(data),
    ".zst": lambda _, data: zstandard.ZstdCompressor().compress(data),
    ".zip": lambda name, data: zipped({"folder/": b"", f"folder/{name}": data}),
}


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize(("name", "data"), [("b.epd", EPD), ("b.pgn", PGN)])
def test_packed_book_is_the_book(tmp_path: Path, name: str, data: bytes, suffix: str) -> None:
    (tmp_path / name).write_bytes(data)
    plain = load_book(tmp_path / name)
    packed = tmp_path / f"{name}{suffix.upper()}"
    packed.write_bytes(PACK[suffix](name, data))
    book = load_book(packed)
    assert (book.id, book.name, len(book.openings)) == (plain.id, "b", 2)
    assert find_book(plain.id, str(packed)) == book
    assert read_suite(packed).identity == read_suite(tmp_path / name).identity
    with open_games(packed) as source:
        if name == "b.pgn":
            assert len(list(scan_games(source.lines(packed.suffix)))) == 2


def test_file_in_a_zip_archive_says_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "book.zip"
    path.write_bytes(zipped({"games.pgn": PGN}))
    assert load_book(path).name == "games" and len(load_book(path, plies=1).openings) == 2


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (zipped({}), "must have one file in it, this has 0"),
        (zipped({"a.epd": EPD, "b.epd": EPD}), "must have one file in it, this has 2"),
        (zipped({"a.epd": EPD * 99})[:60], "not a zip file"),
        (EPD, "not a zip file"),
        (zipped({"a.epd": EPD}).replace(b"PK\x03\x04\x14\0\0", b"PK\x03\x04\x14\0\1"), ""),
    ],
    ids=[
        "empty",
        "two files",
        "cut",
        "no archive",
        "encrypted",
    ],  # the archives have the time in them
)
def test_archives_that_cannot_be_read_are_one_line(
    tmp_path: Path, data: bytes, reason: str
) -> None:
    path = tmp_path / "b.epd.zip"
    if not reason:  # the directory says that a password is needed
        data = data.replace(b"PK\x01\x02\x14\x03\x14\0\0", b"PK\x01\x02\x14\x03\x14\0\1")
        reason = "password required"
    path.write_bytes(data)
    with pytest.raises(UsageError, match=rf"\Abook \S+ cannot be decompressed: [^\n]*{reason}"):
        load_book(path)


@pytest.mark.parametrize("suffix", PACK)
def test_unpacked_size_is_bounded(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolkit.books.book._MAX_BYTES", 5_000_000)
    path = tmp_path / f"b.epd{suffix}"
    path.write_bytes(PACK[suffix]("b.epd", bytes(30_000_000)))
    assert path.stat().st_size < 200_000
    tracemalloc.start()
    try:
        with pytest.raises(UsageError, match=r"book \S+ is larger than 5 MB\Z"):
            load_book(path)
        assert tracemalloc.get_traced_memory()[1] < 25_000_000
    finally:
        tracemalloc.stop()


def test_plain_files_are_given_as_they_are() -> None:
    for data in (b"", b"x", b"0123456789" * 100_000):
        packed = PackedFile(io.BytesIO(data).read, "a.pgn")
        assert b"".join(packed.pieces()) == data and packed.name == "a.pgn"


def test_full_disk_is_not_reported_as_damage() -> None:
    with pytest.raises(UsageError, match="cannot read x: No space left"), translated("x"):
        raise OSError(28, "No space left on device")
