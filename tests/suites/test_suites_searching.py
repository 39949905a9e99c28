"""What is read of the searches of external engines and of ours."""

from __future__ import annotations

from engines.external.player import UciPlayer
from engines.limit import Limit
from engines.moves import encode_move
from engines.players import make_player
from engines.rules.catalog import rules_of
from engines.spec import MoveReport, UciCommand, UciEngine
from engines.variant import parse_variant
from toolkit.suites.run import search_record, steps_of
from toolkit.suites.searching import SuiteTask, _told_by_uci, search_position

SAID = b"""\
info string hello pv world
info depth 1 seldepth 1 multipv 1 score cp 10 nodes 20 nps 1 time 0 pv e2e4
info depth 2 currmove d2d4 currmovenumber 2
info depth 2 multipv 1 score cp 15 lowerbound nodes 50 time 1 pv d2d4
info depth 2 multipv 1 score cp 30 nodes 90 time 2 pv d2d4 d7d5
info depth 2 multipv 2 score cp 5 nodes 90 time 2 pv a2a3
info depth 3 score mate 3 nodes 200 time 4 pv g1f3
info depth 3 nodes 240 time 5
bestmove e2e4
"""
FEN = rules_of("chess").start


def test_the_last_line_of_each_depth_counts_and_the_answer_ends_it() -> None:
    engine = UciEngine(command=UciCommand(("none",)), spelling="", label="none", facts={})
    player = UciPlayer(engine)
    player.output = SAID
    found = _told_by_uci(player, MoveReport(encode_move("e2e4"), 30, 3, 240, None, 6000, 5000))
    assert [(one.depth, one.move, one.nodes, one.wall_us) for one in found.steps] == [
        (1, "e2e4", 20, 0),
        (2, "d2d4", 90, 2000),
        (3, "g1f3", 200, 4000),
        (3, "e2e4", 240, 6000),
    ]
    assert found.steps[2].value == 32_000 - 5
    player.output = b"info depth 1 score cp 10 pv e2e4\nbestmove e2e4"
    found = _told_by_uci(player, MoveReport(encode_move("e2e4"), 10, 1, 240, None, 6000, 5000))
    assert [(one.nodes, one.wall_us) for one in found.steps] == [(240, 6000)]


def test_stored_searches_come_back() -> None:
    variant = parse_variant("pvs:eval=pst")
    task = SuiteTask(0, 0, variant, Limit(nodes=3000), FEN)
    found = search_position(make_player(variant), task)
    record = search_record(task, found)
    assert tuple(steps_of(record)) == found.steps
    assert record.interior == 3000 == sum(one["interior"] for one in record.iterations)
    assert [one.depth for one in found.steps] == sorted(one.depth for one in found.steps)
