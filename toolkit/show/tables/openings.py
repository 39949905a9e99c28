"""Books of openings, and the results of their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.base.format import count_of, format_count, format_share
from toolkit.base.output import Output
from toolkit.base.table import Field

if TYPE_CHECKING:
    from toolkit.books.info import BookDescription
    from toolkit.reports.openings import OpeningStats


def _name_of(label: str) -> str:
    """The book's label of a line, or nothing if it is only a number: that would be confused with
    our line number."""
    return "" if label.isdecimal() else label


def print_opening_stats(output: Output, rows: list[OpeningStats], top: int = 20) -> None:
    """Print book lines, the most decisive ones first."""
    fields: list[Field[OpeningStats]] = [
        Field("opening", lambda row: f"{row.book}:{row.line}"),
        Field("label", lambda row: _name_of(row.label), spare=6),
        Field("games", lambda row: format_count(row.games), "right", 1),
        Field("White", lambda row: format_count(row.white_wins), "right", 4),
        Field("drawn", lambda row: format_count(row.draws), "right", 3),
        Field("Black", lambda row: format_count(row.black_wins), "right", 2),
        Field("score", lambda row: format_share(row.white_score), "right"),
        Field("pairs", lambda row: format_count(row.pairs), "right", 5),
        Field("decided", lambda row: format_share(row.decided), "right"),
    ]
    output.table(fields, rows[: max(top, 0)])
    pairs = sum(row.pairs for row in rows)
    same = sum(row.same_colour for row in rows)
    share = f" ({100 * same / pairs:.1f} %)" if pairs else ""
    output.text(
        f"{count_of(len(rows), 'line')}; of {count_of(pairs, 'pair')} one colour won both "
        f"games in {format_count(same)}{share}"
    )


def print_book(output: Output, description: BookDescription) -> None:
    """A book: its lines, their lengths, its recipe."""
    plies = ", ".join(f"{count} x {length}" for length, count in description.plies.items())
    for name, value in (
        ("book", description.name),
        ("source", description.source),
        ("id", description.id),
        ("lines", format_count(description.lines)),
        ("repeated", format_count(description.repeated)),
        ("left out", format_count(description.bad_lines)),
        ("white moves", format_count(description.white_to_move)),
        ("plies", plies),
    ):
        output.text(f"{name:<12} {value}")
    recipe = dict(description.recipe)
    for name in ("judge", "signature"):
        if name in recipe:
            output.text(f"{name:<12} {recipe.pop(name)}")
    if recipe:
        told = ", ".join(f"{name} {value}" for name, value in recipe.items())
        output.text(f"{'recipe':<12} {told}")
    slices = description.slices
    for number, lines in enumerate(slices, 1):
        output.text(f"{f'slice {number}/{len(slices)}':<12} {count_of(lines, 'line')}")
