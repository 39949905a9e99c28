"""The space that a study searches: one dimension a tuned parameter.

Spaces of variants come from the registry of parameters, those of external engines from the options
that they announce, and are narrowed by the user; spaces of simulated objectives are declared by the
user alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from msgspec import Struct

from engines.errors import VariantError
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import Param, Value, Variant
from engines.suggestion import did_you_mean
from engines.variant import condition_text, describe_needs, is_of_game, read_value
from toolkit.base.errors import UsageError
from toolkit.tuning.space.declaration import Declaration, literal, number, parse_declaration
from toolkit.tuning.space.dimension import Dimension
from toolkit.tuning.space.point import Point

__all__ = [
    "Dimension",
    "Point",
    "Space",
    "declared_start",
    "start_of",
]


class Space(Struct, frozen=True):
    """The tuned dimensions. A dimension that others depend on comes before them."""

    dimensions: tuple[Dimension, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all dimensions."""
        return tuple(dimension.name for dimension in self.dimensions)

    @property
    def ordered(self) -> tuple[Dimension, ...]:
        """The dimensions of numbers."""
        return tuple(dimension for dimension in self.dimensions if dimension.ordered)

    @property
    def categorical(self) -> tuple[Dimension, ...]:
        """The dimensions of choices."""
        return tuple(dimension for dimension in self.dimensions if not dimension.ordered)

    def active(self, point: Point) -> tuple[Dimension, ...]:
        """The dimensions that mean anything under the point's values, which may be complete."""
        found: dict[str, Dimension] = {}
        for dimension in self.dimensions:
            if dimension.needs is not None:
                needed, wanted = dimension.needs
                if needed not in found or point[needed] not in wanted:
                    continue
            found[dimension.name] = dimension
        return tuple(found.values())

    def restrict(self, values: Mapping[str, Value]) -> Point:
        """The point that complete values give: those that mean anything, in the space's order."""
        return {dimension.name: values[dimension.name] for dimension in self.active(values)}

    def contains(self, point: Point) -> bool:
        """Whether it has a value for each dimension that means anything, all allowed, no others."""
        try:
            active = self.active(point)
        except KeyError:  # one that another needs has no value
            return False
        return {dimension.name for dimension in active} == set(point) and all(
            dimension.contains(point[dimension.name]) for dimension in active
        )

    @classmethod
    def of_registry(cls, base: Variant, texts: Sequence[str]) -> Space:
        """The space of these parameters of the base's driver. Raises UsageError."""
        _refuse_untunable(base, texts)
        declared = _declarations(texts)
        found: dict[str, Dimension] = {}
        for name in _needed_first(declared, {n: _registry_need(n) for n in declared}):
            found[name] = _of_registry(declared[name], base, found)
        return cls(tuple(found.values()))

    @classmethod
    def of_options(cls, option: Callable[[str], Param], texts: Sequence[str]) -> Space:
        """The space of these options of an external engine. ``option`` gives the option of a name,
        under its announced name. Raises UsageError."""
        found: dict[str, Dimension] = {}
        for text in texts:
            declaration = parse_declaration(text, of_option=True)
            try:
                param = option(declaration.name)
            except VariantError as error:
                declaration.refuse(str(error))
            if param.name in found:
                declaration.refuse(f"`{param.name}` is given twice")
            found[param.name] = _of_option(declaration, param)
        _check_some(found)
        return cls(tuple(found.values()))

    @classmethod
    def declared(cls, texts: Sequence[str]) -> Space:
        """The space that the texts alone declare. Raises UsageError."""
        declared = _declarations(texts)
        needs = {name: d.condition and d.condition[0] for name, d in declared.items()}
        found: dict[str, Dimension] = {}
        for name in _needed_first(declared, needs):
            found[name] = _of_declaration(declared[name], found)
        return cls(tuple(found.values()))


def start_of(values: Mapping[str, Value], space: Space) -> dict[str, Value]:
    """Where a search begins, from the values of the base: that of every dimension, meaningful or
    not.

    A value outside a range that leaves it out, such as a margin that is off, becomes the nearest
    end; one that is not among the choices becomes the first choice.
    """
    return {d.name: _nearest_value(d, values[d.name]) for d in space.dimensions}


def declared_start(space: Space, texts: Sequence[str]) -> dict[str, Value]:
    """The base of a simulated objective from ``NAME=VALUE`` texts: the value of every dimension.
    Others get the middle of their range, or their first choice. Raises UsageError."""
    dimensions = {dimension.name: dimension for dimension in space.dimensions}
    given: dict[str, Value] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not value:
            raise UsageError(f"--start {text}: expected NAME=VALUE")
        if name not in dimensions:
            hint = did_you_mean(name, dimensions)
            raise UsageError(f"--start {text}: `{name}` is not tuned{hint}")
        if name in given:
            raise UsageError(f"--start {text}: `{name}` is given twice")
        given[name] = _start_value(dimensions[name], value)
    middle = {d.name: d.from_unit(0.5) if d.ordered else d.choices[0] for d in space.dimensions}
    return {name: given.get(name, middle[name]) for name in space.names}


