"""Selecting games by events, engines, limit and dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from db.records import EventRecord, GameChoice, GameFilter
from engines.spec import Limit
from toolkit.base.errors import NothingMatched
from toolkit.selection.engines import resolve_engine
from toolkit.selection.events import asked_fields, at_limit, find_event, played_at
from toolkit.selection.moments import is_ago, parse_moment

if TYPE_CHECKING:
    from db.session import Database


@dataclass(frozen=True, slots=True)
class Selection:
    """A selection of games. Empty fields and None do not restrict it, except that tuning games
    are selected only if :attr:`events` names their event."""

    events: tuple[EventRecord | str, ...] = ()
    """Records, keys, unique prefixes of keys, names, or ``last``."""
    engines: tuple[str, ...] = ()
    """Labels, with ``*``, ``?`` and ``[]`` as in file names, ids or variants: games between any two
    that match one of them."""
    limit: Limit | None = None
    """Games of events with exactly this limit."""
    since: str | None = None
    """Started then or later: ``2026-11-01``, a moment, or ``30d``, ``12h``, ``2w`` before now."""
    until: str | None = None
    """Started before then."""


@dataclass(frozen=True, slots=True)
class ChosenGames:
    """A selection, looked up in a database."""

    games: GameChoice
    events: tuple[EventRecord, ...]
    """The events that were asked for; empty where none was."""
    engines: frozenset[str] | None
    """Identities; None: all."""

    @property
    def event_keys(self) -> tuple[str, ...]:
        """Keys of these events."""
        return tuple(event.key for event in self.events)

    def settings(self, selection: Selection) -> dict[str, Any]:
        """The selection as plain data, without empty criteria. ``ago``: the dates that were
        given as a time before now."""
        limit = None if selection.limit is None else asked_fields(selection.limit.to_json())
        dates = {"since": selection.since, "until": selection.until}
        data = {
            "events": list(self.event_keys),
            "engines": list(selection.engines),
            "limit": limit,
            "since": self.games.since,
            "until": self.games.until,
            "ago": {name: text for name, text in dates.items() if text and is_ago(text)},
        }
        return {name: value for name, value in data.items() if value}


def choose(db: Database, selection: Selection) -> ChosenGames:
    """Look a selection up. Raises NothingMatched, UsageError."""
    found = (find_event(db, text) for text in selection.events)
    events = tuple({event.id: event for event in found}.values())
    ids = [event.id for event in events]
    tuning = () if events else tuple(db.repository.tuning_events())
    if selection.limit is not None:
        ids = played_at(selection.limit, events or db.repository.events(), without=tuning)
    by_id = bool(events) or selection.limit is not None
    games = GameChoice(
        event_ids=tuple(ids) if by_id else None,
        without_events=() if by_id else tuning,
        since=None if selection.since is None else parse_moment(selection.since),
        until=None if selection.until is None else parse_moment(selection.until),
        pairs_below=_within_tests(db, events),
    )
    engines = _matching(db, selection.engines) if selection.engines else None
    return ChosenGames(games, events, engines)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Tuning games that a selection excludes because it names no event."""

    games: int
    event_keys: tuple[str, ...]
    """Keys of the events with these games, oldest first."""


def left_out(db: Database, selection: Selection) -> LeftOut | None:
    """The tuning games that a selection would have if it named their events; None if there
    are none. Raises UsageError."""
    tuning = {} if selection.events else db.repository.tuning_events()
    if not tuning:
        return None
    ids = tuple(tuning)
    if selection.limit is not None:
        events = [event for event in db.repository.events() if event.id in tuning]
        ids = tuple(at_limit(selection.limit, events))
    wanted = GameFilter(
        since=None if selection.since is None else parse_moment(selection.since),
        until=None if selection.until is None else parse_moment(selection.until),
    )
    games = {
        event_id: db.repository.count_games(replace(wanted, event_id=event_id)) for event_id in ids
    }
    keys = tuple(tuning[event_id] for event_id, number in games.items() if number)
    return LeftOut(sum(games.values()), keys) if keys else None


def _within_tests(db: Database, events: Sequence[EventRecord]) -> tuple[tuple[int, int], ...]:
    """Where the sequential tests among the events stopped: a pair that was finished after that is
    there or not as the workers happened to be, and would make answers depend on their number."""
    from toolkit.selection.sequential import pairs_of_test

    stops = {event.id: pairs_of_test(db, event) for event in events}
    return tuple((identity, stop) for identity, stop in stops.items() if stop is not None)


def _matching(db: Database, patterns: Sequence[str]) -> frozenset[str]:
    """Identities of all engines that match one of the patterns. Raises UsageError."""
    players = db.repository.labelled_variants()
    found: set[str] = set()
    for pattern in patterns:
        matches = {
            identity
            for label, identity in players
            if label == pattern or fnmatchcase(label, pattern)
        }
        printed = re.search(r" \[[0-9a-f]+\]\Z", pattern)
        if not matches and not printed and re.search(r"[*?\[]", pattern):
            raise NothingMatched(f"no engine's label matches `{pattern}` (mtdf engines list)")
        found |= matches or {resolve_engine(db, pattern)}
    return frozenset(found)
