"""What runs in a worker process: it plays game pairs and knows no database."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field

from db.records import GameRecord
from db.times import utc_now
from engines.spec import Player, Replaceable, Variant
from toolkit.base.version import Provenance
from toolkit.games.record import Circumstances, game_record
from toolkit.games.referee import GameRules, play_game
from toolkit.play.schedule import PairTask

PlayerFactory = Callable[[Variant], Player]
Games = tuple[GameRecord, GameRecord]

JOINED_KEPT = 4
"""Players that joined an event later and stay ready in a worker: both of a pair, and two more for
points that take turns."""


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


@dataclass(frozen=True, slots=True)
class _Seat:
    """A player of the event, ready to play."""

    label: str
    identity: str
    """A hash that a variant makes anew whenever it is asked for."""
    player: Player


@dataclass(slots=True)
class PairWorker:
    """Plays pairs of one event. Players keep their memory from pair to pair: all players of the
    settings, and the last few of those that joined later."""

    assignment: Assignment
    _seats: dict[int, _Seat] = field(default_factory=dict)
    """By position, not by identity: a variant that plays itself needs two memories."""
    _joined: dict[int, _Seat] = field(default_factory=dict)
    """Those that joined later, the one that was needed last at the end."""

    def play(self, task: PairTask) -> Games:
        """Both games of a pair."""
        known = self.assignment.variants
        one, two = task.variants or (known[task.first], known[task.second])
        first, second = self._seat(task.first, one), self._seat(task.second, two)
        return self._game(task, 1, first, second), self._game(task, 2, second, first)

    def _game(self, task: PairTask, game: int, white: _Seat, black: _Seat) -> GameRecord:
        job = self.assignment
        load = os.getloadavg()[0]
        started_at = utc_now()
        played = play_game(task.opening.fen, white.player, black.player, job.rules)
        at = Circumstances(
            event_id=job.event_id,
            pairing=task.pairing,
            pair=task.pair,
            game=game,
            white=white.label,
            black=black.label,
            white_id=white.identity,
            black_id=black.identity,
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

    def _seat(self, position: int, variant: Variant) -> _Seat:
        """The player of a position, made when it is needed first."""
        if position < len(self.assignment.variants):
            seat = self._seats.get(position)
            if seat is None:
                seat = self._seats[position] = self._made(variant)
            return seat
        seat = self._joined.pop(position, None)
        if seat is None:
            old = None
            if len(self._joined) == JOINED_KEPT:
                old = self._joined.pop(next(iter(self._joined))).player
            seat = self._made(variant, old)
        self._joined[position] = seat
        return seat

    def _made(self, variant: Variant, old: Player | None = None) -> _Seat:
        """A player that is made now, in place of ``old`` if there is one."""
        if isinstance(old, Replaceable):
            player = old.successor(variant)
        else:
            player = self.assignment.make_player(variant)
        if old is not None:
            old.close()
        return _Seat(variant.label, variant.identity, player)


def pair_player(assignment: Assignment) -> Callable[[PairTask], Games]:
    """What a worker process does with each pair of an event."""
    return PairWorker(assignment).play
