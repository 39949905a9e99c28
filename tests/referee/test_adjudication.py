"""Games are adjudicated exactly where the rules for draws, resignations and length say."""

from __future__ import annotations

import pytest
from msgspec import convert, to_builtins

from engines.rules.catalog import rules_of
from toolkit.base.errors import UsageError
from toolkit.referee.adjudication import (
    Adjudication,
    Adjudicator,
    DrawRule,
    ResignRule,
    parse_draw_rule,
    parse_resign_rule,
)
from toolkit.referee.outcome import EndReason, GameOutcome

OFF = Adjudication(max_plies=None, draw=None, resign=None)


def ended_at(
    rules: Adjudication, values: list[int], white: bool = True
) -> tuple[int, GameOutcome] | None:
    """The first ply, from 1, with a verdict, and the verdict."""
    judge = Adjudicator(rules)
    for ply, value in enumerate(values, 1):
        verdict = judge.judge(white, value)
        if verdict is not None:
            return ply, verdict
        white = not white
    return None


def test_without_rules_nothing_is_adjudicated() -> None:
    assert ended_at(OFF, [0, 0, 3000, -3000] * 500) is None


@pytest.mark.parametrize("plies", [1, 2, 7])
def test_game_of_maximum_length_is_drawn(plies: int) -> None:
    rules = Adjudication(max_plies=plies, draw=None, resign=None)
    draw = GameOutcome("1/2-1/2", EndReason.MAX_LENGTH)
    assert ended_at(rules, [900] * 10) == (plies, draw)


def test_draw_needs_that_many_plies_in_a_row_within_the_bound() -> None:
    rules = Adjudication(max_plies=None, draw=DrawRule(plies=3, cp=10, from_move=0), resign=None)
    draw = GameOutcome("1/2-1/2", EndReason.DRAW_ADJUDICATION)
    assert ended_at(rules, [10, -10, 0]) == (3, draw)
    assert ended_at(rules, [0, 0, 11, 0, 0]) is None
    assert ended_at(rules, [0, 0, -11, 0, 0, 0]) == (6, draw)


def test_draw_waits_for_its_first_move() -> None:
    rules = Adjudication(max_plies=None, draw=DrawRule(plies=2, cp=0, from_move=5), resign=None)
    assert ended_at(rules, [0] * 20) == (10, GameOutcome("1/2-1/2", EndReason.DRAW_ADJUDICATION))


def test_first_move_of_the_draw_rule_is_a_number_of_the_game() -> None:
    rules = Adjudication(max_plies=None, draw=DrawRule(2, 0, 10), resign=None)
    cases = (("w", 1, 20), ("w", 5, 12), ("b", 5, 11), ("b", 10, 2))
    for side, number, ply in cases:
        board = rules_of("chess").board(f"7k/8/8/8/8/8/R7/K7 {side} - - 0 {number}")
        judge = Adjudicator(rules, board)
        ends = (one for one in range(1, 30) if judge.judge(bool(one % 2), 0) is not None)
        assert next(ends) == ply, (side, number)


@pytest.mark.parametrize("white", [True, False])
def test_both_sides_must_agree_that_one_is_lost(white: bool) -> None:
    rules = Adjudication(max_plies=None, draw=None, resign=ResignRule(4, 500, "both"))
    # The side that starts sees itself lost, the other one sees itself won.
    loss = GameOutcome("0-1" if white else "1-0", EndReason.RESIGN_ADJUDICATION)
    assert ended_at(rules, [-500, 500, -500, 500], white) == (4, loss)
    assert ended_at(rules, [-500, 499, -500, 500, -500, 500], white) == (6, loss)
    assert ended_at(rules, [-500, 100] * 50, white) is None
    # It may also be the winner whose ply completes the row.
    win = GameOutcome("1-0" if white else "0-1", EndReason.RESIGN_ADJUDICATION)
    assert ended_at(rules, [0, -500, 500, -500, 500], white) == (5, win)


def test_both_sides_winning_is_no_agreement() -> None:
    rules = Adjudication(max_plies=None, draw=None, resign=ResignRule(4, 500, "both"))
    assert ended_at(rules, [900] * 50) is None
    assert ended_at(rules, [-900] * 50) is None


def test_odd_number_of_plies_is_counted_from_the_last_one() -> None:
    rules = Adjudication(max_plies=None, draw=None, resign=ResignRule(3, 500, "both"))
    loss = GameOutcome("0-1", EndReason.RESIGN_ADJUDICATION)
    win = GameOutcome("1-0", EndReason.RESIGN_ADJUDICATION)
    assert ended_at(rules, [-500, 500, -500]) == (3, loss)
    assert ended_at(rules, [0, -500, 500, -500]) == (4, win)


@pytest.mark.parametrize("white", [True, False])
def test_one_side_alone_may_resign(white: bool) -> None:
    rules = Adjudication(max_plies=None, draw=None, resign=ResignRule(2, 500, "one"))
    loss = GameOutcome("0-1" if white else "1-0", EndReason.RESIGN_ADJUDICATION)
    assert ended_at(rules, [-500, 0, -500], white) == (3, loss)
    assert ended_at(rules, [-500, 0, -499, 0, -500], white) is None
    # Nobody resigns for the other.
    assert ended_at(rules, [900, 0] * 20, white) is None


def test_mate_counts_as_won() -> None:
    rules = Adjudication(max_plies=None, draw=None, resign=ResignRule(2, 500, "both"))
    assert ended_at(rules, [31_995, -31_995]) == (
        2,
        GameOutcome("1-0", EndReason.RESIGN_ADJUDICATION),
    )


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("off", None),
        ("8@8", DrawRule(8, 8, 40)),
        ("8@8cp", DrawRule(8, 8, 40)),
        ("10@5:0", DrawRule(10, 5, 0)),
    ],
)
def test_draw_rules_are_read(text: str, rule: DrawRule | None) -> None:
    assert parse_draw_rule(text) == rule
    if rule is not None:
        assert parse_draw_rule(str(rule)) == rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("off", None),
        ("4@600", ResignRule(4, 600, "both")),
        ("3@1000cp:one", ResignRule(3, 1000, "one")),
    ],
)
def test_resign_rules_are_read(text: str, rule: ResignRule | None) -> None:
    assert parse_resign_rule(text) == rule
    if rule is not None:
        assert parse_resign_rule(str(rule)) == rule


@pytest.mark.parametrize("text", ["", "8", "8@", "@8", "8@8:x", "8@-8", "0@8", "8@99999", "x@y"])
def test_bad_draw_rules_get_one_line(text: str) -> None:
    with pytest.raises(UsageError, match=r"\A[^\n]+\Z"):
        parse_draw_rule(text)


@pytest.mark.parametrize("text", ["", "4", "4@600:all", "4@0", "0@600", "4@600:7"])
def test_bad_resign_rules_get_one_line(text: str) -> None:
    with pytest.raises(UsageError, match=r"\A[^\n]+\Z"):
        parse_resign_rule(text)


@pytest.mark.parametrize("plies", [0, -1, 10**6])
def test_absurd_length_is_refused(plies: int) -> None:
    with pytest.raises(UsageError, match="maximum length"):
        Adjudication(max_plies=plies)


@pytest.mark.parametrize(
    "rules", [OFF, Adjudication(), Adjudication(resign=ResignRule(2, 9, "one"))]
)
def test_rules_survive_json(rules: Adjudication) -> None:
    assert convert(to_builtins(rules), Adjudication) == rules
