"""Rows that contradict each other: what no damage of the file shows, and no single game."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import Connection, select, text

from db.lab_searches import as_text
from db.lab_soundness import lab_contradictions, read_object
from db.models import Variant

SHOWN = 20
"""Findings of one kind that are told."""

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
_REPEATED = "LEFT JOIN games f ON f.id = g.repeats_id WHERE g.repeats_id IS NOT NULL AND "
_STUDIES = "SELECT 'study ' || s.name FROM tuning_studies s "
_TRIALS = """
    SELECT 'study ' || s.name || ', trial ' || t.number
    FROM tuning_trials t JOIN tuning_studies s ON s.id = t.study_id WHERE """
_ENCOUNTERS = """
    SELECT 'study ' || coalesce(s.name, '(missing)') || ', encounter ' || n.number
    FROM tuning_encounters n LEFT JOIN tuning_studies s ON s.id = n.study_id
    LEFT JOIN tuning_trials t ON t.study_id = n.study_id AND t.number = n.trial WHERE """
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
        "its points are not those of its games",
    ),
    (
        _PAIRS
        + """
        p.first_is_white <> (a.white_player = m.first_player)
        OR a.white_player + a.black_player <> m.first_player + m.second_player
        OR (a.white_player <> m.first_player AND a.white_player <> m.second_player)
        OR b.white_player <> a.black_player OR b.black_player <> a.white_player
        """,
        "players or colours are not those of its games",
    ),
    (
        _PAIRS + "p.counted <> (a.repeats_id IS NULL AND b.repeats_id IS NULL)",
        "whether it counts is not what its games say",
    ),
    (
        _GAMES
        + """
        LEFT JOIN pairs p ON p.event_id = g.event_id AND p.pairing = g.pairing AND p.pair = g.pair
        WHERE p.event_id IS NULL
        """,
        "it belongs to no pair",
    ),
    (
        _GAMES
        + """
        JOIN provenance o ON o.id = g.provenance_id LEFT JOIN game_moves m ON m.game_id = g.id
        WHERE o.backend <> 'imported' AND m.game_id IS NULL
        """,
        "its moves are missing",
    ),
    (
        _GAMES
        + """
        JOIN game_moves m ON m.game_id = g.id
        WHERE m.moves_version = 1 AND length(m.moves) <> 2 * g.plies
        """,
        "it has another number of moves than plies",
    ),
    (
        _GAMES + "LEFT JOIN end_reasons r ON r.id = g.end_reason_id WHERE r.id IS NULL",
        "its end reason is missing",
    ),
    (
        _GAMES
        + """
        LEFT JOIN event_players a ON a.event_id = g.event_id AND a.position = g.white_player
        LEFT JOIN event_players b ON b.event_id = g.event_id AND b.position = g.black_player
        WHERE a.position IS NULL OR b.position IS NULL
        """,
        "a player of it is missing",
    ),
    (
        _GAMES
        + _REPEATED
        + """
        (f.id IS NULL OR g.game_key IS NULL OR f.game_key <> g.game_key
            OR (f.game_key IS NULL AND NOT EXISTS (SELECT 1 FROM provenance o
                WHERE o.id = g.provenance_id AND o.backend = 'imported')))
        """,
        "it is said to repeat a game that is another",
    ),
    (
        _GAMES
        + _REPEATED
        + """
        (f.repeats_id IS NOT NULL OR (f.event_id, f.pairing, f.pair, f.game)
            > (g.event_id, g.pairing, g.pair, g.game))
        """,
        "it is said to repeat a game that is not the first of its key",
    ),
    (_GAMES + "WHERE g.ended_ms < g.started_ms", "it ended before it started"),
    (
        """
        SELECT 'event ' || e.key FROM events e WHERE e.status = 'done'
        AND e.kind NOT IN ('sprt', 'tuning')
        AND e.pairs_planned <> (SELECT count(*) FROM pairs p WHERE p.event_id = e.id)
            + (SELECT count(*) FROM pair_failures f WHERE f.event_id = e.id)
        """,
        "it is done, and has another number of pairs than planned",
    ),
    (
        _STUDIES + "LEFT JOIN events e ON e.id = s.event_id "
        "WHERE s.event_id IS NOT NULL AND (e.id IS NULL OR e.kind <> 'tuning')",
        "its event is not one of tuning",
    ),
    (
        _STUDIES + "JOIN tuning_confirmations c ON c.study_id = s.id "
        "LEFT JOIN events e ON e.id = c.event_id WHERE e.id IS NULL OR e.kind = 'tuning'",
        "an event cannot confirm it, because it is missing or one of tuning",
    ),
    (_TRIALS + "t.state = 'complete' AND t.value IS NULL", "it is complete, and has no value"),
    (
        _TRIALS + "(t.state = 'running') <> (t.ended_ms IS NULL)",
        "whether it has ended is not what its state says",
    ),
    (
        _TRIALS
        + """
        t.state = 'complete' AND EXISTS (SELECT 1 FROM tuning_encounters n
            WHERE n.study_id = t.study_id AND n.trial = t.number AND n.scores IS NULL)
        """,
        "it is complete, and an encounter of it is not finished",
    ),
    (
        "SELECT 'trial ' || t.number || ' of study ' || t.study_id FROM tuning_trials t "
        "LEFT JOIN tuning_studies s ON s.id = t.study_id WHERE s.id IS NULL",
        "its study is missing",
    ),
    (_ENCOUNTERS + "s.id IS NULL", "its study is missing"),
    (_ENCOUNTERS + "n.trial IS NOT NULL AND t.number IS NULL", "its trial is missing"),
    (_ENCOUNTERS + "length(n.scores) <> 8 * n.pairs", "it has another number of scores than pairs"),
    (
        _ENCOUNTERS + "n.second IS NOT NULL AND n.opponent IS NOT NULL",
        "it has both a second point and an opponent",
    ),
    (
        _ENCOUNTERS
        + """
        n.scores IS NOT NULL AND EXISTS (SELECT 1 FROM pairs p
            WHERE p.event_id = s.event_id AND p.pairing = n.number
            AND (p.pair < n.first_pair OR p.pair >= n.first_pair + n.pairs))
        """,
        "pairs of its event are outside of its numbers",
    ),
]
"""Questions that nothing answers in a sound database, and what the answers are."""


def contradictions(connection: Connection) -> list[str]:
    """A line for each table with rows that refer to missing ones, and for each row that others
    contradict: a missing game, points that are not those of the games, a repetition of nothing. Of
    each kind the first :data:`SHOWN`."""
    found = _orphans(connection) + _variants(connection)
    for question, problem in _CHECKS:
        rows = connection.execute(text(f"{question} ORDER BY 1 LIMIT {SHOWN}")).scalars()
        found += [f"{row}: {problem}" for row in rows]
    return found + lab_contradictions(connection, SHOWN)


def _variants(connection: Connection) -> list[str]:
    """Variants whose parameters are no JSON object."""
    query = select(Variant.spelling, as_text(Variant.parameters)).order_by(Variant.id)
    unreadable = [name for name, data in connection.execute(query) if read_object(data) is None]
    return [f"variant {name}: its parameters cannot be read" for name in unreadable[:SHOWN]]


def _orphans(connection: Connection) -> list[str]:
    """Rows that refer to missing ones, which SQLite lets in where it is told not to look; servers
    never do."""
    if connection.dialect.name != "sqlite":
        return []
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check")
    rows = {(table, row, parent) for table, row, parent, _ in broken}
    counts = Counter((table, parent) for table, _, parent in rows)
    return [
        f"{table}: rows that refer to a missing row of {parent}: {count}"
        for (table, parent), count in sorted(counts.items())
    ]
