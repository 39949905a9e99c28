"""What runs in a worker process: it plays game pairs and knows no database."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

from db.records import GameRecord
from db.times import utc_now
from engines.spec import Player, Variant
from toolkit.play.record import Circumstances, Provenance, game_record
from toolkit.play.referee import GameRules, play_game
from toolkit.play.schedule import PairTask

PlayerFactory = Callable[[Variant], Player]
Games = tuple[GameRecord, GameRecord]


@dataclass(frozen=True, slots=True)
class Assignment:
    """What all pairs of an event have in common; sent to a worker once."""

    event_id: int
    variants: tuple[Variant, ...]
    """By position in the event; their labels are those of the event."""
    rules: GameRules
    book_id: str
    jobs: int
    provenance: Provenance
    make_player: PlayerFactory
    """A function that a fresh process can import."""


@dataclass(slots=True)
class PairWorker:
    """Plays pairs of one event. Its players keep their memory from pair to pair."""

    assignment: Assignment
    _players: dict[int, Player] = field(default_factory=dict)
    _identities: list[str] = field(init=False)

    def __post_init__(self) -> None:
        # An identity is a hash that is made anew whenever it is asked for.
        self._identities = [variant.identity for variant in self.assignment.variants]

    def play(self, task: PairTask) -> Games:
        """Both games of a pair."""
        return (
            self._game(task, 1, task.first, task.second),
            self._game(task, 2, task.second, task.first),
        )

    def _game(self, task: PairTask, game: int, white: int, black: int) -> GameRecord:
        job = self.assignment
        load = os.getloadavg()[0]
        started_at = utc_now()
        played = play_game(task.opening.fen, self._player(white), self._player(black), job.rules)
        at = Circumstances(
            event_id=job.event_id,
            pairing=task.pairing,
            pair=task.pair,
            game=game,
            white=job.variants[white].label,
            black=job.variants[black].label,
            white_id=self._identities[white],
            black_id=self._identities[black],
            book_id=job.book_id,
            opening_line=task.opening.line,
            start_fen=task.opening.fen,
            started_at=started_at,
            ended_at=utc_now(),
            load=load,
            jobs=job.jobs,
            seed=task.seed,
        )
        return game_record(played, at, job.rules.limit, job.provenance)

    def _player(self, position: int) -> Player:
        # By position, not by identity: a variant that plays itself needs two memories.
        player = self._players.get(position)
        if player is None:
            player = self.assignment.make_player(self.assignment.variants[position])
            self._players[position] = player
        return player


_worker: PairWorker | None = None
"""The one of this process; an executor gives its tasks no other place to keep anything."""


def start_worker(assignment: Assignment, lifeline: Connection) -> None:
    """Make this process a worker that dies when the other end of ``lifeline`` is closed, which
    happens at the latest when the coordinator dies."""
    global _worker
    # Ctrl-C goes to the whole process group; what becomes of the pairs is the coordinator's choice.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with, args=(lifeline,), daemon=True).start()
    _worker = PairWorker(assignment)


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs that were played one after the other."""

    games: tuple[Games, ...]
    seconds: float
    """How long they took."""


def play_batch(tasks: Sequence[PairTask]) -> Batch:
    """Play pairs in a process that :func:`start_worker` prepared."""
    if _worker is None:
        raise RuntimeError("start_worker was not called in this process")
    begin = time.monotonic()
    games = tuple([_worker.play(task) for task in tasks])
    return Batch(games, time.monotonic() - begin)


def _die_with(lifeline: Connection) -> None:
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        pass
    # At once, in the middle of a search: nothing of a worker is worth saving.
    os._exit(1)
