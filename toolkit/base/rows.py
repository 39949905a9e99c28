"""What a command prints as JSON: typed dictionaries whose fields are documented."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_type_hints


@dataclass(frozen=True, slots=True)
class JsonOutput:
    """What a command prints with ``--json``."""

    row: type[Any]
    """The object, or each row of the array."""
    is_array: bool = True
    nested: Mapping[str, type[Any]] = field(default_factory=dict)
    """Types of the rows inside a field that is an array."""


def field_names(row_type: type[Any]) -> list[str]:
    """The fields of a row type in their documented order."""
    return list(get_type_hints(row_type))
