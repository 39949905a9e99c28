"""Lines of files and pipes are read in any compression and encoding, in bounded memory."""

from __future__ import annotations

import bz2
import errno
import gzip
import hashlib
import io
import lzma
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

import pytest
import zstandard

from db.errors import DatabaseMoved
from toolkit.base.errors import UsageError
from toolkit.imports.game import BadGame, read_game
from toolkit.imports.run import BATCH_BYTES, _batches
from toolkit.imports.scan import scan_games
from toolkit.imports.source import MAX_GAME_BYTES, GameSource, is_pipe, open_games

ONE = b'[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n'
HEAD = b'[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n'
PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}
MIB = 1 << 20


class Stream(io.RawIOBase):
    """A file of what an iterator gives, of which nothing is kept."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        if not self._rest:
            self._rest = next(self._pieces, b"")
        data, self._rest = self._rest[:size], self._rest[size:]
        return data


def lines_of(data: bytes, suffix: str = "") -> list[bytes]:
    """The lines of a file of these bytes."""
    return list(GameSource(io.BytesIO(data), len(data)).lines(suffix))


def times(data: bytes, count: int) -> Iterator[bytes]:
    """These bytes so often, some at a time."""
    piece = data * max(1, 100_000 // len(data))
    left = len(data) * count
    while left > 0:
        yield piece[:left]
        left -= len(piece)


def peak_of(pieces: Iterable[bytes]) -> tuple[int, list[str | None]]:
    """The greatest memory in bytes that scanning and reading a file takes, and what is wrong with
    its games."""
    source = GameSource(cast("BinaryIO", Stream(pieces)), None)
    problems = []
    tracemalloc.start()
    try:
        for raw in scan_games(source.lines()):
            problem = raw.problem
            try:
                read_game(raw)
            except BadGame as error:
                problem = str(error)
            problems.append(problem)
        return tracemalloc.get_traced_memory()[1], problems
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("suffix", PACK)
def test_compressed_files_are_known_by_their_content(tmp_path: Path, suffix: str) -> None:
    half = ONE * 100
    path = tmp_path / "games.txt"
    path.write_bytes(PACK[suffix](half) + PACK[suffix](half))
    with open_games(path) as source:
        assert sum(game.problem is None for game in scan_games(source.lines())) == 200
    assert source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert source.share == 1.0


@pytest.mark.parametrize("suffix", PACK)
def test_archives_that_are_cut_off_or_damaged_are_told_in_one_line(
    tmp_path: Path, suffix: str
) -> None:
    whole = PACK[suffix](os.urandom(200_000))
    path = tmp_path / f"games.pgn{suffix.upper()}"
    for data in (whole[:-9], whole[:100_000], whole[:5], ONE, whole + b"garbage"):
        path.write_bytes(data)
        with (
            pytest.raises(UsageError, match=r"\A\S+ cannot be decompressed: [^\n]+\Z"),
            open_games(path) as source,
        ):
            list(source.lines(path.suffix))


def test_dictionary_that_takes_too_much_memory_is_refused() -> None:
    # `xz --lzma2=dict=1GiB`, of two letters
    data = bytes.fromhex(
        "fd377a585a000004e6d6b44602002101240000005e1fc7f9010001653400"
        "00007775f63f634561eb00011a02dc2ea57e1fb6f37d010000000004595a"
    )
    assert lzma.decompress(data) == b"e4"
    with pytest.raises(UsageError, match="cannot be decompressed"):
        lines_of(data)


def test_missing_file_is_reported(tmp_path: Path) -> None:
    for path in (tmp_path / "no.pgn", tmp_path):
        with pytest.raises(UsageError, match="cannot read"), open_games(path) as source:
            list(source.lines())


def test_errors_of_the_reader_are_not_changed(tmp_path: Path) -> None:
    """The database and the disk that the games go to raise errors of the system, too."""
    path = tmp_path / "games.pgn"
    path.write_bytes(ONE)
    for error in (DatabaseMoved("moved"), OSError(errno.ENOSPC, "disk full"), EOFError()):
        with pytest.raises(type(error)) as caught, open_games(path) as source:
            for _ in source.lines():
                raise error
        assert caught.value is error


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("mark", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_line_ends_and_encodings(end: bytes, mark: str) -> None:
    text = ONE.replace(b"\n", end).decode().replace('"A"', '"Ünal"') * 3
    data = text.encode(mark)
    if mark == "utf-16-be":
        data = b"\xfe\xff" + data
    games = list(scan_games(lines_of(data)))
    assert [game.tags["White"] for game in games] == ["Ünal"] * 3
    assert not any(game.problem for game in games)
    assert {game.key for game in games} == {
        game.key for game in scan_games(ONE.decode().replace('"A"', '"Ünal"').encode().splitlines())
    }


def test_text_that_only_begins_as_utf_16_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    path.write_bytes("x".encode("utf-16") + b"y")
    with (
        pytest.raises(UsageError, match=r"x\.pgn starts like UTF-16 but is not: [^\n]+\Z"),
        open_games(path) as source,
    ):
        list(source.lines())


def test_lines_do_not_depend_on_how_the_bytes_come() -> None:
    data = b"\n".join([b"a" * 300_000, b"", b"b", b"c" * 70_000, b"d"])
    expected = data.split(b"\n")
    for size in (7, 1000, 1 << 18, len(data)):
        pieces = (data[at : at + size] for at in range(0, len(data), size))
        assert list(GameSource(cast("BinaryIO", Stream(pieces)), None).lines()) == expected
    assert lines_of(b"") == [] and lines_of(b"a\n") == [b"a"]


@pytest.mark.parametrize(
    ("pieces", "problem"),
    [
        (lambda: [b'[White "', *times(b"a", 30 * MIB), b'"]\n\n1-0\n'], "take more than 256 kB"),
        (lambda: [b'[White "', *times(b'\\"', 20 * MIB), b'"]\n\n1-0\n'], "take more than 256 kB"),
        (lambda: [*times(b'[A "1"]\n', 40_000), b"\n1-0\n"], "take more than 256 kB"),
        (lambda: [HEAD, b"{", *times(b"a", 40 * MIB), b"} 1-0\n"], "more than 4 MB"),
        (lambda: [HEAD, b"{", *times(b"a" * 99 + b"\n", 45_000), b"} 1-0\n"], "more than 4 MB"),
        (lambda: [HEAD, *times(b"\0", 40 * MIB), b" 1-0\n"], "more than 4 MB"),
        (lambda: times(b"a", 40 * MIB), "more than 4 MB"),
        (lambda: [gzip.compress(HEAD + b"{"), *[gzip.compress(b"a" * MIB)] * 50], "more than 4 MB"),
        (lambda: [HEAD, b"1. e4", *times(b"(", 3_000), b" 1-0\n"], "a variation is not closed"),
        (lambda: [HEAD, b"1. e4", *times(b" {a}", 4_000), b" 1-0\n"], None),
        (lambda: [HEAD, *times(b"Nf3 ", 30_000), b" 1-0\n"], "more than 20000 plies"),
        (lambda: [*times(b"\n", 20_000), HEAD, b"1. e4 1-0\n"], None),
    ],
)
def test_memory_is_bounded_for_any_input(
    pieces: Callable[[], Iterable[bytes]], problem: str | None
) -> None:
    peak, problems = peak_of(pieces())
    assert peak < 40 * MIB
    if problem is None:
        assert problems == [None]
    else:
        assert len(problems) == 1 and problem in str(problems[0])


def test_long_games_are_read_a_few_at_a_time() -> None:
    game = HEAD + b"{" + b"a" * (MAX_GAME_BYTES - 10) + b"}\n1-0\n\n"
    sizes = [
        sum(raw.size for raw in batch)
        for batch in _batches(scan_games(GameSource(io.BytesIO(game * 6), None).lines()))
    ]
    assert len(sizes) > 1 and max(sizes) <= BATCH_BYTES + MAX_GAME_BYTES + 1000


@pytest.mark.slow
def test_archive_of_one_endless_line_is_refused_within_a_little_memory(tmp_path: Path) -> None:
    """A line of 400 MB in a file of 400 kB, where the process may not have as much."""
    path = tmp_path / "line.pgn.gz"
    path.write_bytes(gzip.compress(HEAD + b"{") + gzip.compress(b"a" * 1_000_000) * 400)
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))\n"
        "from cli import main\n"
        f"sys.argv = ['mtdf', 'import', {str(path)!r}, '--db', {str(tmp_path / 'x.db')!r}]\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1].endswith(
        "line.pgn.gz line 1: it has more than 4 MB; of 1 game in the file none was stored; "
        "--skip-bad leaves it out"
    )


def test_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").touch()
    assert is_pipe("-") and is_pipe(tmp_path / "pipe")
    assert not is_pipe(tmp_path / "file") and not is_pipe(tmp_path) and not is_pipe("nowhere")
