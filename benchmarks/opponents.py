"""The chess engines of :mod:`strength`: how each is started, driven, and kept from its own book.

All of them search with one thread and a table of the same size, do not think in the opponent's
time, and run in an empty directory of their own, so that no book and no log of theirs is found or
left anywhere. What was found out by trying each (versions of Debian 12):

gnuchess 6.2.7
    ``--uci``; keeps ``movetime`` to about 3 ms. Its book is switched off by ``OwnBook``. A second
    thread polls for input, all the time, and uses 8 to 11 % of a core, also while the other side
    thinks: counted in its total, not in its search. Ends with a segmentation fault on ``quit``,
    which costs nothing, and crashed once in a game. Its xboard mode takes whole seconds only.
glaurung 2.2
    UCI; looks at the clock every 30,000 nodes, so it oversteps ``movetime`` by 5 to 10 ms. Thinks
    with 2 threads unless told otherwise. Its book would be ``book.bin`` in its directory.
phalanx XXV
    xboard only. ``st SECONDS`` takes fractions and is an *average* for it: it starts no iteration
    after a third of that, less or more by the difficulty of the position, and no hard limit ends a
    search, so a move may take four times the limit. ``st`` is sent multiplied by
    :attr:`Opponent.pace`, by which its mean comes near the limit. ``level`` takes whole seconds of
    base and of increment; a clock with a smaller increment is kept as well as the ``time`` lines
    let it. ``-b-`` switches off its book, ``-l-`` its learning file, ``-p-`` thinking in the
    opponent's time.
toga2 3.0
    UCI; keeps ``movetime`` to 1 to 5 ms. Book as in gnuchess; no log unless asked for.

An engine given on the command line speaks UCI, or xboard where its name is followed by ``:xboard``.
Its options ``Hash``, ``Threads`` and ``OwnBook`` are set where it has them.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Protocol = Literal["uci", "xboard"]
OptionValue = str | int | bool

DEBIAN_GAMES = "/usr/games"
"""Where Debian's packages put them; looked into after ``PATH``."""


@dataclass(frozen=True, slots=True)
class Opponent:
    """One engine."""

    name: str
    command: tuple[str, ...]
    """Words of the command; ``{hash_kb}`` stands for the size of the table."""
    protocol: Protocol = "uci"
    package: str = ""
    """Debian's package that has it."""
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """Options that it must have, beside the common ones."""
    pace: float = 1.0
    """What a time a move is multiplied by before it is sent, because the engine takes it for
    something else than what it may use."""

    def words(self, hash_mb: int) -> list[str]:
        """The command to run. Raises FileNotFoundError when there is no such program."""
        path = os.pathsep.join((os.environ.get("PATH", os.defpath), DEBIAN_GAMES))
        program = shutil.which(self.command[0], path=path)
        if program is None:
            raise FileNotFoundError(self.command[0])
        kilobytes = str(hash_mb * 1024)
        return [program, *(word.replace("{hash_kb}", kilobytes) for word in self.command[1:])]


OPPONENTS = {
    opponent.name: opponent
    for opponent in (
        Opponent("gnuchess", ("gnuchess", "--uci"), package="gnuchess"),
        Opponent("glaurung", ("glaurung",), package="glaurung"),
        Opponent(
            "phalanx",
            ("phalanx", "-b-", "-l-", "-p-", "-r0", "-t{hash_kb}"),
            protocol="xboard",
            package="phalanx",
            pace=1.4,
        ),
        Opponent("toga2", ("toga2",), package="toga2"),
    )
}
"""The engines that are known by name: packages of Debian."""

COMMON_OPTIONS: Mapping[str, OptionValue] = {
    "Threads": 1,
    "Number of Threads": 1,
    "OwnBook": False,
    "Use Search Log": False,
}
"""Set in every UCI engine that has them; so is ``Hash``."""


def parse_opponent(text: str) -> Opponent:
    """A known name, or ``NAME=COMMAND``, or ``NAME:xboard=COMMAND``. Raises ValueError."""
    name, equals, command = text.partition("=")
    if not equals:
        if name not in OPPONENTS:
            known = ", ".join(OPPONENTS)
            raise ValueError(f"opponent `{name}` is not known ({known}); or give NAME=COMMAND")
        return OPPONENTS[name]
    name, colon, protocol = name.partition(":")
    words = tuple(shlex.split(command))
    if not name or not words or (colon and protocol not in ("uci", "xboard")):
        raise ValueError(f"opponent `{text}`: expected NAME=COMMAND or NAME:xboard=COMMAND")
    return Opponent(name, words, protocol="xboard" if protocol == "xboard" else "uci")
