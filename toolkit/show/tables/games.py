"""Games, one line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from toolkit.base.output import Output
from toolkit.base.table import Field

if TYPE_CHECKING:
    from toolkit.reports.games import GameRow


def print_games(
    output: Output, rows: Iterable[GameRow], shown: Mapping[str, Mapping[str, str]]
) -> None:
    """Games, one line each; ``shown``: the names of their players, by event and label."""
    fields: list[Field[GameRow]] = [
        Field("game", lambda row: row.id),
        Field("event", lambda row: row.event, spare=2),
        Field("pairing", lambda row: str(row.pairing), "right", 6),
        Field("pair", lambda row: str(row.pair), "right", 5),
        Field("no", lambda row: str(row.game), "right", 4),
        Field("white", lambda row: shown[row.event][row.white]),
        Field("black", lambda row: shown[row.event][row.black]),
        Field("result", lambda row: row.result),
        Field("end reason", _end_text),
        Field("plies", lambda row: str(row.plies), "right", 3),
    ]
    output.table(fields, rows)


def _end_text(row: GameRow) -> str:
    return row.end_reason + ("" if row.counted else " (stored before)")
