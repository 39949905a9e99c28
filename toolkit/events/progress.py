"""The progress of a running event, and its outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Struct

from db.records.events import EventRecord
from toolkit.runs.lifecycle import RunOutcome
from toolkit.selection.sequential import TestState

Pentanomial = tuple[int, int, int, int, int]
"""How many pairs scored 0, ½, 1, 1½, 2 points for the first player."""


@dataclass(frozen=True, slots=True)
class PairingProgress:
    """How far the games of two players are. The first player is the hero of a gauntlet.

    Wins, draws, losses and the pentanomial are of counted games, from the first player's view; a
    game that repeats another one is played but not counted.
    """

    pairing: int
    first: str
    second: str
    """Labels."""
    games_planned: int
    games_played: int
    wins: int
    draws: int
    losses: int
    pentanomial: Pentanomial


@dataclass(frozen=True, slots=True)
class RoundState:
    """Where an event is whose later pairings depend on results."""

    number: int
    """Of the round, from 1; of the last one if the event is over."""
    title: str
    """Such as ``round 2 of 5`` or ``semi-finals``."""
    pairings: frozenset[int]
    """The pairings of this round."""
    over: bool
    """Whether there is no further round."""
    expected_pairs: float | None
    """Estimate of the pairs of the whole event; None if there is none."""
    at_most: bool
    """Whether the event may end before all pairs that are planned."""


@dataclass(frozen=True, slots=True)
class EventProgress:
    """A running event after some pair was stored: everything here is in the database already."""

    event: EventRecord
    """As it was when this run started."""
    pairings: tuple[PairingProgress, ...]
    """Those of rounds that are not decided yet are not here."""
    games_planned: int
    """At most; if an event in rounds is over, those of its rounds."""
    games_played: int
    """In all runs of the event."""
    games_now: int
    """In this run."""
    elapsed_s: float
    """Since this run began."""
    games_per_minute: float | None
    """Speed over the latest games, see :mod:`toolkit.events.tally`; None before the first pair."""
    eta_s: float | None
    """Estimate of the time left; None before the first pair. Of a test it is the expected one."""
    excluded: int
    """Games excluded from the event's statistics because they repeat others of the event."""
    time_losses: int
    """In all runs."""
    engine_failures: int
    """Games that ended by an illegal move or an engine failure, of all runs."""
    pairs_failed: int
    """Pairs given up because they killed their worker twice or raised an error in it."""
    repaired: int
    """How often a worker died in this run and its pair was played again."""
    test: TestState | None = None
    """The sequential test, in an event that is one."""
    shown: Mapping[str, str] = field(default_factory=dict)
    """The names of the players in tables, by label, with the parameters in which they differ."""
    latest_s: float | None = None
    """Time left if a test or an event in rounds takes its largest number of pairs; None before the
    first pair, and for other events."""
    problems: Mapping[str, int] = field(default_factory=dict)
    """What engines did wrong in games of this run, and how often."""
    round: RoundState | None = None
    """Of an event whose later pairings depend on results."""
    games_left: float = 0.0
    """Games that are expected to be left."""
    variation: str = ""
    """Why another run of the event need not have the same games, in words; empty if it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventOutcome(RunOutcome):
    """How a run of an event ended."""

    event: EventRecord
    """As it is stored now."""
    progress: EventProgress
    unrated: str | None = None
    """Why no rating list was stored after an event that is done; None if one was, or there was
    nothing to rate."""


class EventPlanRow(Struct, frozen=True, kw_only=True):
    """The output of `--dry-run`."""

    kind: Annotated[
        str, "`gauntlet`, `round-robin`, `match`, `knockout`, `swiss`, `sprt` or `ablation`"
    ]
    pairings: Annotated[
        list[list[str]], "two labels for each pairing; empty if results decide who meets"
    ]
    pairs: Annotated[
        int, "game pairs per pairing; for a test or an adaptive event the maximum of the event"
    ]
    games: Annotated[int, "games of the whole event, at most"]
    book: Annotated[str, "name of the book"]
    book_slice: Annotated[str | None, "slice of the book, such as `1/2`; null for the whole book"]
    lines: Annotated[int, "openings in the book, or in the slice if there is one"]
    lines_used: Annotated[int, "openings that the event plays"]
    seed: Annotated[int, "seed of the schedule"]
    limit: Annotated[str, "limit for a move, as text"]
    deterministic: Annotated[bool, "whether the same seed gives the same games on any machine"]
    adjudication: Annotated[str, "rules that end games early, as text"]
    jobs: Annotated[int, "worker processes"]
    estimate_s: Annotated[float | None, "estimated time in seconds; expected for a test"]
    estimate_basis: Annotated[str, "basis of the estimate"]
    notices: Annotated[list[str], "warnings about this event"]
    expected_pairs: Annotated[
        float | None, "for a test, or an event in rounds: expected number of pairs; else null"
    ]
    latest_s: Annotated[
        float | None, "for a test, or an event in rounds: estimate for all its pairs; else null"
    ]
    chess960: Annotated[bool, "whether the games are of Chess960"]
    form: Annotated[
        str | None, "the rounds of a knockout, Swiss or adaptive event in words; else null"
    ]


class EventPlan(EventPlanRow, frozen=True, kw_only=True):
    """What an event would do, without storing anything."""

    variation: str
    """Why the same seed need not give the same games, in words; empty if it does."""
