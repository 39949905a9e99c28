"""The results of claims that come with the program, and how results are stored as files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from toolkit.base.errors import OperationFailed
from toolkit.base.files import write_output
from toolkit.lab.claims.experiment import Size
from toolkit.lab.claims.rows import ClaimRow


def stored_results() -> dict[int, ClaimRow]:
    """The results of the package by the number of their claim, ascending. Raises OperationFailed
    if a file of them is damaged."""
    folder = resources.files("toolkit").joinpath("data", "claims")
    if not folder.is_dir():
        return {}
    found: dict[int, ClaimRow] = {}
    for file in folder.iterdir():
        if file.name.endswith(".json"):
            try:
                row: ClaimRow = json.loads(file.read_text(encoding="utf-8"))
                found[row["claim"]] = row
            except (ValueError, KeyError, TypeError) as error:
                raise OperationFailed(
                    f"{file}, a stored result of the program, is damaged: install mtdf again"
                ) from error
    return dict(sorted(found.items()))


def stored_verdicts(size: Size) -> dict[tuple[int, str], str]:
    """The verdicts of the stored results of one size, by claim and part. Raises OperationFailed."""
    return {
        (number, part["part"]): part["verdict"]
        for number, row in stored_results().items()
        if row["size"] == size
        for part in row["parts"]
    }


def write_results(rows: Sequence[ClaimRow], folder: Path) -> None:
    """Write the result of each claim as ``N.json``. Raises OperationFailed."""
    for row in rows:
        text = json.dumps(row, indent=1, ensure_ascii=False)
        write_output(result_file(folder, row["claim"]), f"{text}\n")


def result_file(folder: Path, number: int) -> Path:
    """The file of a claim's result."""
    return folder / f"{number}.json"
