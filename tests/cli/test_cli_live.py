"""The live table and the log lines of a running event are correct and fit the terminal."""

from __future__ import annotations

import io
import re
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from cases import each
from msgspec import structs
from rich.console import Console

from db.records.events import EventRecord
from db.session import Database
from engines.choices import GUESSES
from engines.limit import Limit
from toolkit.base.output import Output
from toolkit.base.table import display_width
from toolkit.commands._invocation import Invocation
from toolkit.events.event import start_event
from toolkit.events.progress import EventProgress, PairingStanding, match_fields
from toolkit.events.settings import gauntlet_settings
from toolkit.ratings.rating_list import RatingLine
from toolkit.referee.adjudication import Adjudication
from toolkit.reports.sprt import SprtStanding
from toolkit.reports.standing import EventStanding, standing_of
from toolkit.show.live.event import EventView, standing_frame
from toolkit.show.live.progress import Live
from toolkit.show.live.screen import _Drawn, frame_lines, shown_frame
from toolkit.stats.match import match_statistics

VIEW = EventView()


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


def _pairing(
    pairing: int, first: str, second: str, planned: int, games: int, *counts: Any
) -> PairingStanding:
    wins, draws, losses, pentanomial = counts
    return PairingStanding(
        pairing=pairing,
        first=first,
        second=second,
        games_planned=planned,
        games=games,
        wins=wins,
        draws=draws,
        losses=losses,
        pentanomial=pentanomial,
        **match_fields(pentanomial),
    )


def _progress(**changes: Any) -> EventProgress:
    pairings = (
        _pairing(0, "mtdf", "pvs", 200, 138, 41, 64, 33, (2, 15, 31, 15, 6)),
        _pairing(1, "mtdf", "alphabeta", 200, 92, 30, 32, 30, (4, 10, 18, 10, 4)),
        _pairing(2, "mtdf", "bns", 200, 0, 0, 0, 0, (0, 0, 0, 0, 0)),
    )
    fields: dict[str, Any] = {
        "event": _event(),
        "pairings": pairings,
        "games_planned": 600,
        "games_played": 230,
        "games_now": 230,
        "elapsed_s": 474.2,
        "games_per_second": 0.485,
        "eta_s": 763.0,
        "repetitions": 0,
        "time_losses": 0,
        "engine_failures": 0,
        "pairs_failed": 0,
        "repaired": 0,
    }
    return EventProgress(**(fields | changes))


def _lines(progress: EventProgress, width: int = 120, height: int = 24) -> list[str]:
    return frame_lines(VIEW.frame(progress), width, height)


def test_table() -> None:
    lines = _lines(_progress())
    assert lines[0].startswith('event r3f9 "first"') and "mtdf resume r3f9" in lines[0]
    assert lines[1].startswith(" vs pvs        ███████████")
    assert "138/200  +41 -33 =64  " in lines[1] and " ± " in lines[1] and "LOS " in lines[1]
    assert lines[3].startswith(" vs bns        ░░░░░░░░░░░░░░░░    0/200     +0 -0 =0")
    assert "±" not in lines[3]
    assert lines[4] == (
        " 230/600 games · 38 % · 29.1 games/min · ETA 12m43s · time losses 0 · crashes 0"
    )


def test_table_names_both_sides_when_there_are_two_heroes() -> None:
    pairings = (
        _pairing(0, "mtdf", "pvs", 2, 0, 0, 0, 0, (0, 0, 0, 0, 0)),
        _pairing(1, "coarse", "pvs", 2, 0, 0, 0, 0, (0, 0, 0, 0, 0)),
    )
    lines = _lines(_progress(pairings=pairings))
    assert lines[1].startswith(" mtdf    vs pvs  ")
    assert lines[2].startswith(" coarse  vs pvs  ")


def test_table_before_the_first_pair() -> None:
    lines = _lines(_progress(games_played=0, games_per_second=None, eta_s=None))
    assert lines[-1] == " 0/600 games · 0 % · time losses 0 · crashes 0"


def test_table_counts_what_went_wrong() -> None:
    line = _lines(_progress(repetitions=12, engine_failures=1, pairs_failed=2, time_losses=3))[-1]
    assert line.endswith("time losses 3 · crashes 3 · stored before 12")


