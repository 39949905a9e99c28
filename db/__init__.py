"""The database: variants, books, events, games, ratings. Knows nothing of engines or play."""
