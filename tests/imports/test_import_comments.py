"""Search data in comments of other programs is read correctly."""

from __future__ import annotations

import pytest

from engines.spec import MATE, MATE_BOUND
from toolkit.imports.comments import found_searches
from toolkit.imports.scan import Unread
from toolkit.referee.searchdata import NOTHING_FOUND, FoundSearch


def of(*comments: str, control: str = "", white_first: bool = True) -> list[FoundSearch]:
    """What is known from these comments, one a ply."""
    return found_searches(comments, {"TimeControl": control}, white_first=white_first)


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("+0.35/12 1.2s", FoundSearch(35, 12, None, None, 1_200_000)),
        ("-0.33/9\n0.11s", FoundSearch(-33, 9, None, None, 110_000)),
        ("0.00/1 0s", FoundSearch(0, 1, None, None, 0)),
        ("+M5/20 0.040s", FoundSearch(MATE - 5, 20, None, None, 40_000)),
        ("-M4/20 0.04s, Black mates", FoundSearch(4 - MATE, 20, None, None, 40_000)),
        (
            "+0.31/8 0.010s, tl=9.990s, latency=0.001s, n=51234, sd=15, nps=512340, hashfull=3, "
            'tbhits=0, pv="e2e4 e7e5"',
            FoundSearch(31, 8, 51_234, None, 10_000),
        ),
        ("/0 0.001s", FoundSearch(None, None, None, None, 1000)),
        ("/7 0.001s", FoundSearch(None, 7, None, None, 1000)),
        ("+0.35/12 1.234s, n=45678, p=4", FoundSearch(35, 12, 45_678, 4, 1_234_000)),
        (
            '+0.10/8 0.010s, pv="e2e4, n=7 e7e5", line="info string, p=9", n=5, White mates',
            FoundSearch(10, 8, 5, None, 10_000),
        ),
        ("1/2", NOTHING_FOUND),
        ("1/2 was agreed", NOTHING_FOUND),
        ("+0.35/12 better is Nf3", NOTHING_FOUND),
        ("ERR/3 0.001s", FoundSearch(None, None, None, None, 1000)),
        ("0.12s", FoundSearch(None, None, None, None, 120_000)),
        ("0.12s, White loses on time", FoundSearch(None, None, None, None, 120_000)),
        ("+900.00/40 1s", FoundSearch(MATE_BOUND - 1, 40, None, None, 1_000_000)),
        ("+1.16/8, 0.004s", FoundSearch(116, 8, None, None, 4000)),
        ("-20/8 0.062s", FoundSearch(-20, 8, None, None, 62_000)),
        ("20/8 62ms", FoundSearch(20, 8, None, None, 62_000)),
        ("+0.71 8/17 5 10530", FoundSearch(71, 8, 10_530, None, 5000)),
        ("-M4 8/17 5 10530, Black mates", FoundSearch(4 - MATE, 8, 10_530, None, 5000)),
        ("+0.15/12 5", FoundSearch(15, 12, None, None, 5_000_000)),
        ("+0.15/12 1:05", FoundSearch(15, 12, None, None, 65_000_000)),
        ("book", NOTHING_FOUND),
        ("a good move, +0.35/12 1.2s", NOTHING_FOUND),
        ("12 squares", NOTHING_FOUND),
        ("", NOTHING_FOUND),
    ],
)
def test_cutechess_and_fastchess_write_from_the_view_of_the_mover(
    comment: str, expected: FoundSearch
) -> None:
    for white_first in (True, False):
        assert of(comment, white_first=white_first) == [expected]


@pytest.mark.parametrize(
    ("comment", "white", "black"),
    [
        ("[%eval 0.35]", 35, -35),
        ("[%eval -1.5,12]", -150, 150),
        ("[%eval #3]", MATE - 5, 6 - MATE),
        ("[%eval #-3]", 6 - MATE, MATE - 5),
        ("[%eval x]", None, None),
        ("[%eval 1e9]", None, None),
    ],
)
def test_commands_are_from_the_view_of_white(
    comment: str, white: int | None, black: int | None
) -> None:
    assert [search.value for search in of(comment, comment)] == [white, black]


def test_tcec_writes_from_the_view_of_white() -> None:
    comment = "d=30, sd=45, mt=12000, tl=900000, n=5, pv=e4 e5, wv={}, R50=50,"
    pairs = [("0.15", 15), ("-0.15", -15), ("M7", MATE - 7), ("-M7", 7 - MATE)]
    for text, value in pairs:
        white, black = of(comment.format(text), comment.format(text))
        assert white == FoundSearch(value, 30, 5, None, 12_000_000), text
        assert black.value == -value, text
    assert of("ev=0.1, d=99999, mt=00:01:12, n=x, wv=?") == [
        FoundSearch(None, None, None, None, 72_000_000)
    ]


def test_results_that_are_not_understood_are_counted() -> None:
    unread = Unread()
    comments = [
        "+0.3 at depth 12",
        "+0.30/12 1s",
        "e4 was better",
        "1/2 was agreed",
        "sc=12",
        "book",
    ]
    found_searches(comments, {}, white_first=True, unread=unread)
    assert (unread.count, unread.first) == (2, "+0.3 at depth 12")


def test_commands_with_everything() -> None:
    (search,) = of("nice [%eval 0.35,12] [%emt 1:02:03.000004] move")
    assert search == FoundSearch(35, 12, None, None, 3_723_000_004)


def test_times_from_clocks() -> None:
    """Each side's clock, from its second reading on: before the first nobody saw it."""
    clocks = [
        f"[%clk {text}]" for text in ("0:03:00", "0:03:00", "0:02:59.5", "0:02:50", "0:03:09")
    ]
    assert [search.time_us for search in of(*clocks, control="180+2")] == [
        *(None, None, 2_500_000, 12_000_000),
        None,  # somebody gave it time
    ]
    assert [search.time_us for search in of(*clocks, control="180")][2:4] == [500_000, 10_000_000]
    for control in ("", "-", "?", "40/9000", "180+2:40"):
        assert not any(search.time_us for search in of(*clocks, control=control))


def test_time_of_the_move_is_surer_than_the_clock() -> None:
    first, second = "[%clk 0:01:00]", "[%clk 0:00:50] [%emt 0:00:09]"
    assert of(first, "", second, control="60")[2].time_us == 9_000_000


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        (f"+0.35/12 1.2s, n={10**12}", FoundSearch(35, 12, 10**12, None, 1_200_000)),
        (f"+0.35/12 1.2s, n={10**12 + 1}", FoundSearch(35, 12, None, None, 1_200_000)),
        ("+0.35/12 999999999s, n=999999999999999999", FoundSearch(35, 12, None, None, None)),
        ("[%eval 0.35,12] [%emt 999999:59:59]", FoundSearch(35, 12, None, None, None)),
    ],
)
def test_counts_that_no_search_has_are_unknown(comment: str, expected: FoundSearch) -> None:
    assert of(comment) == [expected]
