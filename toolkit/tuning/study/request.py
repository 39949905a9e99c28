"""What a user says of a study, and the settings that follow: every default is decided here."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from msgspec import structs

from engines.limit import KINDS, Limit
from engines.spec import Engine, UciEngine, Value, Variant
from engines.variant import altered, is_named, variant_of
from toolkit.base.errors import UsageError
from toolkit.base.format import count_of
from toolkit.base.ranges import check_whole
from toolkit.books.info import BookSlice
from toolkit.events.contenders import Asked, contender_of
from toolkit.events.memory import ENTRY_BYTES, table_bytes
from toolkit.events.players import Contender
from toolkit.events.settings import EventKeywords, event_settings
from toolkit.tuning.measuring.objective import Objective
from toolkit.tuning.models.pruning import PruningSettings
from toolkit.tuning.samplers.grid import grid_of
from toolkit.tuning.samplers.spsa import default_in_flight, default_pairs
from toolkit.tuning.settings import (
    MAX_BUDGET_PAIRS,
    MAX_TRIALS,
    Budget,
    PositionsSettings,
    StudySettings,
    find_positions,
)
from toolkit.tuning.space.options import space_of_options
from toolkit.tuning.space.space import Space, declared_start, start_of

SAMPLERS = ("spsa", "tpe", "cmaes", "random", "grid", "gp")
"""Samplers that have a name; any other is ``module:Class``."""
MAX_POSITIONS = 10_000
CHOICE_SHARE = 0.25
"""Of the budget: re-playing the leading points of a search by trials."""
TUNING_SLICE = BookSlice(1, 2)
"""Default slice of the book for a study; confirmations play another slice."""


class StudyKeywords(EventKeywords, total=False):
    """Keywords of the settings of a study: of its games those of events, and its own. What is left
    out has its default."""

    parameters: Sequence[str]
    """As on the command line: ``grain``, ``grain=1..50,log``, ``guess=previous|parity``; of an
    external engine its options, ``Razor=100..400``."""
    objective: str
    """``elo`` by default."""
    base: Asked
    """``mtdf`` by default. Without a limit: that is the study's."""
    start_values: Sequence[str]
    """Values of the base, of a simulated objective, such as ``x=10``."""
    against: Sequence[Asked]
    budget_pairs: int
    """4000 by default."""
    measure: float
    """Share of the budget that measures the stated gain; 0.25 by default, 0 for none."""
    trials: int
    pairs_per_trial: int
    in_flight: int
    sampler: str
    """``auto`` by default."""
    sampler_options: Mapping[str, Value]
    pruner: str
    limit: Limit
    depth: int
    """Of the searches of an effort objective; 5 by default."""
    position_file: str
    positions: int
    """Tuned on; as many are held out; 40 by default."""


_OF_GAMES = frozenset(EventKeywords.__annotations__)
DEFAULT_BUDGET_PAIRS = 4000
DEFAULT_MEASURE = 0.25
DEFAULT_TRIALS = 100
DEFAULT_POSITIONS = 40
DEFAULT_DEPTH = 5


def make_settings(**options: Unpack[StudyKeywords]) -> StudySettings:
    """Settings of a study, every default decided. An external engine as the base is started once,
    to learn its options. Raises UsageError, VariantError, EngineFailure."""
    if unknown := options.keys() - StudyKeywords.__annotations__.keys():
        raise TypeError(f"unknown keyword {min(unknown)} of a study")
    objective = Objective.parse(options.get("objective", "elo"))
    if objective.kind == "simulated":
        space = Space.declared(options.get("parameters", ()))
        start = declared_start(space, options.get("start_values", ()))
    else:
        tuned = _base(options.get("base", "mtdf"), objective)
        base, space, values = _tuned(tuned, options.get("parameters", ()))
        _check_base_inside(base, values, space)
        if options.get("start_values"):
            raise UsageError(
                "--start belongs to a simulated objective; give the values with --base"
            )
        start = start_of(values, space)
    settings = StudySettings(
        name=options.get("name", ""),
        objective=objective,
        space=space,
        start=start,
        sampler=choose_sampler(options.get("sampler", "auto"), objective, space),
        sampler_options=options.get("sampler_options", {}),
        seed=options.get("seed", 0),
        base=None if objective.kind == "simulated" else Contender(base),
        budget=Budget(0, 0, 0),
        trials=1,
        pairs_per_trial=1,
        in_flight=1,
    )
    if objective.kind == "simulated":
        return _simulated(settings, options)
    if len(objective.without_effect(space.names)) == len(space.names):
        raise UsageError(objective.warnings(space.names)[0])
    if objective.is_effort:
        return _with_positions(settings, options)
    return _with_games(settings, base, options)


