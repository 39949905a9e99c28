"""Make the suites of the search laboratory: ``python recipes/make_lab_suite.py [--check]``.

Writes ``lab-60.epd``, ``lab-120.epd`` and ``lab-240.epd`` in ``toolkit/data``: positions of all
phases from games that the program plays against itself, each from another line of the package's
book. What is in a suite follows from the seed, the book and the core; its first line names all
three. What was chosen on one suite is proven on another. ``--check`` makes them anew and says
whether the files have them.
``--seed N --times K --output FILE`` makes another suite, with K times 60 positions.

A position is of a class by its phase (a knight or bishop counts 1, a rook 2, a queen 4, so 24 at
the start) and goes to the first class that wants one more of its side to move. It has at least
three legal moves, no mate in sight and a value within 500 centipawns: in a decided position the
drivers would differ less. Nothing is said of its being quiet.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import chess

from engines.backend import make_searcher, signature
from engines.moves import decode_move
from engines.spec import Player, SearchLimit
from toolkit.books.book import default_book
from toolkit.lab.fixed import engine_of

_DATA = Path(__file__).parents[1] / "toolkit" / "data"
SUITE = _DATA / "lab-60.epd"
SEED = 20_261_121
SUITES = {
    SUITE: (SEED, 1),
    _DATA / "lab-120.epd": (12, 2),
    _DATA / "lab-240.epd": (20_270_101, 4),
}
"""The suites of the package: their seeds, and how many times 60 positions they have."""
PLAYER = "mtdf:guess=parity,convergence=growth,hash=1"
"""What it leaves out is that of :mod:`toolkit.lab.fixed`, so that the suites can always be made
again."""
NODES = 2000
"""A move of the games; weak enough for games that differ, strong enough for sane positions."""
MAX_PLIES = 160
LARGEST_VALUE = 500


@dataclass(frozen=True)
class Class:
    """A class of positions, and how many of them the suite has."""

    name: str
    low: int
    high: int
    """Phases."""
    count: int


CLASSES = (
    Class("opening", 23, 24, 10),
    Class("middlegame", 16, 22, 18),
    Class("late middlegame", 9, 15, 12),
    Class("endgame of pieces", 3, 8, 12),
    Class("endgame of pawns", 0, 2, 8),
)
_WEIGHTS = {chess.KNIGHT: 1, chess.BISHOP: 1, chess.ROOK: 2, chess.QUEEN: 4}


def phase_of(board: chess.Board) -> int:
    """24 at the start, 0 with kings and pawns alone."""
    total = sum(
        weight * chess.popcount(board.pieces_mask(piece, color))
        for piece, weight in _WEIGHTS.items()
        for color in chess.COLORS
    )
    return min(total, 24)


def class_of(board: chess.Board) -> Class:
    """The class of a position."""
    phase = phase_of(board)
    return next(one for one in CLASSES if one.low <= phase <= one.high)


def make_lines(seed: int = SEED, times: int = 1) -> list[str]:
    """The lines of a suite with ``times`` 60 positions, its head first."""
    random_ = random.Random(seed)
    book = default_book()
    player = make_searcher(engine_of(PLAYER))
    found: dict[str, list[tuple[str, int]]] = {one.name: [] for one in CLASSES}
    known: set[str] = set()
    for opening in random_.sample(book.openings, len(book.openings)):
        wanted = _wanted(found, times)
        if not wanted:
            break
        candidates = [
            board for board in _game(player, opening.fen) if (class_of(board), board.turn) in wanted
        ]
        # The rarest classes are the last ones: an endgame is worth more than another opening.
        candidates.sort(key=phase_of)
        endmost = [b for b in candidates if class_of(b) == class_of(candidates[0])]
        if endmost:
            board = random_.choice(endmost)
            if board.epd() not in known:
                known.add(board.epd())
                found[class_of(board).name].append((board.epd(), opening.line))
    head = f"# suite of the laboratory by recipes/make_lab_suite.py: seed {seed}, player {PLAYER}, "
    lines = [f"{head}{NODES} nodes a move, book {book.name}, core {signature()}"]
    name = "lab" if seed == SEED else f"lab{seed}"
    for one in CLASSES:
        for epd, line in found[one.name]:
            lines.append(f'{epd} id "{name}-{len(lines):02}"; c1 "{one.name}, line {line}";')
    return lines


def _wanted(found: dict[str, list[tuple[str, int]]], times: int) -> set[tuple[Class, chess.Color]]:
    """Classes with the sides to move that the suite still lacks."""
    wanted = set()
    for one in CLASSES:
        sides = Counter(epd.split()[1] for epd, _ in found[one.name])
        for color, letter in ((chess.WHITE, "w"), (chess.BLACK, "b")):
            if sides[letter] < times * one.count // 2:
                wanted.add((one, color))
    return wanted


def _game(player: Player, fen: str) -> list[chess.Board]:
    """The positions of one game that the suite may take."""
    player.new_game()
    player.set_position(fen)
    board = chess.Board(fen)
    usable = []
    for _ in range(MAX_PLIES):
        if board.is_game_over() or board.is_repetition(2):
            break
        report = player.go(SearchLimit(nodes=NODES))
        if abs(report.value) <= LARGEST_VALUE and board.legal_moves.count() >= 3:
            usable.append(board.copy(stack=False))
        board.push_uci(decode_move(report.move))
        player.push(report.move)
    return usable


def main() -> None:
    """Write the suites, or look whether they are what they were made to be."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--seed", type=int, help="another suite: seed of the lines of the book")
    parser.add_argument("--times", type=int, default=1, help="so many times 60 positions of it")
    parser.add_argument("--output", type=Path, help="its file")
    args = parser.parse_args()
    if (args.seed is None) != (args.output is None):
        parser.error("another suite needs --seed and --output")
    wanted = SUITES if args.seed is None else {args.output: (args.seed, args.times)}
    for path, (seed, times) in wanted.items():
        text = "\n".join(make_lines(seed, times)) + "\n"
        if not args.check:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            sys.exit(f"{path} is another suite")


if __name__ == "__main__":
    main()
