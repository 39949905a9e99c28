"""How a database is opened, locked, written to and asked: files, connections, transactions."""