def _base(player: Asked, objective: Objective) -> Engine:
    """The engine to tune. Raises UsageError, VariantError, EngineFailure."""
    base = contender_of(player)
    if base.limit is not None:
        raise UsageError(
            f"base `{base.engine.label}` has a limit of its own: leave it out, because the base "
            "and all points have the limit of the study; only opponents may have others"
        )
    if isinstance(base.engine, UciEngine) and objective.is_effort:
        raise UsageError(
            f"objective {objective} searches positions with our own core, and base "
            f"`{base.engine.label}` is an external engine: tune it by elo"
        )
    return base.engine


def _tuned(base: Engine, parameters: Sequence[str]) -> tuple[Engine, Space, Mapping[str, Value]]:
    """The engine, the space of its tuned parameters, and its values of at least these."""
    if isinstance(base, UciEngine):
        return base, *space_of_options(base, parameters)
    space = Space.of_registry(base, parameters)
    if "entries" in space.names:
        base = _with_entries(base)
    return base, space, base.parameters


def _with_entries(base: Variant) -> Variant:
    """The base with the size of its table in entries, where ``hash`` gives it in MB: the same
    engine, as a point of a space that has ``entries``. Unchanged if that is not a power of two."""
    entries = table_bytes(base) // ENTRY_BYTES
    if base.parameters["entries"] or entries.bit_count() != 1:
        return base
    sized = variant_of(base, {"entries": entries})
    return structs.replace(sized, label=base.label) if is_named(base) else sized


def _check_base_inside(base: Engine, values: Mapping[str, Value], space: Space) -> None:
    """The base is a point like all others: everything is measured against it."""
    nearest = altered(base, space.restrict(start_of(values, space)))
    for dimension in space.dimensions:
        value = values[dimension.name]
        if not dimension.contains(value):
            raise UsageError(
                f"--param {dimension.describe()}: the base has {dimension.name}="
                f"{dimension.spell(value)}; let the values include it, or choose another --base, "
                f"such as {nearest.spelling}"
            )
    if nearest.identity != base.identity:
        raise UsageError(
            f"base {base.spelling} is not a point of the space {', '.join(space.names)}"
        )


def choose_sampler(text: str, objective: Objective, space: Space) -> str:
    """The sampler that is meant; ``auto`` by the objective and the space. Raises UsageError."""
    if text == "auto":
        return "spsa" if space.ordered and not objective.is_effort else "tpe"
    if text not in SAMPLERS and not re.fullmatch(r"[\w.]+:\w+", text):
        raise UsageError(f"sampler `{text}`: expected auto, {', '.join(SAMPLERS)} or module:Class")
    if text == "spsa" and objective.is_effort:
        raise UsageError(
            "sampler spsa plays points against each other in games; use another sampler, such as "
            f"tpe, for objective {objective}"
        )
    return text


def _simulated(settings: StudySettings, options: StudyKeywords) -> StudySettings:
    for name, option in (
        ("against", "--against"),
        ("limit", "a limit"),
        ("book", "--book"),
        ("book_slice", "--book"),
        ("chess960", "--chess960"),
        ("no_lines", "--no-lines"),
        ("strict", "--strict"),
        ("scale_nps", "--scale-time"),
        ("depth", "--depth"),
        ("position_file", "--positions"),
        ("positions", "--position-count"),
    ):
        if options.get(name):
            raise UsageError(f"a simulated objective has no games: leave {option} out")
    return _with_budget(settings, options)


def _with_games(settings: StudySettings, base: Engine, options: StudyKeywords) -> StudySettings:
    if "limit" not in options:
        raise UsageError(f"a limit is missing: {', '.join(f'--{name}' for name in KINDS)}")
    if options.get("position_file") or options.get("positions"):
        raise UsageError("--positions and --position-count belong to the objectives nodes and time")
    of_games: Any = {name: value for name, value in options.items() if name in _OF_GAMES}
    of_games["book_slice"] = options.get("book_slice") or TUNING_SLICE
    event = event_settings(
        "tuning", [base], options.get("against", ()), 1, options["limit"], of_games
    )
    settings = _with_budget(structs.replace(settings, event=event), options)
    return structs.replace(settings, event=structs.replace(event, pairs=settings.budget.total))


