"""Books of openings are read from EPD, FEN and PGN, and bad lines are reported."""

from __future__ import annotations

import os
from pathlib import Path

import chess
import pytest

from engines.moves import encode_move
from engines.rules.chess_start import split_position
from toolkit.base.errors import UsageError
from toolkit.books.book import (
    PACKAGE_BOOKS,
    Book,
    book_from_records,
    book_identity,
    default_book,
    find_book,
    load_book,
    package_book,
)
from toolkit.lab.positions import position_of_fen
from toolkit.referee.pgn import opening_moves

AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
ENDING = "4k3/8/8/8/8/8/4P3/4K3 w - -"


def write(tmp_path: Path, text: str, name: str = "b.epd") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_package_has_500_openings_of_eight_plies() -> None:
    book = package_book("default-500")
    assert (book.name, len(book.openings), book.skipped) == ("default-500", 500, ())
    assert len({opening.fen for opening in book.openings}) == 500
    for opening in book.openings:
        board = chess.Board(opening.start_fen)
        assert opening.start_fen == chess.STARTING_FEN
        for uci in opening_moves(opening):
            board.push_uci(uci)
        assert board.ply() == 8
        assert board.fen() == opening.fen
    assert book.openings[0].label == "own.001"
    assert [opening.line for opening in book.openings] == list(range(1, 501))


def test_identity_of_the_package_book_never_changes() -> None:
    # Events name their book by it.
    assert package_book("default-500").id == "b557bde1dcdf40f9"
    assert default_book().id == package_book("balanced-20k").id == "7c779679f824c31f"
    for book in map(package_book, PACKAGE_BOOKS):
        assert book.id == book_identity(book.openings), book.name


def test_positions_are_read_with_and_without_clocks(tmp_path: Path) -> None:
    book = load_book(
        write(
            tmp_path,
            "# a comment\n\n"
            f'{ENDING} id "pawn";\n'
            "4k3/8/8/8/8/8/4P3/4K3 b - - 12 34\n"
            '4k3/8/8/8/8/8/3P4/4K3 w - - hmvc 7; fmvn 9; id "counted";\n',
        )
    )
    assert [(o.line, o.label, o.fen) for o in book.openings] == [
        (3, "pawn", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"),
        (4, "", "4k3/8/8/8/8/8/4P3/4K3 b - - 12 34"),
        (5, "counted", "4k3/8/8/8/8/8/3P4/4K3 w - - 7 9"),
    ]
    assert all(o.moves == b"" and o.start_fen == o.fen for o in book.openings)


def test_moves_in_c0_lead_to_the_position_and_set_its_clocks(tmp_path: Path) -> None:
    board = chess.Board()
    for uci in ("g1f3", "g8f6"):
        board.push_uci(uci)
    book = load_book(write(tmp_path, f'{board.epd()} c0 "g1f3 g8f6";\n'))
    (opening,) = book.openings
    assert opening.fen == board.fen()
    assert opening.fen.endswith(" 2 2")
    assert opening.start_fen == chess.STARTING_FEN
    codes = [encode_move(uci) for uci in ("g1f3", "g8f6")]
    assert opening.moves == b"".join(code.to_bytes(2, "little") for code in codes)
    assert opening_moves(opening) == ["g1f3", "g8f6"]


def test_c0_that_is_no_moves_is_a_comment(tmp_path: Path) -> None:
    (opening,) = load_book(write(tmp_path, f'{ENDING} c0 "a drawn ending";\n')).openings
    assert opening.moves == b""


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("nonsense", "not a position in EPD or FEN"),
        ("8/8/8/8/8/8/8 w - - 0 1", "not a position in EPD or FEN"),
        (
            "4k3/4Q3/8/8/8/8/8/4K3 w - -",
            "illegal position (black king in check, white to move)",
        ),
        ("8/8/8/8/8/8/8/4K3 w - -", "illegal position (no black king)"),
        ("4k3/8/8/8/8/8/8/P3K3 w - -", "illegal position (pawns on the first or last rank)"),
        ("4k3/8/8/8/8/8/4P3/4K3 w KQ -", "castling rights without king and rook in place"),
        ("4k3/8/8/8/8/8/8/4K3 w - -", "the game is over there (insufficient material)"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - -", "the game is over there (stalemate)"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - -", "the game is over there (checkmate)"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 100 90", "the game is over there (fifty moves)"),
        (f'{AFTER_E4} c0 "e2e5";', "c0: e2e5 is illegal after no move"),
        (f'{AFTER_E4} c0 "d2d4";', "c0: its moves lead to another position"),
    ],
)
def test_bad_line_is_told_with_file_line_and_reason(tmp_path: Path, line: str, reason: str) -> None:
    path = write(tmp_path, f"{ENDING}\n{line}\n")
    with pytest.raises(UsageError) as caught:
        load_book(path)
    text = str(caught.value)
    assert text.startswith(f"{path} line 2: ")
    assert reason in text
    assert text.endswith("; 1 other is fine")
    assert "\n" not in text


