"""What happens between engines and the database: play, statistics, questions, commands.

Everything that a command does is a function here, imported when it is first used::

    from toolkit import Limit, gauntlet_settings, open_database, rate_games, start_event

    with open_database("mtdf.db") as db:
        settings = gauntlet_settings(["mtdf"], ["pvs"], pairs=10, limit=Limit(nodes=1000))
        outcome = start_event(db, settings, jobs=2)
        print(rate_games(db, event=outcome.event.key).rows())

Workers are started afresh (``spawn``), so a script has to keep such lines under
``if __name__ == "__main__":``; a notebook may have them anywhere.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from db.session import open_database
    from engines.backend import bench, make_searcher
    from engines.spec import Limit, SearchLimit
    from engines.uci import serve
    from engines.variant import parse_variant
    from toolkit.ablation import ablation_settings, find_ablation
    from toolkit.catalog import (
        diff_engines,
        list_drivers,
        list_engines,
        list_parameters,
        show_engine,
    )
    from toolkit.crosstables import crosstable
    from toolkit.doctor import run_checks
    from toolkit.errors import ExitCode, MtdfError, UsageError, exit_code_of
    from toolkit.event_statistics import event_stats
    from toolkit.history import histories, rating_history
    from toolkit.imports.run import import_file
    from toolkit.labels import display_labels
    from toolkit.limits import spell_limit
    from toolkit.meetings import head_to_head, heads_to_heads
    from toolkit.opening_statistics import opening_stats
    from toolkit.play.adjudication import (
        Adjudication,
        DrawRule,
        ResignRule,
        parse_draw_rule,
        parse_resign_rule,
    )
    from toolkit.play.bookinfo import BookSlice
    from toolkit.play.clock import parse_clock
    from toolkit.play.event import resume_event, start_event
    from toolkit.play.openings import default_book, load_book
    from toolkit.play.pgn import game_to_pgn
    from toolkit.play.plan import plan_event
    from toolkit.play.replay import replay_game
    from toolkit.play.settings import (
        EventSettings,
        gauntlet_settings,
        match_settings,
        round_robin_settings,
    )
    from toolkit.queries import (
        GameQuery,
        find_event,
        find_game,
        list_events,
        list_games,
        list_moves,
        list_pgn,
        position_at,
    )
    from toolkit.rating import RatingQuery, rate_games
    from toolkit.rating_list import explain_ratings, los_rows
    from toolkit.scores import event_scores
    from toolkit.selection import Selection
    from toolkit.upkeep import database_info, replay_games

_HOME = {
    "Adjudication": "toolkit.play.adjudication",
    "BookSlice": "toolkit.play.bookinfo",
    "DrawRule": "toolkit.play.adjudication",
    "EventSettings": "toolkit.play.settings",
    "ExitCode": "toolkit.errors",
    "GameQuery": "toolkit.queries",
    "Limit": "engines.spec",
    "MtdfError": "toolkit.errors",
    "RatingQuery": "toolkit.rating",
    "ResignRule": "toolkit.play.adjudication",
    "SearchLimit": "engines.spec",
    "Selection": "toolkit.selection",
    "UsageError": "toolkit.errors",
    "ablation_settings": "toolkit.ablation",
    "bench": "engines.backend",
    "crosstable": "toolkit.crosstables",
    "database_info": "toolkit.upkeep",
    "default_book": "toolkit.play.openings",
    "diff_engines": "toolkit.catalog",
    "display_labels": "toolkit.labels",
    "event_scores": "toolkit.scores",
    "event_stats": "toolkit.event_statistics",
    "exit_code_of": "toolkit.errors",
    "explain_ratings": "toolkit.rating_list",
    "find_ablation": "toolkit.ablation",
    "find_event": "toolkit.queries",
    "find_game": "toolkit.queries",
    "game_to_pgn": "toolkit.play.pgn",
    "gauntlet_settings": "toolkit.play.settings",
    "head_to_head": "toolkit.meetings",
    "heads_to_heads": "toolkit.meetings",
    "histories": "toolkit.history",
    "import_file": "toolkit.imports.run",
    "list_drivers": "toolkit.catalog",
    "list_engines": "toolkit.catalog",
    "list_events": "toolkit.queries",
    "list_games": "toolkit.queries",
    "list_moves": "toolkit.queries",
    "list_parameters": "toolkit.catalog",
    "list_pgn": "toolkit.queries",
    "load_book": "toolkit.play.openings",
    "los_rows": "toolkit.rating_list",
    "make_searcher": "engines.backend",
    "match_settings": "toolkit.play.settings",
    "open_database": "db.session",
    "opening_stats": "toolkit.opening_statistics",
    "parse_clock": "toolkit.play.clock",
    "parse_draw_rule": "toolkit.play.adjudication",
    "parse_resign_rule": "toolkit.play.adjudication",
    "parse_variant": "engines.variant",
    "plan_event": "toolkit.play.plan",
    "position_at": "toolkit.queries",
    "rate_games": "toolkit.rating",
    "rating_history": "toolkit.history",
    "replay_game": "toolkit.play.replay",
    "replay_games": "toolkit.upkeep",
    "resume_event": "toolkit.play.event",
    "round_robin_settings": "toolkit.play.settings",
    "run_checks": "toolkit.doctor",
    "serve": "engines.uci",
    "show_engine": "toolkit.catalog",
    "spell_limit": "toolkit.limits",
    "start_event": "toolkit.play.event",
}
"""The module of each exported name. The imports above give type checkers the same information."""

__all__ = [
    "Adjudication",
    "BookSlice",
    "DrawRule",
    "EventSettings",
    "ExitCode",
    "GameQuery",
    "Limit",
    "MtdfError",
    "RatingQuery",
    "ResignRule",
    "SearchLimit",
    "Selection",
    "UsageError",
    "ablation_settings",
    "bench",
    "crosstable",
    "database_info",
    "default_book",
    "diff_engines",
    "display_labels",
    "event_scores",
    "event_stats",
    "exit_code_of",
    "explain_ratings",
    "find_ablation",
    "find_event",
    "find_game",
    "game_to_pgn",
    "gauntlet_settings",
    "head_to_head",
    "heads_to_heads",
    "histories",
    "import_file",
    "list_drivers",
    "list_engines",
    "list_events",
    "list_games",
    "list_moves",
    "list_parameters",
    "list_pgn",
    "load_book",
    "los_rows",
    "make_searcher",
    "match_settings",
    "open_database",
    "opening_stats",
    "parse_clock",
    "parse_draw_rule",
    "parse_resign_rule",
    "parse_variant",
    "plan_event",
    "position_at",
    "rate_games",
    "rating_history",
    "replay_game",
    "replay_games",
    "resume_event",
    "round_robin_settings",
    "run_checks",
    "serve",
    "show_engine",
    "spell_limit",
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
