"""What a command prints as JSON: rows whose fields are documented.

A row is a frozen ``msgspec.Struct``; each field is ``Annotated[type, "meaning"]``.
"""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

import msgspec
from msgspec import Struct


class JsonOutput(Struct, frozen=True):
    """The ``--json`` output of a command."""

    row: type[Any]
    """The object, or each row of the array."""
    is_array: bool = True

    @property
    def nested(self) -> dict[str, type[Any]]:
        """Types of the rows in its fields, and in theirs, by the names of the fields."""
        names: dict[type[Any], list[str]] = {}
        _add_nested("", self.row, names)
        return {", ".join(fields): row for row, fields in names.items()}


def field_names(row_type: type[msgspec.Struct]) -> list[str]:
    """The fields of a row type, in their documented order."""
    return list(row_type.__struct_fields__)


def _add_nested(prefix: str, row: type[Any], names: dict[type[Any], list[str]]) -> None:
    for name, kind in get_type_hints(row).items():
        for part in _row_types(kind):
            names.setdefault(part, []).append(prefix + name)
            _add_nested(f"{prefix}{name}.", part, names)


def _row_types(kind: Any) -> list[type[Any]]:
    """The types of rows that a type is made of."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return [kind]
    return [row for part in get_args(kind) for row in _row_types(part)]
