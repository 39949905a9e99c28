"""The power fails during an event or an import: whatever was shown as saved is there, whole."""

from __future__ import annotations

import os
import random
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from diary import Cut, Diary, cuts, recorded

from db.records.engines import IMPORTED_BACKEND
from db.records.games import GameFilter
from db.session import open_database
from db.storage import engine as storage
from toolkit.reports.games import PgnTexts

pytestmark = pytest.mark.slow

PROGRAM = """
import sys
from db.storage import engine
engine._SYNCHRONOUS = sys.argv.pop(1)
import cli
cli.main()
"""
"""``mtdf`` with another setting of SQLite."""
EVENT = (
    "sprt --test mtdf:eval=pst --base pvs:eval=pst --max-pairs 3 --nodes 60 --max-plies 6 --seed 3 "
    "--book b.epd --pgn-out g.pgn"
).split()
"""Stores and shows pair by pair."""
IMPORT = "import other.pgn --event there".split()
BOOK = """\
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1
rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - 0 1
rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1
rnbqkbnr/pppppppp/8/8/8/6P1/PPPPPP1P/RNBQKBNR b KQkq - 0 1
"""


PGN = """\
[Event "x"]
[Round "{number}"]
[White "a"]
[Black "b"]
[Result "1-0"]

1. e4 e5 2. Nf3 1-0

"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database and a small book."""
    path = tmp_path_factory.mktemp("power")
    open_database(path / "m.db").close()
    (path / "b.epd").write_text(BOOK)
    return path


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that only a test reads need no flush."""
    monkeypatch.setattr(storage, "_SYNCHRONOUS", "OFF")


class AfterCut:
    """Opens what power failures left in a folder. Many of them left the same rows, which our own
    code has to check only once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / "m.db"
        self._games: dict[int, list[str]] = {}
        """By the content of the files."""
        self._known: dict[int, list[str]] = {}
        """By the rows."""
        self._rng = random.Random(1)

    def games(self, cut: Cut) -> list[str]:
        """The stored games as PGN, if the database is sound."""
        files = hash(frozenset((n, c) for n, c in cut.image.items() if n.startswith("m.db")))
        if files not in self._games:
            self._games[files] = self._opened(cut)
        return self._games[files]

    def _opened(self, cut: Cut) -> list[str]:
        self.put(cut)
        if self._rng.random() < 0.5:  # the index of the log may be anything
            self._path.with_name("m.db-shm").write_bytes(self._rng.randbytes(32768))
        if self._rng.random() < 0.03:
            return self._read(cut)
        rows = self._rows()
        if rows not in self._known:
            self._known[rows] = self._read(cut)
        return self._known[rows]

    def put(self, cut: Cut) -> None:
        """Have the files of a cut in the folder, and no others."""
        for path in self.folder.iterdir():
            path.unlink()
        for name in ("m.db", "m.db-wal", "m.db-journal", "b.epd", "other.pgn"):
            if name in cut.image:
                (self.folder / name).write_bytes(cut.image[name])

    def _rows(self) -> int:
        """A hash of all rows."""
        with closing(sqlite3.connect(self._path)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            return hash(
                tuple(
                    (name, tuple(connection.execute(f'SELECT * FROM "{name}"')))
                    for (name,) in tables.fetchall()
                )
            )

    def _read(self, cut: Cut) -> list[str]:
        with open_database(self._path) as database:
            database.check()
            assert database.repository.damage() == [], cut.how
            games = list(database.repository.games(GameFilter()))
            texts = PgnTexts(database)
            own = [game for game in games if game.backend != IMPORTED_BACKEND]
            pairs = [(game.pairing, game.pair) for game in own]
            assert all(pairs.count(pair) == 2 for pair in pairs), cut.how
            return [texts.text(game) + "\n" for game in games]


@pytest.fixture
def after_cut(tmp_path: Path) -> AfterCut:
    (place := tmp_path / "after").mkdir()
    return AfterCut(place)


def played(
    library: Path, folder: Path, tmp_path: Path, words: list[str], synchronous: str = "FULL"
) -> Diary:
    """The diary of a command in a copy of the folder."""
    place = tmp_path / "played"
    place.mkdir()
    for path in folder.iterdir():
        (place / path.name).write_bytes(path.read_bytes())
    return recorded(library, place, [sys.executable, "-c", PROGRAM, synchronous, *words])


def shown_games(diary: Diary) -> set[str]:
    """The whole games in the PGN file, which grows after each commit."""
    text = diary.file("g.pgn").decode()
    return {game.rstrip() for game in re.split(r"\n(?=\[Event )", text) if game}


def lost(diary: Diary, after_cut: AfterCut, found: Iterator[Cut]) -> list[str]:
    """The cuts after which a game is gone that was shown before."""
    cases = []
    for cut in found:
        stored = {game.rstrip() for game in after_cut.games(cut)}
        if shown_games(diary) - stored:
            cases.append(f"record {cut.moment}, {cut.how}")
    return cases


def test_power_fails_during_an_event(
    disk_library: Path, folder: Path, tmp_path: Path, after_cut: AfterCut
) -> None:
    diary = played(disk_library, folder, tmp_path, EVENT)
    assert not lost(diary, after_cut, cuts(diary, every_sector=False, samples=1, seed=1))
    whole = {moves_of(game) for game in shown_games(diary)}
    assert len(whole) == 6
    found = list(cuts(diary.again(), every_sector=False, samples=1, seed=3))
    after_cut.put(random.Random(4).choice([cut for cut in found if cut.moment > 60]))
    assert mtdf(after_cut.folder, "resume", "last").returncode == 0
    with open_database(after_cut.folder / "m.db") as database:
        texts = PgnTexts(database)
        games = database.repository.games(GameFilter())
        assert {moves_of(texts.text(game)) for game in games} == whole


def test_without_flushing_each_commit_games_are_lost(
    disk_library: Path, folder: Path, tmp_path: Path, after_cut: AfterCut
) -> None:
    """So the test above can fail."""
    diary = played(disk_library, folder, tmp_path, EVENT, "NORMAL")
    assert lost(diary, after_cut, cuts(diary, every_sector=False, samples=0, seed=1))


def test_power_fails_during_an_import(
    disk_library: Path, folder: Path, tmp_path: Path, after_cut: AfterCut
) -> None:
    """What is printed at its end is stored; before that, importing again adds what is missing."""
    games = 10
    copy = tmp_path / "with-games"
    copy.mkdir()
    (copy / "m.db").write_bytes((folder / "m.db").read_bytes())
    text = "".join(PGN.format(number=number) for number in range(games))
    (copy / "other.pgn").write_text(text)
    diary = played(disk_library, copy, tmp_path, IMPORT)
    seen = set()
    for cut in cuts(diary, every_sector=False, samples=1, seed=1):
        stored = after_cut.games(cut)
        assert len(stored) == games or not diary.printed, f"record {cut.moment}, {cut.how}"
        if len(stored) not in seen:
            after_cut.put(cut)
            assert mtdf(after_cut.folder, *IMPORT).returncode == 0
            with open_database(after_cut.folder / "m.db") as database:
                assert len(list(database.repository.games(GameFilter()))) == games
        seen.add(len(stored))
    assert seen == {0, games}, "one batch, which is one transaction"


def moves_of(game: str) -> str:
    """The opening and the moves of a game."""
    moves = re.sub(r"\{[^}]*\}", "", game.rpartition("]\n\n")[2])
    return " ".join([*re.findall(r"\[(?:FEN|Round) .*\]", game), *moves.split()])


def mtdf(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """``mtdf`` in a folder."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, "OFF", *words],
        cwd=folder,
        env=os.environ | {"MTDF_DB": "m.db"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
