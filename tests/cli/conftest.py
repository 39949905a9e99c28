"""Running commands in this process, and one small event to look at. Lets the tests of this folder
import ``command_tree``."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import click
import pytest

from cli import program
from toolkit.base.rows import field_names
from toolkit.books.info import openings_in
from toolkit.commands._program import run_program
from toolkit.stats import sequential

sys.path.insert(0, str(Path(__file__).parent))
PLAYED = ("--pairs", "3", "--nodes", "60", "--max-plies", "16", "--seed", "7", "--quiet")
"""Options of short games, quick also on the reference backend."""


@dataclass(frozen=True)
class Result:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, read as strict JSON."""
        return json.loads(self.out, parse_constant=_no_constant)

    @property
    def errors(self) -> list[str]:
        """Lines on standard error, without the word about a missing core."""
        lines = self.err.splitlines()
        return [line for line in lines if "slow reference backend" not in line]


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


Mtdf = Callable[..., Result]
Edited = Callable[..., AbstractContextManager[sqlite3.Connection]]


READ_OPENINGS = lru_cache(maxsize=4)(openings_in)


@pytest.fixture(scope="module", autouse=True)
def short_estimates() -> Iterator[None]:
    """A dry run estimates the time from one pair, not from six; engines of a laboratory are warm
    after 1 ms; a plan of a sequential test simulates a tenth of the tests; and the lines of a book
    are read once. Not for the whole session: tests of other folders may follow in the same
    process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("toolkit.events.plan._WARM_UP_PAIRS", 1)
        patch.setattr("toolkit.lab.measuring._WARM_CPU_MS", 1)
        patch.setattr("toolkit.stats.sequential._LAG_RUNS", sequential._LAG_RUNS // 10)
        patch.setattr("toolkit.lab.suite.openings_in", READ_OPENINGS)
        yield


@pytest.fixture
def mtdf(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Mtdf:
    """Run a command, or one of another ``group``, in an empty directory: ``mtdf("games",
    "--json")``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MTDF_DB", str(tmp_path / "mtdf.db"))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)

    def run(*words: str, group: click.Command = program) -> Result:
        capsys.readouterr()
        code = run_program(group, words)
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def run_quietly(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Make a database for several tests by commands that succeed: ``f(("match", ...), ...)``, if
    given from a copy of another one."""

    def run(*commands: Sequence[str], start: Path | None = None) -> Path:
        path, hook = tmp_path_factory.mktemp("made") / "made.db", sys.excepthook
        if start is not None:
            path.write_bytes(start.read_bytes())
        try:
            for words in commands:
                assert run_program(program, [*words, "--db", str(path)]) == 0, words
        finally:
            sys.excepthook = hook
        return path

    return run


@pytest.fixture(scope="session")
def played(run_quietly: Callable[..., Path]) -> Path:
    """A database with a gauntlet named ``short``: mtdf, and a second hero called ``coarse``,
    against pvs; 12 games. Read-only by agreement: copy it before writing."""
    heroes = ("--hero", "mtdf", "--hero", "mtdf:grain=20,name=coarse", "--field", "pvs")
    return run_quietly(("gauntlet", *heroes, *PLAYED, "--name", "short"))


@pytest.fixture
def on(mtdf: Mtdf, played: Path) -> Mtdf:
    """Run a command on a copy of the played database."""
    copy = Path("played.db").absolute()
    copy.write_bytes(played.read_bytes())

    def run(*words: str) -> Result:
        return mtdf("--db", str(copy), *words)

    return run


@pytest.fixture
def leave_unfinished(edited: Edited) -> Callable[..., None]:
    """As if events had been killed after so many pairs of each pairing: ``f(database, pairs,
    key)``, by default all of the database."""

    def leave(path: str, keep: int, key: str = "%") -> None:
        with edited(path) as connection:
            later = "event_id IN (SELECT id FROM events WHERE key LIKE ?) AND pair >= ?"
            games = f"SELECT id FROM games WHERE {later}"
            connection.execute(f"DELETE FROM game_moves WHERE game_id IN ({games})", [key, keep])
            for table in ("games", "pairs"):
                connection.execute(f"DELETE FROM {table} WHERE {later}", [key, keep])
            connection.execute("UPDATE events SET status = 'interrupted' WHERE key LIKE ?", [key])

    return leave


@pytest.fixture
def copy_event(on: Mtdf, edited: Edited) -> Callable[..., None]:
    """Add the event to the played database once more, with some columns changed: ``copy_event(
    settings="...")`` takes SQL. Its games repeat none."""

    def copy(*, key: str = "rfff", **changes: str) -> None:
        more = 100 * int(key[1:], 16)
        own = {
            "events": {
                "id": f"id + {more}",
                "key": f"'{key}'",
                "name": f"'{key}'",
                "uid": f"'{more:032x}'",
            }
        }
        own["games"] = {"id": f"id + {10 * more}", "game_key": "NULL", "repeats_id": "NULL"}
        with edited("played.db") as connection:
            for table in ("events", "event_players", "pairings", "pairs", "games"):
                names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
                new = {"event_id": f"event_id + {more}"} | changes | own.get(table, {})
                columns = ", ".join(new.get(name, f'"{name}"') for name in names)
                which = "id" if table == "events" else "event_id"
                connection.execute(
                    f"INSERT INTO {table} SELECT {columns} FROM {table} WHERE {which} = 1"
                )

    return copy


@pytest.fixture
def two_limits(on: Mtdf, copy_event: Callable[..., None]) -> Mtdf:
    """The event, whose limit is 60 nodes, and the same games again as if of 2,000 nodes."""
    copy_event(settings="json_set(settings, '$.limit.nodes', 2000)")
    return on


@pytest.fixture
def decided(on: Mtdf, edited: Edited) -> Mtdf:
    """As ``on``, with other results: of five games White won three, and one was drawn."""
    with edited("played.db") as connection:
        connection.execute(
            "UPDATE games SET white_score = CASE id % 5 WHEN 0 THEN 0 WHEN 1 THEN 1 ELSE 2 END"
        )
        for game in (1, 2):
            connection.execute(
                f"""
                UPDATE pairs SET score{game} = (
                    SELECT CASE WHEN g.white_player = m.first_player
                        THEN g.white_score ELSE 2 - g.white_score END
                    FROM games g JOIN pairings m USING (event_id, pairing)
                    WHERE g.event_id = pairs.event_id AND g.pairing = pairs.pairing
                        AND g.pair = pairs.pair AND g.game = {game})
                """
            )
    return on


@pytest.fixture(autouse=True)
def no_color_variables(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Colours, widths and encodings as the tests set them, wherever they run."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LC_ALL", "LC_CTYPE", "LANG"):
        monkeypatch.delenv(name, raising=False)
    yield


@pytest.fixture
def has_fields() -> Callable[[Mapping[str, Any], type[Any]], bool]:
    """Whether a JSON object has the fields of its row type, in that order, and no more."""

    def check(row: Mapping[str, Any], row_type: type[Any]) -> bool:
        return list(row) == [*field_names(row_type), "program_backend"]

    return check
