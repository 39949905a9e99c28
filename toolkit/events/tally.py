"""The live score of an event: the stored results, updated pair by pair."""

from __future__ import annotations

import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field

from db.records.events import EventRecord
from db.records.games import GameRecord
from db.records.runs import PlayingTime
from db.repository import Repository
from db.times import milliseconds_of
from toolkit.events.players import record_of
from toolkit.events.progress import (
    EventProgress,
    PairingStanding,
    RoundStanding,
    is_valid_at_any_look,
    match_fields,
)
from toolkit.events.rounds import StoredRounds, stored_rounds
from toolkit.events.settings import EventSettings
from toolkit.pairing.forms import RaceForm
from toolkit.pairing.rounds import Meeting, Round
from toolkit.referee.outcome import EndReason
from toolkit.selection.labels import display_labels
from toolkit.selection.sequential import half_points_of_first, stored_test

_FAILURES = (EndReason.ILLEGAL_MOVE, EndReason.ENGINE_FAILURE)
LATEST = 200
"""Games that the speed is measured on: older ones say less about the next ones."""
_PAUSE_MS = 5_000
"""A longer time without any game is no playing time: the event was interrupted."""


class _Score(Struct):
    """One pairing, from the view of its first player."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    pentanomial: list[int] = field(default_factory=lambda: [0] * 5)


class Speed:
    """The speed of an event over its latest games. Those that another number of workers played do
    not count."""

    def __init__(self, times: Iterable[PlayingTime]) -> None:
        """``times``: of games in the order of their storing."""
        self._times = deque(times, maxlen=LATEST)

    def add(self, time: PlayingTime) -> None:
        """Count a game that was stored."""
        self._times.append(time)

    def games_per_second(self) -> float | None:
        """Games over the time in which they were played; None without any."""
        if not self._times:
            return None
        jobs = self._times[-1].jobs
        latest = sorted(time for time in self._times if time.jobs == jobs)
        playing, until = 0, latest[0].started_ms
        for started, ended, _ in latest:
            gap = started - until
            playing += max(ended - max(started, until), 0) + (gap if 0 < gap <= _PAUSE_MS else 0)
            until = max(until, ended)
        return 1000 * len(latest) / max(playing, 1)


class Tally:
    """Counts the stored results of an event, and tells its rounds of them; ``begin`` is the start
    of this run."""

    def __init__(
        self,
        event: EventRecord,
        settings: EventSettings,
        repository: Repository,
        rounds: StoredRounds,
    ) -> None:
        self._event = event
        self._rounds = rounds
        self._settings = settings
        self._repository = repository
        self._names = shown_labels(settings)
        self._scores: defaultdict[int, _Score] = defaultdict(_Score)
        self._most_pairs = settings.total_pairs
        self._variation = settings.variation
        self._plan()
        self._excluded = 0
        self._read_scores()
        self._reasons = Counter(repository.end_reasons([event.id]))
        # Those that are tried again are not finished.
        self._failed = {
            (failure.pairing, failure.pair)
            for failure in repository.failures(event.id)
            if (failure.pairing, failure.pair) in rounds.finished
        }
        self._test = None if settings.sprt is None else stored_test(repository, event)
        self._speed = Speed(repository.latest_times(event.id, LATEST))
        self._games_now = 0
        self._repaired = 0
        self._begin = time.monotonic()

    def add_pairs(self, pairs: Sequence[Sequence[GameRecord]]) -> None:
        """Count pairs that were stored together, as they were stored."""
        if all(game.counted for games in pairs for game in games):
            for games in pairs:
                self._count(games)
        else:
            # What a repetition leaves of the score depends on all games of the event, and those
            # of the other pairs are stored already.
            self._read_scores()
        for games in pairs:
            self._add(games)

    def _add(self, games: Sequence[GameRecord]) -> None:
        """Count what does not depend on other pairs."""
        self._reasons.update(game.end_reason for game in games)
        self._games_now += len(games)
        for game in games:
            if game.started_at is not None and game.ended_at is not None:
                times = milliseconds_of(game.started_at), milliseconds_of(game.ended_at)
                self._speed.add(PlayingTime(*times, game.jobs))
        if self._test is not None:
            self._test.add(games[0].pair, games)
        first, second = sorted(games, key=lambda game: game.game)
        points = half_points_of_first(first), half_points_of_first(second)
        if self._rounds.add((first.pairing, first.pair), points):
            self._plan()

    def add_failure(self, pairing: int, pair: int) -> None:
        """Count a pair that was given up."""
        self._failed.add((pairing, pair))
        if self._rounds.add((pairing, pair), None):
            self._plan()
        if self._test is not None:
            self._test.add(pair, ())

    def pairs_tested(self) -> int | None:
        """The pairs that the event's sequential test took, once it has come to a verdict."""
        return None if self._test is None else self._test.stopped_after

    def add_repair(self) -> None:
        """Count a worker that died and whose pair is played again."""
        self._repaired += 1

    def progress(self) -> EventProgress:
        """The current score of the event."""
        elapsed_s = time.monotonic() - self._begin
        round_, speed = self._round(), self._speed.games_per_second()
        planned = 2 * self._most_pairs
        if round_ is not None and round_.over:
            planned = 2 * sum(pairs for _, _, pairs in self._pairings.values())
        played = sum(score.games for score in self._scores.values())
        left = planned - played - 2 * len(self._failed)
        test = None if self._test is None else self._test.state()
        expected: float = left
        is_open_ended = False
        if test is not None and test.verdict != "continue":
            expected = 0.0
        elif test is not None:
            expected = 2.0 * test.expected_pairs(left / 2)
        elif round_ is not None and (pairs := self._shown_round().expected_pairs) is not None:
            expected = max(2.0 * (pairs - len(self._failed)) - played, 0.0)
        elif round_ is not None:
            is_open_ended = not round_.over
        over = left <= 0 if round_ is None else round_.over
        any_look = is_valid_at_any_look(self._event, over)
        at_most = test is not None or (round_ is not None and self._settings.kind != "swiss")
        return EventProgress(
            event=self._event,
            pairings=[self._pairing(number, any_look) for number in self._pairings],
            games_planned=planned,
            games_played=played,
            games_now=self._games_now,
            elapsed_s=elapsed_s,
            games_per_second=speed,
            games_left=expected,
            eta_s=None if speed is None or is_open_ended else expected / speed,
            repetitions=self._excluded,
            time_losses=self._reasons[EndReason.TIME_FORFEIT],
            engine_failures=sum(self._reasons[reason] for reason in _FAILURES),
            pairs_failed=len(self._failed),
            repaired=self._repaired,
            test=test,
            race=form.rule if isinstance(form := self._settings.form, RaceForm) else None,
            names=self._names,
            at_most_s=left / speed if speed is not None and at_most else None,
            round=round_,
            variation=self._variation,
        )

    def _plan(self) -> None:
        """Take the pairings of all rounds so far."""
        self._pairings: dict[int, tuple[int, int, int]] = {}
        for meeting in self._meetings():
            _, _, pairs = self._pairings.get(meeting.pairing, (0, 0, 0))
            planned = (meeting.first, meeting.second, pairs + meeting.pairs)
            self._pairings[meeting.pairing] = planned

    def _meetings(self) -> Iterator[Meeting]:
        for round_ in self._rounds.all:
            yield from round_.meetings

    def _shown_round(self) -> Round:
        """The current round; of an event that is over, the last one."""
        return self._rounds.current or self._rounds.all[-1]

    def _round(self) -> RoundStanding | None:
        """Where an event in rounds is."""
        if self._settings.form is None:
            return None
        shown, over = self._shown_round(), self._rounds.current is None
        return RoundStanding(
            number=len(self._rounds.played) + (not over),
            title=shown.title,
            pairings=sorted({meeting.pairing for meeting in shown.meetings}),
            over=over,
        )

    def _count(self, games: Sequence[GameRecord]) -> None:
        """Count a pair that repeats nothing."""
        score = self._scores[games[0].pairing]
        points = [half_points_of_first(game) for game in games]
        score.wins += points.count(2)
        score.draws += points.count(1)
        score.losses += points.count(0)
        score.pentanomial[sum(points)] += 1
        score.games += len(games)

    def _read_scores(self) -> None:
        """Take the scores from the database."""
        stored_scores = self._repository.event_pair_scores(self._event.id)
        self._excluded = sum(stored.excluded for stored in stored_scores)
        for stored in stored_scores:
            self._scores[stored.pairing] = _Score(
                games=2 * stored.pairs,
                wins=stored.wins,
                draws=stored.draws,
                losses=stored.losses,
                pentanomial=list(stored.pentanomial),
            )

    def _pairing(self, number: int, any_look: bool) -> PairingStanding:
        first, second, pairs = self._pairings[number]
        score = self._scores[number]
        return PairingStanding(
            pairing=number,
            first=self._settings.players[first].label,
            second=self._settings.players[second].label,
            games_planned=2 * pairs,
            games=score.games,
            wins=score.wins,
            draws=score.draws,
            losses=score.losses,
            pentanomial=list(score.pentanomial),
            **match_fields(score.pentanomial, any_look),
        )


def stored_progress(repository: Repository, event: EventRecord) -> EventProgress:
    """How far an event is, from what is stored: of all its runs, as a process that continues it
    would begin with. Raises DatabaseError, DatabaseProblem."""
    settings = EventSettings.from_json(event.settings)
    rounds = stored_rounds(repository, event, settings.pairer())
    return Tally(event, settings, repository, rounds).progress()


def shown_labels(settings: EventSettings) -> dict[str, str]:
    """What tables call the players of an event, by label."""
    labelled = [(player.label, record_of(player.engine)) for player in settings.players]
    return dict(zip((label for label, _ in labelled), display_labels(labelled), strict=True))
