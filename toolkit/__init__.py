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
    from toolkit.base.doctor import run_checks
    from toolkit.base.errors import ExitCode, MtdfError, UsageError, exit_code_of
    from toolkit.books.book import default_book, load_book
    from toolkit.books.info import BookSlice
    from toolkit.games.adjudication import (
        Adjudication,
        DrawRule,
        ResignRule,
        parse_draw_rule,
        parse_resign_rule,
    )
    from toolkit.games.clock import parse_clock
    from toolkit.games.pgn import game_to_pgn
    from toolkit.games.replay import replay_game
    from toolkit.imports.run import import_file
    from toolkit.play.event import resume_event, start_event
    from toolkit.play.plan import plan_event
    from toolkit.play.settings import (
        EventSettings,
        gauntlet_settings,
        match_settings,
        round_robin_settings,
    )
    from toolkit.ratings.history import histories, rating_history
    from toolkit.ratings.rating import RatingQuery, rate_games
    from toolkit.ratings.rating_list import explain_ratings, los_rows
    from toolkit.reports.ablation import ablation_settings, find_ablation
    from toolkit.reports.catalog import (
        diff_engines,
        list_drivers,
        list_engines,
        list_parameters,
        show_engine,
    )
    from toolkit.reports.crosstables import crosstable
    from toolkit.reports.events import event_stats, list_events
    from toolkit.reports.games import (
        GameQuery,
        find_game,
        list_games,
        list_moves,
        list_pgn,
        position_at,
    )
    from toolkit.reports.meetings import head_to_head, heads_to_heads
    from toolkit.reports.openings import opening_stats
    from toolkit.reports.scores import event_scores
    from toolkit.reports.upkeep import database_info, replay_games
    from toolkit.selection.events import find_event
    from toolkit.selection.games import Selection
    from toolkit.selection.labels import display_labels
    from toolkit.selection.limits import spell_limit

_HOME = {
    "Adjudication": "toolkit.games.adjudication",
    "BookSlice": "toolkit.books.info",
    "DrawRule": "toolkit.games.adjudication",
    "EventSettings": "toolkit.play.settings",
    "ExitCode": "toolkit.base.errors",
    "GameQuery": "toolkit.reports.games",
    "Limit": "engines.spec",
    "MtdfError": "toolkit.base.errors",
    "RatingQuery": "toolkit.ratings.rating",
    "ResignRule": "toolkit.games.adjudication",
    "SearchLimit": "engines.spec",
    "Selection": "toolkit.selection.games",
    "UsageError": "toolkit.base.errors",
    "ablation_settings": "toolkit.reports.ablation",
    "bench": "engines.backend",
    "crosstable": "toolkit.reports.crosstables",
    "database_info": "toolkit.reports.upkeep",
    "default_book": "toolkit.books.book",
    "diff_engines": "toolkit.reports.catalog",
    "display_labels": "toolkit.selection.labels",
    "event_scores": "toolkit.reports.scores",
    "event_stats": "toolkit.reports.events",
    "exit_code_of": "toolkit.base.errors",
    "explain_ratings": "toolkit.ratings.rating_list",
    "find_ablation": "toolkit.reports.ablation",
    "find_event": "toolkit.selection.events",
    "find_game": "toolkit.reports.games",
    "game_to_pgn": "toolkit.games.pgn",
    "gauntlet_settings": "toolkit.play.settings",
    "head_to_head": "toolkit.reports.meetings",
    "heads_to_heads": "toolkit.reports.meetings",
    "histories": "toolkit.ratings.history",
    "import_file": "toolkit.imports.run",
    "list_drivers": "toolkit.reports.catalog",
    "list_engines": "toolkit.reports.catalog",
    "list_events": "toolkit.reports.events",
    "list_games": "toolkit.reports.games",
    "list_moves": "toolkit.reports.games",
    "list_parameters": "toolkit.reports.catalog",
    "list_pgn": "toolkit.reports.games",
    "load_book": "toolkit.books.book",
    "los_rows": "toolkit.ratings.rating_list",
    "make_searcher": "engines.backend",
    "match_settings": "toolkit.play.settings",
    "open_database": "db.session",
    "opening_stats": "toolkit.reports.openings",
    "parse_clock": "toolkit.games.clock",
    "parse_draw_rule": "toolkit.games.adjudication",
    "parse_resign_rule": "toolkit.games.adjudication",
    "parse_variant": "engines.variant",
    "plan_event": "toolkit.play.plan",
    "position_at": "toolkit.reports.games",
    "rate_games": "toolkit.ratings.rating",
    "rating_history": "toolkit.ratings.history",
    "replay_game": "toolkit.games.replay",
    "replay_games": "toolkit.reports.upkeep",
    "resume_event": "toolkit.play.event",
    "round_robin_settings": "toolkit.play.settings",
    "run_checks": "toolkit.base.doctor",
    "serve": "engines.uci",
    "show_engine": "toolkit.reports.catalog",
    "spell_limit": "toolkit.selection.limits",
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
