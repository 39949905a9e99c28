"""Games: their rules in Python, behind one protocol (``Rules`` in :mod:`engines.rules.board`).

Rules make boards, name moves, and say how boards are drawn, which book and adjudication are usual,
and whether UCI engines play the game. :mod:`engines.rules.catalog` lists all games.
``moves_version`` of a stored game says which rules read it. Nothing outside a game's own files asks
which game it is (``tests/project/test_games_apart.py``).

Chess960 is a setting of the event, never a guess from a position, because position 518 is the start
of standard chess. In its games, and in no others, the code of a castling move is king takes rook
(:mod:`engines.moves`).
"""
