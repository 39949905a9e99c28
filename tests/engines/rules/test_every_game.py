"""What holds in every game: one suite over the list of games, on both backends.

A game that is added to the list is tested here without another line. The oracles are the rules in
Python and plain minimax, which both backends have.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from engines.backend import make_searcher, plain_value
from engines.choices import GAMES
from engines.errors import PositionError
from engines.native import NativeSearcher
from engines.reference.oracle import minimax
from engines.reference.search.game import INFINITY, from_child
from engines.reference.search.quiescence import Leaves, quiesce
from engines.reference.seat import seat_at
from engines.registry import DRIVERS
from engines.rules.board import Board
from engines.rules.catalog import ALL, rules_of
from engines.spec import MATE_BOUND, Searcher, SearchLimit
from engines.variant import parse_variant, with_game
from toolkit.referee.outcome import EndReason

MakePlayer = Callable[[str], Searcher]

PLIES = (2, 9, 16, 23, 30, 37, 44, 51, 58)
"""When positions are taken from random games."""
EVALUATIONS = ("pst", "pst", "full", "full")
DEPTH = 3
"""Of exact searches."""
SETTINGS = [
    *("alphabeta:entries=2^8", "pvs:window=0,hash=0", "pvs:window=9,entries=2^12"),
    *("mtdf:guess=parity,entries=2^12", "mtdf:guess=static,convergence=bisect,hash=0"),
    "mtdf:guess=previous,convergence=plaat,below=0,entries=2^8,etc=1,etc_rule=settle",
    "mtdf:guess=drift,entries=2^12,leaf_bounds=on,low_move=best,iid=on",
    *("negascout:entries=2^8", "hybrid:null_passes=1,cap=3,entries=2^12", "sss:entries=2^12"),
    *("dual:entries=2^8", "mtd-bi:bounds=one,entries=2^12", "mtd-step:stride=30,entries=2^8"),
    *("mtd-best:entries=2^12", "bns:guess=zero,entries=2^8", "minimax:"),
]


def walk(game: str, seed: int) -> Iterator[Board]:
    """The board of a random game, after each ply; the last one has no moves, or is at a draw."""
    numbers, rules = random.Random(seed), rules_of(game)
    board = rules.board(rules.start)
    yield board
    while board.moves():
        assert board.push(numbers.choice(board.moves()))
        over = board.ending()
        yield board
        if over is not None:
            return


@cache
def positions(game: str, games: int) -> tuple[str, ...]:
    """Texts of positions with moves, from all stages of random games."""
    found = [
        board.text()
        for seed in range(games)
        for ply, board in enumerate(walk(game, seed))
        if ply in PLIES and board.moves()
    ]
    return tuple(dict.fromkeys(found))


@cache
def plain(game: str, text: str, depth: int, evaluation: str) -> int:
    """The value by plain minimax, of the core if there is one."""
    return plain_value(
        parse_variant(f"{with_game('minimax:', game)},eval={evaluation}"), text, depth
    )


def test_lists_of_games_are_the_same() -> None:
    assert {rules.game for rules in ALL} == set(GAMES)
    assert [rules_of(game).game for game in GAMES] == list(GAMES)
    versions = [rules.moves_version for rules in ALL]
    assert sorted(set(versions)) == sorted(versions)
    assert {text.partition(":")[0] for text in SETTINGS} == set(DRIVERS)


@pytest.mark.parametrize("game", GAMES)
def test_texts_names_and_endings(game: str) -> None:
    rules = rules_of(game)
    for seed in range(2):
        for board in walk(game, seed):
            again = rules.board(board.text())
            assert (again.text(), again.moves()) == (board.text(), board.moves())
            names = [rules.move_name(code) for code in board.moves()]
            assert [rules.move_code(name) for name in names] == board.moves()
            assert board.moves() == sorted(set(board.moves()))
            spelled = [board.spelled(code) for code in board.moves()]
            assert len(set(spelled)) == len(names)
            assert not board.push(0), "no move has the code 0"
        ending = board.ending()
        assert ending is not None and ending.reason in set(EndReason)
    for text in ("", "nonsense", f"{rules.start} and more words"):
        with pytest.raises(PositionError, match=r"^[^\n]+$"):
            rules.board(text)


@pytest.mark.native
@pytest.mark.parametrize("game", GAMES)
def test_both_backends_have_the_same_rules(core: Any, game: str) -> None:
    rules = rules_of(game)
    assert core.perft(rules.start, 3, game=game) == leaves(rules.board, rules.start, 3)
    searcher = NativeSearcher(core, parse_variant(with_game("pvs", game)))
    codes: set[int] = set()
    for seed in range(2):
        for board in walk(game, seed):
            searcher.set_position(board.text())
            codes.update(board.moves())
            legal = [code for code in sorted(codes) if searcher.is_legal(code)]
            assert legal == board.moves(), board.text()
            assert core.perft(board.text(), 1, game=game) == len(board.moves())


def leaves(read: Callable[[str], Board], text: str, depth: int) -> int:
    moves = read(text).moves()
    if depth == 1:
        return len(moves)
    total = 0
    for code in moves:
        board = read(text)
        assert board.push(code)
        total += leaves(read, board.text(), depth - 1)
    return total


@pytest.mark.native
@pytest.mark.parametrize("evaluation", ["pst", "full"])
@pytest.mark.parametrize("game", GAMES)
def test_both_backends_have_the_same_values(core: Any, game: str, evaluation: str) -> None:
    for number, text in enumerate(positions(game, 3)):
        grain = (1, 7)[number % 2]
        seat = seat_at(game, text, evaluation, grain)
        assert core.evaluate(text, evaluation, grain, game) == seat.game().static(), text
        value = quiesce(seat.game(), -INFINITY, INFINITY, Leaves())
        assert core.quiesce(text, evaluation, grain, game) == value, text
        if number % 5 == 0 and game != "chess":  # it has more tests of this
            value = minimax(seat.game(), 2)
            assert core.minimax(text, 2, evaluation, grain, True, 0, game) == value, text


@pytest.mark.parametrize("game", [game for game in GAMES if game != "chess"])
def test_every_driver_finds_the_value_of_minimax(make_player: MakePlayer, game: str) -> None:
    """Chess has more tests of this, in ``test_exactness_*``."""
    turns = itertools.cycle(SETTINGS)
    rules, proved = rules_of(game), 0
    for text in positions(game, 4)[::2][:6]:
        for setting, evaluation in zip(itertools.islice(turns, 4), EVALUATIONS, strict=True):
            player = make_player(f"{with_game(setting, game)},eval={evaluation}")
            player.set_position(text)
            result = player.search(SearchLimit(depth=DEPTH), exact=True)
            board = rules.board(text)
            legal = {rules.move_name(code) for code in board.moves()}
            told = [one for iteration in result.iterations for one in iteration.passes]
            assert {name for one in told for name in (one.move, one.best) if name} <= legal
            oracle = [plain(game, text, one, evaluation) for one in range(1, DEPTH + 1)]
            if DRIVERS[setting.partition(":")[0]].proves == "value":
                assert [one.value for one in result.iterations] == oracle, (setting, text)
                continue
            board = rules.board(text)
            assert board.push(rules.move_code(str(result.move)))
            value = from_child(plain(game, board.text(), DEPTH - 1, evaluation))
            assert result.value <= value == oracle[-1], (setting, text)
            proved += 1
    assert proved >= 2


@pytest.mark.native
@pytest.mark.parametrize("game", GAMES)
def test_core_plays_games_to_their_end(core: Any, game: str) -> None:
    white, black = (
        NativeSearcher(core, parse_variant(with_game(text, game))) for text in ("pvs", "mtdf")
    )
    rules = rules_of(game)
    contest = white.contest(black, rules.start, SearchLimit(nodes=60), lambda *_: None)
    board, ending = rules.board(rules.start), None
    for code in contest.searches.moves:
        assert ending is None
        assert board.push(code)
        ending = board.ending()
    assert ending is not None
    assert (contest.ended, contest.winner) == (ending.reason, ending.winner)


@pytest.mark.native
@pytest.mark.parametrize("game", [game for game in GAMES if game not in ("chess", "draughts")])
def test_selective_search_to_the_end_has_the_value_of_the_game(core: Any, game: str) -> None:
    """Where the game has a bound of its length; forced passes do not count."""
    late = []
    for seed in range(300):
        boards = ((board.text(), bool(board.moves())) for board in walk(game, seed))
        late += [text for text, goes_on in boards if goes_on and text.count("-") == 7]
        if len(late) >= 12:
            break
    assert len(late) > 5
    searcher = make_searcher(parse_variant(with_game("mtdf:tolerance=0", game)))
    for text in late:
        searcher.new_game()
        searcher.set_position(text)
        found = searcher.search(SearchLimit(depth=60)).value
        value = core.minimax(text, 14, "pst", 1, True, 0, game)
        # A mate that was proved ends the search, perhaps before the shortest one is found.
        assert found == value or (abs(value) > MATE_BOUND and found * value > 0), text
