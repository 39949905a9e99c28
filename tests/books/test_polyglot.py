"""Polyglot books are read as python-chess reads them."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

import chess
import chess.polyglot
import pytest

from toolkit.base.errors import UsageError
from toolkit.books import polyglot
from toolkit.books.book import Book, load_book
from toolkit.referee.pgn import opening_moves

Entry = tuple[chess.Board, str, int]
"""A position, a move there in the notation of the format, and its weight."""


def entries(lines: Iterable[tuple[str, int]]) -> list[Entry]:
    """The entries of lines of SAN moves, which all have the weight of their line."""
    found: list[Entry] = []
    for line, weight in lines:
        board = chess.Board()
        for san in line.split():
            move = board.parse_san(san)
            uci = {"e1g1": "e1h1"}.get(move.uci(), move.uci()) if san == "O-O" else move.uci()
            found.append((board.copy(), uci, weight))
            board.push(move)
    return found


def write(path: Path, given: Iterable[Entry]) -> Path:
    """A book of these entries."""
    rows = set()
    for board, uci, weight in given:
        squares = chess.parse_square(uci[:2]) << 6 | chess.parse_square(uci[2:4])
        promotion = " nbrq".index(uci[4:] or " ") << 12
        rows.add((chess.polyglot.zobrist_hash(board), squares | promotion, weight, 0))
    path.write_bytes(b"".join(struct.pack(">QHHI", *row) for row in sorted(rows)))
    return path


LINES = (
    ("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7", 9),
    ("e4 e5 Nf3 Nf6", 3),
    ("d4 Nf6 c4 e6 Nc3", 5),
    ("c4 Nf6 d4 e6 Nc3", 5),
    ("a4", 0),
)


def moves_of(book: Book) -> list[str]:
    """The lines in UCI notation."""
    return [" ".join(opening_moves(opening)) for opening in book.openings]


def reached(path: Path, plies: int) -> dict[str, list[str]]:
    """All paths through a book by python-chess: the lines in UCI by their final position."""
    found: dict[str, list[str]] = {}

    def go_on(board: chess.Board) -> None:
        moves = [] if board.ply() == plies else [one.move for one in reader.find_all(board)]
        if not moves:
            line = " ".join(move.uci() for move in board.move_stack)
            found.setdefault(board.epd(), []).append(line)
        for move in moves:
            board.push(move)
            go_on(board)
            board.pop()

    with chess.polyglot.open_reader(path) as reader:
        go_on(chess.Board())
    return found


@pytest.mark.parametrize("plies", [1, 2, 3, 4, 5, 8, 20])
def test_lines_are_the_paths_each_position_once(tmp_path: Path, plies: int) -> None:
    path = write(tmp_path / "b.bin", entries(LINES))
    book = load_book(path, plies=plies)
    expected = reached(path, plies)
    assert len(book.openings) == len(expected)
    for opening, line in zip(book.openings, moves_of(book), strict=True):
        assert line in expected[chess.Board(opening.fen).epd()]
        assert len(opening_moves(opening)) <= plies
    assert [opening.line for opening in book.openings] == list(range(1, len(expected) + 1))
    assert book.plies == plies


def test_heavier_moves_come_first_without_deleted_ones(tmp_path: Path) -> None:
    book = load_book(write(tmp_path / "b.bin", entries(LINES)))
    assert moves_of(book) == [
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6",
        "e2e4 e7e5 g1f3 g8f6",
        "c2c4 g8f6 d2d4 e7e6 b1c3",  # before d4, which leads to the same, by its name
    ]
    assert book.plies == polyglot.DEFAULT_PLIES == 8
    longer = load_book(write(tmp_path / "b.bin", entries(LINES)), plies=20)
    assert moves_of(longer)[0].endswith("g8f6 e1g1 f8e7"), "castling is king takes rook there"
    assert longer.id != book.id


def test_move_that_is_illegal_is_a_bad_line(tmp_path: Path) -> None:
    start, after = chess.Board(), chess.Board()
    after.push_san("e4")
    path = write(tmp_path / "b.bin", [(start, "e2e4", 2), (after, "e2e4", 1), (after, "e7e5", 3)])
    with pytest.raises(UsageError, match="line 2: the move e2e4 is illegal after e2e4; 1 other"):
        load_book(path)
    assert moves_of(load_book(path, skip_bad=True)) == ["e2e4 e7e5"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "it is empty"),
        (b"x" * 40, "its size, 40 bytes, is not a multiple of 16: cut off?"),
        (bytes(range(255, -1, -1)), "its entries are not sorted"),
        (bytes(32), "it has no move for the start of chess"),
    ],
)
def test_invalid_book_gives_one_line(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "b.bin"
    path.write_bytes(data)
    with pytest.raises(UsageError) as caught:
        load_book(path)
    assert str(caught.value) == f"book {path} is not a playable Polyglot book: {reason}"


def test_too_many_lines_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "b.bin", entries(LINES))
    monkeypatch.setattr(polyglot, "MAX_LINES", 3)
    assert len(load_book(path).openings) == 3
    monkeypatch.setattr(polyglot, "MAX_LINES", 2)
    with pytest.raises(UsageError, match="more than 2 lines of up to 8 plies: .* plies=N"):
        load_book(path)


def test_book_is_of_standard_chess(tmp_path: Path) -> None:
    path = write(tmp_path / "b.bin", entries(LINES))
    with pytest.raises(UsageError, match="begins at the start of standard chess"):
        load_book(path, chess960=True)
