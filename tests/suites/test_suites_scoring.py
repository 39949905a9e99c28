"""Judging searches: conditions, points, and the solution that stayed."""

from __future__ import annotations

from engines.spec import MATE
from toolkit.suites.positions import Answer
from toolkit.suites.scoring import Score, Step, score


def steps(*moves: str, value: int = 10) -> list[Step]:
    """A report a depth, each with a hundred nodes and a millisecond more."""
    return [
        Step(depth, value, move, 100 * depth, 1000 * depth) for depth, move in enumerate(moves, 1)
    ]


def found_at(told: Score) -> int | None:
    return None if told.solution is None else told.solution.depth


def test_a_solution_counts_from_when_it_stayed() -> None:
    answer = Answer(best=("a1a2", "b1b2"))
    cases = {
        ("a1a2", "c1c2", "a1a2", "a1a2"): 3,  # dropped and found again
        ("a1a2", "b1b2", "a1a2"): 1,  # another solution is one, too
        ("c1c2", "c1c2", "b1b2"): 3,
        ("a1a2",): 1,
        ("a1a2", "a1a2", "c1c2"): None,  # dropped at the end
    }
    for moves, depth in cases.items():
        told = score(answer, steps(*moves))
        assert (found_at(told), told.solved) == (depth, depth is not None), moves
    solution = score(answer, steps("c1c2", "a1a2", "a1a2")).solution
    assert solution is not None and (solution.nodes, solution.wall_us) == (200, 2000)


def test_every_condition_must_hold() -> None:
    mated = MATE - 5  # in three moves
    cases = [
        (Answer(avoid=("a1a2",)), "b1b2", 0, True),
        (Answer(avoid=("a1a2",)), "a1a2", 0, False),
        (Answer(mate=3), "b1b2", mated, True),
        (Answer(mate=2), "b1b2", mated, False),
        (Answer(mate=3), "b1b2", -mated, False),
        (Answer(best=("a1a2",), mate=3), "b1b2", mated, False),
        (Answer(best=("a1a2",), mate=3), "a1a2", 500, False),
        (Answer(best=("a1a2",), mate=3), "a1a2", mated, True),
        (Answer(points={"a1a2": 10, "b1b2": 4}), "a1a2", 0, True),
        (Answer(points={"a1a2": 10, "b1b2": 4}), "b1b2", 0, False),
        (Answer(best=("b1b2",), points={"a1a2": 10}), "b1b2", 0, True),
    ]
    for answer, move, value, solved in cases:
        assert score(answer, steps(move, value=value)).solved is solved, (answer, move, value)
    assert not score(Answer(mate=3), [Step(1, None, "a1a2", 1, 1)]).solved


def test_points_are_those_of_the_last_move() -> None:
    answer = Answer(points={"a1a2": 10, "b1b2": 4})
    for moves, points in (("a1a2", "b1b2"), 4), (("b1b2", "a1a2"), 10), (("a1a2", "c1c2"), 0):
        assert score(answer, steps(*moves)).points == points, moves
    assert score(Answer(best=("a1a2",)), steps("a1a2")).points is None
