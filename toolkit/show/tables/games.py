"""Games, one line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from toolkit.base.output import Output
from toolkit.base.table import Column

if TYPE_CHECKING:
    from toolkit.reports.games import GameRow

_COLUMNS = [
    Column("game"),
    Column("event", spare=2),
    Column("pairing", "right", 6),
    Column("pair", "right", 5),
    Column("no", "right", 4),
    Column("white"),
    Column("black"),
    Column("result"),
    Column("end reason"),
    Column("plies", "right", 3),
]


def print_games(
    output: Output, rows: Iterable[GameRow], shown: Mapping[str, Mapping[str, str]]
) -> None:
    """Games, one line each; ``shown``: the names of their players, by event and label."""
    output.table(_COLUMNS, (_cells(row, shown[row.event]) for row in rows))


def _cells(row: GameRow, shown: Mapping[str, str]) -> tuple[str, ...]:
    return (
        row.id,
        row.event,
        str(row.pairing),
        str(row.pair),
        str(row.game),
        shown[row.white],
        shown[row.black],
        row.result,
        row.end_reason + ("" if row.counted else " (stored before)"),
        str(row.plies),
    )
