"""Games from elsewhere: PGN files of other programs into the database.

``source`` reads lines, ``scan`` finds games and their tags, ``game`` makes a game of them, with
``comments`` for what its searches found, ``endings`` for why it ended and ``moments`` for when;
``pairing`` finds pairs, ``copies`` the games of this database, ``run`` stores.
"""
