"""Playing events with faulty engines, and judging what became of each fault.

One healthy variant of ours meets all faulty engines in one gauntlet, so a fault that brought the
event down would show in the rows of all others. With fixed nodes an engine whose fault costs
nothing must have played, move by move, the games of the engine without a fault.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from urllib.parse import quote

import chess
from fault_list import HEALTHY, Fault, Mode
from msgspec import structs

from db.records.games import GameRecord
from db.session import open_database
from engines.external.handshake import START_PATIENCE_S
from engines.external.player import UciPlayer
from engines.limit import Limit
from engines.moves import decode_move
from engines.players import make_player
from engines.spec import Engine, Player, UciEngine
from toolkit.base.errors import MtdfError
from toolkit.events.event import start_event
from toolkit.events.progress import EventOutcome, PairingStanding
from toolkit.events.settings import EventSettings, gauntlet_settings
from toolkit.referee.adjudication import Adjudication, DrawRule, ResignRule
from toolkit.referee.searchdata import decode_moves

ENGINE = Path(__file__).with_name("faulty_uci.py")
HERO = "pvs:hash=1,name=hero"
FAULT_REASONS = ("engine-failure", "illegal-move", "time-forfeit")
MAX_PLIES = 8


@dataclass(frozen=True, slots=True)
class Timing:
    """How patient the event is, and how slow and big the faults are."""

    patience_s: float = START_PATIENCE_S
    """With a start."""
    hang_after_s: float = 5.0
    base_s: float = 5.0
    inc_s: float = 0.05
    margin_s: float = 0.2
    nodes: int = 300
    megabytes: int = 100
    orphans_gone_s: float = 2.0
    """How long processes may still be seen after the event."""
    bounds_detection: bool = True
    """Whether a fault that is detected late is judged wrong."""

    def flags(self, fault: Fault, mode: Mode) -> list[str]:
        """The arguments of the engine."""
        beyond = self.hang_after_s if mode == "nodes" else self.margin_s
        return fault.flags.format(
            slow=0.3 * self.patience_s,
            never=self.patience_s + 5,
            late=beyond + 0.2,
            mb=self.megabytes,
        ).split()

    def limit(self, mode: Mode) -> Limit:
        """Of all players."""
        if mode == "nodes":
            return Limit(nodes=self.nodes)
        return Limit(base_ms=round(1000 * self.base_s), inc_ms=round(1000 * self.inc_s))

    def allowed_s(self, fault: Fault, mode: Mode, clock_ms: int) -> float:
        """How long the engine may take from the moment that it noted, by the rules."""
        if fault.begin in ("at once", "shutdown"):
            return 0.0
        if fault.begin == "start":
            return self.patience_s
        return self.hang_after_s if mode == "nodes" else clock_ms / 1000 + self.margin_s


QUICK = Timing(
    patience_s=3.0,
    hang_after_s=1.5,
    base_s=2.0,
    margin_s=1.0,
    megabytes=10,
)
"""For tests, on a machine with other work. Short, because floods use a core all the while."""


@dataclass(frozen=True, slots=True)
class Row:
    """What became of a fault in one mode."""

    fault: Fault
    mode: Mode
    outcome: str
    detected_ms: float | None
    """The longest time from the fault, or the end of the time to answer, to its detection; of an
    engine that does not quit, to its end."""
    wrong: tuple[str, ...]
    """Where it is not what it deserves."""


@dataclass(slots=True)
class Played:
    """An event with faulty engines, after its end."""

    mode: Mode
    timing: Timing
    folder: Path
    outcome: EventOutcome | None = None
    error: str = ""
    games: list[GameRecord] = field(default_factory=list)
    """As they are stored, with what engines did wrong."""
    failures: dict[int, list[str]] = field(default_factory=dict)
    """Reasons of pairs that were given up, by pairing."""
    shutdown_s: float = 0.0
    orphans: dict[str, int] = field(default_factory=dict)
    """Processes that were left, by fault."""

    def games_of(self, fault: Fault) -> list[GameRecord]:
        """All games of this engine, in the order of the schedule."""
        games = [game for game in self.games if fault.name in (game.white, game.black)]
        return sorted(games, key=lambda game: (game.pair, game.game))


def patient_player(engine: Engine, *, patience_s: float) -> Player:
    """A player whose engine has so long to start."""
    if isinstance(engine, UciEngine):
        return UciPlayer(engine, patience_s=patience_s)
    return make_player(engine)


def play(
    faults: Sequence[Fault], mode: Mode, timing: Timing, folder: Path, jobs: int = 1
) -> Played:
    """Play one event of the hero against these engines."""
    folder.mkdir(parents=True)
    played = Played(mode, timing, folder)
    settings = settings_of(faults, mode, timing, folder)
    with open_database(folder / "games.db") as db:
        try:
            played.outcome = start_event(
                db,
                settings,
                jobs=jobs,
                make_player=partial(patient_player, patience_s=timing.patience_s),
            )
        except MtdfError as error:
            played.error = str(error)
        if played.outcome is not None and played.outcome.status == "interrupted":
            raise KeyboardInterrupt
        ended = time.monotonic()
        for game in db.repository.games():
            played.games.append(
                structs.replace(game, problems=tuple(db.repository.game_problems(game)))
            )
        if played.outcome is not None:
            for failure in db.repository.failures(played.outcome.event.id):
                played.failures.setdefault(failure.pairing, []).append(failure.reason)
    left = {fault.name: _processes(folder / fault.name) for fault in faults}
    while (
        any(map(_alive, sum(left.values(), [])))
        and time.monotonic() < ended + timing.orphans_gone_s
    ):
        time.sleep(0.02)
    played.shutdown_s = time.monotonic() - ended
    for name, numbers in left.items():
        alive = [number for number in numbers if _alive(number)]
        if alive:
            played.orphans[name] = len(alive)
        for number in alive:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
    return played


def play_and_judge(
    faults: Sequence[Fault], mode: Mode, timing: Timing, folder: Path, jobs: int = 1
) -> list[Row]:
    """The rows of these faults in one mode. Those that need as many pairs share an event, which the
    engine without a fault plays, too."""
    rows: dict[str, Row] = {}
    for pairs in sorted({fault.pairs for fault in faults}):
        others = [fault for fault in faults if fault.pairs == pairs and fault.name != HEALTHY.name]
        players = [replace(HEALTHY, pairs=pairs), *others]
        few = 1 if len(players) <= jobs else jobs  # a worker takes a second of CPU time to start
        played = play(players, mode, timing, folder / f"{pairs}", few)
        control = played.games_of(HEALTHY) if mode == "nodes" else ()
        rows |= {fault.name: judge(fault, played, control) for fault in players}
    return [rows[fault.name] for fault in faults]


def settings_of(faults: Sequence[Fault], mode: Mode, timing: Timing, folder: Path) -> EventSettings:
    """The gauntlet. Reading it starts each engine once, which is not faulty then."""
    (pairs,) = {fault.pairs for fault in faults}
    return gauntlet_settings(
        [HERO],
        [_text(fault, mode, timing, folder / fault.name) for fault in faults],
        pairs=pairs,
        limit=timing.limit(mode),
        seed=3,
        openings="shared",
        adjudication=Adjudication(
            max_plies=MAX_PLIES,
            draw=DrawRule(plies=3, cp=0, from_move=0),
            resign=ResignRule(plies=2, cp=3000),
        ),
        time_margin_ms=round(1000 * timing.margin_s),
        patience_ms=round(1000 * timing.hang_after_s),
    )


def _text(fault: Fault, mode: Mode, timing: Timing, log: Path) -> str:
    log.mkdir()
    flags = timing.flags(fault, mode)
    words = [sys.executable, "-I", str(ENGINE), *flags, "--log", str(log), "--sound-starts", "1"]
    return f"uci:{' '.join(map(quote, words))}?name={fault.name}{fault.keys}"


def judge(fault: Fault, played: Played, control: Sequence[GameRecord] = ()) -> Row:
    """Hold what became of a fault against what it deserves. ``control``: the games of the engine
    without a fault, to which those of a fault that costs nothing must be equal."""
    games = played.games_of(fault)
    wrong: list[str] = []
    lost = [game for game in games if game.end_reason in FAULT_REASONS]
    healthy_lost = [game for game in lost if not _lost_by(game, fault.name)]
    if healthy_lost:
        wrong.append(f"the healthy side lost: {healthy_lost[0].end_reason}")
    if played.error:
        wrong.append(f"the event ended: {played.error}")
    if fault.deserves == "out":
        detected = _judge_out(fault, played, games, wrong)
    else:
        detected = _judge_games(fault, played, games, lost, wrong)
    if control and fault.deserves == "plays on" and not lost:
        if [game.moves for game in games] != [game.moves for game in control]:
            wrong.append("played other moves than without the fault")
    if detected is None and (fault.deserves != "plays on" or fault.begin == "shutdown"):
        wrong.append("the engine did not note when its fault happened")
    bounds = played.timing.bounds_detection
    if bounds and detected is not None and detected > fault.most_ms(played.mode):
        wrong.append(f"detected after {detected:.0f} ms")
    if fault.name in played.orphans:
        wrong.append(f"left {played.orphans[fault.name]} processes behind")
    return Row(
        fault, played.mode, _outcome(played, games, lost), detected, tuple(dict.fromkeys(wrong))
    )


def _judge_games(
    fault: Fault,
    played: Played,
    games: Sequence[GameRecord],
    lost: Sequence[GameRecord],
    wrong: list[str],
) -> float | None:
    """What an engine deserves that plays all its games. Returns the time to detection in ms."""
    if len(games) != 2 * fault.pairs:
        wrong.append(f"{len(games)} of {2 * fault.pairs} games were played")
    if fault.deserves == "plays on":
        told = _told(fault, games, "warning")
        if lost:
            wrong.append(f"lost: {'; '.join(_told(fault, lost, 'fault')) or 'for no reason'}")
        if fault.warning and not any(re.search(fault.warning, text) for text in told):
            wrong.append(f"the warnings are: {'; '.join(told) or 'none'}")
        return _shutdown_ms(fault, played) if fault.begin == "shutdown" else None
    expected = [game for game in games if fault.games != "as Black" or game.black == fault.name]
    number = len(games) // 3 if fault.games == "every third" else len(expected)
    if len(lost) != number or not all(game in expected for game in lost):
        wrong.append(f"lost {len(lost)} games, not {number} of those it deserves to lose")
    for game in lost:
        if game.end_reason != fault.reason(played.mode):
            wrong.append(f"lost by {game.end_reason}, not {fault.reason(played.mode)}")
        _check_reason(fault, played.mode, game, wrong)
    noted = _noted(played.folder / fault.name / "faults")
    times = [_detection_ms(fault, played, noted, _seconds(game.ended_at or "")) for game in lost]
    return max((ms for ms in times if ms is not None), default=None)


def _shutdown_ms(fault: Fault, played: Played) -> float | None:
    """The longest time from ``quit`` to the start of the next process, where each game has one."""
    noted, starts = (_noted(played.folder / fault.name / kind) for kind in ("faults", "starts"))
    later = [second for second, _, _ in starts][2:]  # the first one is not in a game
    times = [_detection_ms(fault, played, noted, start) for start in later]
    return max((ms for ms in times if ms is not None), default=None)


def _check_reason(fault: Fault, mode: Mode, game: GameRecord, wrong: list[str]) -> None:
    """What is stored of the fault that lost a game: reason, position, and how it was started."""
    faults = [problem for problem in game.problems if problem.severity == "fault"]
    if len(faults) != 1:
        wrong.append(f"{len(faults)} reasons are stored of a lost game")
        return
    (problem,) = faults
    if problem.white != (game.white == fault.name):
        wrong.append("the fault is the healthy side's")
    if not re.search(fault.text(mode), problem.text) or "\n" in problem.text:
        wrong.append(f"the reason says: {problem.text}")
    board = chess.Board(game.start_fen)
    for move in decode_moves(game.moves):
        board.push_uci(decode_move(move))
    if problem.fen != board.fen():
        wrong.append(f"the position of the fault is said to be {problem.fen}")
    if str(ENGINE) not in problem.command:
        wrong.append(f"the engine is said to be started as {problem.command}")


def _told(fault: Fault, games: Sequence[GameRecord], severity: str) -> list[str]:
    """What is stored of the engine's problems, each text once."""
    own = [
        problem.text
        for game in games
        for problem in game.problems
        if problem.white == (game.white == fault.name) and problem.severity == severity
    ]
    return list(dict.fromkeys(own))


