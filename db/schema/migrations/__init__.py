"""Alembic's revisions. They travel with the package; :func:`db.schema.version.migrate` runs them."""
