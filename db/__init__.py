"""The database: runs, games, searches, ratings. It knows nothing of engines or play.

**Interface.** :class:`db.session.Database` opens, :class:`db.repository.Repository` reads and
writes records. Rows do not leave the package, and only it uses SQL.

**Crash safety.** Both games of a pair are committed in one transaction before anything is shown,
and (event, pairing, pair, game) is unique. A commit returns when the log is on the disk
(``synchronous=FULL``). A run is done only if the database has all of its results.

**Two databases.** SQLite and PostgreSQL keep one contract; tests with the fixture ``database`` run
on both. Writers take turns. A reader sees one state. Texts are sorted by :mod:`db.queries.order`,
never by a server's collation. A user's statement on a server must be a query that a cursor accepts,
and may call no volatile function.
"""
