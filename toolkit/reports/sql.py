"""People's own SQL over the documented views, for reading only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct

from db.errors import StatementRefused, StatementTimeout
from toolkit.base.errors import OperationFailed, UsageError

if TYPE_CHECKING:
    from db.session import Database

TIMEOUT_S = 60.0


class ViewRow(Struct, frozen=True):
    """One column of a view."""

    view: Annotated[str, "name of the view"]
    column: Annotated[str, "name of the column"]


class QueryRow(Struct, frozen=True):
    """The columns of the statement, by name."""


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The result of a statement; rows are read lazily."""

    columns: list[str]
    """Each name once: a second `n` is `n_2`."""
    rows: Iterator[dict[str, Any]]
    """Bytes as hex digits."""


@contextmanager
def ask(db: Database, statement: str, *, timeout_s: float = TIMEOUT_S) -> Iterator[QueryAnswer]:
    """The answer to one SELECT. Raises UsageError for another statement or a wrong one,
    OperationFailed if it takes too long; also while the rows are read."""
    if not 0 < timeout_s <= 86_400:
        raise UsageError(f"timeout ({timeout_s:g}) must be positive, and at most a day")
    try:
        with db.ask(statement, timeout_s=timeout_s) as answer:
            names = _distinct(answer.columns)
            rows = (dict(zip(names, map(_plain, row), strict=True)) for row in answer.rows)
            yield QueryAnswer(names, rows)
    except StatementRefused as error:
        raise UsageError(f"query: {error} (mtdf query --list-views)") from error
    except StatementTimeout as error:
        raise OperationFailed(f"query: {error} (--timeout)") from error


def list_views(db: Database) -> list[ViewRow]:
    """Every column of every view."""
    return [ViewRow(view=view, column=c) for view, columns in db.views().items() for c in columns]


def _distinct(columns: list[str]) -> list[str]:
    names: list[str] = []
    for column in columns:
        name, number = column, 1
        while name in names:
            number += 1
            name = f"{column}_{number}"
        names.append(name)
    return names


def _plain(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return value if value is None or isinstance(value, str | int | float) else str(value)
