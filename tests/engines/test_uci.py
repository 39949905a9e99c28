"""A variant served as a UCI engine answers every command correctly, in a process and in a match."""

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
from msgspec.structs import replace

from engines.errors import EngineFailure
from engines.native import NativeSearcher
from engines.reference import ReferenceSearcher
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import MATE, Iteration, Searcher, SearchResult, Variant
from engines.uci.options import Options
from engines.uci.session import _Progress, format_score, serve
from engines.variant import make_variant, parse_variant

PROGRAM = (
    "import sys; from engines.uci.session import serve; from engines.variant import parse_variant; "
)
PROGRAM += "serve(parse_variant(sys.argv[1]), sys.stdin, sys.stdout, '1.2')"


def talk(text: str, engine: str = "mtdf:entries=2^12") -> list[str]:
    """What the engine answers to these lines of input."""
    out = io.StringIO()
    serve(parse_variant(engine), io.StringIO(text), out, "1.2")
    return out.getvalue().splitlines()


def command(engine: str) -> list[str]:
    return [sys.executable, "-c", PROGRAM, engine]


class Talk:
    """A process of an engine; commands and answers are lines."""

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
    timer = threading.Timer(600, talk.process.kill)
    timer.start()
    yield talk
    timer.cancel()
    talk.process.kill()
    talk.process.communicate()


HERO = "guess=blend,weight=0.25,entries=2^12,grain=4,null_move=on,null_move_reduction=2"


def offered(driver: str) -> list[str]:
    """The parameters that a user interface for chess can use."""
    others = {"game", "probcut", "offer_pruning", "replies"}
    return [name for name in DRIVERS[driver].parameters if name not in others]


def test_handshake() -> None:
    lines = talk("uci\nisready\nquit\n", f"mtdf:{HERO},name=hero")
    ids = [line for line in lines if line.startswith("id ")]
    assert ids == ["id name mtdf 1.2 (hero)", "id author the mtdf project"]
    options = [line for line in lines if line.startswith("option ")]
    names = [line.split(" type ")[0].removeprefix("option name ").lower() for line in options]
    protocol = ["move overhead", "ponder", "uci_chess960", "multipv"]
    assert names == [*protocol, *offered("mtdf")]
    for line in (
        "option name Move Overhead type spin default 10 min 0 max 5000",
        "option name Ponder type check default false",
        "option name UCI_Chess960 type check default false",
        "option name MultiPV type spin default 1 min 1 max 256",
        "option name guess type combo default blend var zero var static var previous var parity "
        "var average var blend var offset var drift var ema var trend var game",
        "option name weight type string default 0.25",
        f"option name Hash type spin default {PARAMETERS['hash'].default} min 0 max 65536",
        "option name entries type spin default 4096 min 0 max 1073741824",
        f"option name eval type combo default {PARAMETERS['eval'].default} var pst var full",
        "option name grain type spin default 4 min 1 max 200",
        "option name null_move type check default true",
        "option name null_move_reduction type spin default 2 min 1 max 6",
    ):
        assert line in options
    assert lines.index("uciok") > lines.index(options[-1])
    assert lines[-1] == "readyok"


def test_options_come_from_the_registry() -> None:
    kinds = {"flag": "check", "int": "spin", "choice": "combo", "float": "string"}
    for driver in DRIVERS:
        lines = list(Options(make_variant(driver, {})).lines())[4:]
        for name, line in zip(offered(driver), lines, strict=True):
            option = r"option name (\S+) type (check|spin|combo|string) default .+"
            parsed = re.fullmatch(option, line)
            assert parsed is not None, line
            assert parsed[1].lower() == name
            assert parsed[2] == kinds[PARAMETERS[name].kind], line


