"""The settings of a study: frozen at its start, kept as JSON, all that its course depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from msgspec import convert, to_builtins

from db.records.runs import NOTE
from engines.registry import PARAMETERS
from engines.spec import Value
from toolkit.base.errors import DatabaseProblem, UsageError
from toolkit.base.names import check_name
from toolkit.base.ranges import check_whole
from toolkit.books.book import default_book
from toolkit.events.players import Contender
from toolkit.events.settings import MAX_SEED, EventSettings
from toolkit.tuning.measuring.objective import Objective
from toolkit.tuning.measuring.positions import StudyPositions
from toolkit.tuning.models.pruning import PruningSettings
from toolkit.tuning.models.worth import resolution
from toolkit.tuning.space.space import Space

SETTINGS_VERSION = 1
MAX_BUDGET_PAIRS = 10_000_000
MAX_TRIALS = 100_000
TRIALS_A_ROUND = 10
"""Trials that share their openings, where trials are compared with each other."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Pairs (positions for effort objectives) by phase."""

    search: int
    choice: int
    gain: int

    @property
    def total(self) -> int:
        """Of all phases."""
        return self.search + self.choice + self.gain


@dataclass(frozen=True, slots=True)
class PositionsSettings:
    """Positions on which effort is measured."""

    source: str | None
    """An EPD or FEN file; None for the package's book."""
    tuned: int
    held_out: int
    """Of these none is searched before the gain is measured."""
    depth: int
    identity: str
    """Hash of all of them in order."""


@dataclass(frozen=True, slots=True)
class StudySettings:
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
    sampler_options: Mapping[str, Value] = field(default_factory=dict)
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

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON, from which :meth:`from_json` makes equal settings."""
        return {
            "version": SETTINGS_VERSION,
            "name": self.name,
            "objective": str(self.objective),
            "space": self.space.to_json(),
            "start": dict(self.start),
            "sampler": self.sampler,
            "sampler_options": dict(self.sampler_options),
            "pruner": None if self.pruner is None else asdict(self.pruner),
            "budget": asdict(self.budget),
            "trials": self.trials,
            "pairs_per_trial": self.pairs_per_trial,
            "in_flight": self.in_flight,
            "seed": self.seed,
            "base": to_builtins(self.base),
            "event": None if self.event is None else self.event.to_json(),
            "positions": None if self.positions is None else asdict(self.positions),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The settings in ``data``. Raises DatabaseProblem when they are not of this version."""
        if data.get("version") != SETTINGS_VERSION:
            raise DatabaseProblem(
                f"study settings of version {data.get('version')}, this mtdf knows version "
                f"{SETTINGS_VERSION}: upgrade mtdf"
            )
        fields = {key: value for key, value in data.items() if key not in ("version", NOTE)}
        try:
            fields["objective"] = Objective.parse(data["objective"])
            fields["space"] = Space.from_json(data["space"])
            fields["budget"] = Budget(**data["budget"])
            for name, kind in _PARTS.items():
                if data[name] is not None:
                    fields[name] = kind(**data[name])
            fields["base"] = convert(data["base"], Contender | None)
            if data["event"] is not None:
                fields["event"] = EventSettings.from_json(data["event"])
            return cls(**fields)
        except (KeyError, TypeError, ValueError) as error:
            raise DatabaseProblem(f"study settings are damaged: {error}") from error


_PARTS: dict[str, Any] = {
    "pruner": PruningSettings,
    "positions": PositionsSettings,
}


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
