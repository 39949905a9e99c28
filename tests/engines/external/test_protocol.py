"""What engines announce and report in UCI is read, and wrong options are refused in one line."""

from __future__ import annotations

import time
from collections.abc import Callable

import chess.engine
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines import backend
from engines.errors import VariantError
from engines.external.handshake import set_options
from engines.external.protocol import (
    Announced,
    Info,
    UciOption,
    last_info,
    parse_announcement,
    parse_info,
    parse_option,
    read_option,
)
from engines.spec import MATE, MATE_BOUND
from engines.uci.session import format_score

Failing = Callable[..., list[str]]

GREETING = b"""Some Engine, compiled today
id name Some Engine 1.0
id author A. Person and others
option name Hash type spin default 16 min 1 max 33554432\r
option name Ponder type check default false
option name Clear Hash type button
option name Odd type spin default 5 min 10 max 20
option name SyzygyPath type string default <empty>
option name Style type combo default Very Solid var Very Solid var Risky var solid
option name Book type file type string default /var/lib/max min.bin
option name nonsense
option name Wrong type slider default 3
uciok"""
ANNOUNCED = parse_announcement(GREETING)


def test_announcement() -> None:
    assert (ANNOUNCED.name, ANNOUNCED.author) == ("Some Engine 1.0", "A. Person and others")
    assert ANNOUNCED.malformed == 2
    assert list(ANNOUNCED.options.values()) == [
        UciOption("Hash", "spin", "16", 1, 33554432),
        UciOption("Ponder", "check", "false"),
        UciOption("Clear Hash", "button"),
        UciOption("Odd", "spin", "5", 10, 20),
        UciOption("SyzygyPath", "string", ""),
        UciOption("Style", "combo", "Very Solid", choices=("Very Solid", "Risky", "solid")),
        UciOption("Book type file", "string", "/var/lib/max min.bin"),
    ]


def test_option_lines(failing: Failing) -> None:
    def check(line: str, option: UciOption | None) -> None:
        assert parse_option(line) == option

    assert not failing(
        check,
        [
            ("option name Elo type spin", UciOption("Elo", "spin")),
            (
                "option name A type spin min -5 max 5 default 0",
                UciOption("A", "spin", "0", -5, 5),
            ),
            ("option name A type spin default x min 1 max y", UciOption("A", "spin", None, 1)),
            ("option name A type spin default 1 min 9 max 2", None),
            ("option name A type spin default 007", UciOption("A", "spin", "7")),
            ("option name A type check", UciOption("A", "check")),
            ("option name A type check default TRUE", UciOption("A", "check", "true")),
            ("option name A type check default perhaps", UciOption("A", "check")),
            ("option name A type combo default x", None),
            (
                "option name A type combo var x  y var x y",
                UciOption("A", "combo", choices=("x y",)),
            ),
            ("option name A type string", UciOption("A", "string")),
            ("option name A type string default", UciOption("A", "string", "")),
            ("option name A type string default min", UciOption("A", "string", "min")),
            ("option name  A  B   type  check", UciOption("A  B", "check")),
            ("option name type type check", UciOption("type", "check")),
            ("option name A\x1b type check", None),
            (f"option name {'A' * 201} type check", None),
            ("option name A", None),
            ("option name type check", None),
            ("option A type check", None),
            ("option", None),
        ],
    )


def test_names_are_cut_and_printable() -> None:
    announced = parse_announcement(b"id name a\x1b\xff" + b"x" * 5000 + b"\nid author\nuciok")
    assert len(announced.name) == 200 and announced.name.isprintable()
    assert announced.author == ""


def test_options_are_read(failing: Failing) -> None:
    def check(name: str, value: str, spelled: tuple[str, str]) -> None:
        assert read_option(ANNOUNCED, name, value) == spelled

    assert not failing(
        check,
        [
            ("Hash", "64", ("Hash", "64")),
            ("hash", " +0064 ", ("Hash", "64")),
            ("PONDER", "on", ("Ponder", "true")),
            ("Ponder", "False", ("Ponder", "false")),
            ("style", "risky", ("Style", "Risky")),
            ("Style", "SOLID", ("Style", "solid")),
            ("SyzygyPath", " /a b:é ", ("SyzygyPath", " /a b:é ")),
            ("syzygypath", "", ("SyzygyPath", "<empty>")),
            ("clear hash", "", ("Clear Hash", "")),
            ("Clear Hash", "on", ("Clear Hash", "")),
            ("Odd", "5", ("Odd", "5")),
            ("Odd", "20", ("Odd", "20")),
        ],
    )


def test_buttons_are_pressed() -> None:
    assert set_options([("Hash", "64"), ("Clear Hash", "")]) == (
        b"setoption name Hash value 64\nsetoption name Clear Hash\n"
    )


