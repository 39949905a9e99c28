"""Suites are read from books and files, and bad ones are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolkit.base.errors import UsageError
from toolkit.books.book import default_book, load_book
from toolkit.books.info import BookSlice, openings_in, position_of
from toolkit.lab.positions import find_position
from toolkit.lab.suite import divide, read_suite, sample_book

EPD = Path(__file__).parents[1] / "data" / "bratko_kopec.epd"
OPEN, MATE = "1. e4 e5", "1. f3 e5 2. g4 Qh4#"
STALEMATE = (
    "1. e3 a5 2. Qh5 Ra6 3. Qxa5 h5 4. h4 Rah6 5. Qxc7 f6 6. Qxd7+ Kf7 7. Qxb7 Qd3 8. Qxb8 Qh7 "
    "9. Qxc8 Kg6 10. Qe6"
)
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


def game(moves: str) -> str:
    """Four lines of a PGN."""
    return f'[White "A"]\n\n{moves} *\n\n'


def test_sample_is_of_the_slice_and_follows_from_the_seed() -> None:
    book, part = default_book(), BookSlice(1, 2)
    suite = sample_book(book, 30, 7, part)
    assert len(suite) == 30 == len({position_of(one) for one in suite.positions})
    assert set(suite.positions) <= set(openings_in(book, part))
    assert suite == sample_book(book, 30, 7, part)
    assert suite.identity != sample_book(book, 30, 8, part).identity
    assert suite.positions[:10] == sample_book(book, 10, 7, part).positions
    # Not the beginning of the book, which its maker may have sorted.
    assert max(one.line for one in suite.positions) > 1000


def test_too_small_book_is_refused() -> None:
    with pytest.raises(UsageError, match="has 500 different positions, and 501 were requested"):
        sample_book(load_book("default-500"), 501, 1)


def test_file_keeps_the_ids_and_lines_of_its_positions() -> None:
    suite = read_suite(EPD)
    assert [one.label for one in suite.positions] == [f"BK.{n:02}" for n in range(1, 25)]
    assert suite.positions[4].fen == (
        "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 1"
    )
    assert suite.name == "bratko_kopec"


def test_fens_are_read_and_equal_positions_once(tmp_path: Path) -> None:
    path = tmp_path / "some.fen"
    path.write_text(f"# start\n{START} 0 1\n\n{START} 3 9\n{START.replace(' w ', ' b ')} 0 1\n")
    assert [one.line for one in read_suite(path).positions] == [2, 5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{START} 0 1\nnonsense\n8/8/8/8/8/8/8/8 w - -\n", r"line 2: not a .*; also bad: line 3$"),
        (f"{START}\n7k/5KQ1/8/8/8/8/8/8 b - -\n", r"line 2: the game is over there \(checkmate\)$"),
        ("nonsense\n" * 5, r"line 1: not a .*; also bad: lines 2, 3, 4, 5$"),
        ("nonsense\n" * 14, r"; also bad: lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more$"),
        ("# nothing\n", r"^suite .*bad\.epd has no positions$"),
    ],
)
def test_bad_files_are_refused_with_the_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.epd"
    path.write_text(text)
    with pytest.raises(UsageError, match=message) as caught:
        read_suite(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_finished_games_are_left_out_on_request(tmp_path: Path) -> None:
    path = tmp_path / "g.pgn"
    path.write_text(game(OPEN) + game(MATE) + game(STALEMATE) + game(OPEN))
    suite = read_suite(path, skip_over=True)
    assert ([one.line for one in suite.positions], suite.over, suite.repeats) == ([1], 2, 1)
    with pytest.raises(UsageError, match=r"line 5: .*\(checkmate\); also bad: line 9$"):
        read_suite(path)
    assert find_position(f"{path}:1").fen == suite.positions[0].fen
    with pytest.raises(UsageError, match=r"g\.pgn line 5: the game is over there \(checkmate\)$"):
        find_position(f"{path}:5")
    path.write_text(game(MATE) + game(STALEMATE))
    with pytest.raises(UsageError, match=r"has no position to search: .*line 1.*; also .* line 5$"):
        read_suite(path, skip_over=True)


def test_other_faults_are_errors_beside_finished_games(tmp_path: Path) -> None:
    path = tmp_path / "g.pgn"
    path.write_text(game(OPEN) + game(MATE) + game("1. e4 e4"))
    with pytest.raises(UsageError, match=r"g\.pgn line 9: illegal san: 'e4' in [^;]*$"):
        read_suite(path, skip_over=True)


def test_position_where_the_game_is_over_is_an_error_in_a_file_of_positions(
    tmp_path: Path,
) -> None:
    path = tmp_path / "own.epd"
    path.write_text(f"{START}\n7k/5KQ1/8/8/8/8/8/8 b - -\n")
    with pytest.raises(UsageError, match=r"line 2: the game is over there \(checkmate\)$"):
        read_suite(path, skip_over=True)


def test_unreadable_file_is_reported_as_a_suite(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"^cannot read suite {tmp_path}: Is a directory$"):
        read_suite(tmp_path)


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.epd: No such file"):
        read_suite(tmp_path / "none.epd")


def test_halves_partition_the_suite() -> None:
    suite = read_suite(EPD)
    first, second = divide(suite, 1)
    assert (len(first), len(second)) == (12, 12)
    assert {*first.positions, *second.positions} == set(suite.positions)
    assert divide(suite, 1) == (first, second)
    assert set(divide(suite, 2)[0].positions) != set(first.positions)


def test_single_position_cannot_be_divided(tmp_path: Path) -> None:
    path = tmp_path / "one.epd"
    path.write_text(f"{START}\n")
    with pytest.raises(UsageError, match="suite one has one position"):
        divide(read_suite(path), 1)
