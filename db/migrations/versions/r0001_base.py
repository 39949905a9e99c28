"""Variants, books, events, games, ratings."""

from __future__ import annotations

import re
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.types import TypeEngine

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_APPLICATION_ID = 0x6D746466

_DIALECT = {
    "sqlite": {
        "MOMENT": r"strftime('%Y-%m-%dT%H:%M:%fZ', \1 / 1000.0, 'unixepoch')",
        "HEX": r"lower(hex(\1))",
    },
    "postgresql": {
        "MOMENT": r"""to_char(to_timestamp(\1 / 1000.0) AT TIME ZONE 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')""",
        "HEX": r"encode(\1, 'hex')",
    },
}
"""How each dialect writes milliseconds as ISO 8601 text, and bytes as hex digits."""

# Joins are outer ones, although every key has its row: SQLite then skips those that a query does
# not ask for.
_VIEWS = {
    "v_variants": """
        SELECT v.identity AS id, v.kind, v.driver, v.spelling, v.parameters
        FROM variants v
    """,
    "v_openings": """
        SELECT b.identity AS book_id, b.name AS book, o.line, o.label, o.start_fen, o.moves, o.fen
        FROM openings o LEFT JOIN books b ON b.id = o.book_id
    """,
    "v_events": """
        SELECT e.key AS id, e.name, e.kind, e.status, e.pairs_planned,
            (SELECT count(*) FROM pairs p WHERE p.event_id = e.id) AS pairs_done,
            (SELECT count(*) FROM pair_failures f WHERE f.event_id = e.id) AS pairs_failed,
            e.seed, b.identity AS book_id, b.name AS book, MOMENT(e.created_ms) AS created_at,
            MOMENT(e.started_ms) AS started_at, MOMENT(e.ended_ms) AS ended_at,
            h.host, h.version, h.backend, h.signature, e.settings
        FROM events e
        LEFT JOIN books b ON b.id = e.book_id
        LEFT JOIN provenance h ON h.id = e.provenance_id
    """,
    "v_players": """
        SELECT e.key AS event, x.position, x.label, v.identity AS variant_id, v.spelling
        FROM event_players x
        LEFT JOIN events e ON e.id = x.event_id
        LEFT JOIN variants v ON v.id = x.variant_id
    """,
    "v_pairs": """
        SELECT e.key AS event, p.pairing, p.pair, a.label AS first, b.label AS second,
            v.identity AS first_id, w.identity AS second_id, p.points / 2.0 AS points, p.counted
        FROM pairs p
        LEFT JOIN events e ON e.id = p.event_id
        LEFT JOIN pairings m ON m.event_id = p.event_id AND m.pairing = p.pairing
        LEFT JOIN event_players a ON a.event_id = p.event_id AND a.position = m.first_player
        LEFT JOIN event_players b ON b.event_id = p.event_id AND b.position = m.second_player
        LEFT JOIN variants v ON v.id = a.variant_id
        LEFT JOIN variants w ON w.id = b.variant_id
    """,
    "v_failures": """
        SELECT e.key AS event, f.pairing, f.pair, f.attempts, f.reason,
            MOMENT(f.failed_ms) AS failed_at
        FROM pair_failures f LEFT JOIN events e ON e.id = f.event_id
    """,
    "v_games": """
        SELECT g.id, e.key AS event, g.pairing, g.pair, g.game, a.label AS white, b.label AS black,
            v.identity AS white_id, w.identity AS black_id,
            CASE g.white_score WHEN 2 THEN '1-0' WHEN 1 THEN '1/2-1/2' ELSE '0-1' END AS result,
            g.white_score / 2.0 AS white_score, r.name AS end_reason, g.plies,
            k.identity AS book_id, o.line AS opening_line,
            coalesce(g.start_fen, o.fen) AS start_fen,
            d.moves, d.moves_version, d.search_data, d.search_version,
            g.white_nodes, g.black_nodes, g.white_cpu_us, g.black_cpu_us,
            MOMENT(g.started_ms) AS started_at, MOMENT(g.ended_ms) AS ended_at,
            h.host, g.load, g.jobs, h.backend, h.signature, h.version, g.seed,
            HEX(g.game_key) AS game_key, g.repeats_id IS NULL AS counted, g.repeats_id AS repeats
        FROM games g
        LEFT JOIN events e ON e.id = g.event_id
        LEFT JOIN event_players a ON a.event_id = g.event_id AND a.position = g.white_player
        LEFT JOIN event_players b ON b.event_id = g.event_id AND b.position = g.black_player
        LEFT JOIN variants v ON v.id = a.variant_id
        LEFT JOIN variants w ON w.id = b.variant_id
        LEFT JOIN end_reasons r ON r.id = g.end_reason_id
        LEFT JOIN openings o ON o.id = g.opening_id
        LEFT JOIN books k ON k.id = o.book_id
        LEFT JOIN provenance h ON h.id = g.provenance_id
        LEFT JOIN game_moves d ON d.game_id = g.id
    """,
    "v_ratings": """
        SELECT r.list_id AS list, MOMENT(l.created_ms) AS created_at, r.rank, r.label AS engine,
            v.identity AS engine_id, r.elo, r.error95, l.error_model, r.games, r.score, r.los_next,
            l.version, l.settings
        FROM ratings r
        LEFT JOIN rating_lists l ON l.id = r.list_id
        LEFT JOIN variants v ON v.id = r.variant_id
    """,
}