HEROES = tuple(
    _pairing(
        number, f"mtdf:guess={guess}", "alphabeta:eval=pst", 2000, 1380, 410, 640, 330,
        (20, 150, 310, 150, 60),
    )
    for number, guess in enumerate(GUESSES)
)  # fmt: skip
LARGE = {"pairings": HEROES, "games_planned": 26_000, "games_played": 17_940, "time_losses": 3}


@each("width, height", [(60, 24), (80, 12), (200, 50), (58, 8), (44, 24), (30, 4), (20, 2)])
def test_small_terminal_keeps_important_columns(width: int, height: int) -> None:
    lines = _lines(_progress(**LARGE), width, height)
    assert len(lines) <= height and max(map(display_width, lines)) <= width
    assert "mtdf resume r3f9" in lines[0]
    assert "17 940/26 000" in lines[-1] or "17940/26000 12m43s" in lines[-1]
    if width >= 44:
        assert "ETA 12m43s" in lines[-1], "the time left stays"
    if width >= 58:
        assert "time losses 3" in lines[-1]
    rows = [line for line in lines[1:-1] if not line.startswith(" ... and")]
    for row in rows if width >= 58 else ():
        assert "+410 -330 =640" in row and " ± " in row and "LOS " in row
    shown = len(rows)
    assert (
        shown == len(HEROES) or lines[-2] == f" ... and {len(HEROES) - shown} more" or height <= 2
    )


def test_columns_disappear_in_order() -> None:
    """The bar first, then the games of a pairing, then the names; results stay longest."""
    whole, no_bar, no_games, short, bare = (
        _lines(_progress(**LARGE), width)[1] for width in (120, 110, 90, 60, 44)
    )
    assert "█" in whole and "1380/2000" in whole
    assert "█" not in no_bar and "1380/2000" in no_bar
    assert "1380/2000" not in no_games and "mtdf:guess=zero" in no_games
    assert "mtdf:guess=zero" not in short and "LOS >99 %" in short
    assert "LOS" not in bare and "+410 -330 =640" in bare


