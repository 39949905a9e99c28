"""Players of engines of both kinds."""

from __future__ import annotations

from engines.backend import make_searcher
from engines.external.player import UciPlayer
from engines.spec import Engine, Player, UciEngine


def make_player(engine: Engine) -> Player:
    """A player of this engine. Raises VariantError if the core rejects a variant's parameters; an
    external engine starts with its first game."""
    return UciPlayer(engine) if isinstance(engine, UciEngine) else make_searcher(engine)