def _refuse_untunable(base: Variant, texts: Sequence[str]) -> None:
    """Refuse parameters of the base that no tuner may search, however their values are written.
    Raises UsageError."""
    for text in texts:
        name = text.partition("=")[0].strip()
        param = PARAMETERS.get(name)
        if param is None or name not in DRIVERS[base.driver].parameters:
            continue
        if not param.tunable and not param.power_of_two:
            reason = f"`{name}` cannot be tuned: set it in the base, by {name}=VALUE"
            Declaration(" ".join(text.split()), name).refuse(reason)


def _declarations(texts: Sequence[str]) -> dict[str, Declaration]:
    """The declarations by name. Raises UsageError for none, and for a name given twice."""
    declared: dict[str, Declaration] = {}
    for text in texts:
        declaration = parse_declaration(text)
        if declaration.name in declared:
            declaration.refuse(f"`{declaration.name}` is given twice")
        declared[declaration.name] = declaration
    _check_some(declared)
    return declared


def _check_some(declared: Mapping[str, object]) -> None:
    if not declared:
        raise UsageError("nothing to tune: give at least one --param NAME")


def _needed_first(
    declared: Mapping[str, Declaration], needs: Mapping[str, str | None]
) -> list[str]:
    """The names in their order, but a needed one before those that need it. Raises UsageError
    where parameters need each other."""
    order: list[str] = []
    left = list(declared)
    while left:
        ready = [n for n in left if needs[n] not in left]
        if not ready:
            declared[left[0]].refuse("the conditions are circular")
        order.append(ready[0])
        left.remove(ready[0])
    return order


def _registry_need(name: str) -> str | None:
    needs = PARAMETERS[name].needs if name in PARAMETERS else None
    return needs[0] if needs else None


def _of_registry(
    declaration: Declaration, base: Variant, before: Mapping[str, Dimension]
) -> Dimension:
    """The dimension of a parameter of the base's driver, narrowed as declared."""
    param = _tunable(declaration, base)
    return _narrowed(declaration, param, _registry_condition(declaration, param, base, before))


def _of_option(declaration: Declaration, param: Param) -> Dimension:
    """The dimension of an option of an external engine, narrowed as declared."""
    if declaration.condition is not None:
        declaration.refuse("options have no conditions; leave the condition out")
    given = declaration.choices or declaration.low is not None
    if param.kind == "int" and not given and None in (param.low, param.high):
        declaration.refuse(f"the engine announces no range: give one, as in {param.name}=1..5")
    # A combo's values in any case, as everywhere.
    spelled = {choice.casefold(): choice for choice in param.choices}
    choices = tuple(spelled.get(text.casefold(), text) for text in declaration.choices)
    return _narrowed(replace(declaration, choices=choices), param, None)


def _narrowed(
    declaration: Declaration, param: Param, needs: tuple[str, tuple[Value, ...]] | None
) -> Dimension:
    """The dimension of a parameter with the declared part of its values."""
    if declaration.choices or param.kind in ("choice", "flag"):
        return Dimension(
            param.name, "choice", choices=_narrowed_choices(declaration, param), needs=needs
        )
    low, high = _narrowed_range(declaration, param)
    if param.power_of_two:
        return Dimension(param.name, "int", low, high, log=True, needs=needs, power_of_two=True)
    log = param.log and low > 0 or declaration.log
    kind: Literal["int", "float"] = "int" if param.kind == "int" else "float"
    return Dimension(param.name, kind, low, high, log=log, needs=needs)


def _tunable(declaration: Declaration, base: Variant) -> Param:
    """The registry's parameter, which the base's driver has and a tuner may search."""
    name, spec = declaration.name, DRIVERS[base.driver]
    if name not in PARAMETERS:
        hint = did_you_mean(name, spec.parameters) or "; see `mtdf engines parameters`"
        declaration.refuse(f"no parameter `{name}`{hint}")
    if name not in spec.parameters:
        owners = ", ".join(d.name for d in DRIVERS.values() if name in d.parameters)
        declaration.refuse(f"{spec.name} has no `{name}`, only {owners}: choose another --base")
    param = PARAMETERS[name]
    if param.power_of_two:
        if declaration.low is None and not declaration.choices:
            declaration.refuse(f"`{name}` needs a range, as in {name}=2^10..2^20")
    if declaration.condition is not None:
        declaration.refuse(
            "the registry defines when a parameter has an effect; leave the condition out"
        )
    return param