REMARKS = (";", " ;", "; ", ' ; id "x";', '; id "x";', " # c", " // c", " | 23 | 0.5", "; # c")


def test_positions_end_in_whatever_other_programs_write(tmp_path: Path) -> None:
    for clocks in ("", " 3 9"):
        for remark in REMARKS:
            text = ENDING + clocks + remark
            (opening,) = load_book(write(tmp_path, text)).openings
            assert opening.fen == ENDING + (clocks or " 0 1"), text
            assert opening.label == ("x" if "id" in remark else ""), text
            assert position_of_fen(text).fen == opening.fen, text
            game = f'[FEN "{text.replace(chr(34), "")}"]\n[SetUp "1"]\n\n1. e4 *\n'
            (line,) = load_book(write(tmp_path, game, "b.pgn")).openings
            assert line.start_fen == opening.fen, text
    kept = f'{ENDING} id "a # b | c // d"; bm Kd2#; # c'
    assert load_book(write(tmp_path, kept)).openings[0].label == "a # b | c // d"
    assert "bm Kd2#" in str(split_position(kept))


def test_bad_lines_can_be_skipped(tmp_path: Path) -> None:
    path = write(tmp_path, f"bad\n{ENDING}\nworse\n")
    with pytest.raises(UsageError, match="line 1: .*; also bad: line 3; 1 other is fine"):
        load_book(path)
    book = load_book(path, skip_bad=True)
    assert [opening.line for opening in book.openings] == [2]
    assert [bad.line for bad in book.skipped] == [1, 3]


def test_binary_data_is_a_bad_line(tmp_path: Path) -> None:
    path = tmp_path / "b.epd"
    path.write_bytes(ENDING.encode() + b"\n\xff\xfe\n")
    with pytest.raises(UsageError, match="line 2: not a position in EPD or FEN"):
        load_book(path)


def test_byte_order_mark_and_windows_lines_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "b.epd"
    path.write_bytes(b"\xef\xbb\xbf" + f"{ENDING}\r\n{AFTER_E4}\r\n".encode())
    assert len(load_book(path).openings) == 2


def test_file_without_openings_is_refused(tmp_path: Path) -> None:
    for name in ("b.epd", "b.pgn"):
        with pytest.raises(UsageError, match="has no openings"):
            load_book(write(tmp_path, "\n", name))
    with pytest.raises(UsageError, match="has no openings"):
        load_book(write(tmp_path, "bad\n"), skip_bad=True)


def test_other_kinds_of_paths_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        load_book(tmp_path / "none.epd")
    with pytest.raises(UsageError, match="directory"):
        load_book(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_file_without_permission_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, ENDING)
    path.chmod(0)
    with pytest.raises(UsageError, match="denied"):
        load_book(path)


PGN = """[Event "x"]
[ECO "C20"]
[Opening "King's Pawn"]

1. e4 e5 (1... c5) 2. Nf3 {a comment} *

[Event "y"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]

1. e4 *
"""


def test_games_are_read_as_openings(tmp_path: Path) -> None:
    first, second = load_book(write(tmp_path, PGN, "b.pgn")).openings
    assert (first.line, first.label) == (1, "C20 King's Pawn")
    assert opening_moves(first) == ["e2e4", "e7e5", "g1f3"]
    assert chess.Board(first.fen).fullmove_number == 2
    assert second.line == 7
    assert second.start_fen == "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    assert second.fen == "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        ('[Event "x"]\n\n1. e4 e5 2. Ke3 *\n', "illegal san: 'Ke3'"),
        ('[Event "x"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n', "the game is over there (checkmate)"),
        ('[Event "x"]\n[Variant "Atomic"]\n\n1. e4 *\n', "not standard chess (Atomic)"),
        ('[Event "x"]\n[SetUp "1"]\n[FEN "rubbish"]\n\n1. e4 *\n', "rubbish"),
    ],
)
def test_bad_game_is_told_with_its_first_line(
    tmp_path: Path, game: str, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, f"{PGN}\n{game}", "b.pgn")
    with pytest.raises(UsageError) as caught:
        load_book(path)
    assert str(caught.value).startswith(f"{path} line 13: ")
    assert reason in str(caught.value)
    assert len(load_book(path, skip_bad=True).openings) == 2
    assert capfd.readouterr() == ("", "")


