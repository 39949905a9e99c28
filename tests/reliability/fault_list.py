"""The faults of ``faulty_uci.py``, and what each deserves, with fixed nodes and with a clock.

A move that is missing, late, illegal or unreadable, death and hangs cost the game in which they
happen. What an engine prints beside its moves costs nothing. An engine that does not start is out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mode = Literal["nodes", "clock"]
MODES: tuple[Mode, ...] = ("nodes", "clock")
Deserves = Literal["plays on", "loses", "out"]
Games = Literal["all", "as Black", "every third"]
Begin = Literal["at once", "waits", "start", "shutdown"]

MOST_MS = {"at once": 1000, "start": 1000, "shutdown": 5000}
"""How long after the fault, or after the end of the patience with a start, it must be detected;
and how long after ``quit`` an engine must have ended."""
MOST_WAIT_MS = {"nodes": 1000, "clock": 2000}
"""The same for an engine that does not answer: after the watchdog, after time and margin."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault, and what it deserves."""

    name: str
    flags: str
    """Of the engine. ``{slow}``, ``{never}``, ``{late}`` and ``{mb}`` stand for numbers of a
    :class:`fault_event.Timing`."""
    deserves: Deserves
    reasons: tuple[str, str] = ("", "")
    """How a lost game ends, with fixed nodes and with a clock."""
    texts: tuple[str, str] = ("", "")
    """What the reason says, as a regular expression, in both modes; of an engine that is out, what
    is said of it."""
    begin: Begin = "at once"
    """From when on detection counts: from the fault, or from the end of the time that the engine
    has to answer, or to start; or that the end of the process counts, from ``quit`` on."""
    games: Games = "all"
    """Which games it loses."""
    warning: str = ""
    """What is said of a fault that costs nothing, as a regular expression; empty where nobody
    needs to know, or can."""
    keys: str = ""
    """Keys of the engine's text."""
    pairs: int = 1

    def reason(self, mode: Mode) -> str:
        """How a lost game ends."""
        return self.reasons[MODES.index(mode)]

    def text(self, mode: Mode) -> str:
        """What the reason says, as a regular expression."""
        return self.texts[MODES.index(mode)]

    def most_ms(self, mode: Mode) -> int:
        """The bound on its detection."""
        return MOST_WAIT_MS[mode] if self.begin == "waits" else MOST_MS[self.begin]

    def deserved(self, mode: Mode) -> str:
        """What it deserves, in words."""
        if self.deserves == "loses":
            games = "" if self.games == "all" else f" {self.games}"
            return f"loses{games}: {self.reason(mode)}"
        if self.deserves == "out":
            return "out of the event"
        return "a warning" if self.warning else "nothing"


def _harmless(name: str, flags: str = "", warning: str = "", keys: str = "") -> Fault:
    """It costs no game."""
    return Fault(name, flags or f"--{name}", "plays on", warning=warning, keys=keys)


def _out(name: str, text: str, flags: str = "", begin: Begin = "at once") -> Fault:
    """It does not start."""
    return Fault(name, flags or f"--{name}", "out", texts=(text, text), begin=begin)


def _fails(name: str, text: str, games: Games = "all", pairs: int = 1) -> Fault:
    """It cannot or does not say a move."""
    reason = "engine-failure"
    return Fault(
        name, f"--{name}", "loses", (reason, reason), (text, text), games=games, pairs=pairs
    )


def _illegal(name: str) -> Fault:
    reason, text = "illegal-move", "tried the illegal move [a-h][1-8][a-h][1-8]"
    return Fault(name, f"--{name}", "loses", (reason, reason), (text, text))


def _hangs(name: str, how: str = "nor to `stop`, and was killed", flags: str = "") -> Fault:
    """It does not answer in time."""
    text = rf"did not answer within \d+ ms, {how}"
    return Fault(
        name,
        flags or f"--{name}",
        "loses",
        ("engine-failure", "time-forfeit"),
        (text, text),
        begin="waits",
    )


