"""How an ablation is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.base.format import count_of, format_count, format_los, format_number
from toolkit.base.output import Output
from toolkit.base.table import Column

if TYPE_CHECKING:
    from toolkit.reports.ablation import AblationOutcome, AblationRow


def print_ablation(output: Output, row: AblationOutcome) -> None:
    """The value of each feature."""
    columns = [Column("engine"), Column("Elo", "right"), Column("±95", "right")]
    columns += [Column("LOS", "right", 1), Column("W-L-D", "right", 2)]
    columns += [Column("Ptnml", "right", 6), Column("nodes/move", "right", 3)]
    columns += [Column("depth", "right", 4), Column("nodes/s", "right", 5)]
    output.table(columns, [_cells(line) for line in row.features])
    full, opponents = row.engines[0], row.opponents
    against = f"against {full}; 95 % by pairs"
    if opponents:
        many = count_of(len(opponents), "opponent")
        against = f"relative to {full} by games against {many}; 95 % by pairs, of one fit"
    output.text(f"one feature off, {against}; event {row.id}, {count_of(row.games, 'game')}")


def _cells(row: AblationRow) -> tuple[str, ...]:
    speed = row.nodes_per_second
    return (
        row.engine,
        format_number(row.elo, signed=True),
        format_number(row.error95),
        format_los(row.los),
        "--" if row.games is None else f"{row.wins}-{row.losses}-{row.draws}",
        "--" if row.pentanomial is None else str(row.pentanomial),
        format_number(row.nodes_per_move, 0),
        format_number(row.depth),
        "--" if speed is None else format_count(round(speed)),
    )
