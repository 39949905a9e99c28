"""What runs in a worker process: it plays game pairs and knows no database."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable

from msgspec import Struct, field, structs
from msgspec.structs import replace

from db.records.games import GameProblemRecord, GameRecord
from db.records.openings import OpeningRecord
from db.times import utc_now
from engines.errors import StartFailure
from engines.external.log import EngineLog, LogFolder
from engines.external.player import UciPlayer
from engines.external.process import bury_strays, end_all
from engines.external.sweep import adopt_orphans
from engines.external.text import shown
from engines.limit import Limit
from engines.spec import (
    Engine,
    EngineLine,
    Player,
    Remarking,
    Replaceable,
    UciEngine,
    Variant,
)
from toolkit.base.version import Provenance
from toolkit.events.players import command_of
from toolkit.referee.lines import encode_lines
from toolkit.referee.outcome import BLACK_WINS, EndReason
from toolkit.referee.record import history_of, key_of, played_fields
from toolkit.referee.referee import OVERSTEPPED, GameRules, PlayedGame, play_game
from toolkit.referee.searchdata import line_moves
from toolkit.referee.signature import marked_signature
from toolkit.runs.executor import Cores
from toolkit.runs.pool import at_end_of_worker, is_worker

PlayerFactory = Callable[[Engine], Player]
Games = tuple[GameRecord, GameRecord]


class PairTask(Struct, frozen=True):
    """One game pair to play: two games from one opening with colours reversed."""

    pairing: int
    """From 0, in the order of ``EventSettings.pairings``, or of the meetings of an event's
    rounds."""
    pair: int
    """From 0 within the pairing."""
    first: int
    """Position among the event's players of the one that has White in game 1."""
    second: int
    """Position of the one that has White in game 2."""
    opening: OpeningRecord
    seed: int
    """Seed of this pair only; the same on every machine."""
    engines: tuple[Engine, Engine] | None = None
    """Both players, where one joined the event after it began; None if the event's settings
    have them."""
    identities: tuple[str, str] | None = None
    """Those under which ``engines`` are stored, where they may be others."""


class NotStarted(Struct, frozen=True):
    """In place of the games of a pair that is not played: an engine is out."""

    label: str
    """Of the engine."""
    reason: str
    """One line."""


MAX_FAULTS_IN_A_ROW = 3
"""Games in which one engine hung or died in a worker; then it plays no more in this run."""
JOINED_KEPT = 4
"""Engines that joined an event later and stay ready in a worker: both of a pair, and two more for
points that take turns."""
EXTERNAL_KEPT = 8
"""External engines that stay alive in a worker; those that were needed last."""


class Assignment(Struct, frozen=True):
    """What all pairs of an event have in common; sent to a worker once."""

    event_id: int
    engines: tuple[Engine, ...]
    """By position in the event; their labels are those of the event."""
    identities: tuple[str, ...]
    """By position, as the event's settings have them; games of an engine that has another one now
    are marked."""
    limits: tuple[Limit, ...]
    """By position; players that join later have the first one."""
    rules: GameRules
    book_id: str
    jobs: int
    """Pairs that are played at the same time."""
    provenance: Provenance
    make_player: PlayerFactory
    """A function that a fresh process can import."""
    tables: tuple[Engine, ...] = ()
    """The engines whose tables a worker may have at the same time."""
    cores: tuple[Cores, ...] = ()
    """The processors of each worker; none where they are not pinned."""
    with_moves: bool = False
    """Whether players and referee know the moves of the openings."""
    scale_nps: int = 0
    """Nodes per second that times are meant for; each machine multiplies them by this over its own
    speed. 0: they are the same everywhere."""
    scale_by: int = 0
    """Position of the engine whose speed counts."""
    lines: bool = True
    """Whether what external engines print of their moves is kept."""
    engine_log: LogFolder | None = None
    """Where the conversations with external engines are kept, if they are."""


class _Ready(Struct, frozen=True):
    """A player of the event, ready to play."""

    engine: Engine
    identity: str
    """A hash that an engine makes anew whenever it is asked for."""
    limit: Limit
    player: Player
    changed: str | None
    """The identity of the engine that really plays, where it is another one."""
    log: EngineLog | None


