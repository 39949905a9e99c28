"""Checks that a database is what was stored: its tables and views, its rows, and the relations
between rows that digests do not cover."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import islice

from sqlalchemy import Connection, exists, func, select, text
from sqlalchemy.exc import StatementError

from db.schema.declared import METADATA, STORED_ROWS
from db.schema.digests import KINDS, findings, missing_rows
from db.schema.shape import shape_problems

SHOWN = 20
"""Most findings of one kind that are listed."""
OnRows = Callable[[int, int], None]
"""Hears how many rows were compared with their digests, and of how many."""

_PAIRS = """
    SELECT 'event ' || e.key || ', pairing ' || p.pairing || ', pair ' || p.pair
    FROM pairs p JOIN events e ON e.id = p.event_id
    JOIN pairings m ON m.event_id = p.event_id AND m.pairing = p.pairing
    LEFT JOIN games a ON a.event_id = p.event_id AND a.pairing = p.pairing AND a.pair = p.pair
        AND a.game = 1
    LEFT JOIN games b ON b.event_id = p.event_id AND b.pairing = p.pairing AND b.pair = p.pair
        AND b.game = 2
    WHERE """
_GAMES = "SELECT 'game ' || g.id FROM games g "
_CHECKS = [
    (_PAIRS + "a.id IS NULL OR (b.id IS NULL AND p.score2 IS NOT NULL)", "a game is missing"),
    (_PAIRS + "b.id IS NOT NULL AND p.score2 IS NULL", "the second game has no score"),
    (
        _PAIRS
        + """
        p.score1 <> CASE WHEN a.white_player = m.first_player THEN a.white_score
            ELSE 2 - a.white_score END
        OR p.score2 <> CASE WHEN b.white_player = m.first_player THEN b.white_score
            ELSE 2 - b.white_score END
        """,
        "its points do not match its games",
    ),
    (
        _PAIRS
        + """
        p.first_is_white <> (a.white_player = m.first_player)
        OR a.white_player + a.black_player <> m.first_player + m.second_player
        OR (a.white_player <> m.first_player AND a.white_player <> m.second_player)
        OR b.white_player <> a.black_player OR b.black_player <> a.white_player
        """,
        "its players or colours do not match its games",
    ),
    (
        _PAIRS + "p.counted <> (a.repeats_id IS NULL AND b.repeats_id IS NULL)",
        "whether it counts does not match its games",
    ),
    (
        _GAMES
        + """
        LEFT JOIN pairs p ON p.event_id = g.event_id AND p.pairing = g.pairing AND p.pair = g.pair
        WHERE p.event_id IS NULL
        """,
        "it belongs to no pair",
    ),
]
"""Queries without results in a sound database, and what their results mean. ``pairs`` has no
digests: its rows repeat the content of games."""


_BROKEN = """
    SELECT "table", parent, count(DISTINCT coalesce("rowid", 0))
    FROM pragma_foreign_key_check GROUP BY 1, 2 ORDER BY 1, 2
"""
"""Counts rows that refer to missing rows. There may be any number of them, so SQLite counts."""


def damage(connection: Connection, on_rows: OnRows | None = None) -> list[str]:
    """One line per finding: a missing table, index or view, a row that is missing or differs from
    what was stored, rows that refer to missing rows or contradict their games. At most
    :data:`SHOWN` of each kind. The number of games does not determine how much memory it takes."""
    found = shape_problems(connection)
    if any(one.startswith("table ") for one in found):
        return found  # other queries would fail
    found += _changed(connection, on_rows)
    found += missing_rows(connection)[:SHOWN] + _orphans(connection)
    for question, problem in _CHECKS:
        rows = connection.execute(text(f"{question} ORDER BY 1 LIMIT {SHOWN}")).scalars()
        found += [f"{row}: {problem}" for row in rows]
    return found


def _changed(connection: Connection, on_rows: OnRows | None) -> list[str]:
    """Rows whose digest does not match their content."""
    total = int(connection.execute(select(func.sum(STORED_ROWS.c.rows))).scalar() or 0)
    compared = 0

    def on_page(rows: int) -> None:
        nonlocal compared
        compared += rows
        if on_rows is not None:
            on_rows(compared, max(total, compared))

    found = []
    for kind in KINDS:
        try:
            lines = findings(connection, kind, on_page=on_page)
            found += [line for _, line in islice(lines, SHOWN)]
        except StatementError:
            if connection.dialect.name != "sqlite":
                raise  # a server stores no such text, and answers nothing after an error
            found.append(f"{kind.what}: a text is not valid UTF-8")
    return found


def _orphans(connection: Connection) -> list[str]:
    """Rows that refer to missing rows. Databases accept them if their checks are off."""
    if connection.dialect.name == "sqlite":
        counts = [tuple(row) for row in connection.exec_driver_sql(_BROKEN)]
    else:
        counts = _orphans_on_server(connection)
    return [
        f"{table}: rows that refer to a missing row of {parent}: {count}"
        for table, parent, count in counts
    ]


def _orphans_on_server(connection: Connection) -> list[tuple[str, str, int]]:
    """A table, another one, and how many rows of the first refer to missing ones of the second."""
    counts: Counter[tuple[str, str]] = Counter()
    for table in METADATA.sorted_tables:
        for key in table.foreign_key_constraints:
            parent = key.referred_table.alias()
            found = exists().where(
                *(one.parent == parent.c[one.column.name] for one in key.elements)
            )
            given = [one.parent.is_not(None) for one in key.elements]
            query = select(func.count()).select_from(table).where(*given, ~found)
            counts[table.name, key.referred_table.name] += connection.execute(query).scalar_one()
    return sorted((*tables, count) for tables, count in counts.items() if count)
