"""Settings and results as a database keeps them: what ``msgspec`` makes of a Struct."""

from __future__ import annotations

from typing import Any, TypeVar

from msgspec import ValidationError, convert

from toolkit.base.errors import DatabaseProblem

_Kind = TypeVar("_Kind")


def stored(kind: type[_Kind], data: Any, what: str) -> _Kind:
    """What is stored as ``data``, by its name in the plural. Raises DatabaseProblem for data of
    another kind, and for values that make no sense."""
    try:
        return convert(data, kind)
    except ValidationError as error:
        raise DatabaseProblem(f"{what} are damaged: {error}") from error
