"""What of a stored run only who knows engines and positions can find damaged; all else is told by
:mod:`db.lab_soundness`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from db.lab import LabSearchRecord
from db.records import VariantRecord
from engines.errors import PositionError, VariantError
from engines.reference.chess_game import read_board
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import MATE, Variant
from engines.variant import is_meaningful, parse_value
from toolkit.lab.agreement import proves_move, tree_of
from toolkit.lab.plan import SHIFT, LabEngine, LabPlan, clash_of, listed_name
from toolkit.lab.summary import iterations_of


def variants_problem(variants: Sequence[VariantRecord]) -> str | None:
    """Which stored variant is not the one of its identity; None: each is. Whether this program
    knows it is another question."""
    for stored in variants:
        named = Variant(stored.driver, {}, dict(stored.parameters), stored.spelling, "")
        if named.identity != stored.id:
            return f"variant {stored.spelling} is not what its identity {stored.id} says"
    return None


def plan_problem(plan: LabPlan) -> str | None:
    """What of a plan no run begins with, and the database knows nothing of; None: nothing."""
    if plan.last_only and len(plan.depths) > 1:
        return "first guesses are shifted at one depth, and it has several"
    for engine in plan.engines:
        problem = _engine_problem(engine, plan.engines[engine.baseline].variant)
        if problem is not None:
            return problem
    for position in plan.positions:
        try:
            read_board(position.fen)
        except PositionError as error:
            return f"position {position.label}: {error}"
    return _names_problem(plan)


def searches_problem(plan: LabPlan, searches: Sequence[LabSearchRecord]) -> str | None:
    """What of searches, which the database found sound, is not what their engines find; None:
    nothing."""
    proves = [proves_move(engine.variant) for engine in plan.engines]
    for search in searches:
        for one in iterations_of(search):
            if (one.move_value is not None) == proves[search.engine]:
                continue
            said = "misses" if proves[search.engine] else "has, and proves no move,"
            return (
                f"{plan.names[search.engine]} on position {search.position + 1}: it {said} the "
                f"value of the move at depth {one.depth}"
            )
    return None


def _engine_problem(engine: LabEngine, base: Variant) -> str | None:
    variant = engine.variant
    if proves_move(base):
        return f"its baseline {base.label} proves no value"
    if tree_of(variant) != tree_of(base):
        return f"{variant.label} and its baseline search different trees"
    if engine.parameter == SHIFT:
        return _shift_problem(engine)
    if engine.parameter is not None and not _has_value(variant, engine.parameter, engine.value):
        return f"{variant.label} has not the value {engine.parameter}={engine.value} of the sweep"
    return None


def _shift_problem(engine: LabEngine) -> str | None:
    if "guess" not in DRIVERS[engine.variant.driver].parameters:
        return f"{engine.variant.label} uses no first guess that could be shifted"
    if not re.fullmatch(r"-?\d{1,5}", engine.value or "") or abs(engine.shift or 0) > MATE:
        return f"`{engine.value}` is no distance of a first guess"
    return None


def _has_value(variant: Variant, name: str, text: str | None) -> bool:
    """Whether the variant has this value of the parameter; of one that means nothing beside the
    others, its identity does not tell."""
    if name not in variant.parameters or text is None:
        return False
    try:
        value = parse_value(DRIVERS[variant.driver], name, text)
    except VariantError:
        return False
    if not is_meaningful(PARAMETERS[name], variant.parameters):
        return True
    return value == variant.parameters[name]


def _names_problem(plan: LabPlan) -> str | None:
    clash = clash_of(plan.engines)
    if clash is None:
        return None
    one, _ = clash
    return f"two engines of it are {listed_name(one.variant.label, one.parameter, one.value)}"
