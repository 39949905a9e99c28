"""Alembic's revisions. They travel with the package and run by :func:`db.schema.version.migrate`."""
