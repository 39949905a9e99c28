"""Any values that the registry allows make an engine that ends its searches.

A tuner plays values that nobody would choose. One that searches without end holds its worker, and
no limit helps, since depth 1 always finishes; so the searches run in a process with a time limit.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

_PROGRAM = """
import random
import sys
from engines.backend import make_searcher
from engines.choices import GAMES
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import SearchLimit
from engines.variant import is_meaningful, make_variant
from toolkit.books.book import default_book

CHESS = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbq1bnr/1ppppk1p/p7/6p1/8/4PN2/PPPP1PPP/RNBQK2R w KQ - 0 5",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/3QR1K1 w - - 0 1",
]
draw = random.Random(5)


def value(param):
    if param.kind == "flag":
        return draw.random() < 0.5
    if param.name == "threads":
        return draw.randint(1, 3)  # no tuner sets them, and more keep all cores busy
    if param.kind == "choice":
        return draw.choice(param.choices)
    if draw.random() < 0.5:  # the ends, and what is next to them
        near = (param.low, param.high, param.low + 1, param.high - 1)
        return type(param.low)(draw.choice(near))
    if param.kind == "int":
        return draw.randint(param.low, param.high)
    return draw.uniform(param.low, param.high)


def positions(game):
    if game == PARAMETERS["game"].default:
        return CHESS
    return [opening.fen for opening in default_book(game=game).openings[:3]]


share = int(sys.argv[1])
NUMBERS = {game: share for game in GAMES} | {PARAMETERS["game"].default: 5 * share}
for driver, game in [(driver, game) for game in NUMBERS for driver in DRIVERS]:
    fens = positions(game)
    for _ in range(NUMBERS[game]):
        given = {"game": game}
        for name in DRIVERS[driver].parameters:
            if name in ("game", "hash", "entries"):
                continue
            drawn = value(PARAMETERS[name])
            defaults = {n: PARAMETERS[n].default for n in DRIVERS[driver].parameters}
            if is_meaningful(PARAMETERS[name], defaults | given):
                given[name] = drawn
        if "entries" in DRIVERS[driver].parameters:
            given["entries"] = 2**10
        variant = make_variant(driver, given)
        searcher = make_searcher(variant)
        for fen in fens:
            searcher.new_game()
            searcher.set_position(fen)
            print(variant.spelling, fen, flush=True)
            report = searcher.go(SearchLimit(nodes=600))
            assert report.nodes - report.overrun <= 600
            print("nodes", report.nodes, flush=True)
        searcher.close()
print("done")
"""


@pytest.mark.native
@pytest.mark.parametrize("share", [1, pytest.param(6, marks=pytest.mark.slow)])
def test_every_search_ends(share: int) -> None:
    try:
        ran = subprocess.run(
            [sys.executable, "-c", _PROGRAM, str(share)],
            capture_output=True,
            text=True,
            timeout=600,
        )
    except subprocess.TimeoutExpired as error:
        text = error.stdout if isinstance(error.stdout, str) else (error.stdout or b"").decode()
        pytest.fail(f"a search does not end: {text.splitlines()[-1]}")
    lines = ran.stdout.splitlines()
    assert lines[-1:] == ["done"], f"{ran.stderr[-2000:]}\n{lines[-1:]}"
    # Depth 1 is finished whatever the limit, and costs little whatever the values. SSS* comes down
    # value by value, which takes it more passes than all others.
    searches = list(zip(lines[:-1:2], lines[1:-1:2], strict=True))
    assert len(searches) > 300 * share
    for engine, nodes in searches:
        most = 60_000 if engine.startswith("sss") else 20_000
        assert int(nodes.removeprefix("nodes ")) < most, engine
