"""A variant as a UCI engine: transcripts, a process that is talked to, and a match."""

from __future__ import annotations

import importlib
import io
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import chess
import chess.engine
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.errors import EngineFailure
from engines.native import NativeSearcher
from engines.reference import ReferenceSearcher
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import MATE, Searcher, SearchResult, Variant
from engines.uci import format_score, serve
from engines.uci_options import Options
from engines.variant import make_variant, parse_variant

PROGRAM = "import sys; from engines.uci import serve; from engines.variant import parse_variant; "
PROGRAM += "serve(parse_variant(sys.argv[1]), sys.stdin, sys.stdout, '1.2')"


def talk(text: str, engine: str = "mtdf:entries=2^12") -> list[str]:
    """What the engine answers to these lines of input."""
    out = io.StringIO()
    serve(parse_variant(engine), io.StringIO(text), out, "1.2")
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
    assert ids == ["id name mtdf 1.2 (hero)", "id author the mtdf project"]
    options = [line for line in lines if line.startswith("option ")]
    names = [line.split(" type ")[0].removeprefix("option name ").lower() for line in options]
    assert names == ["move overhead", "ponder", *DRIVERS["mtdf"].parameters]
    for line in (
        "option name Move Overhead type spin default 10 min 0 max 5000",
        "option name Ponder type check default false",
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
    lines = list(Options(make_variant(driver, {})).lines())[2:]
    assert len(lines) == len(DRIVERS[driver].parameters)
    for name, line in zip(DRIVERS[driver].parameters, lines, strict=True):
        parsed = re.fullmatch(r"option name (\S+) type (check|spin|combo|string) default .+", line)
        assert parsed is not None
        assert parsed[1].lower() == name
        kinds = {"flag": "check", "int": "spin", "choice": "combo", "float": "string"}
        assert parsed[2] == kinds[PARAMETERS[name].kind]


def test_options_make_the_variant() -> None:
    options = Options(parse_variant("mtdf:entries=2^12"))
    assert not options.set("move overhead", "35")
    assert not options.set("Ponder", "true")
    assert (options.overhead_ms, options.ponder) == (35, True)
    assert options.set("weight", "0.25")
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
    pattern = (
        r"info depth \d+ seldepth \d+ score cp -?\d+ nodes (\d+) nps \d+ hashfull \d+ time \d+ "
        r"pv( [a-h1-8qrbn]{4,5})+"
    )
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
        ("setoption name window value 3", "`window` is not a parameter of mtdf"),
        ("setoption name gues value zero", "did you mean `guess`?"),
        ("setoption name Move Overhead value -1", "Move Overhead=-1 is not allowed; it takes 0"),
        ("setoption name Move Overhead value ten", "Move Overhead=ten is not allowed"),
        ("setoption name Ponder value on", "Ponder=on is not allowed; it takes true or false"),
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


def infos(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("info depth")]


def number(line: str, name: str) -> int:
    words = line.split()
    return int(words[words.index(name) + 1])


def variation(line: str) -> list[str]:
    return line.split(" pv ")[1].split()


@pytest.fixture(params=["reference", pytest.param("native", marks=pytest.mark.native)])
def results(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[SearchResult]:
    """What the searches of the engine really found, on each backend, one after the other."""
    found: list[SearchResult] = []
    core = importlib.import_module("engines._core") if request.param == "native" else None

    def make(variant: Variant) -> Searcher:
        searcher: Searcher = (
            ReferenceSearcher(variant) if core is None else NativeSearcher(core, variant)
        )
        search = searcher.search

        def recorded(*args: Any, **named: Any) -> SearchResult:
            found.append(search(*args, **named))
            return found[-1]

        monkeypatch.setattr(searcher, "search", recorded)
        return searcher

    monkeypatch.setattr("engines.uci.make_searcher", make)
    return found


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_last_info_has_the_move_and_all_nodes(
    driver: str,
    results: list[SearchResult],
    book_fens: list[str],
    endgame_fens: list[str],
    request: pytest.FixtureRequest,
) -> None:
    # The reference is slow; the more positions, the more often the move changes late.
    slow = "reference" in request.node.name
    count, step = (4, 29) if slow else (30, 211)
    table = "" if driver == "minimax" else ",entries=2^10"
    engine = f"{driver}:eval=pst,quiescence={'off' if slow else 'on'}{table}"
    searches = []
    for place, fen in enumerate([*book_fens[:count], *endgame_fens[:4]]):
        limits = ["depth 1", "nodes 1", f"nodes {100 + 37 * place}", f"nodes {151 + step * place}"]
        searches += [f"position fen {fen}\ngo {limit}\n" for limit in limits]
    lines = talk("".join(searches), engine)
    ends = [place for place, line in enumerate(lines) if line.startswith("bestmove ")]
    assert len(ends) == len(results) == len(searches)
    cut_short = 0
    for end, result in zip(ends, results, strict=True):
        last = lines[end - 1]
        assert lines[end] == f"bestmove {result.move}"
        assert variation(last)[0] == result.move
        assert number(last, "nodes") == result.nodes
        assert f" score {format_score(result.value)} " in last
        cut_short += not result.iterations[-1].finished
    assert cut_short >= 8


@pytest.mark.parametrize(
    ("line", "depth"),
    [
        ("go depth 0", 1),
        ("go depth -3", 1),
        ("go nodes 0", 1),
        ("go nodes -7", 1),
        ("go mate 0", 2),
        ("go mate 1", 2),
        ("go depth x", 1),
        ("go depth", 1),
        ("go depth nodes 5", 1),
        ("go fast depth 2", 2),
        ("go depth 2 fast", 2),
        ("go movetime 0", None),
        ("go wtime 0 btime 0", None),
        ("go movestogo 0 wtime 1 btime 1", None),
        ("go movestogo 0", None),
        ("go searchmoves", None),
        ("go", None),
        ("go infinite", None),
        ("go ponder", None),
        ("go ponder wtime 1000 btime 1000", None),
    ],
)
def test_every_go_is_answered(line: str, depth: int | None) -> None:
    """At the end of the input nothing can stop a search without end, so it ends by itself."""
    lines = talk(f"{line}\n")
    assert sum(one.startswith("bestmove ") for one in lines) == 1
    assert lines[-1].split()[1] in {move.uci() for move in chess.Board().legal_moves}
    if depth is not None:
        assert number(infos(lines)[-1], "depth") == depth
    odd = [word for word in ("x", "fast") if f" {word}" in line]
    errors = [one for one in lines if one.startswith("info string error go: ")]
    assert all(any(f"`{word}`" in one for one in errors) for word in odd)
    assert bool(errors) == (bool(odd) or line.endswith("depth") or "depth nodes" in line)


def test_what_cannot_be_carried_out_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(variant: Variant) -> Searcher:
        raise EngineFailure("no memory")

    monkeypatch.setattr("engines.uci.make_searcher", refuse)
    error = "info string error no memory"
    assert talk("isready\ngo depth 1\n") == [error, "readyok", error, "bestmove 0000"]


def test_searchmoves_are_searched_and_no_others() -> None:
    for line in ("searchmoves a2a3 h2h4 depth 3", "depth 3 searchmoves a2a3 h2h4"):
        lines = talk(f"go {line}\n")
        assert not [one for one in lines if "error" in one]
        assert all(variation(one)[0] in ("a2a3", "h2h4") for one in infos(lines))
        assert lines[-1].split()[1] in ("a2a3", "h2h4")
    assert talk("go nodes 400 searchmoves b1a3 wtime 60000\n")[-1] == "bestmove b1a3"


def test_illegal_searchmoves_are_named_and_left_out() -> None:
    lines = talk("go searchmoves e2e5 h2h3 o-o depth 2\n")
    errors = [line for line in lines if line.startswith("info string error ")]
    assert errors == [
        "info string error go: searchmoves: `e2e5` is not legal here",
        "info string error go: searchmoves: `o-o` is not legal here",
    ]
    assert lines[-1] == "bestmove h2h3"
    lines = talk("go depth 2 searchmoves e2e5\n")
    assert lines[1] == "info string go: searchmoves has no legal move; all moves are searched"
    assert lines[-1] == talk("go depth 2\n")[-1]


def test_a_reply_to_ponder_on_is_named_where_the_option_asks_for_it() -> None:
    lines = talk("setoption name Ponder value true\ngo depth 3\n")
    line = variation(infos(lines)[-1])
    assert lines[-1] == f"bestmove {line[0]} ponder {line[1]}"
    assert " ponder " not in talk("go depth 3\n")[-1]


def test_options_of_the_protocol_keep_the_table() -> None:
    text = "go depth 4\n{}go depth 4\n"
    kept = talk(text.format("setoption name Move Overhead value 50\n"))
    assert [number(line, "nodes") for line in infos(kept)] == [
        number(line, "nodes") for line in infos(talk(text.format("")))
    ]


def test_options_change_the_search() -> None:
    plain = talk("position startpos\ngo depth 3\n")
    coarse = talk("setoption name grain value 50\nposition startpos\ngo depth 3\n")
    scores = [line.split()[7] for line in coarse if line.startswith("info depth")]
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


def holds_its_move(process: Talk) -> bool:
    """Whether no move was told up to now."""
    process.send("isready")
    return not any(line.startswith("bestmove") for line in process.read_until("readyok"))


def test_a_pondering_search_waits_for_ponderhit_or_stop(process: Talk) -> None:
    for end in ("ponderhit", "stop"):
        process.send("position startpos moves e2e4 e7e5")
        process.send("go ponder wtime 50 btime 50 winc 0 binc 0")
        process.read_until("info depth 4")
        assert holds_its_move(process)
        process.send(end)
        process.read_until("bestmove")
    # By its own limit it has ended already, and its move is told at once.
    process.send("go ponder depth 2")
    process.read_until("info depth 2")
    assert holds_its_move(process)
    process.send("ponderhit")
    process.read_until("bestmove")


def test_after_ponderhit_a_search_without_a_limit_waits_for_stop(process: Talk) -> None:
    process.send("go ponder infinite")
    process.read_until("info depth 3")
    process.send("ponderhit")
    assert holds_its_move(process)
    process.send("stop")
    process.read_until("bestmove")


def test_ponderhit_counts_for_its_own_search_only(process: Talk) -> None:
    process.send("ponderhit")
    process.send("go ponder movetime 1")
    process.read_until("info depth 3")
    assert holds_its_move(process)
    process.send("ponderhit")
    process.read_until("bestmove")
    # One that comes before the search has begun counts as well.
    process.send("setoption name grain value 2")
    process.send("go ponder movetime 1")
    process.send("ponderhit")
    process.read_until("bestmove")
    process.send("go depth 3")
    assert process.read_until("bestmove")[-2].startswith("info depth 3")


def test_a_stop_before_the_search_and_options_during_one(process: Talk) -> None:
    process.send("setoption name grain value 2")
    process.send("go infinite")
    process.send("stop")
    process.read_until("bestmove")
    process.send("go infinite")
    process.read_until("info depth 2")
    process.send("setoption name grain value 50")
    process.send("ucinewgame")
    assert holds_its_move(process)
    process.send("stop")
    process.read_until("bestmove")
    process.send("go depth 3")
    scores = [line.split(" cp ")[1].split()[0] for line in infos(process.read_until("bestmove"))]
    assert scores and all(int(score) % 50 == 0 for score in scores)


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
            f"mtdf 1.2 ({parse_variant(name).label})" for name in names
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


def test_python_chess_ponders_with_it() -> None:
    limit = chess.engine.Limit(white_clock=3, black_clock=3, white_inc=0.02, black_inc=0.02)
    engine = chess.engine.SimpleEngine.popen_uci(command("mtdf:entries=2^12"))
    board = chess.Board()
    try:
        for _ in range(6):
            played = engine.play(board, limit, ponder=True)
            assert played.move is not None
            board.push(played.move)
            assert played.ponder in board.legal_moves
            # The reply that is pondered on, or another one.
            others = [move for move in board.legal_moves if move != played.ponder]
            board.push(played.ponder if board.ply() % 4 == 1 and played.ponder else others[0])
    finally:
        engine.quit()


def test_a_fast_game_under_python_chess() -> None:
    """The clock may run out on a busy machine; the engine answers all the same."""
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
            left = clocks[board.turn] - (time.perf_counter() - start)
            clocks[board.turn] = max(left, 0) + 0.05
            assert played.move is not None
            board.push(played.move)
    finally:
        engine.quit()
    assert board.ply() > 20


def test_variants_are_served_as_labelled() -> None:
    variant = parse_variant("pvs:name=champion")
    assert isinstance(variant, Variant)
    assert talk("uci\n", "pvs:name=champion")[0] == "id name mtdf 1.2 (champion)"
