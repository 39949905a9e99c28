"""The searches of stored runs, combined for fitting a first guess.

Exact searches of one tree find the same value with every driver, so every engine provides values.
Costs come only from engines that differ in nothing but the first guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from db.errors import DatabaseError
from db.records.laboratory import LabRunRecord, LabSearchRecord
from db.session import Database
from engines.registry import TREE
from engines.spec import Variant
from engines.variant import format_value, variant_of
from toolkit.base.errors import EngineProblem, OperationFailed, UsageError
from toolkit.base.format import format_core
from toolkit.base.ranges import check_whole
from toolkit.books.book import Opening
from toolkit.books.info import position_of
from toolkit.lab.agreement import check_one_tree, proves_move, tree_of
from toolkit.lab.cost import iterations_of
from toolkit.lab.fits.fitting import FIRST_DEPTH
from toolkit.lab.plan import LabEngine, LabPlan, like, searched_depths
from toolkit.lab.run import cores_of, stored_plan
from toolkit.lab.suite import Suite
from toolkit.runs.lifecycle import named_command, resume_command


@dataclass(frozen=True, slots=True)
class StoredSearches:
    """What some runs searched, each position once."""

    runs: tuple[LabRunRecord, ...]
    base: Variant
    """The engine whose guess is to be fitted, with guess=parity."""
    depth: int
    """To which all runs searched."""
    suite: Suite
    """The positions that every engine of their run has searched."""
    values: Mapping[str, tuple[int, ...]]
    """The value at each depth from 1 on, by FEN."""
    searches: Mapping[tuple[str, str], LabSearchRecord]
    """By FEN and identity of the variant; none whose first guess a sweep gave."""
    guessing: tuple[str, ...]
    """Identities of the engines that differ from the base only in the guess."""
    left_out: int
    """Positions that not every engine of their run has searched."""
    notes: tuple[str, ...]
    """What was excluded, with the reason, one line each."""


@dataclass(frozen=True, slots=True)
class _SearchedRun:
    """One of the runs, whole."""

    record: LabRunRecord
    plan: LabPlan
    searches: Mapping[tuple[int, int], LabSearchRecord]

    @classmethod
    def read(cls, db: Database, record: LabRunRecord) -> _SearchedRun:
        plan = stored_plan(db, record)
        found = db.repository.lab_searches(record.id)
        return cls(record, plan, {(one.engine, one.position): one for one in found})

    def searched(self, place: int) -> list[tuple[LabEngine, LabSearchRecord]] | None:
        """The result of every engine for a position; None if one has not searched it yet."""
        numbers = range(len(self.plan.engines))
        if any((number, place) not in self.searches for number in numbers):
            return None
        return [(self.plan.engines[n], self.searches[n, place]) for n in numbers]


@dataclass(slots=True)
class _Gathered:
    """Positions while they are read, run by run."""

    depth: int
    openings: dict[str, Opening] = field(default_factory=dict)
    """By the key that identifies equal positions."""
    values: dict[str, tuple[int, ...]] = field(default_factory=dict)
    searches: dict[tuple[str, str], LabSearchRecord] = field(default_factory=dict)
    unfinished: set[str] = field(default_factory=set)

    def add(self, run: _SearchedRun) -> int:
        """Add the searches of a run and return its number of unfinished positions. Raises
        OperationFailed for values that differ."""
        missing = 0
        for place, position in enumerate(run.plan.positions):
            number = len(self.openings) + 1
            opening = Opening(number, position.fen, b"", position.fen, position.label)
            key = position_of(opening)
            searched = run.searched(place)
            if searched is None:
                missing += 1
                self.unfinished.add(key)
            elif self.openings.setdefault(key, opening).fen == opening.fen:
                # With other clocks it would be another search of the same position.
                self._take(run, position.fen, searched)
        return missing

    def _take(
        self, run: _SearchedRun, fen: str, searched: Iterable[tuple[LabEngine, LabSearchRecord]]
    ) -> None:
        for engine, search in searched:
            if not proves_move(engine.variant):
                values = tuple(one.value for one in iterations_of(search)[: self.depth])
                if self.values.setdefault(fen, values) != values:
                    raise OperationFailed(
                        f"{engine.variant.label} of run {run.record.name} found other values than "
                        f"another engine in {fen}: nothing can be learned from them "
                        f"({named_command('show', run.record.name)})"
                    )
            if engine.shift is None:
                self.searches.setdefault((fen, engine.variant.identity), search)


def _check_depths(runs: Sequence[_SearchedRun], depth: int) -> None:
    """Raise UsageError for an engine that leaves out depths: guesses are made of all values."""
    for run in runs:
        for engine in run.plan.engines:
            if len(searched_depths(engine.variant, depth)) < depth:
                raise UsageError(
                    f"{engine.variant.label} of run {run.record.name} does not search every depth "
                    "(depth_step), so its values make no guess"
                )


def load_searches(
    db: Database, records: Sequence[LabRunRecord], engine: Variant | None = None
) -> StoredSearches:
    """The searches of the runs, for the guess of ``engine``, by default the engine of the runs that
    uses a guess.

    Raises UsageError for runs with different trees or cores, searches that are too shallow, too few
    finished positions, or an ambiguous engine; OperationFailed for values that differ;
    EngineProblem for an engine unknown to this program.
    """
    _check_runs(records)
    runs = [_SearchedRun.read(db, record) for record in records]
    _check_trees(runs)
    depth = min(run.plan.depths[-1] for run in runs)
    if depth < FIRST_DEPTH:
        shallow = next(run for run in runs if run.plan.depths[-1] == depth)
        raise UsageError(
            f"run {shallow.record.name} was searched to depth {depth}: a fit needs depth "
            f"{FIRST_DEPTH} or more"
        )
    _check_depths(runs, depth)
    base = _base(runs, engine)
    gathered = _Gathered(depth)
    missing = {run.record.name: gathered.add(run) for run in runs}
    openings = tuple(gathered.openings.values())
    if len(openings) < 2:
        hint = f" ({resume_command(records[0])})" if any(missing.values()) else ""
        raise UsageError(
            f"{name_runs(records)}: positions searched by every engine: {len(openings)}; a fit "
            f"needs at least two{hint}"
        )
    guessing = [one.variant.identity for one in _engines(runs) if _is_alike(one, base)]
    return StoredSearches(
        runs=tuple(records),
        base=base,
        depth=depth,
        suite=Suite(" + ".join(dict.fromkeys(run.plan.suite for run in runs)), openings),
        values=gathered.values,
        searches=gathered.searches,
        guessing=tuple(dict.fromkeys(guessing)),
        left_out=len(gathered.unfinished - gathered.openings.keys()),
        notes=tuple(_notes(runs, missing, depth)),
    )


def name_runs(records: Sequence[LabRunRecord]) -> str:
    """The runs, as text has them."""
    word = "run" if len(records) == 1 else "runs"
    return f"{word} {', '.join(record.name for record in records)}"


def runs_that_tell_costs(db: Database) -> list[str]:
    """The names of the runs with engines that differ in nothing but their first guess."""
    found = []
    counts = db.repository.count_lab_searches()
    for record in db.repository.lab_runs():
        try:
            plan = stored_plan(db, record)
        except (EngineProblem, DatabaseError):
            continue  # an engine of it is unknown to this program, or it was damaged
        own = [one for one in plan.engines if one.shift is None and _guesses(one.variant)]
        families = {without_guess(one.variant).identity for one in own}
        if counts.get(record.id) and len({one.variant.identity for one in own}) > len(families):
            found.append(record.name)
    return found


def without_guess(variant: Variant) -> Variant:
    """The variant with guess=parity, which is equal for variants that differ only in the guess."""
    return variant_of(variant, {"guess": "parity"})


def check_guesses(variant: Variant) -> None:
    """Raise UsageError for an engine without a first guess of a value."""
    if "guess" not in variant.parameters:
        raise UsageError(f"{variant.label} uses no first guess: there is nothing to fit")
    if proves_move(variant):
        raise UsageError(
            f"{variant.label} proves a move, not a value: fit to searches of an engine that "
            "proves values, and use its coefficients"
        )


def check_depth(depth: int) -> None:
    """Raise UsageError for a depth at which nothing can be fitted."""
    check_whole("--depth", depth, FIRST_DEPTH, 60)


def _guesses(variant: Variant) -> bool:
    return "guess" in variant.parameters and not proves_move(variant)


def _is_alike(engine: LabEngine, base: Variant) -> bool:
    """Whether it differs from the base only in the guess."""
    variant = engine.variant
    if engine.shift is not None or not _guesses(variant):
        return False
    return without_guess(variant).identity == base.identity


def _engines(runs: Iterable[_SearchedRun]) -> Iterator[LabEngine]:
    for run in runs:
        yield from run.plan.engines


def _check_runs(records: Sequence[LabRunRecord]) -> None:
    names = [record.name for record in records]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"run {name} is given twice")
    cores = {core for record in records for core in cores_of(record)}
    if len(cores) > 1:
        searched = ", ".join(
            f"{record.name} by {' and '.join(map(format_core, cores_of(record)))}"
            for record in records
        )
        raise UsageError(f"searched by different cores ({searched}): fit from runs of one core")


def _check_trees(runs: Sequence[_SearchedRun]) -> None:
    """Raise UsageError unless all engines of all runs search the same exact trees."""
    first = runs[0].plan.engines[0].variant
    for run in runs:
        for engine in run.plan.engines:
            if tree_of(engine.variant) != tree_of(first):
                where = "" if run is runs[0] else f" of run {runs[0].record.name}"
                raise UsageError(
                    f"{engine.variant.label} of run {run.record.name} and {first.label}{where} "
                    f"search different trees ({_tree(engine.variant)}; {_tree(first)}): fit from "
                    "runs of one"
                )


def _tree(variant: Variant) -> str:
    return ",".join(f"{name}={format_value(variant.parameters[name])}" for name in TREE)


def _base(runs: Sequence[_SearchedRun], engine: Variant | None) -> Variant:
    """The engine whose guess is fitted: ``engine``, or mtdf on the trees of the runs if they have
    it, or else their only engine with a guess; mtdf if there is none. Raises UsageError."""
    first = runs[0].plan.engines[0].variant
    if engine is not None:
        check_guesses(engine)
        check_one_tree([first, engine])
        return without_guess(engine)
    found = {}
    for one in _engines(runs):
        if _guesses(one.variant):
            bare = without_guess(one.variant)
            found[bare.identity] = bare
    plain = without_guess(like("mtdf", {}, first))
    if not found or plain.identity in found:
        return plain
    if len(found) > 1:
        names = ", ".join(variant.label for variant in found.values())
        raise UsageError(
            f"{name_runs([run.record for run in runs])}: engines differ in more than the guess "
            f"({names}): select one with --engine"
        )
    return next(iter(found.values()))


def _notes(runs: Sequence[_SearchedRun], missing: Mapping[str, int], depth: int) -> Iterator[str]:
    for run in runs:
        name, positions = run.record.name, len(run.plan.positions)
        if missing[name]:
            yield (
                f"run {name} is unfinished: only the {positions - missing[name]} of its "
                f"{positions} positions that every engine has searched are used"
            )
        if any(engine.shift is not None for engine in run.plan.engines):
            yield (
                f"run {name} gave its searches their first guesses: its values are used, but not "
                "its costs"
            )
        if run.plan.depths[-1] > depth:
            yield f"run {name} was searched to depth {run.plan.depths[-1]}: used to depth {depth}"
