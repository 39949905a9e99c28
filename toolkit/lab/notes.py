"""What the figures of a run do not say by themselves: each note is a sentence for people."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from db.records.laboratory import LabSearchRecord
from engines.spec import Variant
from engines.variant import format_value
from toolkit.base.format import count_of
from toolkit.lab.cost import LEAST_POSITIONS, iterations_of
from toolkit.lab.effort import NODE_COUNTS
from toolkit.lab.plan import TABLE_PARAMETERS, LabPlan
from toolkit.lab.summary import LabRow

_MOST_NAMED = 4
"""Engines that a note names one by one."""
_SHORT_MS = 5
"""Milliseconds below which the time of a search says little about threads."""
_MOST_IDLE = 0.1
"""Share of the time of one thread that the system itself may take."""
_MOST_WAITING = 0.25
"""Share of the time of several threads that waiting for each other does not explain."""
_Interval = tuple[float | None, float | None]


def notes_of(plan: LabPlan, searches: Sequence[LabSearchRecord]) -> list[str]:
    """The notes on a run of which these searches are stored."""
    compared = _compared(plan, searches)
    about = [*_table_notes(plan), *_other_tables(plan), *_few_notes(compared)]
    about += [*thread_notes(plan), *_short_notes(plan, searches)]
    if plan.mode == "selective":
        about.append("selective searches: values depend on the engine, so they need not agree")
    if len(searches) < plan.searches:
        return [*about, *_position_notes(plan, compared)]
    if plan.kind == "parallel":
        return about  # small searches are often equal, and no engine is there for nothing
    return [*about, *_equal_notes(plan, searches)]


def table_of(variant: Variant) -> str:
    """The transposition table of a variant in words."""
    known = variant.parameters
    if known.get("entries"):
        return f"{known['entries']} entries"
    return f"{known['hash']} MB" if known.get("hash") else "none"


def depths_in_words(depths: Sequence[int]) -> str:
    """``depth 6``, ``depths 3, 5`` or ``depths 4 to 8``; nothing without depths."""
    if not depths:
        return ""
    if len(depths) == 1:
        return f"depth {depths[0]}"
    whole = len(depths) > 2 and list(depths) == list(range(depths[0], depths[-1] + 1))
    return (
        f"depths {depths[0]} to {depths[-1]}" if whole else f"depths {', '.join(map(str, depths))}"
    )


def _table_notes(plan: LabPlan) -> list[str]:
    """A sweep over table sizes against a baseline with a fixed table mixes two effects."""
    for engine in () if plan.is_rebased else plan.engines:
        base = plan.engines[engine.baseline].variant
        name = engine.parameter or ""
        if name not in TABLE_PARAMETERS or name not in base.parameters:
            continue
        if base.driver == engine.variant.driver:
            continue  # with the same driver, the ratio shows the effect of the table alone
        if base.parameters[name] != engine.variant.parameters[name]:
            kept = f"{name}={format_value(base.parameters[name])}"
            if name in ("hash", "entries"):
                kept = f"a table of {table_of(base)}"
            return [
                f"the baseline has {kept} at every value, so the ratios mix the effects of table "
                "and driver, which a baseline with each value would not"
            ]
    return []


def _other_tables(plan: LabPlan) -> list[str]:
    """Engines whose table differs from their baseline's, except if the table is swept."""
    others = []
    for engine, title in zip(plan.engines, plan.titles, strict=True):
        base = plan.engines[engine.baseline].variant
        has_tables = "hash" in base.parameters and "hash" in engine.variant.parameters
        is_told = engine.parameter in TABLE_PARAMETERS and not plan.is_rebased
        if is_told or not has_tables:
            continue
        if base.driver != engine.variant.driver and table_of(base) != table_of(engine.variant):
            others.append(f"{title} ({table_of(engine.variant)})")
    if not others:
        return []
    many = len(others) > 1
    named = ", ".join(others[:_MOST_NAMED])
    if len(others) > _MOST_NAMED:
        named += f" and {len(others) - _MOST_NAMED} more"
    return [
        f"{named} {'have other tables' if many else 'has another table'} than the "
        f"baseline, so {'their ratios mix' if many else 'its ratio mixes'} the effects of table "
        "and driver"
    ]


def thread_notes(plan: LabPlan) -> list[str]:
    """Engines with several threads, and with more than this machine can run at a time."""
    most = max(engine.variant.threads for engine in plan.engines)
    if most == 1:
        return []
    notes = ["not repeatable: searches with several threads differ from run to run"]
    if plan.cores is not None and most > plan.cores:
        notes.append(
            f"the machine has {count_of(plan.cores, 'core')}: of more threads, speed-up and idle "
            "share are not judged, and nodes are those of threads that take turns"
        )
    return notes


