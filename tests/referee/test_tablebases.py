"""Endgame tablebases adjudicate games as Syzygy and retrograde analysis say.

The tables come from the folder in ``MTDF_TEST_SYZYGY`` (``.ci/run`` sets it). The logic is tested
without files, too.
"""

from __future__ import annotations

import os
import random
import shutil
import threading
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import chess
import chess.syzygy
import numpy as np
import pytest
from msgspec import convert, structs, to_builtins
from numpy.typing import NDArray

from db.records.games import GameRecord
from db.session import Database, open_database
from engines.limit import Limit
from engines.rules.chess_rules import ChessBoard
from toolkit.base.errors import UsageError
from toolkit.books.book import load_book
from toolkit.events.event import resume_event, start_event
from toolkit.events.settings import EventSettings, gauntlet_settings
from toolkit.referee import tablebases as module
from toolkit.referee.adjudication import Adjudication
from toolkit.referee.outcome import EndReason, GameOutcome
from toolkit.referee.replay import ReplayMismatch, replay_game
from toolkit.referee.tablebases import TablebaseRule
from toolkit.reports.upkeep import replay_games

VARIABLE = "MTDF_TEST_SYZYGY"
OVER = EndReason.TABLEBASE_ADJUDICATION
WHITE, BLACK, DRAW = (GameOutcome(result, OVER) for result in ("1-0", "0-1", "1/2-1/2"))  # type: ignore[arg-type]
MAGIC = {"rtbw": bytes.fromhex("71e8235d"), "rtbz": bytes.fromhex("d7660ca5")}

KQK = "8/8/8/8/8/2k5/8/K6Q w - - {} 1"
ROOK = "8/8/8/3k4/8/8/8/KR6 {} - - {} 1"


@pytest.fixture(scope="session")
def syzygy() -> Path:
    """Where 3- and 4-man tables are."""
    if not os.environ.get(VARIABLE):
        pytest.skip(f"no Syzygy tablebases: {VARIABLE} is not set")
    path = Path(os.environ[VARIABLE])
    assert (path / "KQvK.rtbw").is_file(), f"{VARIABLE} is not a folder of tables"
    return path


@pytest.fixture(scope="session")
def rule(syzygy: Path) -> TablebaseRule:
    return TablebaseRule.find(str(syzygy))


@pytest.fixture(scope="session")
def probing(syzygy: Path) -> Iterator[chess.syzygy.Tablebase]:
    """The tables, without our code."""
    with chess.syzygy.open_tablebase(str(syzygy)) as tables:
        yield tables


# Without files


class Stub:
    """Tables that say the same of every position; counts what it is asked."""

    def __init__(self, wdl: int | None, dtz: int | None = None) -> None:
        self.wdl, self.dtz = wdl, dtz
        self.asked: list[str] = []

    def get_wdl(self, board: chess.Board) -> int | None:
        self.asked.append("wdl")
        return self.wdl

    def get_dtz(self, board: chess.Board) -> int | None:
        self.asked.append("dtz")
        return self.dtz


def stubbed(
    monkeypatch: pytest.MonkeyPatch, wdl: int | None, dtz: int | None, decides: Any = "both"
) -> tuple[TablebaseRule, Stub]:
    stub = Stub(wdl, dtz)
    monkeypatch.setattr(module, "_opened", lambda path: stub)
    return TablebaseRule("/nowhere", decides, pieces=4, tables="0"), stub


@pytest.mark.parametrize(
    ("wdl", "turn", "expected"),
    [
        (2, "w", WHITE),
        (-2, "w", BLACK),
        (2, "b", BLACK),
        (-2, "b", WHITE),
        (1, "w", DRAW),
        (0, "b", DRAW),
        (-1, "b", DRAW),
        (None, "w", None),
    ],
)
def test_results_are_those_of_the_side_to_move(
    monkeypatch: pytest.MonkeyPatch, wdl: int | None, turn: str, expected: GameOutcome | None
) -> None:
    rule, stub = stubbed(monkeypatch, wdl, None)
    assert rule.verdict(chess.Board(ROOK.format(turn, 0))) == expected
    assert stub.asked == ["wdl"]  # after a capture or pawn move the distance is not needed


