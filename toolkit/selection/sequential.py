"""The sequential test of a running event: when to stop, and which pairs count.

The log-likelihood ratio is computed pair by pair in schedule order, up to the first gap. Workers
finish pairs in any order. A pair that is finished after the deciding one is stored but does not
belong to the test (*after stop*), so that the verdict is the same for any number of workers.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING, Literal, get_args

from msgspec import Struct, convert

from db.records.events import EventRecord
from db.records.games import WHITE_SCORES, GameRecord, GameResult
from toolkit.base.errors import UsageError
from toolkit.stats.errors import StatisticsError
from toolkit.stats.sprt import Model, SprtStatus, SprtTest, Verdict, sprt_status

if TYPE_CHECKING:
    from db.repository import Repository
    from db.session import Database

_PAGE = 10_000
"""Games read at a time; of a pair both."""
Counting = Literal["pentanomial", "trinomial"]


class SprtSettings(Struct, frozen=True, omit_defaults=True):
    """The test of an event. Raises UsageError for invalid settings."""

    test: SprtTest
    counting: Counting = "pentanomial"

    def __post_init__(self) -> None:
        if self.counting not in get_args(Counting):
            raise UsageError(f"counting `{self.counting}`: expected pentanomial or trinomial")
        if self.test.model == "bayesian" and self.counting == "pentanomial":
            raise UsageError(
                "the bayesian model needs trinomial counts: add --trinomial, or use the "
                "normalized or logistic model"
            )

    @classmethod
    def make(
        cls,
        elo0: float,
        elo1: float,
        *,
        alpha: float = 0.05,
        beta: float = 0.05,
        model: str = "normalized",
        counting: Counting = "pentanomial",
    ) -> SprtSettings:
        """A test from plain values. Raises UsageError."""
        models: dict[str, Model] = {name: name for name in get_args(Model)}
        if model not in models:
            raise UsageError(f"model `{model}`: expected {', '.join(models)}")
        try:
            test = SprtTest(elo0, elo1, alpha, beta, models[model])
        except StatisticsError as error:
            raise UsageError(str(error)) from error
        return cls(test, counting)

    def planned_pairs(self, most: int) -> float:
        """How many of ``most`` pairs the test is expected to take before a game is played: the mean
        over its two hypotheses, with half of the games between equals drawn."""
        from toolkit.stats.sequential import independent_games, independent_pairs, plan

        pairs = self.counting == "pentanomial"
        base, a_pair = (independent_pairs(0.5), 1) if pairs else (independent_games(0.5), 2)
        try:
            rows = plan(self.test, base, (self.test.elo0, self.test.elo1), limit=most * a_pair)
        except StatisticsError:  # hypotheses that such games cannot have
            return float(most)
        return min(sum(row.mean_units for row in rows) / len(rows) / a_pair, float(most))


class TestState(Struct, frozen=True):
    """The state of an event's sequential test, over its pairs up to the first gap."""

    settings: SprtSettings
    status: SprtStatus
    pairs: int
    """Pairs of the test, those included that repeat others or were given up."""
    trinomial: tuple[int, ...]
    """Its games: losses, draws, wins of the tested engine."""
    pentanomial: tuple[int, ...]
    """Its pairs by half points."""

    @property
    def verdict(self) -> Verdict:
        """``continue`` until there is a verdict."""
        return self.status.verdict

    def expected_pairs(self, most: float) -> float:
        """How many more pairs the test is expected to take, of ``most`` that are left."""
        from toolkit.stats.sequential import expected_units

        counts, a_pair = self.pentanomial, 1.0
        if self.settings.counting == "trinomial":
            counts, a_pair = self.trinomial, 2.0
        if not any(counts):
            return most
        return expected_units(counts, self.settings.test, most * a_pair) / a_pair


class SequentialTest:
    """Follows a test: feed it every pair that is finished or given up, in any order."""

    def __init__(self, settings: SprtSettings) -> None:
        self._settings = settings
        self._waiting: dict[int, tuple[GameRecord | GameResult, ...]] = {}
        self._seen: set[str] = set()
        self._trinomial = [0, 0, 0]
        self._pentanomial = [0, 0, 0, 0, 0]
        self._next = 0
        self.stopped_after: int | None = None
        """The pairs that the test took, when it has come to a verdict."""
        self.llrs: list[float] = []
        """The ratio after each pair of the test, in order."""
        self._status = sprt_status(self.counts, settings.test)

    @property
    def counts(self) -> tuple[int, ...]:
        """What the test counts, worst first, from the view of the tested engine."""
        pairs = self._settings.counting == "pentanomial"
        return tuple(self._pentanomial if pairs else self._trinomial)

    def state(self) -> TestState:
        """Where the test stands."""
        return TestState(
            settings=self._settings,
            status=self._status,
            pairs=self._next,
            trinomial=tuple(self._trinomial),
            pentanomial=tuple(self._pentanomial),
        )

    def add(self, pair: int, games: Iterable[GameRecord | GameResult]) -> None:
        """Add a pair; without games if it was given up."""
        self._waiting[pair] = tuple(games)
        while self.stopped_after is None and self._next in self._waiting:
            self._count(self._waiting.pop(self._next))
            self._next += 1
            self.llrs.append(self._status.llr)
            if self._status.verdict != "continue":
                self.stopped_after = self._next

    def _count(self, games: tuple[GameRecord | GameResult, ...]) -> None:
        """Count the games that repeat no earlier one of the test, and the pair if none does."""
        points = 0
        fresh = 0
        for game in sorted(games, key=lambda game: game.game):
            if game.game_key is not None and game.game_key in self._seen:
                continue
            if game.game_key is not None:
                self._seen.add(game.game_key)
            half_points = half_points_of_first(game)
            self._trinomial[half_points] += 1
            points += half_points
            fresh += 1
        if fresh == 2:
            self._pentanomial[points] += 1
        if fresh:
            self._status = sprt_status(self.counts, self._settings.test)


def half_points_of_first(game: GameRecord | GameResult) -> int:
    """Half points of the pairing's first player, which has White in the first game of a pair."""
    white = WHITE_SCORES[game.result]
    return white if game.game == 1 else 2 - white


def stored_test(repository: Repository, event: EventRecord) -> SequentialTest:
    """The test of an event of kind ``sprt``, told of all that is stored, as far as it takes it.
    Raises DatabaseError."""
    test = SequentialTest(convert(event.settings["sprt"], SprtSettings))
    for failure in repository.failures(event.id):
        test.add(failure.pair, ())
    after = None
    while test.stopped_after is None:
        page = repository.game_results(event.id, after, _PAGE)
        for pair, games in groupby(page, key=lambda game: game.pair):
            test.add(pair, games)
        if len(page) < _PAGE:
            break
        after = page[-1][:3]
    return test


def pairs_of_test(db: Database, event: EventRecord) -> int | None:
    """How many pairs the test of an event took when it came to a verdict; None if there is no
    test, no verdict, or no later pair. Of a test that was decided, later pairs do not count."""
    if event.kind != "sprt" or event.pairs_done + event.pairs_failed == event.pairs_planned:
        return None
    stop = stored_test(db.repository, event).stopped_after
    return None if stop == event.pairs_done + event.pairs_failed else stop
