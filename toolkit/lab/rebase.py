"""A stored run relative to another baseline than the one it was searched with.

Ratios are computed from the stored searches only, so any engine of the run can be the baseline: for
example one first guess relative to another, or a small table relative to a large one.
"""

from __future__ import annotations

from dataclasses import replace

from engines.errors import VariantError
from engines.variant import parse_variant, with_game
from toolkit.base.errors import UsageError
from toolkit.lab.agreement import check_one_tree
from toolkit.lab.plan import LabPlan, check_baseline


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
