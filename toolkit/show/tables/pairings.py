"""The scores of the pairings of an event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.base.format import format_interval, format_los, format_number
from toolkit.base.output import Output
from toolkit.base.table import Column

if TYPE_CHECKING:
    from toolkit.events.progress import EventProgress, PairingStanding
    from toolkit.reports.standing import EventStanding

COLUMNS = (
    *(Column("engine"), Column("opponent"), Column("games", "right", 1)),
    *(Column("results", "right"), Column("Elo ±95", "right"), Column("LOS", "right")),
)
"""The line of a pairing."""


def print_pairings(output: Output, progress: EventProgress) -> None:
    """The scores of the pairings of an event, as a table."""
    from toolkit.reports.standing import standing_of

    standing = standing_of(progress)
    output.table(COLUMNS, [pairing_cells(standing, one, 1) for one in standing.pairings])


def pairing_cells(standing: EventStanding, pairing: PairingStanding, digits: int) -> list[str]:
    """The cells of a pairing, with so many decimal places."""
    names = standing.names
    return [
        names.get(pairing.first, pairing.first),
        names.get(pairing.second, pairing.second),
        f"{pairing.games}/{pairing.games_planned}",
        f"+{pairing.wins} -{pairing.losses} ={pairing.draws}",
        *_estimate(pairing, digits),
    ]


def _estimate(pairing: PairingStanding, digits: int) -> tuple[str, str]:
    """Elo with its interval, and LOS; optionally rounded to whole numbers. Empty without pairs."""
    if pairing.elo is None or pairing.error95 is None or pairing.los is None:
        return "", ""
    elo = format_number(pairing.elo, digits, signed=True)
    los = format_los(pairing.los) if digits else _rounded_los(pairing.los)
    ends = (pairing.low95, pairing.high95)
    interval = format_interval(pairing.elo, pairing.error95, *ends, digits)
    return f"{elo} {interval}", los


def _rounded_los(share: float) -> str:
    if not 0.005 <= share <= 0.995:
        return "<1 %" if share < 0.5 else ">99 %"
    return f"{100 * share:.0f} %"
