"""Checks of stored rows: games that changed after they were stored, and contradictions."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

from sqlalchemy import Connection, func, select, text

from db.schema.declared import GAME, GAME_MOVES, METADATA

SHOWN = 20
"""Maximum number of findings of one kind that are listed."""
OnGames = Callable[[int, int], None]
"""Gets the number of games checked so far, and the total."""

_PAGE = 1000
"""Games read at a time."""
_MOVES = (
    *(GAME_MOVES.c.moves_version, GAME_MOVES.c.moves),
    *(GAME_MOVES.c.search_version, GAME_MOVES.c.search_data, GAME_MOVES.c.lines),
)
_GAMES = (
    select(GAME.c.id, GAME.c.digest, GAME.c.plies, GAME.c.white_score, *_MOVES)
    .outerjoin(GAME_MOVES, GAME_MOVES.c.game_id == GAME.c.id)
    .order_by(GAME.c.id)
)
_PAIRS = """
    SELECT 'event ' || e.key || ', pairing ' || p.pairing || ', pair ' || p.pair
    FROM pairs p JOIN events e ON e.id = p.event_id
    JOIN pairings m ON m.event_id = p.event_id AND m.pairing = p.pairing
    LEFT JOIN games a ON a.event_id = p.event_id AND a.pairing = p.pairing AND a.pair = p.pair
        AND a.game = 1
    LEFT JOIN games b ON b.event_id = p.event_id AND b.pairing = p.pairing AND b.pair = p.pair
        AND b.game = 2
    WHERE """
_CHECKS = [
    (_PAIRS + "a.id IS NULL OR (b.id IS NULL AND p.score2 IS NOT NULL)", "a game is missing"),
    (
        _PAIRS
        + """
        (b.id IS NOT NULL AND p.score2 IS NULL)
        OR p.score1 <> CASE WHEN a.white_player = m.first_player THEN a.white_score
            ELSE 2 - a.white_score END
        OR p.score2 <> CASE WHEN b.white_player = m.first_player THEN b.white_score
            ELSE 2 - b.white_score END
        OR p.first_is_white <> (a.white_player = m.first_player)
        OR a.white_player + a.black_player <> m.first_player + m.second_player
        OR (a.white_player <> m.first_player AND a.white_player <> m.second_player)
        OR b.white_player <> a.black_player OR b.black_player <> a.white_player
        OR p.counted <> (a.repeats_id IS NULL AND b.repeats_id IS NULL)
        """,
        "it does not match its games",
    ),
    (
        """
        SELECT 'game ' || g.id FROM games g
        LEFT JOIN pairs p ON p.event_id = g.event_id AND p.pairing = g.pairing AND p.pair = g.pair
        WHERE p.event_id IS NULL
        """,
        "it belongs to no pair",
    ),
]
"""Queries that find nothing in a sound database, and what a row that they find means."""
_OF_SQLITE = """
    SELECT "table" || ': rows that refer to a missing row of ' || parent || ': ' ||
        count(DISTINCT coalesce("rowid", 0))
    FROM pragma_foreign_key_check GROUP BY "table", parent
    UNION ALL SELECT 'trigger ' || name || ' of another program changes table ' ||
        tbl_name || ': drop it'
    FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN ({})
    ORDER BY 1
"""
"""A server enforces references, and its owner decides about triggers."""


def game_digest(
    white_score: int,
    moves_version: int | None = None,
    moves: bytes | None = None,
    search_version: int | None = None,
    search_data: bytes | None = None,
    lines: bytes | None = None,
) -> bytes:
    """Eight bytes that identify the result, the moves, the searches and the lines of engines of a
    game."""
    printed = () if lines is None else (lines,)
    content = (white_score, moves_version, moves, search_version, search_data, *printed)
    return blake2b(ascii(content).encode(), digest_size=8).digest()


def damage(connection: Connection, on_games: OnGames | None = None) -> list[str]:
    """One line per finding: a changed game, a pair that contradicts its games, rows that refer to
    missing rows, triggers of other programs. At most :data:`SHOWN` of each kind."""
    found = _changed_games(connection, on_games)
    if connection.dialect.name == "sqlite":
        tables = ", ".join(f"'{name}'" for name in METADATA.tables)
        found += connection.exec_driver_sql(_OF_SQLITE.format(tables)).scalars()
    for question, problem in _CHECKS:
        rows = connection.execute(text(f"{question} ORDER BY 1 LIMIT {SHOWN}")).scalars()
        found += [f"{row}: {problem}" for row in rows]
    return found


def _changed_games(connection: Connection, on_games: OnGames | None) -> list[str]:
    """Games whose digest does not match their content, or whose moves are not as many as their
    plies."""
    total = connection.execute(select(func.count()).select_from(GAME)).scalar_one()
    found: list[str] = []
    games = connection.execute(_GAMES.execution_options(yield_per=_PAGE))
    for number, page in enumerate(games.partitions()):
        if on_games is not None:
            on_games(number * _PAGE + len(page), total)
        for game_id, digest, plies, *content in page:
            if game_digest(*content) != digest:
                found.append(f"game {game_id}: it is not what was stored")
            elif content[2] is not None and len(content[2]) != 2 * plies:
                found.append(f"game {game_id}: {len(content[2]) // 2} moves for {plies} plies")
    return found[:SHOWN]