@pytest.mark.parametrize(
    ("dtz", "clock", "wins"),
    [
        (1, 1, True),
        (50, 49, True),
        (50, 50, False),  # the table's distance may be a ply too small
        (-50, 49, True),
        (-50, 50, False),
        (99, 1, False),
        (1, 98, True),
        (1, 99, False),
        (None, 1, False),  # only the table of results is there
    ],
)
def test_win_must_come_before_the_fifty_move_rule(
    monkeypatch: pytest.MonkeyPatch, dtz: int | None, clock: int, wins: bool
) -> None:
    rule, _ = stubbed(monkeypatch, 2 if (dtz or 1) > 0 else -2, dtz)
    expected = (WHITE if (dtz or 1) > 0 else BLACK) if wins else None
    assert rule.verdict(chess.Board(ROOK.format("w", clock))) == expected


@pytest.mark.parametrize(
    ("decides", "wdl", "expected"),
    [
        ("win", 2, WHITE),
        ("win", 0, None),
        ("win", 1, None),
        ("draw", 2, None),
        ("draw", -2, None),
        ("draw", 0, DRAW),
        ("draw", -1, DRAW),
    ],
)
def test_scope_of_the_tables(
    monkeypatch: pytest.MonkeyPatch, decides: str, wdl: int, expected: GameOutcome | None
) -> None:
    rule, _ = stubbed(monkeypatch, wdl, 1, decides)
    assert rule.verdict(chess.Board(ROOK.format("w", 0))) == expected


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",  # tables know no castling
        "4k2r/8/8/8/8/8/8/4K3 w k - 0 1",
        "4k3/8/8/8/8/8/P7/RN2K3 w - - 0 1",  # five men
    ],
)
def test_positions_that_no_table_has_are_not_looked_up(
    monkeypatch: pytest.MonkeyPatch, fen: str
) -> None:
    rule, stub = stubbed(monkeypatch, 2, 1)
    assert rule.verdict(chess.Board(fen)) is None
    assert stub.asked == []


def table(folder: Path, name: str, size: int = 80, begins: bytes | None = None) -> None:
    """A file with the outside of a table."""
    folder.mkdir(exist_ok=True)
    head = MAGIC[name[-4:]] if begins is None else begins
    (folder / name).write_bytes(head + bytes(size - len(head)))


