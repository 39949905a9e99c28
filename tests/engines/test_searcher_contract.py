"""Every built-in player keeps the contract of ``Searcher``, on both backends."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

import chess
import pytest

from engines.errors import EngineFailure, PositionError
from engines.moves import decode_move, encode_move
from engines.native import NativeSearcher
from engines.reference import ReferenceSearcher
from engines.registry import DRIVERS as DRIVER_SPECS
from engines.spec import MATE, Iteration, Searcher, SearchLimit, SearchResult
from engines.variant import parse_variant

MakePlayer = Callable[[str], Searcher]

DRIVERS = ["alphabeta", "pvs", "mtdf"]
TO_THE_END = {
    "alphabeta": "grain=1",
    "pvs": "best_move_stop=off",
    "mtdf": "below=0,tolerance=0,adopt=proven,best_move_stop=off",
}
"""Every iteration begins at its guess and ends with its value, and unfinished ones adopt what is
proven."""
SMALL = "entries=2^12,eval=pst"
MIDDLE = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8"
MATE_IN_1 = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
MATE_IN_2 = "7k/8/5K2/8/8/8/8/6R1 w - - 0 1"
MATED = "R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"


def game_moves(text: str) -> list[int]:
    return [encode_move(move) for move in text.split()]


def step_for(player: Searcher) -> int:
    """The reference, which is slow, searches every eighth position."""
    return 2 if isinstance(player, NativeSearcher) else 8


def check_result(fen: str, result: SearchResult) -> None:
    """Sums and variations that must hold for any search that found a move."""
    board = chess.Board(fen)
    assert result.nodes == sum(one.nodes for one in result.iterations)
    assert result.passes == sum(len(one.passes) for one in result.iterations)
    finished = [one for one in result.iterations if one.finished]
    assert [one.depth for one in finished] == list(range(1, len(finished) + 1))
    assert result.depth == finished[-1].depth
    assert result.move == result.iterations[-1].move
    assert result.iterations[-1].finished == (not result.stopped) or result.stopped
    for one in result.iterations:
        assert one.pv[0] == one.move
        assert one.hits <= one.probes
        assert one.cutoffs <= one.hits
        line = board.copy()
        for move in one.pv:
            line.push_uci(move)  # raises for an illegal move
    for one in finished:
        assert sum(each.nodes for each in one.passes) == one.nodes
        assert one.value == one.passes[-1].value


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("driver", DRIVERS)
def test_results_add_up(make_player: MakePlayer, driver: str, exact: bool) -> None:
    player = make_player(f"{driver}:{SMALL},{TO_THE_END[driver]}")
    player.set_position(MIDDLE)
    depth = 3 if isinstance(player, NativeSearcher) else 2
    result = player.search(SearchLimit(depth=depth), exact=exact)
    assert result.depth == depth
    assert not result.stopped
    assert result.overrun == 0
    check_result(MIDDLE, result)
    for iteration in result.iterations:
        assert (iteration.first_guess is None) == (driver != "mtdf")
        if driver == "mtdf":
            assert all(one.beta == one.alpha + 1 for one in iteration.passes)
            assert iteration.passes[0].beta == iteration.first_guess
            assert all(one.fails_high or one.fails_low for one in iteration.passes)
        else:
            assert not iteration.passes[-1].fails_high
            assert not iteration.passes[-1].fails_low


@pytest.mark.parametrize("below", [0, 6])
def test_aspiration_starts_around_the_last_value(make_player: MakePlayer, below: int) -> None:
    player = make_player(f"pvs:{SMALL},window=1,below={below}")
    player.set_position(MIDDLE)
    first, second, *_ = player.search(SearchLimit(depth=2), exact=True).iterations
    assert len(first.passes) == 1
    assert abs(second.value - first.value) > 1
    passes = second.passes
    middle = first.value - below
    assert (passes[0].alpha, passes[0].beta) == (middle - 1, middle + 1)
    assert passes[0].fails_low or passes[0].fails_high
    for one, after in zip(passes, passes[1:], strict=False):
        assert after.alpha < one.alpha if one.fails_low else after.beta > one.beta
    assert passes[-1].alpha < passes[-1].value < passes[-1].beta


@pytest.mark.parametrize("driver", DRIVERS)
def test_mates_are_counted_from_the_root(make_player: MakePlayer, driver: str) -> None:
    player = make_player(f"{driver}:{SMALL}")
    for fen, plies in ((MATE_IN_1, 1), (MATE_IN_2, 3)):
        for exact in (True, False):
            player.new_game()
            player.set_position(fen)
            # Reductions may hide a mate for an iteration.
            result = player.search(SearchLimit(depth=4 if exact else 5), exact=exact)
            assert result.value == MATE - plies
            board = chess.Board(fen)
            for move in result.iterations[-1].pv[:plies]:
                board.push_uci(move)
            assert board.is_checkmate()


def test_finished_game_has_no_move(make_player: MakePlayer) -> None:
    player = make_player(f"pvs:{SMALL}")
    for fen, value in ((MATED, -MATE), (STALEMATE, 0)):
        player.set_position(fen)
        result = player.search(SearchLimit(depth=3))
        assert (result.move, result.value, result.depth, result.iterations) == (None, value, 0, ())
        with pytest.raises(EngineFailure, match="no legal move"):
            player.go(SearchLimit(nodes=100))


def test_mtdf_can_adopt_the_move_of_any_pass_that_failed_high(
    make_player: MakePlayer, book_fens: list[str]
) -> None:
    below = 0
    player = make_player(f"mtdf:{SMALL},adopt=all,below=0,tolerance=0,convergence=step,step=20")
    for fen, nodes in itertools.product(book_fens[: 24 : step_for(player)], range(300, 1_000, 200)):
        player.new_game()
        player.set_position(fen)
        result = player.search(SearchLimit(nodes=nodes))
        *finished, last = result.iterations
        high = [one for one in last.passes if one.fails_high]
        if last.finished or not high:
            continue
        assert (result.move, result.value) == (high[-1].best, high[-1].value)
        below += high[-1].beta < finished[-1].value
    assert below > 0


@pytest.mark.parametrize("driver", DRIVERS)
def test_unfinished_iteration_changes_the_move_only_with_a_proof(
    make_player: MakePlayer, book_fens: list[str], driver: str
) -> None:
    adopted = kept = 0
    player = make_player(f"{driver}:{SMALL},{TO_THE_END[driver]}")
    for place, nodes in itertools.product(range(0, 24, step_for(player)), range(300, 1_000, 200)):
        player.new_game()
        player.set_position(book_fens[place])
        result = player.search(SearchLimit(nodes=nodes))
        *finished, last = result.iterations
        if last.finished:
            continue
        before = finished[-1]
        assert (result.move, result.value, result.depth) == (last.move, last.value, before.depth)
        if (last.move, last.value) == (before.move, before.value):
            kept += 1
            continue
        adopted += 1
        if driver == "mtdf":
            proofs = [one for one in last.passes if one.fails_high]
            assert proofs[-1].value == last.value
            assert proofs[-1].beta >= before.value
        else:
            assert last.move != before.move
    assert adopted > 0
    assert kept > 0


def test_null_windows_prove_a_move_at_or_above_the_last_value(
    make_player: MakePlayer, book_fens: list[str]
) -> None:
    """The last of them that failed high is what an unfinished iteration is worth, if one did."""
    at_the_value = above = below = none = 0
    players = [
        make_player(f"mtdf:{SMALL},convergence=plaat,guess={guess},{TO_THE_END['mtdf']}")
        for guess in ("previous", "offset,offset_odd=-60,offset_even=-60")
    ]
    fens = book_fens[: 24 : step_for(players[0])]
    searches = itertools.product(players, fens, range(300, 1_000, 200))
    for player, fen, nodes in searches:
        player.new_game()
        player.set_position(fen)
        *finished, last = player.search(SearchLimit(nodes=nodes)).iterations
        if last.finished:
            continue
        before = finished[-1]
        high = [one for one in last.passes if one.fails_high]
        proofs = [one for one in high if one.beta >= before.value]
        below += len(high) > len(proofs)
        if proofs:
            assert (last.value, last.move) == (proofs[-1].value, proofs[-1].best), (fen, nodes)
            at_the_value += proofs[-1].beta == before.value
            above += proofs[-1].beta > before.value
        else:
            assert (last.value, last.move) == (before.value, before.move), (fen, nodes)
            none += 1
    assert min(at_the_value, above, below, none) > 0


def test_go_and_search_choose_the_same_moves(make_player: MakePlayer) -> None:
    for text in (f"pvs:{SMALL}", f"mtdf:{SMALL},guess=average"):
        one, other = make_player(text), make_player(text)
        board = chess.Board(MIDDLE)
        one.set_position(MIDDLE)
        other.set_position(MIDDLE)
        for _ in range(3):
            report, result = one.go(SearchLimit(nodes=300)), other.search(SearchLimit(nodes=300))
            assert decode_move(report.move) == result.move
            assert (report.value, report.depth) == (result.value, result.depth)
            assert (report.nodes, report.passes) == (result.nodes, result.passes)
            board.push_uci(decode_move(report.move))
            one.push(report.move)
            other.push(report.move)


def test_new_game_clears_the_table(make_player: MakePlayer) -> None:
    player = make_player(f"mtdf:{SMALL}")
    player.set_position(MIDDLE)
    first = player.go(SearchLimit(depth=3))
    warm = player.go(SearchLimit(depth=3))
    assert warm.nodes < first.nodes
    player.new_game()
    again = player.go(SearchLimit(depth=3))
    assert (again.move, again.value, again.nodes) == (first.move, first.value, first.nodes)


def test_pushed_moves_equal_a_position_with_moves(make_player: MakePlayer) -> None:
    moves = game_moves("e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1")
    pushed, put = make_player(f"pvs:{SMALL}"), make_player(f"pvs:{SMALL}")
    pushed.set_position(chess.STARTING_FEN)
    for move in moves:
        pushed.push(move)
    put.set_position(chess.STARTING_FEN, moves)
    limit = SearchLimit(depth=3)
    one, other = pushed.go(limit), put.go(limit)
    assert (one.move, one.value, one.nodes) == (other.move, other.value, other.nodes)


ILLEGAL = [
    "",
    "hello",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w kq - 0 1",
    "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1",
    "P3k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K2 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w",
    "4k3/8/8/8/8/8/8/4K3 w - - 0",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1 1",
    "4k3/8/8/8/8/8/8/4K3 w - - -1 1",
    "4k3/8/8/8/8/8/8/4K3 w - e3 0 1",
    "4k3/8/8/8/8/8/8/4K3 w KQ - 0 1",
    "4k3/8/8/8/8/8/8/R3K2R w HA - 0 1",
    "4kk2/8/8/8/8/8/8/4K3 w - - 0 1",
]


def test_illegal_position_is_refused_and_nothing_changes(make_player: MakePlayer) -> None:
    player = make_player(f"pvs:{SMALL}")
    player.set_position(MATE_IN_1)
    for fen in ILLEGAL:
        with pytest.raises(PositionError) as caught:
            player.set_position(fen)
        assert str(caught.value).startswith(f"`{fen}` is not a legal chess position: ")
        assert len(str(caught.value).splitlines()) == 1
        assert decode_move(player.go(SearchLimit(depth=2)).move) == "a1a8", fen


def test_unusual_legal_positions_are_accepted(make_player: MakePlayer) -> None:
    player = make_player(f"pvs:{SMALL}")
    for fen in (
        "4k3/8/8/8/8/8/8/4K2R w K -",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 150 1",
        "8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1",
        "4k3/8/8/8/8/8/8/RR2K2R w QK - 0 0",
    ):
        player.set_position(fen)
        assert player.search(SearchLimit(depth=2), exact=True).depth == 2


def test_illegal_move_is_refused_and_nothing_changes(make_player: MakePlayer) -> None:
    player = make_player(f"pvs:{SMALL}")
    player.set_position(MATE_IN_1)
    for move in ("e1g1", "a1b2", "g2g5", "f7f6", "a1a8q"):
        with pytest.raises(PositionError, match=move):
            player.push(encode_move(move))
    for code in (1 << 12 | 52 << 6 | 60, 6 << 12 | 52, 7 << 12, 65_535):
        with pytest.raises(PositionError):
            player.push(code)
    with pytest.raises(PositionError):
        player.set_position(MATE_IN_1, [encode_move("h2h3"), encode_move("h7h6"), 4095])
    assert decode_move(player.go(SearchLimit(depth=2)).move) == "a1a8"


@pytest.mark.parametrize("driver", DRIVERS)
def test_repetition_is_a_draw(make_player: MakePlayer, driver: str) -> None:
    player = make_player(f"{driver}:{SMALL},{TO_THE_END[driver]}")
    # White is lost but for perpetual check.
    player.set_position("5rk1/5p1p/5Q2/8/8/r6P/q5P1/7K w - - 0 1")
    assert player.search(SearchLimit(depth=4)).value == 0


@pytest.mark.parametrize("driver", DRIVERS)
def test_positions_of_the_game_count_as_repeated(make_player: MakePlayer, driver: str) -> None:
    player = make_player(f"{driver}:{SMALL},{TO_THE_END[driver]}")
    fen = "8/8/8/8/8/2k5/8/K6Q b - - 0 1"
    player.set_position(fen)
    assert player.search(SearchLimit(depth=3)).value < -800
    # The king can go where it has been with the queen standing as it does.
    player.set_position(fen, game_moves("c3d3 h1g1 d3c3 g1h1"))
    assert player.search(SearchLimit(depth=3)).value == 0
    assert player.search(SearchLimit(depth=3), exact=True).value < -800
    # And the queen need not go there: White to move avoids it.
    player.set_position(fen, game_moves("c3d3 h1g1 d3c3"))
    assert player.search(SearchLimit(depth=3)).value > 800


@pytest.mark.parametrize("driver", DRIVERS)
def test_fifty_move_rule_is_a_draw(make_player: MakePlayer, driver: str) -> None:
    player = make_player(f"{driver}:{SMALL},{TO_THE_END[driver]}")
    player.set_position("8/8/8/3k4/8/8/3K4/3Q4 w - - 98 90")
    assert player.search(SearchLimit(depth=4)).value == 0
    player.set_position("8/8/8/3k4/8/8/3K4/3Q4 w - - 0 90")
    assert player.search(SearchLimit(depth=4)).value > 800
    # Mate on the last move before the rule counts.
    player.set_position("7k/8/6K1/8/8/8/8/R7 w - - 99 90")
    assert player.search(SearchLimit(depth=3)).value == MATE - 1


def test_exact_search_ignores_the_path(make_player: MakePlayer) -> None:
    player = make_player(f"pvs:{SMALL}")
    player.set_position("8/8/8/3k4/8/8/3K4/3Q4 w - - 98 90")
    counted = player.search(SearchLimit(depth=3), exact=True).value
    player.set_position("8/8/8/3k4/8/8/3K4/3Q4 w - - 0 90")
    assert player.search(SearchLimit(depth=3), exact=True).value == counted > 800


def test_time_limits_end_a_search(make_player: MakePlayer) -> None:
    player = make_player(f"mtdf:{SMALL}")
    player.set_position(MIDDLE)
    hard = player.search(SearchLimit(hard_ms=80))
    assert hard.stopped
    assert 60_000 <= hard.time_us
    soft = player.search(SearchLimit(soft_ms=1, hard_ms=600_000))
    assert soft.stopped
    assert all(one.finished for one in soft.iterations)


def test_stop_from_another_thread_ends_a_search(make_player: MakePlayer) -> None:
    player = make_player(f"pvs:{SMALL}")
    player.set_position(MIDDLE)
    begun = threading.Event()

    def stop() -> None:
        begun.wait()
        player.stop()

    thread = threading.Thread(target=stop)
    thread.start()
    result = player.search(SearchLimit(), on_iteration=lambda _: begun.set())
    thread.join()
    assert result.stopped
    check_result(MIDDLE, result)
    # The stop was for that search only.
    assert player.search(SearchLimit(depth=2)).depth == 2


def test_callback_gets_each_iteration_as_it_ends(make_player: MakePlayer) -> None:
    player = make_player(f"mtdf:{SMALL}")
    player.set_position(MIDDLE)
    seen: list[Iteration] = []
    result = player.search(SearchLimit(depth=3), on_iteration=seen.append)
    assert tuple(seen) == result.iterations

    def stop_at_depth_2(iteration: Iteration) -> None:
        if iteration.depth == 2:
            player.stop()

    stopped = player.search(SearchLimit(depth=50), on_iteration=stop_at_depth_2)
    assert stopped.stopped
    assert stopped.depth == 2


def test_error_in_the_callback_ends_the_search(make_player: MakePlayer) -> None:
    def fail(iteration: Iteration) -> None:
        raise LookupError(f"depth {iteration.depth}")

    player = make_player(f"mtdf:{SMALL}")
    with pytest.raises(LookupError, match="depth 1"):
        player.search(SearchLimit(depth=50), on_iteration=fail)
    assert player.search(SearchLimit(depth=2)).depth == 2


def play_out(player: Searcher, fen: str, nodes: int) -> chess.Board:
    """The end of a game that the player plays against itself, after 100 plies at most."""
    board = chess.Board(fen)
    player.set_position(fen)
    while not board.is_game_over() and len(board.move_stack) < 100:
        report = player.go(SearchLimit(nodes=nodes))
        board.push_uci(decode_move(report.move))
        player.push(report.move)
    return board


@pytest.mark.native
@pytest.mark.parametrize("driver", DRIVERS)
def test_won_endings_are_won(core: Any, driver: str) -> None:
    player = NativeSearcher(core, parse_variant(driver))
    assert play_out(player, "8/8/8/3k4/8/8/8/Q3K3 w - - 0 1", 1_000).is_checkmate()
    assert play_out(player, "8/8/8/3k4/8/8/8/R3K3 w - - 0 1", 4_000).is_checkmate()


def test_reference_wins_a_queen_ending() -> None:
    player = ReferenceSearcher(parse_variant(f"mtdf:{SMALL}"))
    assert play_out(player, "7k/8/8/4K3/8/8/8/Q7 w - - 0 1", 300).is_checkmate()


def test_closing_twice_is_harmless(make_player: MakePlayer) -> None:
    player = make_player(f"pvs:{SMALL}")
    player.close()
    player.close()


BESIDE_MATES = [
    *(f"mtdf:convergence={name}" for name in ("plaat", "growth", "step", "one-side", "bisect")),
    "mtdf:convergence=one-side,side=below",
    "mtdf:convergence=secant,grain=50",
    "mtdf:convergence=growth,below=0",
    *("sss", "dual", "mtd-bi", "mtd-step", "mtd-best", "bns", "hybrid"),
]


def test_null_windows_stay_within_the_values(make_player: MakePlayer) -> None:
    """Next to a mate a step may lead beyond all values, and so may a given guess."""
    for variant in BESIDE_MATES:
        driver, _, parameters = variant.partition(":")
        player = make_player(f"{driver}:{SMALL}{',' if parameters else ''}{parameters}")
        guesses = (None, MATE, -MATE) if "guess" in DRIVER_SPECS[driver].parameters else (None,)
        for fen, guess in itertools.product((MATE_IN_1, MATE_IN_2), guesses):
            player.set_position(fen)
            result = player.search(SearchLimit(depth=2), exact=True, first_guess=guess)
            passes = [one for each in result.iterations for one in each.passes]
            null = [one for one in passes if one.beta - one.alpha == 1]
            assert null, variant
            assert all(-MATE <= one.alpha < one.beta <= MATE for one in null), variant
