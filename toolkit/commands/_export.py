"""The files of ``db export``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.base.compressed import packing
from toolkit.base.errors import OperationFailed
from toolkit.base.files import check_place, whole_file
from toolkit.base.format import count_of, format_count
from toolkit.base.output import Output
from toolkit.commands.options.selection import saying_left_out
from toolkit.show.live.pace import now_and_then

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.reports.games import GameQuery


def write_games(output: Output, db: Database, query: GameQuery, file: str, *, as_pgn: bool) -> None:
    """Write the games of a query to a file or to standard output (``-``), game by game. Raises
    NothingMatched, UsageError, OperationFailed."""
    from toolkit.reports.export import DatabaseExport

    texts = _texts(output, db, query, as_pgn)
    if file == "-":
        for text in texts:
            output.data(text)
        return
    path = Path(file)
    check_place(path)
    say = now_and_then(output, lambda done: f"{format_count(done)} games written")
    number = 0
    try:
        with whole_file(path) as whole, packing(whole, path.name) as packed:
            for number, text in enumerate(texts, start=1):
                packed.write(text.encode())
                say(number)
    except OSError as error:
        raise OperationFailed(f"cannot write {path}: {error.strerror or error}") from error
    if output.as_json:
        output.json_object(DatabaseExport(file=file, games=number))
    else:
        output.text(f"wrote {count_of(number, 'game')} to {file}")


def _texts(output: Output, db: Database, query: GameQuery, as_pgn: bool) -> Iterator[str]:
    """What is written of each game. Raises NothingMatched at once."""
    from toolkit.reports.export import exported_games
    from toolkit.reports.games import list_pgn

    with saying_left_out(output, db, query.selection):
        if as_pgn:
            return (f"{text}\n" for text in list_pgn(db, query))
        return (f"{output.json_text(row)}\n" for row in exported_games(db, query))
