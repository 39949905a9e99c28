"""Measures how far searches of one depth are from those of a shallower one, for `probcut`.

    python recipes/fit_probcut.py --positions 400 --depth 9

Prints a row for each pair of depths of ProbCut and each class of empty squares: the mean and the
standard deviation of the difference of both values, without selective search. From it come the
rounded constants of `deviation` in `engines/core/games/othello/rules.rs`. The positions are those
of games from the book in which every seventh move is random. Source: Buro, ProbCut, ICCA Journal
18(2), 1995.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from statistics import mean, stdev

from engines.backend import make_searcher
from engines.rules.catalog import rules_of
from engines.spec import SearchLimit
from engines.variant import make_variant
from toolkit.books.book import load_book

_GAME = "othello"
_SEED = 7
_NODES = 300
"""Of the moves that are not random."""
_MOST_MOVES = 50
_FROM = 3
"""The least depth of ProbCut."""


def positions(count: int) -> list[str]:
    """Positions of games, from the book to the last moves."""
    rules, rng, found = rules_of(_GAME), random.Random(_SEED), list[str]()
    openings = load_book(rules.default_book).openings
    player = make_searcher(make_variant("mtdf", {"game": _GAME, "hash": 4}))
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
            found.append(board.text())
    return found


def shallow(depth: int) -> int:
    """The depth of the search that may settle a node; see engines/core/search/pruning.rs."""
    half = depth // 2
    return half - (depth - half) % 2


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--positions", type=int, default=400)
    parser.add_argument("--depth", type=int, default=9)
    options = parser.parse_args()
    searcher = make_searcher(make_variant("alphabeta", {"game": _GAME, "hash": 16}))
    differences: dict[tuple[int, int], list[int]] = defaultdict(list)
    for text in positions(options.positions):
        searcher.new_game()
        searcher.set_position(text)
        found = searcher.search(SearchLimit(depth=options.depth), exact=True)
        values = {one.depth: one.value for one in found.iterations}
        tens = text.split()[0].count("-") // 10
        for depth in range(_FROM, options.depth + 1):
            if depth in values:
                differences[depth, tens].append(values[depth] - values[shallow(depth)])
    print("depth  shallow  empty  positions   mean  deviation")
    for (depth, tens), found_here in sorted(differences.items()):
        if len(found_here) > 1:
            empty = f"{10 * tens}-{10 * tens + 9}"
            print(
                f"{depth:5}  {shallow(depth):7}  {empty:>5}  {len(found_here):9}"
                f"  {mean(found_here):+5.0f}  {stdev(found_here):9.0f}"
            )


if __name__ == "__main__":
    main()
