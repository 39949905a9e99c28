"""Every form of ``go`` becomes the right search limit."""

from __future__ import annotations

from engines.clock import clock_limit
from engines.spec import MAX_DEPTH, SearchLimit
from engines.uci.go import parse_go


def limit(text: str, white: bool = True) -> SearchLimit:
    return parse_go(text.split()).limit(white)


def test_clocks_are_those_of_the_side_to_move() -> None:
    text = "wtime 60000 btime 1000 winc 300 binc 20 movestogo 20"
    assert limit(text) == clock_limit(60_000, 300, 20)
    assert limit(text, white=False) == clock_limit(1_000, 20, 20)
    assert limit("btime 5000") == clock_limit(5_000)
    assert parse_go(text.split()).limit(True, 500) == clock_limit(60_000, 300, 20, 500)


def test_zero_moves_to_go_means_none() -> None:
    assert limit("wtime 60000 movestogo 0") == limit("wtime 60000")
    assert limit("wtime 60000 movestogo -5") == limit("wtime 60000")


LIMITS = [
    ("nodes 300", 300, None),
    ("nodes 0", 1, None),
    ("mate 2", None, 4),
    ("depth 3 mate 2", None, 3),
    ("depth 0", None, 1),
    ("depth 2000000000", None, MAX_DEPTH),
    ("mate 2000000000", None, MAX_DEPTH),
    ("mate 2000000000 depth 7", None, 7),
    ("depth -4", None, 1),
    ("nodes 99999999999999999999", 2**31 - 1, None),
    ("infinite nodes 300", 300, None),
]


def test_limits() -> None:
    for text, nodes, depth in LIMITS:
        assert limit(text) == SearchLimit(nodes=nodes, depth=depth), text


def test_infinite_and_ponder() -> None:
    assert parse_go([]).infinite
    assert parse_go(["infinite"]).infinite
    assert parse_go(["movestogo", "5"]).infinite
    assert limit("infinite wtime 1000 movetime 5") == SearchLimit()
    pondering = parse_go(["ponder", "wtime", "1000"])
    assert pondering.ponder and not pondering.infinite
    assert pondering.limit(True) == clock_limit(1000)


def test_move_time_overrides_the_clock() -> None:
    assert limit("wtime 1000 movetime 500") == limit("movetime 500")
    assert limit("wtime -50").hard_ms == 1


def test_searchmoves_end_at_the_next_keyword() -> None:
    go = parse_go("searchmoves e2e4 d2d4 depth 5".split())
    assert go.searchmoves == ("e2e4", "d2d4")
    assert go.numbers == {"depth": 5}
    assert not go.errors
    assert parse_go("depth 5 searchmoves e2e4".split()).searchmoves == ("e2e4",)
    assert parse_go(["searchmoves"]).searchmoves == ()
    assert parse_go(["depth", "5"]).searchmoves is None


def test_unknown_words_are_reported_and_ignored() -> None:
    go = parse_go("fast depth 2 now nodes many wtime".split())
    assert go.numbers == {"depth": 2, "nodes": 0, "wtime": 0}
    assert go.errors == (
        "go: unknown word `fast`",
        "go: unknown word `now`",
        "go: `nodes` needs a number, not `many`; 0 is used",
        "go: `wtime` needs a number; 0 is used",
    )
