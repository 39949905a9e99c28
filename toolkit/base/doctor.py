"""Whether this machine and this installation are fit to play: one check a line."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Struct

from engines.cores import available_cores
from toolkit.base.config import DATABASE_VARIABLE, database_location, shown_encoding

Status = Literal["ok", "warn", "FAIL"]

_PERFT = (
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 3, 8_902),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2, 2_039),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 3, 2_812),
)
"""Well-known counts of leaves of the tree of legal moves (the chess programming wiki)."""
_THREADS = 2
"""For the check of a search with several threads."""
_LITTLE_SPACE = 500_000_000
_OLDEST_SQLITE = (3, 35, 0)
_COARSE_CLOCK_S = 1e-4


class Check(Struct, frozen=True):
    """One check of `doctor`."""

    name: Annotated[str, "name of the check"]
    status: Annotated[Status, "`ok`, `warn` or `FAIL`"]
    detail: Annotated[str, "result of the check"]
    fix: Annotated[str, "how to fix the problem; empty if there is none"] = ""


def run_checks(database: str | None = None, jobs: int | None = None) -> Iterator[Check]:
    """Every check in turn. ``database``: its path or URL, as ``--db`` takes it; ``jobs``: how many
    workers there are to be."""
    location = database_location(database)
    checks: list[Callable[[], Check]] = [
        check_python,
        check_backend,
        check_moves,
        check_signature,
        check_threads,
        lambda: check_sqlite(location),
        lambda: check_database(location),
        lambda: check_disk(location),
        lambda: check_cores(jobs),
        check_clock,
        check_terminal,
    ]
    for check in checks:
        yield check()


def check_python() -> Check:
    """Versions of the program, the interpreter and python-chess."""
    from importlib.metadata import version as version_of

    from toolkit.base.version import program_version

    version = ".".join(map(str, sys.version_info[:3]))
    detail = f"mtdf {program_version()} on Python {version}, python-chess {version_of('chess')}"
    return Check("program", "ok", detail)


def check_backend() -> Check:
    """The native core, and whether it was optimised."""
    from engines.backend import core_info, fallback_reason

    reason = fallback_reason()
    if reason is not None:
        fix = "put cargo on the PATH and install again: pip install --force-reinstall ."
        if "MTDF_BACKEND" in reason:
            fix = "unset MTDF_BACKEND"
        return Check("native core", "warn", f"not in use: {reason}", fix)
    info = core_info()
    detail = ", ".join(f"{name} {value}" for name, value in info.items() if name != "backend")
    if info.get("profile") != "release":
        return Check("native core", "FAIL", detail, "it is not optimised: build it in release mode")
    return Check("native core", "ok", detail)


def check_moves() -> Check:
    """The move generator, against published counts."""
    from engines.backend import perft

    for fen, depth, leaves in _PERFT:
        found = perft(fen, depth)
        if found != leaves:
            return Check(
                "move generator",
                "FAIL",
                f"perft {depth} of {fen}: {found}, should be {leaves}",
                "install again from a clean copy",
            )
    return Check("move generator", "ok", f"perft of {len(_PERFT)} positions is right")


def check_signature() -> Check:
    """The benches: how the core plays chess, which identifies it, and each other game."""
    from engines.backend import benched_signature, signature
    from engines.choices import GAMES

    noted = {game: signature(game) for game in GAMES}
    found = {game: benched_signature(game) for game in GAMES}
    chess, *others = GAMES
    told = f"{found[chess]} ({', '.join(f'{game} {found[game]}' for game in others)})"
    if found != noted:
        detail = f"{told}; an earlier bench of the same core found {', '.join(noted.values())}"
        return Check("signature", "FAIL", detail, "test the memory of this machine; run it again")
    return Check("signature", "ok", told)


def check_threads() -> Check:
    """Whether several threads find the value that plain minimax finds."""
    from engines.backend import backend_name, make_searcher, plain_value
    from engines.spec import SearchLimit
    from engines.variant import parse_variant

    if backend_name() != "native":
        return Check("threads", "ok", "the reference has one thread")
    fen, depth, _ = _PERFT[2]  # few captures: plain minimax cuts nothing
    variant = parse_variant(f"mtdf:threads={_THREADS},entries=2^10")
    with closing(make_searcher(variant)) as searcher:
        searcher.set_position(fen)
        found = searcher.search(SearchLimit(depth=depth), exact=True).value
    if found != (right := plain_value(variant, fen, depth)):
        detail = f"{_THREADS} threads find {found} in {fen}, minimax {right}"
        return Check("threads", "FAIL", detail, "use engines with threads=1, and report this")
    return Check("threads", "ok", f"{_THREADS} threads find the value of minimax")


def check_sqlite(location: str) -> Check:
    """The version of SQLite, and whether its write-ahead log works where the database is."""
    version = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        return Check("sqlite", "FAIL", version, "install a Python with SQLite 3.35 or newer")
    folder = Path(location).absolute().parent
    if "://" in location or not folder.is_dir() or not os.access(folder, os.W_OK):
        return Check("sqlite", "ok", version)
    with tempfile.TemporaryDirectory(prefix=".mtdf-doctor-", dir=folder) as place:
        connection = sqlite3.connect(Path(place) / "probe.db")
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.Error as error:
            mode = str(error)
        finally:
            connection.close()
    if mode != "wal":
        fix = "put the database on a local disk: --db"
        return Check("sqlite", "FAIL", f"{version}, no write-ahead log in {folder} ({mode})", fix)
    return Check("sqlite", "ok", f"{version}, write-ahead log works in {folder}")


def check_database(location: str) -> Check:
    """Whether the database can be opened and is sound."""
    from db.errors import DatabaseError, DatabaseMissing, DatabaseReadOnly
    from db.session import open_database

    try:
        with open_database(location, create=False) as db:
            db.check()
            running = "".join(f", {key} is being played" for key in db.running_events())
            return Check("database", "ok", f"{db.name}: schema {db.schema}, sound{running}")
    except DatabaseMissing as error:
        if "://" in location:
            return Check("database", "ok", f"{error}; the first event fills it")
        return Check(
            "database", "ok", f"{location}: does not exist yet; the first event creates it"
        )
    except DatabaseReadOnly as error:
        return Check("database", "warn", str(error), "reports work; events need another: --db")
    except DatabaseError as error:
        return Check(
            "database", "FAIL", str(error), f"give another with --db or {DATABASE_VARIABLE}"
        )


def check_disk(location: str) -> Check:
    """Free space, and whether the folder of the database may be written to."""
    if "://" in location:
        return Check("disk", "ok", "the database is on a server")
    folder = Path(location).absolute().parent
    if not folder.is_dir():
        return Check("disk", "FAIL", f"there is no directory {folder}", f"mkdir -p {folder}")
    if not os.access(folder, os.W_OK):
        return Check("disk", "warn", f"{folder} is read-only", "events need another place: --db")
    free = shutil.disk_usage(folder).free
    detail = f"{free / 1e9:.1f} GB free in {folder}"
    if free < _LITTLE_SPACE:
        return Check("disk", "warn", detail, "a million games need about a gigabyte")
    return Check("disk", "ok", detail)


def check_cores(jobs: int | None) -> Check:
    """How many workers this machine can feed."""
    cores = available_cores()
    detail = f"{cores} available, load {os.getloadavg()[0]:.1f}"
    if jobs is not None and jobs > cores:
        return Check(
            "cores", "warn", f"{detail}, {jobs} jobs wanted", f"use --jobs {cores}, or --nodes"
        )
    return Check("cores", "ok", detail)


def check_clock() -> Check:
    """How finely the clock ticks."""
    start = now = time.perf_counter()
    while now == start:
        now = time.perf_counter()
    detail = f"ticks within {(now - start) * 1e6:.2f} microseconds"
    if now - start > _COARSE_CLOCK_S:
        return Check("clock", "warn", detail, "timed games will be unfair here: use --nodes")
    return Check("clock", "ok", detail)


def check_terminal() -> Check:
    """What decides about colour and the live table."""
    term, encoding = os.environ.get("TERM", "not set"), shown_encoding(sys.stderr)
    silent = " (NO_COLOR: no colours)" if os.environ.get("NO_COLOR") else ""
    detail = f"TERM {term}{silent}, {encoding}"
    if encoding.lower().replace("-", "") != "utf8":
        return Check("terminal", "warn", detail, "set PYTHONUTF8=1, or LANG to a UTF-8 locale")
    return Check("terminal", "ok", detail)