class PairWorker(Struct):
    """Plays pairs of one event. Players keep their memory from pair to pair: all variants of the
    settings, the last few of those that joined later, and the last few external engines."""

    assignment: Assignment
    _settled: dict[int, _Ready] = {}
    """By position, not by identity: a variant that plays itself needs two memories."""
    _joined: dict[int, _Ready] = {}
    """Those that joined later, the one that was needed last at the end."""
    _external: dict[int, _Ready] = {}
    """External engines, the one that was needed last at the end."""
    _out: dict[str, NotStarted] = {}
    """Engines that did not start or failed in game after game, by label; they are not tried
    again."""
    _faults: Counter[str] = field(default_factory=Counter)
    """In how many games in a row each engine hung or died, by label."""

    def play(self, task: PairTask) -> Games | NotStarted:
        """Both games of a pair, or none if an engine does not start."""
        known = self.assignment.engines
        one, two = task.engines or (known[task.first], known[task.second])
        stored = task.identities or (None, None)
        first = self._ready(task.first, one, stored[0])
        second = self._ready(task.second, two, stored[1])
        for ready in (first, second):
            if ready.engine.label in self._out:
                return self._out[ready.engine.label]
        try:
            games = self._game(task, 1, first, second), self._game(task, 2, second, first)
        except StartFailure as error:
            for ready in (first, second):
                _take_remarks(ready.player)
            out = self._out[error.label] = NotStarted(error.label, str(error))
            return out
        finally:
            bury_strays()
        for game in games:
            self._count_faults(game)
        return games

    def _count_faults(self, game: GameRecord) -> None:
        """An engine that moves too late or illegally loses; one that hangs or dies in one game
        after another will go on so, and is out."""
        for label, white in ((game.white, True), (game.black, False)):
            own = (one for one in game.problems if one.severity == "fault" and one.white == white)
            fault = next(own, None)
            moved = game.end_reason == EndReason.ILLEGAL_MOVE
            if fault is None or moved or fault.text.startswith(OVERSTEPPED):
                self._faults[label] = 0
                continue
            self._faults[label] += 1
            if self._faults[label] >= MAX_FAULTS_IN_A_ROW:
                games = f"{self._faults[label]} games in a row"
                why = f"`{shown(label)}` hung or died in {games}, the last time: {fault.text}"
                self._out[label] = NotStarted(label, why)

    def _game(self, task: PairTask, game: int, white: _Ready, black: _Ready) -> GameRecord:
        job = self.assignment
        limits = (white.limit, black.limit)
        for one in (white, black):
            if one.log is not None:
                one.log.game = f"{task.pairing}.{task.pair}.{game}"
        load = os.getloadavg()[0]
        started_at = utc_now()
        opening = task.opening
        start, history = opening.fen, ""
        before: list[int] = []
        if job.with_moves:
            start, before = opening.start_fen, line_moves(opening, job.rules.rules)
            history = history_of(opening)
        played = play_game(start, white.player, black.player, job.rules, limits, before)
        lines = [*_lines(white.player), *_lines(black.player)] if job.lines else []
        changed = {one.identity: one.changed for one in (white, black) if one.changed}
        program = job.provenance
        if changed:
            program = replace(program, signature=marked_signature(program.signature, changed))
        record = GameRecord(
            id=0,
            event_id=job.event_id,
            pairing=task.pairing,
            pair=task.pair,
            game=game,
            white=white.engine.label,
            black=black.engine.label,
            white_id=white.identity,
            black_id=black.identity,
            book_id=job.book_id,
            opening_line=opening.line,
            start_fen=opening.fen,
            started_at=started_at,
            ended_at=utc_now(),
            load=load,
            jobs=job.jobs,
            seed=task.seed,
            game_key=None,
            problems=_problems(played, white, black),
            lines=encode_lines(lines, len(played.searches), before=len(before)),
            **played_fields(played, program),
        )
        if not (white.engine.deterministic and black.engine.deterministic):
            return record
        return structs.replace(record, game_key=key_of(record, limits, history))

    def _ready(self, position: int, engine: Engine, stored: str | None) -> _Ready:
        """The player of a position, made when it is needed first. ``stored``: the identity under
        which it joined the event, if it may be another one than the engine's."""
        if position >= len(self.assignment.engines):
            return self._kept(self._joined, JOINED_KEPT, position, engine, stored)
        if isinstance(engine, UciEngine):
            return self._kept(self._external, EXTERNAL_KEPT, position, engine, stored)
        one = self._settled.get(position)
        if one is None:
            one = self._settled[position] = self._made(position, engine, stored)
        return one

    def _kept(
        self,
        known: dict[int, _Ready],
        most: int,
        position: int,
        engine: Engine,
        stored: str | None,
    ) -> _Ready:
        """The player of a position among those of which the last few are kept."""
        one = known.pop(position, None)
        if one is None:
            old = known.pop(next(iter(known))).player if len(known) == most else None
            one = self._made(position, engine, stored, old)
        known[position] = one
        return one

    def _made(
        self, position: int, engine: Engine, stored: str | None, old: Player | None = None
    ) -> _Ready:
        """A player that is made now, in place of ``old`` if there is one."""
        job = self.assignment
        if isinstance(old, Replaceable) and isinstance(engine, Variant):
            player = old.successor(engine)
        else:
            if isinstance(engine, UciEngine) and is_worker():
                adopt_orphans()
                at_end_of_worker(end_all)
            player = job.make_player(engine)
        if old is not None:
            old.close()
            if isinstance(old, UciPlayer) and old.log is not None:
                old.log.close()
        log = None
        if job.engine_log is not None and isinstance(player, UciPlayer):
            log = player.log = job.engine_log.log_of(position, engine.label)
        settled = position < len(job.engines)
        plays = engine.identity
        identity = job.identities[position] if settled else stored or plays
        return _Ready(
            engine=engine,
            identity=identity,
            limit=job.limits[position if settled else 0],
            player=player,
            changed=None if plays == identity else plays,
            log=log,
        )


def _problems(played: PlayedGame, white: _Ready, black: _Ready) -> tuple[GameProblemRecord, ...]:
    """What the players did wrong in a game that they just played."""
    found: list[GameProblemRecord] = []
    if (fault := played.fault) is not None:
        white_lost = played.outcome.result == BLACK_WINS
        loser = white if white_lost else black
        text = _without_name(fault.text, loser)
        command = command_of(loser.engine)
        found.append(GameProblemRecord(white_lost, "fault", text, fault.fen, command))
    for one in (white, black):
        for remark in _take_remarks(one.player):
            text = _without_name(remark, one)
            command = command_of(one.engine)
            found.append(GameProblemRecord(one is white, "warning", text, None, command))
    return tuple(found)


def _without_name(text: str, one: _Ready) -> str:
    """A message without the label that it begins with: it is stored with the engine."""
    return text.removeprefix(f"`{shown(one.engine.label)}` ")


def _take_remarks(player: Player) -> list[str]:
    return player.take_remarks() if isinstance(player, Remarking) else []


def _lines(player: Player) -> list[EngineLine]:
    return player.lines() if isinstance(player, Remarking) else []


def pair_player(assignment: Assignment) -> Callable[[PairTask], Games | NotStarted]:
    """What a worker process does with each pair of an event."""
    return PairWorker(assignment).play
