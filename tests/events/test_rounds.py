"""Events whose later pairings depend on results play the same games however they are run."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from msgspec import structs

from db.records.events import PairFailureRecord
from db.records.games import GameRecord
from db.session import Database, open_database
from engines.limit import Limit
from toolkit.base.errors import DatabaseProblem, UsageError
from toolkit.base.version import this_program
from toolkit.books.book import package_book
from toolkit.events.event import resume_event, start_event, store_event
from toolkit.events.plan import plan_event
from toolkit.events.progress import EventOutcome, EventProgress
from toolkit.events.rounds import Rounds
from toolkit.events.settings import (
    EventKeywords,
    EventSettings,
    knockout_settings,
    match_settings,
    race_settings,
    round_robin_settings,
    swiss_settings,
)
from toolkit.events.tally import Tally
from toolkit.pairing.forms import AdaptiveForm, KnockoutForm, RaceForm, SwissForm
from toolkit.referee.adjudication import Adjudication
from toolkit.reports.outcome import event_report, outcome_row
from toolkit.reports.rounds import rounds_report

KINDS = ("knockout", "swiss", "adaptive", "race")
LIMIT = Limit(nodes=1)
BOOK = package_book("default-500")
"""Small, because each database stores the book of its events."""


def settings_of(kind: str, players: int = 5, seed: int = 0) -> EventSettings:
    """A small event of toy players."""
    names = [f"pvs:name=e{at}" if at == 0 else f"pvs:hash={at},name=e{at}" for at in range(players)]
    options: EventKeywords = {
        "book": BOOK,
        "seed": seed,
        "adjudication": Adjudication(max_plies=20, draw=None, resign=None),
    }
    if kind == "knockout":
        form = KnockoutForm(seeding="random", extra_pairs=4)
        return knockout_settings(names, pairs=2, limit=LIMIT, form=form, **options)
    if kind == "swiss":
        return swiss_settings(names, pairs=2, rounds=3, limit=LIMIT, **options)
    if kind == "race":
        race = RaceForm.make(elo1=200.0, block=3)
        return race_settings(names[0], names[1:], max_pairs=30, limit=LIMIT, form=race, **options)
    form_of = AdaptiveForm("order", round_pairs=8, zone_elo=20.0)
    return round_robin_settings(names, pairs=24, limit=LIMIT, adaptive=form_of, **options)


def games(db: Database) -> list[dict[str, object]]:
    """All of the games but what time and place have a part in."""
    apart = ("id", "event_id", "started_at", "ended_at", "load", "jobs", "search_data", "repeats")
    return [
        {
            name: value
            for name, value in structs.asdict(game).items()
            if name not in (*apart, "white_cpu_us", "black_cpu_us")
        }
        for game in db.repository.games()
    ]


def interrupted(
    play: Callable[..., EventOutcome], after: int, jobs: int, toys: ModuleType
) -> EventOutcome:
    """Play until some games were shown, then stop."""
    stop = threading.Event()
    begun: list[int] = []

    def show(progress: EventProgress) -> None:
        begun.append(progress.games_played)
        if progress.games_played - begun[0] >= after:
            stop.set()

    return play(jobs=jobs, stop=stop, on_progress=show, make_player=toys.RandomPlayer)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_jobs_and_interruptions_change_no_game(kind: str, tmp_path: Path, toys: ModuleType) -> None:
    settings = settings_of(kind)
    with open_database(tmp_path / "whole.db") as db:
        outcome = start_event(db, settings, make_player=toys.RandomPlayer)
        assert outcome.status == "done"
        whole, pairs = games(db), outcome.event.pairs_done
        assert pairs <= outcome.event.pairs_planned == settings.total_pairs
        report = outcome_row(db, outcome, event_report(db, outcome))
    assert len({game["pairing"] for game in whole}) > 2
    with open_database(tmp_path / "parts.db") as db:
        outcome = interrupted(lambda **given: start_event(db, settings, **given), 4, 2, toys)
        number = 0
        while outcome.status != "done":
            number += 1
            assert number < 40
            outcome = interrupted(
                lambda **given: resume_event(db, "last", **given), 8, 1 + number % 2, toys
            )
        assert number > 0
        assert games(db) == whole
        again = outcome_row(db, outcome, event_report(db, outcome))
    rows = ("race", "verdict") if kind == "race" else ("meetings", "standings", "goal", "scores")
    for name in rows:
        assert getattr(again, name) == getattr(report, name)
    assert outcome.progress.games_played == outcome.progress.games_planned == 2 * pairs
    last = outcome.progress.round
    assert last is not None and last.over
    assert kind != "swiss" or last.number == 3


SCRIPT = """
import os, signal, sys
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import toy_players, test_rounds
from db.session import open_database
from toolkit.events.event import start_event
kind, path = sys.argv[1:]
def show(progress):
    if progress.games_played >= 8:
        os.kill(os.getpid(), signal.SIGKILL)
