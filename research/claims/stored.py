"""The stored results of claims, and how results are stored as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from claims.experiment import GAME, Size
from claims.views import ClaimRow
from engines.choices import GAMES
from toolkit.base.errors import OperationFailed
from toolkit.base.files import write_output

RESULTS = Path(__file__).parent / "results"
Judged = tuple[str, int]
"""Game and number of a claim."""


def stored_results() -> dict[Judged, ClaimRow]:
    """The stored results by game, in the order of games, and by number, ascending. Raises
    OperationFailed if a file of them is damaged."""
    found: dict[Judged, ClaimRow] = {}
    for file in RESULTS.glob("*.json"):
        try:
            row = msgspec.json.decode(file.read_bytes(), type=ClaimRow)
        except msgspec.MsgspecError as error:
            raise OperationFailed(f"{file} is damaged: git restore it") from error
        found[row.game, row.claim] = row
    games = list(GAMES)
    return dict(sorted(found.items(), key=lambda item: (games.index(item[0][0]), item[0][1])))


def stored_verdicts(size: Size) -> dict[tuple[Judged, str], str]:
    """The verdicts of the stored results of one size, by claim and part. Raises OperationFailed."""
    return {
        (place, part.part): part.verdict
        for place, row in stored_results().items()
        if row.size == size
        for part in row.parts
    }


def write_results(rows: Sequence[ClaimRow], folder: Path) -> None:
    """Write the result of each claim into a file of its own. Raises OperationFailed."""
    for row in rows:
        text = msgspec.json.format(msgspec.json.encode(row), indent=1).decode()
        write_output(result_file(folder, row.game, row.claim), f"{text}\n")


def result_file(folder: Path, game: str, number: int) -> Path:
    """The file of a claim's result: ``N.json`` for chess, ``GAME-N.json`` for other games."""
    return folder / f"{number_of(game, number)}.json"


def number_of(game: str, number: int) -> str:
    """How files of a claim are told apart."""
    return str(number) if game == GAME else f"{game}-{number}"
