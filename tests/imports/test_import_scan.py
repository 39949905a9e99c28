"""Games are found where they begin and end, get the right keys, and bad ones are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolkit.imports.scan import RawGame, scan_games
from toolkit.imports.source import MAX_GAME_BYTES

ONE = b'[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n'
BARE = b'[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1-0\n\n'


def scan(data: bytes) -> list[RawGame]:
    """The games of a file of these bytes."""
    return list(scan_games(data.splitlines(keepends=True)))


def test_games_with_and_without_empty_lines() -> None:
    tight = ONE.replace(b"\n\n", b"\n")
    for text in (ONE * 3, tight * 3, ONE.replace(b"\n", b"\r\n") * 3, b"\xef\xbb\xbf" + ONE * 3):
        games = scan(text)
        assert [game.tags["White"] for game in games] == ["A"] * 3
        assert {game.movetext for game in games} == {b"1. e4 e5 1-0"}
        assert not any(game.problem for game in games)
    assert [game.line for game in scan(ONE * 3)] == [1, 7, 13]


def test_heads_without_any_moves_are_games() -> None:
    head = b'[White "A"]\n[Black "B"]\n[Result "0-1"]\n\n'
    assert [game.tags["Result"] for game in scan(head * 3)] == ["0-1"] * 3


def test_line_of_a_comment_may_look_like_a_tag() -> None:
    games = scan(ONE.replace(b"e5", b'e5 { see\n[%eval 1]\n[White "C"]\n} ') * 2)
    assert [game.tags["White"] for game in games] == ["A", "A"]
    assert not any(game.problem for game in games)


def test_comment_without_end_spoils_one_game_only() -> None:
    event = b'[Event "x"]\n' + ONE
    bad, good = scan(event.replace(b"e5", b"e5 { oh") + event)
    assert bad.problem == "a comment is not closed"
    assert good.problem is None and good.movetext == b"1. e4 e5 1-0"


def test_tags_with_quotation_marks_and_old_letters() -> None:
    (game,) = scan(b'[White "A \\"x\\" \\\\ y"]\n[Black "J\xfcrgen"]\n\n1-0\n')
    assert game.tags == {"White": 'A "x" \\ y', "Black": "Jürgen"}
    (windows,) = scan(b'[White "\x8aimi\xe6, O\x92Hara"]\n[Black "Kova\x9e \x81"]\n\n1-0\n')
    assert windows.tags == {"White": "Šimiæ, O’Hara", "Black": "Kovaž \ufffd"}
    (loose,) = scan(b'[White "the "best" one"]\n\n1-0\n')
    assert loose.tags == {"White": 'the "best" one'} and loose.problem is None


def test_what_is_no_tag_is_told_with_its_line() -> None:
    """Where that is the game's own line, which is always told, it is not told twice."""
    games = scan(ONE + b'[White "A]\n[Black "B"]\n\n1-0\n\n[White "A"]\n[Black "B]\n\n1-0\n')
    assert games[0].problem is None
    assert games[1].line == 7 and games[1].problem == '`[White "A]` is not a tag'
    assert games[2].line == 12 and games[2].problem == 'line 13: `[Black "B]` is not a tag'
    assert "there are no tags" in str(scan(b"hello\nworld\n")[0].problem)


def test_equal_games_have_equal_keys_and_bare_results_do_not() -> None:
    assert len({game.key for game in scan(ONE * 3)}) == 1
    bare = [game.key for game in scan(BARE * 3)]
    assert len(set(bare)) == 3
    assert [game.key for game in scan(BARE * 5)][:3] == bare
    timed = BARE.replace(b"\n\n1-0", b'\n[UTCTime "10:00:00"]\n\n1-0')
    assert len({game.key for game in scan(timed * 2)}) == 1
    said = BARE.replace(b"\n1-0", b"\n{White mates} 1-0")
    assert len({game.key for game in scan(said * 2)}) == 2


def test_keys_depend_on_everything_but_line_ends() -> None:
    key = scan(ONE)[0].key
    assert scan(ONE.replace(b"\n", b"\r\n"))[0].key == key
    for one, other in ((b"e5", b"c5"), (b'"A"', b'"C"'), (b"e5", b"e5 {x}")):
        assert scan(ONE.replace(one, other))[0].key != key


DATA = Path(__file__).parents[1] / "data"


def test_keys_are_the_same_in_every_version() -> None:
    """Stored games are known by these: another program version must find the same ones."""
    keys = {
        "fastchess": "6e58229eb81dff6e7632b5d2b7564051",
        "cutechess": "22d8be460194035cda2f8efd64106250",
        "lichess": "c86498552e22eb10829c23440a9e5be8",
    }
    for name, key in keys.items():
        first, *_ = scan((DATA / f"import_{name}.pgn").read_bytes())
        assert first.key.hex() == key


def test_game_that_is_too_long_spoils_no_other() -> None:
    long = ONE.replace(b"e5", b"e5 {" + b"x" * MAX_GAME_BYTES + b"}")
    lines = ONE.replace(b"e5", b"e5 {\n" + (b"x" * 99 + b"\n") * 41_000 + b"}")
    for text in (long, lines):
        first, bad, last = scan(ONE + text + ONE)
        assert first.problem is None and last.problem is None
        assert bad.problem == "it has more than 4 MB"


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        (b'[White "' + b"a" * 300_000 + b'"]\n', "its tags take more than 256 kB"),
        (b'[A "1"]\n' * 37_000, "its tags take more than 256 kB"),
        (b'[A "1"]' + b" " * 5_000_000 + b"e4\n", "its tags take more than 256 kB"),
    ],
)
def test_tags_that_are_too_long(head: bytes, problem: str) -> None:
    bad, good = scan(head + BARE + ONE)
    assert bad.problem == problem and good.problem is None


@pytest.mark.parametrize("text", [b"a" * 5_000_000, b" " * 5_000_000 + b"a"])
def test_one_line_without_tags_that_is_too_long(text: bytes) -> None:
    (game,) = scan(text)
    assert game.problem == "it has more than 4 MB"


@pytest.mark.parametrize("end", ["", "1", "2. Nf3 {a comment}", "2. N"])
def test_file_that_ends_within_a_game(end: str) -> None:
    whole = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n'
    torn = f'[White "B"]\n[Black "A"]\n[Result "1-0"]\n\n1. e4 c5 {end}'
    first, second = scan((whole + torn).encode())
    assert first.problem is None and second.problem == "the file ends within its moves: cut off?"
    (bare,) = scan(b'[White "A"]\n[Black "B"]\n[Result "1-0"]\n')
    assert bare.problem is None