if __name__ == "__main__":
    settings = test_rounds.settings_of(kind)
    with open_database(path) as db:
        start_event(
            db, settings, jobs=2, on_progress=show, make_player=toy_players.RandomPlayer
        )
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_killed_event_resumes_with_same_games(kind: str, tmp_path: Path, toys: ModuleType) -> None:
    script = tmp_path / "play.py"
    script.write_text(SCRIPT)
    path = tmp_path / "killed.db"
    # Beside the script, because the folders of tests would hide the packages of their names.
    for file in (Path(__file__), Path(__file__).parents[1] / "toys" / "toy_players.py"):
        shutil.copy(file, tmp_path)
    words = [sys.executable, str(script), kind, str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    with open_database(path) as db:
        outcome = resume_event(db, "last", make_player=toys.RandomPlayer)
        assert outcome.status == "done"
        killed = games(db)
    with open_database(tmp_path / "whole.db") as db:
        start_event(db, settings_of(kind), make_player=toys.RandomPlayer)
        assert games(db) == killed


def test_report_of_knockout(db: Database, toys: ModuleType) -> None:
    settings = settings_of("knockout", players=6)
    outcome = start_event(db, settings, make_player=toys.RandomPlayer)
    report = rounds_report(db, outcome.event)
    stages = [row.title for row in report.meetings if row.second is not None]
    assert stages == ["quarter-finals"] * 2 + ["semi-finals"] * 2 + ["final"]
    assert sum(row.second is None for row in report.meetings) == 2
    assert [row.place for row in report.standings] == [1, 2, 3, 3, 5, 5]
    assert report.standings[0].engine == report.champion == report.meetings[-1].winner
    # The points are those of the stored games.
    for row in report.meetings:
        met = {row.first, row.second}
        points = {row.first: row.first_points, row.second: row.second_points}
        for label in met - {None}:
            assert points[label] == points_of(db, label, met)
    assert sum(row.games for row in report.standings) == 2 * outcome.progress.games_played


def points_of(db: Database, label: str | None, met: set[str | None]) -> float:
    """Points of a player in the games of two."""
    points = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}
    total = 0.0
    for game in db.repository.games():
        if {game.white, game.black} == met:
            total += points[game.result][0 if game.white == label else 1]
    return total


def test_report_of_swiss_tournament(db: Database, toys: ModuleType) -> None:
    settings = settings_of("swiss")
    outcome = start_event(db, settings, make_player=toys.RandomPlayer)
    report = rounds_report(db, outcome.event)
    assert [row.round for row in report.meetings] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    points = dict.fromkeys((player.label for player in settings.players), 0.0)
    for row in report.meetings:
        if row.winner is not None:
            points[row.winner] += 1.0
        else:
            assert row.second is not None
            for label in (row.first, row.second):
                points[label] += 0.5
    assert {row.engine: row.points for row in report.standings} == points
    assert sum(row.points or 0 for row in report.standings) == 9
    order = [row.points or 0 for row in report.standings]
    assert order == sorted(order, reverse=True)