def test_tables_are_found_in_several_folders(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two words"
    table(one, "KQvK.rtbw")
    table(one, "KQvK.rtbz")
    table(two, "KQRvKR.rtbw", 144)
    (two / "readme.txt").write_text("x")
    (two / "strange.rtbw").write_text("x")
    (two / "KvK.rtbw.part").write_text("x")
    (two / "KRvK.rtbw").mkdir()
    (two / "KBvK.rtbw").symlink_to("nothing")
    both = TablebaseRule.find(f"{one}{os.pathsep}{two}", "win")
    assert (both.path, both.pieces, both.decides) == (f"{one}{os.pathsep}{two}", 5, "win")
    assert str(both) == "syzygy 5 men (win)"
    swapped = TablebaseRule.find(f"{two}{os.pathsep}{one}", "win")
    assert swapped.tables == both.tables
    assert TablebaseRule.find(str(one), "win").tables != both.tables
    assert both.are_here()
    both.check_tables()


def test_relative_folder_is_kept_as_an_absolute_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table(tmp_path / "tables", "KQvK.rtbw")
    monkeypatch.chdir(tmp_path)
    assert TablebaseRule.find("tables").path == str(tmp_path / "tables")


@pytest.mark.parametrize(
    ("name", "size", "begins"),
    [
        ("KQvK.rtbw", 81, None),  # cut
        ("KQvK.rtbw", 80, MAGIC["rtbz"]),
        ("KQvK.rtbz", 80, MAGIC["rtbw"]),
        ("KQvK.rtbw", 80, b"version https://git-lfs"),
        ("KQvK.rtbw", 0, b""),
    ],
)
def test_invalid_table_is_refused(
    tmp_path: Path, name: str, size: int, begins: bytes | None
) -> None:
    table(tmp_path, "KRvK.rtbw")
    table(tmp_path, name, size, begins)
    with pytest.raises(UsageError) as caught:
        TablebaseRule.find(str(tmp_path))
    path = tmp_path / name
    assert str(caught.value) == f"{path} is damaged, or no Syzygy tablebase: replace it"


@pytest.mark.parametrize(
    ("path", "decides", "message"),
    [
        ("", "both", "no Syzygy tablebases (*.rtbw) in an empty path"),
        ("{}", "both", "no Syzygy tablebases (*.rtbw) in {}"),
        ("{}/none", "both", "tablebases in {}/none: No such file or directory"),
        ("{}/file", "both", "tablebases in {}/file: Not a directory"),
        ("{}", "loss", "tablebases decide `loss`: expected win, draw, both"),
    ],
)
def test_folder_without_tables_is_refused(
    tmp_path: Path, path: str, decides: str, message: str
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError) as caught:
        TablebaseRule.find(path.format(tmp_path), decides)
    assert str(caught.value) == message.format(tmp_path)


def test_changed_tables_are_noticed(tmp_path: Path) -> None:
    table(tmp_path, "KQvK.rtbw")
    rule = TablebaseRule.find(str(tmp_path))
    table(tmp_path, "KRvK.rtbw")
    with pytest.raises(UsageError) as caught:
        rule.check_tables()
    assert str(caught.value) == (
        f"the tablebases in {tmp_path} are others than when this started: restore them, or start "
        "over"
    )
    assert not structs.replace(rule, path=f"{tmp_path}/gone").are_here()


def test_settings_keep_the_rule_and_older_ones_are_unchanged(tmp_path: Path) -> None:
    table(tmp_path, "KQvK.rtbw")
    rules = Adjudication(tablebases=TablebaseRule.find(str(tmp_path), "draw"))
    assert convert(to_builtins(rules), Adjudication) == rules
    assert to_builtins(Adjudication())["tablebases"] is None
    assert str(rules).startswith("syzygy 3 men (draw), draw ")


# With files, against python-chess


def random_position(random_: random.Random, pieces: str) -> chess.Board | None:
    """A legal position of these men, or None."""
    board = chess.Board(None)
    for piece, square in zip(pieces, random_.sample(range(64), len(pieces)), strict=True):
        board.set_piece_at(square, chess.Piece.from_symbol(piece))
    board.turn = random_.random() < 0.5
    return board if board.is_valid() and not board.is_game_over() else None


@pytest.mark.parametrize("pieces", ["KQk", "KRkr", "KQkp", "KPk", "KNNk", "KPkp"])
def test_verdicts_are_those_of_python_chess(
    rule: TablebaseRule, probing: chess.syzygy.Tablebase, pieces: str
) -> None:
    random_ = random.Random(pieces)
    seen = 0
    while seen < 15:
        board = random_position(random_, pieces)
        if board is None:
            continue
        seen += 1
        board.halfmove_clock = random_.choice((0, 0, 1, 30, 60, 80, 95, 99))
        wdl, dtz = probing.probe_wdl(board), probing.probe_dtz(board)
        mover, other = (WHITE, BLACK) if board.turn else (BLACK, WHITE)
        expected: GameOutcome | None = DRAW
        if abs(wdl) == 2:
            fits = board.halfmove_clock == 0 or abs(dtz) + board.halfmove_clock < 100
            expected = (mover if wdl > 0 else other) if fits else None
        assert rule.verdict(board) == expected, board.fen()
        for decides in ("win", "draw"):
            some = structs.replace(rule, decides=decides).verdict(board)  # type: ignore[arg-type]
            own = (expected == DRAW) == (decides == "draw")
            assert some == (expected if own else None), board.fen()


def test_win_that_comes_too_late_is_played_on(
    rule: TablebaseRule, probing: chess.syzygy.Tablebase
) -> None:
    """It is no draw either: the other side may err. (No ending of four men is a cursed win.)"""
    late = chess.Board("7k/8/8/8/8/8/8/KBN5 w - - 0 1")
    assert rule.verdict(late) == WHITE
    late.halfmove_clock = 60
    assert abs(probing.probe_dtz(late)) + 60 > 100
    assert rule.verdict(late) is None


def test_en_passant_is_respected(rule: TablebaseRule, probing: chess.syzygy.Tablebase) -> None:
    """With the capture White wins, or draws, as python-chess finds by searching it."""
    board = chess.Board("8/8/8/k2pP3/8/8/8/K7 w - d6 0 1")
    without = chess.Board("8/8/8/k2pP3/8/8/8/K7 w - - 0 1")
    for one in (board, without):
        expected = {2: WHITE, -2: BLACK}.get(probing.probe_wdl(one), DRAW)
        assert rule.verdict(one) == expected


def test_table_that_is_missing_decides_nothing(syzygy: Path, tmp_path: Path) -> None:
    """Only KQvK: neither other men, nor positions whose captures lead to other tables."""
    for name in ("KQvK.rtbw", "KQvK.rtbz"):
        shutil.copy(syzygy / name, tmp_path)
    rule = TablebaseRule.find(str(tmp_path))
    assert rule.pieces == 3
    assert rule.verdict(chess.Board(KQK.format(0))) == WHITE
    assert rule.verdict(chess.Board(ROOK.format("w", 0))) is None
    wide = structs.replace(rule, pieces=4)
    assert wide.verdict(chess.Board("8/8/8/8/1r6/2k5/8/K6Q w - - 0 1")) is None
    (tmp_path / "KQvK.rtbz").unlink()
    only = TablebaseRule.find(str(tmp_path))
    module._opened.cache_clear()
    assert only.verdict(chess.Board(KQK.format(0))) == WHITE
    assert only.verdict(chess.Board(KQK.format(1))) is None


# With files, against brute force

Boards = NDArray[np.bool_]
"""By White's king, its piece and Black's king."""
LINES = {
    "r": ((1, 0), (-1, 0), (0, 1), (0, -1)),
    "q": ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)),
}


