"""What a command prints as JSON: typed dictionaries whose fields are documented."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_type_hints


@dataclass(frozen=True, slots=True)
class JsonOutput:
    """The ``--json`` output of a command."""

    row: type[Any]
    """The object, or each row of the array."""
    is_array: bool = True
    nested: Mapping[str, type[Any]] = field(default_factory=dict)
    """Types of the rows in fields that are arrays."""


def field_names(row_type: type[Any]) -> list[str]:
    """The fields of a row type, in their documented order."""
    return list(get_type_hints(row_type))
