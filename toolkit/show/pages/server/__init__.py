"""The server of `mtdf serve`: live pages over a database that it only reads."""
