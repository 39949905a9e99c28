"""Runs that are killed at a random moment and continued, and what must hold after that.

``benchmarks/kills.py`` kills many of them and prints a table; ``test_kills.py`` some.
"""

from __future__ import annotations

import os
import random
import secrets
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import chess

from db.session import open_database

Engines = Literal["native", "uci"]
How = Literal["SIGINT", "SIGTERM", "SIGKILL", "worker"]
JOBS = 2
ORPHANS_AFTER_S = 2.0
_FAKE = Path(__file__).parents[1] / "engines" / "fake_uci.py"
_MARK = "MTDF_KILLED_RUN"
"""The environment variable by which all processes of a run are found, whoever their parent is."""
_ROWS = {
    "games": """
        SELECT e.kind, e.name, pairing, pair, game, white_player, black_player, white_score, plies,
            start_fen, moves
        FROM games JOIN game_moves ON game_id = games.id JOIN events e ON e.id = event_id""",
    "pairs": "SELECT event_id, pairing, pair, first_is_white, score1, score2, counted FROM pairs",
    "searches": """
        SELECT engine, position, depth, value, move, interior, leaves, quiescence, passes
        FROM lab_searches""",
    "trials": "SELECT number, params, state, value FROM tuning_trials WHERE value IS NOT NULL",
}
"""What a run makes, without times and ids."""

Rows = dict[str, Counter[tuple[object, ...]]]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of run."""

    words: str
    """The command. In it, ``A`` and ``B`` stand for two engines."""
    resume: str
    """What continues it; also where it was killed before it was stored."""
    engines: tuple[Engines, ...] = ("native",)


KINDS = {
    "match": Kind(
        "match A B --pairs 8 --nodes 3000 --max-plies 12 --seed 3 --book b.epd --pgn-out g.pgn",
        "resume last --pgn-out g.pgn",
        ("native", "uci"),
    ),
    "sprt": Kind(
        "sprt --test A --base B --elo1 0.1 --max-pairs 8 --nodes 3000 --max-plies 12 --seed 3 "
        "--book b.epd",
        "resume last",
        ("native", "uci"),
    ),
    "tune": Kind(
        "tune run --name t --base mtdf:eval=pst --param grain --sampler spsa --budget-pairs 40 "
        "--nodes 300 --max-plies 20 --seed 3",
        "resume t",
    ),
    "lab": Kind(
        "lab compare --name l --engine mtdf:eval=pst,entries=2^14 --depth 4 --limit-positions 20",
        "resume l",
    ),
    "import": Kind("import many.pgn --event m", "import many.pgn --event m"),
}
WORKER: How = "worker"
"""Instead of a signal to the coordinator: SIGKILL to one of its workers, which the run survives."""
_UNBORN = "reduction.pickle.load(from_parent)"
"""Of Python's own traceback of a worker whose parent was killed while it started the worker."""
HOWS: tuple[How, ...] = ("SIGINT", "SIGTERM", "SIGKILL", "worker")


@dataclass(frozen=True, slots=True)
class Damage:
    """What one kill did; all counts are 0 if the promises hold."""

    kills: int = 1
    lost: int = 0
    """Rows of results (games, searches, trials) that were stored, or are of the uninterrupted run,
    and are not there in the end."""
    doubled: int = 0
    """Rows that are there twice, or that the uninterrupted run does not have."""
    torn: int = 0
    """Pairs without both games, and findings of ``db check``, right after the kill."""
    replayed: int = 0
    """UCI pairs that were begun twice; at most the number of jobs is allowed."""
    orphans: int = 0
    """Processes of the run that live 2 s after it."""

    def __add__(self, other: Damage) -> Damage:
        return Damage(
            *(getattr(self, n) + getattr(other, n) for n in self.__slots__)  # type: ignore[misc]
        )


