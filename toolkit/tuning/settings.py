"""The settings of a study: frozen at its start, kept as JSON, all that its course depends on."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from engines.spec import Limit, Value, Variant
from engines.variant import format_value, parse_variant
from toolkit.errors import DatabaseProblem, UsageError
from toolkit.play.adjudication import Adjudication
from toolkit.play.bookinfo import BookSlice
from toolkit.play.openings import Book, default_book
from toolkit.play.ranges import check_whole
from toolkit.play.settings import (
    DEFAULT_TIME_MARGIN_MS,
    MAX_SEED,
    BookOrder,
    BookSettings,
    EventSettings,
    PlayerSettings,
)
from toolkit.tuning.objective import Objective
from toolkit.tuning.positions import StudyPositions
from toolkit.tuning.pruning import PruningSettings
from toolkit.tuning.space import Space, declared_start, start_of, variant_of
from toolkit.tuning.spsa import default_in_flight, default_pairs

SETTINGS_VERSION = 1
SAMPLERS = ("spsa", "tpe", "cmaes", "random", "grid", "gp")
"""Samplers that have a name; any other is ``module:Class``."""
MAX_BUDGET_PAIRS = 10_000_000
MAX_TRIALS = 100_000
MAX_POSITIONS = 10_000
CHOICE_SHARE = 0.25
"""Of the budget: re-playing the leading points of a search by trials."""
TUNING_SLICE = BookSlice(1, 2)
"""The part of the book that a study plays, unless told otherwise; confirmations play another."""
TRIALS_A_ROUND = 10
"""Trials that share their openings, where trials are compared with each other."""
_NAME = re.compile(r"[A-Za-z0-9][\w.+-]{0,63}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Budget:
    """Pairs (positions, where effort is measured) by what they are for."""

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
    """Of the search; a sampler that compares trials has the base beside them, as trial 0."""
    pairs_per_trial: int
    """Pairs, or positions, of each encounter of a trial."""
    in_flight: int
    """Trials under way at a time: trial n is asked for when n - in_flight is told."""
    seed: int = 0
    sampler_options: Mapping[str, Value] = field(default_factory=dict)
    pruner: PruningSettings | None = None
    base: PlayerSettings | None = None
    """None with a simulated objective."""
    against: tuple[PlayerSettings, ...] = ()
    """Opponents of both ends; none: they meet each other or the base."""
    limit: Limit | None = None
    book: BookSettings | None = None
    adjudication: Adjudication = Adjudication()
    time_margin_ms: int = DEFAULT_TIME_MARGIN_MS
    positions: PositionsSettings | None = None

    def __post_init__(self) -> None:
        if self.name and (self.name == "last" or not _NAME.fullmatch(self.name)):
            raise UsageError(
                f"name of the study `{self.name}`: letters, digits and ._+- only, at most 64, and "
                "not `last`"
            )
        check_whole("seed", self.seed, 0, MAX_SEED)
        check_whole("trials", self.trials, 1, MAX_TRIALS)
        check_whole("pairs per trial", self.pairs_per_trial, 1, MAX_BUDGET_PAIRS)
        check_whole("trials in flight", self.in_flight, 1, 1000)

    @property
    def encounters_per_trial(self) -> int:
        """How many a trial has."""
        ends = 2 if self.sampler == "spsa" else 1
        return ends * len(self.against) if self.against else 1

    def event_settings(self) -> EventSettings:
        """The event that holds the games of the study. Raises UsageError."""
        assert self.base is not None and self.limit is not None and self.book is not None
        return EventSettings(
            kind="tuning",
            players=(self.base, *self.against),
            heroes=1,
            pairs=self.budget.total,
            limit=self.limit,
            book=self.book,
            seed=self.seed,
            adjudication=self.adjudication,
            time_margin_ms=self.time_margin_ms,
            name=self.name,
        )

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
            "base": None if self.base is None else asdict(self.base),
            "against": [asdict(player) for player in self.against],
            "limit": None if self.limit is None else self.limit.to_json(),
            "book": None if self.book is None else self.book.to_json(),
            "adjudication": self.adjudication.to_json(),
            "time_margin_ms": self.time_margin_ms,
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
        fields = {key: value for key, value in data.items() if key != "version"}
        try:
            fields["objective"] = Objective.parse(data["objective"])
            fields["space"] = Space.from_json(data["space"])
            fields["budget"] = Budget(**data["budget"])
            fields["against"] = tuple(PlayerSettings(**player) for player in data["against"])
            fields["adjudication"] = Adjudication.from_json(data["adjudication"])
            for name, kind in _PARTS.items():
                if data[name] is not None:
                    fields[name] = kind(**data[name])
            if data["book"] is not None:
                fields["book"] = BookSettings.from_json(data["book"])
            return cls(**fields)
        except (KeyError, TypeError, ValueError) as error:
            raise DatabaseProblem(f"study settings are damaged: {error}") from error


_PARTS: dict[str, Any] = {
    "pruner": PruningSettings,
    "base": PlayerSettings,
    "limit": Limit,
    "positions": PositionsSettings,
}


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """What a user may say of a study; None and empty mean the default. :func:`make_settings` makes
    settings of it."""

    parameters: Sequence[str] = ()
    """As on the command line: ``grain``, ``grain=1..50,log``, ``guess=previous|parity``."""
    objective: str = "elo"
    base: str | Variant = "mtdf"
    start: Sequence[str] = ()
    """Values of the base, of a simulated objective, such as ``x=10``."""
    against: Sequence[str | Variant] = ()
    budget_pairs: int | None = None
    measure: float | None = None
    """Share of the budget that measures the stated gain; 0.25 by default, 0 for none."""
    trials: int | None = None
    pairs_per_trial: int | None = None
    in_flight: int | None = None
    sampler: str = "auto"
    sampler_options: Mapping[str, Value] = field(default_factory=dict)
    pruner: str | None = None
    limit: Limit | None = None
    book: Book | None = None
    book_slice: BookSlice | None = None
    order: BookOrder = "random"
    adjudication: Adjudication = Adjudication()
    time_margin_ms: int = DEFAULT_TIME_MARGIN_MS
    depth: int | None = None
    """Of the searches of an effort objective."""
    position_file: str | None = None
    positions: int | None = None
    """Tuned on; as many are held out."""
    seed: int = 0
    name: str = ""


DEFAULT_BUDGET_PAIRS = 4000
DEFAULT_MEASURE = 0.25
DEFAULT_TRIALS = 100
DEFAULT_POSITIONS = 40
DEFAULT_DEPTH = 5


def make_settings(options: StudyOptions) -> StudySettings:
    """Settings of a study, every default decided. Raises UsageError, VariantError."""
    objective = Objective.parse(options.objective)
    if objective.kind == "simulated":
        return _simulated(options, objective)
    base = _variant(options.base)
    space = Space.of_registry(base, options.parameters)
    _check_base_inside(base, space)
    if options.start:
        raise UsageError("--start belongs to a simulated objective; give the values with --base")
    common = StudySettings(
        name=options.name,
        objective=objective,
        space=space,
        start=start_of(base, space),
        sampler=choose_sampler(options.sampler, objective, space),
        sampler_options=options.sampler_options,
        seed=options.seed,
        base=PlayerSettings.of(base),
        budget=Budget(0, 0, 0),
        trials=1,
        pairs_per_trial=1,
        in_flight=1,
    )
    if objective.is_effort:
        return _with_positions(common, options)
    return _with_games(common, options)


def _check_base_inside(base: Variant, space: Space) -> None:
    """The base is a point like all others: everything is measured against it."""
    for dimension in space.dimensions:
        value = base.parameters[dimension.name]
        if not dimension.contains(value):
            raise UsageError(
                f"--param {dimension.describe()}: the base has {dimension.name}="
                f"{format_value(value)}; let the values include it, or choose another --base"
            )
    point = space.restrict(start_of(base, space))
    if variant_of(base, point).identity != base.identity:
        raise UsageError(f"base {base.spelling} is no point of the space {', '.join(space.names)}")


def round_of(number: int) -> int:
    """The round of a trial that is compared with others; trial 0 is the base, which needs none."""
    return max(0, number - 1) // TRIALS_A_ROUND


def rounds_of_trials(trials: int) -> int:
    """How many rounds so many trials have, the base not counted."""
    return round_of(trials) + 1


def choose_sampler(text: str, objective: Objective, space: Space) -> str:
    """The sampler that is meant; ``auto`` by the objective and the space. Raises UsageError."""
    if text == "auto":
        return "spsa" if space.ordered and not objective.is_effort else "tpe"
    if text not in SAMPLERS and not re.fullmatch(r"[\w.]+:\w+", text):
        raise UsageError(f"sampler `{text}`: expected auto, {', '.join(SAMPLERS)} or module:Class")
    if text == "spsa" and objective.is_effort:
        raise UsageError(
            f"sampler spsa sets points against each other in games; objective {objective} needs "
            "another, such as tpe"
        )
    return text


def _simulated(options: StudyOptions, objective: Objective) -> StudySettings:
    space = Space.declared(options.parameters)
    for given, name in (
        (options.against, "--against"),
        (options.limit, "a limit"),
        (options.book, "--book"),
        (options.depth, "--depth"),
        (options.position_file, "--positions"),
    ):
        if given:
            raise UsageError(f"a simulated objective has no games: leave {name} out")
    settings = StudySettings(
        name=options.name,
        objective=objective,
        space=space,
        start=declared_start(space, options.start),
        sampler=choose_sampler(options.sampler, objective, space),
        sampler_options=options.sampler_options,
        seed=options.seed,
        budget=Budget(0, 0, 0),
        trials=1,
        pairs_per_trial=1,
        in_flight=1,
    )
    return _with_budget(settings, options)


def _with_games(settings: StudySettings, options: StudyOptions) -> StudySettings:
    if options.limit is None:
        raise UsageError("a limit is missing: --nodes, --depth, --movetime, --cpu-ms or --tc")
    if options.position_file or options.positions:
        raise UsageError("--positions belongs to the objectives nodes and time")
    book = options.book or default_book()
    part = options.book_slice or TUNING_SLICE
    lines = len(part.lines(book.openings))
    if lines == 0:
        raise UsageError(f"slice {part} of book {book.name} has no line")
    against = tuple(PlayerSettings.of(_variant(player)) for player in options.against)
    settings = replace(
        settings,
        against=against,
        limit=options.limit,
        book=BookSettings(
            id=book.id,
            name=book.name,
            source=book.source,
            lines=lines,
            order=options.order,
            repeat=True,
            slice=part,
        ),
        adjudication=options.adjudication,
        time_margin_ms=options.time_margin_ms,
    )
    settings = _with_budget(settings, options)
    settings.event_settings()
    return settings


def _with_positions(settings: StudySettings, options: StudyOptions) -> StudySettings:
    """An effort objective: every trial searches all positions, the recommended one others."""
    if options.budget_pairs is not None or options.measure is not None or options.against:
        raise UsageError(
            f"objective {settings.objective} searches positions: give --trials, --positions and "
            "--depth, no pairs and no opponents"
        )
    if options.limit is not None:
        raise UsageError(f"objective {settings.objective} searches to --depth, no other limit")
    positions = DEFAULT_POSITIONS if options.positions is None else options.positions
    check_whole("positions", positions, 1, MAX_POSITIONS)
    depth = DEFAULT_DEPTH if options.depth is None else options.depth
    check_whole("depth", depth, 1, 100)
    trials = DEFAULT_TRIALS if options.trials is None else options.trials
    check_whole("trials", trials, 1, MAX_TRIALS)
    found = _positions(options.position_file, positions, options.seed)
    choice = 0 if settings.objective.deterministic else trials * positions // 4
    return replace(
        settings,
        budget=Budget(trials * positions, choice, positions),
        trials=trials,
        pairs_per_trial=positions,
        in_flight=options.in_flight or 1,
        pruner=_pruner(options, settings),
        positions=PositionsSettings(
            options.position_file, positions, positions, depth, found.identity
        ),
    )


def study_positions(settings: PositionsSettings, seed: int) -> StudyPositions:
    """The positions of a study, found again. Raises UsageError, also where they are others now."""
    found = _positions(settings.source, settings.tuned, seed)
    if found.identity != settings.identity:
        raise UsageError(
            f"{settings.source or 'the book'} has other positions than when the study began: put "
            "the file back, or start over"
        )
    return found


def _positions(source: str | None, number: int, seed: int) -> StudyPositions:
    if source is None:
        return StudyPositions.of_book(default_book(), number, number, seed)
    return StudyPositions.of_file(source, number, number, seed)


def _with_budget(settings: StudySettings, options: StudyOptions) -> StudySettings:
    """Pairs by what they are for, and trials."""
    total = DEFAULT_BUDGET_PAIRS if options.budget_pairs is None else options.budget_pairs
    check_whole("budget in pairs", total, 1, MAX_BUDGET_PAIRS)
    share = DEFAULT_MEASURE if options.measure is None else options.measure
    if not (math.isfinite(share) and 0 <= share <= 0.9):
        raise UsageError(f"share of the budget that measures the gain ({share}): from 0 to 0.9")
    spsa = settings.sampler == "spsa"
    against_opponents = bool(settings.against) and not spsa
    gain = round(total * share)
    choice = 0 if spsa else min(round(total * CHOICE_SHARE), total - gain)
    search = total - gain - choice
    pairs = options.pairs_per_trial
    if pairs is None:
        pairs = default_pairs(search) if spsa else max(16, round(0.9 * math.sqrt(search)))
    check_whole("pairs per trial", pairs, 1, MAX_BUDGET_PAIRS)
    settings = replace(settings, pairs_per_trial=pairs)
    cost = pairs * settings.encounters_per_trial
    trials = search // cost
    if against_opponents:
        # The base plays the opponents too, once in every round.
        while trials and trials + rounds_of_trials(trials) > search // cost:
            trials -= 1
    if options.trials is not None:
        trials = min(trials, check_whole("trials", options.trials, 1, MAX_TRIALS))
    if trials < 2:
        raise UsageError(
            f"{search} pairs of the search are not enough for two trials of {cost} pairs: give "
            "more --budget-pairs"
        )
    rounds = rounds_of_trials(trials) if against_opponents else 0
    in_flight = options.in_flight or (default_in_flight(trials) if spsa else 1)
    return replace(
        settings,
        # What does not make a whole trial measures the gain, or else is not spent.
        budget=Budget((trials + rounds) * cost, choice, gain),
        trials=trials,
        in_flight=in_flight,
        pruner=_pruner(options, settings),
    )


def _pruner(options: StudyOptions, settings: StudySettings) -> PruningSettings | None:
    if options.pruner in (None, "none"):
        return None
    if options.pruner != "wilcoxon":
        raise UsageError(f"pruner `{options.pruner}`: expected none or wilcoxon")
    if settings.against:
        raise UsageError("a pruner compares trials against the base: leave --against out")
    if settings.sampler == "spsa":
        raise UsageError("sampler spsa has no trials that could be pruned: leave --pruner out")
    return PruningSettings()


def _variant(player: str | Variant) -> Variant:
    return parse_variant(player) if isinstance(player, str) else player
