"""One file a revision; each declares its own tables and imports none of `db.schema.declared`."""
