"""Names, result, moves, end reason and time of one game are read correctly."""

from __future__ import annotations

import chess
import pytest

from db.records.openings import CHESS960_MOVES, STANDARD_MOVES
from engines.moves import decode_move
from toolkit.imports.game import BadGame, ReadGame, read_game
from toolkit.imports.scan import Unread, scan_games
from toolkit.referee.searchdata import decode_moves

MATE = "1. f3 e5 2. g4 Qh4#"


def read(moves: str, *, headers_only: bool = False, **tags: str) -> ReadGame:
    """The game of these moves and tags."""
    given = {"White": "A", "Black": "B", "Result": moves.split()[-1], **tags}
    head = "".join(f'[{name} "{value}"]\n' for name, value in given.items() if value)
    (raw,) = scan_games(f"{head}\n{moves}\n".encode().splitlines())
    return read_game(raw, headers_only=headers_only)


def ucis(game: ReadGame) -> list[str]:
    """Its moves in UCI notation."""
    return [decode_move(code) for code in decode_moves(game.game.moves)]


def test_moves_with_comments_and_variations() -> None:
    game = read(
        "1.e4! $1 e5?! {a ( comment} (1... c5 2. Nf3 (2. c3) d6) 2. Nf3 ; 2... Nc6 is usual\n"
        "2... Nf6 3. Bc4 Nxe4 4. 0-0 Nxf2 5. Rxf2 * 1/2-1/2",
        Result="1/2-1/2",
    )
    moves = "e2e4 e7e5 g1f3 g8f6 f1c4 f6e4 e1g1 e4f2 f1f2"
    assert ucis(game) == moves.split()
    assert game.game.plies == 9 and game.game.start_fen is None and game.game.white_score == 1


def test_promotion_from_a_position() -> None:
    game = read("1. a8=N Kb7 1/2-1/2", FEN="8/P1k5/8/8/8/8/8/K7 w - - 0 1", SetUp="1")
    assert ucis(game) == ["a7a8n", "c7b7"]
    assert game.game.start_fen == "8/P1k5/8/8/8/8/8/K7 w - - 0 1"


def test_position_may_end_in_a_semicolon() -> None:
    for end in ("- - 0 1;", "- - 0 1 ;", "- -;", "- - 0 1; id x", "- - 0 1 # c"):
        game = read("1. a8=N Kb7 1/2-1/2", FEN=f"8/P1k5/8/8/8/8/8/K7 w {end}")
        assert game.game.start_fen == "8/P1k5/8/8/8/8/8/K7 w - - 0 1"


def test_moves_of_a_book_belong_to_the_opening() -> None:
    game = read("1. e4 {book} e5 {book} 2. Nf3 {+0.1/9 0.1s} 1-0")
    board = chess.Board()
    board.push_san("e4")
    board.push_san("e5")
    assert ucis(game) == ["g1f3"] and game.game.start_fen == board.fen() == game.opening
    own = read("1. e4 e5 2. Nf3 1-0", EndReason="resign-adjudication", PlyCount="3", BookPlies="2")
    assert (own.game.moves, own.game.start_fen) == (game.game.moves, game.game.start_fen)
    bare = read("1-0", EndReason="resign-adjudication", PlyCount="3", BookPlies="2")
    assert bare.game.plies == own.game.plies == 1
    other = read("1. e4 e5 2. Nf3 1-0", PlyCount="1")
    assert other.game.plies == 3


