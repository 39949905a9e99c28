"""The games in which claims are measured."""

from __future__ import annotations

from engines.choices import GAMES
from engines.rules.catalog import rules_of


def measured_games() -> list[str]:
    """Their names, in the order of the parameter ``game``."""
    return [game for game in GAMES if rules_of(game).depth_stretch is not None]
