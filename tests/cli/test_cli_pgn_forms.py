"""PGN export and import lose nothing, also files in the forms of fastchess and cutechess. The forms
were written by hand from what those programs document and do; no file of theirs is here."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Mtdf = Callable[..., Any]
FIELDS = ("value", "depth", "nodes", "passes", "time_us")
MATE = 32_000

# With nodes=true seldepth=true nps=true hashfull=true tbhits=true timeleft=true latency=true
# pv=true and match_line; then as it is by default; then after a mate, and on time.
FASTCHESS = """\
[Event "Fastchess Tournament"]
[Site "?"]
[Date "2026.01.05"]
[Round "1"]
[White "one"]
[Black "two"]
[Result "0-1"]
[EngineWhiteName "One 1.0"]
[EngineWhiteAuthor "N. N."]
[GameDuration "00:00:01"]
[GameStartTime "2026-01-05T10:00:00 +0100"]
[GameEndTime "2026-01-05T10:00:01 +0100"]
[PlyCount "4"]
[Termination "normal"]
[WhiteTimeControl "40/60+0.5"]
[BlackTimeControl "0.5/move"]
[ECO "A00"]
[Opening "Barnes Opening"]

1. f3 {book} e5 {-0.51/12 0.250s, tl=59.750s, latency=0.001s, n=123456, sd=18,
nps=493824, hashfull=12, tbhits=0, pv="e7e5 e2e4, n=3", line="info depth 12, n=4"}
2. g4 {0.00/0 0.000s, tl=59.000s, n=0}
Qh4# {+M1/3 0.001s, tl=0.499s, n=77, sd=3, Black mates} 0-1

[Event "Fastchess Tournament"]
[Site "?"]
[Date "2026.01.05"]
[Round "1"]
[White "two"]
[Black "one"]
[Result "1-0"]
[PlyCount "3"]
[Termination "time forfeit"]
[TimeControl "10+0.1"]

1. f3 {book} e5 {/0 0.010s} 2. e4 {-M12/9 0.020s, Black loses on time (31ms overrun)}
1-0

[Event "Fastchess Tournament"]
[Site "?"]
[Date "2026.01.05"]
[Round "2"]
[White "one"]
[Black "two"]
[Result "1/2-1/2"]
[SetUp "1"]
[FEN "8/8/4k3/8/8/4K3/4P3/8 b - - 12 60"]
[PlyCount "2"]
[Termination "adjudication"]
[TimeControl "-"]

60... Kd5 {0.00/30 1.234s, n=9} 61. Kd3 {+0.01/31 1.000s, n=10, Draw by adjudication: SyzygyTB}
1/2-1/2

[Event "Fastchess Tournament"]
[Site "?"]
[Date "2026.01.05"]
[Round "2"]
[White "two"]
[Black "one"]
[Result "0-1"]
[SetUp "1"]
[FEN "8/8/4k3/8/8/4K3/4P3/8 b - - 12 60"]
[PlyCount "2"]
[Termination "illegal move"]
[TimeControl "-"]

60... Kd5 {+1.00/3 0.500s, n=1, White makes an illegal move: e2e5} 0-1

"""
FASTCHESS_GAMES = [
    (
        *("one", "0-1", "checkmate"),
        [
            (-51, 12, 123_456, None, 250_000),
            (0, None, 0, None, 0),
            (MATE - 1, 3, 77, None, 1000),
        ],
    ),
    (
        *("two", "1-0", "time-forfeit"),
        [(None, None, None, None, 10_000), (12 - MATE, 9, None, None, 20_000)],
    ),
    (
        *("one", "1/2-1/2", "adjudication"),
        [(0, 30, 9, None, 1_234_000), (1, 31, 10, None, 1_000_000)],
    ),
    ("two", "0-1", "illegal-move", [(100, 3, 1, None, 500_000)]),
]

CUTECHESS = """\
[Event "My Tournament"]
[Site "here"]
[Date "2026.02.01"]
[Round "1"]
[White "one"]
[Black "two"]
[Result "1-0"]
[ECO "C20"]
[GameDuration "00:00:03"]
[GameEndTime "2026-02-01T12:00:03.250 UTC"]
[GameStartTime "2026-02-01T12:00:00.125 UTC"]
[Opening "King's pawn game"]
[PlyCount "5"]
[TimeControl "40/60+0.5"]

1. e4 {book} e5 {book} 2. Bc4 {+0.35/12 1.2s} Nc6 {-M4/9 0.12s} 3. Qh5 {+M5/20 0.004s,
Black resigns} 1-0

[Event "My Tournament"]
[Site "here"]
[Date "2026.02.01"]
[Round "2"]
[White "two"]
[Black "one"]
[Result "1/2-1/2"]
[PlyCount "5"]
[Termination "adjudication"]
[TimeControl "40/60+0.5"]