@pytest.mark.parametrize(
    ("moves", "tags", "reason"),
    [
        (f"{MATE} 0-1", {}, "checkmate"),
        ("1. e4 {0.1/9 1s, Black resigns} 1-0", {}, "resignation"),
        ("1. e4 {White wins by adjudication} 1-0", {}, "resign-adjudication"),
        ("1. e4 {x, White wins by adjudication: SyzygyTB} 1-0", {}, "adjudication"),
        ("1. e4 {Draw by adjudication} 1/2-1/2", {}, "draw-adjudication"),
        ("1. e4 {Draw by fifty moves rule} 1/2-1/2", {}, "fifty-moves"),
        ("1. e4 {Draw by insufficient mating material} 1/2-1/2", {}, "insufficient-material"),
        ("1. e4 {0.1/9 1s, White's connection stalls} 0-1", {}, "engine-failure"),
        ("1. e4 {, Black makes an illegal move: e7e2} 1-0", {}, "illegal-move"),
        ("1. e4 1-0", {"Termination": "Anna won by resignation"}, "resignation"),
        ("1. e4 1/2-1/2", {"Termination": "Game drawn by agreement"}, "agreement"),
        ("1. e4 1-0", {"Termination": "adjudication"}, "adjudication"),
        ("1. e4 1-0", {"Termination": "Abandoned"}, "engine-failure"),
        ("1. e4 1-0", {"Termination": "normal"}, "unknown"),
        ("1. e4 {here stalemate was possible} 1-0", {}, "unknown"),
        ("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 1/2-1/2", {}, "threefold-repetition"),
        ("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 1-0", {}, "unknown"),
        ("1. Kb2 1/2-1/2", {"FEN": "8/8/2k5/8/8/8/8/K7 w - - 0 1"}, "insufficient-material"),
        ("1. Qg6 1/2-1/2", {"FEN": "7k/8/4Q3/8/8/8/8/K7 w - - 0 1"}, "stalemate"),
        ("1. Kb2 1/2-1/2", {"FEN": "7k/8/4Q3/8/8/8/8/K7 w - - 99 90"}, "fifty-moves"),
        (
            "1. e4 1-0",
            {"Site": "https://lichess.org/abcdefgh", "Termination": "Normal"},
            "resignation",
        ),
        ("1-0", {"Termination": "time forfeit"}, "time-forfeit"),
    ],
)
def test_end_reasons(moves: str, tags: dict[str, str], reason: str) -> None:
    assert read(moves, **tags).game.end_reason == reason


OTHER = "`{}` is not chess, and only chess can be imported"


@pytest.mark.parametrize(
    ("moves", "tags", "problem"),
    [
        ("1. e4 e5 2. Ke3 1-0", {}, "ply 3: `Ke3` is not legal here"),
        ("1. e4 -- 1-0", {}, "ply 2: `--` is not legal here"),
        ("1. e4 *", {}, "it has no result (`*`)"),
        ("1. e4", {"Result": ""}, "it has no result"),
        ("1. e4", {"Result": "won"}, "`won` is not a result"),
        ("1. e4 0-1", {"Result": "1-0"}, "the tag says 1-0, the moves end with 0-1"),
        ("1. e4 1-0", {"White": "?"}, "the tag White is missing or empty"),
        ("1. e4 1-0", {"Black": ""}, "the tag Black is missing or empty"),
        ("1. e4 1-0", {"Black": "A"}, "`A` plays itself"),
        ("1. e4 1-0", {"Black": "a\x07b"}, "the tag Black is not a name: `a?b`"),
        ("1. e4 1-0", {"FEN": "8/8 w - -"}, "FEN: "),
        ("1. e4 1-0", {"FEN": "hello"}, "FEN: `hello` is not a position"),
        ("1. e4 1-0", {"FEN": "8/8/8/8/8/8/8/K7 w - - 0 1"}, "FEN: illegal position"),
        ("1. e4 1-0", {"Variant": "Crazyhouse"}, "`Crazyhouse` is not chess or Chess960"),
        ("d3 c5 1-0", {"Variant": "Othello"}, OTHER.format("Othello")),
        ("d3 c5 1-0", {"Variant": "Reversi"}, OTHER.format("Reversi")),
        ("11-15 1-0", {"Variant": "English draughts"}, OTHER.format("English draughts")),
        ("11-15 1-0", {"GameType": "21"}, "by its tag GameType it is English draughts, and only"),
        (f"{MATE} 1-0", {}, "its moves end in checkmate"),
        ("1. e4 (1. d4 d5 e5 1-0", {}, "a variation is not closed"),
        ("1. e4 {White mates} 1-0", {}, "it claims to end by checkmate"),
        ("1. e4 {Draw by stalemate} 1-0", {}, "it ended by stalemate, but its result is not"),
        ("1. e4 {Black mates} 1/2-1/2", {}, "it ended by checkmate, but its result is a draw"),
        ("1. Qg6 1-0", {"FEN": "7k/8/4Q3/8/8/8/8/K7 w - - 0 1"}, "its moves end by stalemate"),
    ],
)
def test_bad_games_say_why(moves: str, tags: dict[str, str], problem: str) -> None:
    with pytest.raises(BadGame) as caught:
        read(moves, **{"Result": moves.split()[-1], **tags})
    assert str(caught.value).startswith(problem)


