"""The database for ``from toolkit import …``: :mod:`lazy_loader` finds names below ``toolkit``."""

from db.session import open_database as open_database