def test_rich_prints_all_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Through rich itself: nothing is cropped at the right, and nothing at the bottom."""
    drawn = _Drawn(VIEW.frame(_progress(**LARGE)))
    for width, height in ((60, 24), (80, 12), (200, 50)):
        console = Console(width=width, height=height, record=True, file=io.StringIO())
        console.print(drawn)
        assert console.export_text().rstrip().splitlines() == [
            line.rstrip() for line in _lines(_progress(**LARGE), width, height)
        ]


def test_names_cannot_move_the_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    evil = structs.replace(HEROES[0], second="x\x1b[2Jy")
    frame = shown_frame(Output(), VIEW.frame(_progress(pairings=(evil,))))
    assert "x\\x1b[2Jy" in frame_lines(frame, 120, 24)[1]
    monkeypatch.setenv("LC_ALL", "C")
    frame = shown_frame(Output(), VIEW.frame(_progress(pairings=(evil,))))
    assert all(line.isascii() for line in frame_lines(frame, 120, 24))


RATED = [
    RatingLine(
        engine=name, elo=elo, error95=12.345, error_model="pair-clustered", games=1000,
        score=0.5 + elo / 700, los_next=None, engine_id="", pool=0, bound=None, scale="mean 0",
        draws=0.5, core=None, limit={"nodes": 1000},
    )
    for name, elo in (("mtdf", 31.25), ("pvs", 4.0), ("alphabeta", -12.5), ("bns", -22.75))
]  # fmt: skip


def _standing(**changes: Any) -> EventStanding:
    return structs.replace(standing_of(_progress()), **{"ratings": RATED, **changes})


def test_several_engines_are_ranked() -> None:
    lines = frame_lines(standing_frame(_standing()), 100, 24)
    place = lines.index(" ratings")
    assert lines[place + 1 : place + 5] == [
        " 1  mtdf       +31.2  ± 12.3  1 000 games  54.5 %",
        " 2  pvs         +4.0  ± 12.3  1 000 games  50.6 %",
        " 3  alphabeta  -12.5  ± 12.3  1 000 games  48.2 %",
        " 4  bns        -22.8  ± 12.3  1 000 games  46.8 %",
    ]
    assert place == 3 and lines[-1].startswith(" 230/600 games"), "pairings come first"


def test_ratings_show_limits_bounds_and_pools() -> None:
    only = structs.replace(RATED[1], limit={"nodes": 5}, bound="at most", error95=None, pool=1)
    ratings = [RATED[0], RATED[2], only]
    lines = frame_lines(standing_frame(_standing(ratings=ratings, pairings=[])), 100, 24)
    assert lines[1:4] == [
        " 1  mtdf       nodes=1000         +31.2  ± 12.3  1 000 games  54.5 %",
        " 2  alphabeta  nodes=1000         -12.5  ± 12.3  1 000 games  48.2 %",
        "    pvs        nodes=5     at most +4.0          1 000 games  50.6 %",
    ]


@each("height", range(1, 14))
@each("width", [20, 30, 44, 60, 80, 120])
def test_two_tables_share_a_small_terminal(width: int, height: int) -> None:
    pairings = standing_of(_progress()).pairings
    many = [structs.replace(one, pairing=at) for at, one in enumerate(3 * pairings)]
    standing = _standing(pairings=many, test=TEST)
    lines = frame_lines(standing_frame(standing), width, height)
    assert len(lines) <= max(height, 1) and max(map(display_width, lines)) <= width
    assert lines[-1].startswith(" 230/600")
    if height < 9:
        return
    rated = [line for line in lines if re.search(r" [+-]\d+(\.\d)?  ± 12", line)]
    assert len(rated) >= 2 and "mtdf" in rated[0], "ratings keep their share"
    more = [line for line in lines if line.startswith(" ... and")]
    assert len(more) >= 1 and any("LLR" in line for line in lines)


TEST = SprtStanding(
    llr=1.13, lower=-2.94, upper=2.94, verdict="continue", elo0=0.0, elo1=10.0, alpha=0.05,
    beta=0.05, model="normalized", pairs=306, pairs_left=120.0,
)  # fmt: skip


def test_sprt_has_a_scale() -> None:
    lines = frame_lines(standing_frame(_standing(test=TEST)), 100, 24)
    assert lines[-2] == (
        " LLR  1.13  -2.94 ├──────────────────●────────┤ +2.94   [0, 10] normalized"
    )
    narrow = frame_lines(standing_frame(_standing(test=TEST)), 40, 24)
    assert narrow[-2] == " LLR 1.13 (-2.94, +2.94)"


def test_speed_of_fast_games_is_per_second() -> None:
    for speed, shown in (
        (0.02, "1.2 games/min"),
        (0.99, "59.4 games/min"),
        (12.3, "12.3 games/s"),
    ):
        line = frame_lines(standing_frame(_standing(games_per_second=speed)), 120, 24)[-1]
        assert f" · {shown} · " in line


def test_ratings_are_fitted_for_several_engines(db: Database, toys: ModuleType) -> None:
    settings = gauntlet_settings(
        ["pvs:name=a"], ["pvs:hash=1,name=b", "pvs:hash=2,name=c"], pairs=3, limit=Limit(nodes=1),
        adjudication=Adjudication(max_plies=20, draw=None, resign=None),
    )  # fmt: skip
    outcome = start_event(db, settings, make_player=toys.frail_player)
    text = "\n".join(frame_lines(EventView(db).frame(outcome.progress), 120, 24))
    assert " ratings\n 1  " in text and re.search(r"\n    c +at most ", text)
    assert "ratings" not in "\n".join(frame_lines(EventView().frame(outcome.progress), 120, 24))
    for kind in ("ablation",):
        other = structs.replace(outcome.progress, event=_kind(kind))
        assert "ratings" not in "\n".join(frame_lines(EventView(db).frame(other), 120, 24))


def test_plain_line() -> None:
    """Elo is that of both pairings' pairs together, as of one match."""
    match = match_statistics((6, 25, 49, 25, 10))
    assert match.elo is not None and match.elo_error95 is not None
    told = f"score=0.517 wdl=71-96-63 elo={match.elo:+.1f}±{match.elo_error95:.1f}"
    line = VIEW.line(_progress())
    assert line == f"r3f9 230/600 eta=12m43s {told}"
    line = VIEW.line(_progress(eta_s=None, time_losses=2))
    assert line == f"r3f9 230/600 eta=? {told} time_losses=2"


