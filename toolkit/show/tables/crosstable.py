"""A crosstable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from engines.limit import spell_limit, spell_limit_key, spell_limits
from toolkit.base.format import count_of, format_count
from toolkit.base.output import Output
from toolkit.base.table import Column
from toolkit.show.tables.ratings import LIMIT, cores_text, numbered

if TYPE_CHECKING:
    from toolkit.reports.crosstables import Crosstable, CrosstableRow

_MOST_COLUMNS = 8
"""More players than these are listed by pairs only: their table would not fit on a screen."""
_MOST_ROWS = 500
"""Rows printed without ``--all``."""


def print_crosstable(
    output: Output, table: Crosstable, *, colors: bool = False, all_rows: bool = False
) -> None:
    """The scores of every pairing; for few players also as a matrix."""
    if len(table.players) <= _MOST_COLUMNS:
        _print_matrix(output, table)
        output.text()
    columns = [
        Column("engine"),
        Column("against"),
        *([replace(LIMIT, spare=2)] if table.several_limits else []),
        Column("games", "right", 4),
        Column("score", "right"),
        Column("W-L-D", "right", 1),
        *([Column("as White", "right", 3), Column("as Black", "right", 3)] if colors else []),
        Column("pairs", spare=5),
    ]
    shown = table.rows if all_rows else table.rows[:_MOST_ROWS]
    names = dict(zip(table.players, table.shown, strict=True))
    output.table(columns, (_cells(table, names, row, colors) for row in shown))
    if len(shown) < len(table.rows):
        output.text(f"{count_of(len(table.rows) - len(shown), 'more row')} (--all)")
    if table.excluded:
        output.text(f"{count_of(table.excluded, 'game repeats', 'games repeat')} others, left out")
    if table.apart:
        output.text(cores_text(table.apart, "count"))
    if table.several_limits:
        output.text(
            "games under different limits are counted separately (--mix-limits combines them)"
        )


def _print_matrix(output: Output, table: Crosstable) -> None:
    cell = {}
    for row in table.rows:
        won, lost, drawn = row.wins, row.losses, row.draws
        one = row.first, spell_limit(row.first_limit)
        two = row.second, spell_limit(row.second_limit)
        cell[one, two] = _record(won, lost, drawn)
        cell[two, one] = _record(lost, won, drawn)
    limits = [spell_limit_key(limit) for limit in table.limits]
    players = list(zip(table.players, limits, strict=True))
    numbers = [str(number) for number in range(1, len(players) + 1)]
    titles = [Column("#", "right"), Column("engine"), *([LIMIT] if table.several_limits else [])]
    output.table(
        [*titles, *(numbered(number) for number in range(1, len(players) + 1))],
        [
            (
                numbers[place],
                table.shown[place],
                *([limits[place]] if table.several_limits else []),
                *("--" if other == player else cell.get((player, other), "") for other in players),
            )
            for place, player in enumerate(players)
        ],
    )


def _cells(
    table: Crosstable, names: Mapping[str, str], row: CrosstableRow, colors: bool
) -> tuple[str, ...]:
    sides = (
        _record(row.white_wins, row.white_losses, row.white_draws),
        _record(row.black_wins, row.black_losses, row.black_draws),
    )
    return (
        names[row.first],
        names[row.second],
        *([spell_limits(row.first_limit, row.second_limit)] if table.several_limits else []),
        format_count(row.games),
        f"{100 * row.score:.1f} %",
        _record(row.wins, row.losses, row.draws),
        *(sides if colors else ()),
        str(row.pentanomial),
    )


def _record(won: int, lost: int, drawn: int) -> str:
    return f"{won}-{lost}-{drawn}"
