"""Matches that decide a claim about strength: events with a fixed name, settings and size."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from msgspec import structs

from claims.experiment import GAME, Size, stored_name
from claims.measured import Figure
from db.records.events import EventRecord
from db.session import Database
from engines.limit import Limit
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.base.format import format_core
from toolkit.base.version import this_program
from toolkit.books.book import Book, load_book
from toolkit.books.info import BookSlice
from toolkit.events.event import ProgressCallback, resume_event, start_event
from toolkit.events.progress import EventOutcome
from toolkit.events.settings import EventSettings, match_settings
from toolkit.lab.fixed import engine_of
from toolkit.runs.jobs import Jobs
from toolkit.stats.match import match_statistics
from toolkit.stats.profile import elo_at_roots, signed_roots

Pairs = tuple[int, ...]
"""How many pairs scored 0, ½, 1, 1½, 2 points for the first engine."""
Played = Mapping[str, Pairs]
"""The pairs of each contest of a claim, by its name."""

UNUSED = BookSlice(2, 2)
"""The part of the book that no tuning has seen."""
BOOKS = Path(__file__).with_name("books")
"""The first 5,000 lines of the recipe in a book's header that the book of the package lacks."""
FALSE = 0.05
"""The chance of any false decision among the hypotheses of one claim."""


class Elsewhere(NamedTuple):
    """What is played in another game: engines with values of their own."""

    first: str
    second: str
    book: str
    """A file of :data:`BOOKS`: no tuning has seen its lines, and no pair needs one again."""


@dataclass(frozen=True, slots=True)
class Contest:
    """A match of two engines; one of the things that a claim is judged by."""

    name: str
    first: str
    second: str
    limit: Limit
    pairs: Mapping[Size, int]
    seed: int
    game: str = GAME
    book: str | None = None
    """A file of :data:`BOOKS`; None: the unused part of the default book of the game."""
    elsewhere: Mapping[str, Elsewhere] = field(default_factory=dict)
    """The other games in which it is played."""

    def run_name(self, size: Size) -> str:
        """The name of its event in a database."""
        return stored_name(self.name, self.game, size)

    def settings(self, size: Size) -> EventSettings:
        """All that its games depend on."""
        named = None if self.book is None else _book(self.book, self.game)
        return match_settings(
            engine_of(self.first, self.game),
            engine_of(self.second, self.game),
            pairs=self.pairs[size],
            limit=self.limit,
            seed=self.seed,
            book=named,
            book_slice=UNUSED if named is None else None,
            name=self.run_name(size),
        )


@cache
def _book(name: str, game: str) -> Book:
    """A file of :data:`BOOKS`, whose lines are all played when it is read."""
    return load_book(BOOKS / name, game=game)


def play(
    db: Database,
    contest: Contest,
    size: Size,
    *,
    jobs: Jobs = 1,
    on_progress: ProgressCallback | None = None,
    stop: threading.Event | None = None,
) -> EventOutcome:
    """Play what is missing of a contest; a complete event is left as it is. A number of ``jobs``
    counts threads of search: engines with two play half as many games at once.

    Raises UsageError if another event has its name, EngineProblem if another core played it,
    DatabaseError, also while another process plays it.
    """
    settings = contest.settings(size)
    name = settings.name
    if isinstance(jobs, int):
        jobs = max(jobs // settings.threads, 1)
    with db.run_lock(name, f"contest {name}"):  # two processes would both start it
        record = _event_named(db, name)
        if record is None:
            return start_event(db, settings, jobs=jobs, on_progress=on_progress, stop=stop)
        _check_same(record, settings)
        return resume_event(db, record, jobs=jobs, on_progress=on_progress, stop=stop)


def pairs_of(db: Database, contest: Contest, size: Size) -> Pairs:
    """The stored pairs of a contest, from the view of its first engine. Raises UsageError if there
    is no such event."""
    scores = db.repository.event_pair_scores(event_of(db, contest, size).id)
    return tuple(scores[0].pentanomial) if scores else (0,) * 5


def event_of(db: Database, contest: Contest, size: Size) -> EventRecord:
    """The stored event of a contest. Raises UsageError if there is none."""
    record = _event_named(db, contest.run_name(size))
    if record is None:
        raise UsageError(f"contest {contest.name} has no event in {db.name}")
    return record


def figure_of_pairs(pairs: Pairs, chance: float = FALSE) -> Figure:
    """Elo of the first engine, with the interval that misses it with this chance."""
    match = match_statistics(pairs)
    if not match.units:
        return Figure(match.elo, None, None, 0)
    z = NormalDist().inv_cdf(1 - chance / 2)
    low, high = map(float, elo_at_roots(np.array([pairs, pairs], np.float64), np.array([z, -z])))
    return Figure(
        match.elo,
        # A perfect score has one end only.
        None if match.elo_low95 is None else low,
        None if match.elo_high95 is None else high,
        match.units,
    )


def holm(tested: Sequence[Pairs]) -> list[Figure]:
    """Elo of several hypotheses of one claim, each with the interval that decides whether it
    differs from 0. All decisions together are false with a chance of 5 % at most, so these
    intervals are wider than those of 95 %, but for the last one to be tested.

    Source: S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal
    of Statistics 6, 1979: the most significant is tested at 5 % divided by their number, the next
    by one less, and so on until one is not significant; its level holds for all that follow.
    """
    ahead = signed_roots(np.array(tested, dtype=np.float64))
    found: dict[int, Figure] = {}
    chance = FALSE / len(tested)
    for rank, place in enumerate(sorted(range(len(tested)), key=lambda place: -abs(ahead[place]))):
        if all(_is_decided(figure) for figure in found.values()):
            chance = FALSE / (len(tested) - rank)
        found[place] = figure_of_pairs(tested[place], chance)
    return [found[place] for place in range(len(tested))]


def _is_decided(figure: Figure) -> bool:
    low, high = figure.low95, figure.high95
    return (low is not None and low > 0) or (high is not None and high < 0)


def _check_same(record: EventRecord, settings: EventSettings) -> None:
    """Raises UsageError for an event of other settings, EngineProblem for one of another core."""
    way_out = f"use another --db, or start over: mtdf rm {record.key}, then repeat the command"
    stored = EventSettings.from_json(record.settings)
    # Another checkout has the book in another place.
    here = structs.replace(stored.book, source=settings.book.source)
    if structs.replace(stored, book=here) != settings:
        raise UsageError(f"event {record.name} has other settings than the contest: {way_out}")
    own = this_program(settings.game)
    if (record.backend, record.signature) != (own.backend, own.signature):
        raise EngineProblem(
            f"event {record.name} was played by another core than {format_core(own.core)}: "
            f"{way_out}"
        )


def _event_named(db: Database, name: str) -> EventRecord | None:
    return next((one for one in db.repository.events() if one.name == name), None)
