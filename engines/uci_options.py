"""The parameters of a driver as UCI options, derived from the registry."""

from __future__ import annotations

from collections.abc import Iterator

from engines.errors import VariantError
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import Param, Value, Variant
from engines.variant import format_value, is_meaningful, make_variant, parse_value

_NAMES = {"hash": "Hash"}
"""Options that user interfaces look for under a fixed name."""


class Options:
    """The values that the options of one driver have now."""

    def __init__(self, variant: Variant) -> None:
        self._spec = DRIVERS[variant.driver]
        self._values: dict[str, Value] = dict(variant.parameters)

    def lines(self) -> Iterator[str]:
        """One ``option`` line a parameter, with the present value as default."""
        for name in self._spec.parameters:
            yield f"option name {_NAMES.get(name, name)} " + _type(
                PARAMETERS[name], self._values[name]
            )

    def set(self, name: str, text: str) -> None:
        """Give an option a value. Raises VariantError and changes nothing.

        A size in megabytes replaces one in entries. A value that means nothing beside the others
        is kept until it does.
        """
        known = {key.lower(): key for key in self._spec.parameters}
        key = known.get(name.lower(), name)
        self._values[key] = parse_value(self._spec, key, text)
        if key == "hash":
            self._values["entries"] = PARAMETERS["entries"].default

    def variant(self) -> Variant:
        """The variant that these values make."""
        given = {
            name: value
            for name, value in self._values.items()
            if is_meaningful(PARAMETERS[name], self._values) and value != PARAMETERS[name].default
        }
        return make_variant(self._spec.name, given)


def split_setoption(words: list[str]) -> tuple[str, str]:
    """Name and value of a ``setoption`` command without its first word. Raises VariantError."""
    if len(words) < 2 or words[0] != "name":
        raise VariantError("setoption must read: setoption name NAME value VALUE")
    end = words.index("value") if "value" in words else len(words)
    name, value = " ".join(words[1:end]), " ".join(words[end + 1 :])
    if not name or not value:
        raise VariantError("setoption must read: setoption name NAME value VALUE")
    return name, value


def _type(param: Param, value: Value) -> str:
    default = f"default {format_value(value)}"
    if param.kind == "flag":
        return f"type check default {str(value).lower()}"
    if param.kind == "int":
        return f"type spin {default} min {param.low} max {param.high}"
    if param.kind == "choice":
        return f"type combo {default}" + "".join(f" var {choice}" for choice in param.choices)
    return f"type string {default}"
