"""One game, move by move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from toolkit.base.format import count_of, format_count, format_value
from toolkit.base.output import Output
from toolkit.base.table import Column

if TYPE_CHECKING:
    from db.records.games import GameRecord
    from toolkit.reports.games import GameProblemRow, GameRow, MoveRow


def print_game(
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
            f"{problem.severity}: {shown.get(problem.engine, problem.engine)}: {problem.text}"
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


def print_board(output: Output, game: GameRecord, ply: int, as_ascii: bool) -> None:
    from engines.rules.board import diagram
    from engines.rules.catalog import rules_of_moves
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
