"""What a run of the laboratory searches: engines, positions, depths; made from what users say.

Each engine has a baseline among the engines of the run, which searches the same trees. A sweep over
a parameter that changes the trees themselves therefore has a baseline for every value.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from msgspec import Struct, structs

from db.records.engines import VariantRecord
from db.records.laboratory import LabEngineRecord, LabKind, LabPositionRecord, LabRunRecord
from engines.backend import check_backend
from engines.errors import VariantError
from engines.registry import DRIVERS, PARAMETERS, TREE
from engines.spec import MATE, Variant
from engines.variant import (
    format_value,
    is_named,
    label_with,
    make_variant,
    parse_value,
    parse_variant,
    variant_of,
    with_game,
)
from toolkit.base.errors import UsageError
from toolkit.base.ranges import check_whole
from toolkit.base.stored import stored
from toolkit.events.players import stored_variant
from toolkit.lab.agreement import check_one_tree, proves_move
from toolkit.lab.positions import label_of
from toolkit.lab.suite import Suite

Mode = Literal["exact", "selective"]
SHIFT = "first_guess_offset"
"""What a sweep calls the distance of the first guess from the value that will be found."""
CORES = "processor_cores"
"""Key of the settings of a run of kind ``parallel``: the cores of its machine."""
MAX_DEPTH = 60
TABLE_PARAMETERS = ("hash", "entries", "bounds", "replacement")
"""What the transposition table is; it changes no value, and the cost of every driver."""
_TABLE_SIZE = ("hash", "entries")
_ITEM = re.compile(r"([+-]?\d+)\.\.([+-]?\d+)(?:/(\d+))?")
_POWERS = re.compile(r"2\^(\d{1,2})\.\.2\^(\d{1,2})(?:/(\d+))?")
_MOST_VALUES = 200
Vary = Callable[[Variant, str, str], Variant]
"""An engine with another value of a parameter, from the parameter's name and the value as text."""


@dataclass(frozen=True, slots=True)
class LabEngine:
    """One engine of a run."""

    variant: Variant
    baseline: int
    """Place of the engine that it is compared with; its own for a baseline."""
    parameter: str | None = None
    """What a sweep varies."""
    value: str | None = None

    @property
    def shift(self) -> int | None:
        """How far its first guesses lie from the value to be found; None: it guesses itself."""
        return int(self.value or 0) if self.parameter == SHIFT else None


@dataclass(frozen=True, slots=True)
class LabPlan:
    """A whole run."""

    kind: LabKind
    suite: str
    suite_id: str
    engines: tuple[LabEngine, ...]
    positions: tuple[LabPositionRecord, ...]
    depths: tuple[int, ...]
    """Ascending; one search to the last depth covers all of them."""
    mode: Mode = "exact"
    """Selective searches prune, so their values depend on the engine and are not compared."""
    cores: int | None = None
    """Of a run of kind ``parallel``: how many cores the machine has."""
    is_rebased: bool = False
    """Whether the baseline is another than that which was searched for."""

    @property
    def game(self) -> str:
        """The one game that its engines play."""
        return self.engines[0].variant.game

    @property
    def last_only(self) -> bool:
        """Whether only the last iteration is measured: given first guesses are far from the values
        of the earlier iterations."""
        return any(engine.shift is not None for engine in self.engines)

    @property
    def searches(self) -> int:
        """How many searches the run has."""
        return len(self.engines) * len(self.positions)

    @property
    def names(self) -> list[str]:
        """What lists call its engines; no two have the same name."""
        return [listed_name(one.variant.label, one.parameter, one.value) for one in self.engines]

    @property
    def titles(self) -> list[str]:
        """What tables of the run call its engines."""
        if self.kind == "parallel":
            return self.names
        return titles_of([(one.variant.label, one.parameter, one.value) for one in self.engines])

    def settings(self) -> dict[str, Any]:
        """The stored settings, apart from engines and positions."""
        settings: dict[str, Any] = {
            "suite": self.suite,
            "suite_id": self.suite_id,
            "depths": list(self.depths),
        }
        if self.cores is not None:
            settings[CORES] = self.cores
        return settings if self.mode == "exact" else settings | {"mode": self.mode}

    def engine_records(self) -> list[LabEngineRecord]:
        """The engines as the database keeps them."""
        return [
            LabEngineRecord(
                engine=number,
                label=engine.variant.label,
                variant_id=engine.variant.identity,
                baseline=engine.baseline,
                parameter=engine.parameter,
                value=engine.value,
            )
            for number, engine in enumerate(self.engines)
        ]

    @classmethod
    def recalled(
        cls,
        run: LabRunRecord,
        engines: Sequence[LabEngineRecord],
        variants: Sequence[VariantRecord],
        positions: Sequence[LabPositionRecord],
    ) -> LabPlan:
        """The plan of a stored run; ``variants`` are those of the engines, in order. Raises
        EngineProblem for one that this program does not know any more, and DatabaseProblem."""
        kept = stored_settings(run)
        return cls(
            kind=run.kind,
            suite=kept.suite,
            suite_id=kept.suite_id,
            engines=tuple(map(_recalled, engines, variants)),
            positions=tuple(positions),
            depths=kept.depths,
            mode=kept.mode,
            cores=kept.processor_cores,
        )


