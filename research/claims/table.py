"""Judged claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from toolkit.base.output import Output
from toolkit.base.table import Column

if TYPE_CHECKING:
    from claims.views import ClaimRow


def print_claims(
    output: Output, rows: Sequence[ClaimRow], known: Mapping[tuple[tuple[str, int], str], str]
) -> None:
    """A line for each judged part, with its ``known`` verdict of the full size."""
    from claims.words import (
        chance_text,
        estimate_text,
        interval_text,
        threshold_text,
        verdict_text,
    )

    games = len({row.game for row in rows}) > 1
    columns = [Column("game")] if games else []
    columns += [Column("claim", "right"), Column("part"), Column("figure", "right")]
    columns += [Column("[95 %]", spare=1), Column("claimed"), Column("verdict")]
    columns += [Column("full size", spare=2)] if known else []
    cells = []
    for row in rows:
        names = [row.game, str(row.claim)] if games else [str(row.claim)]
        for part in row.parts:
            figure = [estimate_text(part), interval_text(part), threshold_text(part)]
            cells.append([*names, part.text, *figure, verdict_text(part)])
            place = (row.game, row.claim), part.part
            cells[-1] += [known.get(place, "")] if known else []
            names = [""] * len(names)
    shown = output.cells(columns, cells, data="--json")
    if "full size" in shown:
        output.text("full size: the stored verdicts of docs/claims.md")
    output.text()
    output.text(chance_text(rows))