class KilledRuns:
    """Kills runs of one kind with one kind of engine. ``folder`` is for its files."""

    def __init__(
        self,
        kind: str,
        engines: Engines,
        folder: Path,
        orphans_after_s: float = ORPHANS_AFTER_S,
    ) -> None:
        self.kind, self.engines = KINDS[kind], engines
        self._folder = folder
        self._orphans_after_s = orphans_after_s
        self._number = 0
        folder.mkdir(exist_ok=True)
        begin = time.monotonic()
        self._whole = self._uninterrupted()
        self._seconds = time.monotonic() - begin

    def kill(self, how: How, rng: random.Random) -> Damage:
        """Kill a run at a random moment, continue it, and count what is not as it should be."""
        place = self._place()
        token = secrets.token_hex(8)
        process = self._start(place, token, self.kind.words)
        time.sleep(self._seconds * rng.uniform(0.25, 1.0))
        if how == WORKER:
            self._kill_worker(token, process.pid)
        else:
            self._send(process, signal.Signals[how])
        _, err = process.communicate(timeout=600)
        assert err.count("Traceback") == (err.count(_UNBORN) if how == "SIGKILL" else 0), err
        orphans = left_after(token, self._orphans_after_s)
        for pid in orphans:  # the table counts them; the next run shall not have them
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        before, torn = self._look(place)
        replayed = 0
        if how != WORKER or process.returncode:
            self._continue(place, before)
        if self.engines == "uci":
            replayed = sum(begun > 2 for begun in games_begun(place / "log").values())
        after, damage = self._look(place)
        lost = sum(((before[n] | self._whole[n]) - after[n]).total() for n in _ROWS)
        doubled = sum((after[name] - self._whole[name]).total() for name in _ROWS)
        return Damage(1, lost, doubled, torn + damage, replayed, len(orphans))

    def _continue(self, place: Path, before: Rows) -> None:
        """Do the rest, or all of a run that was killed before it was stored."""
        for words in (self.kind.resume, self.kind.words):
            process = self._start(place, "rest", words)
            _, err = process.communicate(timeout=600)
            if process.returncode == 0:
                return
            # Nothing of that name, or no database with a run: it was killed that early.
            assert process.returncode in (2, 3, 5) and not before["games"], err
        raise AssertionError(f"cannot be continued: {err}")

    def _uninterrupted(self) -> Rows:
        place = self._place()
        process = self._start(place, "whole", self.kind.words)
        _, err = process.communicate(timeout=600)
        assert process.returncode == 0, err
        rows, torn = self._look(place)
        assert not torn and any(rows.values())
        if self.engines == "uci":
            assert sorted(games_begun(place / "log").values()) == [2] * len(rows["pairs"])
        assert all(count == 1 for found in rows.values() for count in found.values())
        return rows

    def _place(self) -> Path:
        self._number += 1
        place = self._folder / str(self._number)
        place.mkdir()
        (place / "b.epd").write_text(openings())
        if self.kind is KINDS["import"]:
            (place / "many.pgn").write_text(many_games(5000))
        return place

    def _start(self, place: Path, token: str, text: str) -> subprocess.Popen[str]:
        words = [self._engine(place, word) for word in text.split()]
        if "import" not in words and f"--jobs {JOBS}" not in text:
            words += ["--jobs", str(JOBS)]
        return subprocess.Popen(
            [sys.executable, "-c", "import cli; cli.main()", *words],
            cwd=place,
            env=os.environ | {"MTDF_DB": "m.db", "PYTHONSAFEPATH": "1", _MARK: token},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def _engine(self, place: Path, word: str) -> str:
        if word not in ("A", "B"):
            return word
        if self.engines == "native":
            return {"A": "mtdf:eval=pst", "B": "pvs:eval=pst"}[word]
        return stubborn_engine(word, place / "log")

    def _send(self, process: subprocess.Popen[str], number: signal.Signals) -> None:
        """As it comes: Ctrl-C to the group, the others to the process."""
        with suppress(ProcessLookupError):
            if number == signal.SIGINT:
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)

    def _kill_worker(self, token: str, pid: int) -> None:
        workers = [one for one in living(token) if "spawn_main" in _command(one)]
        if workers:
            with suppress(ProcessLookupError):
                os.kill(min(workers), signal.SIGKILL)

    def _look(self, place: Path) -> tuple[Rows, int]:
        """What is stored, and how much of it is not whole."""
        path = place / "m.db"
        none: Rows = {name: Counter() for name in _ROWS}
        if not path.exists() or not path.stat().st_size and not (place / "m.db-wal").exists():
            return none, 0
        with open_database(path) as database:
            database.check()
            torn = len(database.repository.damage())
        with closing(sqlite3.connect(path)) as connection:
            rows = {name: Counter(connection.execute(query)) for name, query in _ROWS.items()}
        games = Counter(row[:4] for row in rows["games"])
        if self.kind is not KINDS["import"]:
            torn += sum(number != 2 for number in games.values())
        return rows, torn


def stubborn_engine(name: str, log: Path) -> str:
    """A UCI engine that ignores ``quit``, the end of its input, SIGINT and SIGTERM, as a word of a
    command line. A pair of its games takes half a second."""
    words = (sys.executable, "-I", "-S", str(_FAKE), "stubborn", "sleep=go:0.03", f"log={log}")
    return f"uci:{' '.join(quote(word) for word in words)}?name={name}"


def games_begun(log: Path) -> Counter[str]:
    """How many games engines with this log began, by opening: each pair has its own."""
    lines = log.read_text().splitlines() if log.exists() else []
    return Counter(line for line in lines if line.startswith("position ") and "moves" not in line)


@cache
def openings() -> str:
    """Positions in which knights can go to and fro, as the scripted engine's do."""
    lines = []
    for moved in product((False, True), repeat=4):
        board = chess.Board()
        for is_moved, square in zip(moved, (chess.A2, chess.B2, chess.C2, chess.H2), strict=True):
            if is_moved:
                board.set_piece_at(square + 8, board.remove_piece_at(square))
        lines.append(board.epd())
    return "".join(f"{line}\n" for line in lines)


@cache
def many_games(number: int) -> str:
    """More games than one transaction of an import takes."""
    return "".join(
        f'[Event "m"]\n[Round "{n}"]\n[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n'
        for n in range(number)
    )


def living(token: str) -> list[int]:
    """The processes that were started with the token."""
    mark, found = f"{_MARK}={token}".encode(), []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state = (path / "stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z" and mark in (path / "environ").read_bytes().split(b"\0"):
                found.append(int(path.name))
    return found


def left_after(token: str, seconds: float) -> list[int]:
    """The processes that live so long after the coordinator ended; looks until none does."""
    deadline = time.monotonic() + seconds
    while (left := living(token)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""
