"""An engine with other values: of a variant's parameters, or of an external one's options."""

from __future__ import annotations

from collections.abc import Mapping

from engines.spec import Engine, UciEngine, Value
from engines.variant import variant_of


def altered(base: Engine, values: Mapping[str, Value], label: str | None = None) -> Engine:
    """The base with some values changed. Raises VariantError for a variant that does not have such
    a parameter; options of an external engine are not checked here."""
    if not isinstance(base, UciEngine):
        return variant_of(base, values, label)
    spelled = {name: spell_option(value) for name, value in values.items()}
    return base.with_options(spelled, label or base.label)


def spell_option(value: Value) -> str:
    """A value as UCI writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
