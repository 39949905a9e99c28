"""Engines of claims do not depend on the defaults of the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from claims.catalogue import CLAIMS
from claims.running import contests_of, experiments_of
from engines.registry import DRIVERS, PARAMETERS
from engines.variant import format_value, is_meaningful
from toolkit.lab.fixed import FIXED, altered, engine_of, varied

CLAIMED = [*CLAIMS.values()]


def planned() -> Iterator[tuple[str, str]]:
    """Name and identity of every engine of all claims."""
    for experiment in experiments_of(CLAIMED):
        plan = experiment.plan("quick")
        yield from zip(plan.names, (one.variant.identity for one in plan.engines), strict=True)
    for contest in contests_of(CLAIMED):
        yield from ((one.label, one.id) for one in contest.settings("quick").players)


def test_no_default_changes_an_engine(
    other_defaults: Callable[[], AbstractContextManager[None]],
) -> None:
    before = list(planned())
    assert len(before) > 100
    with other_defaults():
        assert list(planned()) == before


def test_engine_is_named_by_its_text() -> None:
    text = "mtdf:convergence=plaat,grain=1,guess=zero"
    engine = engine_of(text)
    assert (engine.label, engine.parameters["guess"]) == (text, "zero")
    assert altered("sss", "hash=0") == "sss:hash=0"
    assert altered(text, "hash=0") == f"{text},hash=0"
    other = varied(engine, "grain", "10")
    assert (other.label, other.parameters["grain"]) == (f"{text},grain=10", 10)


def test_every_parameter_is_fixed() -> None:
    # The size of the table is given in MB; entries are for experiments, which write them out.
    assert PARAMETERS.keys() - FIXED.keys() == {"entries"}


@pytest.mark.parametrize("driver", DRIVERS)
def test_omitted_parameters_are_fixed(driver: str) -> None:
    engine = engine_of(driver)
    values = engine.parameters
    names = [name for name in FIXED if name in values and is_meaningful(PARAMETERS[name], values)]
    assert len(names) > (0 if driver == "minimax" else 20)
    assert {name: format_value(values[name]) for name in names} == {n: FIXED[n] for n in names}
