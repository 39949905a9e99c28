"""What goes into the database and comes out of it: frozen structs and tuples. Rows of
tables do not leave the package.

Times are UTC, ISO 8601 text with milliseconds (``2026-11-21T10:02:30.123Z``).
"""
