"""Studies that tune parameters, and an index of the kinds of events."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.types import TypeEngine

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of tuning."""
    op.create_index(op.f("ix_events_kind"), "events", ["kind"])
    _create_studies()
    _create_trials()
    _create_encounters()
    _create_confirmations()


def _needed(name: str, kind: TypeEngine[Any], *, key: bool = False) -> sa.Column[Any]:
    """A column that is never NULL; ``key``: part of a primary key that is not counted up."""
    return sa.Column(name, kind, nullable=False, autoincrement=False if key else "auto")


def _create_studies() -> None:
    op.create_table(
        "tuning_studies",
        _needed("id", sa.Integer()),
        _needed("name", sa.String()),
        _needed("status", sa.String()),
        _needed("settings", sa.JSON()),
        _needed("created_ms", sa.BigInteger()),
        sa.Column("started_ms", sa.BigInteger()),
        sa.Column("ended_ms", sa.BigInteger()),
        _needed("provenance_id", sa.Integer()),
        sa.Column("event_id", sa.Integer()),
        sa.Column("result", sa.JSON()),
        sa.ForeignKeyConstraint(
            ["provenance_id"], ["provenance.id"], name=op.f("fk_tuning_studies_provenance_id")
        ),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name=op.f("fk_tuning_studies_event_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tuning_studies")),
        sa.UniqueConstraint("name", name=op.f("uq_tuning_studies_name")),
        sa.UniqueConstraint("event_id", name=op.f("uq_tuning_studies_event_id")),
    )


def _create_trials() -> None:
    op.create_table(
        "tuning_trials",
        _needed("study_id", sa.Integer()),
        _needed("number", sa.Integer(), key=True),
        _needed("state", sa.String()),
        _needed("params", sa.JSON()),
        _needed("attributes", sa.JSON()),
        _needed("steps", sa.JSON()),
        sa.Column("value", sa.Double()),
        _needed("started_ms", sa.BigInteger()),
        sa.Column("ended_ms", sa.BigInteger()),
        sa.CheckConstraint(
            "state IN ('running', 'complete', 'pruned', 'failed')",
            name=op.f("ck_tuning_trials_state"),
        ),
        sa.ForeignKeyConstraint(
            ["study_id"], ["tuning_studies.id"], name=op.f("fk_tuning_trials_study_id")
        ),
        sa.PrimaryKeyConstraint("study_id", "number", name=op.f("pk_tuning_trials")),
    )


def _create_encounters() -> None:
    op.create_table(
        "tuning_encounters",
        _needed("study_id", sa.Integer()),
        _needed("number", sa.Integer(), key=True),
        sa.Column("trial", sa.Integer()),
        _needed("phase", sa.String()),
        _needed("first", sa.JSON()),
        sa.Column("second", sa.JSON()),
        sa.Column("opponent", sa.Integer()),
        _needed("first_pair", sa.Integer()),
        _needed("pairs", sa.Integer()),
        sa.Column("scores", sa.LargeBinary()),
        sa.CheckConstraint(
            "phase IN ('search', 'choice', 'gain')", name=op.f("ck_tuning_encounters_phase")
        ),
        sa.ForeignKeyConstraint(
            ["study_id"], ["tuning_studies.id"], name=op.f("fk_tuning_encounters_study_id")
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "trial"],
            ["tuning_trials.study_id", "tuning_trials.number"],
            name=op.f("fk_tuning_encounters_study_id_trial"),
        ),
        sa.PrimaryKeyConstraint("study_id", "number", name=op.f("pk_tuning_encounters")),
    )
    op.create_index(
        op.f("ix_tuning_encounters_study_id_trial"), "tuning_encounters", ["study_id", "trial"]
    )


def _create_confirmations() -> None:
    op.create_table(
        "tuning_confirmations",
        _needed("study_id", sa.Integer()),
        _needed("event_id", sa.Integer()),
        sa.ForeignKeyConstraint(
            ["study_id"], ["tuning_studies.id"], name=op.f("fk_tuning_confirmations_study_id")
        ),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name=op.f("fk_tuning_confirmations_event_id")
        ),
        sa.PrimaryKeyConstraint("study_id", "event_id", name=op.f("pk_tuning_confirmations")),
    )
