"""Commands of the scripted engine, and of real engines where they are installed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engines.external.identify import identify
from engines.external.player import UciPlayer
from engines.external.process import EngineProcess
from engines.spec import UciCommand, UciEngine, UciSetup

FAKE = Path(__file__).parents[1] / "fake_uci.py"
PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/games"
REAL = {
    "stockfish": (),
    "ethereal-chess": (),
    "glaurung": (),
    "toga2": (),
    "gnuchess": ("--uci",),
}
"""Engines as Debian packages them, with their arguments."""

Fake = Callable[..., UciCommand]


@pytest.fixture
def fake() -> Fake:
    """The command of the scripted engine with these arguments, see fake_uci.py."""

    def command(*arguments: str) -> UciCommand:
        return UciCommand((sys.executable, "-I", "-S", str(FAKE), *arguments))

    return command


@pytest.fixture
def start(fake: Fake) -> Iterator[Callable[..., EngineProcess]]:
    """Starts the scripted engine; it is killed after the test."""
    started = []

    def started_with(*arguments: str) -> EngineProcess:
        started.append(EngineProcess(fake(*arguments), "fake"))
        return started[-1]

    yield started_with
    for process in started:
        process.kill()


@pytest.fixture
def engine(fake: Fake) -> Callable[..., UciEngine]:
    """The scripted engine, identified."""

    def identified(*arguments: str, restart: bool = False, **options: str) -> UciEngine:
        return identify(
            UciSetup(
                command=fake(*arguments),
                options=tuple(options.items()),
                label="fake",
                spelling="uci:fake",
                restart=restart,
            )
        ).engine

    return identified


@pytest.fixture
def make_player(engine: Callable[..., UciEngine]) -> Iterator[Callable[..., UciPlayer]]:
    """Makes a player of the scripted engine; it is killed after the test. What happens at ``uci``
    and ``isready`` must not be scripted: it is identified first."""
    players = []

    def made(*arguments: str, patience_s: float = 60.0, restart: bool = False) -> UciPlayer:
        player = UciPlayer(engine(*arguments, restart=restart), patience_s=patience_s)
        players.append(player)
        return player

    yield made
    for player in players:
        player.kill()


@pytest.fixture(
    params=[pytest.param(name, marks=[pytest.mark.slow] * (name != "toga2")) for name in REAL]
)
def real(request: pytest.FixtureRequest) -> UciCommand:
    """Each real engine, one of them in the quick tests; skipped where it is not installed."""
    name: str = request.param
    return real_command(name)


def real_command(name: str) -> UciCommand:
    """The command of a real engine. Skips the test where it is not installed."""
    program = shutil.which(name, path=PATH)
    if program is None:
        pytest.skip(f"{name} is not installed")
    return UciCommand((program, *REAL[name]))
