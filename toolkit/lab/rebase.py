"""A stored run relative to another baseline than the one it was searched with.

Ratios are computed from the stored searches only, so any engine of the run can be the baseline: for
example one first guess relative to another, or a small table relative to a large one.
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
        problem = "names several engines" if places else "is not an engine of the run"
        raise UsageError(f"--baseline `{name}` {problem}: {known}")
    check_baseline(plan.engines[places[0]].variant)
    check_one_tree([engine.variant for engine in plan.engines])
    engines = tuple(replace(engine, baseline=places[0]) for engine in plan.engines)
    return replace(plan, engines=engines, is_rebased=True)
