"""``mtdf games``: the games, as a table, JSON, CSV or PGN."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from toolkit.base.errors import NothingMatched
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
    examples=(
        ("mtdf games --event last --engine mtdf --result loss", "games that mtdf lost"),
        (
            "mtdf games --engine mtdf --side black --end-reason time --since 30d --csv > t.csv",
            "recent games decided on time, for a spreadsheet",
        ),
        ("mtdf games --event last --pgn > games.pgn", "for a chess GUI"),
    ),
)
@game_conditions
@CSV
@click.option("--pgn", "as_pgn", is_flag=True, help="Print PGN.")
@click.pass_context
def command(ctx: click.Context, /, as_csv: bool, as_pgn: bool, **values: Any) -> None:
    """List the games that match all conditions.

    Games are ordered by event, pairing, pair and game.
    """
    from toolkit.reports.games import GameQuery, GameRow, list_games, list_pgn
    from toolkit.selection.events import find_event
    from toolkit.show.tables.games import print_games

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    if sum((output.as_json, as_csv, as_pgn)) > 1:
        raise click.UsageError("--json, --csv and --pgn exclude each other", ctx)
    query = GameQuery(search_limit=limit_argument(values), **values)
    with invocation.database() as db:
        selection = query.selection
        if as_pgn:
            with saying_left_out(output, db, selection):
                texts = list_pgn(db, query)
            for text in texts:
                output.data(f"{text}\n")
            return
        try:
            with saying_left_out(output, db, selection):
                if query.event is not None:
                    query = replace(query, event=find_event(db, query.event))
                rows = list_games(db, query)
        except NothingMatched:
            printed_as_data(output, as_csv, GameRow, ())
            raise
        if not printed_as_data(output, as_csv, GameRow, rows):
            shown = _shown(db, query)
            print_games(output, rows, shown)


def _shown(db: Database, query: GameQuery) -> dict[str, dict[str, str]]:
    """What the table calls the players, by event and label: as `ratings` of those events does."""
    from toolkit.selection.events import find_event, played_events
    from toolkit.selection.labels import shown_players

    chosen = played_events(db) if query.event is None else [find_event(db, query.event)]
    return shown_players(db, chosen)
