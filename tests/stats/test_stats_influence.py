"""The order of neighbours changes exactly where the list says so: every set of pairs of tiny lists,
and planted openings, engines and events."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from toolkit.stats.influence import (
    FRAGILE_BELOW,
    PLAYER_KIND,
    GameGroups,
    OrderInfluence,
    order_influence,
)
from toolkit.stats.ratings import (
    EncounterCounts,
    PairedCounts,
    RatingOptions,
    Ratings,
    rate_table,
)
from toolkit.stats.tables import GameTable, tabulate

Unit = tuple[str, str, int, int | None]
"""First and second player, result of the first game with the first as White, and of the second
game with the second as White; None: no second game. 0 White won, 1 draw, 2 Black won."""
Results = list[Unit]


def table_of(units: Results) -> GameTable:
    games: Counter[tuple[str, str, int]] = Counter()
    joint: dict[tuple[str, str], list[int]] = {}
    for first, second, one, two in units:
        games[first, second, one] += 1
        if two is not None:
            games[second, first, two] += 1
            joint.setdefault((first, second), [0] * 9)[3 * one + two] += 1
    encounters = {(white, black) for white, black, _ in games}
    return tabulate(
        [EncounterCounts(w, b, *(games[w, b, k] for k in range(3))) for w, b in encounters],
        [PairedCounts(*players, counts) for players, counts in joint.items()],
    )


def ahead(ratings: Ratings, one: str, two: str) -> float:
    """Elo of ``one`` minus that of ``two`` as the lines of a list say; NaN if they do not."""
    for pool in ratings.pools:
        lines = {line.player: line for line in pool.players}
        if one in lines and two in lines:
            height = [
                {"at least": math.inf, "at most": -math.inf}.get(lines[p].bound or "", lines[p].elo)
                for p in (one, two)
            ]
            return (
                math.nan
                if height[0] == height[1] and math.isinf(height[0])
                else (height[0] - height[1])
            )
    return math.nan


def fewest_by_trying_all(units: Results, one: str, two: str, options: RatingOptions) -> int | None:
    for number in range(1, len(units) + 1):
        tried = set()
        for gone in itertools.combinations(range(len(units)), number):
            left = [unit for at, unit in enumerate(units) if at not in gone]
            if (key := tuple(sorted(left, key=str))) in tried or not left:
                continue
            tried.add(key)
            if ahead(rate_table(table_of(left), options), one, two) < -1e-6:
                return number
    return None


def lines_of(
    units: Results, options: RatingOptions | None = None, groups: tuple[GameGroups, ...] = ()
) -> list[OrderInfluence]:
    table, options = table_of(units), options or RatingOptions()
    return order_influence(table, options, rate_table(table, options), groups)


def random_units(seed: int, players: str, number: int, single: float = 0.0) -> Results:
    random = np.random.default_rng(seed)
    units: Results = []
    for _ in range(number):
        one, two = random.choice(list(players), 2, replace=False)
        results = random.choice(3, 2, p=(0.45, 0.25, 0.3))
        second = None if random.random() < single else int(results[1])
        units.append((str(one), str(two), int(results[0]), second))
    return units


def test_two_players_get_the_smallest_number_of_pairs():
    seen = set()
    for seed in range(3):
        units = random_units(seed, "ab", 6)
        for line in lines_of(units):
            expected = fewest_by_trying_all(units, line.player, line.other, RatingOptions())
            assert line.elo <= 1e-6 or line.pairs == expected, (seed, line)
            assert line.own_pairs == 6
            seen.add(expected)
    assert {1, 2} <= seen


def test_number_of_pairs_is_a_bound_that_is_nearly_always_reached():
    reached = beyond = 0
    for seed, options in itertools.product(range(3), (RatingOptions(), RatingOptions(prior=200.0))):
        units = random_units(seed, "abc", 5, single=0.3)
        for line in lines_of(units, options):
            if line.elo > 1e-6 and line.pairs is not None:
                expected = fewest_by_trying_all(units, line.player, line.other, options)
                assert expected is not None and line.pairs >= expected, (seed, options, line)
                reached, beyond = reached + (line.pairs == expected), beyond + 1
    assert beyond >= 6 and reached >= 0.8 * beyond


def two_players(pairs: int, won: int, lost: int) -> Results:
    level = pairs - won - lost
    return [("a", "b", 0, 2)] * won + [("a", "b", 2, 0)] * lost + [("a", "b", 1, 1)] * level


def test_order_is_fragile_below_one_percent_of_the_pairs():
    assert FRAGILE_BELOW == 0.01
    (at_threshold,), (below) = lines_of(two_players(300, 3, 1)), lines_of(two_players(301, 3, 1))
    assert (at_threshold.pairs, at_threshold.fragile) == (3, False)
    assert [(line.pairs, line.fragile) for line in below] == [(3, True)]


def test_no_set_of_pairs_puts_a_player_first_who_won_none():
    units = [("a", "b", 0, 2)] + [("a", "b", 1, 1)] * 9
    (line,) = lines_of(units)
    assert (line.pairs, line.share, line.fragile) == (None, None, False)


def test_level_players_need_no_pair():
    (line,) = lines_of(two_players(10, 2, 2))
    assert (line.pairs, line.changing) == (0, ())


def test_given_ratings_stay():
    options = RatingOptions(anchors={"a": 10.0, "b": 0.0})
    first = lines_of(two_players(10, 3, 1), options)[0]
    assert (first.pairs, first.changing) == (None, ())


def group(kind: str, units: Results, part_of: list[int], names: list[str]) -> GameGroups:
    """Both games of each unit in a part of that kind."""
    players = table_of(units).players
    rows = []
    for part, (first, second, one, two) in zip(part_of, units, strict=True):
        rows.append((part, players.index(first), players.index(second), one))
        if two is not None:
            rows.append((part, players.index(second), players.index(first), two))
    return GameGroups(kind, names, *np.array(rows, dtype=np.intp).T)


def test_the_opening_that_decides_is_found_among_many():
    # Opening 77 gives "a" its whole lead; all others are level but for one pair of "b".
    units = [("a", "b", 1, 1)] * 149 + [("b", "a", 0, 2)] + [("a", "b", 0, 2)] * 2
    part_of = [*range(150), 77, 77]
    openings = group("opening", units, part_of, [f"line {at}" for at in range(150)])
    (line,) = lines_of(units, groups=(openings,))
    assert [(one.kind, one.name) for one in line.changing] == [("opening", "line 77")]
    assert line.changing[0].elo < 0


def test_event_and_engine_that_decide_are_those_without_which_the_list_changes():
    units = random_units(3, "abcd", 60)
    part_of = [at % 4 for at in range(60)]
    names = [f"event {at}" for at in range(4)]
    found = 0
    for line in lines_of(units, groups=(group("event", units, part_of, names),)):
        left = {
            (kind, name): ahead(rate_table(table_of(rest)), line.player, line.other)
            for kind, name, rest in (
                *(
                    (
                        "event",
                        name,
                        [u for u, part in zip(units, part_of, strict=True) if part != at],
                    )
                    for at, name in enumerate(names)
                ),
                *(
                    (PLAYER_KIND, player, [u for u in units if player not in u[:2]])
                    for player in "abcd"
                    if player not in (line.player, line.other)
                ),
            )
        }
        for kind in ("event", PLAYER_KIND):
            strongest = min((elo, key) for key, elo in left.items() if key[0] == kind)
            changing = [one for one in line.changing if one.kind == kind]
            assert bool(changing) == (strongest[0] < 0), (line, left)
            for one in changing:
                assert (one.kind, one.name) == strongest[1]
                assert one.elo == pytest.approx(strongest[0], abs=1e-6)
                found += 1
    assert found


def test_an_engine_that_alone_connects_two_others_separates_them():
    units = [("a", "hub", 2, 1), ("a", "hub", 1, 0), ("b", "hub", 2, 1), ("b", "hub", 2, 0)]
    lines = lines_of(units)
    between = next(line for line in lines if {line.player, line.other} == {"a", "b"})
    assert [(one.kind, one.name) for one in between.separating] == [(PLAYER_KIND, "hub")]
    assert all(math.isnan(one.elo) for one in between.separating)


def test_players_with_only_a_bound_are_no_neighbours():
    units = [*random_units(1, "abc", 12), ("a", "winner", 2, 0), ("b", "winner", 2, 0)]
    assert "winner" not in {name for line in lines_of(units) for name in (line.player, line.other)}
