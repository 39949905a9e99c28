"""Switches of the tree change the counts of exact searches as documented, on both backends.

A switch that is read wrongly, or begins a ply too early or too late, changes no exact value. What
it must not touch and what it must are told apart by the depths left: below the root of an
iteration of depth d no node has more than d - 1 plies left.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import chess
import pytest
from exact_values import exact_value

from engines.reference import ReferenceSearcher
from engines.reference.games.chess import perft
from engines.reference.search.nodes import Tree
from engines.registry import DRIVERS
from engines.spec import Iteration, Searcher, SearchLimit
from engines.variant import parse_variant

MakePlayer = Callable[[str], Searcher]

ENDINGS = [
    "8/2k5/8/p2K4/P4p2/5P2/2P5/8 b - - 0 1",
    "8/5k2/3b4/8/3N1p2/5P2/4K3/8 w - - 0 1",
    "1k6/8/8/p3p3/P3P3/1K6/5P2/8 b - - 0 1",
]
PAWNS = [
    "8/2k5/8/p2K4/P4p2/5P2/2P5/8 b - - 0 1",
    "8/8/8/p7/P5K1/8/7k/8 w - - 0 1",
    "8/1K6/3p4/3P4/3k4/8/8/8 w - - 0 1",
    "8/8/3k3K/8/2pP4/2P5/8/8 w - - 0 1",
]
MIDDLES = [
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8",
    "r2q1rk1/pp2bppp/2n1pn2/3p4/3P1Bb1/2PBPN2/PP1N1PPP/R2Q1RK1 b - - 4 10",
    "8/1p3pk1/p2r2p1/3P3p/P1R2P1P/1P4P1/5K2/8 b - - 0 36",
]
INTERNAL_DEPTH = 4
"""Internal deepening begins at this depth; so says the registry."""

Counts = tuple[int, int, int, int, int]


def iterations(player: Searcher, fen: str, depth: int) -> Sequence[Iteration]:
    """Those of an exact search."""
    player.set_position(fen)
    return player.search(SearchLimit(depth=depth), exact=True).iterations


def counts(make_player: MakePlayer, text: str, fen: str, depth: int) -> list[Counts]:
    """What the iterations counted."""
    return [
        (one.interior, one.leaves, one.quiescence, one.probes, one.hits)
        for one in iterations(make_player(text), fen, depth)
    ]


@pytest.mark.parametrize("driver", ["mtdf", "alphabeta", "pvs"])
def test_internal_deepening_begins_where_the_registry_says(
    make_player: MakePlayer, driver: str
) -> None:
    """A table of one entry leaves nodes of every depth without a move."""
    for fen in PAWNS[1:2]:
        off, on = (
            counts(make_player, f"{driver}:eval=pst,entries=1,{iid}", fen, INTERNAL_DEPTH + 1)
            for iid in ("iid=off", "iid=on")
        )
        assert on[:INTERNAL_DEPTH] == off[:INTERNAL_DEPTH], fen
        assert on[INTERNAL_DEPTH] != off[INTERNAL_DEPTH], fen


def test_internal_deepening_is_two_plies_shallower_and_needs_a_missing_move() -> None:
    """In the reference, whose every node calls the one function of its tree."""
    searched: list[tuple[int, int]] = []
    inner: list[tuple[int, int]] = []

    class Witness(Tree[Any]):
        """Notes depth and ply of what a node searches at its own place."""

        def alpha_beta(
            self, depth: int, alpha: int, beta: int, ply: int
        ) -> tuple[int, list[chess.Move]]:
            if searched and searched[-1][1] == ply:
                entry = self.table.probe(self.game.key(), searched[-1][0]) if self.table else None
                assert entry is None or entry.move is None
                inner.append((searched[-1][0], depth))
            searched.append((depth, ply))
            try:
                return super().alpha_beta(depth, alpha, beta, ply)
            finally:
                searched.pop()

    player = ReferenceSearcher(parse_variant("mtdf:eval=pst,iid=on,entries=4"), Witness)
    iterations(player, ENDINGS[0], 6)
    assert {depth for depth, _ in inner} == {4, 5}
    assert all(shallower == depth - 2 for depth, shallower in inner)


@pytest.mark.parametrize("driver", ["mtdf", "alphabeta", "pvs"])
@pytest.mark.parametrize("least", [1, 2, 3, 4])
def test_children_cut_from_the_given_depth(
    make_player: MakePlayer, driver: str, least: int
) -> None:
    """A node that may be cut looks up its children, whether or not one of them cuts it."""
    for fen in PAWNS[1:2]:
        never, cut = (
            counts(make_player, f"{driver}:eval=pst,etc={etc}", fen, least + 1)
            for etc in (0, least)
        )
        assert cut[:least] == never[:least], fen
        assert cut[least][3] > never[least][3], fen


@pytest.mark.parametrize("etc", [1, 2])
def test_children_cut_with_bounds_of_their_own_depth(make_player: MakePlayer, etc: int) -> None:
    """In the fifth iteration moves transpose, and bounds of the fourth lie about."""
    cut = 0
    for fen in PAWNS[1:2]:
        oracle = [exact_value(fen, depth) for depth in (1, 2, 3, 4, 5)]
        for driver in ("mtdf", "sss"):
            plain, found = (
                iterations(make_player(f"{driver}:eval=pst,etc={least}"), fen, 5)
                for least in (0, etc)
            )
            assert [one.value for one in found] == oracle, (driver, fen)
            cut += found[4].nodes != plain[4].nodes
    assert cut > 0


@pytest.mark.parametrize("etc", ["0", "1", "3", "1,etc_rule=settle", "2,etc_rule=settle"])
@pytest.mark.parametrize("driver", ["mtdf", "alphabeta", "pvs", "bns"])
def test_node_is_cut_by_the_table_or_expanded(
    make_player: MakePlayer, driver: str, etc: str
) -> None:
    """In endings where nothing ends within the depth, so that every node has moves."""
    player = make_player(f"{driver}:eval=pst,etc={etc}")
    cut = 0
    for fen in PAWNS[1:2]:
        player.set_position(fen)
        result = player.search(SearchLimit(depth=5), exact=True, expansions=True)
        for one in result.iterations:
            expanded = sum(each.expanded or 0 for each in one.passes)
            assert one.interior == expanded + one.cutoffs, (fen, one.depth)
            assert one.cutoffs <= one.hits <= one.probes
            cut += one.cutoffs
    assert cut > 0


@pytest.mark.parametrize("driver", ["mtdf", "pvs:window=0", "dual"])
def test_bounds_of_all_children_settle_nodes(make_player: MakePlayer, driver: str) -> None:
    """What a child's own bounds settle is not visited, so there are fewer nodes of every kind; the
    values are those of minimax."""
    text = f"{driver}{',' if ':' in driver else ':'}eval=pst"
    nodes = [0, 0]
    for fen in PAWNS[1:3]:
        oracle = [exact_value(fen, depth) for depth in (1, 2, 3, 4)]
        for place, rule in enumerate(("cut", "settle")):
            player = make_player(f"{text},etc=1,etc_rule={rule},leaf_bounds=on")
            found = iterations(player, fen, 4)
            assert [one.value for one in found] == oracle, (rule, fen)
            nodes[place] += sum(one.nodes for one in found)
    assert nodes[1] < 0.9 * nodes[0]


def test_bounds_of_leaves_save_quiescence_only(make_player: MakePlayer) -> None:
    """Alpha-beta sees the same interior nodes and leaves; where moves transpose it need not search
    the captures again."""
    saved = 0
    for fen in ENDINGS[::2]:
        without, kept = (
            iterations(make_player(f"alphabeta:eval=pst,leaf_bounds={switch}"), fen, 3)
            for switch in ("off", "on")
        )
        for one, two in zip(without, kept, strict=True):
            assert (one.value, one.interior, one.leaves) == (two.value, two.interior, two.leaves)
            assert one.quiescence >= two.quiescence
            saved += one.quiescence - two.quiescence
    assert saved > 0


def test_best_move_after_failing_low_replaces_the_table_move(make_player: MakePlayer) -> None:
    changed = 0
    for fen in ENDINGS[::2]:
        old, best = (
            iterations(make_player(f"mtdf:eval=pst,low_move={rule}"), fen, 4)
            for rule in ("old", "best")
        )
        assert [one.value for one in old] == [one.value for one in best]
        changed += [one.nodes for one in old] != [one.nodes for one in best]
    assert changed > 0


@pytest.mark.parametrize("driver", ["mtdf", "pvs", "bns"])
def test_depth_step_skips_iterations(make_player: MakePlayer, driver: str) -> None:
    """All that are left have the values of a search of every depth, and parity guesses the value of
    the iteration before."""
    guess = "" if driver == "pvs" else "guess=parity,"
    for fen in PAWNS[1:2]:
        every = {
            one.depth: one.value for one in iterations(make_player(f"{driver}:eval=pst"), fen, 5)
        }
        for step, depths in ((2, [1, 3, 5]), (3, [1, 2, 5]), (4, [1, 5])):
            found = iterations(make_player(f"{driver}:eval=pst,{guess}depth_step={step}"), fen, 5)
            assert [one.depth for one in found] == depths
            if driver != "bns":
                assert [one.value for one in found] == [every[depth] for depth in depths]
            if driver == "mtdf" and step == 2:
                assert [one.first_guess for one in found[1:]] == [one.value for one in found[:-1]]


def full_tree(fen: str, depth: int) -> tuple[int, int]:
    """Nodes of the full tree with plies left, and those without."""
    board = chess.Board(fen)
    return sum(perft(board, ply) for ply in range(depth)), perft(board, depth)


def test_minimax_counts_every_node_of_the_tree(make_player: MakePlayer) -> None:
    player = make_player("minimax:eval=pst,quiescence=off")
    for fen, depth in [(PAWNS[1], 4), (ENDINGS[1], 3), (MIDDLES[0], 2)]:
        for one in iterations(player, fen, depth):
            assert (one.interior, one.leaves) == full_tree(fen, one.depth), fen
            assert one.nodes == sum(each.nodes for each in one.passes) == one.interior + one.leaves


@pytest.mark.parametrize("driver", [name for name in DRIVERS if name != "minimax"])
def test_pass_of_depth_1_counts_the_root_and_its_leaves(
    make_player: MakePlayer, driver: str
) -> None:
    """A pass that does not fail high sees every move, and a pass over one move sees that one."""
    player = make_player(f"{driver}:eval=pst,quiescence=off,hash=0")
    for fen in MIDDLES:
        (one,) = iterations(player, fen, 1)
        moves = full_tree(fen, 1)[1]
        assert one.interior == len(one.passes)
        for each in one.passes:
            if each.move is not None:
                assert each.nodes == 2
            elif each.fails_high:
                assert 2 <= each.nodes <= 1 + moves
            else:
                # Scouts of moves that raise alpha are repeated by PVS.
                assert each.nodes >= 1 + moves
                assert each.nodes == 1 + moves or driver in ("pvs", "hybrid")
        assert one.leaves == sum(each.nodes for each in one.passes) - one.interior


def test_negascout_repeats_no_search_of_two_plies(
    make_player: MakePlayer, endgame_fens: list[str]
) -> None:
    """Without quiescence what a scout found there is exact, so at depth 2 every root move is
    searched once; PVS searches those again that raise alpha."""
    again = 0
    for table, fen in itertools.product(("hash=0", "hash=1"), endgame_fens[::10]):
        exempt, scouted = (
            iterations(make_player(f"{driver},eval=pst,quiescence=off,{table}"), fen, 2)
            for driver in ("negascout:grain=1", "pvs:window=0")
        )
        assert [one.interior for one in exempt] == [1, 1 + full_tree(fen, 1)[1]], fen
        again += scouted[1].interior > exempt[1].interior
    assert again > 0


def test_negascout_repeats_scouts_of_three_plies(
    make_player: MakePlayer, endgame_fens: list[str]
) -> None:
    """There a scout found a bound. Taken for the value it makes the root's value wrong."""
    for fen in endgame_fens[8:32:12]:
        oracle = [exact_value(fen, depth, quiescence=False) for depth in (1, 2, 3)]
        for table in ("hash=0", "hash=1"):
            player = make_player(f"negascout:eval=pst,quiescence=off,{table}")
            assert [one.value for one in iterations(player, fen, 3)] == oracle, (fen, table)
