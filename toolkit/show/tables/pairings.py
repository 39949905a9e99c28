"""The scores of the pairings of an event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from toolkit.base.format import format_interval, format_los, format_number
from toolkit.base.output import Output
from toolkit.base.table import Field

if TYPE_CHECKING:
    from toolkit.events.progress import EventProgress, PairingStanding


def print_pairings(output: Output, progress: EventProgress) -> None:
    """The scores of the pairings of an event, as a table."""
    from toolkit.reports.standing import standing_of

    standing = standing_of(progress)
    output.table(pairing_fields(standing.names), standing.pairings)
    if valid := validity(standing.pairings):
        output.text(valid)
        output.text()


def validity(rows: Sequence[PairingStanding]) -> str:
    """What is said of the intervals of these pairings; empty if there is nothing to say."""
    told = any(row.any_look and row.elo is not None for row in rows)
    return "Elo: 95 % intervals, valid at any look" if told else ""


def pairing_fields(names: Mapping[str, str], digits: int = 1) -> list[Field[PairingStanding]]:
    """The line of a pairing, with so many decimal places; ``names`` of engines in tables."""
    return [
        Field("engine", lambda row: names.get(row.first, row.first)),
        Field("opponent", lambda row: names.get(row.second, row.second)),
        Field("games", lambda row: f"{row.games}/{row.games_planned}", "right", 1),
        Field("results", lambda row: f"+{row.wins} -{row.losses} ={row.draws}", "right"),
        Field("Elo ±95", lambda row: _elo_text(row, digits), "right"),
        Field("LOS", lambda row: _los_text(row, digits), "right"),
    ]


def _elo_text(row: PairingStanding, digits: int) -> str:
    """Elo with its interval; empty without pairs."""
    if row.elo is None or row.error95 is None:
        return ""
    interval = format_interval(row.elo, row.error95, row.low95, row.high95, digits)
    return f"{format_number(row.elo, digits, signed=True)} {interval}"


def _los_text(row: PairingStanding, digits: int) -> str:
    """The likelihood of superiority; empty without pairs."""
    if row.los is None:
        return ""
    return format_los(row.los) if digits else _rounded_los(row.los)


def _rounded_los(share: float) -> str:
    if not 0.005 <= share <= 0.995:
        return "<1 %" if share < 0.5 else ">99 %"
    return f"{100 * share:.0f} %"