def test_options_make_the_variant() -> None:
    options = Options(parse_variant("mtdf:entries=2^12"))
    assert not options.set("move overhead", "35")
    assert not options.set("Ponder", "true")
    assert not options.set("uci_chess960", "TRUE")
    assert not options.set("MULTIPV", "3")
    assert (options.overhead_ms, options.ponder, options.chess960) == (35, True, True)
    assert options.multipv == 3
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
        "position startpos moves e2e4 e7e5 g1f3 b8c6\ngo nodes 500\n"
    )
    best = [place for place, line in enumerate(lines) if line.startswith("bestmove ")]
    assert len(best) == 2
    assert lines.count("readyok") == 1
    first = lines[lines.index("readyok") + 1 : best[0]]
    assert [int(line.split()[2]) for line in first] == [1, 2, 3]
    board = chess.Board()
    board.push_san("e4")
    board.push_san("e5")
    pattern = (
        r"info depth \d+ seldepth \d+ score cp -?\d+ nodes (\d+) (?:nps \d+ )?hashfull \d+ "
        r"time \d+ pv( [a-h1-8qrbn]{4,5})+"
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


def test_scores() -> None:
    scores = {0: "cp 0", -35: "cp -35", 30_000: "cp 30000", MATE - 1: "mate 1", MATE - 2: "mate 1"}
    scores |= {MATE - 3: "mate 2", 2 - MATE: "mate -1", 4 - MATE: "mate -2", -MATE: "mate 0"}
    assert {value: format_score(value) for value in scores} == scores


MALFORMED = [
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
    ("setoption name Threads value 100", "Threads=100 is not allowed; Threads takes 1 to 64"),
    ("setoption name Hash value x", "`mtdf`: Hash=x is not allowed; Hash takes 0 to 65536"),
    ("setoption name window value 3", "`window` is not a parameter of mtdf"),
    ("setoption name gues value zero", "did you mean `guess`?"),
    ("setoption name game value othello", "no option `game`: UCI is for chess"),
    ("setoption name probcut value 100", "no option `probcut`: UCI is for chess"),
    ("setoption name Move Overhead value -1", "Move Overhead=-1 is not allowed; it takes 0"),
    ("setoption name Move Overhead value ten", "Move Overhead=ten is not allowed"),
    ("setoption name MultiPV value 0", "MultiPV=0 is not allowed; it takes 1 to 256"),
    ("setoption name MultiPV value 257", "MultiPV=257 is not allowed"),
    ("setoption name Ponder value on", "Ponder=on is not allowed; it takes true or false"),
]


def test_malformed_input_is_reported_and_nothing_changes() -> None:
    for line, error in MALFORMED:
        lines = talk(f"position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1\n{line}\ngo depth 2\n")
        errors = [one for one in lines if one.startswith("info string error ")]
        assert len(errors) == 1, line
        assert error in errors[0], line
        assert lines[-1] == "bestmove a1a8", line


@settings(max_examples=15)
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

    monkeypatch.setattr("engines.uci.session.make_searcher", make)
    return found


@pytest.mark.parametrize("driver", DRIVERS)
def test_last_info_has_the_move_and_all_nodes(
    driver: str,
    results: list[SearchResult],
    book_fens: list[str],
    endgame_fens: list[str],
    request: pytest.FixtureRequest,
) -> None:
    # The reference is slow; the more positions, the more often the move changes late.
    slow = "reference" in request.node.name
    count, step = (1, 29) if slow else (5, 211)
    table = "" if driver == "minimax" else ",entries=2^10"
    engine = f"{driver}:eval=pst,quiescence={'off' if slow else 'on'}{table}"
    searches = []
    for place, fen in enumerate([*book_fens[:count], *endgame_fens[:count]]):
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
    assert cut_short >= 4


GO: list[tuple[str, int | None]] = [
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
]
"""Commands, and the depth that is searched where it is known."""


def test_every_go_is_answered() -> None:
    """At the end of the input nothing can stop an unlimited search, so it ends by itself."""
    for line, depth in GO:
        lines = talk(f"{line}\n")
        assert sum(one.startswith("bestmove ") for one in lines) == 1, line
        assert lines[-1].split()[1] in {move.uci() for move in chess.Board().legal_moves}, line
        if depth is not None:
            assert number(infos(lines)[-1], "depth") == depth, line
        odd = [word for word in ("x", "fast") if f" {word}" in line]
        errors = [one for one in lines if one.startswith("info string error go: ")]
        assert all(any(f"`{word}`" in one for one in errors) for word in odd), line
        wrong = bool(odd) or line.endswith("depth") or "depth nodes" in line
        assert bool(errors) == wrong, line


def test_engine_failure_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(variant: Variant) -> Searcher:
        raise EngineFailure("no memory")

    monkeypatch.setattr("engines.uci.session.make_searcher", refuse)
    error = "info string error no memory"
    assert talk("isready\ngo depth 1\n") == [error, "readyok", error, "bestmove 0000"]


def test_only_searchmoves_are_searched() -> None:
    for line in ("searchmoves a2a3 h2h4 depth 3", "depth 3 searchmoves a2a3 h2h4"):
        lines = talk(f"go {line}\n")
        assert not [one for one in lines if "error" in one]
        assert all(variation(one)[0] in ("a2a3", "h2h4") for one in infos(lines))
        assert lines[-1].split()[1] in ("a2a3", "h2h4")
    assert talk("go nodes 400 searchmoves b1a3 wtime 60000\n")[-1] == "bestmove b1a3"


def test_illegal_searchmoves_are_reported_and_ignored() -> None:
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


def test_bestmove_has_a_ponder_move_with_the_option() -> None:
    lines = talk("setoption name Ponder value true\ngo depth 3\n")
    line = variation(infos(lines)[-1])
    assert lines[-1] == f"bestmove {line[0]} ponder {line[1]}"
    assert " ponder " not in talk("go depth 3\n")[-1]


def test_options_of_the_protocol_keep_the_table() -> None:
    text = "go depth 4\n{}go depth 4\n"
    kept = talk(
        text.format("setoption name Move Overhead value 50\nsetoption name MultiPV value 1\n")
    )
    assert [number(line, "nodes") for line in infos(kept)] == [
        number(line, "nodes") for line in infos(talk(text.format("")))
    ]


def last_set(lines: list[str]) -> list[str]:
    """The ``info`` lines of ``MultiPV`` that count before the last ``bestmove``, in order. They
    must be numbered, begin with different legal moves and be in order; all have the same nodes."""
    said = infos(lines)
    said = said[max(place for place, line in enumerate(said) if number(line, "multipv") == 1) :]
    assert [number(line, "multipv") for line in said] == list(range(1, len(said) + 1))
    assert len({variation(line)[0] for line in said}) == len(said)
    assert len({number(line, "nodes") for line in said}) == 1
    order = [(-number(line, "depth"), -value_of(line)) for line in said]
    assert order == sorted(order)
    assert order[0][0] - order[-1][0] in (0, -1), "what was not reached is from the depth before"
    return said


def value_of(line: str) -> int:
    """The score of an ``info`` line in centipawns."""
    if " score cp " in line:
        return number(line, "cp")
    moves = number(line, "mate")
    return MATE - 2 * moves if moves > 0 else -MATE - 2 * moves


def sets_by_depth(lines: list[str], count: int) -> list[list[str]]:
    """The ``info`` lines of ``MultiPV`` in groups of ``count``."""
    said = infos(lines)
    return [said[place : place + count] for place in range(0, len(said), count)]


@pytest.mark.parametrize("driver", DRIVERS)
def test_multipv_shows_the_best_moves_depth_by_depth(driver: str) -> None:
    table = "" if driver == "minimax" else ",entries=2^12"
    fen = "r3k2r/ppp2ppp/2n5/3q4/3P4/4BN2/PP3PPP/R2Q1RK1 b kq - 0 1"
    lines = talk(
        f"setoption name MultiPV value 4\nposition fen {fen}\ngo depth 3\n",
        f"{driver}:eval=pst,quiescence=off{table}",
    )
    depths = sets_by_depth(lines, 4)
    assert [{number(line, "depth") for line in one} for one in depths] == [{1}, {2}, {3}]
    for one in depths:
        for line in last_set(one):
            board = chess.Board(fen)
            for move in variation(line):
                board.push_uci(move)
    counts = [number(one[0], "nodes") for one in depths]
    assert counts == sorted(set(counts))
    assert lines[-1] == f"bestmove {variation(depths[-1][0])[0]}"


def test_multipv_1_equals_no_multipv() -> None:
    def without_times(lines: list[str]) -> list[str]:
        return [re.sub(r" (nps|time) \d+", "", line) for line in lines]

    for go in ("depth 5", "nodes 777", "nodes 1500"):
        one = talk(f"setoption name MultiPV value 1\ngo {go}\n")
        assert without_times(one) == without_times(talk(f"go {go}\n"))
        assert not any("multipv" in line for line in one)


def test_multipv_has_at_most_one_line_per_move() -> None:
    lines = talk(
        "setoption name MultiPV value 5\ngo depth 2 searchmoves a2a3 h2h4 e2e4\n"
        "position fen 7k/8/8/8/8/8/1r6/K7 w - - 0 1\ngo depth 3\n"
    )
    end = next(place for place, line in enumerate(lines) if line.startswith("bestmove"))
    first, second = lines[: end + 1], lines[end + 1 :]
    for one in sets_by_depth(first, 3):
        assert {variation(line)[0] for line in last_set(one)} == {"a2a3", "h2h4", "e2e4"}
    assert [number(line, "multipv") for line in infos(second)] == [1] * 3
    assert second[-1] == "bestmove a1b2"


@pytest.mark.parametrize("driver", sorted(set(DRIVERS) - {"minimax"}))
def test_multipv_cut_short_leaves_a_consistent_set(driver: str) -> None:
    """Nodes are those of all lines; what the last depth did not reach is of the depth before."""
    mixed = 0
    for nodes in range(300, 1500, 150):
        lines = talk(
            f"setoption name MultiPV value 3\nposition startpos moves e2e4 c7c5\n"
            f"go nodes {nodes}\n",
            f"{driver}:eval=pst,entries=2^12",
        )
        said = last_set(lines)
        assert len(said) == 3 and number(said[0], "nodes") == nodes
        assert lines[-1] == f"bestmove {variation(said[0])[0]}"
        mixed += number(said[0], "depth") != number(said[-1], "depth")
    assert mixed > 1


def iteration(
    depth: int, line: int, move: str, value: int, *, finished: bool = True, lines: int = 2
) -> Iteration:
    """An iteration of one node."""
    counts = {"interior": 1, "leaves": 0, "quiescence": 0, "probes": 0, "hits": 0, "cutoffs": 0}
    return Iteration(
        depth=depth,
        value=value,
        first_guess=None,
        passes=(),
        crossings=0,
        **counts,
        time_us=1,
        move=move,
        pv=(move,),
        finished=finished,
        line=line,
        lines=lines,
    )


@pytest.mark.parametrize(
    ("last", "best"),
    [
        # The second line turned out better than the first.
        ([iteration(2, 1, "b1c3", 9), iteration(2, 2, "d2d4", 12)], ["2 d2d4", "2 b1c3"]),
        # Nothing was proved at depth 2: the set of depth 1 stays.
        ([iteration(2, 1, "a2a3", 5, finished=False)], ["1 e2e4", "1 a2a3"]),
        # A move was proved at depth 2, before the iteration ended.
        ([iteration(2, 1, "d2d4", 30, finished=False)], ["2 d2d4", "1 e2e4"]),
        # The first line is finished, the second is not.
        (
            [iteration(2, 1, "b1c3", 2), iteration(2, 2, "h2h3", 0, finished=False)],
            ["2 b1c3", "1 e2e4"],
        ),
    ],
)
def test_last_set_of_multipv(last: list[Iteration], best: list[str]) -> None:
    progress = _Progress(numbered=True)
    assert progress.add(iteration(1, 1, "a2a3", 5)) == []
    assert len(progress.add(iteration(1, 2, "e2e4", 8))) == 2
    for one in last:
        said = progress.add(one)
    assert [f"{number(line, 'depth')} {variation(line)[0]}" for line in said] == best
    assert [number(line, "nodes") for line in said] == [2 + len(last)] * 2


@pytest.mark.slow
def test_stopped_multipv_ends_with_a_set(process: Talk) -> None:
    process.send("setoption name MultiPV value 5")
    for depth in (3, 5):
        process.send("go infinite")
        lines = process.read_until(f"info depth {depth} ")
        process.send("stop")
        lines += process.read_until("bestmove")
        said = last_set(lines)
        assert len(said) == 5 and number(said[0], "depth") >= depth
        assert lines[-1] == f"bestmove {variation(said[0])[0]}"


@pytest.mark.slow
def test_python_chess_analyses_several_lines() -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R3R1K1 w - - 0 1")
    engine = chess.engine.SimpleEngine.popen_uci(command("mtdf:entries=2^12"))
    try:
        found = engine.analyse(board, chess.engine.Limit(depth=4), multipv=3)
        assert [info["multipv"] for info in found] == [1, 2, 3]
        assert {info["pv"][0].uci() for info in found[:2]} == {"a1a8", "e1e8"}
        scores = [info["score"].white() for info in found]
        assert [score.mate() for score in scores] == [1, 1, None]
        assert {info["depth"] for info in found} == {4}
        assert engine.analyse(board, chess.engine.Limit(depth=3))["depth"] == 1, "it is a mate"
        played = engine.play(board, chess.engine.Limit(nodes=500))
        assert played.move in {info["pv"][0] for info in found[:2]}
    finally:
        engine.quit()


def test_options_change_the_search() -> None:
    engine = "mtdf:tolerance=0"  # with one, values need not be multiples of the grain
    plain = talk("position startpos\ngo depth 3\n", engine)
    coarse = talk("setoption name grain value 50\nposition startpos\ngo depth 3\n", engine)
    scores = [line.split()[7] for line in coarse if line.startswith("info depth")]
    assert scores
    assert all(int(score) % 50 == 0 for score in scores)
    nodes = [[re.findall(r" nodes \d+", line) for line in lines] for lines in (plain, coarse)]
    assert nodes[0] != nodes[1]


def test_nps_needs_a_millisecond() -> None:
    def info(time_us: int) -> str:
        found = replace(iteration(1, 1, "e2e4", 0, lines=1), interior=500, time_us=time_us)
        (line,) = _Progress(numbered=False).add(found)
        return line

    assert " nodes 500 hashfull 0 time 0 pv " in info(999)
    assert " nodes 500 nps 500000 hashfull 0 time 1 pv " in info(1_000)


def test_search_answers_isready_and_stop(process: Talk) -> None:
    process.send("position startpos")
    process.send("go infinite")
    process.read_until("info depth 3")
    process.send("isready")
    lines = process.read_until("readyok")
    assert not any(line.startswith("bestmove") for line in lines)
    process.send("stop")
    assert process.read_until("bestmove")[-1].split()[1] in {
        move.uci() for move in chess.Board().legal_moves
    }
    # It was that search that was stopped, not the next.
    process.send("stop")
    process.send("go depth 3")
    assert process.read_until("bestmove")[-2].startswith("info depth 3")


@pytest.mark.slow
def test_infinite_search_keeps_its_move_until_stop(process: Talk) -> None:
    process.send("position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    process.send("go infinite")
    process.read_until("info depth 1 ")
    time.sleep(0.1)
    assert holds_its_move(process)
    process.send("stop")
    assert process.read_until("bestmove")[-1] == "bestmove a1a8"


def holds_its_move(process: Talk) -> bool:
    """Whether no move was told up to now."""
    process.send("isready")
    return not any(line.startswith("bestmove") for line in process.read_until("readyok"))


@pytest.mark.slow
def test_pondering_search_waits_for_ponderhit_or_stop(process: Talk) -> None:
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "fen",
    [
        "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",  # mate in one
        "8/8/8/8/8/1k6/8/K6N w - - 0 1",  # dead drawn, so that the last depth is soon reached
    ],
)
def test_finished_search_still_ponders(process: Talk, fen: str) -> None:
    for end in ("ponderhit", "stop"):
        process.send("ucinewgame")
        process.send(f"position fen {fen}")
        process.send("go ponder wtime 60000 btime 60000")
        process.read_until("info depth 1 ")
        time.sleep(0.1)
        assert holds_its_move(process)
        process.send(end)
        assert process.read_until("bestmove")[-1].split()[1] in {
            move.uci() for move in chess.Board(fen).legal_moves
        }


@pytest.mark.slow
def test_time_counts_from_ponderhit(process: Talk) -> None:
    process.send("position startpos moves e2e4 e7e5")
    process.send("go ponder movetime 400")
    time.sleep(0.6)
    assert holds_its_move(process)
    start = time.perf_counter()
    process.send("ponderhit")
    process.read_until("bestmove")
    assert time.perf_counter() - start > 0.3


@pytest.mark.slow
def test_game_with_a_pondering_gui(process: Talk) -> None:
    """Commands as GUIs send them. The opponent plays the expected move every other time. On a busy
    machine a search may end before it expects a move."""
    process.send("uci")
    process.read_until("uciok")
    process.send("setoption name Ponder value true")
    process.send("setoption name MultiPV value 2")
    process.send("ucinewgame")
    board, hits = chess.Board(), 0
    clocks = "wtime 1000 btime 1000 winc 10 binc 10"
    process.send("position startpos")
    process.send(f"go {clocks}")
    while (board.ply() < 10 or hits < 2) and not board.is_game_over():
        lines = process.read_until("bestmove")
        words = lines[-1].split()
        assert words[:2] == ["bestmove", variation(last_set(lines)[0])[0]]
        board.push_uci(words[1])
        expected = None
        if len(words) > 2:
            assert words[2:] == ["ponder", variation(last_set(lines)[0])[1]]
            expected = chess.Move.from_uci(words[3])
            assert expected in board.legal_moves
            moves = " ".join(move.uci() for move in board.move_stack)
            process.send(f"position startpos moves {moves} {expected}")
            process.send(f"go ponder {clocks}")
            assert holds_its_move(process)
            if board.ply() % 4 == 1:
                process.send("ponderhit")
                board.push(expected)
                hits += 1
                continue
            process.send("stop")
            process.read_until("bestmove")
        board.push(next(move for move in board.legal_moves if move != expected))
        moves = " ".join(move.uci() for move in board.move_stack)
        process.send(f"position startpos moves {moves}")
        process.send(f"go {clocks}")
    assert board.ply() >= 10 and hits >= 2


@pytest.mark.slow
def test_unlimited_search_waits_for_stop_after_ponderhit(process: Talk) -> None:
    process.send("go ponder infinite")
    process.read_until("info depth 3")
    process.send("ponderhit")
    assert holds_its_move(process)
    process.send("stop")
    process.read_until("bestmove")


@pytest.mark.slow
def test_ponderhit_affects_its_own_search_only(process: Talk) -> None:
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


@pytest.mark.slow
def test_early_stop_and_options_during_a_search(process: Talk) -> None:
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


@pytest.mark.slow
def test_isready_after_go_does_not_wait_for_the_search(process: Talk) -> None:
    """Also where the search has not begun yet when it comes."""
    for number in range(6):
        process.send("ucinewgame")
        process.send("position startpos")
        process.send("isready")
        process.send("go infinite" if number % 2 else "go ponder wtime 1000 btime 1000")
        process.send("isready")
        lines = process.read_until("readyok") + process.read_until("readyok")
        assert not any(line.startswith("bestmove") for line in lines)
        process.send("stop")
        assert not any(line == "readyok" for line in process.read_until("bestmove"))


@pytest.mark.slow
def test_quit_ends_a_search(process: Talk) -> None:
    process.send("go infinite")
    process.read_until("info depth 2")
    process.send("quit")
    assert process.process.wait(timeout=300) == 0
    assert process.process.stderr is not None
    assert process.process.stderr.read() == ""


@pytest.mark.slow
def test_move_time_is_used(process: Talk) -> None:
    process.send("isready")
    process.read_until("readyok")
    start = time.perf_counter()
    process.send("go movetime 300")
    process.read_until("bestmove")
    assert time.perf_counter() - start > 0.1


@pytest.mark.slow
def test_binary_input_is_reported() -> None:
    done = subprocess.run(
        command("pvs:entries=2^8"), input=b"\xff\xfe\x00go\nisready\nquit\n", capture_output=True
    )
    assert done.returncode == 0
    assert done.stderr == b""
    lines = done.stdout.decode().splitlines()
    assert lines[0].startswith("info string error unknown command")
    assert lines[1:] == ["readyok"]


@pytest.mark.slow
def test_closed_output_ends_the_engine() -> None:
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
    assert talk.process.wait(timeout=300) == 0
    assert talk.process.stderr is not None
    assert "Traceback" not in talk.process.stderr.read()
    talk.process.stderr.close()


def variant_of(engine: chess.engine.SimpleEngine) -> str:
    return str(engine.id["name"])


@pytest.mark.slow
def test_match_under_python_chess() -> None:
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


@pytest.mark.slow
def test_python_chess_ponders_with_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "chess.engine")
    limit = chess.engine.Limit(nodes=500)
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
    sent = [record.getMessage().split("<< ")[-1] for record in caplog.records]
    assert sent.count("ponderhit") == 3 and sent.count("stop") >= 2


