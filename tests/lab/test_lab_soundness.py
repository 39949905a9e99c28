"""Stored runs that make no sense to who knows engines; those of every kind that do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from db.lab import LabRunRecord, LabSearchRecord
from db.records import VariantRecord
from engines.registry import DRIVERS
from engines.variant import parse_variant
from toolkit.lab.plan import SHIFT, LabEngine, LabPlan, compare_plan, sweep_plan
from toolkit.lab.soundness import plan_problem, searches_problem, variants_problem
from toolkit.lab.suite import Suite
from toolkit.play.event import variant_record
from toolkit.play.openings import Opening
from toolkit.play.settings import PlayerSettings

_FEN = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
_SUITE = Suite("one", (Opening(1, _FEN, b"", _FEN, "pawn"),))


def variants_of(plan: LabPlan) -> list[VariantRecord]:
    """The variants of its engines as the database keeps them."""
    return [variant_record(PlayerSettings.of(one.variant)) for one in plan.engines]


def recalled(plan: LabPlan) -> LabPlan:
    """The plan as it comes back from the database."""
    record = LabRunRecord(
        *(1, "run", plan.kind, "done", plan.settings(), "", None, None, "", "", "", "")
    )
    return LabPlan.recalled(record, plan.engine_records(), variants_of(plan), plan.positions)


def compared(*engines: str) -> LabPlan:
    """A comparison with an open window."""
    return compare_plan([parse_variant(one) for one in engines], _SUITE, (2, 3))


def swept(parameter: str, values: str, *engines: str, vary: bool = False) -> LabPlan:
    """A sweep over values between blanks."""
    variants = [parse_variant(one) for one in engines]
    return sweep_plan(variants, parameter, values.split(), _SUITE, (3,), vary_baseline=vary)


@pytest.mark.parametrize(
    "plan",
    [
        lambda: compared(*DRIVERS),
        lambda: compared("mtdf:name=a", "mtdf:guess=zero,name=b"),
        lambda: swept("grain", "1 10", *DRIVERS),
        lambda: swept("quiescence", "on off", "mtdf", "mtd-best"),
        lambda: swept("entries", "1024 2^14", "mtdf", "pvs", vary=True),
        lambda: swept("entries", "0", "mtdf:entries=2^10"),
        lambda: swept("hash", "1 2", "mtdf"),
        lambda: swept("etc", "0 2", "mtdf:name=own", "bns"),
        lambda: swept("weight", "0.25 0.5", "mtdf:guess=blend"),
        # The engine at 0 is its baseline once more.
        lambda: swept("window", "0 10", "pvs"),
        lambda: swept(SHIFT, "-4 0 4", "mtdf", "mtd-best", "mtdf:guess=zero,name=zero"),
    ],
)
def test_what_begins_a_run_is_sound(plan: Callable[[], LabPlan]) -> None:
    made = plan()
    stored = recalled(made)
    assert plan_problem(made) is None and plan_problem(stored) is None
    assert variants_problem(variants_of(stored)) is None


def with_engine(plan: LabPlan, place: int, engine: LabEngine) -> LabPlan:
    """The plan with another engine there."""
    engines = (*plan.engines[:place], engine, *plan.engines[place + 1 :])
    return replace(plan, engines=engines)


def test_a_value_is_that_of_its_engine() -> None:
    plan = swept("grain", "1 10", "mtdf")
    place = next(n for n, one in enumerate(plan.engines) if one.value == "10")
    engine = plan.engines[place]
    for parameter, value in (("grain", "1"), ("grain", "ten"), ("colour", "10"), ("window", "10")):
        other = with_engine(plan, place, replace(engine, parameter=parameter, value=value))
        assert f"has not the value {parameter}={value}" in str(plan_problem(other))


def test_only_a_driver_that_guesses_has_shifted_guesses() -> None:
    plan = swept(SHIFT, "4", "mtdf")
    other = replace(plan.engines[1], variant=parse_variant("sss"))
    assert "sss uses no first guess" in str(plan_problem(with_engine(plan, 1, other)))
    assert "shifted at one depth" in str(plan_problem(replace(plan, depths=(2, 3))))


def test_no_two_engines_have_one_name() -> None:
    plan = compared("mtdf", "mtdf:guess=zero")
    engine = plan.engines[-1]
    twin = with_engine(plan, 3, replace(engine, variant=replace(engine.variant, label="mtdf")))
    assert "two engines of it are mtdf" in str(plan_problem(twin))


def test_a_variant_is_what_its_identity_says() -> None:
    for stored in variants_of(compared("mtdf:grain=4", "bns:grain=4")):
        assert variants_problem([stored]) is None
        for other in (
            replace(stored, parameters={}),
            replace(stored, parameters={**stored.parameters, "grain": 77}),
            replace(stored, driver="sss"),
        ):
            assert "is not what its identity" in str(variants_problem([other]))


@pytest.mark.parametrize(("driver", "said"), [("mtdf", "proves no move"), ("bns", "misses")])
def test_who_proves_a_move_has_its_value_and_nobody_else(driver: str, said: str) -> None:
    """Given at the second of two depths by one search and not by the other."""
    plan = compared(driver)

    def search(*values: int | None) -> LabSearchRecord:
        data = [
            [depth, 20, "e2e4", 7, 1, 20, 4, 2, 0, 0, 90, value, [[6, 7, 20, 25]]]
            for depth, value in enumerate(values, 1)
        ]
        return LabSearchRecord(2, 0, 2, 20, "e2e4", 2, 40, 8, 2, 180, data)

    right = (None, None) if driver == "mtdf" else (20, 20)
    wrong = (right[0], 20 if driver == "mtdf" else None)
    assert searches_problem(plan, [search(*right)]) is None
    problem = str(searches_problem(plan, [search(*right), search(*wrong)]))
    assert problem.startswith(f"{driver} on position 1: ")
    assert said in problem and "depth 2" in problem