def test_wrong_options_are_refused_in_one_line(failing: Failing) -> None:
    def check(name: str, value: str, message: str) -> None:
        with pytest.raises(VariantError) as caught:
            read_option(ANNOUNCED, name, value)
        assert message in str(caught.value)
        assert str(caught.value).isprintable() and len(str(caught.value)) < 300

    assert not failing(
        check,
        [
            ("Hsah", "1", "no option `Hsah`; did you mean `Hash`?"),
            ("\n'" * 3000, "1", "no option `?'?'"),
            ("Hash", "0", "option Hash=0 is not allowed; it takes 1 to 33554432"),
            ("Hash", "1.5", "it takes 1 to 33554432"),
            ("Hash", "1_0", "it takes 1 to 33554432"),
            ("Hash", "9" * 5000, "it takes 1 to 33554432"),
            ("Hash", "٣", "it takes 1 to 33554432"),
            ("Ponder", "maybe", "option Ponder=maybe is not allowed; it takes true or false"),
            ("Style", "wild", "it takes one of Very Solid, Risky, solid"),
            (
                "Clear Hash",
                "1",
                "Clear Hash=1 is not allowed; it takes no value or on",
            ),
            ("Odd", "9", "it takes 10 to 20"),
            ("SyzygyPath", "a\nsetoption", "option SyzygyPath=a?setoption is not allowed"),
        ],
    )


def test_long_lists_of_choices_are_cut() -> None:
    option = UciOption("Net", "combo", choices=tuple(f"net-{n}" for n in range(500)))
    with pytest.raises(VariantError, match=r"net-0, .*, net-7, …$"):
        read_option(Announced("", "", {"Net": option}), "Net", "x")


def test_info_lines(failing: Failing) -> None:
    def check(line: bytes, info: Info | None) -> None:
        assert parse_info(line) == info

    assert not failing(
        check,
        [
            (
                b"info depth 20 seldepth 30 multipv 1 score cp -35 nodes 12345 "
                b"nps 9 time 1234 pv e2e4",
                Info(-35, 20, 12345, 1234),
            ),
            (b"info score cp 12 lowerbound depth 3", Info(12, 3, bound="lower")),
            (b"info depth 3 score cp 12 upperbound nodes 5\r", Info(12, 3, 5, bound="upper")),
            (b"info depth 3 score mate 3", Info(MATE - 5, 3)),
            (b"info depth 3 score mate -3", Info(-(MATE - 6), 3)),
            (b"info depth 0 score mate 0", Info(-MATE, 0)),
            (b"info score mate 99999 nodes 1", Info(MATE_BOUND, None, 1)),
            (b"info score mate -99999 nodes 1", Info(-MATE_BOUND, None, 1)),
            (b"info depth 1 score cp 99999", Info(MATE_BOUND - 1, 1)),
            (b"info depth 1 score cp -99999", Info(1 - MATE_BOUND, 1)),
            (b"info depth 3 score cp +30 nodes 5", Info(30, 3, 5)),
            (b"info depth 3 score mate +3", Info(MATE - 5, 3)),
            (b"info depth 3 score cp +-30", Info(None, 3)),
            (b"info depth 1 score cp 1.5 nodes -3 time x", Info(None, 1)),
            (b"info depth 1 score cp", Info(None, 1)),
            (b"info depth 1 score", Info(None, 1)),
            (b"info depth 99999999999999999999 nodes 9999999999999999 time 1", Info(time_ms=1)),
            (b"info nodes 5 time 1 pv a1a2 score cp 3", Info(nodes=5, time_ms=1)),
            (b"info depth 2 string score cp 5", Info(depth=2)),
            (b"info string depth 3 score cp 5", None),
            (b"info depth 3 multipv 2 score cp 5", None),
            (b"info", None),
            (b"information depth 3", None),
            (b"", None),
        ],
    )


@given(st.integers(-MATE, MATE - 1).filter(lambda value: abs(value) != MATE_BOUND))
@settings(max_examples=40)
def test_scores_of_native_engine_are_read(value: int) -> None:
    info = parse_info(f"info depth 1 score {format_score(value)}".encode())
    assert info is not None and info.value is not None
    # Mates are written in full moves: an odd number of plies wins, an even one loses.
    inexact = abs(value) > MATE_BOUND and (MATE - abs(value)) % 2 == (value < 0)
    assert abs(info.value - value) == inexact


MATES = st.integers(-400, 400).filter(bool)


@given(MATES, MATES)
@settings(max_examples=40)
def test_mates_are_ordered_as_in_python_chess(one: int, other: int) -> None:
    values = []
    for moves in (one, other):
        info = parse_info(f"info score mate {moves} depth 1".encode())
        assert info is not None and info.value is not None
        assert format_score(info.value) == f"mate {moves}"
        values.append(info.value)
    assert (values[0] < values[1]) == (chess.engine.Mate(one) < chess.engine.Mate(other))


