"""An external engine as a player gets the right commands, and each wrong answer has a result."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.errors import (
    EngineError,
    EngineFailure,
    EngineTimeout,
    PositionError,
    StartFailure,
)
from engines.external import player as module
from engines.external.player import ThreadWatch, UciPlayer
from engines.moves import decode_move, encode_move
from engines.players import make_player as player_of
from engines.spec import Clocks, Player, SearchLimit, UciEngine
from engines.variant import parse_variant
from toolkit.referee.adjudication import Adjudication
from toolkit.referee.outcome import EndReason
from toolkit.referee.referee import GameRules, Limit, play_game

Failing = Callable[..., list[str]]

Make = Callable[..., UciPlayer]
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
NODES = SearchLimit(nodes=100, patience_ms=60_000)
SHORT = SearchLimit(nodes=100, patience_ms=200)
CHESS960 = "option name UCI_Chess960 type check default false\n"


def process_of(player: UciPlayer) -> int:
    assert player._process is not None
    return player._process.pid


def play(player: Player, limit: SearchLimit = NODES) -> str:
    """Search, and play the move."""
    report = player.go(limit)
    player.push(report.move)
    return decode_move(report.move)


def commands(log: Path) -> list[str]:
    """What it was sent after it was identified."""
    text = log.read_text()
    return text[text.index("quit\n") + 5 :].splitlines()


def test_player_sends_uci_commands(make_player: Make, tmp_path: Path) -> None:
    player = make_player(f"log={tmp_path / 'log'}")
    fen = "8/8/8/8/8/4k3/4p3/4K3 b - - 12 34"
    player.new_game()
    player.set_position(START)
    assert [play(player) for _ in range(3)] == ["g1f3", "g8f6", "f3g1"]
    player.set_position(fen, [encode_move("e3d3")])
    play(player, SearchLimit(depth=5, nodes=7, movetime_ms=50))
    player.set_position("8/8/8/8/8/4k3/4p3/4K3 b - -")
    play(player, SearchLimit(soft_ms=3, hard_ms=5, clocks=Clocks(1000, 2000, 10, 20, None)))
    play(player, SearchLimit(clocks=Clocks(1000, 2000, 0, 0, 40), patience_ms=2000))
    player.close()
    player.close()
    assert commands(tmp_path / "log") == [
        "uci",
        "isready",
        "ucinewgame",
        "isready",
        "position startpos",
        "go nodes 100",
        "position startpos moves g1f3",
        "go nodes 100",
        "position startpos moves g1f3 g8f6",
        "go nodes 100",
        f"position fen {fen} moves e3d3",
        "go depth 5 nodes 7 movetime 50",
        "position fen 8/8/8/8/8/4k3/4p3/4K3 b - - 0 1",
        "go wtime 1000 btime 2000 winc 10 binc 20",
        "position fen 8/8/8/8/8/4k3/4p3/4K3 b - - 0 1 moves g1f3",
        "go wtime 1000 btime 2000 winc 0 binc 0 movestogo 40",
        "quit",
    ]


@pytest.mark.slow
def test_player_reports_search(make_player: Make) -> None:
    player = make_player("sleep=go:0.1")
    player.new_game()
    report = player.go(NODES)
    assert (decode_move(report.move), report.value, report.depth) == ("g1f3", 25, 3)
    assert (report.nodes, report.passes, report.overrun) == (100, None, 0)
    assert report.time_us >= 100_000
    assert report.cpu_us < report.time_us
    if sys.platform.startswith("linux"):
        assert report.cpu_us > 0


@pytest.mark.slow
def test_missing_search_data_is_none(make_player: Make) -> None:
    player = make_player("say=info string thinking|info currmove e2e4")
    report = player.go(NODES)
    assert (report.value, report.depth, report.nodes) == (None, None, None)


@pytest.mark.slow
def test_promotion_in_capitals_is_read(make_player: Make) -> None:
    player = make_player("answer=e7e8Q ponder a1a2")
    assert play(player) == "e7e8q"


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["(none)", "0000", "NULL", "", "e2e9", "résigne", "e2e4e5"])
def test_invalid_answer_is_failure(make_player: Make, answer: str) -> None:
    player = make_player(f"answer={answer}")
    with pytest.raises(EngineFailure) as caught:
        player.go(NODES)
    line = f"bestmove {answer}".rstrip()
    assert str(caught.value) == f"`fake` answered `{line}`, which is not a move"
    assert process_of(player)


@pytest.mark.slow
def test_crash_ends_game_but_not_player(make_player: Make) -> None:
    player = make_player("crash=1")
    player.new_game()
    play(player)
    first = process_of(player)
    with pytest.raises(EngineFailure, match=r"^`fake` died \(SIGSEGV\)$"):
        player.go(NODES)
    player.new_game()
    player.set_position(START)
    assert play(player) == "g1f3"
    assert process_of(player) != first


@pytest.mark.slow
def test_death_between_moves_is_failure(make_player: Make) -> None:
    player = make_player()
    play(player)
    os.kill(process_of(player), signal.SIGKILL)
    with pytest.raises(EngineFailure, match=r"^`fake` died \(SIGKILL\)$"):
        player.go(NODES)


@pytest.mark.slow
def test_engine_that_obeys_stop_is_kept(make_player: Make) -> None:
    """Its late move is not taken for an answer to the next search."""
    player = make_player("sleep=go:600")
    with pytest.raises(EngineTimeout, match="`fake` did not answer within 200 ms, but to `stop`"):
        player.go(SHORT)
    first = process_of(player)
    player.push(encode_move("g1f3"))
    with pytest.raises(EngineTimeout):
        player.go(SHORT)
    player.new_game()
    assert process_of(player) == first


@pytest.mark.slow
def test_hanging_engine_is_killed(make_player: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STOP_GRACE_S", 0.1)
    player = make_player("hang=go")
    player.new_game()
    first = process_of(player)
    with pytest.raises(EngineTimeout, match="nor to `stop`, and was killed"):
        player.go(SHORT)
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)
    player.new_game()
    assert process_of(player) != first


@pytest.mark.slow
def test_second_answer_is_ignored(make_player: Make) -> None:
    player = make_player("twice")
    played = []
    for _ in range(4):
        played.append(play(player))
        time.sleep(0.02)
    assert played == ["g1f3", "g8f6", "f3g1", "f6g8"]
    assert player.take_remarks() == ["gave an answer twice"]
    assert player.take_remarks() == []


@pytest.mark.slow
def test_late_second_answer_is_ignored(
    make_player: Make,
) -> None:
    """It says its answer of the move before, and then that of this one."""
    player = make_player("again=1")
    assert [play(player) for _ in range(4)] == ["g1f3", "g8f6", "f3g1", "f6g8"]
    assert player.take_remarks() == ["gave an answer twice"]


@pytest.mark.slow
def test_repeated_move_is_not_waited_for(make_player: Make) -> None:
    player = make_player("answer=g1f3")
    assert play(player) == "g1f3"
    assert play(player) == "g1f3", "which the referee refuses"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hang=ucinewgame"], "`fake` did not get ready within 1 s"),
        (["die=ucinewgame"], r"`fake` ended \(exit code 4\)"),
        (["flood=ucinewgame"], "`fake` did not get ready within 1 s"),
    ],
)
def test_engine_that_does_not_begin_game_fails(
    make_player: Make, tmp_path: Path, arguments: list[str], message: str
) -> None:
    log = tmp_path / "log"
    player = make_player(*arguments, f"log={log}", patience_s=1.0)
    with pytest.raises(StartFailure, match=message) as caught:
        player.new_game()
    assert str(caught.value).endswith("; it failed to start 3 times in a row")
    assert caught.value.label == "fake"
    assert log.read_text().split().count("uci") == 1 + 3, "once to be identified"
    assert len(player.take_remarks()) == 1, "of the first two, which say the same"


@pytest.mark.slow
def test_engine_dead_between_games_is_restarted(make_player: Make) -> None:
    player = make_player()
    player.new_game()
    os.kill(process_of(player), signal.SIGKILL)
    player.new_game()
    player.set_position(START)
    assert play(player) == "g1f3"
    assert player.take_remarks() == ["`fake` died (SIGKILL); it was started again"]


@pytest.mark.slow
def test_flood_is_only_remarked(make_player: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FLOOD_BYTES", 1 << 20)
    player = make_player("spill=3000000")
    assert play(player) == "g1f3"
    assert play(player) == "g8f6"
    assert player.take_remarks() == ["printed more than 1 MB for one move"]


@pytest.mark.slow
def test_restart_gives_each_game_new_process(make_player: Make) -> None:
    for restart in (True, False):
        player = make_player(restart=restart)
        numbers = []
        for _ in range(3):
            player.new_game()
            play(player)
            numbers.append(process_of(player))
        assert len(set(numbers)) == (3 if restart else 1)


@pytest.mark.slow
def test_chess960_is_switched_on_and_off(make_player: Make, tmp_path: Path) -> None:
    (tmp_path / "options").write_text(CHESS960)
    player = make_player(f"options={tmp_path / 'options'}", f"log={tmp_path / 'log'}")
    for chess960 in (False, True, True, False):
        player.new_game()
        player.set_position(START, chess960=chess960)
        play(player)
    told = [line for line in commands(tmp_path / "log") if line.startswith("setoption")]
    assert told == [f"setoption name UCI_Chess960 value {value}" for value in ("true", "false")]


@pytest.mark.slow
def test_chess960_is_refused_without_option(make_player: Make) -> None:
    player = make_player()
    player.new_game()
    with pytest.raises(StartFailure, match="`fake` does not play Chess960: no option UCI_Chess"):
        player.set_position(START, chess960=True)


@pytest.mark.slow
def test_unsupported_limits_are_refused(make_player: Make) -> None:
    player = make_player()
    with pytest.raises(EngineFailure, match="cannot be limited by CPU time"):
        player.go(SearchLimit(cpu_ms=5))
    with pytest.raises(EngineFailure, match="needs a limit of nodes, depth, time or a clock"):
        player.go(SearchLimit(soft_ms=5, hard_ms=5))


@pytest.mark.slow
def test_invalid_positions_are_refused(failing: Failing, make_player: Make) -> None:
    def check(fen: str) -> None:
        with pytest.raises(PositionError, match="is not a position"):
            make_player().set_position(fen)

    assert not failing(check, zip(["", "8/8 w", f"{START} 7", f"{START}\nquit", "8/8/é w - -"]))


@pytest.mark.slow
def test_changed_engine_is_not_played(
    make_player: Make, tmp_path: Path, engine: Callable[..., UciEngine]
) -> None:
    options = tmp_path / "options"
    options.write_text("option name Net type string default <empty>\n")
    net = tmp_path / "net"
    net.write_text("one")
    player = UciPlayer(engine(f"options={options}", Net=str(net)))
    net.write_text("other")
    told = "`.*net` changed while the event runs; if the engine .* give it files=none"
    with pytest.raises(EngineFailure, match=told):
        player.new_game()


@pytest.mark.slow
def test_engine_that_announces_another_name_is_another_one(
    make_player: Make, tmp_path: Path
) -> None:
    said = tmp_path / "said"
    said.write_text("id name Early\n")
    player = make_player(f"options={said}", restart=True)
    player.new_game()
    player.new_game()
    said.write_text("id name Late\n")
    told = "announced the name `Early` before, and now `Late`: it changed while the event runs"
    with pytest.raises(StartFailure, match=told):
        player.new_game()


@pytest.mark.slow
def test_native_and_external_players_meet(engine: Callable[..., UciEngine]) -> None:
    native, external = player_of(parse_variant("mtdf")), player_of(engine())
    assert isinstance(external, UciPlayer)
    rules = GameRules(Limit(nodes=50), Adjudication(None, None, None))
    game = play_game(START, native, external, rules)
    # Once its knight cannot move as scripted, it loses.
    assert game.outcome.reason in (EndReason.ILLEGAL_MOVE, EndReason.CHECKMATE)
    assert [decode_move(move) for move in game.searches.moves[1:2]] == ["g8f6"]
    assert game.searches.passes[1] is None and game.searches.passes[0]
    native.close()
    external.close()


@pytest.mark.slow
def test_engines_play_game_to_its_end(make_player: Make) -> None:
    white, black = make_player(), make_player()
    rules = GameRules(Limit(nodes=50), Adjudication(None, None, None))
    for _ in range(2):
        game = play_game(START, white, black, rules)
        assert game.outcome.reason is EndReason.THREEFOLD_REPETITION
        assert len(game.searches) == 8 and set(game.searches.values) == {25}


@pytest.mark.slow
def test_failures_are_one_line(make_player: Make) -> None:
    player = make_player("exit=0", "die=stop")
    with pytest.raises(EngineError) as caught:
        player.go(NODES)
    assert str(caught.value) == "`fake` ended (exit code 3): out of luck"


@pytest.mark.slow
def test_chess960_king_castles_then_moves_to_rook(
    make_player: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`g1h1` twice: the first time it castles, the second time it moves."""
    options, moves = tmp_path / "options", tmp_path / "moves"
    options.write_text(CHESS960)
    moves.write_text("g1h1 a7a6 g1h1 a6a5")
    player = make_player(f"options={options}", f"moves={moves}")
    player.new_game()
    player.set_position("r5kr/pppppppp/8/8/8/8/PPPPPPPP/R5KR w KQkq - 0 1", chess960=True)
    monkeypatch.setattr(module, "REPEAT_GRACE_S", 300.0)
    begin = time.monotonic()
    assert [play(player) for _ in range(4)] == ["g1h1", "a7a6", "g1h1", "a6a5"]
    assert time.monotonic() - begin < 250, "nothing was waited for"
    assert player.take_remarks() == []


