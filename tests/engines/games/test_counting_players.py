"""The engine beats players that only count discs or men, through the referee of events."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engines.games.catalog import rules_of
from engines.players import make_player
from engines.spec import Limit, Player
from engines.variant import parse_variant
from toolkit.books.book import default_book
from toolkit.games.adjudication import Adjudication
from toolkit.games.referee import GameRules, play_refereed
from toolkit.stats.match import match_statistics

PAIRS = 15
NODES = Limit(nodes=2000)
POINTS = {"1-0": 2, "0-1": 0, "1/2-1/2": 1}


@pytest.fixture(scope="module")
def counting_player() -> Iterator[Any]:
    """``CountingPlayer`` of benchmarks/counting_player.py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[3] / "benchmarks"))
        yield importlib.import_module("counting_player").CountingPlayer


def pair_counts(game: str, opponent: Player) -> list[int]:
    """How often our engine scored 0, ½, 1, 1½, 2 points in the two games of an opening, over
    openings that are spread over the game's book. Nothing is adjudicated."""
    ours = make_player(parse_variant(f"mtdf:game={game}"))
    full_length = Adjudication(max_plies=None, draw=None, resign=None)
    rules = GameRules(NODES, full_length, rules=rules_of(game))
    openings = default_book(game=game).openings
    counts = [0] * 5
    for opening in openings[:: len(openings) // PAIRS][:PAIRS]:
        as_white = play_refereed(opening.fen, ours, opponent, rules)
        as_black = play_refereed(opening.fen, opponent, ours, rules)
        assert as_white.fault is None and as_black.fault is None
        counts[POINTS[as_white.outcome.result] + 2 - POINTS[as_black.outcome.result]] += 1
    return counts


@pytest.mark.slow
@pytest.mark.native
@pytest.mark.parametrize("game", ["othello", "draughts"])
@pytest.mark.parametrize("plies", [1, 2])
def test_search_beats_a_player_that_counts(game: str, plies: int, counting_player: Any) -> None:
    """Discs, or men and kings. One ply is the greedy player; two plies also look at the replies."""
    counts = pair_counts(game, counting_player(rules_of(game), plies, seed=1))
    assert match_statistics(counts).score > 0.9, counts