def _judge_out(
    fault: Fault, played: Played, games: Sequence[GameRecord], wrong: list[str]
) -> float | None:
    """What an engine deserves that does not start. Returns the longest time in ms from a failed
    start to the next one."""
    if games:
        wrong.append(f"{len(games)} games were stored")
    pairing = [one.second for one in _pairings(played)].index(fault.name)
    reasons = played.failures.get(pairing, [])
    if len(reasons) != fault.pairs:
        wrong.append(f"{len(reasons)} of {fault.pairs} pairs were given up")
    if reasons and not all(re.search(fault.text(played.mode), reason) for reason in reasons):
        wrong.append(f"the reason says: {reasons[0]}")
    starts = [second for second, _, _ in _noted(played.folder / fault.name / "starts")][1:]
    if len(starts) != 3:
        wrong.append(f"was started {len(starts)} times, not three times")
    noted = _noted(played.folder / fault.name / "faults")
    times = [_detection_ms(fault, played, noted, start) for start in starts[1:]]
    return max((ms for ms in times if ms is not None), default=None)


def _pairings(played: Played) -> Sequence[PairingStanding]:
    return () if played.outcome is None else played.outcome.progress.pairings


def _detection_ms(
    fault: Fault, played: Played, noted: Sequence[tuple[float, int, int]], until: float
) -> float | None:
    """From the last fault before a moment to that moment, without the time that it was allowed."""
    before = [one for one in noted if one[0] <= until]
    if not before:
        return None
    second, _, clock_ms = before[-1]
    late_s = until - second - played.timing.allowed_s(fault, played.mode, clock_ms)
    return max(1000 * late_s, 0.0)