@pytest.mark.slow
def test_chess960_is_set_before_clock_runs(make_player: Make, tmp_path: Path) -> None:
    options, log = tmp_path / "options", tmp_path / "log"
    options.write_text(CHESS960)
    player = make_player(f"options={options}", f"log={log}")
    player.new_game()
    player.set_position(START, chess960=True)
    sent = commands(log)
    assert "setoption name UCI_Chess960 value true" in sent and sent[-1] == "isready"


@pytest.mark.slow
def test_third_answer_is_ignored(make_player: Make) -> None:
    player = make_player("again=2")
    assert [play(player) for _ in range(4)] == ["g1f3", "g8f6", "f3g1", "f6g8"]


def test_cpu_time_beyond_threads_is_reported(failing: Failing) -> None:
    def check(threads: int, wall_ms: int, cpu_ms: int, is_told: bool) -> None:
        watch = ThreadWatch(threads)
        for _ in range(10):
            watch.add(100 * wall_ms, 100 * cpu_ms)
        assert (watch.take_remark() is not None) == is_told

    assert not failing(
        check,
        [
            (1, 2000, 3900, True),
            (1, 2000, 2000, False),
            (1, 2000, 2400, False),  # an input thread
            (1, 2000, 2600, True),
            (1, 2000, 600, False),  # a busy machine
            (1, 900, 9000, False),  # too little to judge
            (4, 2000, 7900, False),
            (4, 2000, 8600, True),
            (1, 2000, 0, False),  # where the system does not tell
        ],
    )


def test_short_games_are_added_up() -> None:
    watch = ThreadWatch(1)
    told = []
    for game in range(30):
        watch.add(100_000, 300_000 if game < 10 else 100_000)
        told.append(watch.take_remark())
    assert [game for game, remark in enumerate(told) if remark] == [9]
    assert told[9] == "used more CPU time than one thread can, so it disturbs games beside it"