CHESS960 = "setoption name UCI_Chess960 value true\n"


def test_chess960_reads_and_writes_castling_as_king_takes_rook() -> None:
    mate = "8/2Q5/4R3/8/3k4/8/8/RK6 w Q - 0 1"
    lines = talk(f"{CHESS960}position fen {mate}\ngo depth 2\n")
    assert lines[-1] == "bestmove b1a1"
    ending = "4k3/8/8/8/8/8/8/5KR1 w G - 0 1"
    lines = talk(f"{CHESS960}position fen {ending} moves f1g1\ngo depth 1\n")
    assert "error" not in " ".join(lines)
    board = chess.Board(ending, chess960=True)
    board.push_uci("f1g1")
    assert board.is_legal(chess.Move.from_uci(lines[-1].split()[1]))


@pytest.mark.parametrize(("on", "fine", "wrong"), [(True, "e1h1", "e1g1"), (False, "e1g1", "e1h1")])
def test_chess960_option_decides_the_notation_of_castling(on: bool, fine: str, wrong: str) -> None:
    start = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    option = CHESS960 if on else ""
    assert "error" not in talk(f"{option}position fen {start} moves {fine}\ngo depth 1\n")[0]
    (line, *_) = talk(f"{option}position fen {start} moves {wrong}\n")
    assert line.startswith("info string error") and wrong in line


def test_switching_chess960_keeps_the_position_valid() -> None:
    start = "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves"
    lines = talk(f"{start} e1g1\n{CHESS960}{start} e1h1\nisready\n{start} e1h1 e8a8\nisready\n")
    assert lines == ["readyok", "readyok"]


def test_chess960_position_needs_the_option() -> None:
    (line,) = talk("position fen 4k3/8/8/8/8/8/8/5KR1 w G - 0 1\n")
    assert line.startswith("info string error") and "not those of standard chess" in line