def _outcome(played: Played, games: Sequence[GameRecord], lost: Sequence[GameRecord]) -> str:
    if not games:
        return "out of the event" if played.outcome else "the event ended"
    if not lost:
        return "played on"
    reasons = ", ".join(sorted({game.end_reason for game in lost}))
    return f"lost {len(lost)} of {len(games)}: {reasons}"


def _lost_by(game: GameRecord, name: str) -> bool:
    return game.result == ("0-1" if game.white == name else "1-0")


def _noted(path: Path) -> list[tuple[float, int, int]]:
    """Seconds, process and milliseconds on the clock, of each line of a log."""
    if not path.exists():
        return []
    words = [line.split() for line in path.read_text().splitlines()]
    return [(float(second), int(number), int(clock)) for second, number, clock in words]


def _processes(log: Path) -> list[int]:
    path = log / "processes"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def _alive(number: int) -> bool:
    """Whether it runs; a process that nobody has waited for yet does not. Linux says so."""
    try:
        state = Path(f"/proc/{number}/stat").read_text(errors="replace").rpartition(") ")[2]
        return state[0] not in "ZX"
    except OSError:
        return False


def _seconds(time_text: str) -> float:
    """Since 1970; times are stored in whole milliseconds, and this is the end of that one."""
    return datetime.fromisoformat(time_text).timestamp() + 0.001
