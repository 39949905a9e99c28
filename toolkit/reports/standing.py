"""The standing of an event while it is played, as the terminal shows it.

It is made from the progress of the process that plays, or from what is stored: both are the same
function of the same counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from db.errors import DatabaseError
from toolkit.base.errors import DatabaseProblem, NothingMatched, OperationFailed
from toolkit.events.progress import EventState, MatchFields, match_fields
from toolkit.ratings.rating import rate_games
from toolkit.ratings.rating_list import RatingLine
from toolkit.reports.race import RaceState, race_state
from toolkit.reports.sprt import SprtStanding, sprt_standing

if TYPE_CHECKING:
    from db.records.events import EventRecord
    from db.session import Database
    from toolkit.events.progress import EventProgress
    from toolkit.ratings.rating_list import RatingReport

_LEAST_GAP_S = 1.0
"""Between two fits of an event that is played."""
_MOST_SHARE = 0.02
"""Of the time of the process that plays, which fits may take."""


class EventStanding(EventState, frozen=True):
    """The state of an event while it is played: what the terminal shows."""

    id: Annotated[str, "event, such as `r3f9`"]
    name: Annotated[str, "name; may be empty"]
    kind: Annotated[str, "kind, as in `events`"]
    status: Annotated[str, "status, as in `events`"]
    over: Annotated[bool, "whether no game is left to play"]
    ratings: Annotated[
        list[RatingLine], "joint fit over the event's games, strongest first; may be a moment old"
    ]
    test: Annotated[SprtStanding | None, "for a sequential test; else null"]
    race: Annotated[RaceState | None, "for a race; else null"] = None


class StandingRatings(Struct, frozen=True):
    """The ratings of a standing."""

    lines: list[RatingLine] = []
    names: Mapping[str, str] = {}
    """What tables call the engines of the list, by label."""


NO_RATINGS = StandingRatings()


def standing_of(
    progress: EventProgress, ratings: StandingRatings = NO_RATINGS, status: str = "running"
) -> EventStanding:
    """The standing of an event that this process plays."""
    event, test = progress.event, progress.test
    state = {name: getattr(progress, name) for name in EventState.__struct_fields__}
    return EventStanding(
        id=event.key,
        name=event.name,
        kind=event.kind,
        status=status,
        over=is_over(progress),
        ratings=ratings.lines,
        test=None if test is None else sprt_standing(test, progress.games_left / 2),
        race=race_standing(progress),
        **state | {"names": {**ratings.names, **progress.names}},
    )


def race_standing(progress: EventProgress) -> RaceState | None:
    """The candidates of a race, after all pairs that are stored; None for another event."""
    if progress.race is None:
        return None
    base = progress.event.settings["players"][-1]["label"]
    return race_state(progress.race, base, progress.pairings)


def is_over(progress: EventProgress) -> bool:
    """Whether nothing is left to play."""
    decided = progress.test is not None and progress.test.verdict != "continue"
    if progress.round is not None:
        return progress.round.over
    return decided or progress.games_played + 2 * progress.pairs_failed >= progress.games_planned


def event_ratings(db: Database, event: EventRecord) -> StandingRatings:
    """The joint fit over the games of an event; empty if they cannot be rated. Raises
    DatabaseError."""
    try:
        return _ratings_of(rate_games(db, event=event))
    except (NothingMatched, OperationFailed):
        return NO_RATINGS


class FieldScore(Struct, frozen=True):
    """How one player stands against all its opponents together, in counted games."""

    shown: str
    """What tables call it."""
    wins: int
    draws: int
    losses: int
    elo: MatchFields
    """Of all its pairs, as of one match."""

    @property
    def score(self) -> float:
        """Its mean score."""
        return (self.wins + self.draws / 2) / (self.wins + self.draws + self.losses)


def leader(progress: EventProgress) -> FieldScore | None:
    """The leader by mean score in counted games; None if it would be meaningless.

    In a gauntlet only the engines under test are compared, because they meet the same opponents;
    features of an ablation are not compared, nor engines that results chose to meet.
    """
    if progress.event.kind == "ablation" or progress.round is not None:
        return None
    names = {pairing.first for pairing in progress.pairings}
    if progress.event.kind == "round-robin" and len(names) > 1:
        names |= {pairing.second for pairing in progress.pairings}
    found = [one for name in sorted(names) if (one := _player(progress, name)) is not None]
    return max(found, key=lambda one: one.score, default=None)


def _player(progress: EventProgress, name: str) -> FieldScore | None:
    """How a player stands; None without a counted game."""
    wins = draws = losses = 0
    pairs = [0, 0, 0, 0, 0]
    met = [one for one in progress.pairings if name in (one.first, one.second)]
    for one in met:
        order = 1 if name == one.first else -1
        own = (one.wins, one.draws, one.losses)[::order]
        wins, draws, losses = wins + own[0], draws + own[1], losses + own[2]
        pairs = [known + new for known, new in zip(pairs, one.pentanomial[::order], strict=True)]
    if not wins + draws + losses:
        return None
    shown = progress.names.get(name, name)
    # What is proven of any look needs one mean score, and opponents differ.
    any_look = len(met) == 1 and met[0].any_look
    return FieldScore(shown, wins, draws, losses, match_fields(pairs, any_look))


class LiveRatings:
    """The ratings of an event that this process plays: fitted again when there are more games, but
    not more often than once a second and never for more than a few per cent of the time."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.monotonic) -> None:
        self._db = db
        self._clock = clock
        self._games = 0
        self._next_at = 0.0
        self._is_loaded = False
        self._ratings = NO_RATINGS

    def of(self, progress: EventProgress) -> StandingRatings:
        """The ratings of the event, which may lack the games of a few moments."""
        begin = self._clock()
        is_due = begin >= self._next_at or is_over(progress)
        if progress.games_played != self._games and is_due:
            # A display ends no run: what is wrong with the database is told by who writes to it.
            with suppress(DatabaseError, DatabaseProblem):
                self._ratings = event_ratings(self._db, progress.event)
            self._games = progress.games_played
            took = self._clock() - begin
            # The first time also loads the libraries, which tells nothing about the next.
            share = took / _MOST_SHARE if self._is_loaded else 0.0
            self._next_at, self._is_loaded = begin + max(_LEAST_GAP_S, share), True
        return self._ratings


def _ratings_of(report: RatingReport) -> StandingRatings:
    players = [line.player for line in report.ratings.players]
    names = {report.names.labels[one]: report.names.shown[one] for one in players}
    return StandingRatings(report.rows(), names)