def test_last_lines_are_combined(failing: Failing) -> None:
    def check(text: bytes, info: Info) -> None:
        assert last_info(text) == info

    assert not failing(
        check,
        [
            (b"bestmove e2e4", Info()),
            (b"info depth 1 score cp 5 nodes 20\nbestmove e2e4", Info(5, 1, 20)),
            (
                b"info depth 4 score cp 5 nodes 20 time 1\n"
                b"info depth 5 score cp 99 lowerbound nodes 30 time 2\nbestmove e2e4",
                Info(5, 4, 30, 2),
            ),
            (
                b"info depth 5 score cp 99 lowerbound nodes 3\nbestmove x",
                Info(99, 5, 3, None, "lower"),
            ),
            (
                b"info depth 4 multipv 1 score cp 5 nodes 20\n"
                b"info depth 4 multipv 2 score cp 1 nodes 20\nbestmove e2e4",
                Info(5, 4, 20),
            ),
            (
                b"info depth 4 score cp 5 nodes 20 time 1 pv e2e4\ninfo string score cp 7 nodes 9\n"
                b"info depth 5 currmove e2e4\nbestmove e2e4",
                Info(5, 4, 20, 1),
            ),
            (
                b"info depth 5 score cp 34 time 1 nodes 226 pv d2d4\n"
                b"info depth 5 time 5 nodes 3397\n"
                b"info time 6 nodes 3400 nps 0 cpuload 132\ninfo hashfull 0\nbestmove d2d4",
                Info(34, 5, 3400, 6),
            ),
            (b"info depth 7 nodes 44\nbestmove e2e4", Info(None, 7, 44)),
            (
                b"info depth 4 score cp 3 lowerbound nodes 5\n"
                b"info depth 5 score cp 4 lowerbound\nbestmove e2e4",
                Info(4, 5, 5, None, "lower"),
            ),
            (b" score cp 5 nodes 3\nbestmove e2e4", Info()),
        ],
    )


@given(st.binary(max_size=200), st.sampled_from([b"", b"info ", b"option name a type ", b"id "]))
@settings(max_examples=40)
def test_no_output_raises(noise: bytes, begin: bytes) -> None:
    parse_announcement(begin + noise)
    parse_info(begin + noise)
    last_info(begin + noise + b" score cp 3 nodes 5\nbestmove " + noise)
    for word in (b"cp ", b"mate ", b"score "):
        parse_info(b"info depth 3 score " + word + noise)


FIELDS = [
    *(f"score {kind} {number}{bound}" for kind in ("cp", "mate") for number in (3, -2, "+1", "x")
      for bound in ("", " lowerbound", " upperbound")),
    *(f"score cp {number}" for number in (31_000, -31_000, 10**18, "0" * 18 + "1")),
    *(f"score mate {number}" for number in (499, 501, -500, -501, 0)),
    *(f"depth {number}" for number in (7, "08", 9_999, 10_000)),
    *(f"{word} {number}" for word in ("nodes", "time") for number in (5, 10**15, 10**15 + 1)),
    *("multipv 1", "multipv 2", "pv e2e4", "score cp", "score", "info", "string", "depth", "\x0b"),
]  # fmt: skip
LINES = st.lists(st.lists(st.sampled_from(FIELDS), max_size=5).map(" ".join), max_size=5)


@pytest.mark.native
@given(LINES, st.sampled_from(["info ", "info depth 3 ", " info nodes 2 time 9 ", ""]))
@settings(max_examples=1_000)
def test_core_reads_last_lines_alike(lines: list[str], begin: str) -> None:
    printed = "\n".join(f"{begin}{line}" for line in lines) + "\nbestmove e2e4"
    assert backend.last_info(printed.encode()) == last_info(printed.encode()), printed


def test_hostile_options_are_read(failing: Failing) -> None:
    """In steps that grow with the length of the line: a second would be a quadratic rule."""

    def check(line: str) -> None:
        begin = time.process_time()
        parse_announcement(line.encode())
        assert time.process_time() - begin < 5

    assert not failing(
        check,
        zip(
            [
                "option name" + " " * 200_000 + "x",
                "option name a" + " " * 200_000 + "b",
                "option name " + "type " * 50_000,
                "option name x type combo " + "var a " * 40_000 + "default " + "a " * 40_000,
            ]
        ),
    )


def test_option_names_may_contain_keywords() -> None:
    option = parse_option("option name my type of name type spin default 1 min 0 max 2")
    assert option is not None and option.name == "my type of name" and option.kind == "spin"
    assert parse_option("option name type type check default true") == UciOption(
        "type", "check", "true"
    )
