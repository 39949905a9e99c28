"""Compare databases row by row, without times: ``python recipes/compare_databases.py A.db B.db``.

Two programs that behave alike make equal databases from the same commands with ``--jobs 1``. Left
out are clock and CPU times, loads, digests (which cover them), the random keys of events, and the
settings that say how a run was continued. Of search data and iterations all but the times is
compared. Exit code 1 if a row differs.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from typing import Any

from msgspec.structs import replace

from toolkit.referee.searchdata import SEARCH_VERSION, decode_searches

_TIMES = ("_ms", "cpu_us")
_LEFT_OUT = {"load", "load_milli", "digest"}
_CONTINUED = {"jobs", "cores", "cluster"}
"""Settings that depend on how a run was continued."""
_SHOWN = 3
"""Rows that are printed of each difference."""


def rows(path: str) -> dict[str, Counter[str]]:
    """The rows of each table as JSON, without what may differ."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
        plies = dict(connection.execute("SELECT id, plies FROM games"))
        return {
            table: Counter(
                json.dumps(_kept(table, dict(row), plies), sort_keys=True)
                for row in connection.execute(f'SELECT * FROM "{table}"')
            )
            for (table,) in tables.fetchall()
        }


def _kept(table: str, row: dict[str, Any], plies: dict[int, int]) -> dict[str, Any]:
    """A row without what may differ."""
    kept: dict[str, Any] = {}
    for name, value in row.items():
        if name in _LEFT_OUT or name.endswith(_TIMES) or (table, name) == ("events", "key"):
            continue
        if name == "search_data" and row["search_version"] == SEARCH_VERSION:
            searches = decode_searches(value, plies[row["game_id"]])
            value = [str(replace(one, time_us=0)) for one in searches]
        elif name == "iterations":
            value = [{**one, "cpu_us": 0, "wall_us": 0} for one in json.loads(value)]
        elif name == "settings" and table in ("lab_runs", "tuning_studies"):
            settings = json.loads(value)
            value = {key: settings[key] for key in settings.keys() - _CONTINUED}
        kept[name] = value.hex() if isinstance(value, bytes) else value
    return kept


def main(first: str, second: str) -> int:
    """Print each table with its number of rows, and some rows that only one database has."""
    one, other = rows(first), rows(second)
    differing = 0
    for table in sorted(one.keys() | other.keys()):
        ours, theirs = one.get(table, Counter()), other.get(table, Counter())
        print(f"{table:24} {ours.total():7} rows  {'equal' if ours == theirs else 'DIFFER'}")
        differing += ours != theirs
        for path, extra in ((first, ours - theirs), (second, theirs - ours)):
            for row in sorted(extra)[:_SHOWN]:
                print(f"  only in {path}: {row[:300]}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
