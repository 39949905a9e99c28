"""A stored player stays the variant it was when the defaults of the program change."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

from msgspec import convert, to_builtins

from db.session import Database
from engines.limit import Limit
from engines.registry import DRIVERS
from engines.variant import parse_variant
from toolkit.books.book import package_book
from toolkit.events.event import resume_event, start_event
from toolkit.events.players import Contender
from toolkit.events.progress import EventProgress
from toolkit.events.settings import EventSettings, match_settings
from toolkit.ratings.rating import rate_games
from toolkit.referee.adjudication import Adjudication

Failing = Callable[..., list[str]]

OtherDefaults = Callable[[], AbstractContextManager[None]]


def settings_of(name: str) -> EventSettings:
    """A match of two bare names."""
    return match_settings(
        "mtdf",
        "pvs",
        pairs=3,
        limit=Limit(nodes=20),
        name=name,
        book=package_book("default-500"),  # small: each database stores it
        adjudication=Adjudication(max_plies=6, draw=None, resign=None),
    )


def players_of(db: Database, event: int) -> dict[str, str]:
    """Label and identity of those who played the games of an event."""
    games = [game for game in db.repository.games() if game.event_id == event]
    known = {one.label: one.variant_id for one in db.repository.event_players(event)}
    assert {one.white_id for one in games} | {one.black_id for one in games} == {*known.values()}
    return known


def test_stored_variant_keeps_its_defaults(failing: Failing, other_defaults: OtherDefaults) -> None:
    def check(driver: str) -> None:
        with other_defaults():
            earlier = parse_variant(driver)
            stored = to_builtins(Contender(earlier))
        later = convert(stored, Contender).variant()
        assert (later.identity, later.label) == (earlier.identity, driver)
        assert later.effective == earlier.effective
        today = Contender(parse_variant(driver))
        with other_defaults():
            assert today.variant().identity == today.id

    assert not failing(check, zip(DRIVERS))


def test_event_resumes_with_its_own_variants(db: Database, other_defaults: OtherDefaults) -> None:
    stop = threading.Event()

    def stop_after_a_pair(progress: EventProgress) -> None:
        if progress.games_played >= 2:
            stop.set()

    with other_defaults():
        earlier = {name: parse_variant(name).identity for name in ("mtdf", "pvs")}
        first = start_event(db, settings_of("old"), on_progress=stop_after_a_pair, stop=stop)
    assert first.status == "interrupted"
    today = {name: parse_variant(name).identity for name in ("mtdf", "pvs")}
    assert not set(earlier.values()) & set(today.values())
    assert resume_event(db, first.event).status == "done"
    assert players_of(db, first.event.id) == earlier
    second = start_event(db, settings_of("new"))
    assert players_of(db, second.event.id) == today
    rows = rate_games(db).rows()
    assert {row.engine_id for row in rows} == {*earlier.values(), *today.values()}
    assert [row.games for row in rows] == [6, 6, 6, 6]
    assert len({row.engine for row in rows}) == 4, "each has a name of its own"
