"""The engine beats weak players in every game besides chess, through the referee of events.

A thousand things could make a search of another game weak and leave its values exact: move
ordering that hinders, pruning that fits chess only, an evaluation with a wrong sign. Players that
only count discs or men share nothing with the engine, an evaluation least of all.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engines.choices import GAMES
from engines.limit import Limit
from engines.players import make_player
from engines.rules.catalog import rules_of
from engines.spec import Player
from engines.variant import parse_variant
from toolkit.books.book import default_book
from toolkit.referee.adjudication import Adjudication
from toolkit.referee.referee import GameRules, play_refereed
from toolkit.stats.match import match_statistics

pytestmark = [pytest.mark.native, pytest.mark.slow]

NODES = Limit(nodes=2000)
POINTS = {"1-0": 2, "0-1": 0, "1/2-1/2": 1}
LEAST = {("connect-four", 2): 0.65}
"""Scores to be beaten, where they are not 0.9: many openings of Connect Four are lost, whoever
plays them, and 100,000 nodes score no more than 0.9 there."""


@pytest.fixture(scope="module")
def counting_player() -> Iterator[Any]:
    """``CountingPlayer`` of benchmarks/counting_player.py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[3] / "benchmarks"))
        yield importlib.import_module("counting_player").CountingPlayer


def pair_counts(game: str, opponent: Player, pairs: int, limit: Limit = NODES) -> list[int]:
    """How often our engine scored 0, ½, 1, 1½, 2 points in the two games of an opening, over
    openings that are spread over the game's book. ``limit``: that of the opponent. Nothing is
    adjudicated."""
    ours = make_player(parse_variant(f"mtdf:game={game}"))
    full_length = Adjudication(max_plies=None, draw=None, resign=None)
    rules = GameRules(NODES, full_length, rules=rules_of(game))
    openings = default_book(game=game).openings
    counts = [0] * 5
    for opening in openings[:: len(openings) // pairs][:pairs]:
        as_white = play_refereed(opening.fen, ours, opponent, rules, (NODES, limit))
        as_black = play_refereed(opening.fen, opponent, ours, rules, (limit, NODES))
        assert as_white.fault is None and as_black.fault is None
        counts[POINTS[as_white.outcome.result] + 2 - POINTS[as_black.outcome.result]] += 1
    return counts


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("game", [game for game in GAMES if not rules_of(game).uci])
def test_search_beats_itself_at_few_plies(game: str, depth: int) -> None:
    weak = make_player(parse_variant(f"mtdf:game={game}"))
    counts = pair_counts(game, weak, 12, Limit(depth=depth))
    assert match_statistics(counts).score > LEAST.get((game, depth), 0.9), counts


@pytest.mark.parametrize("plies", [1, 2])
@pytest.mark.parametrize("game", ["othello", "draughts"])
def test_search_beats_a_player_that_counts(game: str, plies: int, counting_player: Any) -> None:
    """Discs, or men and kings. One ply is the greedy player; two plies also look at the replies."""
    counts = pair_counts(game, counting_player(rules_of(game), plies, seed=1), 8)
    assert match_statistics(counts).score > 0.9, counts
