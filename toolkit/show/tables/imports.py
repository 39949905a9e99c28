"""Files of imported games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from toolkit.base.format import format_count, format_pairs
from toolkit.base.output import Output
from toolkit.base.table import Field

if TYPE_CHECKING:
    from db.records.events import PairingScore
    from toolkit.imports.run import ImportRow


def print_imports(
    output: Output, rows: Sequence[ImportRow], scores: Mapping[str, PairingScore]
) -> None:
    """The result of each file; then the score of the two players of an event, by event id."""
    fields: list[Field[ImportRow]] = [
        Field("event", lambda row: row.event),
        Field("file", lambda row: row.file),
        Field("games", lambda row: format_count(row.games), "right"),
        Field("added", lambda row: format_count(row.added), "right"),
        Field("known", lambda row: format_count(row.known), "right", 2),
        Field("repeated", lambda row: format_count(row.repeated), "right", 3),
        Field("bad", lambda row: format_count(row.bad), "right", 1),
        Field("pairs", lambda row: format_count(row.pairs), "right", 4),
        Field("singles", lambda row: format_count(row.singles), "right", 5),
        Field("players", lambda row: format_count(row.players), "right", 6),
    ]
    output.table(fields, rows)
    for event, score in scores.items():
        told = f"{event}: " if len(scores) > 1 else ""
        output.text(
            f"{told}{score.first} - {score.second}  +{score.wins} -{score.losses} ={score.draws}  "
            f"{format_pairs(score.pentanomial)}"
        )
    for row in rows:
        if not row.added:
            output.hint(f"no games of {row.file} were added: event {row.event} already has them")
