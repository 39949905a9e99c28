"""Reading from and writing to the tables: functions of a connection, one file per concept.

:mod:`db.repository` binds them. What may lose its last reference is stored in the transaction that
refers to it. A run is removed, renamed or annotated in one transaction (:mod:`db.queries.removal`);
which game of a key counts is decided in :mod:`db.queries.pairs`. No statement that stores pairs
scans a table of games; a test checks it.
"""
