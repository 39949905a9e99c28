"""The beginning of a conversation in UCI: the greeting, the options, and being in step."""

from __future__ import annotations

from collections.abc import Iterable

from engines.errors import EngineFailure
from engines.external.process import EngineProcess
from engines.external.protocol import Announced, parse_announcement

START_PATIENCE_S = 10.0
"""How long an engine may take to start, and to get ready."""


def greet(process: EngineProcess, patience_s: float = START_PATIENCE_S) -> Announced:
    """Begin with ``uci``. Raises EngineFailure when no ``uciok`` comes in time."""
    try:
        process.send(b"uci\n", patience_s)
        text = process.read_until(b"uciok", patience_s)
    except EngineFailure as error:
        raise EngineFailure(f"{error} (before `uciok`: is it a UCI engine?)") from None
    if text is None:
        process.kill()
        raise EngineFailure(
            f"`{process.name}` printed no `uciok` within {patience_s:g} s: "
            "it is not a UCI engine, or takes longer to start"
        )
    return parse_announcement(text)


def set_options(options: Iterable[tuple[str, str]]) -> bytes:
    """The commands that set these options, named and spelled as the engine announces them; without
    a value one is pressed."""
    lines = (
        f"setoption name {name}" + (f" value {value}\n" if value else "\n")
        for name, value in options
    )
    return "".join(lines).encode("utf-8", "surrogateescape")


def get_ready(
    process: EngineProcess, commands: bytes = b"", patience_s: float = START_PATIENCE_S
) -> None:
    """Send commands, and wait until they are carried out. What was printed before is forgotten.
    Raises EngineFailure when no ``readyok`` comes in time."""
    process.send(commands + b"isready\n", patience_s)
    if process.read_until(b"readyok", patience_s) is None:
        process.kill()
        raise EngineFailure(f"`{process.name}` did not get ready within {patience_s:g} s")
