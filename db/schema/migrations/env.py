"""How Alembic runs: on the connection, and in the transaction, that it is handed."""

from __future__ import annotations

from alembic import context

from db.schema.declared import METADATA

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=METADATA,
    render_as_batch=connection.dialect.name == "sqlite",
)
with context.begin_transaction():
    context.run_migrations()