def test_games_are_cut_to_their_first_plies(tmp_path: Path) -> None:
    path = write(tmp_path, PGN, "b.pgn")
    first, second = load_book(path, plies=2).openings
    assert opening_moves(first) == ["e2e4", "e7e5"] and opening_moves(second) == ["e2e4"]
    assert load_book(path, plies=3).id == load_book(path).id, "no game is longer"
    assert (load_book(path, plies=3).plies, load_book(path).plies) == (3, None)
    book = load_book(path, plies=1)
    assert find_book(book.id, str(path), plies=1) == book
    with pytest.raises(UsageError, match="has changed"):
        find_book(book.id, str(path))


def test_moves_beyond_the_plies_are_ignored(tmp_path: Path) -> None:
    """Neither an illegal move, nor the end of the game, nor variations."""
    text = (
        '[Event "x"]\n\n1. f3 (1. d4 d5) 1... e5 (1... c5 2. Ke3) 2. g4 Qh4# 0-1\n\n'
        '[Event "y"]\n\n1. e4 e5 (1... c5 2. Ke3) 2. Ke3 (2. Nf3) 2... d5 *\n'
    )
    path = write(tmp_path, text, "b.pgn")
    book = load_book(path, plies=2)
    assert [opening_moves(one) for one in book.openings] == [["f2f3", "e7e5"], ["e2e4", "e7e5"]]
    assert [one.line for one in book.openings] == [1, 5]
    with pytest.raises(UsageError, match="line 5: illegal san"):
        load_book(path, plies=3)


def test_plies_are_for_games(tmp_path: Path) -> None:
    for path in (write(tmp_path, ENDING), "default-500"):
        with pytest.raises(UsageError, match=r"has positions: plies=N is for games"):
            load_book(path, plies=8)
    with pytest.raises(UsageError, match="plies of a book line"):
        load_book(write(tmp_path, PGN, "b.pgn"), plies=0)


def test_long_file_of_games_is_read_in_linear_time(tmp_path: Path) -> None:
    game = '[Event "x"]\n\n1. e4 {%s} e5 *\n\n' % ("a " * 500)
    path = write(tmp_path, game * 1000, "b.pgn")
    book = load_book(path, plies=1)
    assert [one.line for one in book.openings] == list(range(1, 4_000, 4))


def test_identity_is_that_of_the_lines(tmp_path: Path) -> None:
    book = load_book(write(tmp_path, f"{ENDING}\n{AFTER_E4}\n"))
    same = load_book(write(tmp_path, f"{ENDING}\n{AFTER_E4}\n", "other.epd"))
    swapped = load_book(write(tmp_path, f"{AFTER_E4}\n{ENDING}\n"))
    assert book.id == same.id != swapped.id
    assert book.name == "b" and same.name == "other"


def test_book_is_found_again(tmp_path: Path) -> None:
    path = write(tmp_path, f"{ENDING}\n")
    book = load_book(path)
    assert find_book(book.id, str(path)) == book
    assert find_book(default_book().id, default_book().source) is default_book()
    write(tmp_path, f"{AFTER_E4}\n")
    with pytest.raises(UsageError, match="has changed"):
        find_book(book.id, str(path))


def test_book_survives_the_database(tmp_path: Path) -> None:
    book = load_book(write(tmp_path, f"{ENDING}\n"))
    assert book_from_records(book.record(), book.openings) == Book(
        book.id, book.name, book.source, book.openings
    )


SHREDDER = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf -"


@pytest.mark.parametrize("rights", ["HFhf", "KQkq", "HQkf"])
def test_positions_of_chess960_with_any_spelling_of_their_rights(
    tmp_path: Path, rights: str
) -> None:
    line = SHREDDER.replace("HFhf", rights)
    path = write(tmp_path, f'{AFTER_E4}\n{line} id "one";\n{line} 3 9\n')
    with pytest.raises(
        UsageError, match=r"line 2: it is of Chess960.*--chess960.*also bad: line 3"
    ):
        load_book(path)
    assert [opening.line for opening in load_book(path, skip_bad=True).openings] == [1]
    book = load_book(path, chess960=True)
    board = chess.Board(f"{SHREDDER} 3 9", chess960=True)
    assert [opening.fen for opening in book.openings[1:]] == [
        board.fen().replace("3 9", "0 1"),
        board.fen(),
    ]
    assert book.openings[0] == load_book(path, skip_bad=True).openings[0]
    assert find_book(book.id, book.source, chess960=True) == book


