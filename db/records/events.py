"""Stored events, their players, pairings and pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from db.records.engines import VariantRecord
from db.records.openings import BookRecord, OpeningRecord
from db.records.runs import RunRecord

IMPORT_KIND = "import"
"""The kind of events that hold games of other programs; nothing is played in them."""

TUNING_KIND = "tuning"
"""The kind of events that hold the games of a study. Players join them while they are played, and
they are excluded from reports over all games."""

SHARED_OPENINGS = "shared"
"""The value of `openings` in the settings of an event in which pair number n has the same opening
in all pairings."""


class EventRecord(RunRecord, frozen=True):
    """One tournament. Its schedule is a pure function of its settings."""

    what = "event"
    key: str
    """Short public id, such as ``r3f9``."""
    kind: str
    seed: int
    """-2^63 to 2^63 - 1, as every whole number that is kept."""
    pairs_planned: int
    pairs_done: int
    pairs_failed: int
    book_id: str | None = None


class EventPlayerRecord(Struct, frozen=True):
    """A player's place in an event; one variant may take part under several labels."""

    position: int
    label: str
    variant_id: str


class NewEvent(NamedTuple):
    """An event to be stored, with everything that it needs."""

    event: EventRecord
    players: Sequence[EventPlayerRecord]
    variants: Sequence[VariantRecord]
    book: tuple[BookRecord, Sequence[OpeningRecord]]


class PairFailureRecord(Struct, frozen=True):
    """A pair that could not be played, and why."""

    event_id: int
    pairing: int
    pair: int
    attempts: int
    reason: str


class Entrant(NamedTuple):
    """A variant under one limit."""

    identity: str
    limit: str
    """Key of its limit, see :func:`db.limits.limit_key`."""


class PairingScore(Struct, frozen=True):
    """The score of a pairing of an event, from the view of its first player: the one with the lower
    position. A pairing without a finished pair has no such record."""

    pairing: int
    first: str
    second: str
    """Labels."""
    first_id: str
    second_id: str
    pairs: int
    """Finished pairs; each is two games."""
    games: int
    """Stored games; those of an import may have no partner."""
    wins: int
    draws: int
    losses: int
    """Counted games of the first player."""
    excluded: int
    """Games that repeat another of the event and are not counted."""
    pentanomial: tuple[int, ...]
    """Counted whole pairs in which the first player scored 0, ½, 1, 1½, 2 points."""


class EventCounts(Struct, frozen=True):
    """Games of one event in which one player had the same colour, points and kind of end,
    repetitions included."""

    player: str
    """Its label."""
    is_white: bool
    points: int
    """Half points of the player in each: 2, 1 or 0."""
    end_reason: str
    games: int
    repeats: int
    """Games among them that repeat another of the database."""
    least_plies: int
    most_plies: int
    plies: int
    """Of both sides in all these games together."""
    own_plies: int
    """Plies and costs of the player, without games that have no node counts."""
    nodes: int
    cpu_us: int
