"""Importing PGN files of other programs.

Reading writes no table: games wait in a temporary file, so a file with a bad game leaves no trace.
Lines and games are bounded, so memory does not depend on the file. A game is identified by the hash
of its text; importing is idempotent and can be killed at any moment. A game without a partner is a
pair without a second score. A game exported from this database is recognised and counts as a
repetition.

``source`` reads lines, ``scan`` finds games and their tags, ``game`` parses a game, with
``comments`` for its search results, ``endings`` for its end reason; ``pairing`` finds pairs,
``run`` stores.
"""
