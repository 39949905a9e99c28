"""Measures how far searches of one depth are from those of a shallower one, for `probcut`.

    python recipes/fit_probcut.py --game othello --positions 400 --depth 9

Prints a row for each pair of depths of ProbCut and each class of empty squares (of pieces in
draughts): the mean and the standard deviation of the difference of both values, without selective
search. From it come the rounded constants of `deviation` in `rules.rs` of the game. The positions
are those of games from the book in which every seventh move is random. Source: Buro, ProbCut, ICCA
Journal 18(2), 1995.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import defaultdict
from statistics import mean, stdev

from engines.backend import make_searcher
from engines.rules.catalog import rules_of
from engines.spec import MATE_BOUND, SearchLimit
from engines.variant import make_variant
from toolkit.books.book import load_book

_SEED = 7
_NODES = 300
"""Of the moves that are not random."""
_MOST_MOVES = 50
_PHASES = {"othello": (re.compile("-"), 10), "draughts": (re.compile(r"(?<![H\d])\d+"), 6)}
"""How a position's text writes an empty square or a piece, and how many make a class."""
_FROM = 3
"""The least depth of ProbCut."""


def positions(game: str, count: int) -> list[str]:
    """Positions of games without a capture to make, from the book to the last moves."""
    rules, rng, found = rules_of(game), random.Random(_SEED), list[str]()
    openings = load_book(rules.default_book).openings
    player = make_searcher(make_variant("mtdf", {"game": game, "hash": 4}))
    while len(found) < count:
        opening = rng.choice(openings)
        board = rules.board(opening.fen)
        player.new_game()
        player.set_position(opening.fen)
        for _ in range(rng.randrange(_MOST_MOVES)):
            is_random = rng.random() < 1 / 7
            move = (
                rng.choice(board.moves())
                if is_random
                else player.go(SearchLimit(nodes=_NODES)).move
            )
            board.push(move)
            player.push(move)
            if board.ending() is not None:
                break
        else:
            if not any("x" in rules.move_name(move) for move in board.moves()):
                found.append(board.text())
    return found


def shallow(depth: int) -> int:
    """The depth of the search that may settle a node; see engines/core/search/pruning.rs."""
    half = depth // 2
    return half - (depth - half) % 2


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", choices=_PHASES, required=True)
    parser.add_argument("--positions", type=int, default=400)
    parser.add_argument("--depth", type=int, default=9)
    options = parser.parse_args()
    counted, width = _PHASES[options.game]
    searcher = make_searcher(make_variant("alphabeta", {"game": options.game, "hash": 16}))
    differences: dict[tuple[int, int], list[int]] = defaultdict(list)
    for text in positions(options.game, options.positions):
        searcher.new_game()
        searcher.set_position(text)
        found = searcher.search(SearchLimit(depth=options.depth), exact=True)
        values = {one.depth: one.value for one in found.iterations}
        phase = len(counted.findall(text)) // width
        for depth in range(_FROM, options.depth + 1):
            both = values.get(depth, MATE_BOUND), values[shallow(depth)]
            if all(abs(value) < MATE_BOUND for value in both):
                differences[depth, phase].append(both[0] - both[1])
    print("depth  shallow  count  positions   mean  deviation")
    for (depth, phase), found_here in sorted(differences.items()):
        if len(found_here) > 1:
            span = f"{width * phase}-{width * phase + width - 1}"
            print(
                f"{depth:5}  {shallow(depth):7}  {span:>5}  {len(found_here):9}"
                f"  {mean(found_here):+5.0f}  {stdev(found_here):9.0f}"
            )


if __name__ == "__main__":
    main()
