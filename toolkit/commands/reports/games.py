"""``mtdf games``: the games, as a table, JSON, CSV or PGN."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from toolkit.base.errors import NothingMatched, OperationFailed
from toolkit.base.format import count_of, format_count
from toolkit.base.output import Output
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, printed_as_data
from toolkit.commands.options.run import limit_argument
from toolkit.commands.options.selection import (
    SIDES,
    game_conditions,
    saying_left_out,
)

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.reports.games import GameQuery


class _GamesCommand(Command):
    """Accepts ``--color white`` as ``--side white``. ``--color`` is also a global option, but the
    two have no value in common."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as other commands do."""
        args = [re.sub(rf"\A--color=({'|'.join(SIDES)})\Z", r"--side=\1", word) for word in args]
        for place, (word, following) in enumerate(itertools.pairwise(args)):
            if word == "--color" and following in SIDES:
                args[place] = "--side"
        return super().parse_args(ctx, args)


@click.command(
    "games",
    cls=_GamesCommand,
    short_help="List games, or write them as PGN or JSON lines.",
    examples=(
        ("mtdf games --event last --engine mtdf --result loss", "games that mtdf lost"),
        ("mtdf games --event last --pgn -o games.pgn.gz", "for other programs, compressed"),
        ("mtdf games --since 30d --jsonl | jq -r .result | sort | uniq -c", "in a pipe"),
    ),
)
@game_conditions
@CSV
@click.option("--pgn", "as_pgn", is_flag=True, help="Print PGN.")
@click.option(
    "--jsonl", "as_lines", is_flag=True, help="Print a line of JSON a game with all that is stored."
)
@click.option("--output", "-o", "file", metavar="FILE", help="Write PGN or JSON lines to FILE.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    as_csv: bool,
    as_pgn: bool,
    as_lines: bool,
    file: str | None,
    **values: Any,
) -> None:
    """List the games that match all conditions, or write them as PGN or JSON lines.

    Games are ordered by event, pairing, pair and game. Those of tuning are left out unless --event
    names their event. A FILE that ends in .gz, .zst, .bz2 or .xz is compressed. It is
    replaced only when the new one is complete.
    """
    from toolkit.reports.games import GameQuery, GameRow, list_games
    from toolkit.selection.events import find_event
    from toolkit.show.tables.games import print_games

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    as_json = output.as_json and file is None
    if sum((as_json, as_csv, as_pgn, as_lines)) > 1:
        raise click.UsageError("--json, --csv, --pgn and --jsonl exclude each other", ctx)
    if file is not None and not (as_pgn or as_lines):
        raise click.UsageError("--output needs --pgn or --jsonl", ctx)
    query = GameQuery(search_limit=limit_argument(values), **values)
    with invocation.database() as db:
        if as_pgn or as_lines:
            _write_games(output, _texts(output, db, query, as_pgn), file)
            return
        try:
            with saying_left_out(output, db, query.selection):
                if query.event is not None:
                    query = replace(query, event=find_event(db, query.event))
                rows = list_games(db, query)
        except NothingMatched:
            printed_as_data(output, as_csv, GameRow, ())
            raise
        if not printed_as_data(output, as_csv, GameRow, rows):
            shown = _shown(db, query)
            print_games(output, rows, shown)


def _texts(output: Output, db: Database, query: GameQuery, as_pgn: bool) -> Iterator[str]:
    """What is written of each game. Raises NothingMatched at once."""
    from toolkit.reports.export import exported_games
    from toolkit.reports.games import list_pgn

    with saying_left_out(output, db, query.selection):
        if as_pgn:
            return (f"{text}\n" for text in list_pgn(db, query))
        return (f"{output.json_text(row)}\n" for row in exported_games(db, query))


def _write_games(output: Output, texts: Iterator[str], file: str | None) -> None:
    """Write games to a file, or to standard output, game by game. Raises UsageError,
    OperationFailed."""
    from toolkit.base.compressed import packing
    from toolkit.base.files import check_place, whole_file
    from toolkit.reports.export import WrittenGames
    from toolkit.show.live.pace import now_and_then

    if file is None:
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
        output.json_object(WrittenGames(file=file, games=number))
    else:
        output.text(f"wrote {count_of(number, 'game')} to {file}")


def _shown(db: Database, query: GameQuery) -> dict[str, dict[str, str]]:
    """What the table calls the players, by event and label: as `ratings` of those events does."""
    from toolkit.selection.events import find_event, played_events
    from toolkit.selection.labels import shown_players

    chosen = played_events(db) if query.event is None else [find_event(db, query.event)]
    return shown_players(db, chosen)
