"""A stored run beside another of its engines than the baseline that it was searched with.

Ratios are formed from the stored searches alone, so any engine of the run can be what the others
are compared with: one first guess beside another, a small table beside a large one.
"""

from __future__ import annotations

from dataclasses import replace

from toolkit.base.errors import UsageError
from toolkit.lab.agreement import check_one_tree
from toolkit.lab.plan import LabPlan, check_baseline


def rebased(plan: LabPlan, name: str) -> LabPlan:
    """The plan with the engine of that name, as in lists or in tables of the run, as the baseline
    of all. Raises UsageError for a name that none or two have, for an engine that proves no value,
    and where engines search different trees."""
    named = list(zip(plan.names, plan.titles, strict=True))
    places = [place for place, names in enumerate(named) if name in names]
    if len(places) != 1:
        known = ", ".join(plan.titles)
        problem = "names several engines" if places else "is no engine of the run"
        raise UsageError(f"--baseline `{name}` {problem}: {known}")
    check_baseline(plan.engines[places[0]].variant)
    check_one_tree([engine.variant for engine in plan.engines])
    engines = tuple(replace(engine, baseline=places[0]) for engine in plan.engines)
    return replace(plan, engines=engines, is_rebased=True)
