"""The process that plays an event and any other one see the same standing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from msgspec.structs import asdict, replace

from db.records.events import EventRecord
from db.records.runs import PlayingTime
from db.session import Database, open_database
from engines.limit import Limit
from toolkit.books.book import package_book
from toolkit.events.event import resume_event, start_event
from toolkit.events.progress import EventProgress
from toolkit.events.settings import (
    EventKeywords,
    EventSettings,
    gauntlet_settings,
    knockout_settings,
    match_settings,
    round_robin_settings,
    sprt_settings,
    swiss_settings,
)
from toolkit.events.tally import LATEST, Speed, stored_progress
from toolkit.pairing.forms import AdaptiveForm, KnockoutForm
from toolkit.ratings.rating import rate_games
from toolkit.referee.adjudication import Adjudication
from toolkit.reports.ablation import ablation_settings
from toolkit.reports.scores import event_scores
from toolkit.reports.sprt import stored_sprt
from toolkit.reports.standing import (
    EventStanding,
    LiveRatings,
    event_ratings,
    standing_of,
)
from toolkit.runs.lifecycle import shown_status
from toolkit.selection.events import find_event
from toolkit.selection.sequential import SprtSettings

LIMIT = Limit(nodes=1)
NAMES = [f"pvs:name=e{at}" if at == 0 else f"pvs:hash={at},name=e{at}" for at in range(4)]
KINDS = ("match", "gauntlet", "round-robin", "sprt", "ablation", "knockout", "swiss", "adaptive")


def event_standing(db: Database, event: EventRecord | str) -> EventStanding:
    """The standing of an event that another process plays."""
    event = find_event(db, event)
    progress = stored_progress(db.repository, event)
    return standing_of(progress, event_ratings(db, event), shown_status(db, event))


def _settings(kind: str) -> EventSettings:
    """A small event of toy players."""
    options: EventKeywords = {
        "book": package_book("default-500"),  # small: each database stores it
        "seed": 3,
        "adjudication": Adjudication(max_plies=8, draw=None, resign=None),
    }
    if kind == "match":
        return match_settings(*NAMES[:2], pairs=6, limit=LIMIT, **options)
    if kind == "gauntlet":
        return gauntlet_settings(NAMES[:1], NAMES[1:], pairs=2, limit=LIMIT, **options)
    if kind == "round-robin":
        return round_robin_settings(NAMES, pairs=2, limit=LIMIT, **options)
    if kind == "sprt":
        test = SprtSettings.make(-60, 60)
        return sprt_settings(*NAMES[:2], sprt=test, max_pairs=12, limit=LIMIT, **options)
    if kind == "ablation":
        return ablation_settings("mtdf", ["null_move", "killers"], pairs=3, limit=LIMIT, **options)
    if kind == "knockout":
        form = KnockoutForm(seeding="random", extra_pairs=2)
        return knockout_settings(NAMES, pairs=2, limit=LIMIT, form=form, **options)
    if kind == "swiss":
        return swiss_settings(NAMES, pairs=2, rounds=2, limit=LIMIT, **options)
    adaptive = AdaptiveForm("order", round_pairs=6, zone_elo=20.0)
    return round_robin_settings(NAMES, pairs=12, limit=LIMIT, adaptive=adaptive, **options)


@pytest.mark.parametrize("kind", KINDS)
def test_reader_sees_standing_of_player(kind: str, tmp_path: Path, toys: ModuleType) -> None:
    seen: list[int] = []
    stop = threading.Event()
    with open_database(tmp_path / "games.db") as db, _reader(tmp_path / "games.db") as other:

        def compare(progress: EventProgress) -> None:
            event = db.repository.event(progress.event.id)
            own = standing_of(progress, event_ratings(db, event))
            assert own == event_standing(other, event.key)
            seen.append(progress.games_played)
            if progress.games_played:
                stop.set()

        settings = _settings(kind)
        outcome = start_event(
            db, settings, jobs=2, stop=stop, on_progress=compare, make_player=toys.RandomPlayer
        )
        assert outcome.status == "interrupted"
        key = outcome.event.key
        standing = event_standing(other, key)
        assert standing.status == "interrupted" and not standing.over
        assert standing == standing_of(
            outcome.progress, event_ratings(db, outcome.event), "interrupted"
        )
        left_s = standing.eta_s or standing.at_most_s  # no end of some rounds can be expected
        assert left_s is not None and left_s > 0
        outcome = resume_event(
            db, key, jobs=1, on_progress=compare_all(db, other), make_player=toys.RandomPlayer
        )
        assert outcome.status == "done"
        standing = event_standing(other, key)
        assert standing == standing_of(outcome.progress, event_ratings(db, outcome.event), "done")
        assert standing.over and standing.eta_s == 0.0
        _compare_with_reports(other, standing)
    assert seen[0] == 0 and len(seen) > 1


def compare_all(db: Database, other: Database) -> Any:
    """Compares at every fourth storing."""
    storings = count()

    def compare(progress: EventProgress) -> None:
        if next(storings) % 4:
            return
        own = standing_of(progress, event_ratings(db, progress.event))
        assert own == event_standing(other, progress.event.key)

    return compare


def _reader(path: Path) -> Database:
    return open_database(path, read_only=True)


def _compare_with_reports(db: Database, standing: EventStanding) -> None:
    """The values are those of the reports on a stored event."""
    key = standing.id
    event = db.repository.find_event(key)
    scores = {(row.first, row.second): row for row in event_scores(db, event)}
    for pairing in standing.pairings:
        row = scores.pop((pairing.first, pairing.second))
        assert asdict(row).items() <= asdict(pairing).items()
    assert not scores
    assert standing.ratings == rate_games(db, event=event).rows()
    if event.kind != "sprt":
        assert standing.test is None
        return
    stored = stored_sprt(db, event)
    result, course = stored.result, stored.course
    assert standing.test is not None
    for name in ("llr", "lower", "upper", "elo0", "elo1", "alpha", "beta", "model"):
        assert getattr(standing.test, name) == getattr(result.test, name)
    assert standing.test.pairs == result.pairs_tested == len(course)
    assert result.test.any_look == (result.verdict not in ("H0", "H1"))
    if result.test.any_look:  # the interval of the test is that of its pairing
        assert (result.test.elo_low95, result.test.elo_high95) == (
            standing.pairings[0].low95,
            standing.pairings[0].high95,
        )
    assert standing.test.verdict == (
        "continue" if result.verdict == "inconclusive" else result.verdict
    )


def test_failures_and_losses_are_counted(
    db: Database, toys: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolkit.events.worker.MAX_FAULTS_IN_A_ROW", 100)
    outcome = start_event(db, _settings("gauntlet"), make_player=toys.mute_player)
    standing = event_standing(db, outcome.event)
    assert standing.engine_failures == standing.games_played == 12
    assert standing == standing_of(
        outcome.progress, event_ratings(db, outcome.event), outcome.status
    )


def _times(*spans: tuple[int, int], jobs: int = 1) -> Iterator[PlayingTime]:
    return (PlayingTime(start, end, jobs) for start, end in spans)


@pytest.mark.parametrize(
    ("spans", "seconds"),
    [
        ([(0, 1000)], 1),
        ([(0, 1000), (1000, 2000)], 2),
        ([(0, 2000), (500, 1500), (100, 4000)], 4),  # at the same time
        ([(0, 1000), (3000, 4000)], 4),  # a short pause belongs to playing
        ([(0, 1000), (60_000, 61_000)], 2),  # an interruption does not
        ([(60_000, 61_000), (0, 1000)], 2),  # a clock that was set back
        ([(5, 5)], 0.001),
    ],
)
def test_speed(spans: list[tuple[int, int]], seconds: float) -> None:
    assert Speed(_times(*spans)).games_per_second() == pytest.approx(len(spans) / seconds)


def test_speed_uses_latest_games() -> None:
    assert Speed(()).games_per_second() is None
    slow = [(1000 * at, 1000 * at + 1000) for at in range(50)]
    fast = [(50_000 + 100 * at, 50_100 + 100 * at) for at in range(LATEST)]
    assert Speed(_times(*slow, *fast)).games_per_second() == pytest.approx(10)
    speed = Speed(_times(*slow))
    for time in _times((50_000, 50_500), jobs=2):
        speed.add(time)
    assert speed.games_per_second() == pytest.approx(2)


def test_live_ratings_are_computed_rarely(
    db: Database, toys: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At most one fit a second, and none without new games."""
    now, fits = [0.0], []

    def fit(*_: Any, **__: Any) -> Any:
        fits.append(now[0])
        now[0] += 0.1  # seconds that a fit takes
        return real(*_, **__)

    from toolkit.reports import standing as module

    real = module.rate_games
    outcome = start_event(db, _settings("gauntlet"), make_player=toys.RandomPlayer)
    wanted = rate_games(db, event=outcome.event).rows()
    monkeypatch.setattr(module, "rate_games", fit)
    ratings = LiveRatings(db, clock=lambda: now[0])
    for games in range(2, 600):
        progress = replace(outcome.progress, games_played=games, games_planned=999)
        assert ratings.of(progress).lines == wanted
        now[0] += 0.05
    assert len(fits) <= 2 + now[0] / 5, "0.1 s are two per cent of 5 s, after the first time"
    assert len(fits) > 4
    before = len(fits)
    now[0] += 100
    ratings.of(progress)
    ratings.of(progress)
    assert len(fits) == before + 1
