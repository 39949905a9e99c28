"""Files of imported games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from toolkit.base.format import format_count, format_pairs
from toolkit.base.output import Output
from toolkit.base.table import Column

if TYPE_CHECKING:
    from db.records.events import PairingScore
    from toolkit.imports.run import ImportRow


def print_imports(
    output: Output, rows: Sequence[ImportRow], scores: Mapping[str, PairingScore]
) -> None:
    """The result of each file; then the score of the two players of an event, by event id."""
    columns = [
        *(Column("event"), Column("file")),
        *(Column("games", "right"), Column("added", "right"), Column("known", "right", 2)),
        *(Column("repeated", "right", 3), Column("bad", "right", 1), Column("pairs", "right", 4)),
        *(Column("singles", "right", 5), Column("players", "right", 6)),
    ]
    output.table(
        columns,
        [
            (
                *(row.event, row.file),
                *(
                    format_count(getattr(row, name))
                    for name in ("games", "added", "known", "repeated", "bad")
                ),
                *(format_count(getattr(row, name)) for name in ("pairs", "singles", "players")),
            )
            for row in rows
        ],
    )
    for event, score in scores.items():
        told = f"{event}: " if len(scores) > 1 else ""
        output.text(
            f"{told}{score.first} - {score.second}  +{score.wins} -{score.losses} ={score.draws}  "
            f"{format_pairs(score.pentanomial)}"
        )
    for row in rows:
        if not row.added:
            output.hint(f"no games of {row.file} were added: event {row.event} already has them")
