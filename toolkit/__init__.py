"""What happens between engines and the database: play, statistics, questions, commands.

Everything that a command does is a function here, imported when it is first used::

    from toolkit import Limit, gauntlet_settings, open_database, start_event

    with open_database("mtdf.db") as db:
        settings = gauntlet_settings(["mtdf"], ["pvs"], pairs=10, limit=Limit(nodes=1000))
        outcome = start_event(db, settings, jobs=2)

Workers are started afresh (``spawn``), so a script has to keep such lines under
``if __name__ == "__main__":``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from db.session import open_database
    from engines.spec import Limit
    from engines.variant import parse_variant
    from toolkit.errors import MtdfError, UsageError
    from toolkit.play.adjudication import Adjudication, DrawRule, ResignRule
    from toolkit.play.clock import parse_clock
    from toolkit.play.event import resume_event, start_event
    from toolkit.play.openings import default_book, load_book
    from toolkit.play.pgn import game_to_pgn
    from toolkit.play.plan import plan_event
    from toolkit.play.replay import replay_game
    from toolkit.play.settings import EventSettings, gauntlet_settings, match_settings

_HOME = {
    "Adjudication": "toolkit.play.adjudication",
    "DrawRule": "toolkit.play.adjudication",
    "EventSettings": "toolkit.play.settings",
    "Limit": "engines.spec",
    "MtdfError": "toolkit.errors",
    "ResignRule": "toolkit.play.adjudication",
    "UsageError": "toolkit.errors",
    "default_book": "toolkit.play.openings",
    "game_to_pgn": "toolkit.play.pgn",
    "gauntlet_settings": "toolkit.play.settings",
    "load_book": "toolkit.play.openings",
    "match_settings": "toolkit.play.settings",
    "open_database": "db.session",
    "parse_clock": "toolkit.play.clock",
    "parse_variant": "engines.variant",
    "plan_event": "toolkit.play.plan",
    "replay_game": "toolkit.play.replay",
    "resume_event": "toolkit.play.event",
    "start_event": "toolkit.play.event",
}
"""Where each exported name lives. The imports above tell type checkers the same."""

__all__ = [
    "Adjudication",
    "DrawRule",
    "EventSettings",
    "Limit",
    "MtdfError",
    "ResignRule",
    "UsageError",
    "default_book",
    "game_to_pgn",
    "gauntlet_settings",
    "load_book",
    "match_settings",
    "open_database",
    "parse_clock",
    "parse_variant",
    "plan_event",
    "replay_game",
    "resume_event",
    "start_event",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module `toolkit` has no attribute `{name}`")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