def test_book_of_chess960_alone_says_what_it_needs(tmp_path: Path) -> None:
    path = write(tmp_path, f"{SHREDDER}\n")
    for skip_bad in (False, True):
        with pytest.raises(UsageError, match="no openings: .*line 1: .*--chess960"):
            load_book(path, skip_bad=skip_bad)


def test_inner_rook_keeps_its_file(tmp_path: Path) -> None:
    fen = "4k3/8/8/8/8/8/8/RR1K1R1R w FB - 0 1"
    (opening,) = load_book(write(tmp_path, fen), chess960=True).openings
    assert opening.fen == fen


def test_games_of_chess960_in_a_pgn_book(tmp_path: Path) -> None:
    start = "4k3/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GB - 0 1"
    text = f'[FEN "{start}"]\n[SetUp "1"]\n[Variant "Chess960"]\n\n1. O-O e5 *\n'
    path = write(tmp_path, text, "b.pgn")
    with pytest.raises(UsageError, match="it is of Chess960, and --chess960 plays"):
        load_book(path)
    (opening,) = load_book(path, chess960=True).openings
    assert opening_moves(opening) == ["c1g1", "e7e5"]
    board = chess.Board(start, chess960=True)
    board.push_san("O-O")
    board.push_san("e5")
    assert (opening.start_fen, opening.fen) == (
        chess.Board(start, chess960=True).fen(),
        board.fen(),
    )


def test_built_in_book_has_the_960_start_positions() -> None:
    with pytest.raises(UsageError, match="book chess960 .* --chess960"):
        load_book("chess960")
    book = load_book("chess960", chess960=True)
    assert book is default_book(chess960=True) and book.id == "04dd722d3c08f101"
    assert len({opening.fen for opening in book.openings}) == 960
    for opening in book.openings:
        board = chess.Board(opening.fen, chess960=True)
        assert board.chess960_pos() == opening.line - 1 and board.is_valid()
        assert opening.label == f"position {opening.line - 1}"
    assert book.openings[518].fen == chess.STARTING_FEN
    assert find_book(book.id, "package:chess960", chess960=True) is book


def test_line_in_the_docs_can_be_played(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "games.md").read_text(encoding="utf-8")
    (line,) = [line for line in page.splitlines() if ' id "7"; c0 "' in line]
    path = tmp_path / "own.txt"
    path.write_text(f"# of the docs\n{line}\n", encoding="utf-8")
    (opening,) = load_book(path, game="othello").openings
    assert (opening.line, opening.label, len(opening.moves)) == (2, "7", 4)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("B:WK5:BK1:H80", "forty moves"),
        ("W:BK1:W32:H80", "forty moves"),
        ("W:W:B1", "no moves"),
    ],
)
def test_position_in_which_the_game_is_over_is_no_opening(
    tmp_path: Path, text: str, reason: str
) -> None:
    path = tmp_path / "over.txt"
    path.write_text(f"B:WK5:BK1:H79\n{text}\n")
    with pytest.raises(
        UsageError, match=rf"line 2: the game is over there \({reason}\); 1 other is"
    ):
        load_book(path, game="draughts")


def test_line_with_a_third_repetition_cannot_be_played(tmp_path: Path) -> None:
    moves = "1. e4 Nc6 2. Nf3 d5 3. exd5 Qxd5 4. Nc3 Qd8 5. Nb1 Qd5 6. Ng1 Qd8 7. Nf3 Qd5"
    for more in ("", " 8. Nc3 Qd8 9. Be2"):
        path = write(tmp_path, f'[Event "x"]\n\n{moves}{more} *\n\n1. e4 *\n', "b.pgn")
        book = load_book(path, skip_bad=True)
        assert [bad.reason for bad in book.skipped] == [
            "the game is over there (threefold repetition)"
        ]
        assert len(book.openings) == 1 and book.has_games
    twice = write(tmp_path, "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 *\n", "b.pgn")
    assert len(load_book(twice).openings) == 1
    assert not load_book(write(tmp_path, ENDING)).has_games
    assert not package_book("default-500").has_games, "it has moves, but games begin behind them"
