"""The live table and the plain lines of a running event."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import Any

import pytest

from db.records import EventRecord
from toolkit.commands._live import (
    LiveProgress,
    first_score,
    format_duration,
    plain_line,
    table_lines,
)
from toolkit.output import Output
from toolkit.play.progress import EventProgress, PairingProgress


def _event(name: str = "first") -> EventRecord:
    return EventRecord(
        id=1,
        key="r3f9",
        name=name,
        kind="gauntlet",
        status="running",
        settings={},
        seed=7,
        pairs_planned=300,
        pairs_done=0,
        pairs_failed=0,
        created_at="",
        started_at=None,
        ended_at=None,
        version="",
        backend="native",
        signature="",
        host="",
    )


def _progress(**changes: Any) -> EventProgress:
    pairings = (
        PairingProgress(0, "mtdf", "pvs", 200, 138, 41, 64, 33, (2, 15, 31, 15, 6)),
        PairingProgress(1, "mtdf", "alphabeta", 200, 92, 30, 32, 30, (4, 10, 18, 10, 4)),
        PairingProgress(2, "mtdf", "bns", 200, 0, 0, 0, 0, (0, 0, 0, 0, 0)),
    )
    fields: dict[str, Any] = {
        "event": _event(),
        "pairings": pairings,
        "games_planned": 600,
        "games_played": 230,
        "games_now": 230,
        "elapsed_s": 474.2,
        "games_per_minute": 29.1,
        "eta_s": 763.0,
        "excluded": 0,
        "time_losses": 0,
        "engine_failures": 0,
        "pairs_failed": 0,
        "repaired": 0,
    }
    return EventProgress(**(fields | changes))


def test_table() -> None:
    lines = table_lines(_progress())
    assert lines[0].startswith('event r3f9 "first"') and "mtdf resume r3f9" in lines[0]
    assert lines[1].startswith(" vs pvs        ███████████")
    assert "138/200  +41 -33 =64" in lines[1] and " ± " in lines[1] and "LOS " in lines[1]
    assert lines[3].startswith(" vs bns        ░░░░░░░░░░░░░░░░    0/200  +0 -0 =0")
    assert "±" not in lines[3]
    assert lines[4] == (
        " 230/600 games · 38 % · 29.1 games/min · ETA 12:43 · time losses 0 · crashes 0"
    )


def test_table_names_both_sides_when_there_are_two_heroes() -> None:
    pairings = (
        PairingProgress(0, "mtdf", "pvs", 2, 0, 0, 0, 0, (0, 0, 0, 0, 0)),
        PairingProgress(1, "coarse", "pvs", 2, 0, 0, 0, 0, (0, 0, 0, 0, 0)),
    )
    lines = table_lines(_progress(pairings=pairings))
    assert lines[1].startswith(" mtdf vs pvs    ")
    assert lines[2].startswith(" coarse vs pvs  ")


def test_table_before_the_first_pair() -> None:
    lines = table_lines(_progress(games_played=0, games_per_minute=None, eta_s=None))
    assert lines[-1] == " 0/600 games · 0 % · time losses 0 · crashes 0"


def test_table_counts_what_went_wrong() -> None:
    line = table_lines(_progress(excluded=12, engine_failures=1, pairs_failed=2, time_losses=3))[-1]
    assert line.endswith("time losses 3 · crashes 3 · repetitions 12")


def test_plain_line() -> None:
    moment = datetime(2026, 11, 21, 10, 2, 30, tzinfo=UTC)
    line = plain_line(_progress(), moment)
    assert line == "2026-11-21T10:02:30Z r3f9 230/600 eta=763s score=0.517"
    line = plain_line(_progress(eta_s=None, time_losses=2), moment)
    assert line == "2026-11-21T10:02:30Z r3f9 230/600 eta=? score=0.517 time_losses=2"


def test_score_of_nothing() -> None:
    empty = _progress(pairings=(PairingProgress(0, "a", "b", 2, 0, 0, 0, 0, (0, 0, 0, 0, 0)),))
    assert first_score(empty) is None


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "0:00"), (59.6, "1:00"), (763, "12:43"), (4324, "1:12:04")]
)
def test_duration(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_in_a_pipe_lines_come_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 1.0, 9.0, 10.5, 11.0, 12.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with LiveProgress(Output()) as live:
        for played in (0, 10, 20, 30, 40, 600):
            live.show(_progress(games_played=played))
    captured = capsys.readouterr()
    lines = captured.err.splitlines()
    assert captured.out == ""
    assert lines[0].startswith("event r3f9")
    assert [line.split()[2] for line in lines[1:]] == ["30/600", "600/600"]


def test_quiet_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with LiveProgress(Output(quiet=True)) as live:
        live.show(_progress(games_played=600))
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_on_a_terminal_the_table_is_redrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr("sys.stderr", stream)
    with LiveProgress(Output()) as live:
        live.show(_progress(games_played=1))
        live.show(_progress())
    shown = stream.getvalue()
    assert "230/600 games" in shown
    assert "\x1b[" in shown, "the cursor moves back"
    assert "[31m" not in shown


def test_an_event_that_was_finished_before_is_not_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with LiveProgress(Output()) as live:
        live.show(_progress(games_played=600, games_now=0, eta_s=None))
    assert capsys.readouterr().err == ""


def test_what_is_over_has_no_time_left() -> None:
    moment = datetime(2026, 11, 21, 10, 2, 30, tzinfo=UTC)
    over = _progress(games_played=598, pairs_failed=1)
    assert " 598/600 eta=0s " in plain_line(over, moment)
    lines = table_lines(over)
    assert lines[0] == 'event r3f9 "first"' and "ETA" not in lines[-1]
