"""Events whose workers recite games: what storing many games costs, without playing them.

A *repertoire* is a match of ``mtdf`` against ``pvs`` that the native core really plays, with every
search, up to ply 80. Only the pairs of which both games have 80 plies are recited. Their openings
are the book of the recited events, so a recited game starts where it was really played, and each
of its moves is legal. Moves, search data, result, node counts and times are those of the real game;
the event, the players, the seed, the moment and the key are those of the task.

Everything but the search is what an event does: schedule, worker processes, their pipes and
pickles, transactions, the tally, and the rating list at the end. The games of one line are the same
in every pairing. That saves no byte, because the database packs every game by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from msgspec.structs import replace

import toolkit.events.runner
from db.records.games import GameRecord
from db.session import Database, open_database
from db.times import utc_now
from engines.limit import Limit
from toolkit.books.book import Book, book_identity, default_book
from toolkit.events.event import start_event
from toolkit.events.settings import EventSettings, gauntlet_settings, match_settings
from toolkit.events.worker import Assignment, Games, PairTask
from toolkit.referee.adjudication import Adjudication
from toolkit.referee.record import game_key

PLIES = 80
NODES = 1000
LINES = 3000
"""Lines of the default book that the repertoire is played from."""
HEROES, FIELD = 20, 50
"""Players of a recited event, a gauntlet."""
SHARED = 20
"""Players that an event has in common with the next one."""


@dataclass(frozen=True, slots=True)
class Recited:
    """What it took to store recited games."""

    games: int
    transactions: int
    cpu_s: float
    """CPU time of the coordinator, from the start of the first pair to the last one stored."""
    wall_s: float
    """The same by the clock: with the disk, and with workers that recite on the same machine."""


def play_repertoire(path: Path, lines: int = LINES, jobs: int = 2) -> None:
    """Really play the games that are recited, into a database of their own."""
    book = default_book()
    settings = match_settings(
        "mtdf",
        "pvs",
        pairs=lines,
        limit=Limit(nodes=NODES),
        seed=1,
        adjudication=Adjudication(max_plies=PLIES, draw=None, resign=None),
    )
    with open_database(path) as db:
        outcome = start_event(db, settings, book=book, jobs=jobs)
    if outcome.status != "done":
        raise SystemExit(f"the repertoire was not played: {outcome.problem}")


def repertoire_book(repertoire: Path) -> Book:
    """The lines of which both games are long enough."""
    known = _repertoire(repertoire)
    openings = tuple(o for o in default_book().openings if o.line in known)
    return Book(book_identity(openings), "repertoire", "repertoire", openings)


def recited_settings(event: int, games: int, book: Book) -> EventSettings:
    """A gauntlet of about so many games. Events that follow each other share some players."""
    first = 1 + event * (HEROES + FIELD - SHARED)
    players = [f"pvs:window={first + n},hash=1" for n in range(HEROES + FIELD)]
    return gauntlet_settings(
        players[:HEROES],
        players[HEROES:],
        pairs=max(1, round(games / (2 * HEROES * FIELD))),
        limit=Limit(nodes=NODES),
        seed=event,
        book=book,
        repeat_openings=True,
    )


def recite(
    db: Database, repertoire: Path, settings: EventSettings, book: Book, jobs: int = 2
) -> Recited:
    """Store the games of an event as if its workers had played them."""
    moments: list[tuple[float, float]] = []

    def told(_: object) -> None:
        moments.append((time.process_time(), time.perf_counter()))

    player = toolkit.events.runner.pair_player
    toolkit.events.runner.pair_player = partial(_reciter, str(repertoire))  # type: ignore[assignment]
    try:
        outcome = start_event(db, settings, book=book, jobs=jobs, on_progress=told)
    finally:
        toolkit.events.runner.pair_player = player
    if outcome.status != "done":
        raise SystemExit(f"the recited event was not done: {outcome.problem}")
    cpu_s, wall_s = (last - first for first, last in zip(moments[0], moments[-1], strict=True))
    return Recited(2 * settings.total_pairs, len(moments) - 1, cpu_s, wall_s)


def _reciter(repertoire: str, assignment: Assignment) -> Callable[[PairTask], Games]:
    """What a worker process does with each pair."""
    return partial(_recited, _repertoire(Path(repertoire)), assignment)


def _recited(known: dict[int, Games], job: Assignment, task: PairTask) -> Games:
    first, second = known[task.opening.line]
    return (
        _as_played(first, job, task, task.first, task.second),
        _as_played(second, job, task, task.second, task.first),
    )


def _as_played(
    game: GameRecord, job: Assignment, task: PairTask, white: int, black: int
) -> GameRecord:
    now = utc_now()
    identities = job.identities[white], job.identities[black]
    labels = job.engines[white].label, job.engines[black].label
    limits = job.limits[white], job.limits[black]
    program = job.provenance
    return replace(
        game,
        id=0,
        event_id=job.event_id,
        pairing=task.pairing,
        pair=task.pair,
        white=labels[0],
        black=labels[1],
        white_id=identities[0],
        black_id=identities[1],
        book_id=job.book_id,
        started_at=now,
        ended_at=now,
        seed=task.seed,
        jobs=job.jobs,
        game_key=game_key(
            identities, labels, program.signature, game.start_fen, limits, game.moves
        ),
    )


@cache
def _repertoire(path: Path) -> dict[int, Games]:
    """The pairs of which both games are long enough, by line."""
    pairs: dict[int, list[GameRecord]] = {}
    with open_database(path, read_only=True) as db:
        for game in db.repository.games():
            if game.plies == PLIES and game.opening_line is not None:
                pairs.setdefault(game.opening_line, []).append(game)
    return {line: (two[0], two[1]) for line, two in pairs.items() if len(two) == 2}
