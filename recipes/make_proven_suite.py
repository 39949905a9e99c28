"""Make the test suite ``proven-200``: ``python recipes/make_proven_suite.py [--check]``.

Writes ``toolkit/data/proven-200.epd``: 200 positions from games that the program plays against
itself, at most one a game, whose best move a search ten times deeper proves. That is, with one
engine from an empty memory:

1. a search of 2,000 nodes plays another move,
2. a search of 20,000 nodes plays the best move, which was best in its last three iterations,
3. a search of the two best moves, with 20,000 nodes for each, gives the same best move a value that
   is at least 50 centipawns above that of the second one, which does not win (at most 300),
4. a search of 200,000 nodes plays it, too.

What is in the suite follows from the seed, the book and the core; its first line names all three.
``--check`` makes it anew, and says whether the file has it. Takes some minutes on two cores.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
from pathlib import Path

import chess

from engines.backend import make_searcher, signature
from engines.moves import decode_move
from engines.spec import Iteration, Searcher, SearchLimit, SearchResult
from toolkit.books.book import default_book
from toolkit.lab.fixed import engine_of

SUITE = Path(__file__).parents[1] / "toolkit" / "data" / "proven-200.epd"
SEED = 20_261_126
COUNT = 200
PLAYER = "mtdf:guess=parity,convergence=growth,hash=1"
"""It plays the games; what it leaves out is that of :mod:`toolkit.lab.fixed`."""
NODES = 1000
"""A move of the games."""
PROVER = "pvs:hash=16"
SHORT = 2_000
LONG = 10 * SHORT
MARGIN = 50
MOST_OF_SECOND = 300
STAYED = 3
"""Iterations."""
MAX_PLIES = 160
LARGEST_VALUE = 500
A_GAME = 40
"""Positions of a game that are looked at."""


def proven(searcher: Searcher, fen: str) -> str | None:
    """The move that is proven in a position; None where none is."""
    long = _search(searcher, fen, LONG)
    last = [one.move for one in long.iterations if one.finished][-STAYED:]
    if last != [long.move] * STAYED or _search(searcher, fen, SHORT).move == long.move:
        return None
    ends = _last_lines(_search(searcher, fen, 2 * LONG, lines=2).iterations)
    if ends is None or ends[0].move != long.move:
        return None
    best, second = (one.value for one in ends)
    if best < second + MARGIN or second > MOST_OF_SECOND:
        return None
    return long.move if _search(searcher, fen, 10 * LONG).move == long.move else None


def _search(searcher: Searcher, fen: str, nodes: int, lines: int = 1) -> SearchResult:
    searcher.new_game()
    searcher.set_position(fen)
    return searcher.search(SearchLimit(nodes=nodes), lines=lines)


def _last_lines(iterations: tuple[Iteration, ...]) -> tuple[Iteration, Iteration] | None:
    """Both lines of the last depth at which both were finished."""
    found: dict[int, dict[int, Iteration]] = {}
    for one in iterations:
        if one.finished:
            found.setdefault(one.depth, {})[one.line] = one
    whole = [lines for _, lines in sorted(found.items()) if len(lines) == 2]
    return (whole[-1][1], whole[-1][2]) if whole else None


def of_opening(task: tuple[int, str]) -> tuple[int, str, str] | None:
    """A position of the game from an opening, given by line and FEN: line, EPD and move."""
    line, start = task
    positions = _game(start)
    random.Random(f"{SEED} {line}").shuffle(positions)
    searcher = make_searcher(engine_of(PROVER))
    for board in positions[:A_GAME]:
        move = proven(searcher, board.fen())
        if move is not None:
            return line, board.epd(), board.san(chess.Move.from_uci(move))
    return None


def _game(start: str) -> list[chess.Board]:
    """The positions of one game that are not decided."""
    player = make_searcher(engine_of(PLAYER))
    player.set_position(start)
    board, usable = chess.Board(start), []
    for _ in range(MAX_PLIES):
        if board.is_game_over() or board.is_repetition(2):
            break
        report = player.go(SearchLimit(nodes=NODES))
        if abs(report.value or 0) <= LARGEST_VALUE and board.legal_moves.count() >= 3:
            plain = chess.Board(board.fen())
            plain.halfmove_clock, plain.fullmove_number = 0, 1  # an EPD has no clocks
            usable.append(plain)
        board.push_uci(decode_move(report.move))
        player.push(report.move)
    return usable


def make_lines() -> list[str]:
    """The lines of the suite, its head first."""
    book = default_book()
    openings = [(one.line, one.fen) for one in book.openings]
    random.Random(SEED).shuffle(openings)
    head = f"# test suite by recipes/make_proven_suite.py: seed {SEED}, games by {PLAYER}"
    lines = [f"{head}, proofs by {PROVER}, book {book.name}, core {signature()}"]
    known: set[str] = set()
    with multiprocessing.Pool() as pool:
        for found in pool.imap(of_opening, openings):
            if found is None or found[1] in known:
                continue
            line, epd, san = found
            known.add(epd)
            lines.append(f'{epd} bm {san}; id "proven-{len(lines):03}"; c1 "line {line}";')
            if sys.stderr.isatty():
                print(f"\r{len(known)}/{COUNT}", end="", file=sys.stderr)
            if len(known) == COUNT:
                pool.terminate()
                return lines
    raise SystemExit(f"the book has only {len(known)} such positions")


def main() -> None:
    """Write the suite, or look whether it is what it was made to be."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing")
    args = parser.parse_args()
    text = "\n".join(make_lines()) + "\n"
    if not args.check:
        SUITE.write_text(text, encoding="utf-8")
    elif SUITE.read_text(encoding="utf-8") != text:
        sys.exit(f"{SUITE} is another suite")


if __name__ == "__main__":
    main()
