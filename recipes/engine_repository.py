"""A repository of a small chess engine, to show and test how a patch is tried: run
``python recipes/engine_repository.py FOLDER``.

The engine is one file of Python that uses python-chess, and ``make EXE=...`` makes a program of it.
Commits have fixed dates, so their hashes never change. Branches: ``main``; ``centre``, which plays
better; ``popcount``, which searches the same nodes in less time; ``broken``, which does not build.
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
\t{ echo "#!$$(command -v $(PYTHON))"; cat engine.py; } > $@
\tchmod +x $@
"""
IGNORED = "small\nmtdf-engine\n__pycache__/\n"
MATERIAL = '''\
def evaluate(board):
    """Material, in centipawns of the side to move."""
    value = 0
    for piece in board.piece_map().values():
        value += WORTH[piece.piece_type] * (1 if piece.color == board.turn else -1)
    return value
'''
CENTRE = '''\
def evaluate(board):
    """Material, and pieces near the centre, in centipawns of the side to move."""
    value = 0
    for square, piece in board.piece_map().items():
        file, rank = chess.square_file(square), chess.square_rank(square)
        near = 7 - abs(2 * file - 7) + 7 - abs(2 * rank - 7)
        worth = WORTH[piece.piece_type] + (0 if piece.piece_type == chess.KING else 2 * near)
        value += worth * (1 if piece.color == board.turn else -1)
    return value
'''
POPCOUNT = '''\
def evaluate(board):
    """Material, in centipawns of the side to move."""
    own, other = board.occupied_co[board.turn], board.occupied_co[not board.turn]
    value = 0
    for kind, worth in WORTH.items():
        pieces = board.pieces_mask(kind, True) | board.pieces_mask(kind, False)
        value += worth * ((pieces & own).bit_count() - (pieces & other).bit_count())
    return value
'''
ENGINE = '''\
"""A small chess engine: alpha-beta, captures at the leaves, UCI."""

import sys
import time

import chess

WORTH = {1: 100, 2: 300, 3: 310, 4: 500, 5: 900, 6: 0}
MATE = 30000
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
        best = next(iter(self.board.legal_moves))
        line = [best]
        try:
            for now in range(1, depth + 1):
                value, line = self.value(now, -MATE, MATE, 0)
                best = line[0] if line else best
                moves = " ".join(move.uci() for move in line)
                found = f"depth {now} score cp {value} nodes {self.nodes}"
                print(f"info {found} pv {moves}", flush=True)
                if abs(value) > MATE - 100:
                    break
        except Over:
            pass
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
        board = self.board
        if depth == 0:
            return self.quiet(alpha, beta), []
        self.count()
        if ply and (board.is_repetition(2) or board.halfmove_clock >= 100):
            return 0, []
        best, line, any_move = alpha, [], False
        for move in self.ordered(board.legal_moves):
            any_move = True
            board.push(move)
            try:
                value, below = self.value(depth - 1, -beta, -best, ply + 1)
            finally:
                board.pop()
            if -value > best:
                best, line = -value, [move, *below]
                if best >= beta:
                    break
        if not any_move:
            return (ply - MATE if board.is_check() else 0), []
        return best, line

    def quiet(self, alpha, beta):
        self.count()
        best = max(alpha, evaluate(self.board))
        for move in self.board.generate_legal_captures():
            if best >= beta:
                break
            self.board.push(move)
            try:
                best = max(best, -self.quiet(-beta, -best))
            finally:
                self.board.pop()
        return best


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
    # Branch, what it begins from, message, evaluation.
    ("main", None, "Search with alpha-beta", MATERIAL),
    ("centre", "main", "Prefer the centre", CENTRE),
    ("popcount", "main", "Count pieces by bitboards", POPCOUNT),
    ("broken", "main", "Evaluate mobility", MATERIAL.replace("return value", "return value +")),
)


def make_repository(folder: Path) -> None:
    """Make the repository in a folder that does not exist, with the branch ``main``."""
    folder.mkdir(parents=True)
    _git(folder, "init", "-q", "-b", "main")
    (folder / "Makefile").write_text(MAKEFILE)
    (folder / ".gitignore").write_text(IGNORED)
    for day, (branch, begin, message, evaluation) in enumerate(COMMITS, 1):
        if begin is not None:
            _git(folder, "checkout", "-q", "-b", branch, begin)
        (folder / "engine.py").write_text(ENGINE.replace("EVALUATE", evaluation))
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
