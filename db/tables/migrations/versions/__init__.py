"""One file a revision; each declares its own tables and imports none of `db.tables.declared`."""