class StoredSettings(Struct, frozen=True):
    """What :meth:`LabPlan.settings` stores."""

    suite: str
    suite_id: str
    depths: tuple[int, ...]
    mode: Mode = "exact"
    processor_cores: int | None = None


def stored_settings(run: LabRunRecord) -> StoredSettings:
    """The settings of a stored run. Raises DatabaseProblem if they are damaged."""
    return stored(StoredSettings, run.settings, f"settings of laboratory run {run.name}")


def compare_plan(
    engines: Sequence[Variant],
    suite: Suite,
    depths: Sequence[int],
    baseline: Variant | None = None,
    *,
    mode: Mode = "exact",
) -> LabPlan:
    """All engines against one baseline: by default PVS with an open window, with PVS with
    aspiration as a further engine. Raises UsageError."""
    if not engines:
        raise UsageError("there is no engine to compare: give --engine")
    first = baseline or open_window(engines[0])
    added = [first] if baseline is not None else [first, like("pvs", {}, first)]
    chosen: dict[str, Variant] = {}
    for variant in engines:
        if variant.identity in chosen:
            raise UsageError(f"engine {variant.label} is given twice")
        chosen[variant.identity] = variant
    every = [one for one in added if one.identity not in chosen] + list(chosen.values())
    if len(every) == 1:
        raise UsageError(
            f"there is nothing to compare: {first.label} is the baseline itself; give another "
            "--engine or --baseline"
        )
    check_one_tree(every)
    place = next(k for k, one in enumerate(every) if one.identity == first.identity)
    check_baseline(first)
    _check_labels(every)
    plan = plan_of("compare", [LabEngine(one, place) for one in every], suite, depths)
    return replace(plan, mode=mode)


def sweep_plan(
    engines: Sequence[Variant],
    parameter: str,
    values: Sequence[str],
    suite: Suite,
    depths: Sequence[int],
    baseline: Variant | None = None,
    *,
    vary_baseline: bool = False,
    vary: Vary | None = None,
) -> LabPlan:
    """Engines with each value of a parameter, or with first guesses at each distance
    (:data:`SHIFT`) from the value. ``vary_baseline``: each value has a baseline with the same value
    of the parameter, as those of parameters of the tree always have. ``vary`` makes and names an
    engine with another value. Raises UsageError, VariantError."""
    if not engines:
        raise UsageError("there is no engine to vary: give --engine")
    if parameter == SHIFT:
        if vary_baseline:
            raise UsageError(
                "--vary-baseline goes with --param: no baseline is given first guesses"
            )
        return _shift_plan(engines, values, suite, depths, baseline)
    if parameter == "entries" and len(values) > 1 and "0" in values:
        raise UsageError(
            "entries=0 means a table of `hash` MB, not a size: leave it out of the values"
        )
    found: list[LabEngine] = []
    places: dict[str, int] = {}
    first, changed = baseline or open_window(engines[0]), vary or _with
    for text in values:
        base = changed(first, parameter, text) if parameter in TREE or vary_baseline else first
        check_baseline(base)
        if base.identity not in places:
            places[base.identity] = len(found)
            found.append(LabEngine(base, len(found)))
        for engine in engines:
            variant = changed(engine, parameter, text)
            check_one_tree([base, variant])
            value = format_value(variant.parameters[parameter])
            found.append(LabEngine(variant, places[base.identity], parameter, value))
    if all(one.variant.identity == found[one.baseline].variant.identity for one in found):
        raise UsageError(
            "there is nothing to compare: at every value the engine is identical to its baseline"
        )
    check_swept(found)
    return plan_of("sweep", found, suite, depths)


def open_window(variant: Variant) -> Variant:
    """PVS with an open window, that searches the trees of ``variant`` with a table like its own."""
    return like("pvs", {"window": 0}, variant)


def titles_of(engines: Sequence[tuple[str, str | None, str | None]]) -> list[str]:
    """The names of a run's engines in tables, from label, parameter and value: ``grain=10`` for a
    sweep, or the whole name if several engines are varied."""
    swept = Counter(one[1:] for one in set(engines) if one[1] is not None)
    return [
        listed_name(label, parameter, value)
        if parameter is None or swept[parameter, value] > 1
        else f"{parameter}={value}"
        for label, parameter, value in engines
    ]


