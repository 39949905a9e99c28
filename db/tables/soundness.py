"""Checks that a database is what was stored: its tables and views, its rows, and the relations
between rows that digests do not cover."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from sqlalchemy import Connection, text
from sqlalchemy.exc import StatementError

from db.tables.digests import KINDS, findings, missing_rows
from db.tables.shape import shape_problems

SHOWN = 20
"""Most findings of one kind that are listed."""

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


def damage(connection: Connection) -> list[str]:
    """One line per finding: a missing table, index or view, a row that is missing or differs from
    what was stored, rows that refer to missing rows or contradict their games. At most
    :data:`SHOWN` of each kind."""
    found = shape_problems(connection)
    if any(one.startswith("table ") for one in found):
        return found  # other queries would fail
    found += _changed(connection) + missing_rows(connection)[:SHOWN] + _orphans(connection)
    for question, problem in _CHECKS:
        rows = connection.execute(text(f"{question} ORDER BY 1 LIMIT {SHOWN}")).scalars()
        found += [f"{row}: {problem}" for row in rows]
    return found


def _changed(connection: Connection) -> list[str]:
    """Rows whose digest does not match their content."""
    found = []
    for kind in KINDS:
        try:
            found += [line for _, line in islice(findings(connection, kind), SHOWN)]
        except StatementError:
            found.append(f"{kind.what}: a text is not valid UTF-8")
    return found


def _orphans(connection: Connection) -> list[str]:
    """Rows that refer to missing rows. SQLite accepts them if its checks are off; servers never
    do."""
    if connection.dialect.name != "sqlite":
        return []
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check")
    rows = {(table, row, parent) for table, row, parent, _ in broken}
    counts = Counter((table, parent) for table, _, parent in rows)
    return [
        f"{table}: rows that refer to a missing row of {parent}: {count}"
        for (table, parent), count in sorted(counts.items())
    ]
