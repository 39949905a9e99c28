"""How ratings went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engines.limit import spell_limit
from toolkit.base.format import count_of, format_core, format_count, format_moment, format_number
from toolkit.base.output import Output
from toolkit.base.table import Field
from toolkit.show.tables.ratings import elo_text, scope_of

if TYPE_CHECKING:
    from toolkit.ratings.history import HistoryLine


def print_history(output: Output, rows: Sequence[HistoryLine]) -> None:
    """Each history of an engine: its places in the lists, and how its rating went."""
    from toolkit.ratings.history import histories

    found = histories(rows)
    titles = _titles(found)
    for number, (title, lines) in enumerate(zip(titles, found, strict=True)):
        if number:
            output.text()
        _print_history(output, title, lines)


def _titles(found: list[list[HistoryLine]]) -> list[str]:
    """The heading of a history: engine, core if there are several, limit, games, scale."""
    lasts = [lines[-1] for lines in found]
    names = _names(lasts)
    several_cores = len({row.core for row in lasts if row.core}) > 1
    titles = []
    for name, row in zip(names, lasts, strict=True):
        core = f" @{format_core(row.core)}" if several_cores and row.core else ""
        scale = row.scale
        titles.append(f"{name}{core}  {_limit(row)}  {scope_of(row.settings)}, {scale}")
    return titles


def _names(rows: list[HistoryLine]) -> list[str]:
    """Labels, with a prefix of the id if several engines share one."""
    from toolkit.selection.labels import marked_label

    labels = [  # without what a list put behind one to keep its engines and cores apart
        row.engine.removesuffix(f" @{format_core(row.core)}" if row.core else "").removesuffix(
            marked_label("", row.engine_id)
        )
        for row in rows
    ]
    ids: dict[str, set[str]] = {}
    for label, row in zip(labels, rows, strict=True):
        ids.setdefault(label, set()).add(row.engine_id)
    return [
        marked_label(label, row.engine_id) if len(ids[label]) > 1 else label
        for label, row in zip(labels, rows, strict=True)
    ]


def _limit(row: HistoryLine) -> str:
    if row.limit is not None:
        return spell_limit(row.limit)
    return "limits mixed" if row.settings.get("mix_limits") else "limits not kept apart"


def _print_history(output: Output, title: str, rows: list[HistoryLine]) -> None:
    from toolkit.ratings.history import sparkline

    kept = [
        row
        for before, row in zip([None, *rows], rows, strict=False)
        if before is None or [f.cell(before) for f in _RATING] != [f.cell(row) for f in _RATING]
    ]
    output.text(title, style="bold")
    output.table([*_LIST, *_RATING], kept)
    if len(kept) < len(rows):
        same = count_of(len(rows) - len(kept), "list says", "lists say")
        output.text(f"{same} the same as the one before, left out (--json and --csv have all)")
    values = [row.elo for row in kept if not row.bound]
    if len(values) < 2:
        return
    low, high = (format_number(value, signed=True) for value in (min(values), max(values)))
    output.text(f"{sparkline(values)}  {low} to {high}")


_LIST: list[Field[HistoryLine]] = [
    Field("list", lambda row: str(row.list), "right", 6),
    Field("made", lambda row: format_moment(row.created_at)),
]
_RATING: list[Field[HistoryLine]] = [
    Field("Elo", elo_text, "right"),
    Field("±95", lambda row: format_number(row.error95), "right"),
    Field("games", lambda row: format_count(row.games), "right", 4),
    Field("rank", lambda row: f"{row.rank}/{row.players}", "right", 3),
]
