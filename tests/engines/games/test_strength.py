"""Search beats players that look one or two plies ahead, by far, in every game besides chess.

A thousand things could make a search of another game weak and leave its values exact: move
ordering that hinders, pruning that fits chess only, an evaluation with a wrong sign.
"""

from __future__ import annotations

import pytest

from engines.backend import make_searcher
from engines.choices import GAMES
from engines.games.board import Rules
from engines.games.catalog import rules_of
from engines.spec import Searcher, SearchLimit
from engines.variant import parse_variant
from toolkit.books.book import default_book

pytestmark = [pytest.mark.native, pytest.mark.slow]

PAIRS = 25
STRONG = SearchLimit(nodes=2_000)
LEAST = {("connect-four", 2): 0.65}
"""Scores to be beaten, where they are not 0.9: many openings of Connect Four are lost, whoever
plays them, and 100,000 nodes score no more than 0.9 there."""
MOST_PLIES = 200
"""A game that lasts longer is a draw."""


def play(rules: Rules, start: str, players: list[tuple[Searcher, SearchLimit]]) -> bool | None:
    """Whether White wins, the players being White and Black; None for a draw."""
    board, moves = rules.board(start), list[int]()
    for player, _ in players:
        player.new_game()
    for _ in range(MOST_PLIES):
        player, limit = players[0 if board.white_to_move else 1]
        player.set_position(start, moves)
        moves.append(player.go(limit).move)
        assert board.push(moves[-1])
        ending = board.ending()
        if ending is not None:
            return ending.winner
    return None


def score(game: str, weak: SearchLimit) -> float:
    """Of a search of 2,000 nodes against a limit, both sides of every opening being played."""
    rules, variant = rules_of(game), parse_variant(f"mtdf:game={game}")
    strong, other = (make_searcher(variant), STRONG), (make_searcher(variant), weak)
    openings = default_book(game=game).openings
    points = 0.0
    for opening in openings[:: len(openings) // PAIRS][:PAIRS]:
        for white in (True, False):
            sides = [strong, other] if white else [other, strong]
            winner = play(rules, opening.fen, sides)
            points += 0.5 if winner is None else float(winner == white)
    return points / (2 * PAIRS)


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("game", [game for game in GAMES if not rules_of(game).uci])
def test_search_beats_a_player_of_few_plies(game: str, depth: int) -> None:
    assert score(game, SearchLimit(depth=depth)) > LEAST.get((game, depth), 0.9)
