"""``mtdf game``: one game, move by move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from toolkit.base.format import count_of, format_count, format_value
from toolkit.base.output import Output
from toolkit.base.rows import field_names
from toolkit.base.table import Column
from toolkit.commands._base import Command
from toolkit.commands._csv import CSV
from toolkit.commands._invocation import Invocation
from toolkit.commands._types import WHOLE
from toolkit.reports.games import GameDetail, GameProblemRow, GameRow, MoveRow

if TYPE_CHECKING:
    from db.records import GameRecord


@click.command(
    "game",
    cls=Command,
    examples=(
        ("mtdf game g12", "moves with value, depth, nodes, passes and time"),
        ("mtdf game g12 --board 34 --ascii", "the board after ply 34"),
        ("mtdf game g12 --pgn", "for a chess GUI"),
    ),
)
@click.argument("game_id", metavar="ID")
@click.option("--board", "board_ply", metavar="PLY", type=WHOLE, help="Show the board after PLY.")
@click.option("--ascii", "as_ascii", is_flag=True, help="Draw the board with ASCII letters.")
@click.option("--fen", "fen_ply", metavar="PLY", type=WHOLE, help="Print the position after PLY.")
@click.option("--pgn", "as_pgn", is_flag=True, help="Print PGN.")
@CSV
@click.pass_context
def command(
    ctx: click.Context,
    game_id: str,
    board_ply: int | None,
    as_ascii: bool,
    fen_ply: int | None,
    as_pgn: bool,
    as_csv: bool,
) -> None:
    """Show one game, given by its id or as `last`.

    PLY counts the plies after the opening; 0 is the opening position.
    """
    from toolkit.reports.games import (
        find_game,
        game_pgn,
        game_problems,
        game_row,
        list_moves,
        position_at,
        tally_of,
    )
    from toolkit.selection.labels import shown_players
    from toolkit.selection.sequential import pairs_of_test

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    ways = (output.as_json, board_ply is not None, fen_ply is not None, as_pgn, as_csv)
    if sum(ways) > 1:
        raise click.UsageError("--json, --csv, --board, --fen and --pgn exclude each other", ctx)
    if as_ascii and board_ply is None:
        raise click.UsageError("--ascii needs --board PLY", ctx)
    with invocation.database() as db:
        game = find_game(db, game_id)
        event = db.repository.event(game.event_id)
        row = game_row(game, event.key, pairs_of_test(db, event))
        problems = game_problems(db, game)
        pgn = game_pgn(db, game) if as_pgn else ""
        shown = shown_players(db, [event])[event.key]
    if fen_ply is not None:
        output.data(f"{position_at(game, fen_ply).text()}\n")
    elif board_ply is not None:
        _print_board(output, game, board_ply, as_ascii)
    elif as_pgn:
        output.data(f"{pgn.rstrip()}\n")
    elif output.as_json:
        output.json_object(GameDetail(**row, problems=problems, searches=list_moves(game)))
    elif as_csv:
        output.csv_rows(field_names(MoveRow), list_moves(game))
    else:
        _print_game(output, row, tally_of(game), problems, list_moves(game), shown)


def _print_game(
    output: Output,
    row: GameRow,
    tally: str,
    problems: list[GameProblemRow],
    moves: list[MoveRow],
    shown: Mapping[str, str],
) -> None:
    from toolkit.reports.machines import speed_text

    white, black = (shown.get(label, label) for label in (row.white, row.black))
    output.text(
        f"{row.id}  {white} - {black}  {row.result}  "
        f"{' '.join(filter(None, (row.end_reason, tally)))}, "
        f"{count_of(row.plies, 'ply', 'plies')}"
    )
    output.text(
        f"event {row.event}, pairing {row.pairing}, pair {row.pair}, game {row.game}"
        + ("" if row.counted else "; repeats an earlier game and is not counted")
    )
    output.text(f"from {row.start_fen}")
    if row.jobs:
        jobs = "1 job" if row.jobs == 1 else f"{row.jobs} jobs"
        where = f"{row.host}{speed_text(row.speed)}"
        output.text(f"played on {where} with {jobs}, at a load of {row.load:.2f}")
    for problem in problems:
        output.text(
            f"{problem.severity}: {shown.get(problem.engine, problem.engine)}: "
            f"{problem.text}"
        )
        if problem.fen is not None:
            output.text(f"  in {problem.fen}")
        output.text(f"  started as {problem.command}")
    if not moves:
        unknown = row.plies or row.backend == "imported"
        output.text("its moves are not known" if unknown else "it has no moves")
        return
    output.text()
    columns = [
        Column("ply", "right"),
        Column("move"),
        Column("value", "right"),
        Column("depth", "right"),
        Column("nodes", "right", 1),
        Column("passes", "right", 2),
        Column("ms", "right", 3),
    ]
    output.table(columns, [_cells(move) for move in moves])


def _cells(move: MoveRow) -> tuple[str, ...]:
    numbers = (move.depth, move.nodes, move.passes)
    return (
        str(move.ply),
        move.san,
        format_value(move.value),
        *("--" if n is None else format_count(n) for n in numbers),
        "--" if move.time_us is None else f"{move.time_us / 1000:.1f}",
    )


def _print_board(output: Output, game: GameRecord, ply: int, as_ascii: bool) -> None:
    from engines.games.board import diagram
    from engines.games.catalog import rules_of_moves
    from toolkit.reports.games import move_names, position_at

    board = position_at(game, ply)
    look = rules_of_moves(game.moves_version).look
    for line in diagram(look, board.squares(), plain=as_ascii):
        output.text(line)
    if ply and ply == len(move_names(game)):
        end = f"{game.result}  {' '.join(filter(None, (game.end_reason, board.tally())))}"
        output.text(f"the game is over after ply {ply}: {end}")
    else:
        output.text(f"{'White' if board.white_to_move else 'Black'} to move after ply {ply}")
