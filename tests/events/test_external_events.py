"""External engines play whole events, also if they change, misbehave or disappear."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Callable
from itertools import product
from pathlib import Path
from urllib.parse import quote

import chess
import pytest
from msgspec import structs
from msgspec.structs import replace

from cli import program
from db.records.games import GameRecord
from db.session import Database, open_database
from engines.external.process import EngineProcess
from engines.limit import Limit
from toolkit.base.errors import EngineProblem
from toolkit.base.output import Output
from toolkit.base.version import this_program
from toolkit.books.book import Book, load_book
from toolkit.commands._program import run_program
from toolkit.commands.runs.event_file import event_as_file
from toolkit.events import event as event_module
from toolkit.events.event import make_assignment, resume_event, start_event
from toolkit.events.schedule import Schedule
from toolkit.events.settings import (
    EventSettings,
    match_settings,
    round_robin_settings,
)
from toolkit.events.worker import EXTERNAL_KEPT, PairWorker
from toolkit.referee.adjudication import Adjudication
from toolkit.referee.outcome import EndReason
from toolkit.referee.searchdata import decode_found
from toolkit.referee.signature import split_signature
from toolkit.reports.games import game_lines, list_moves
from toolkit.reports.outcome import event_report
from toolkit.reports.upkeep import replay_games
from toolkit.runs import lifecycle
from toolkit.selection.games import Selection, choose
from toolkit.selection.players import Mixing, read_games
from toolkit.show.tables.outcome import print_warnings

Failing = Callable[..., list[str]]

FAKE = Path(__file__).parents[1] / "engines" / "fake_uci.py"
STOCKFISH = shutil.which("stockfish", path=f"{os.environ.get('PATH', os.defpath)}:/usr/games")
SHORT = Adjudication(max_plies=4, draw=None, resign=None)
NODES = Limit(nodes=60)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    """Openings in which knights can go to and fro, as the scripted engine's do."""
    path = tmp_path_factory.mktemp("book") / "pawns.epd"
    lines = []
    for files in product((False, True), repeat=4):
        board = chess.Board()
        for square in (chess.A2, chess.B2, chess.C2, chess.H2):
            if files[chess.square_file(square) % 4]:
                board.set_piece_at(square + 8, board.remove_piece_at(square))
        lines.append(board.epd())
    path.write_text("".join(f"{line}\n" for line in lines))
    return load_book(str(path))


def fake(*arguments: str, name: str = "fake", **options: str) -> str:
    """The text of the scripted engine."""
    words = (sys.executable, "-I", "-S", str(FAKE), *arguments)
    keys = "&".join(f"{key}={quote(value)}" for key, value in {"name": name, **options}.items())
    return f"uci:{' '.join(quote(word) for word in words)}?{keys}"


def ours(variant: str, keys: str = "") -> str:
    """The text of our own engine as an external one."""
    program = Path(sys.executable).parent / "mtdf"
    command = " ".join(quote(word) for word in (str(program), "uci", "--engine", variant))
    return f"uci:{command}?name=outside{keys and '&' + keys}"


def searched(game: GameRecord) -> tuple[object, ...]:
    """What was played, and what was found on the way."""
    found = decode_found(game.search_data, game.plies, game.search_version)
    data = tuple((one.value, one.nodes) for one in found)
    place = (game.pairing, game.pair, game.game)
    return *place, game.start_fen, game.moves, game.result, game.end_reason, data


def depths(db: Database) -> list[int]:
    """Of all searches of all games."""
    return [
        one.depth or 0
        for game in db.repository.games()
        for one in decode_found(game.search_data, game.plies, game.search_version)
    ]


def all_searched(db: Database) -> list[tuple[object, ...]]:
    return [searched(game) for game in db.repository.games()]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


# Our engine from outside plays what it plays inside


