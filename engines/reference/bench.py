"""The reference's own bench: few and small searches whose outcome any change of it would change."""

from __future__ import annotations

from collections.abc import Sequence

from engines.reference.searcher import ReferenceSearcher
from engines.rules.catalog import rules_of
from engines.spec import SearchLimit, Value, Variant

_BASE: dict[str, Value] = {
    "guess": "parity",
    "convergence": "plaat",
    "step": 20,
    "side": "above",
    "below": 0,
    "tolerance": 0,
    "reported": "lower",
    "reopen": False,
    "adopt": "proven",
    "max_passes": 0,
    "weight": 0.5,
    "window": 25,
    "hash": 0,
    "entries": 4096,
    "bounds": "two",
    "replacement": "age",
    "etc": 0,
    "iid": False,
    "game": "chess",
    "eval": "pst",
    "grain": 1,
    "quiescence": True,
    "swing": 0,
    "null_move": False,
    "null_move_reduction": 3,
    "late_move_reductions": False,
    "check_extension": False,
}
"""A complete set of values, so that no default of the registry has a say."""

_CASES: list[tuple[str, str, dict[str, Value]]] = [
    ("alphabeta", "exact", {}),
    ("pvs", "exact", {}),
    ("mtdf", "exact", {}),
    ("mtdf", "exact", {"guess": "blend", "grain": 8, "entries": 256}),
    ("mtdf", "selective", {}),
    ("pvs", "selective", {}),
    ("pvs", "exact", {"eval": "full"}),
]

_CHESS = [
    "r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP3PPP/RN1QKB1R w KQkq - 0 6",
    "2rq1rk1/pb2bppp/1pn1pn2/8/2BP4/P1N2N2/1P2QPPP/R1BR2K1 b - - 2 13",
    "r3k2r/1bp1qpb1/p2ppnp1/1p2n3/4P3/P1NB1N1P/1PP1QPP1/R1B1R1K1 w kq - 4 15",
    "8/1p3pk1/p2r2p1/3P3p/P1R2P1P/1P4P1/5K2/8 b - - 0 36",
    "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 99 50",
    "8/8/4k3/8/3RK3/8/8/8 w - - 12 70",
]

_EXACT_DEPTH, _SELECTIVE_NODES = 2, 400
_PLIES = (0, 8, 16, 24)
"""When positions are taken from the game that the bench of another game than chess plays."""


def run(game: str = "chess") -> list[tuple[str, str, str, int, int]]:
    """Rows of (position, variant, mode, nodes, value); about a second."""
    positions = _CHESS if game == _BASE["game"] else _played(game)
    rows = []
    for driver, mode, changes in _CASES:
        parameters = _BASE | changes | {"game": game}
        spelling = ",".join(f"{name}={value}" for name, value in changes.items())
        text = f"{driver}:{spelling}" if spelling else driver
        searcher = ReferenceSearcher(Variant(driver, parameters, {}, text, text))
        for fen in positions:
            searcher.new_game()
            searcher.set_position(fen)
            exact = mode == "exact"
            limit = (
                SearchLimit(depth=_EXACT_DEPTH) if exact else SearchLimit(nodes=_SELECTIVE_NODES)
            )
            result = searcher.search(limit, exact=exact)
            rows.append((fen, text, mode, result.nodes, result.value))
    return rows


def _played(game: str) -> Sequence[str]:
    """Positions of one game, whose moves are chosen by the number of the ply."""
    board = rules_of(game).board(rules_of(game).start)
    positions = []
    for ply in range(_PLIES[-1] + 1):
        if ply in _PLIES:
            positions.append(board.text())
        moves = board.moves()
        if not moves:
            break
        board.push(moves[7 * ply % len(moves)])
    return positions
