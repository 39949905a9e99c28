"""Selecting games by events, engines, limit and dates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from db.records.events import IMPORT_KIND, EventRecord
from db.records.games import GameChoice, GameFilter
from engines.limit import Limit
from engines.registry import PARAMETERS
from toolkit.base.errors import NothingMatched, UsageError
from toolkit.base.format import and_list
from toolkit.selection.engines import matching_engines
from toolkit.selection.events import (
    asked_fields,
    at_limit,
    engines_of,
    find_event,
    game_of_event,
)

if TYPE_CHECKING:
    from db.session import Database

_AGO = re.compile(r"([0-9]{1,6})([hdw])")
_UNITS = {"h": 3600, "d": 86_400, "w": 7 * 86_400}


class Selection(Struct, frozen=True):
    """A selection of games. Empty fields and None do not restrict it, except that tuning games
    are selected only if :attr:`events` names their event."""

    events: tuple[EventRecord | str, ...] = ()
    """Records, keys, unique prefixes of keys, names, or ``last``."""
    engines: tuple[str, ...] = ()
    """Labels, with ``*``, ``?`` and ``[]`` as in file names, ids or variants: games between any two
    that match one of them. A label means the games under this label."""
    limit: Limit | None = None
    """Games in which both players had exactly this limit."""
    since: str | None = None
    """Started then or later: ``2026-11-01``, a moment, or ``30d``, ``12h``, ``2w`` before now."""
    until: str | None = None
    """Started before then."""
    game: str | None = None
    """Only of this game; None: of the one that all these events are of."""


class ChosenGames(Struct, frozen=True):
    """A selection, looked up in a database."""

    games: GameChoice
    events: tuple[EventRecord, ...]
    """The events that were asked for; empty where none was."""
    game: str | None = None
    """The game that they are of; None where there is none, or where it was not asked."""

    @property
    def event_keys(self) -> tuple[str, ...]:
        """Keys of these events."""
        return tuple(event.key for event in self.events)

    def settings(self, selection: Selection) -> dict[str, Any]:
        """The selection as plain data, without empty criteria. ``ago``: the dates that were
        given as a time before now."""
        limit = None if selection.limit is None else asked_fields(to_builtins(selection.limit))
        dates = {"since": selection.since, "until": selection.until}
        data = {
            "events": list(self.event_keys),
            "engines": list(selection.engines),
            "limit": limit,
            "since": self.games.since,
            "until": self.games.until,
            "ago": {name: text for name, text in dates.items() if text and _is_ago(text)},
            "game": self.game if self.game != PARAMETERS["game"].neutral else None,
        }
        return {name: value for name, value in data.items() if value}


def choose(db: Database, selection: Selection, *, one_game: bool = True) -> ChosenGames:
    """Look a selection up. ``one_game``: results are added up, which makes no sense for several
    games. Raises NothingMatched, and UsageError also for a selection of several games."""
    named = (find_event(db, text) for text in selection.events)
    events = tuple({event.id: event for event in named}.values())
    ids = [event.id for event in events]
    tuning = () if events else tuple(db.repository.tuning_events())
    others_at: dict[int, frozenset[int]] = {}
    if selection.limit is not None:
        among = [one for one in events or db.repository.events() if one.id not in tuning]
        others_at = at_limit(selection.limit, among)
        ids = list(others_at)
        if not ids:
            keys = and_list([event.key for event in events])
            found = f"no game of {keys}" if events else "no event"
            raise NothingMatched(f"{found} was played at this limit (mtdf events)")
    by_id = bool(events) or selection.limit is not None
    engines = _named(db, selection)
    found_games = _games_of(db, ids if by_id else None, tuning, engines)
    game = _one_game(found_games, selection.game) if one_game else selection.game
    others = [one for name, each in found_games.items() if name != game for one in each]
    if game is None:
        others = []
    games = GameChoice(
        event_ids=tuple(one for one in ids if one not in others) if by_id else None,
        without_events=() if by_id else (*tuning, *others),
        since=None if selection.since is None else _parsed_moment(selection.since),
        until=None if selection.until is None else _parsed_moment(selection.until),
        pairs_below=_within_tests(db, events),
        engines=engines,
        without_players=tuple((event, at) for event in others_at for at in others_at[event]),
    )
    return ChosenGames(games, events, game)


def games_played(db: Database) -> tuple[str, ...]:
    """The games of all events but those of tuning that have played, in the order of the events."""
    return tuple(_games_of(db, None, tuple(db.repository.tuning_events()), None))


def _games_of(
    db: Database,
    ids: Sequence[int] | None,
    without: Sequence[int],
    engines: tuple[str, ...] | None,
) -> dict[str, list[int]]:
    """The ids of these events, None for all, that have played, by the game that they are of.
    ``engines``: only of those with one of these labels or identities."""
    found: dict[str, list[int]] = {}
    for event in db.repository.events():
        if (ids is not None and event.id not in ids) or event.id in without:
            continue
        players = {name for one in engines_of(event) for name in (one.identity, one.label)}
        if not event.pairs_done and event.kind != IMPORT_KIND:
            continue
        if engines is None or not players or not players.isdisjoint(engines):
            found.setdefault(game_of_event(event), []).append(event.id)
    return found


def _one_game(found: Mapping[str, Sequence[int]], wanted: str | None) -> str | None:
    """The game of a selection whose events are of these. Raises NothingMatched, UsageError."""
    if wanted is not None:
        if found and wanted not in found:
            raise NothingMatched(
                f"no event of {wanted} among them: they are of {and_list([*found])}"
            )
        return wanted
    if len(found) > 1:
        raise UsageError(
            f"these events are of {and_list([*found])}, which are never counted together: choose "
            "one with --game"
        )
    return next(iter(found), None)


class LeftOut(Struct, frozen=True):
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
    events = tuple(event for event in db.repository.events() if event.id in tuning)
    try:
        chosen = choose(db, replace(selection, events=events), one_game=False).games
    except NothingMatched:
        return None
    games = {
        event_id: db.repository.count_games(GameFilter(chosen, event_id))
        for event_id in chosen.event_ids or ()
    }
    keys = tuple(tuning[event_id] for event_id, number in games.items() if number)
    return LeftOut(sum(games.values()), keys) if keys else None


def _within_tests(db: Database, events: Sequence[EventRecord]) -> tuple[tuple[int, int], ...]:
    """Where the sequential tests among the events stopped: a pair that was finished after that is
    there or not as the workers happened to be, and would make answers depend on their number."""
    from toolkit.selection.sequential import pairs_of_test

    stops = {event.id: pairs_of_test(db, event) for event in events}
    return tuple((identity, stop) for identity, stop in stops.items() if stop is not None)


def _named(db: Database, selection: Selection) -> tuple[str, ...] | None:
    """Labels and identities of the engines of a selection; None: all. Raises UsageError,
    NothingMatched."""
    if not selection.engines:
        return None
    found = (matching_engines(db, text, selection.game) for text in selection.engines)
    return tuple(dict.fromkeys(name for names in found for name in names))


def _parsed_moment(text: str) -> str:
    """ISO 8601 text in UTC of a date, a moment, or a time before now. Raises UsageError."""
    try:
        moment = _moment(text.strip(), datetime.now(UTC))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        utc = moment.astimezone(UTC)
    except ValueError:
        raise UsageError(
            f"`{text}` is not a date: expected 2026-11-01, 2026-11-01T12:00:00Z, or 30d, 12h, 2w "
            "before now"
        ) from None
    except OverflowError:
        raise UsageError(f"`{text}` is not within the years 1 to 9999") from None
    return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _is_ago(text: str) -> bool:
    """Whether a text is a time before now, so that its moment moves on."""
    return _AGO.fullmatch(text.strip()) is not None


def _moment(text: str, now: datetime) -> datetime:
    ago = _AGO.fullmatch(text)
    if ago is None:
        return datetime.fromisoformat(text)
    return now - timedelta(seconds=int(ago[1]) * _UNITS[ago[2]])
