"""Variants, books, events, games, ratings."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.types import TypeEngine

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_APPLICATION_ID = 0x6D746466


def upgrade() -> None:
    """Make everything."""
    _create_players()
    _create_books()
    _create_events()
    _create_pairs()
    _create_failures()
    _create_games()
    _create_moves()
    _create_ratings()
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
        _needed("first_is_white", sa.Boolean()),
        _needed("score1", sa.SmallInteger()),
        sa.Column("score2", sa.SmallInteger()),
        _needed("counted", sa.Boolean()),
        sa.CheckConstraint("score1 IN (0, 1, 2)", name=op.f("ck_pairs_score1")),
        sa.CheckConstraint("score2 IN (0, 1, 2)", name=op.f("ck_pairs_score2")),
        sa.ForeignKeyConstraint(
            ["event_id", "pairing"],
            ["pairings.event_id", "pairings.pairing"],
            name=op.f("fk_pairs_event_id_pairing"),
        ),
        sa.PrimaryKeyConstraint("event_id", "pairing", "pair", name=op.f("pk_pairs")),
        sqlite_with_rowid=False,
    )


def _create_failures() -> None:
    """Pairs that could not be played."""
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
    op.create_table("games", *_game_columns(), *_game_constraints())
    op.create_index(
        "ix_games_counted_key",
        "games",
        ["game_key"],
        unique=True,
        sqlite_where=sa.text("repeats_id IS NULL AND game_key IS NOT NULL"),
        postgresql_where=sa.text("repeats_id IS NULL AND game_key IS NOT NULL"),
    )
    op.create_index(
        "ix_games_repeats",
        "games",
        ["repeats_id"],
        sqlite_where=sa.text("repeats_id IS NOT NULL"),
        postgresql_where=sa.text("repeats_id IS NOT NULL"),
    )
    op.create_index(
        "ix_games_scores",
        "games",
        [
            "event_id",
            "pairing",
            "white_player",
            "black_player",
            "white_score",
            "provenance_id",
            "repeats_id",
        ],
    )


def _game_columns() -> list[sa.Column[Any]]:
    return [
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
        sa.Column("started_ms", sa.BigInteger()),
        sa.Column("ended_ms", sa.BigInteger()),
        _needed("provenance_id", sa.Integer()),
        _needed("load", sa.Double()),
        _needed("jobs", sa.Integer()),
        _needed("seed", sa.BigInteger()),
        sa.Column("game_key", sa.LargeBinary(length=32)),
    ]


def _game_constraints() -> list[sa.Constraint]:
    return [
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
    ]


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