def _with_positions(settings: StudySettings, options: StudyKeywords) -> StudySettings:
    """An effort objective: every trial searches all positions, the recommended one others."""
    if options.get("against") or not {"budget_pairs", "measure"}.isdisjoint(options):
        raise UsageError(
            f"objective {settings.objective} searches positions: give --trials, --positions and "
            "--depth, no pairs and no opponents"
        )
    if "limit" in options:
        raise UsageError(f"objective {settings.objective} searches to --depth, no other limit")
    for given, name in (
        (options.get("pairs_per_trial"), "--pairs-per-trial: a trial searches all positions"),
        (
            options.get("book") or options.get("book_slice"),
            "--book; give --positions",
        ),
        (options.get("chess960"), "--chess960"),
        (options.get("no_lines"), "--no-lines"),
        (options.get("strict"), "--strict"),
        (options.get("scale_nps"), "--scale-time"),
    ):
        if given:
            raise UsageError(f"objective {settings.objective} plays no games: leave out {name}")
    positions = options.get("positions", DEFAULT_POSITIONS)
    check_whole("positions", positions, 1, MAX_POSITIONS)
    depth = options.get("depth", DEFAULT_DEPTH)
    check_whole("depth", depth, 1, 100)
    trials = min(_most_trials(settings, options), options.get("trials") or DEFAULT_TRIALS)
    source = options.get("position_file")
    found = find_positions(source, positions, settings.seed, settings.game)
    choice = 0 if settings.objective.deterministic else trials * positions // 4
    return structs.replace(
        settings,
        budget=Budget(trials * positions, choice, positions),
        trials=trials,
        pairs_per_trial=positions,
        in_flight=options.get("in_flight") or 1,
        pruner=_pruner(options, settings),
        positions=PositionsSettings(source, positions, positions, depth, found.identity),
    )


def _with_budget(settings: StudySettings, options: StudyKeywords) -> StudySettings:
    """Pairs by phase, and the number of trials."""
    total = options.get("budget_pairs", DEFAULT_BUDGET_PAIRS)
    check_whole("budget in pairs", total, 1, MAX_BUDGET_PAIRS)
    share = options.get("measure", DEFAULT_MEASURE)
    if not (math.isfinite(share) and 0 <= share <= 0.9):
        raise UsageError(f"share of the budget that measures the gain ({share}): from 0 to 0.9")
    spsa = settings.sampler == "spsa"
    gain = round(total * share)
    choice = 0 if spsa else min(round(total * CHOICE_SHARE), total - gain)
    search = total - gain - choice
    pairs, trials = _trials(settings, options, search)
    settings = structs.replace(settings, pairs_per_trial=pairs)
    cost = pairs * settings.encounters_per_trial
    if trials < min(2, _most_trials(settings, options)):
        raise UsageError(
            f"{search} pairs of the search are not enough for two trials of {cost} pairs: give "
            "more --budget-pairs"
        )
    used = (trials + _base_rounds(settings, trials)) * cost
    if share:
        gain += search - used  # what does not make a whole trial measures the gain
        least = 2 * len(settings.against) or 1
        if gain < least:
            raise UsageError(
                f"{count_of(gain, 'pair')} cannot measure a gain that takes at least {least}: use "
                "more --budget-pairs or --measure, or --measure 0"
            )
    return structs.replace(
        settings,
        budget=Budget(used, choice, gain),
        trials=trials,
        in_flight=options.get("in_flight") or (default_in_flight(trials) if spsa else 1),
        pruner=_pruner(options, settings),
    )


def _trials(settings: StudySettings, options: StudyKeywords, search: int) -> tuple[int, int]:
    """Pairs per encounter of a trial, and the number of trials in the pairs of a search.

    If fewer trials are requested, each gets more pairs, unless the pairs per trial are given.
    """
    spsa, most = settings.sampler == "spsa", _most_trials(settings, options)
    pairs = options.get("pairs_per_trial")
    if pairs is None:
        pairs = default_pairs(search) if spsa else max(16, round(0.9 * math.sqrt(search)))
        each = (most + _base_rounds(settings, most)) * settings.encounters_per_trial
        pairs = max(pairs, search // each)
    check_whole("pairs per trial", pairs, 1, MAX_BUDGET_PAIRS)
    affordable = search // (pairs * settings.encounters_per_trial)
    trials = min(affordable, most)
    while trials and trials + _base_rounds(settings, trials) > affordable:
        trials -= 1
    return pairs, trials


def _most_trials(settings: StudySettings, options: StudyKeywords) -> int:
    """The requested number of trials, limited to the points of a grid."""
    most = check_whole("trials", options.get("trials", MAX_TRIALS), 1, MAX_TRIALS)
    return min(most, len(grid_of(settings))) if settings.sampler == "grid" else most


def _base_rounds(settings: StudySettings, trials: int) -> int:
    """The number of rounds in which the base also plays the opponents: once per round, for samplers
    that compare trials."""
    compares = bool(settings.against) and settings.sampler != "spsa"
    return settings.round_of(trials) + 1 if compares else 0


def _pruner(options: StudyKeywords, settings: StudySettings) -> PruningSettings | None:
    pruner = options.get("pruner", "none")
    if pruner == "none":
        return None
    if pruner != "wilcoxon":
        raise UsageError(f"pruner `{pruner}`: expected none or wilcoxon")
    if settings.against:
        raise UsageError("a pruner compares trials against the base: leave --against out")
    if settings.sampler == "spsa":
        raise UsageError("sampler spsa has no trials that could be pruned: leave --pruner out")
    return PruningSettings()
