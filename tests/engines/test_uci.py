"""A variant as a UCI engine: transcripts, a process that is talked to, and a match."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import chess
import chess.engine
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.registry import DRIVERS, PARAMETERS
from engines.spec import MATE, Variant
from engines.uci import format_score, serve
from engines.uci_go import parse_go
from engines.uci_options import Options
from engines.variant import make_variant, parse_variant

PROGRAM = "import sys; from engines.uci import serve; from engines.variant import parse_variant; "
PROGRAM += "serve(parse_variant(sys.argv[1]), sys.stdin, sys.stdout)"


def talk(text: str, engine: str = "mtdf:entries=2^12") -> list[str]:
    """What the engine answers to these lines of input."""
    out = io.StringIO()
    serve(parse_variant(engine), io.StringIO(text), out)
    return out.getvalue().splitlines()


def command(engine: str) -> list[str]:
    return [sys.executable, "-c", PROGRAM, engine]


class Talk:
    """A process that is talked to line by line."""

    def __init__(self, engine: str) -> None:
        self.process = subprocess.Popen(
            command(engine),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read_until(self, start: str) -> list[str]:
        """All lines up to the first that begins so. Fails at the end of the output."""
        assert self.process.stdout is not None
        lines: list[str] = []
        while not (lines and lines[-1].startswith(start)):
            line = self.process.stdout.readline()
            assert line, f"no {start} after {lines}"
            lines.append(line.rstrip("\n"))
        return lines


@pytest.fixture
def process() -> Iterator[Talk]:
    """The engine as a process of its own."""
    talk = Talk("pvs:entries=2^16")
    timer = threading.Timer(60, talk.process.kill)
    timer.start()
    yield talk
    timer.cancel()
    talk.process.kill()
    talk.process.communicate()


def test_handshake() -> None:
    lines = talk("uci\nisready\nquit\n", "mtdf:guess=blend,weight=0.25,entries=2^12,name=hero")
    ids = [line for line in lines if line.startswith("id ")]
    assert ids == ["id name mtdf hero", "id author the mtdf project"]
    options = [line for line in lines if line.startswith("option ")]
    names = [line.split()[2].lower() for line in options]
    assert names == list(DRIVERS["mtdf"].parameters)
    for line in (
        "option name guess type combo default blend var zero var static var previous var parity "
        "var average var blend var offset var drift var ema var trend var game var regression "
        "var quantile",
        "option name weight type string default 0.25",
        "option name Hash type spin default 16 min 0 max 65536",
        "option name entries type spin default 4096 min 0 max 1073741824",
        "option name eval type combo default full var pst var full",
        "option name grain type spin default 1 min 1 max 200",
        "option name null_move type check default true",
        "option name null_move_reduction type spin default 3 min 1 max 6",
    ):
        assert line in options
    assert lines.index("uciok") > lines.index(options[-1])
    assert lines[-1] == "readyok"


@pytest.mark.parametrize("driver", DRIVERS)
def test_options_come_from_the_registry(driver: str) -> None:
    lines = list(Options(make_variant(driver, {})).lines())
    assert len(lines) == len(DRIVERS[driver].parameters)
    for name, line in zip(DRIVERS[driver].parameters, lines, strict=True):
        parsed = re.fullmatch(r"option name (\S+) type (check|spin|combo|string) default .+", line)
        assert parsed is not None
        assert parsed[1].lower() == name
        kinds = {"flag": "check", "int": "spin", "choice": "combo", "float": "string"}
        assert parsed[2] == kinds[PARAMETERS[name].kind]


def test_options_make_the_variant() -> None:
    options = Options(parse_variant("mtdf:entries=2^12"))
    options.set("weight", "0.25")
    assert options.variant() == parse_variant("mtdf:entries=2^12")
    options.set("GUESS", "blend")
    assert options.variant() == parse_variant("mtdf:guess=blend,weight=0.25,entries=2^12")
    options.set("Hash", "4")
    assert options.variant() == parse_variant("mtdf:guess=blend,weight=0.25,hash=4")
    options.set("null_move", "false")
    options.set("null_move_reduction", "2")
    assert options.variant() == parse_variant("mtdf:guess=blend,weight=0.25,hash=4,null_move=off")


def test_transcript_of_a_game() -> None:
    lines = talk(
        "uci\nucinewgame\nisready\nposition startpos moves e2e4 e7e5\ngo depth 3\n"
        "position startpos moves e2e4 e7e5 g1f3 b8c6\ngo nodes 500\nisready\n"
    )
    best = [place for place, line in enumerate(lines) if line.startswith("bestmove ")]
    assert len(best) == 2
    first = lines[lines.index("readyok") + 1 : best[0]]
    assert [int(line.split()[2]) for line in first] == [1, 2, 3]
    board = chess.Board()
    board.push_san("e4")
    board.push_san("e5")
    pattern = r"info depth \d+ score cp -?\d+ nodes (\d+) nps \d+ time \d+ pv( [a-h1-8qrbn]{4,5})+"
    counted = 0
    for line in first:
        parsed = re.fullmatch(pattern, line)
        assert parsed is not None, line
        assert int(parsed[1]) > counted
        counted = int(parsed[1])
        variation = board.copy()
        for move in line.split(" pv ")[1].split():
            variation.push_uci(move)
    assert lines[best[0]] == f"bestmove {first[-1].split(' pv ')[1].split()[0]}"
    assert lines[-1] == "readyok"


def test_mates_and_ended_games() -> None:
    lines = talk(
        "position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1\ngo depth 4\n"
        "position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1 moves a1a8\ngo depth 4\n"
        "position fen 7k/5Q2/6K1/8/8/8/8/8 b - -\ngo nodes 10\n"
        "position fen k7/2K5/8/1Q6/8/8/8/8 b - - 0 1\ngo depth 4\n"
    )
    mate = [line for line in lines if " score mate 1 " in line]
    assert mate
    assert all(line.endswith(" pv a1a8") for line in mate)
    assert lines[lines.index(mate[-1]) + 1] == "bestmove a1a8"
    assert "info depth 0 score mate 0" in lines
    assert "info depth 0 score cp 0" in lines
    assert lines.count("bestmove 0000") == 2
    assert " score mate -1 " in lines[-2]
    assert lines[-1] == "bestmove a8a7"


@pytest.mark.parametrize(
    ("value", "score"),
    [(0, "cp 0"), (-35, "cp -35"), (30_000, "cp 30000"), (MATE - 1, "mate 1"), (MATE - 2, "mate 1")]
    + [(MATE - 3, "mate 2"), (2 - MATE, "mate -1"), (4 - MATE, "mate -2"), (-MATE, "mate 0")],
)
def test_scores(value: int, score: str) -> None:
    assert format_score(value) == score


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("xyzzy", "unknown command `xyzzy`"),
        ("position", "position must read"),
        ("position startpos moves e2e5", "e2e5"),
        ("position startpos moves e2e4 xx", "`xx` is not a move"),
        ("position startpos e2e4", "position must read"),
        ("position fen", "position must read"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "8/8/8/8/8/8/8/8"),
        ("position fen a b c d e f", "a b c d e f"),
        ("position fen 4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "4k3/8/8/8/8/8/4R3/4K3"),
        ("setoption", "setoption must read"),
        ("setoption name", "setoption must read"),
        ("setoption name grain", "setoption must read"),
        ("setoption name grain value 0", "grain=0 is not allowed; grain takes 1 to 200"),
        ("setoption name entries value 1000", "power of two"),
        ("setoption name window value 3", "`window` has no meaning for mtdf"),
        ("setoption name gues value zero", "did you mean `guess`?"),
        ("go depth", "`depth` wants a number"),
        ("go depth x", "`depth` wants a number, not `x`"),
        ("go depth 0", "`depth` must be at least 1"),
        ("go nodes -4", "`nodes` must be at least 1"),
        ("go fast", "`fast` is not known"),
    ],
)
def test_malformed_input_is_answered_and_nothing_changes(line: str, error: str) -> None:
    lines = talk(
        f"position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1\n{line}\ngo depth 2\nisready\n"
    )
    errors = [one for one in lines if one.startswith("info string error ")]
    assert len(errors) == 1
    assert error in errors[0]
    assert lines[-2:] == ["bestmove a1a8", "readyok"]


@settings(max_examples=40)
@given(
    st.lists(
        st.text(max_size=30)
        | st.sampled_from(["position ", "go ", "setoption name "]).flatmap(
            lambda start: st.text(max_size=20).map(lambda rest: start + rest)
        ),
        max_size=6,
    )
)
def test_no_input_breaks_the_engine(lines: list[str]) -> None:
    text = "\n".join(line for line in lines if not re.match(r"\s*(quit|uci)\b", line))
    answers = talk(f"{text}\nuci\nisready\n", "pvs:entries=2^8")
    assert "uciok" in answers
    assert "readyok" in answers
    start = ("info ", "bestmove ", "id ", "option ", "uciok", "readyok")
    assert all(answer.startswith(start) for answer in answers)


def test_go_is_read_as_it_is_meant() -> None:
    clock = parse_go("wtime 60000 btime 1000 winc 0 binc 0 movestogo 20".split())
    assert not clock.infinite
    white, black = clock.limit(white=True), clock.limit(white=False)
    assert white.hard_ms is not None
    assert black.hard_ms is not None
    assert black.hard_ms <= 400 < white.hard_ms <= 24_000
    assert white.nodes is None
    assert parse_go(["nodes", "300"]).limit(white=True).nodes == 300
    assert parse_go(["mate", "2"]).limit(white=True).depth == 4
    assert parse_go(["depth", "3", "mate", "2"]).limit(white=True).depth == 3
    assert 90 <= (parse_go(["movetime", "160"]).limit(white=True).hard_ms or 0) <= 150
    assert (parse_go(["wtime", "-50"]).limit(white=True).hard_ms or 0) == 1
    assert parse_go([]).infinite
    assert parse_go(["infinite"]).infinite
    assert parse_go(["ponder", "wtime", "1000"]).infinite
    assert parse_go("searchmoves e2e4 d2d4".split()).unsupported == ("searchmoves",)
    only_other = parse_go(["btime", "5000"]).limit(white=True)
    assert only_other.hard_ms is not None


def test_searchmoves_is_said_to_be_unsupported() -> None:
    lines = talk("go depth 1 searchmoves a2a3\n")
    assert lines[0] == "info string searchmoves is not supported and left out of account"
    assert lines[-1].startswith("bestmove ")


def test_options_change_the_search() -> None:
    plain = talk("position startpos\ngo depth 3\n")
    coarse = talk("setoption name grain value 50\nposition startpos\ngo depth 3\n")
    scores = [line.split()[5] for line in coarse if line.startswith("info depth")]
    assert scores
    assert all(int(score) % 50 == 0 for score in scores)
    assert [line.split(" nps ")[0] for line in plain] != [line.split(" nps ")[0] for line in coarse]


def test_a_search_is_stopped_and_ready_in_between(process: Talk) -> None:
    process.send("position startpos")
    process.send("go infinite")
    process.read_until("info depth 3")
    process.send("isready")
    lines = process.read_until("readyok")
    assert not any(line.startswith("bestmove") for line in lines)
    start = time.perf_counter()
    process.send("stop")
    assert process.read_until("bestmove")[-1].split()[1] in {
        move.uci() for move in chess.Board().legal_moves
    }
    assert time.perf_counter() - start < 5
    # It was that search that was stopped, not the next.
    process.send("stop")
    process.send("go depth 3")
    assert process.read_until("bestmove")[-2].startswith("info depth 3")


def test_an_infinite_search_keeps_its_move_until_stop(process: Talk) -> None:
    process.send("position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    process.send("go infinite")
    process.read_until("info depth 1 ")
    time.sleep(0.3)
    process.send("isready")
    assert not any(line.startswith("bestmove") for line in process.read_until("readyok"))
    process.send("stop")
    assert process.read_until("bestmove")[-1] == "bestmove a1a8"


def test_quit_ends_a_search_at_once(process: Talk) -> None:
    process.send("go infinite")
    process.read_until("info depth 2")
    process.send("quit")
    assert process.process.wait(timeout=10) == 0
    assert process.process.stderr is not None
    assert process.process.stderr.read() == ""


def test_a_move_time_is_kept(process: Talk) -> None:
    process.send("isready")
    process.read_until("readyok")
    for _ in range(3):
        start = time.perf_counter()
        process.send("go movetime 300")
        process.read_until("bestmove")
        assert 0.1 < time.perf_counter() - start < 3


def test_bytes_that_are_no_text_do_no_harm() -> None:
    done = subprocess.run(
        command("pvs:entries=2^8"), input=b"\xff\xfe\x00go\nisready\nquit\n", capture_output=True
    )
    assert done.returncode == 0
    assert done.stderr == b""
    lines = done.stdout.decode().splitlines()
    assert lines[0].startswith("info string error unknown command")
    assert lines[1:] == ["readyok"]


def test_a_reader_that_goes_away_ends_the_engine() -> None:
    talk = Talk("pvs:entries=2^8")
    assert talk.process.stdout is not None
    talk.send("go depth 2")
    talk.read_until("bestmove")
    talk.process.stdout.close()
    talk.send("isready")
    talk.send("go depth 3")
    talk.send("isready")
    assert talk.process.stdin is not None
    talk.process.stdin.close()
    assert talk.process.wait(timeout=30) == 0
    assert talk.process.stderr is not None
    assert "Traceback" not in talk.process.stderr.read()
    talk.process.stderr.close()


def variant_of(engine: chess.engine.SimpleEngine) -> str:
    return str(engine.id["name"])


def test_a_match_under_python_chess() -> None:
    limits = [chess.engine.Limit(nodes=300), chess.engine.Limit(depth=2)]
    results = []
    names = ["mtdf:entries=2^12", "pvs:entries=2^12"]
    engines = [chess.engine.SimpleEngine.popen_uci(command(name)) for name in names]
    try:
        assert [variant_of(engine) for engine in engines] == [
            f"mtdf {parse_variant(name).label}" for name in names
        ]
        engines[0].configure({"guess": "average", "grain": 4, "null_move": False, "Hash": 1})
        for game, limit in enumerate(limits):
            board = chess.Board("4k3/8/3q4/8/8/3Q4/4P3/4K3 w - - 0 1")
            while not board.is_game_over(claim_draw=True) and board.ply() < 80:
                player = engines[(board.ply() + game) % 2]
                played = player.play(board, limit, game=game, info=chess.engine.INFO_ALL)
                assert played.move in board.legal_moves
                assert played.info["pv"][0] in board.legal_moves
                assert played.info["depth"] >= 1
                board.push(played.move)
            results.append(board.ply())
    finally:
        for engine in engines:
            engine.quit()
    assert all(plies > 4 for plies in results)


def test_no_time_loss_in_a_fast_game_under_python_chess() -> None:
    clocks = {chess.WHITE: 1.5, chess.BLACK: 1.5}
    engine = chess.engine.SimpleEngine.popen_uci(command("pvs:entries=2^12"))
    board = chess.Board()
    try:
        engine.ping()
        while not board.is_game_over(claim_draw=True) and board.ply() < 60:
            limit = chess.engine.Limit(
                white_clock=clocks[chess.WHITE],
                black_clock=clocks[chess.BLACK],
                white_inc=0.05,
                black_inc=0.05,
            )
            start = time.perf_counter()
            played = engine.play(board, limit)
            clocks[board.turn] -= time.perf_counter() - start
            assert clocks[board.turn] > 0
            clocks[board.turn] += 0.05
            assert played.move is not None
            board.push(played.move)
    finally:
        engine.quit()
    assert board.ply() > 20


def test_variants_are_served_as_labelled() -> None:
    variant = parse_variant("pvs:name=champion")
    assert isinstance(variant, Variant)
    assert talk("uci\n", "pvs:name=champion")[0] == "id name mtdf champion"