@pytest.mark.slow
@pytest.mark.native
@pytest.mark.parametrize("chess960", [False, True])
def test_native_engine_over_uci_plays_same_games(tmp_path: Path, chess960: bool) -> None:
    """With odds in nodes: the second one has a limit of its own. Only the depth may be one more:
    the last ``info`` of a search that was cut short has that of the iteration that was cut."""
    rules = Adjudication(max_plies=40)
    found, deep = [], []
    for number, (one, other) in enumerate(
        [
            ("pvs:hash=1", "mtdf:hash=1,nodes=150"),
            (ours("pvs:hash=1"), "mtdf:hash=1,nodes=150"),
            ("pvs:hash=1", ours("mtdf:hash=1", "nodes=150")),
        ]
    ):
        settings = match_settings(
            one,
            other,
            pairs=2,
            limit=Limit(nodes=400),
            seed=5,
            adjudication=rules,
            chess960=chess960,
        )
        with open_database(tmp_path / f"{number}.db") as db:
            outcome = start_event(db, settings)
            assert (outcome.status, outcome.progress.engine_failures) == ("done", 0)
            assert outcome.progress.problems == {}
            found.append(all_searched(db))
            deep.append(depths(db))
            assert replay_games(db).mismatches == ()
    assert len(found[0]) == 4
    assert found[1] == found[0]
    assert found[2] == found[0]
    for outside in deep[1:]:
        more = [there - here for here, there in zip(deep[0], outside, strict=True)]
        assert set(more) == {0, 1} and more.count(0) > 0.7 * len(more)


@pytest.mark.slow
@pytest.mark.native
def test_native_engine_over_uci_keeps_its_clock(db: Database) -> None:
    settings = match_settings(
        ours("mtdf:hash=1"),
        "mtdf:hash=1,name=inside",
        pairs=1,
        limit=Limit(base_ms=300, inc_ms=20),
        adjudication=Adjudication(max_plies=20),
        time_margin_ms=30_000,
    )
    outcome = start_event(db, settings)
    assert outcome.status == "done"
    reasons = {game.end_reason for game in db.repository.games()}
    assert not reasons & {EndReason.TIME_FORFEIT, EndReason.ENGINE_FAILURE, EndReason.ILLEGAL_MOVE}


