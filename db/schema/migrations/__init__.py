"""Alembic's revisions, which travel with the package: :mod:`db.schema.version` runs them."""
