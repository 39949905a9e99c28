"""The registry is complete, consistent, and known to the core by the same names."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engines.errors import VariantError
from engines.native import NativeSearcher
from engines.reference.drivers import ITERATE, TREES
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import Variant
from engines.variant import parse_value, parse_variant


@pytest.mark.native
def test_the_core_has_the_same_parameters(core: Any) -> None:
    """Of each driver: names, kinds, ranges and choices."""

    def facts(name: str) -> dict[str, Any]:
        param = PARAMETERS[name]
        fields: dict[str, Any] = {"kind": param.kind}
        if param.low is not None:
            fields |= {"low": param.low, "high": param.high}
        if param.choices:
            fields["choices"] = param.choices
        return fields

    ours = {
        name: {param: facts(param) for param in spec.parameters} for name, spec in DRIVERS.items()
    }
    assert core.parameters() == ours


@pytest.mark.native
@pytest.mark.parametrize("driver", DRIVERS)
def test_the_core_has_no_defaults(core: Any, driver: str) -> None:
    complete = parse_variant(driver)
    for name in complete.parameters:
        less = {key: value for key, value in complete.parameters.items() if key != name}
        with pytest.raises(VariantError, match=name):
            NativeSearcher(core, Variant(driver, less, {}, driver, driver))
    more = {**complete.parameters, "speed": 3}
    with pytest.raises(VariantError, match="speed"):
        NativeSearcher(core, Variant(driver, more, {}, driver, driver))


@pytest.mark.native
def test_the_core_takes_the_ends_of_every_range(core: Any) -> None:
    for spec in DRIVERS.values():
        complete = dict(parse_variant(spec.name).parameters)
        if "hash" in complete:
            complete["hash"] = 1
        for name in spec.parameters:
            param = PARAMETERS[name]
            ends = [param.low, param.high, *param.choices]
            if param.kind == "flag":
                ends = [True, False]
            if name in ("hash", "entries"):
                ends = [0, 1]  # the largest tables need more memory than a test should take
            for end in filter(lambda end: end is not None, ends):
                NativeSearcher(core, Variant(spec.name, complete | {name: end}, {}, "", ""))


@pytest.mark.native
def test_the_core_refuses_what_is_out_of_range(core: Any) -> None:
    complete = dict(parse_variant("mtdf").parameters)
    for name, value in (
        ("grain", 0),
        ("grain", 201),
        ("guess", "best"),
        ("weight", 1.5),
        ("entries", 1000),
        ("eval", "nnue"),
        ("quiescence", "on"),
        ("hash", -1),
        ("convergence", "fast"),
        ("side", "left"),
        ("step", 0),
        ("max_passes", -1),
        ("rate", 101),
        ("bounds", "three"),
        ("replacement", "never"),
        ("iid", 1),
    ):
        with pytest.raises(VariantError, match=name):
            NativeSearcher(core, Variant("mtdf", complete | {name: value}, {}, "", ""))
    with pytest.raises(VariantError, match="scout"):
        NativeSearcher(core, Variant("scout", complete, {}, "", ""))


def test_the_reference_has_every_driver() -> None:
    assert TREES.keys() == ITERATE.keys() == DRIVERS.keys()


def test_every_parameter_belongs_to_a_driver() -> None:
    used = {name for spec in DRIVERS.values() for name in spec.parameters}
    assert used == set(PARAMETERS)
    assert all(name == param.name for name, param in PARAMETERS.items())
    assert all(name == spec.name for name, spec in DRIVERS.items())


@pytest.mark.parametrize("name", PARAMETERS)
def test_every_parameter_is_documented_and_consistent(name: str) -> None:
    param = PARAMETERS[name]
    assert len(param.doc) > 5
    assert not param.doc.endswith(".")
    owner = next(spec for spec in DRIVERS.values() if name in spec.parameters)
    assert parse_value(owner, name, param.default) == param.default
    assert bool(param.choices) == (param.kind == "choice")
    if param.kind in ("int", "float"):
        assert param.low is not None
        assert param.high is not None
        assert param.low <= param.high
    if param.needs is not None:
        key, values = param.needs
        assert key in owner.parameters
        assert all(parse_value(owner, key, value) == value for value in values)
    if param.excludes is not None:
        assert PARAMETERS[param.excludes].excludes == name


@pytest.mark.parametrize("name", PARAMETERS)
def test_what_switches_off_is_declared(name: str) -> None:
    """Its type counts, too: 0 and off are equal in Python, and other identities here."""
    param = PARAMETERS[name]
    owner = next(spec for spec in DRIVERS.values() if name in spec.parameters)
    if param.off is not None:
        parsed = parse_value(owner, name, param.off)
        assert (parsed, type(parsed)) == (param.off, type(param.off))
    if param.kind == "flag":
        assert param.off is False
    if param.tunable and "0 = " in param.doc:
        assert param.off == 0, "the documentation says that 0 switches it off"


@pytest.mark.parametrize("driver", DRIVERS)
def test_every_driver_names_its_source(driver: str) -> None:
    spec = DRIVERS[driver]
    assert re.search(r"\b(19[5-9]|20[0-2])\d\b", spec.source)
    assert len(set(spec.parameters)) == len(spec.parameters)
    # SSS* and its relatives start where they do by definition.
    fixed_start = driver in ("sss", "dual", "mtd-bi", "mtd-step")
    assert ("guess" in spec.parameters) == (spec.windows != "open" and not fixed_start)
