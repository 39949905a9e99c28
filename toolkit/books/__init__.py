"""Books of openings: reading, slicing, checking and making them.

A book is identified by its lines. From books of games (PGN, Polyglot) players and referee get the
start and the moves, from books of positions the position. The slice of a line is a hash of its
position, so all books divide alike.
"""