def test_headers_only_reads_no_move() -> None:
    game = read("1. e4 Ke3 {x, Black mates} 0-1", headers_only=True, PlyCount="88").game
    assert (game.moves, game.plies, game.end_reason, game.white_score) == (b"", 88, "checkmate", 0)
    other = read("1. e4 1-0", headers_only=True, Variant="Crazyhouse").game
    assert other.plies == 0
    with pytest.raises(BadGame):
        read("1. e4 *", headers_only=True)


@pytest.mark.parametrize(
    "tags", [{"Variant": "Othello"}, {"Variant": "Connect Four"}, {"GameType": "21,B,8,8,N1,0"}]
)
def test_result_of_another_game_is_not_taken_for_one_of_chess(tags: dict[str, str]) -> None:
    with pytest.raises(BadGame, match="and only chess can be imported"):
        read("1-0", headers_only=True, **tags)
    read("1-0", headers_only=True, Variant="Three-check", GameType="0")


@pytest.mark.parametrize(
    ("tags", "start", "length"),
    [
        ({"UTCDate": "1970.01.02", "UTCTime": "00:00:01", "Date": "2000.01.01"}, 86_401, None),
        ({"Date": "1970.01.02"}, 86_400, None),
        ({"Date": "1970.??.??"}, None, None),
        ({"Date": "1970.13.13"}, None, None),
        ({"GameStartTime": "1970-01-02T01:00:00 +0100", "GameDuration": "00:01:02"}, 86_400, 62),
        (
            {
                "GameStartTime": "1970-01-02T00:00:00.125 UTC",
                "GameEndTime": "1970-01-02T00:00:09.125 UTC",
            },
            86_400,
            9,
        ),
    ],
)
def test_moments(tags: dict[str, str], start: int | None, length: int | None) -> None:
    game = read("1. e4 1-0", **tags).game
    assert game.started_ms == (None if start is None else 1000 * start)
    assert game.ended_ms == (None if start is None or length is None else 1000 * (start + length))


START = "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1"


@pytest.mark.parametrize("variant", ["Chess960", "fischerandom", "Fischerandom", ""])
def test_chess960(variant: str) -> None:
    """The castling rights alone say it, too. Moves are king takes rook."""
    game = read("1. O-O-O O-O 2. e4 1-0", FEN=START, SetUp="1", Variant=variant).game
    assert ucis(ReadGame(game, "", "", "", Unread())) == ["c1b1", "c8g8", "e2e4"]
    assert game.moves_version == CHESS960_MOVES
    board = chess.Board(START, chess960=True)
    assert game.start_fen == board.fen()


def test_chess960_from_the_start_of_chess_needs_its_tag() -> None:
    moves = "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O 1-0"
    for variant, castling, version in (
        ("Chess960", "e1h1", CHESS960_MOVES),
        ("", "e1g1", STANDARD_MOVES),
    ):
        game = read(moves, Variant=variant)
        assert (ucis(game)[-1], game.game.moves_version) == (castling, version)
        assert game.game.start_fen is None