def listed_name(label: str, parameter: str | None, value: str | None) -> str:
    """What lists of all engines of a run call one: those that are given first guesses have the same
    label."""
    return f"{label} {SHIFT}={value}" if parameter == SHIFT else label


def common_name(labels: Sequence[str], parameter: str) -> str:
    """The name of an engine for all values of the parameter: the longest one, because a value may
    make other parameters inactive."""
    return max((_without(label, parameter) for label in labels), key=len)


def _without(label: str, parameter: str) -> str:
    driver, colon, rest = label.partition(":")
    kept = [one for one in rest.split(",") if not one.startswith(f"{parameter}=")]
    return f"{driver}{colon if rest and kept else ''}{','.join(kept)}"


def parse_depths(text: str) -> tuple[int, ...]:
    """Depths: ``6``, ``4..8``, ``4,6,8``. Raises UsageError."""
    depths = [int(value) for value in parse_list("--depth", text, numbers=True)]
    if not all(1 <= depth <= MAX_DEPTH for depth in depths):
        raise UsageError(f"--depth `{text}`: depths are from 1 to {MAX_DEPTH}")
    return tuple(sorted(set(depths)))


def parse_list(name: str, text: str, *, numbers: bool = False) -> list[str]:
    """Values between commas; ``1..9`` means all whole numbers in between, ``-40..40/5`` every fifth
    of them; unless they are ``numbers``, ``2^10..2^20`` means all powers of two in between, and
    ``2^10..2^20/2`` every second one. Raises UsageError."""
    found: list[str] = []
    for item in (part.strip() for part in text.split(",")):
        powers = None if numbers else _POWERS.fullmatch(item)
        match = powers or _ITEM.fullmatch(item)
        if match:
            low, high, step = int(match[1]), int(match[2]), int(match[3] or 1)
            if problem := _range_problem(low, high, step):
                raise UsageError(f"{name} `{text}`: in `{item}` {problem}")
            found += [str(2**one if powers else one) for one in range(low, high + 1, step)]
        elif not item or (numbers and not re.fullmatch(r"[+-]?\d{1,6}", item)):
            raise UsageError(
                f"{name} `{text}`: expected values such as 1,5,10 or 4..8 or -40..40/5"
            )
        else:
            found.append(item)
    return found


