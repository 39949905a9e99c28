"""Runs of the search laboratory, and their searches."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.types import TypeEngine

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of the laboratory."""
    _create_runs()
    _create_engines()
    _create_positions()
    _create_searches()


def _needed(name: str, kind: TypeEngine[Any], *, key: bool = False) -> sa.Column[Any]:
    """A column that is never NULL; ``key``: part of a primary key that is not counted up."""
    return sa.Column(name, kind, nullable=False, autoincrement=False if key else "auto")


def _create_runs() -> None:
    op.create_table(
        "lab_runs",
        _needed("id", sa.Integer()),
        _needed("name", sa.String()),
        _needed("kind", sa.String()),
        _needed("status", sa.String()),
        _needed("settings", sa.JSON()),
        _needed("created_ms", sa.BigInteger()),
        sa.Column("started_ms", sa.BigInteger()),
        sa.Column("ended_ms", sa.BigInteger()),
        _needed("provenance_id", sa.Integer()),
        sa.ForeignKeyConstraint(
            ["provenance_id"], ["provenance.id"], name=op.f("fk_lab_runs_provenance_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lab_runs")),
        sa.UniqueConstraint("name", name=op.f("uq_lab_runs_name")),
    )


def _create_engines() -> None:
    op.create_table(
        "lab_engines",
        _needed("run_id", sa.Integer()),
        _needed("engine", sa.Integer(), key=True),
        _needed("label", sa.String()),
        _needed("variant_id", sa.Integer()),
        _needed("baseline", sa.Integer()),
        sa.Column("parameter", sa.String()),
        sa.Column("value", sa.String()),
        sa.ForeignKeyConstraint(["run_id"], ["lab_runs.id"], name=op.f("fk_lab_engines_run_id")),
        sa.ForeignKeyConstraint(
            ["variant_id"], ["variants.id"], name=op.f("fk_lab_engines_variant_id")
        ),
        sa.PrimaryKeyConstraint("run_id", "engine", name=op.f("pk_lab_engines")),
    )
    op.create_index(op.f("ix_lab_engines_variant_id"), "lab_engines", ["variant_id"])


def _create_positions() -> None:
    op.create_table(
        "lab_positions",
        _needed("run_id", sa.Integer()),
        _needed("position", sa.Integer(), key=True),
        _needed("label", sa.String()),
        _needed("fen", sa.String()),
        sa.ForeignKeyConstraint(["run_id"], ["lab_runs.id"], name=op.f("fk_lab_positions_run_id")),
        sa.PrimaryKeyConstraint("run_id", "position", name=op.f("pk_lab_positions")),
    )


def _create_searches() -> None:
    op.create_table(
        "lab_searches",
        _needed("run_id", sa.Integer()),
        _needed("engine", sa.Integer(), key=True),
        _needed("position", sa.Integer(), key=True),
        _needed("depth", sa.Integer()),
        _needed("value", sa.Integer()),
        _needed("move", sa.String()),
        _needed("interior", sa.BigInteger()),
        _needed("leaves", sa.BigInteger()),
        _needed("quiescence", sa.BigInteger()),
        _needed("passes", sa.Integer()),
        _needed("cpu_us", sa.BigInteger()),
        _needed("iterations", sa.JSON()),
        _needed("searched_ms", sa.BigInteger()),
        sa.ForeignKeyConstraint(["run_id"], ["lab_runs.id"], name=op.f("fk_lab_searches_run_id")),
        sa.ForeignKeyConstraint(
            ["run_id", "engine"],
            ["lab_engines.run_id", "lab_engines.engine"],
            name=op.f("fk_lab_searches_run_id_engine"),
        ),
        sa.ForeignKeyConstraint(
            ["run_id", "position"],
            ["lab_positions.run_id", "lab_positions.position"],
            name=op.f("fk_lab_searches_run_id_position"),
        ),
        sa.PrimaryKeyConstraint("run_id", "engine", "position", name=op.f("pk_lab_searches")),
    )
