"""How a database is opened, locked, written to and asked: files, connections, transactions.

Who plays an event holds its lock, all who play share one, and what changes the whole database holds
that one alone (:mod:`db.storage.lock`). A lock ends with its process. A server has advisory locks
on one connection. A process with a lock writes by that connection only, so lock and transaction
have one fate: if the connection is lost, the next write raises DatabaseUnusable, and nothing is
stored after another process has taken the lock.
"""
