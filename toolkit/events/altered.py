"""An engine with other values: of a variant's parameters, or of an external one's options."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from engines.spec import Engine, UciEngine, Value
from engines.variant import variant_of
from toolkit.events.contenders import respelled


def altered(base: Engine, values: Mapping[str, Value], label: str | None = None) -> Engine:
    """The base with some values changed, with its spelling as the label if none is given.

    Raises VariantError for a variant that does not have such a parameter; options of an external
    engine, which are named as it announces them, are not checked here.
    """
    if not isinstance(base, UciEngine):
        return variant_of(base, values, label)
    has = {**dict(base.defaults), **dict(base.options)}
    spelled = {name: _spell_option(value) for name, value in values.items()}
    options = {name: value for name, value in spelled.items() if value != has.get(name)}
    spelling = respelled(base.spelling, options)
    return replace(base.with_options(options, label or spelling), spelling=spelling)


def _spell_option(value: Value) -> str:
    """A value as UCI writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
