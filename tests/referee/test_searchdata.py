"""Moves and searches round-trip through their compact form, which never changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.records.openings import CHESS960_MOVES, STANDARD_MOVES
from engines.rules.catalog import ALL
from engines.spec import MATE, GameSearches, MoveReport
from toolkit.referee.searchdata import (
    FOUND_VERSION,
    NO_SEARCHES,
    NOTHING_FOUND,
    SEARCH_VERSION,
    FoundSearch,
    PlySearch,
    decode_found,
    decode_moves,
    decode_searches,
    encode_found,
    encode_moves,
    encode_searches,
)

reports = st.builds(
    MoveReport,
    move=st.integers(0, 2**15 - 1),
    value=st.integers(-MATE, MATE),
    depth=st.integers(0, 200),
    nodes=st.integers(0, 2**62),
    passes=st.integers(0, 10_000),
    time_us=st.integers(0, 2**40),
    cpu_us=st.just(0),
)


@given(st.lists(reports, max_size=60))
def test_searches_round_trip(played: list[MoveReport]) -> None:
    moves = encode_moves(report.move for report in played)
    assert len(moves) == 2 * len(played)
    assert decode_moves(moves) == [report.move for report in played]
    expected = [PlySearch(r.value, r.depth, r.nodes, r.passes, r.time_us) for r in played]
    version, data = encode_searches(GameSearches.of(played))
    assert version == SEARCH_VERSION
    assert decode_searches(data, len(played)) == expected


def test_version_1_never_changes() -> None:
    first = MoveReport(move=796, value=-18, depth=7, nodes=20_000, passes=5, time_us=1, cpu_us=1)
    second = MoveReport(move=1, value=31_999, depth=8, nodes=127, passes=128, time_us=0, cpu_us=0)
    assert encode_moves([796, 3364]) == bytes.fromhex("1c03240d")
    data = bytes.fromhex("0023fef3030708a09c017f0580010100")
    assert encode_searches(GameSearches.of([first, second])) == (SEARCH_VERSION, data)
    assert decode_searches(data, 2) == [
        PlySearch(-18, 7, 20_000, 5, 1),
        PlySearch(31_999, 8, 127, 128, 0),
    ]


def test_long_games_are_compressed() -> None:
    same = [MoveReport(move=1, value=5, depth=6, nodes=1000, passes=9, time_us=90, cpu_us=9)] * 200
    _, data = encode_searches(GameSearches.of(same))
    assert len(data) < 100
    assert len(decode_searches(data, 200)) == 200


@pytest.mark.parametrize("data", [b"", b"\x02\x01", b"\x00\x80", b"\x01garbage", b"\x00\x01\x01"])
def test_damaged_data_is_an_error(data: bytes) -> None:
    with pytest.raises(ValueError):
        decode_searches(data, 1)


def test_another_version_is_an_error() -> None:
    with pytest.raises(ValueError, match="version 2"):
        decode_searches(b"\x00", 0, version=2)
    unknown = max(rules.moves_version for rules in ALL) + 1
    for version in (0, unknown):
        with pytest.raises(ValueError, match=f"version {version}"):
            decode_moves(b"", version)
    assert decode_moves(b"\x01\x00", STANDARD_MOVES) == decode_moves(b"\x01\x00", CHESS960_MOVES)
    with pytest.raises(ValueError):
        decode_moves(b"\x00\x01\x02")


found = st.builds(
    FoundSearch,
    value=st.none() | st.integers(-MATE, MATE),
    depth=st.none() | st.integers(0, 200),
    nodes=st.none() | st.integers(0, 2**62),
    passes=st.none() | st.integers(0, 10_000),
    time_us=st.none() | st.integers(0, 2**40),
)


@given(st.lists(found, max_size=60))
def test_unknown_values_stay_unknown(searches: list[FoundSearch]) -> None:
    version, data = encode_found(searches)
    assert decode_found(data, len(searches), version) == searches


@given(st.lists(found, max_size=60))
def test_values_missing_from_an_engine_stay_unknown(searches: list[FoundSearch]) -> None:
    said = [MoveReport(1, s.value, s.depth, s.nodes, s.passes, s.time_us or 0, 0) for s in searches]
    version, data = encode_searches(GameSearches.of(said))
    assert decode_found(data, len(said), version) == [
        FoundSearch(r.value, r.depth, r.nodes, r.passes, r.time_us) for r in said
    ]


def test_version_2_never_changes() -> None:
    searches = [FoundSearch(-18, 7, 20_000, None, 0), FoundSearch(value=0), NOTHING_FOUND]
    assert encode_found(searches) == (
        FOUND_VERSION,
        bytes.fromhex("00240100080000a19c010000000000010000"),
    )
    assert encode_found([NOTHING_FOUND] * 3) == (NO_SEARCHES, b"")


def test_older_versions_can_be_read() -> None:
    report = MoveReport(move=1, value=-18, depth=7, nodes=20, passes=5, time_us=0, cpu_us=1)
    _, data = encode_searches(GameSearches.of([report]))
    assert decode_found(data, 1, 1) == [FoundSearch(-18, 7, 20, 5, 0)]
    assert decode_found(b"", 2, 0) == [NOTHING_FOUND] * 2
    with pytest.raises(ValueError, match="version 3"):
        decode_found(data, 1, 3)
