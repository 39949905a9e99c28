"""How an ablation is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.base.format import count_of, format_count, format_los, format_number
from toolkit.base.output import Output
from toolkit.base.table import Field

if TYPE_CHECKING:
    from toolkit.reports.ablation import AblationOutcome, AblationRow


def print_ablation(output: Output, row: AblationOutcome) -> None:
    """The value of each feature."""
    output.table(_FIELDS, row.features)
    full, opponents = row.engines[0], row.opponents
    valid = ", valid at any look" if any(one.any_look for one in row.features) else ""
    against = f"against {full}; 95 % by pairs{valid}"
    if opponents:
        many = count_of(len(opponents), "opponent")
        valid = "" if row.status == "done" else ", for the planned number of pairs"
        against = f"relative to {full} by games against {many}; 95 % by pairs, of one fit{valid}"
    output.text(f"one feature off, {against}; event {row.id}, {count_of(row.games, 'game')}")


def _record(row: AblationRow) -> str | None:
    return None if row.games is None else f"{row.wins}-{row.losses}-{row.draws}"


def _pairs(row: AblationRow) -> str | None:
    return None if row.pentanomial is None else str(row.pentanomial)


def _speed(row: AblationRow) -> str | None:
    speed = row.nodes_per_second
    return None if speed is None else format_count(round(speed))


_FIELDS: list[Field[AblationRow]] = [
    Field("engine", lambda row: row.engine),
    Field("Elo", lambda row: format_number(row.elo, signed=True), "right"),
    Field("±95", lambda row: format_number(row.error95), "right"),
    Field("LOS", lambda row: format_los(row.los), "right", 1),
    Field("W-L-D", _record, "right", 2),
    Field("Ptnml", _pairs, "right", 6),
    Field("nodes/move", lambda row: format_number(row.nodes_per_move, 0), "right", 3),
    Field("depth", lambda row: format_number(row.depth), "right", 4),
    Field("nodes/s", _speed, "right", 5),
]
