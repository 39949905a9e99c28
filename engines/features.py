"""The features of a variant, and the variant with one of them switched off.

A feature is a parameter for which the registry declares the value that switches it off.
"""

from __future__ import annotations

from engines.errors import VariantError
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import Variant
from engines.variant import (
    changed_parameters,
    describe_needs,
    format_value,
    is_meaningful,
    is_of_game,
    make_variant,
    parameter_of,
)


def features_of(variant: Variant) -> tuple[str, ...]:
    """The features that are on in the variant, in the order of its driver's parameters."""
    return tuple(
        name
        for name in DRIVERS[variant.driver].parameters
        if _is_on(variant, name)
        and is_of_game(PARAMETERS[name], variant.parameters)
        and is_meaningful(PARAMETERS[name], variant.parameters)
    )


def without_feature(variant: Variant, name: str) -> Variant:
    """The variant with one feature off and the rest unchanged, labelled ``name=value``.

    Parameters that have no effect without the feature are dropped. Raises VariantError if the name
    is not a feature of the driver, or if the feature is off in the variant.
    """
    spec = DRIVERS[variant.driver]
    off = parameter_of(spec, name).off
    if off is None:
        known = ", ".join(other for other in spec.parameters if PARAMETERS[other].off is not None)
        raise VariantError(
            f"engine `{spec.name}`: `{name}` has no value that switches it off (features: {known})"
        )
    if not is_of_game(PARAMETERS[name], variant.parameters):
        raise VariantError(
            f"engine `{variant.label}`: `{name}` has an effect only with "
            f"{describe_needs('game', PARAMETERS[name].games)}"
        )
    label = f"{name}={format_value(off)}"
    if not _is_on(variant, name):
        raise VariantError(f"engine `{variant.label}` has {label}, which is already off")
    complete = {**variant.parameters, name: off}
    given = changed_parameters(spec, complete) | {name: off}
    return make_variant(variant.driver, given, label)


def _is_on(variant: Variant, name: str) -> bool:
    off = PARAMETERS[name].off
    return off is not None and variant.parameters[name] != off
