"""The settings of a study: frozen at its start, kept as JSON, all that its course depends on."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from db.records.runs import NOTE
from db.records.studies import StudyRecord
from engines.registry import PARAMETERS
from engines.spec import Value
from toolkit.base.errors import UsageError
from toolkit.base.names import check_name
from toolkit.base.ranges import check_whole
from toolkit.base.stored import stored
from toolkit.books.book import default_book
from toolkit.events.players import Contender
from toolkit.events.settings import MAX_SEED, EventSettings
from toolkit.tuning.measuring.objective import Objective
from toolkit.tuning.measuring.positions import StudyPositions
from toolkit.tuning.models.pruning import PruningSettings
from toolkit.tuning.models.worth import resolution
from toolkit.tuning.space.space import Space

MAX_BUDGET_PAIRS = 10_000_000
MAX_TRIALS = 100_000
TRIALS_A_ROUND = 10
"""Trials that share their openings, where trials are compared with each other."""


class Budget(Struct, frozen=True):
    """Pairs (positions for effort objectives) by phase."""

    search: int
    choice: int
    gain: int

    @property
    def total(self) -> int:
        """Of all phases."""
        return self.search + self.choice + self.gain


class PositionsSettings(Struct, frozen=True):
    """Positions on which effort is measured."""

    source: str | None
    """An EPD or FEN file; None for the package's book."""
    tuned: int
    held_out: int
    """Of these none is searched before the gain is measured."""
    depth: int
    identity: str
    """Hash of all of them in order."""


class StudySettings(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Everything about a study that its course depends on. Every instance is valid."""

    name: str
    """Empty: one is found when the study is stored."""
    objective: Objective
    space: Space
    start: Mapping[str, Value]
    """The base's value of every tuned parameter, meaningful or not."""
    sampler: str
    """``spsa``, ``tpe``, … or ``module:Class``; never ``auto``."""
    budget: Budget
    trials: int
    """Trials of the search; a sampler that compares trials also has the base, as trial 0."""
    pairs_per_trial: int
    """Pairs, or positions, of each encounter of a trial."""
    in_flight: int
    """Trials running at the same time: trial n is sampled when n - in_flight is reported."""
    seed: int = 0
    sampler_options: Mapping[str, Value] = {}
    pruner: PruningSettings | None = None
    base: Contender | None = None
    """None with a simulated objective."""
    event: EventSettings | None = None
    """The event that holds its games: of the base, its opponents, and the points, which join during
    play. Its pairs are the budget. None for an objective without games."""
    positions: PositionsSettings | None = None

    def __post_init__(self) -> None:
        if self.name:
            check_name("study", self.name)
        check_whole("seed", self.seed, 0, MAX_SEED)
        check_whole("trials", self.trials, 1, MAX_TRIALS)
        check_whole("pairs per trial", self.pairs_per_trial, 1, MAX_BUDGET_PAIRS)
        check_whole("trials in flight", self.in_flight, 1, 1000)

    @property
    def against(self) -> tuple[Contender, ...]:
        """Opponents of both ends; none: they meet each other or the base."""
        return () if self.event is None else self.event.players[1:]

    def round_of(self, trial: int) -> int:
        """The round of a trial: those of one round share their openings or positions. Trial 0 of
        samplers that compare trials is the base, which needs none."""
        shared = self.event is not None and self.event.openings == "shared"
        if shared or self.pruner is not None or self.positions is not None:
            return 0
        return trial if self.sampler == "spsa" else max(0, trial - 1) // TRIALS_A_ROUND

    @property
    def deterministic(self) -> bool:
        """Whether the same pairs of a point always end alike."""
        return self.objective.kind != "time" if self.event is None else self.event.deterministic

    @property
    def encounters_per_trial(self) -> int:
        """How many a trial has."""
        ends = 2 if self.sampler == "spsa" else 1
        return ends * len(self.against) if self.against else 1

    @property
    def resolution(self) -> float | None:
        """The Elo below which the pairs of the gain cannot tell it from 0, about; None if no games
        measure it."""
        if self.objective.kind != "elo" or not self.budget.gain:
            return None
        return resolution(self.budget.gain, shared=bool(self.against))

    @property
    def threads(self) -> int:
        """With how many threads an encounter is played: its engines take turns."""
        players = (self.base, *self.against)
        return max((player.engine.threads for player in players if player is not None), default=1)

    @property
    def game(self) -> str:
        """The game of its engine; a simulated objective has none, and its settings say chess."""
        return str(PARAMETERS["game"].neutral) if self.base is None else self.base.engine.game


def settings_of(record: StudyRecord) -> StudySettings:
    """The settings of a stored study. Raises DatabaseProblem if they are damaged."""
    fields = {key: value for key, value in record.settings.items() if key != NOTE}
    return stored(StudySettings, fields, "study settings")


def study_positions(settings: PositionsSettings, seed: int, game: str) -> StudyPositions:
    """The positions of a study, found again. Raises UsageError, also where they are others now."""
    found = find_positions(settings.source, settings.tuned, seed, game)
    if found.identity != settings.identity:
        raise UsageError(
            f"{settings.source or 'the book'} has different positions than when the study "
            "started: restore the file, or start over"
        )
    return found


def find_positions(source: str | None, number: int, seed: int, game: str) -> StudyPositions:
    """So many tuned and held-out positions of a game from a file; None: from the package's book.
    Raises UsageError."""
    if source is None:
        return StudyPositions.of_book(default_book(game=game), number, number, seed)
    return StudyPositions.of_file(source, number, number, seed, game)