def upgrade() -> None:
    """Make everything."""
    _create_players()
    _create_books()
    _create_events()
    _create_pairs()
    _create_games()
    _create_moves()
    _create_ratings()
    _create_views(op.get_bind().dialect.name)
    if op.get_bind().dialect.name == "sqlite":
        op.execute(f"PRAGMA application_id = {_APPLICATION_ID}")


def _needed(name: str, kind: TypeEngine[Any], *, key: bool = False) -> sa.Column[Any]:
    """A column that is never NULL; ``key``: part of a primary key that is not counted up."""
    return sa.Column(name, kind, nullable=False, autoincrement=False if key else "auto")


def _create_players() -> None:
    """Who plays, and what played it."""
    op.create_table(
        "provenance",
        _needed("id", sa.Integer()),
        _needed("host", sa.String()),
        _needed("version", sa.String()),
        _needed("backend", sa.String()),
        _needed("signature", sa.String()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_provenance")),
        sa.UniqueConstraint(
            "host",
            "version",
            "backend",
            "signature",
            name=op.f("uq_provenance_host_version_backend_signature"),
        ),
    )
    op.create_table(
        "variants",
        _needed("id", sa.Integer()),
        _needed("identity", sa.String(length=64)),
        _needed("kind", sa.String()),
        _needed("driver", sa.String()),
        _needed("parameters", sa.JSON()),
        _needed("spelling", sa.String()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_variants")),
        sa.UniqueConstraint("identity", name=op.f("uq_variants_identity")),
    )


def _create_books() -> None:
    """Where games start."""
    op.create_table(
        "books",
        _needed("id", sa.Integer()),
        _needed("identity", sa.String(length=64)),
        _needed("name", sa.String()),
        _needed("source", sa.String()),
        _needed("lines", sa.Integer()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_books")),
        sa.UniqueConstraint("identity", name=op.f("uq_books_identity")),
    )
    op.create_table(
        "openings",
        _needed("id", sa.Integer()),
        _needed("book_id", sa.Integer()),
        _needed("line", sa.Integer()),
        _needed("start_fen", sa.String()),
        _needed("moves", sa.LargeBinary()),
        _needed("fen", sa.String()),
        _needed("label", sa.String()),
        sa.ForeignKeyConstraint(["book_id"], ["books.id"], name=op.f("fk_openings_book_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_openings")),
        sa.UniqueConstraint("book_id", "line", name=op.f("uq_openings_book_id_line")),
    )


def _create_events() -> None:
    """Tournaments and their players."""
    op.create_table(
        "events",
        _needed("id", sa.Integer()),
        _needed("key", sa.String(length=16)),
        _needed("name", sa.String()),
        _needed("kind", sa.String()),
        _needed("status", sa.String()),
        _needed("settings", sa.JSON()),
        _needed("seed", sa.BigInteger()),
        sa.Column("book_id", sa.Integer()),
        _needed("pairs_planned", sa.Integer()),
        _needed("created_ms", sa.BigInteger()),
        sa.Column("started_ms", sa.BigInteger()),
        sa.Column("ended_ms", sa.BigInteger()),
        _needed("provenance_id", sa.Integer()),
        sa.ForeignKeyConstraint(["book_id"], ["books.id"], name=op.f("fk_events_book_id")),
        sa.ForeignKeyConstraint(
            ["provenance_id"], ["provenance.id"], name=op.f("fk_events_provenance_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sa.UniqueConstraint("key", name=op.f("uq_events_key")),
    )
    op.create_table(
        "event_players",
        _needed("event_id", sa.Integer()),
        _needed("position", sa.Integer(), key=True),
        _needed("label", sa.String()),
        _needed("variant_id", sa.Integer()),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name=op.f("fk_event_players_event_id")
        ),
        sa.ForeignKeyConstraint(
            ["variant_id"], ["variants.id"], name=op.f("fk_event_players_variant_id")
        ),
        sa.PrimaryKeyConstraint("event_id", "position", name=op.f("pk_event_players")),
        sa.UniqueConstraint("event_id", "label", name=op.f("uq_event_players_event_id_label")),
    )
    op.create_index(op.f("ix_event_players_label"), "event_players", ["label"])
    op.create_index(op.f("ix_event_players_variant_id"), "event_players", ["variant_id"])


def _create_pairs() -> None:
    """Who meets whom, and how often they did."""
    op.create_table(
        "pairings",
        _needed("event_id", sa.Integer(), key=True),
        _needed("pairing", sa.Integer(), key=True),
        _needed("first_player", sa.Integer()),
        _needed("second_player", sa.Integer()),
        sa.CheckConstraint("first_player < second_player", name=op.f("ck_pairings_order")),
        sa.ForeignKeyConstraint(
            ["event_id", "first_player"],
            ["event_players.event_id", "event_players.position"],
            name=op.f("fk_pairings_event_id_first_player"),
        ),
        sa.ForeignKeyConstraint(
            ["event_id", "second_player"],
            ["event_players.event_id", "event_players.position"],
            name=op.f("fk_pairings_event_id_second_player"),
        ),
        sa.PrimaryKeyConstraint("event_id", "pairing", name=op.f("pk_pairings")),
    )
    op.create_table(
        "pairs",
        _needed("event_id", sa.Integer(), key=True),
        _needed("pairing", sa.Integer(), key=True),
        _needed("pair", sa.Integer(), key=True),
        _needed("points", sa.SmallInteger()),
        _needed("counted", sa.Boolean()),
        sa.CheckConstraint("points BETWEEN 0 AND 4", name=op.f("ck_pairs_points")),
        sa.ForeignKeyConstraint(
            ["event_id", "pairing"],
            ["pairings.event_id", "pairings.pairing"],
            name=op.f("fk_pairs_event_id_pairing"),
        ),
        sa.PrimaryKeyConstraint("event_id", "pairing", "pair", name=op.f("pk_pairs")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "pair_failures",
        _needed("event_id", sa.Integer()),
        _needed("pairing", sa.Integer(), key=True),
        _needed("pair", sa.Integer(), key=True),
        _needed("attempts", sa.Integer()),
        _needed("reason", sa.String()),
        _needed("failed_ms", sa.BigInteger()),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name=op.f("fk_pair_failures_event_id")
        ),
        sa.PrimaryKeyConstraint("event_id", "pairing", "pair", name=op.f("pk_pair_failures")),
    )


def _create_games() -> None:
    """One row a game, of numbers only."""
    op.create_table(
        "end_reasons",
        _needed("id", sa.Integer()),
        _needed("name", sa.String(length=64)),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_end_reasons")),
        sa.UniqueConstraint("name", name=op.f("uq_end_reasons_name")),
    )
    op.create_table(
        "games",
        _needed("id", sa.Integer()),
        _needed("event_id", sa.Integer()),
        _needed("pairing", sa.Integer()),
        _needed("pair", sa.Integer()),
        _needed("game", sa.SmallInteger()),
        _needed("white_player", sa.Integer()),
        _needed("black_player", sa.Integer()),
        _needed("white_score", sa.SmallInteger()),
        sa.Column("repeats_id", sa.Integer()),
        _needed("end_reason_id", sa.Integer()),
        _needed("plies", sa.Integer()),
        sa.Column("opening_id", sa.Integer()),
        sa.Column("start_fen", sa.String()),
        _needed("white_nodes", sa.BigInteger()),
        _needed("black_nodes", sa.BigInteger()),
        _needed("white_cpu_us", sa.BigInteger()),
        _needed("black_cpu_us", sa.BigInteger()),
        _needed("started_ms", sa.BigInteger()),
        _needed("ended_ms", sa.BigInteger()),
        _needed("provenance_id", sa.Integer()),
        _needed("load", sa.Double()),
        _needed("jobs", sa.Integer()),
        _needed("seed", sa.BigInteger()),
        sa.Column("game_key", sa.LargeBinary(length=32)),
        sa.CheckConstraint("game IN (1, 2)", name=op.f("ck_games_game")),
        sa.CheckConstraint("white_score IN (0, 1, 2)", name=op.f("ck_games_white_score")),
        sa.ForeignKeyConstraint(
            ["end_reason_id"], ["end_reasons.id"], name=op.f("fk_games_end_reason_id")
        ),
        sa.ForeignKeyConstraint(
            ["event_id", "black_player"],
            ["event_players.event_id", "event_players.position"],
            name=op.f("fk_games_event_id_black_player"),
        ),
        sa.ForeignKeyConstraint(
            ["event_id", "pairing", "pair"],
            ["pairs.event_id", "pairs.pairing", "pairs.pair"],
            name=op.f("fk_games_event_id_pairing_pair"),
        ),
        sa.ForeignKeyConstraint(
            ["event_id", "white_player"],
            ["event_players.event_id", "event_players.position"],
            name=op.f("fk_games_event_id_white_player"),
        ),
        sa.ForeignKeyConstraint(["opening_id"], ["openings.id"], name=op.f("fk_games_opening_id")),
        sa.ForeignKeyConstraint(
            ["provenance_id"], ["provenance.id"], name=op.f("fk_games_provenance_id")
        ),
        sa.ForeignKeyConstraint(["repeats_id"], ["games.id"], name=op.f("fk_games_repeats_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_games")),
        sa.UniqueConstraint(
            "event_id", "pairing", "pair", "game", name=op.f("uq_games_event_id_pairing_pair_game")
        ),
    )
    op.create_index(
        "ix_games_counted_key",
        "games",
        ["game_key"],
        unique=True,
        sqlite_where=sa.text("repeats_id IS NULL AND game_key IS NOT NULL"),
        postgresql_where=sa.text("repeats_id IS NULL AND game_key IS NOT NULL"),
    )
    op.create_index(
        "ix_games_scores",
        "games",
        ["event_id", "pairing", "white_player", "black_player", "white_score", "repeats_id"],
    )


def _create_moves() -> None:
    """What a game is read for but never counted by."""
    op.create_table(
        "game_moves",
        _needed("game_id", sa.Integer()),
        _needed("moves_version", sa.SmallInteger()),
        _needed("moves", sa.LargeBinary()),
        _needed("search_version", sa.SmallInteger()),
        _needed("search_data", sa.LargeBinary()),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_game_moves_game_id")),
        sa.PrimaryKeyConstraint("game_id", name=op.f("pk_game_moves")),
    )


def _create_ratings() -> None:
    """Stored fits."""
    op.create_table(
        "rating_lists",
        _needed("id", sa.Integer()),
        _needed("created_ms", sa.BigInteger()),
        _needed("version", sa.String()),
        _needed("error_model", sa.String()),
        _needed("settings", sa.JSON()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rating_lists")),
    )
    op.create_table(
        "ratings",
        _needed("list_id", sa.Integer()),
        _needed("rank", sa.Integer(), key=True),
        _needed("variant_id", sa.Integer()),
        _needed("label", sa.String()),
        _needed("elo", sa.Double()),
        sa.Column("error95", sa.Double()),
        _needed("games", sa.Integer()),
        _needed("score", sa.Double()),
        sa.Column("los_next", sa.Double()),
        sa.ForeignKeyConstraint(["list_id"], ["rating_lists.id"], name=op.f("fk_ratings_list_id")),
        sa.ForeignKeyConstraint(
            ["variant_id"], ["variants.id"], name=op.f("fk_ratings_variant_id")
        ),
        sa.PrimaryKeyConstraint("list_id", "rank", name=op.f("pk_ratings")),
    )
    op.create_index(op.f("ix_ratings_variant_id"), "ratings", ["variant_id"])


def _create_views(dialect: str) -> None:
    """What people's own SQL reads; documented in docs/database.md."""
    for name, query in _VIEWS.items():
        for word, template in _DIALECT[dialect].items():
            query = re.sub(rf"\b{word}\(([a-z_.]+)\)", template, query)
        op.get_bind().exec_driver_sql(f"CREATE VIEW {name} AS {query}")