def test_failed_pair_is_retried_only_in_last_round(db: Database, toys: ModuleType) -> None:
    settings = settings_of("swiss")
    event = store_event(db, settings, BOOK, this_program())
    first = settings.pairer().next_round([])
    assert first is not None
    for meeting in first.meetings:
        for pairing, pair in meeting.places:
            if pair == 0:
                db.repository.record_failures([PairFailureRecord(event.id, pairing, pair, 2, "x")])
    rounds = Rounds(db.repository, event, settings.pairer(), retry_failed=True)
    assert rounds.current == first and not rounds.finished
    stop = threading.Event()

    def show(progress: EventProgress) -> None:
        if progress.games_played >= 6:  # some of round 2
            stop.set()

    resume_event(db, event, make_player=toys.RandomPlayer, on_progress=show, stop=stop)
    assert len(db.repository.failures(event.id)) == 2
    outcome = resume_event(db, event, make_player=toys.RandomPlayer, retry_failed=True)
    assert outcome.status == "done"
    assert (outcome.event.pairs_done, outcome.event.pairs_failed) == (10, 2)


def test_games_that_contradict_earlier_rounds_are_refused(db: Database, toys: ModuleType) -> None:
    settings = settings_of("swiss")
    outcome = start_event(db, settings, make_player=toys.RandomPlayer)
    other = settings_of("knockout")
    with pytest.raises(DatabaseProblem, match="results of an earlier round changed"):
        Rounds(db.repository, outcome.event, other.pairer())


def test_repetition_does_not_count_other_pairs_twice(db: Database, toys: ModuleType) -> None:
    """Pairs are stored together; what one of them repeats must not count another one twice."""
    short = Adjudication(max_plies=20)
    settings = match_settings(
        "pvs:name=a", "pvs:hash=1,name=b", pairs=3, limit=LIMIT, book=BOOK, adjudication=short
    )
    start_event(db, settings, make_player=toys.RandomPlayer)
    first, second, _ = pairs_of(db)
    event = store_event(db, settings, BOOK, this_program())
    tally = Tally(event, settings, db.repository, Rounds(db.repository, event, settings.pairer()))
    stored = db.repository.commit_pairs(
        event.id,
        [[structs.replace(game, id=0, event_id=0) for game in pair] for pair in (first, second)],
    )
    tally.add_pairs(stored)
    assert tally.progress().games_played == 4


def pairs_of(db: Database) -> list[tuple[GameRecord, GameRecord]]:
    """The pairs of the only event."""
    found = list(db.repository.games())
    return list(zip(found[::2], found[1::2], strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_forms_survive_json(kind: str) -> None:
    settings = settings_of(kind)
    assert EventSettings.from_json(settings.to_json()) == settings
    plain = match_settings("mtdf", "pvs", pairs=1, limit=LIMIT)
    assert "form" not in plain.to_json()


def test_plan_gives_maximum_and_expected_pairs() -> None:
    knockout = plan_event(settings_of("knockout"), warm_up=False)
    assert (knockout.games, knockout.expected_pairs) == (2 * 4 * 6, 8)
    assert knockout.form == "4 matches of 2 pairs, up to 4 more in a tied match"
    swiss = plan_event(settings_of("swiss"), warm_up=False)
    assert (swiss.games, swiss.expected_pairs) == (24, 12)
    adaptive = plan_event(settings_of("adaptive"), warm_up=False)
    assert (adaptive.games, adaptive.expected_pairs) == (48, None)


def test_invalid_forms_are_refused() -> None:
    two = ("mtdf", "pvs")
    for form in (KnockoutForm(), SwissForm(1)):
        with pytest.raises(UsageError, match="cannot have this form"):
            structs.replace(settings_of("adaptive"), form=form)
    with pytest.raises(UsageError, match="needs its form"):
        structs.replace(settings_of("swiss"), form=None)
    with pytest.raises(UsageError, match="rounds"):
        swiss_settings(two, pairs=1, rounds=2, limit=LIMIT)
    with pytest.raises(UsageError, match="under two labels"):
        round_robin_settings(
            ("mtdf", "mtdf:name=twin"), pairs=9, limit=LIMIT, adaptive=AdaptiveForm("order", 5)
        )
    for wrong in ("±", "0elo", "elo", "-3elo", "1e3elo", "order ", "9999elo"):
        with pytest.raises(UsageError, match="stop when"):
            AdaptiveForm(wrong, 5)
    with pytest.raises(UsageError, match="extra pairs"):
        KnockoutForm(extra_pairs=-1)