def _kind(kind: str) -> EventRecord:
    return structs.replace(_event(), kind=kind)


def test_sprt_shows_expected_and_latest_end() -> None:
    """The expected end, and the one at the largest number of pairs."""
    progress = _progress(eta_s=25.0, at_most_s=4020.0)
    assert " eta=25s at_most=1h07m score=" in VIEW.line(progress)
    assert " · ETA 25s · at most 1h07m · " in frame_lines(VIEW.frame(progress), 150, 40)[-1]
    unknown = _progress(eta_s=None, at_most_s=4020.0)
    assert " eta=? at_most=1h07m " in VIEW.line(unknown)
    assert " · at most 1h07m · " in frame_lines(VIEW.frame(unknown), 150, 40)[-1]
    over = _progress(games_played=600, eta_s=0.0, at_most_s=0.0)
    assert " eta=0s score=" in VIEW.line(over)
    assert "ETA" not in frame_lines(VIEW.frame(over), 150, 40)[-1]


def test_log_line_names_the_leader() -> None:
    def shown(*pairings: PairingStanding, kind: str = "round-robin") -> str:
        line = VIEW.line(_progress(pairings=pairings, event=_kind(kind)))
        return line.partition("eta=12m43s")[2].partition(" elo=")[0]

    three = (
        _pairing(0, "a", "b", 20, 10, 2, 2, 6, (1, 2, 1, 1, 0)),
        _pairing(1, "a", "c d", 20, 10, 0, 4, 6, (1, 2, 2, 0, 0)),
        _pairing(2, "b", "c d", 20, 10, 1, 0, 9, (4, 1, 0, 0, 0)),
    )
    # c d: 8 of 10 against a, 9 of 10 against b.
    assert shown(*three) == " leader='c d' score=0.850 wdl=15-4-1"
    # Of a gauntlet the heroes are compared: a has 3 of 10, b 1 of 10.
    hero = structs.replace(three[0], second="x")
    heroes = (hero, structs.replace(hero, pairing=1, first="b", wins=0, losses=8))
    assert shown(*heroes, kind="gauntlet") == " leader=a score=0.300 wdl=2-2-6"
    assert shown(*three, kind="ablation") == ""
    assert shown(three[0], kind="match") == " score=0.300 wdl=2-2-6"
    assert shown(_pairing(0, "a", "b", 2, 0, 0, 0, 0, (0, 0, 0, 0, 0))) == ""


def test_pipe_gets_a_line_every_ten_seconds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 1.0, 9.0, 10.5, 11.0, 12.0])
    own = SimpleNamespace(monotonic=lambda: next(clock))  # other threads have the real one
    monkeypatch.setattr("toolkit.show.live.progress.time", own)
    with Live(Invocation(), VIEW) as live:
        for played in (0, 10, 20, 30, 40, 600):
            live.show(_progress(games_played=played))
    captured = capsys.readouterr()
    lines = captured.err.splitlines()
    assert captured.out == ""
    assert lines[0].startswith("event r3f9")
    assert [line.split()[2] for line in lines[1:]] == ["30/600", "600/600"]


def test_quiet_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    invocation = Invocation()
    invocation.quiet = True
    with Live(invocation, VIEW) as live:
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
    with Live(Invocation(), VIEW) as live:
        live.show(_progress(games_played=1))
        live.show(_progress())
    shown = stream.getvalue()
    assert "230/600 games" in shown
    assert "\x1b[" in shown, "the cursor moves back"
    assert "[31m" not in shown


def test_finished_event_is_not_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Live(Invocation(), VIEW) as live:
        live.show(_progress(games_played=600, games_now=0, eta_s=None))
    assert capsys.readouterr().err == ""


def test_finished_event_has_no_eta() -> None:
    over = _progress(games_played=598, pairs_failed=1)
    assert " 598/600 eta=0s " in VIEW.line(over)
    lines = _lines(over)
    assert lines[0] == 'event r3f9 "first"' and "ETA" not in lines[-1]
