"""The tables: how they are declared, upgraded and checked.

A new database is made of the declared tables; an older one is upgraded by Alembic revisions, each
named after the version that brought it. A released revision never changes. Views are made anew
after every upgrade.
"""