def rays(piece: str, square: int) -> Iterator[list[int]]:
    for right, up in LINES[piece]:
        column, row, ray = square % 8 + right, square // 8 + up, []
        while 0 <= column < 8 and 0 <= row < 8:
            ray.append(8 * row + column)
            column, row = column + right, row + up
        yield ray


@cache
def distances(piece: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Plies to mate with White and with Black to move, -1 for a draw and for what is illegal; by
    retrograde analysis that knows no bit boards."""
    near = np.zeros((64, 64), dtype=bool)  # kings at most one step apart
    for one in range(64):
        for other in range(64):
            near[one, other] = max(abs(one % 8 - other % 8), abs(one // 8 - other // 8)) <= 1
    attacked = np.zeros((64, 64, 64), dtype=bool)  # Black's king hides no square behind it
    for king in range(64):
        for own in range(64):
            for ray in rays(piece, own):
                for square in ray:
                    if square == king:
                        break
                    attacked[king, own, square] = True
    k, p, b = np.ogrid[:64, :64, :64]
    apart = (k != p) & (k != b) & (p != b) & ~near[k, b]
    free: Boards = np.zeros((64, 64, 64), dtype=bool)  # Black escapes into a draw
    steps: list[tuple[int, int, Boards]] = []  # Black's king may go from a square to another one
    for here in range(64):
        for there in np.flatnonzero(near[here]).tolist():
            if there == here:
                continue
            safe = ~near[:, there, None] & (np.arange(64) != there)[None, :]
            legal = safe & ~attacked[:, :, there] & apart[:, :, here]
            steps.append((here, there, legal))
            taken = apart[:, there, here] & ~near[:, there]
            free[:, there, here] |= taken
    moves = np.zeros((64, 64, 64), dtype=bool)
    for here, _, legal in steps:
        moves[:, :, here] |= legal
    black = np.full((64, 64, 64), -1)
    white = np.full((64, 64, 64), -1)
    black[apart & attacked & ~moves & ~free] = 0
    legal_white = apart & ~attacked
    for ply in range(1, 40):
        if ply % 2:
            lost = black == ply - 1
            for own in range(64):
                for ray in rays(piece, own):
                    open_ = np.ones((64, 64), dtype=bool)
                    for square in ray:
                        open_[square, :] = open_[:, square] = False
                        better = lost[:, square, :] & open_ & (white[:, own, :] < 0)
                        white[:, own, :][better & legal_white[:, own, :]] = ply
            for king in range(64):
                for to in np.flatnonzero(near[king]).tolist():
                    better = lost[to] & legal_white[king] & (white[king] < 0)
                    white[king][better] = ply
        else:
            doomed = moves & ~free & (black < 0)
            for here, there, legal in steps:
                doomed[:, :, here] &= ~legal | (white[:, :, there] >= 0)
            black[doomed] = ply
    return white, black


@pytest.mark.parametrize(
    ("piece", "longest"), [("q", 10), pytest.param("r", 16, marks=pytest.mark.slow)]
)
def test_verdicts_are_those_of_retrograde_analysis(
    rule: TablebaseRule, piece: str, longest: int
) -> None:
    """Without captures and pawns, the distance of the tables is that to the mate."""
    white, black = distances(piece)
    assert white.max() == 2 * longest - 1  # as in every endgame book
    random_ = random.Random(piece)
    seen = {WHITE: 0, DRAW: 0, None: 0}
    while sum(seen.values()) < 120:
        board = random_position(random_, f"K{piece.upper()}k")
        if board is None:
            continue
        found = (white if board.turn else black)[
            board.king(chess.WHITE),
            board.pieces(
                chess.PIECE_NAMES.index({"q": "queen", "r": "rook"}[piece]), chess.WHITE
            ).pop(),
            board.king(chess.BLACK),
        ]
        board.halfmove_clock = random_.choice((0, 20, 70, 80, 85, 90, 95))
        verdict = rule.verdict(board)
        seen[verdict] += 1
        if found < 0:
            assert verdict == DRAW, board.fen()
            continue
        assert verdict in (WHITE, None), board.fen()
        plies = found + board.halfmove_clock
        if verdict == WHITE:
            assert plies <= 100, board.fen()
        else:
            assert plies > 97, board.fen()  # at most rounding makes it shy
    assert min(seen.values()) > 2


# Events

ENDGAMES = [
    "8/8/3k4/8/8/3K4/3PP3/8 w - - 0 1",
    "8/5k2/8/8/3R4/8/r3PK2/8 w - - 0 1",
    "8/8/4k3/4p3/8/4K3/4PP2/8 w - - 0 1",
    "8/2k5/8/8/8/1BK5/5N1p/8 b - - 0 1",
    "8/8/8/2k5/1p6/8/PK6/6n1 b - - 4 20",
    "4k2r/8/8/8/8/8/8/4K2Q b k - 0 1",
]


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("book") / "endgames.epd"
    path.write_text("".join(f"{' '.join(fen.split()[:4])}\n" for fen in ENDGAMES))
    return path


def endgames(book: Path, tables: Path, decides: str = "both") -> EventSettings:
    return gauntlet_settings(
        ["mtdf:hash=1"],
        ["alphabeta:hash=1"],
        pairs=len(ENDGAMES),
        limit=Limit(nodes=30),
        book=load_book(str(book)),
        adjudication=Adjudication(
            max_plies=60, draw=None, tablebases=TablebaseRule.find(str(tables), decides)
        ),
    )


def played(games: Iterable[GameRecord]) -> list[tuple[object, ...]]:
    return [
        (g.pairing, g.pair, g.game, g.result, g.end_reason, g.moves, g.white_nodes, g.black_nodes)
        for g in games
    ]


@pytest.fixture(scope="module")
def decided(
    syzygy: Path, book: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[EventSettings, list[GameRecord]]:
    """The games of an event."""
    settings = endgames(book, syzygy)
    with open_database(tmp_path_factory.mktemp("decided") / "games.db") as db:
        start_event(db, settings, jobs=2)
        return settings, list(db.repository.games())


def test_events_are_equal_by_any_number_of_workers_and_after_resume(
    decided: tuple[EventSettings, list[GameRecord]], tmp_path: Path
) -> None:
    settings, games = decided
    found = [played(games)]
    with open_database(tmp_path / "one.db") as db:
        assert start_event(db, settings, jobs=1).status == "done"
        found.append(played(db.repository.games()))
        assert replay_games(db).mismatches == ()
    stop = threading.Event()
    with open_database(tmp_path / "cut.db") as db:
        event = start_event(
            db, settings, stop=stop, on_progress=lambda p: stop.set() if p.games_now else None
        ).event
        assert event.pairs_done < event.pairs_planned
        assert resume_event(db, event).status == "done"
        found.append(played(db.repository.games()))
    assert found[0] == found[1] == found[2]
    ended = [(result, reason) for _, _, _, result, reason, *_ in found[0]]
    assert {result for result, reason in ended if reason == OVER} >= {"1/2-1/2", "1-0"}
    assert len(ended) == 2 * len(ENDGAMES)


def test_every_game_ends_at_the_first_position_that_the_tables_decide(
    decided: tuple[EventSettings, list[GameRecord]], probing: chess.syzygy.Tablebase
) -> None:
    """The tables are asked by python-chess alone, after every ply of every game."""
    settings, games = decided
    for game in games:
        replayed = replay_game(game, settings.adjudication)
        assert type(replayed) is ChessBoard, "not the core's"
        board = replayed.board
        for back in range(game.plies):
            known = False
            if len(board.piece_map()) <= 4 and not board.castling_rights:
                wdl, dtz = probing.get_wdl(board), probing.get_dtz(board)
                late = board.halfmove_clock and abs(dtz or 0) + board.halfmove_clock >= 100
                known = wdl is not None and (abs(wdl) < 2 or not late)
            over = game.end_reason == OVER and back == 0
            assert known == over or (back == 0 and board.is_game_over(claim_draw=True))
            board.pop()


def test_event_in_which_only_wins_are_decided(syzygy: Path, book: Path, db: Database) -> None:
    start_event(db, endgames(book, syzygy, "win"), jobs=2)
    assert replay_games(db).mismatches == ()
    results = [(game.result, game.end_reason) for game in db.repository.games()]
    decided = {result for result, reason in results if reason == OVER}
    assert decided and "1/2-1/2" not in decided
    assert any(result == "1/2-1/2" for result, _ in results)


def test_replay_without_the_tables_accepts_what_they_decided(
    syzygy: Path, book: Path, db: Database, tmp_path: Path
) -> None:
    """Even where another rule would have ended the game at the same ply. Everything else is
    checked, with them or without."""
    tables = tmp_path / "tables"
    shutil.copytree(syzygy, tables, copy_function=os.symlink)
    settings = endgames(book, tables)
    start_event(db, settings, jobs=2)
    shutil.rmtree(tables)
    module._are_here.cache_clear()
    assert replay_games(db).mismatches == ()
    for game in db.repository.games():
        if game.end_reason != OVER:
            continue
        at_once = structs.replace(settings.adjudication, max_plies=game.plies, resign=None)
        assert mismatch(game, at_once) is None
        if game.plies > 1:
            short = structs.replace(at_once, max_plies=game.plies - 1)
            assert "was over before ply" in str(mismatch(game, short))
        wrong = structs.replace(game, end_reason="checkmate")
        assert "its moves say that it " in str(mismatch(wrong, settings.adjudication))


def mismatch(game: Any, rules: Adjudication) -> str | None:
    try:
        replay_game(game, rules)
    except ReplayMismatch as error:
        return str(error)
    return None


def test_wrong_result_is_found_with_the_tables(
    decided: tuple[EventSettings, list[GameRecord]],
) -> None:
    settings, games = decided
    other = {"1-0": "0-1", "0-1": "1-0", "1/2-1/2": "1-0"}
    for game in games:
        if game.end_reason != OVER:
            continue
        wrong = structs.replace(game, result=other[game.result])
        assert "stored as" in str(mismatch(wrong, settings.adjudication))


def test_changed_folder_is_one_line_at_resume(
    syzygy: Path, book: Path, db: Database, tmp_path: Path
) -> None:
    tables = tmp_path / "tables"
    shutil.copytree(syzygy, tables, copy_function=os.symlink)
    stop = threading.Event()
    stop.set()
    event = start_event(db, endgames(book, tables), stop=stop).event
    (tables / "KRvKR.rtbw").unlink()
    with pytest.raises(UsageError, match=f"the tablebases in {tables} are others than") as caught:
        resume_event(db, event)
    assert "\n" not in str(caught.value)
    shutil.copy(syzygy / "KRvKR.rtbw", tables)
    assert resume_event(db, event).status == "done"
    assert settings_of(event).adjudication.tablebases.pieces == 4


def settings_of(event: Any) -> EventSettings:
    return EventSettings.from_json(event.settings)
