"""The test of an external engine: all its points, one after another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Annotated

from msgspec import Struct

from engines.errors import EngineFailure
from engines.external.identify import identify
from engines.external.text import shown
from engines.registry import DRIVERS
from engines.spec import UciEngine, UciSetup
from toolkit.base.errors import UsageError
from toolkit.compliance.control import (
    check_end_of_input,
    check_isready,
    check_new_game,
    check_one_answer,
    check_quit,
    check_stop,
)
from toolkit.compliance.conversation import Conversation
from toolkit.compliance.finding import PACE, CheckFinding, CheckVerdict, Progress, WaitingTimes
from toolkit.compliance.limits import check_clock, check_depth, check_movetime, check_nodes
from toolkit.compliance.moves import (
    check_chess960,
    check_game_over,
    check_info,
    check_legal,
    check_long_games,
    check_mates,
    check_pv,
    check_scores,
)
from toolkit.compliance.resources import check_idle, check_repeats, check_threads
from toolkit.compliance.starting import (
    check_options,
    check_own_book,
    check_start,
    check_unknown_words,
    check_values,
)
from toolkit.events.contenders import UCI, Registered, identified, is_external, read_command


class PointRow(Struct, frozen=True):
    """One point of the test."""

    point: Annotated[str, "name of the point"]
    status: Annotated[str, "`ok`, `warn` or `FAIL`"]
    detail: Annotated[str, "what was seen"]
    meaning: Annotated[str, "what it means for matches; empty if all is well"]
    seconds: Annotated[float, "how long it took"]


class EngineTest(Struct, frozen=True):
    """The output of `engines test`."""

    engine: Annotated[str, "label"]
    name: Annotated[str, "name that the engine announces"]
    id: Annotated[str, "identity"]
    command: Annotated[str, "its command line"]
    passed: Annotated[bool, "whether no point failed; warnings do not count"]
    warnings: Annotated[int, "points with a warning"]
    failures: Annotated[int, "points that failed"]
    seconds: Annotated[float, "how long the test took"]
    load: Annotated[float, "load average (1 min) of the machine when it began"]
    points: Annotated[list[PointRow], "all points, in order"]


@dataclass(frozen=True, slots=True)
class _Point:
    name: str
    check: Callable[[Conversation], CheckVerdict]
    broken: str
    """What it means for matches if the engine fails while it is tested."""


_POINTS = (
    _Point("start", check_start, ""),
    _Point("options", check_options, "it does not stay alive"),
    _Point("unknown words", check_unknown_words, "a program that sends more than it knows ends it"),
    _Point("legal moves", check_legal, "such positions lose games"),
    _Point("long games", check_long_games, "long games are lost"),
    _Point("game over", check_game_over, "analysis of a finished game ends it"),
    _Point("mates", check_mates, "games are lost near mate"),
    _Point("scores", check_scores, "games are lost"),
    _Point("stop", check_stop, "an engine past its time is killed; that game is lost"),
    _Point("isready", check_isready, "programs that ask during a search take it for dead"),
    _Point("ucinewgame", check_new_game, "it cannot begin a second game: try restart=on"),
    _Point("nodes", check_nodes, "do not use --nodes with it"),
    _Point("depth", check_depth, "do not use --depth with it"),
    _Point("movetime", check_movetime, "do not use --movetime with it"),
    _Point("clock", check_clock, "do not use --tc with it"),
    _Point("own book", check_own_book, "games are lost in the opening"),
    _Point("repeats", check_repeats, "games are lost"),
    _Point("info", check_info, "reports have gaps"),
    _Point("pv", check_pv, "reports have gaps"),
    _Point("one answer", check_one_answer, "moves may be taken for others"),
    _Point("chess960", check_chess960, "do not use --chess960 with it"),
    _Point("option values", check_values, "with such values it cannot play"),
    _Point("idle", check_idle, "games are lost"),
    _Point("threads", check_threads, "games are lost"),
    _Point("quit", check_quit, "it is killed instead"),
    _Point("end of input", check_end_of_input, "it is killed instead"),
)
POINTS = tuple(point.name for point in _POINTS)
"""The names of all points, in the order of the test."""


def tested_engine(words: Sequence[str], registered: Registered) -> UciEngine:
    """The engine that these words mean: one that is kept, ``uci:...``, ``git:...``, or a command.
    It is started once. Raises as :func:`toolkit.events.contenders.read_contenders`, and UsageError
    for one of ours."""
    head = words[0].partition(":")[0] if words else ""
    is_command = len(words) != 1
    if not is_command and not is_external(words[0]) and head not in registered():
        if head in DRIVERS:
            raise UsageError(
                f"engine `{shown(words[0])}` is one of ours; as an external one it is tested by: "
                f"mtdf engines test -- mtdf uci --engine {shown(words[0])}"
            )
        is_command = True
    if not is_command:
        found = identified(words[0], registered)
        assert found is not None, "it is no variant"
        return found.engine
    command = read_command(words, {}, None, {})
    label = PurePath(words[0]).name or words[0]
    return identify(UciSetup(command=command, spelling=UCI, label=label)).engine


def examine(
    engine: UciEngine, *, pace: WaitingTimes = PACE, progress: Progress | None = None
) -> Iterator[CheckFinding]:
    """Test an engine, point by point. Raises EngineFailure if it does not even start.

    An engine that hangs or dies at a point fails it, and has a new process for the next one.
    """
    say = progress or (lambda _: None)
    talk = Conversation(engine, pace, say)
    begin = time.monotonic()
    try:
        for point in _POINTS:
            say(point.name)
            is_late = time.monotonic() - begin > pace.total_s
            verdict = _too_late(pace) if is_late else _verdict(talk, point)
            yield CheckFinding(point.name, verdict.status, verdict.detail, verdict.meaning)
    finally:
        talk.close()


def _verdict(talk: Conversation, point: _Point) -> CheckVerdict:
    if point.check is check_start:
        return point.check(talk)
    try:
        return point.check(talk)
    except EngineFailure as error:
        talk.close()
        return CheckVerdict("FAIL", str(error), point.broken)


def _too_late(pace: WaitingTimes) -> CheckVerdict:
    detail = f"not tested: {pace.total_s:g} s are over"
    return CheckVerdict("warn", detail, "mend what failed before, and test again")