def _registry_condition(
    declaration: Declaration, param: Param, base: Variant, before: Mapping[str, Dimension]
) -> tuple[str, tuple[Value, ...]] | None:
    """The condition on another dimension; None if there is none or the base meets it."""
    if param.needs_table and not (base.parameters["hash"] or base.parameters["entries"]):
        declaration.refuse(f"`{param.name}` has an effect only with {condition_text(param)}")
    if not is_of_game(param, base.parameters):
        declaration.refuse(
            f"`{param.name}` has an effect only with {describe_needs('game', param.games)}"
        )
    if param.needs is None or param.needs[0] not in base.parameters:
        return None
    key, wanted = param.needs
    words = describe_needs(key, wanted)
    if key not in before:
        if base.parameters[key] not in wanted:
            declaration.refuse(
                f"`{param.name}` has an effect only with {words}: set it in the base, or tune "
                f"{key}, too"
            )
        return None
    allowed = tuple(value for value in wanted if before[key].contains(value))
    if not allowed:
        declaration.refuse(
            f"`{param.name}` has an effect only with {words}, which --param {key} excludes"
        )
    return key, allowed


def _narrowed_choices(declaration: Declaration, param: Param) -> tuple[Value, ...]:
    """The choices of a parameter, or those of them that were named."""
    if declaration.low is not None:
        names = "on|off" if param.kind == "flag" else "|".join(param.choices)
        declaration.refuse(f"`{param.name}` has no range; its values are {names}")
    if not declaration.choices:
        return (False, True) if param.kind == "flag" else param.choices
    try:
        values = [read_value(param, choice) for choice in declaration.choices]
    except ValueError as error:
        declaration.refuse(str(error))
    if len(set(values)) < len(values):
        declaration.refuse("a value is given twice")
    return tuple(values)


def _narrowed_range(declaration: Declaration, param: Param) -> tuple[int | float, int | float]:
    """The range of a parameter, or the part of it that was given."""
    if declaration.low is None or declaration.high is None:
        assert param.low is not None and param.high is not None
        return param.low, param.high
    low, high = declaration.low, declaration.high
    if param.kind == "int" and not (isinstance(low, int) and isinstance(high, int)):
        declaration.refuse(f"`{param.name}` takes whole numbers, as in {param.name}=1..5")
    if param.power_of_two and (int(low).bit_count() != 1 or int(high).bit_count() != 1 or low < 1):
        declaration.refuse(f"`{param.name}` takes powers of two, as in {param.name}=2^10..2^20")
    least = low if param.low is None else param.low
    most = high if param.high is None else param.high
    if low < least or high > most:
        declaration.refuse(f"`{param.name}` goes {_extent(param)}")
    return (low, high) if param.kind == "int" else (float(low), float(high))


def _extent(param: Param) -> str:
    """The ends of a parameter's range, in words."""
    ends = (("from", param.low), ("to", param.high))
    return " ".join(f"{word} {end}" for word, end in ends if end is not None)


def _of_declaration(declaration: Declaration, before: Mapping[str, Dimension]) -> Dimension:
    """The dimension of a parameter that no registry knows."""
    needs = _declared_condition(declaration, before)
    name, low, high = declaration.name, declaration.low, declaration.high
    if declaration.choices:
        choices = tuple(literal(choice) for choice in declaration.choices)
        return Dimension(name, "choice", choices=choices, needs=needs)
    if low is None or high is None:
        declaration.refuse(
            f"it is not in the registry: give its values, as in {name}=0..1 or {name}=a|b"
        )
    if isinstance(low, int) and isinstance(high, int):
        return Dimension(name, "int", low, high, log=declaration.log, needs=needs)
    return Dimension(name, "float", float(low), float(high), log=declaration.log, needs=needs)


def _declared_condition(
    declaration: Declaration, before: Mapping[str, Dimension]
) -> tuple[str, tuple[Value, ...]] | None:
    """The condition with its values in their own type."""
    if declaration.condition is None:
        return None
    key, texts = declaration.condition
    if key not in before:
        declaration.refuse(f"`{key}` is not tuned{did_you_mean(key, before)}")
    values = tuple(literal(text) for text in texts)
    for text, value in zip(texts, values, strict=True):
        if before[key].ordered or not before[key].contains(value):
            declaration.refuse(f"`{text}` is not a choice of `{key}`")
    return key, values


def _start_value(dimension: Dimension, text: str) -> Value:
    """One value of ``--start`` in the type of its dimension."""
    parsed: Value | None = number(text) if dimension.ordered else literal(text)
    if dimension.kind == "float" and isinstance(parsed, int):
        parsed = float(parsed)
    if parsed is None or not dimension.contains(parsed):
        raise UsageError(
            f"--start {dimension.name}={text}: the value is outside {dimension.describe()}"
        )
    return parsed


def _nearest_value(dimension: Dimension, value: Value) -> Value:
    """The value itself where it is allowed, or the nearest end, or the first choice."""
    if dimension.contains(value):
        return value
    if not dimension.ordered or isinstance(value, str):
        return dimension.choices[0]
    low, high = dimension.ends
    return min(max(value, low), high)