def _range_problem(low: int, high: int, step: int) -> str | None:
    """Why this is no range; None: it is one."""
    if low > high:
        return f"{low} is greater than {high}"
    if step < 1:
        return "the step is 0: it must be 1 or more"
    if (many := (high - low) // step + 1) > _MOST_VALUES:
        return f"there are {many} values: at most {_MOST_VALUES} are allowed"
    return None


def _shift_plan(
    engines: Sequence[Variant],
    values: Sequence[str],
    suite: Suite,
    depths: Sequence[int],
    baseline: Variant | None,
) -> LabPlan:
    for engine in engines:
        if "guess" not in DRIVERS[engine.driver].parameters:
            raise UsageError(f"engine {engine.label} has no first guess to shift")
    if len(depths) > 1:
        raise UsageError("a first guess is shifted from the value at one depth: give one --depth")
    base = baseline or open_window(engines[0])
    check_baseline(base)
    check_one_tree([base, *engines])
    shifts = [str(int(value)) for value in parse_list(SHIFT, ",".join(values), numbers=True)]
    for shift in shifts:
        check_whole("--first-guess-offset", int(shift), -MATE, MATE)
    found = [LabEngine(base, 0)]
    found += [LabEngine(engine, 0, SHIFT, shift) for shift in shifts for engine in engines]
    check_swept(found)
    return plan_of("sweep", found, suite, depths)


def clash_of(engines: Sequence[LabEngine]) -> tuple[LabEngine, bool] | None:
    """The first engine of a run that cannot be distinguished from another one, and whether both are
    the same at the same value; otherwise they only share a name. A baseline may also be one of the
    engines that a sweep varies."""
    identities: dict[str, str] = {}
    known: set[tuple[str, str | None]] = set()
    for one in engines:
        identity = one.variant.identity
        if (identity, one.value) in known:
            return one, True
        name = listed_name(one.variant.label, one.parameter, one.value)
        if identities.setdefault(name, identity) != identity:
            return one, False
        known.add((identity, one.value))
    return None


def check_swept(engines: Sequence[LabEngine]) -> None:
    """Check that every engine of a sweep occurs once at each value, and that names are unique."""
    clash = clash_of(engines)
    if clash is None:
        return
    one, is_same = clash
    if is_same:
        raise UsageError(
            f"engine `{one.variant.label}`: {one.parameter}={one.value} is given twice, or makes "
            "two engines the same"
        )
    name = listed_name(one.variant.label, one.parameter, one.value)
    raise UsageError(f"two engines are called {name}: give them names with name=")


def plan_of(
    kind: LabKind, engines: Sequence[LabEngine], suite: Suite, depths: Sequence[int]
) -> LabPlan:
    """A plan of engines that have their baselines. Raises UsageError for depths that one leaves
    out, and for engines of different games, VariantError for one that this backend cannot play."""
    for one in engines:
        check_backend(one.variant)
        _check_depths(one.variant, depths)
    if len({one.variant.game for one in engines}) > 1:
        raise UsageError("all engines of a run play one game, that of its positions: --game")
    return LabPlan(
        kind, suite.name, suite.identity, tuple(engines), position_records(suite), tuple(depths)
    )


def position_records(suite: Suite) -> tuple[LabPositionRecord, ...]:
    """The positions of a suite as a plan has them."""
    return tuple(
        LabPositionRecord(number, label_of(one), one.fen)
        for number, one in enumerate(suite.positions)
    )


def searched_depths(variant: Variant, depth: int) -> list[int]:
    """The depths of the iterations of a search to ``depth``: all, unless the engine goes by larger
    steps."""
    step = int(variant.parameters.get("depth_step", 1))
    return [one for one in range(1, depth + 1) if one == 1 or (depth - one) % step == 0]


def _check_depths(variant: Variant, depths: Sequence[int]) -> None:
    """Raise UsageError for a depth that the variant leaves out of its search to the last one."""
    left_out = sorted(set(depths) - set(searched_depths(variant, max(depths))))
    if left_out:
        raise UsageError(
            f"engine {variant.label} has no iteration of depth {left_out[-1]} on its way to depth "
            f"{max(depths)} (depth_step): give only depths that it searches"
        )


def like(driver: str, own: dict[str, Any], other: Variant) -> Variant:
    """A variant of a driver with the tree, and the table, of another one."""
    known = {name: other.parameters[name] for name in TREE}
    for name in _TABLE_SIZE:
        default = PARAMETERS[name].default_in(other.parameters["game"])
        if other.parameters.get(name, default) != default:
            known[name] = other.parameters[name]
    return make_variant(driver, known | own)


def _with(variant: Variant, name: str, text: str) -> Variant:
    """The variant with another value of one parameter; it keeps a given name."""
    value = parse_value(DRIVERS[variant.driver], name, text)
    changed = variant_of(variant, {name: value})
    if not is_named(variant):
        return changed
    return structs.replace(
        changed, label=label_with(variant, {name: value}, f"{name}={format_value(value)}")
    )


def judge_of(baseline: Variant) -> Variant:
    """What finds the values of moves: the baseline, or PVS where it proves no value itself."""
    return open_window(baseline) if proves_move(baseline) else baseline


def check_baseline(variant: Variant) -> None:
    """Raise UsageError for an engine that others cannot be judged by."""
    if proves_move(variant):
        raise UsageError(
            f"baseline {variant.label} proves a move, not a value, so it cannot judge others"
        )


def _check_labels(variants: Sequence[Variant]) -> None:
    labels = [variant.label for variant in variants]
    for label in labels:
        if labels.count(label) > 1:
            raise UsageError(f"two engines are called {label}: give them names with name=")


def _recalled(record: LabEngineRecord, stored: VariantRecord) -> LabEngine:
    variant = stored_variant(
        stored.driver, stored.parameters, label=record.label, identity=stored.id
    )
    return LabEngine(variant, record.baseline, record.parameter, record.value)


def rebased(plan: LabPlan, name: str) -> LabPlan:
    """The plan with the engine of that name, as in lists or in tables of the run, or spelled in
    another way, as the baseline of all. Raises UsageError for a name that none or two have, for an
    engine that proves no value, and where engines search different trees."""
    if plan.kind == "parallel":
        raise UsageError("--baseline: this run compares each engine with itself on one thread")
    named = list(zip(plan.names, plan.titles, strict=True))
    places = [place for place, names in enumerate(named) if name in names] or _meant(plan, name)
    if len(places) != 1:
        known = ", ".join(plan.titles)
        problem = "names several engines" if places else "is not an engine of the run"
        raise UsageError(f"--baseline `{name}` {problem}: {known}")
    check_baseline(plan.engines[places[0]].variant)
    check_one_tree([engine.variant for engine in plan.engines])
    engines = tuple(replace(engine, baseline=places[0]) for engine in plan.engines)
    return replace(plan, engines=engines, is_rebased=True)


def _meant(plan: LabPlan, text: str) -> list[int]:
    """The places of the engine that a text on a command line is, in the game of the run."""
    try:
        identity = parse_variant(with_game(text, plan.engines[0].variant.game)).identity
    except VariantError:
        return []
    return [place for place, one in enumerate(plan.engines) if one.variant.identity == identity]
