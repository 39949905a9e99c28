"""Connect Four: its rules in Python beside those of the core, and solved positions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from engines.backend import make_searcher, plain_value
from engines.errors import PositionError, VariantError
from engines.native import NativeSearcher
from engines.reference.games.connect_four import ConnectFour
from engines.registry import DRIVERS
from engines.rules.board import diagram
from engines.rules.connect_four import RULES, SQUARES, START, ConnectFourPosition
from engines.spec import MATE, SearchLimit
from engines.variant import parse_variant

SOLVED = [
    ("2252576253462244111563365343671351441", -1),
    ("7422341735647741166133573473242566", 1),
    ("23163416124767223154467471272416755633", 0),
    ("5554224333234511764415115", 4),
    ("2737772244262123677516643354", 0),
]
"""Positions of Pascal Pons' test sets (blog.gamesolver.org), as columns from 1, and how many discs
the winner has left with the one that wins among them: below 0 for the side that does not move."""
SOLVED_SLOWLY = [
    ("75734233473735", 0),
    ("335662333565", -2),
    ("427631264721", 10),
]
"""More of them, after 12 to 14 plies."""


def after(columns: str) -> ConnectFourPosition:
    position = ConnectFourPosition.read(START)
    for column in map(int, columns):
        assert column in position.moves()
        position = position.after(column)
    return position


def value_of(columns: str, score: int) -> int:
    """The value of a solved position: a mate in as many plies as are left."""
    last_disc = SQUARES // 2 + 1 - abs(score)
    if score == 0:
        return 0
    if score > 0:
        return MATE - (2 * (last_disc - len(columns) // 2) - 1)
    return 2 * (last_disc - (len(columns) + 1) // 2) - MATE


def random_games(count: int) -> Iterator[list[ConnectFourPosition]]:
    numbers = random.Random(3)
    for _ in range(count):
        positions = [ConnectFourPosition.read(START)]
        while positions[-1].moves():
            positions.append(positions[-1].after(numbers.choice(positions[-1].moves())))
        yield positions


def test_texts_survive_the_round_trip_and_games_end() -> None:
    words = set()
    for game in random_games(60):
        for position in game:
            assert ConnectFourPosition.read(str(position)) == position
            assert (position.ending() is None) == bool(position.moves())
        ending = game[-1].ending()
        assert ending is not None
        assert ending.winner is (None if ending.reason == "full-board" else len(game) % 2 == 0)
        words.add(ending.reason)
    assert words >= {"four-in-a-row"}
    text = "xoxoxoxoxoxoxoxoxoxox" + "oxoxoxoxoxoxoxoxoxoxo x"
    with pytest.raises(PositionError):
        ConnectFourPosition.read(text)


def test_moves_are_named_by_columns() -> None:
    position = after("4432")
    assert [position.spelled(move) for move in position.moves()] == list("abcdefg")
    assert diagram(RULES.look, position.squares(), plain=True)[-3:] == [
        "2  . . . o . . .",
        "1  . o x x . . .",
        "   a b c d e f g",
    ]
    marked = [[RULES.look.squares[at] for at in position.marked(move)] for move in (1, 4)]
    assert marked == [["a1"], ["d3"]]


@pytest.mark.native
def test_positions_match_the_core(core: Any) -> None:
    """Legal moves, what they lead to, and both evaluations."""
    searcher = core.Searcher("mtdf", dict(parse_variant("mtdf:game=connect-four").parameters))
    for game in random_games(12):
        for position in game:
            searcher.set_position(str(position))
            legal = [move for move in range(70_000 if position == game[0] else 9) if move < 1 << 16]
            assert [move for move in legal if searcher.is_legal(move)] == position.moves()
            assert core.perft(str(position), 1, False, "connect-four") == len(position.moves())
            for name in ("pst", "full"):
                value = ConnectFour(name).value(position)
                assert core.evaluate(str(position), name, 1, "connect-four") == value
                told = core.quiesce(str(position), name, 1, "connect-four")
                over = position.ending() is not None
                assert told == (ConnectFour(name).terminal_value(position) if over else value)


@pytest.mark.native
def test_core_refuses_the_same_texts_in_the_same_words(core: Any) -> None:
    lower = "-" * 28
    for text in (
        "",
        START[1:],
        START[:-1],
        START + "x",
        START.replace(" x", " o"),
        START.replace("-", "k", 1),
        START.replace("-", "x", 1).replace(" x", " o"),
        f"{lower}ooo----xxxxo-- x",
        f"{lower}-------xxxxoo- x",
    ):
        with pytest.raises(PositionError) as ours:
            ConnectFourPosition.read(text)
        with pytest.raises(ValueError) as theirs:
            core.evaluate(text, "pst", 1, "connect-four")
        assert str(ours.value) == str(theirs.value)


@pytest.mark.native
def test_sequences_of_moves_are_counted(core: Any) -> None:
    """By rules alone for two plies more than the Python twin counts."""
    counts = [1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234]
    for depth, count in enumerate(counts):
        assert core.perft(START, depth, game="connect-four") == count
    positions = [ConnectFourPosition.read(START)]
    for count in counts[:5]:
        assert len(positions) == count
        positions = [position.after(move) for position in positions for move in position.moves()]


@pytest.mark.native
@pytest.mark.parametrize("driver", DRIVERS)
def test_drivers_find_the_value_of_minimax(driver: str) -> None:
    variant = parse_variant(f"{driver}:game=connect-four")
    searcher = make_searcher(variant)
    for columns in ("", "44", "4435262", "443526211"):
        moves = [int(column) for column in columns]
        searcher.set_position(START, moves)
        found = searcher.search(SearchLimit(depth=4), exact=True)
        assert found.move in [*"abcdefg"]
        if DRIVERS[driver].proves == "value":
            assert found.value == plain_value(variant, START, 4, moves)


@pytest.mark.native
@pytest.mark.parametrize("mode", ["exact", "selective"])
@pytest.mark.parametrize("columns,score", SOLVED)
def test_solved_positions(columns: str, score: int, mode: str) -> None:
    searcher = make_searcher(parse_variant("mtdf:game=connect-four,tolerance=0"))
    searcher.set_position(START, [int(column) for column in columns])
    left = SearchLimit(depth=SQUARES - len(columns))
    found = searcher.search(left, exact=mode == "exact")
    assert found.value == value_of(columns, score)


@pytest.mark.native
@pytest.mark.slow
@pytest.mark.parametrize("columns,score", SOLVED_SLOWLY)
def test_positions_of_the_opening_are_solved(columns: str, score: int) -> None:
    """By selective search, which reaches the end of the game and prunes nothing then."""
    text = "mtdf:game=connect-four,eval=pst,hash=256,depth_step=4,tolerance=0"
    searcher = make_searcher(parse_variant(text))
    searcher.set_position(START, [int(column) for column in columns])
    found = searcher.search(SearchLimit(depth=SQUARES - len(columns)))
    assert found.value == value_of(columns, score)


@pytest.mark.native
def test_search_ends_with_the_game() -> None:
    searcher = make_searcher(parse_variant("pvs:game=connect-four"))
    columns = "2737772244262123677516643354"
    searcher.set_position(START, [int(column) for column in columns])
    found = searcher.search(SearchLimit(depth=60))
    assert (found.value, found.depth) == (0, SQUARES - len(columns))


@pytest.mark.native
@pytest.mark.parametrize("start", [START, "-" * 35 + "---x--- o"])
def test_players_play_games_to_their_end(core: Any, start: str) -> None:
    white, black = (
        NativeSearcher(core, parse_variant(f"{text}:game=connect-four")) for text in ("pvs", "mtdf")
    )
    contest = white.contest(black, start, SearchLimit(nodes=500), lambda _, value: None)
    position = ConnectFourPosition.read(start)
    for move in contest.searches.moves:
        assert position.ending() is None
        assert move in position.moves()
        position = position.after(move)
    ending = position.ending()
    assert ending is not None
    assert (contest.ended, contest.winner) == (ending.reason, ending.winner)


@pytest.mark.native
def test_judge_names_no_winner_by_the_rules(core: Any) -> None:
    players = [NativeSearcher(core, parse_variant("pvs:game=connect-four")) for _ in range(2)]
    contest = players[0].contest(players[1], START, SearchLimit(nodes=90), lambda *_: "enough")
    assert (contest.ended, contest.verdict, contest.winner) == ("judged", "enough", None)


def test_game_comes_first_and_chess_is_omitted() -> None:
    variant = parse_variant("mtdf:guess=parity,game=connect-four")
    assert variant.spelling == "mtdf:game=connect-four,guess=parity"
    assert variant.effective["game"] == variant.game == "connect-four"
    chess = parse_variant("mtdf:game=chess,guess=parity")
    assert chess.spelling == "mtdf:guess=parity"
    assert "game" not in chess.effective
    assert chess.game == "chess"
    with pytest.raises(VariantError, match="game=go is not allowed"):
        parse_variant("mtdf:game=go")