# An engine that is another one now


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A copy of the scripted engine, which can be changed."""
    path = tmp_path / "engine.py"
    shutil.copy(FAKE, path)
    return path


def match_of(script: Path, book: Book, pairs: int, **options: str) -> EventSettings:
    command = " ".join(quote(word) for word in (sys.executable, "-I", "-S", str(script)))
    keys = "".join(f"&{key}={value}" for key, value in options.items())
    return match_settings(
        f"uci:{command}?name=script{keys}",
        "pvs:hash=1",
        pairs=pairs,
        limit=NODES,
        book=book,
        adjudication=SHORT,
    )


def change(script: Path) -> None:
    script.write_text(script.read_text() + "\n# another version\n")


def stop_after_first(progress: object, stop: threading.Event) -> None:
    if getattr(progress, "games_now", 0):
        stop.set()


@pytest.mark.slow
def test_changed_engine_is_refused_or_marked(db: Database, script: Path, book: Book) -> None:
    settings = match_of(script, book, 16)
    stop = threading.Event()
    first = start_event(
        db, settings, stop=stop, on_progress=lambda p: stop_after_first(p, stop)
    ).event
    assert 0 < first.pairs_done < 16
    old = settings.players[0].id
    change(script)
    with pytest.raises(EngineProblem) as caught:
        resume_event(db, first)
    text = str(caught.value)
    assert "\n" not in text and "engine `script` changed since event" in text
    assert f"(arguments: {old[:8]} -> " in text and "--allow-changed" in text
    assert db.repository.event(first.id).pairs_done == first.pairs_done

    assert resume_event(db, first, allow_changed=True).status == "done"
    marks = [split_signature(game.signature).changed for game in db.repository.games()]
    new = text.partition(f"{old[:8]} -> ")[2][:8]
    assert marks.count({}) == 2 * first.pairs_done
    assert marks.count({old[:8]: new}) == 32 - 2 * first.pairs_done
    assert replay_games(db).mismatches == ()

    lines = [line for line in rating_lines(db, mix=False) if line[0] == old]
    assert {core for _, core, _ in lines} == {f"uci:{old[:8]}", f"uci:{new}"}
    assert sum(games for *_, games in lines) == 32
    native = {core for key, core, _ in rating_lines(db, mix=False) if key != old}
    assert len(native) == 1, "our own engine is the same one"
    (mixed,) = [line for line in rating_lines(db, mix=True) if line[0] == old]
    assert mixed[2] == sum(games for *_, games in lines)


def rating_lines(db: Database, *, mix: bool) -> list[tuple[str, str | None, int]]:
    """Identity, core and number of counted games of each player."""
    found = read_games(db, choose(db, Selection()), mixing=Mixing(cores=mix))
    games = found.table.results().sum(axis=1)
    return [
        (player.identity, player.core_text, int(number))
        for player, number in zip(found.players, games, strict=True)
    ]


@pytest.mark.slow
def test_engine_changed_during_event_loses_no_games(db: Database, script: Path, book: Book) -> None:
    """Its pairs are given up, and are played after it is what it was."""
    settings = match_of(script, book, 4, restart="on")
    before = script.read_bytes()

    def watch(progress: object) -> None:
        if getattr(progress, "games_now", 0) == 2:
            change(script)

    outcome = start_event(db, settings, on_progress=watch)
    assert outcome.status == "failed" and outcome.event.pairs_failed > 0
    assert outcome.problem is not None and "changed while the event runs" in outcome.problem
    for failure in db.repository.failures(outcome.event.id):
        assert "changed while the event runs" in failure.reason
    assert all(game.end_reason == EndReason.MAX_LENGTH for game in db.repository.games())
    script.write_bytes(before)
    again = resume_event(db, outcome.event, retry_failed=True)
    assert (again.event.pairs_done, again.event.pairs_failed) == (4, 0)


@pytest.mark.slow
def test_external_engine_is_one_player_for_every_core(
    db: Database, script: Path, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = match_of(script, book, 2)
    one = start_event(db, settings).event
    other = replace(this_program(), signature="1" * 16)
    monkeypatch.setattr(event_module, "this_program", lambda *_: other)
    monkeypatch.setattr(lifecycle, "this_program", lambda *_: other)
    start_event(db, structs.replace(settings, seed=1))
    external = settings.players[0].id
    lines = rating_lines(db, mix=False)
    assert [games for key, _, games in lines if key == external] == [8]
    assert sorted(core or "" for key, core, _ in lines if key != external) == sorted(
        f"{one.backend}:{signature}" for signature in (one.signature, "1" * 16)
    )


# Engines that misbehave


@pytest.mark.slow
def test_hanging_engine_loses_and_event_goes_on(
    db: Database, book: Book, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = match_settings(
        fake("hang=go"),
        "pvs:hash=1",
        pairs=2,
        limit=NODES,
        book=book,
        adjudication=SHORT,
        patience_ms=900,
    )
    outcome = start_event(db, settings)
    assert outcome.status == "done" and outcome.progress.games_played == 4
    for game in db.repository.games():
        assert game.end_reason == EndReason.ENGINE_FAILURE
        assert game.result == ("0-1" if game.white == "fake" else "1-0")
        assert game.plies == (0 if game.white == "fake" else 1)
    (problem,) = outcome.progress.problems
    assert problem == ("fake: did not answer within 900 ms, nor to `stop`, and was killed")
    assert outcome.progress.problems[problem] == 4
    output = Output()
    print_warnings(output, outcome, event_report(db, outcome))
    assert "an engine that ignores --nodes searches until it hangs" in capsys.readouterr().err
    assert replay_games(db).mismatches == ()


@pytest.mark.slow
def test_hanging_engine_loses_on_time(db: Database, book: Book) -> None:
    settings = match_settings(
        fake("hang=go"),
        "pvs:hash=1",
        pairs=1,
        limit=Limit(base_ms=150),
        book=book,
        adjudication=SHORT,
        time_margin_ms=50,
    )
    outcome = start_event(db, settings)
    assert outcome.status == "done"
    assert {game.end_reason for game in db.repository.games()} == {EndReason.TIME_FORFEIT}
    assert replay_games(db).mismatches == ()


@pytest.mark.parametrize(
    ("fault", "reason", "problem"),
    [
        ("answer=e2e5", EndReason.ILLEGAL_MOVE, "tried the illegal move e2e5"),
        *(
            pytest.param(fault, EndReason.ENGINE_FAILURE, problem, marks=pytest.mark.slow)
            for fault, problem in (
                ("crash=2", "SIGSEGV"),
                ("exit=2", "out of luck"),
                ("answer=(none)", "answered `bestmove (none)`"),
                ("closed=go", "fake"),
                ("flood=go", "fake"),
            )
        ),
    ],
)
def test_faults_are_reported_and_cost_one_game(
    db: Database, book: Book, fault: str, reason: EndReason, problem: str
) -> None:
    settings = match_settings(
        fake(fault),
        fake(name="steady"),
        pairs=1,
        limit=NODES,
        book=book,
        adjudication=SHORT,
        patience_ms=2000 if fault == "flood=go" else 60_000,
    )
    outcome = start_event(db, settings)
    assert outcome.status == "done"
    games = list(db.repository.games())
    lost = [game for game in games if game.end_reason == reason]
    assert lost and all(game.result == ("0-1" if game.white == "fake" else "1-0") for game in lost)
    (text,) = outcome.progress.problems
    assert problem in text and text.startswith("fake: ") and "\n" not in text
    assert outcome.progress.problems[text] == len(lost)


@pytest.mark.slow
def test_command_reports_hanging_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    database = str(tmp_path / "games.db")
    words = ["match", fake("hang=go"), "mtdf", "--nodes", "20", "--pairs", "1", "--db", database]
    assert run_program(program, [*words, "--hang-after", "0.9", "--quiet"]) == 0
    err = capsys.readouterr().err
    assert "warning: fake: did not answer within 900 ms" in " ".join(err.split())
    with open_database(database) as db:
        settings = EventSettings.from_json(db.repository.find_event("last").settings)
        assert settings.patience_ms == 900
    assert run_program(program, ["show", "last", "--toml", "--db", database]) == 0
    assert "\nhang-after = 0.9\n" in capsys.readouterr().out


def test_invalid_hang_after_is_refused(
    failing: Failing, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(seconds: str) -> None:
        words = ["match", "mtdf", "pvs", "--nodes", "20", "--pairs", "1", "--hang-after", seconds]
        database = tmp_path / "games.db"
        assert run_program(program, [*words, "--db", str(database)]) == 2
        assert "error: --hang-after" in capsys.readouterr().err
        assert not database.exists()

    assert not failing(check, zip(["0", "-1", "nan", "inf", "90000"]))


def test_clock_with_moves_reaches_event(tmp_path: Path) -> None:
    database = str(tmp_path / "games.db")
    words = ["match", "mtdf", "pvs", "--tc", "3/0.5+0.05", "--pairs", "1", "--max-plies", "2"]
    assert run_program(program, [*words, "--quiet", "--db", database]) == 0
    with open_database(database) as db:
        (event,) = db.repository.events()
        assert EventSettings.from_json(event.settings).limit == Limit(
            base_ms=500, inc_ms=50, moves=3
        )


# Processes


@pytest.mark.slow
def test_restart_starts_process_for_each_game(db: Database, book: Book, tmp_path: Path) -> None:
    """Each process is told to quit; the last one is, at the end of the worker, killed or told."""
    started = {}
    for restart in ("on", "off"):
        log = tmp_path / restart
        settings = match_settings(
            fake(f"log={log}", restart=restart),
            "pvs:hash=1",
            pairs=3,
            limit=NODES,
            book=book,
            adjudication=SHORT,
        )
        begun = log.read_text().split("\n").count("uci")  # it was identified
        assert start_event(db, settings).status == "done"
        lines = log.read_text().split("\n")
        assert lines.count("ucinewgame") == 6
        started[restart] = lines.count("uci") - begun
    assert started == {"on": 6, "off": 1}


@pytest.mark.slow
def test_worker_keeps_few_processes(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    """A round robin of ten engines, in this process."""
    started: list[EngineProcess] = []
    most = 0
    start = EngineProcess.__init__

    def counted(self: EngineProcess, *arguments: object) -> None:
        nonlocal most
        start(self, *arguments)  # type: ignore[arg-type]
        started.append(self)
        most = max(most, sum(is_alive(process.pid) for process in started))

    names = [f"fake{number}" for number in range(10)]
    settings = round_robin_settings(
        [fake(f"say=info depth {at}", name=name) for at, name in enumerate(names)],
        pairs=1,
        limit=NODES,
        book=book,
        adjudication=Adjudication(max_plies=2, draw=None, resign=None),
        repeat_openings=True,
    )
    monkeypatch.setattr(EngineProcess, "__init__", counted)
    worker = PairWorker(make_assignment(settings, 1, this_program()))
    try:
        for task in Schedule(settings, book).missing(frozenset()):
            games = worker.play(task)
            assert {game.end_reason for game in games} == {EndReason.MAX_LENGTH}
    finally:
        for process in started:
            process.kill()
    assert len({process.pid for process in started}) >= 10
    assert 2 <= most <= EXTERNAL_KEPT


# What engines say


@pytest.mark.slow
def test_problems_of_strict_events_make_exit_code_4(
    tmp_path: Path, book: Book, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*words: str) -> tuple[int, str]:
        code = run_program(program, ["--db", str(tmp_path / "games.db"), *words])
        return code, capsys.readouterr().err.strip().splitlines()[-1]

    said = "info depth 1 seldepth 3 score cp 5 pv zz|info string ready"
    match = ("match", fake(f"say={said}"), "pvs:hash=1", "--pairs", "1", "--nodes", "9")
    short = ("--book", book.source, "--max-plies", "4", "--name")
    assert run(*match, *short, "mild")[0] == 0
    code, error = run(*match, *short, "strict", "--strict", "--no-lines")
    assert code == 4
    assert "--strict: fake in g3: printed a variation with an illegal move at ply 1: zz" in error
    assert "v_problems" in error and run("resume", "strict") == (code, error)
    assert run("match", "mtdf:hash=1", *match[2:], *short, "sound", "--strict")[0] == 0
    with open_database(tmp_path / "games.db") as db:
        events = {event.id: event for event in db.repository.events()}
        for game in db.repository.games():
            printed = [(one.pv, one.seldepth, one.string) for one in game_lines(db, game).values()]
            is_kept = events[game.event_id].name == "mild"
            assert printed == [("zz", 3, "ready")] * (2 * is_kept)
        strict = next(event for event in events.values() if event.name == "strict")
        text = event_as_file(EventSettings.from_json(strict.settings))
        assert "strict = true" in text and "no-lines = true" in text


@pytest.mark.slow
@pytest.mark.skipif(STOCKFISH is None, reason="there is no stockfish")
def test_lines_of_stockfish_are_legal_and_begin_with_the_move(db: Database) -> None:
    """As python-chess judges; one that is weakened is not accused."""
    weak = f"uci:{STOCKFISH}?name=weak&Skill Level=0"
    rules = Adjudication(max_plies=30)
    settings = match_settings(
        f"uci:{STOCKFISH}?name=full", weak, pairs=1, limit=Limit(nodes=1000), adjudication=rules
    )
    assert start_event(db, settings).progress.problems == {}
    others = 0
    for game in db.repository.games():
        board = chess.Board(game.start_fen)
        for move in list_moves(game, game_lines(db, game)):
            line, pv = board.copy(), move.pv or []
            for word in pv:
                assert chess.Move.from_uci(word) in line.legal_moves
                line.push_uci(word)
            is_full = (game.white if board.turn else game.black) == "full"
            assert pv and move.seldepth and move.hashfull is not None and move.tbhits == 0
            assert pv[0] == move.uci or not is_full
            others += pv[0] != move.uci
            board.push_uci(move.uci)
    assert others, "a weakened one plays other moves"