HEALTHY = _harmless("healthy", " ")
FAULTS: tuple[Fault, ...] = (
    HEALTHY,
    # Starting
    _out("exit-at-start", r"exit code 1"),
    _out("die-at-start", "SIGSEGV"),
    _out("exit-before-uciok", "exit code 0"),
    _out("die-before-uciok", "SIGSEGV"),
    _out("hang-uci", "no `uciok` within", begin="start"),
    _out("hang-isready", "did not get ready within", begin="start"),
    _out("start-too-slow", "no `uciok` within", "--slow-start --seconds {never}", begin="start"),
    _harmless("start-slow", "--slow-start --seconds {slow}"),
    _harmless(
        "start-fails-twice", "--exit-at-start --faulty-starts 2", warning="it was started again"
    ),
    _harmless("flood-start", "--flood-start --megabytes {mb}"),
    _out("flood-start-endless", "no `uciok` within", begin="start"),
    _harmless("exit-between-games", warning="it was started again"),
    _harmless("hang-between-games", warning="it was started again"),
    # Ending, or not answering
    _fails("die", r"died \(SIGSEGV\)"),
    _fails("die-as-black", r"died \(SIGSEGV\)", games="as Black"),
    _fails("die-every-third-game", r"died \(SIGSEGV\)", games="every third", pairs=2),
    _fails("exit-0", r"ended \(exit code 0\)"),
    _fails("exit-1", r"ended \(exit code 1\)"),
    _hangs("hang-go", "but to `stop`"),
    _hangs("hang-stop"),
    _hangs("sigstop"),
    _hangs("late", "but to `stop`", "--late --seconds {late}"),
    _fails("close-output", "closed its input or output"),
    _fails("close-input", "closed its input or output"),
    _fails("close-all", "closed its input or output"),
    # Answering wrongly
    _illegal("illegal"),
    _fails("null", "answered `bestmove 0000`, which is not a move"),
    _fails("malformed", r"answered `bestmove [a-h][1-8][a-h]9`, which is not a move"),
    _fails("san", r"answered `bestmove \S+`, which is not a move"),
    _fails("no-move", "answered `bestmove`, which is not a move"),
    _fails("none", r"answered `bestmove \(none\)`, which is not a move"),
    _illegal("previous-position"),
    _illegal("previous-answer"),
    _harmless("twice", warning="gave an answer twice"),
    _harmless("twice-late", warning="gave an answer twice"),
    _harmless("twice-slow", "--twice-slow --seconds 0.8", warning="gave an answer twice"),
    # Printing
    _harmless("flood-before", "--flood-before --megabytes {mb}", r"printed more than \d+ MB"),
    _harmless("flood-after", "--flood-after --megabytes {mb}", r"printed more than \d+ MB"),
    _harmless("flood-always"),
    _hangs("flood-endless"),
    _hangs("flood-endless-after"),
    _harmless("long-line", warning=r"printed more than \d+ MB"),
    _hangs("endless-line"),
    _harmless("invalid-utf8"),
    _harmless("nul"),
    _harmless("crlf"),
    _harmless("huge-numbers"),
    _harmless("flood-stderr", "--flood-stderr --megabytes {mb}", r"printed more than \d+ MB"),
    _harmless("flood-stderr-endless"),
    # Processes, memory, threads
    _harmless("fork"),
    _harmless("fork-setsid"),
    _fails("fork-die", r"died \(SIGSEGV\)"),
    _fails("fork-setsid-die", r"died \(SIGSEGV\)"),
    Fault("stubborn", "--stubborn", "plays on", begin="shutdown", keys="&restart=on"),
    _harmless("memory", "--memory --megabytes {mb}"),
    _harmless("threads"),
    # Telling lies
    _harmless("false-mate"),
    _harmless("false-loss"),
    _harmless("false-draw"),
    _harmless("illegal-line", warning="a variation with an illegal move at ply"),
)
