"""Games of a file are paired by round, opening, event and players with colours reversed."""

from __future__ import annotations

from db.records.games import ImportedGame
from toolkit.imports.game import ReadGame
from toolkit.imports.pairing import PairFinder
from toolkit.imports.scan import Unread

OPEN = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


def game(players: str, round_tag: str = "", opening: str = "", event: str = "") -> ReadGame:
    """A game of two players of one letter each; ``players`` is kept as its end reason."""
    stored = ImportedGame(*players, 1, players, 0, None, b"", None, None, b"")
    return ReadGame(stored, event, round_tag, opening, Unread())


def find(*games: ReadGame, window: int = 100) -> list[str]:
    """The units as texts, in the order in which they come."""
    finder = PairFinder(window)
    units = [unit for one in games for unit in finder.add(one)]
    units += finder.rest()
    return [" ".join(part.end_reason for part in unit) for unit in units]


def test_one_round_number_for_both_games() -> None:
    assert find(game("AB", "1"), game("BA", "1"), game("AB", "2")) == ["AB BA", "AB"]


def test_games_of_a_round_in_any_order_and_apart() -> None:
    mixed = [game("AB", "1.1"), game("CD", "2.2"), game("DC", "2.1"), game("BA", "1.2")]
    assert find(*mixed) == ["DC CD", "AB BA"]
    assert find(game("AB", "1.2"), game("BA", "1.3")) == ["AB", "BA"]
    assert find(game("AB", "1.7.1"), game("BA", "1.7.2")) == ["AB BA"]


def test_rounds_that_follow_each_other_need_an_opening() -> None:
    assert find(game("AB", "1", OPEN), game("BA", "2", OPEN)) == ["AB BA"]
    assert find(game("AB", "1"), game("BA", "2")) == ["AB", "BA"]
    assert find(game("AB", "1", OPEN), game("BA", "3", OPEN)) == ["AB", "BA"]
    assert find(game("AB", "-", OPEN), game("BA", "-", OPEN)) == ["AB BA"]


def test_without_rounds_and_openings_there_are_no_pairs() -> None:
    assert find(game("AB"), game("BA")) == ["AB", "BA"]


def test_partners_have_the_same_players_colours_reversed_opening_and_event() -> None:
    for other in (
        game("AB", "1"),
        game("CA", "1"),
        game("BA", "1", OPEN),
        game("BA", "1", event="other"),
    ):
        assert len(find(game("AB", "1"), other)) == 2


def test_game_has_one_partner() -> None:
    assert find(*[game("AB", "1")] * 2, *[game("BA", "1")] * 3) == ["AB BA", "AB BA", "BA"]


def test_oldest_game_stops_waiting() -> None:
    games = [game("AB", "1"), game("AB", "2"), game("AB", "3"), game("BA", "1"), game("BA", "3")]
    assert find(*games, window=2) == ["AB", "AB", "AB BA", "BA"]


def test_long_games_do_not_wait_in_great_numbers() -> None:
    finder = PairFinder(window_bytes=50)
    some = [game("AB", str(number), event="x" * 20) for number in range(4)]
    assert [len(list(finder.add(one))) for one in some] == [0, 0, 1, 1]
    assert len(list(finder.rest())) == 2
