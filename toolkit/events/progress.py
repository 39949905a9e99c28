"""The progress of a running event, and its outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    lost: int = 0
    """Games that were stored before this run and are gone; they are played again."""
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


@dataclass(frozen=True, slots=True)
class EventPlan:
    """What an event would do, without storing anything."""

    kind: str
    pairings: tuple[tuple[str, str], ...]
    """Labels, first player first."""
    pairs: int
    """Per pairing; of an adaptive event the most of all."""
    games: int
    book: str
    book_slice: str | None
    """Such as ``1/2``; None for the whole book."""
    lines: int
    lines_used: int
    seed: int
    limit: str
    variation: str
    """Why the same seed need not give the same games, in words; empty if it does."""
    adjudication: str
    jobs: int
    estimate_s: float | None
    """Estimate for the whole event, or until the expected end of a test; None if no warm-up game
    could be finished."""
    estimate_basis: str
    """What the estimate comes from, such as ``from 12 warm-up games``."""
    notices: tuple[str, ...]
    expected_pairs: float | None = None
    """For a test, from its plan, and for an event in rounds; these may have more. None for other
    events, and if there is no estimate."""
    latest_s: float | None = None
    """For a test, a knockout or an adaptive event: the estimate for all its pairs."""
    chess960: bool = False
    form: str | None = None
    """For an event whose later pairings depend on results: its rounds, in words."""

    @property
    def deterministic(self) -> bool:
        """Whether the same seed gives the same games on any machine."""
        return not self.variation