1. e4 {book} e5 {book} 2. Bc4 {0.00/1 0s} Nc6 {12s} 3. Qh5 {-0.07/5 61s, Draw by adjudication:
maximal game length} 1/2-1/2

[Event "My Tournament"]
[Site "here"]
[Date "2026.02.01"]
[Round "3"]
[White "one"]
[Black "two"]
[Result "1-0"]
[PlyCount "3"]
[Termination "stalled connection"]
[WhiteTimeControl "inf"]
[BlackTimeControl "0.1/move"]

1. e4 {book} e5 {book} 2. Bc4 {+0.20/8 0.050s, Black's connection stalls} 1-0

"""
CUTECHESS_GAMES = [
    (
        *("one", "1-0", "resignation"),
        [
            (35, 12, None, None, 1_200_000),
            (4 - MATE, 9, None, None, 120_000),
            (MATE - 5, 20, None, None, 4000),
        ],
    ),
    (
        *("two", "1/2-1/2", "max-length"),
        [
            (0, 1, None, None, 0),
            (None, None, None, None, 12_000_000),
            (-7, 5, None, None, 61_000_000),
        ],
    ),
    ("one", "1-0", "engine-failure", [(20, 8, None, None, 50_000)]),
]


def searches(mtdf: Mtdf, game: str) -> list[tuple[int | None, ...]]:
    """What is known of each ply."""
    plies = mtdf("game", game, "--json").json["searches"]
    return [tuple(one[name] for name in FIELDS) for one in plies]


def on_base(mtdf: Mtdf, base: str) -> Mtdf:
    """Commands on that database."""
    return lambda *words: mtdf("--db", base, *words)


@pytest.mark.parametrize(
    ("text", "games", "pairs", "trinomial"),
    [(FASTCHESS, FASTCHESS_GAMES, 2, [2, 1, 1]), (CUTECHESS, CUTECHESS_GAMES, 1, [0, 1, 2])],
)
def test_files_of_other_programs_are_imported_completely(
    mtdf: Mtdf, text: str, games: list[Any], pairs: int, trinomial: list[int]
) -> None:
    Path("g.pgn").write_text(text, encoding="utf-8")
    (row,) = mtdf("import", "g.pgn", "--json").json
    assert (row["added"], row["bad"], row["pairs"]) == (len(games), 0, pairs)
    assert row["trinomial"] == trinomial
    stored = sorted(mtdf("games", "--json").json, key=lambda game: int(game["id"][1:]))
    found = [
        (one["white"], one["result"], one["end_reason"], searches(mtdf, one["id"]))
        for one in stored
    ]
    assert found == games
    assert mtdf("db", "check", "--replay").code == 0


def test_imported_games_survive_export_and_import(mtdf: Mtdf, tmp_path: Path) -> None:
    """Nothing is lost on the way through our own form."""
    for name, text in (("f.pgn", FASTCHESS), ("c.pgn", CUTECHESS)):
        Path(name).write_text(text, encoding="utf-8")
        assert mtdf("import", name).code == 0
        Path(f"own-{name}").write_text(mtdf("games", "--event", name, "--pgn").out)
        assert mtdf("import", f"own-{name}", "--db", "other.db").code == 0
    kept = ("white", "black", "result", "end_reason", "plies", "moves", "start_fen", "started_at")
    whole = []
    for run in (on_base(mtdf, "mtdf.db"), on_base(mtdf, "other.db")):
        games = run("games", "--json").json
        whole.append([([one[name] for name in kept], searches(run, one["id"])) for one in games])
    assert len(whole[0]) == 7 and whole[0] == whole[1]


def test_exported_games_have_the_same_ratings(on: Mtdf, mtdf: Mtdf) -> None:
    """And every number of their searches, to the microsecond."""
    Path("own.pgn").write_text(on("games", "--pgn").out, encoding="utf-8")
    (row,) = mtdf("import", "own.pgn", "--db", "other.db", "--json").json
    assert (row["added"], row["bad"], row["pairs"], row["singles"]) == (12, 0, 6, 0)
    names = ("engine", "games", "wins", "draws", "losses", "elo")
    here, there = (
        [{name: line.get(name) for name in names} for line in run("ratings", "--json", "-q").json]
        for run in (on, on_base(mtdf, "other.db"))
    )
    assert [one.pop("elo") for one in here] == pytest.approx([one.pop("elo") for one in there])
    assert here == there

    there_run = on_base(mtdf, "other.db")
    ours, theirs = on("games", "--json").json, there_run("games", "--json").json
    for one, two in zip(ours, theirs, strict=True):
        assert (one["moves"], one["end_reason"]) == (two["moves"], two["end_reason"])
        known = searches(on, one["id"])
        assert known == searches(there_run, two["id"])
        assert known and all(None not in search for search in known)
    assert json.dumps(ours) != json.dumps(theirs), "they are imported ones there"
