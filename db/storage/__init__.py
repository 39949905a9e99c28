"""How a database is opened, locked, written to and asked: files, connections, transactions.

A process that plays an event holds its lock, all playing processes share one, and what changes the
whole database holds that one exclusively (:mod:`db.storage.lock`). A lock ends with its process. A
server has advisory locks on one connection. A process with a lock writes by that connection only,
so lock and transaction have one fate: if the connection is lost, the next write raises
DatabaseUnusable, and nothing is stored after another process has taken the lock.
"""
