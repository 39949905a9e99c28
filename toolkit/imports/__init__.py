"""Importing PGN files of other programs.

``source`` reads lines, ``scan`` finds games and their tags, ``game`` parses a game, with
``comments`` for its search results, ``endings`` for its end reason, ``controls`` for its limit and
``moments`` for its time;
``pairing`` finds pairs, ``copies`` the games of this database, ``run`` stores.
"""
