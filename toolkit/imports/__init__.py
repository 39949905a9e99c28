"""Games from elsewhere: PGN files of other programs into the database.

``scan`` finds games and their tags, ``game`` makes a game of them, with ``endings`` for why it
ended and ``moments`` for when, ``pairing`` finds pairs, ``run`` stores.
"""
