"""The option ``--csv`` of commands that print a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from toolkit.base.output import AnyRow, Output
from toolkit.base.rows import field_names

_Function = TypeVar("_Function", bound=Callable[..., Any])


def csv_option(text: str) -> Callable[[_Function], _Function]:
    """The option with its own help text."""
    return click.option("--csv", "as_csv", is_flag=True, help=text)


CSV = csv_option("Print CSV.")


def refuse_both(output: Output, as_csv: bool) -> None:
    """Raise UsageError if both JSON and CSV are requested."""
    if output.as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other")


def printed_as_data(
    output: Output,
    as_csv: bool,
    row_type: type[Any],
    rows: Iterable[AnyRow],
    *,
    whole: AnyRow | None = None,
) -> bool:
    """Print rows as JSON or CSV if requested, and return whether it was; ``whole``: the object that
    JSON is in place of the rows. Raises UsageError."""
    refuse_both(output, as_csv)
    if output.as_json and whole is not None:
        output.json_object(whole)
    elif output.as_json:
        output.json_rows(rows)
    elif as_csv:
        output.csv_rows(field_names(row_type), rows)
    return output.as_json or as_csv
