"""A crosstable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.limit import spell_limit, spell_limit_key, spell_limits
from toolkit.base.format import count_of, format_count, format_share
from toolkit.base.output import Output
from toolkit.base.table import Field
from toolkit.show.tables.ratings import cores_text, print_matrix

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
    names = dict(zip(table.players, table.shown, strict=True))
    fields: list[Field[CrosstableRow]] = [
        Field("engine", lambda row: names[row.first]),
        Field("against", lambda row: names[row.second]),
        Field(
            "limit",
            lambda row: spell_limits(row.first_limit, row.second_limit),
            spare=2,
            when=table.several_limits,
        ),
        Field("games", lambda row: format_count(row.games), "right", 4),
        Field("score", lambda row: format_share(row.score), "right"),
        Field("W-L-D", lambda row: _record(row.wins, row.losses, row.draws), "right", 1),
        Field("as White", _as_white, "right", 3, when=colors),
        Field("as Black", _as_black, "right", 3, when=colors),
        Field("pairs", lambda row: str(row.pentanomial), spare=5),
    ]
    shown = table.rows if all_rows else table.rows[:_MOST_ROWS]
    output.table(fields, shown)
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
    print_matrix(
        output,
        "#",
        table.shown,
        limits if table.several_limits else None,
        [
            ["--" if other == player else cell.get((player, other), "") for other in players]
            for player in players
        ],
    )


def _as_white(row: CrosstableRow) -> str:
    return _record(row.white_wins, row.white_losses, row.white_draws)


def _as_black(row: CrosstableRow) -> str:
    return _record(row.black_wins, row.black_losses, row.black_draws)


def _record(won: int, lost: int, drawn: int) -> str:
    return f"{won}-{lost}-{drawn}"
