"""Selecting games and their players: by event, engine, limit, date and opening.

A rating belongs to a *rated player* (:class:`~toolkit.selection.players.RatedPlayer`): an engine,
the core that played it (for an external engine its version), and its own limit. Conditions belong
to the players of an event, so games are summed without reading limits. Games of several rules are
never added up (:func:`~toolkit.selection.games.choose`). A game is excluded if an earlier one has
the same identities, colours, signature, start, limit and moves.
"""
