"""``mtdf game``: one game, move by move."""

from __future__ import annotations

import click
from msgspec.structs import asdict

from toolkit.base.rows import field_names
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV
from toolkit.commands.options.types import WHOLE


@click.command(
    "game",
    cls=Command,
    examples=(
        ("mtdf game g12 --lines", "moves with what external engines printed of them"),
        ("mtdf game g12 --board 34 --ascii", "the board after ply 34"),
        ("mtdf game g12 --pgn", "for a chess GUI"),
    ),
)
@click.argument("game_id", metavar="ID")
@click.option("--board", "board_ply", metavar="PLY", type=WHOLE, help="Show the board after PLY.")
@click.option("--ascii", "as_ascii", is_flag=True, help="Draw the board with ASCII letters.")
@click.option("--fen", "fen_ply", metavar="PLY", type=WHOLE, help="Print the position after PLY.")
@click.option("--pgn", "as_pgn", is_flag=True, help="Print PGN.")
@click.option(
    "--lines",
    "with_lines",
    is_flag=True,
    help="Show what external engines printed of their moves: variation, seldepth, hashfull, "
    "tbhits, info string.",
)
@CSV
@click.pass_context
def command(
    ctx: click.Context,
    game_id: str,
    board_ply: int | None,
    as_ascii: bool,
    fen_ply: int | None,
    as_pgn: bool,
    with_lines: bool,
    as_csv: bool,
) -> None:
    """Show one game, given by its id or as `last`.

    PLY counts the plies after the opening; 0 is the opening position.
    """
    from toolkit.reports.games import (
        GameDetail,
        MoveRow,
        find_game,
        game_lines,
        game_pgn,
        game_problems,
        game_row,
        list_moves,
        position_at,
        tally_of,
    )
    from toolkit.selection.labels import shown_players
    from toolkit.selection.sequential import pairs_of_test
    from toolkit.show.tables.games import print_board, print_game

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    ways = (output.as_json, board_ply is not None, fen_ply is not None, as_pgn, as_csv)
    if sum(ways) > 1:
        raise click.UsageError("--json, --csv, --board, --fen and --pgn exclude each other", ctx)
    if as_ascii and board_ply is None:
        raise click.UsageError("--ascii needs --board PLY", ctx)
    if with_lines and sum(ways):
        raise click.UsageError("--lines is for the table; --json, --csv and --pgn have them", ctx)
    with invocation.database() as db:
        game = find_game(db, game_id)
        event = db.repository.event(game.event_id)
        row = game_row(game, event.key, pairs_of_test(db, event))
        problems = game_problems(db, game)
        pgn = game_pgn(db, game) if as_pgn else ""
        shown = shown_players(db, [event])[event.key]
        moves = list_moves(game, game_lines(db, game))
    if fen_ply is not None:
        output.data(f"{position_at(game, fen_ply).text()}\n")
    elif board_ply is not None:
        print_board(output, game, board_ply, as_ascii)
    elif as_pgn:
        output.data(f"{pgn.rstrip()}\n")
    elif output.as_json:
        output.json_object(GameDetail(**asdict(row), problems=problems, searches=moves))
    elif as_csv:
        output.csv_rows(field_names(MoveRow), moves)
    else:
        print_game(output, row, tally_of(game), problems, moves, shown, with_lines=with_lines)