def _short_notes(plan: LabPlan, searches: Sequence[LabSearchRecord]) -> list[str]:
    """Times of a run of kind ``parallel`` that starting threads and the clock decide."""
    if plan.cores is None:
        return []
    times = [
        sum(one.wall_us for one in iterations_of(search)) / 1000
        for search in searches
        if plan.engines[search.engine].variant.threads == 1
    ]
    if not times or (middle := statistics.median(times)) >= _SHORT_MS:
        return []
    return [
        f"the median search with one thread took {middle:.1f} ms: times that short say little, "
        "those of a greater depth say more"
    ]


def _compared(plan: LabPlan, searches: Sequence[LabSearchRecord]) -> list[set[int]]:
    """For each engine except baselines, the positions that it and its baseline have searched."""
    places: dict[int, set[int]] = {number: set() for number in range(len(plan.engines))}
    for one in searches:
        places[one.engine].add(one.position)
    return [
        places[number] & places[engine.baseline]
        for number, engine in enumerate(plan.engines)
        if engine.baseline != number
    ]


def _few_notes(compared: Sequence[set[int]]) -> list[str]:
    if all(not one or len(one) >= LEAST_POSITIONS for one in compared):
        return []
    return [f"intervals need at least {LEAST_POSITIONS} positions"]


def _position_notes(plan: LabPlan, compared: Sequence[set[int]]) -> list[str]:
    """A note on engines of an unfinished run with different sets of positions."""
    if all(one == compared[0] for one in compared):
        return []
    least, most = min(map(len, compared)), max(map(len, compared))
    return [
        f"unfinished: engines have different sets of {least} to {most} of "
        f"{count_of(len(plan.positions), 'position')}; each ratio uses its own set, so ratios of "
        "different engines are comparable only when the run is done"
    ]


def _equal_notes(plan: LabPlan, searches: Sequence[LabSearchRecord]) -> list[str]:
    """Engines that differ, and took the same nodes in every iteration of every search."""
    counts: dict[int, list[object]] = {}
    for one in searches:
        nodes = [[data[name] for name in NODE_COUNTS] for data in one.iterations]
        counts.setdefault(one.engine, []).append((one.position, nodes))
    alike: dict[str, dict[tuple[str, int | None], str]] = {}
    named = plan.titles
    for number, engine in enumerate(plan.engines):
        same = alike.setdefault(repr(counts[number]), {})
        same.setdefault((engine.variant.identity, engine.shift), named[number])
    return [
        f"{', '.join(titles[:-1])} and {titles[-1]} searched the same nodes in every search: "
        "their differences have no effect in exact search, or none here"
        for titles in (list(same.values()) for same in alike.values())
        if len(titles) > 1
    ]


def disturbed(rows: Sequence[LabRow]) -> list[str]:
    """A note where other programs seem to have had the cores. One thread waits for no other, so
    what it was idle was taken from it; if all engines with several threads were idle for long,
    something else is likely to have had a core."""
    alone = [row.idle for row in rows if row.threads == 1 and row.idle is not None]
    several = [row.idle for row in rows if row.threads > 1 and row.idle is not None]
    if max(alone, default=0.0) > _MOST_IDLE:
        found = f"one thread was idle {100 * max(alone):.0f} % of the time"
    elif min(several, default=0.0) > _MOST_WAITING:
        found = f"several threads were idle at least {100 * min(several):.0f} % of the time"
    else:
        return []
    return [
        f"{found}: other programs had the cores, so times and speed-ups say nothing; run it again "
        "on an idle machine"
    ]


def answers_of(rows: Sequence[LabRow]) -> list[str]:
    """Sentences that say, of each engine but the first, whether it gains more by threads than the
    first one and whether it pays more for it. An interval that has 1 in it shows no difference. On
    a machine that was :func:`disturbed` nothing is said of speed-ups."""
    engines: dict[str, list[LabRow]] = {}
    for row in rows:
        if row.against is not None:
            engines.setdefault(row.baseline, []).append(row)
    found = []
    for some in engines.values():
        speedups = [(one.speedup_against_low95, one.speedup_against_high95) for one in some]
        nodes = [(one.nodes_against_low95, one.nodes_against_high95) for one in some]
        if not disturbed(rows):
            found += _answer("speed-up", "gains", some, speedups)
        found += _answer("overhead", "pays", some, nodes)
    return found


def _answer(
    topic: str, verb: str, rows: Sequence[LabRow], intervals: Sequence[_Interval]
) -> list[str]:
    """A sentence on the rows of one engine; none where there are no intervals."""
    cases: dict[str, dict[str, list[str]]] = {}
    for row, (low, high) in zip(rows, intervals, strict=True):
        if low is None or high is None:
            continue
        told = f"no difference between {row.baseline} and {row.against} is shown"
        if low > 1 or high < 1:
            how = "more" if low > 1 else "less"
            told = f"{row.baseline} {verb} {how} than {row.against}"
        ways = cases.setdefault(told, {})
        ways.setdefault(row.parallel or "", []).append(str(row.threads))
    sentences = []
    for told, ways in cases.items():
        where = " and ".join(f"{', '.join(some)} threads by {way}" for way, some in ways.items())
        sentences.append(f"{told} with {where}")
    return [f"{topic}: {'; '.join(sentences)}"] if sentences else []
