"""The registry is complete and consistent, and the core has the same names and ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from engines.errors import VariantError
from engines.native import NativeSearcher
from engines.reference.drivers.catalog import ITERATE, TREES
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import Variant
from engines.variant import parse_value, parse_variant


@pytest.mark.native
def test_core_has_the_same_parameters(core: Any) -> None:
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
@pytest.mark.parametrize("driver", ["mtdf", "minimax"])
def test_missing_parameter_is_named_as_a_variant_error(core: Any, driver: str) -> None:
    """That the core demands each parameter of each driver is tested in ``test_core_searcher``."""
    complete = dict(parse_variant(driver).parameters)
    with pytest.raises(VariantError, match="grain"):
        less = {key: value for key, value in complete.items() if key != "grain"}
        NativeSearcher(core, Variant(driver, less, {}, driver, driver))
    with pytest.raises(VariantError, match="speed"):
        NativeSearcher(core, Variant(driver, {**complete, "speed": 3}, {}, driver, driver))


@pytest.mark.native
def test_core_accepts_both_ends_of_every_range(core: Any) -> None:
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
def test_core_refuses_values_out_of_range(core: Any) -> None:
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


def test_reference_has_every_driver() -> None:
    assert TREES.keys() == ITERATE.keys() == DRIVERS.keys()


def test_every_parameter_belongs_to_a_driver() -> None:
    used = {name for spec in DRIVERS.values() for name in spec.parameters}
    assert used == set(PARAMETERS)
    assert all(name == param.name for name, param in PARAMETERS.items())
    assert all(name == spec.name for name, spec in DRIVERS.items())


def problems_of(name: str) -> Iterator[str]:
    """What is wrong with a parameter of the registry."""
    param = PARAMETERS[name]
    owner = next(spec for spec in DRIVERS.values() if name in spec.parameters)
    if len(param.doc) <= 5 or param.doc.endswith("."):
        yield "documentation"
    if parse_value(owner, name, param.default) != param.default:
        yield "default"
    if bool(param.choices) != (param.kind == "choice"):
        yield "choices"
    if param.kind in ("int", "float"):
        if param.low is None or param.high is None or param.low > param.high:
            yield "range"
    if param.needs is not None:
        key, values = param.needs
        if key not in owner.parameters:
            yield "needs"
        if any(parse_value(owner, key, value) != value for value in values):
            yield "values of what it needs"
    if param.excludes is not None and PARAMETERS[param.excludes].excludes != name:
        yield "excludes"
    if param.off is not None:
        # Its type counts as well: 0 and off are equal in Python, and have other identities here.
        parsed = parse_value(owner, name, param.off)
        if (parsed, type(parsed)) != (param.off, type(param.off)):
            yield "off"
    if param.kind == "flag" and param.off is not False:
        yield "off of a flag"
    if param.tunable and "0 = " in param.doc and param.off != 0:
        yield "the documentation says that 0 switches it off"


def test_every_parameter_is_documented_and_consistent() -> None:
    problems = [f"{name}: {text}" for name in PARAMETERS for text in problems_of(name)]
    assert problems == []


def test_every_driver_names_its_source() -> None:
    for name, spec in DRIVERS.items():
        assert re.search(r"\b(19[5-9]|20[0-2])\d\b", spec.source), name
        assert len(set(spec.parameters)) == len(spec.parameters), name
        # SSS* and its relatives start where they do by definition.
        fixed_start = name in ("sss", "dual", "mtd-bi", "mtd-step")
        assert ("guess" in spec.parameters) == (spec.windows != "open" and not fixed_start), name
