"""A repository of a small chess engine, to show and test how a patch is tried: run
``python recipes/engine_repository.py FOLDER``.

The engine is one file of Python that uses python-chess, and ``make EXE=...`` makes a program of it.
Commits have fixed dates, and so fixed hashes. Branches: ``main``; ``cutoffs``, which plays
better; ``bitboards``, which searches the same nodes in less time; ``broken``, which does not build.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

MAKEFILE = """\
EXE = small
PYTHON = python3

$(EXE): engine.py
\t$(PYTHON) -m py_compile engine.py
\t{ echo '#!/usr/bin/env $(PYTHON)'; cat engine.py; } > $@
\tchmod +x $@
"""
IGNORED = "small\nmtdf-engine\n__pycache__/\n"
SQUARES = '''\
def evaluate(board):
    """Pieces, better near the centre, and pawns, better far ahead, for the side to move."""
    value = 0
    for square, piece in board.piece_map().items():
        worth = SQUARE[piece.piece_type][square if piece.color else square ^ 56]
        value += worth if piece.color == board.turn else -worth
    return value
'''
BITBOARDS = '''\
def evaluate(board):
    """Pieces, better near the centre, and pawns, better far ahead, for the side to move."""
    value = 0
    for color in (True, False):
        sign, flip = (1 if color == board.turn else -1), (0 if color else 56)
        for kind, worth in SQUARE.items():
            pieces = board.pieces_mask(kind, color)
            while pieces:
                lowest = pieces & -pieces
                value += sign * worth[(lowest.bit_length() - 1) ^ flip]
                pieces ^= lowest
    return value
'''
ENGINE = '''\
"""A small chess engine: iterative deepening, UCI."""

import sys
import time

import chess

MATE = 30000
NEAR = [14 - abs(2 * (square % 8) - 7) - abs(2 * (square // 8) - 7) for square in range(64)]
SQUARE = {
    kind: [worth + 2 * near * (kind < 6) for near in NEAR]
    for kind, worth in {1: 100, 2: 300, 3: 310, 4: 500, 5: 900, 6: 0}.items()
}
SQUARE[1] = [worth + 6 * (square // 8) for square, worth in enumerate(SQUARE[1])]
BENCH = (
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "r2q1rk1/pp2bppp/2n1bn2/2pp4/3P4/2N1PN2/PPQ1BPPP/R1BR2K1 w - - 0 11",
    "8/5pk1/4p1p1/3pP2p/3P1P1P/4K1P1/8/8 w - - 0 1",
)


class Over(Exception):
    """The limit is reached."""


EVALUATE

class Search:
    def __init__(self, board, nodes=None, seconds=None):
        self.board, self.limit, self.nodes = board, nodes, 0
        self.until = None if seconds is None else time.monotonic() + seconds

    def think(self, depth):
        best = next(iter(self.board.legal_moves), chess.Move.null())
        try:
            for now in range(1, depth + 1):
                value, line = self.value(now, -MATE, MATE, 0)
                best = line[0] if line else best
                moves = " ".join(move.uci() for move in line)
                print(f"info depth {now} {score(value)} nodes {self.nodes} pv {moves}", flush=True)
                if abs(value) > MATE - 100:
                    break
        except Over:
            print(f"info nodes {self.nodes}", flush=True)
        return best

    def count(self):
        self.nodes += 1
        if self.nodes > 1:
            late = self.until is not None and time.monotonic() > self.until
            if late or (self.limit is not None and self.nodes > self.limit):
                raise Over

    def ordered(self, moves):
        return sorted(moves, key=lambda move: not self.board.is_capture(move))

    def value(self, depth, alpha, beta, ply):
        self.count()
        board = self.board
        if depth == 0:
            return evaluate(board), []
        if ply and (board.is_repetition(2) or board.halfmove_clock >= 100):
            return 0, []
        best, line, any_move = alpha, [], False
        for move in self.ordered(board.legal_moves):
            any_move = True
            board.push(move)
            try:
                value, below = self.value(depth - 1, WINDOW, ply + 1)
            finally:
                board.pop()
            if -value > best:
                best, line = -value, [move, *below]
                if best >= beta:
                    break
        if not any_move:
            return (ply - MATE if board.is_check() else 0), []
        return best, line


def score(value):
    if abs(value) <= MATE - 100:
        return f"score cp {value}"
    moves = (MATE - abs(value) + 1) // 2
    return f"score mate {moves if value > 0 else -moves}"


def bench():
    start, nodes = time.monotonic(), 0
    for fen in BENCH:
        search = Search(chess.Board(fen))
        search.think(2)
        nodes += search.nodes
    print(f"{nodes} nodes {int(nodes / (time.monotonic() - start))} nps")


def main():
    board = chess.Board()
    for line in sys.stdin:
        words = line.split() or [""]
        if words[0] == "uci":
            print("id name small\\nid author mtdf\\nuciok", flush=True)
        elif words[0] == "isready":
            print("readyok", flush=True)
        elif words[0] == "position":
            before, _, moves = line.partition("moves")
            fen = before.partition("fen")[2].strip()
            board = chess.Board(fen) if fen else chess.Board()
            for move in moves.split():
                board.push_uci(move)
        elif words[0] == "go":
            asked = dict(zip(words[1::2], words[2::2]))
            nodes, seconds = asked.get("nodes"), None
            if "movetime" in asked:
                seconds = int(asked["movetime"]) / 1000
            elif "wtime" in asked:
                mine = ("wtime", "winc") if board.turn else ("btime", "binc")
                left, more = (int(asked.get(name, 0)) / 1000 for name in mine)
                seconds = left / 30 + more / 2
            search = Search(board, None if nodes is None else int(nodes), seconds)
            best = search.think(int(asked.get("depth", 30)))
            print(f"bestmove {best.uci()}", flush=True)
        elif words[0] == "quit":
            break


if __name__ == "__main__":
    bench() if sys.argv[1:] == ["bench"] else main()
'''
COMMITS = (
    # Branch, what it begins from, message, windows of the moves, evaluation.
    ("main", None, "Search all moves", "-MATE, MATE", SQUARES),
    ("cutoffs", "main", "Cut off by alpha and beta", "-beta, -best", SQUARES),
    ("bitboards", "main", "Evaluate by bitboards", "-MATE, MATE", BITBOARDS),
    ("broken", "main", "Count mobility", "", SQUARES.replace("return value", "return value +")),
)


def make_repository(folder: Path) -> None:
    """Make the repository in a folder that does not exist, with the branch ``main``."""
    folder.mkdir(parents=True)
    _git(folder, "init", "-q", "-b", "main")
    (folder / "Makefile").write_text(MAKEFILE)
    (folder / ".gitignore").write_text(IGNORED)
    for day, (branch, begin, message, window, evaluation) in enumerate(COMMITS, 1):
        if begin is not None:
            _git(folder, "checkout", "-q", "-b", branch, begin)
        text = ENGINE.replace("EVALUATE\n", evaluation).replace("WINDOW", window)
        (folder / "engine.py").write_text(text)
        _git(folder, "add", "-A")
        _git(folder, "commit", "-q", "-m", message, date=f"2026-01-{day:02}T12:00:00Z")
    _git(folder, "checkout", "-q", "main")


def _git(folder: Path, *words: str, date: str = "") -> None:
    who = {f"GIT_{role}_{what}": text for role in ("AUTHOR", "COMMITTER") for what, text in (
        ("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", date)) if text}  # fmt: skip
    settings = ("-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null")
    subprocess.run(["git", *settings, *words], cwd=folder, env=os.environ | who, check=True)


if __name__ == "__main__":
    make_repository(Path(sys.argv[1]))
