"""Games, one line each; one game, move by move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from toolkit.base.format import count_of, format_count, format_value
from toolkit.base.output import Output
from toolkit.base.table import Field

if TYPE_CHECKING:
    from db.records.games import GameRecord
    from toolkit.reports.games import GameProblemRow, GameRow, MoveRow


def print_games(
    output: Output, rows: Iterable[GameRow], shown: Mapping[str, Mapping[str, str]]
) -> None:
    """Games, one line each; ``shown``: the names of their players, by event and label."""
    fields: list[Field[GameRow]] = [
        Field("game", lambda row: row.id),
        Field("event", lambda row: row.event, spare=2),
        Field("pairing", lambda row: str(row.pairing), "right", 6),
        Field("pair", lambda row: str(row.pair), "right", 5),
        Field("no", lambda row: str(row.game), "right", 4),
        Field("white", lambda row: shown[row.event][row.white]),
        Field("black", lambda row: shown[row.event][row.black]),
        Field("result", lambda row: row.result),
        Field("end reason", _end_text),
        Field("plies", lambda row: str(row.plies), "right", 3),
    ]
    output.table(fields, rows)


def _end_text(row: GameRow) -> str:
    return row.end_reason + ("" if row.counted else " (stored before)")


def print_game(
    output: Output,
    row: GameRow,
    tally: str,
    problems: list[GameProblemRow],
    moves: list[MoveRow],
    shown: Mapping[str, str],
    *,
    with_lines: bool,
) -> None:
    """A game, its problems and its moves; ``with_lines``: with what external engines printed."""
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
        scaled = "" if row.time_factor == 1 else f", times scaled by {row.time_factor:.3f}"
        output.text(f"played on {where} with {jobs}, at a load of {row.load:.2f}{scaled}")
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
    if with_lines and not any(map(said_of_move, moves)):
        output.text("nothing that engines printed is stored")

    def printed(move: MoveRow) -> str:
        before = moves[move.ply - 3] if move.ply > 2 else None
        return said_of_move(move, before)

    output.text()
    fields: list[Field[MoveRow]] = [
        Field("ply", lambda move: str(move.ply), "right"),
        Field("move", lambda move: move.san),
        Field("value", lambda move: format_value(move.value), "right"),
        Field("depth", lambda move: format_count(move.depth), "right"),
        Field("nodes", lambda move: format_count(move.nodes), "right", 1),
        Field("passes", lambda move: format_count(move.passes), "right", 2, when=not with_lines),
        Field("ms", _milliseconds, "right", 3),
        Field("printed", printed, prose=True, when=with_lines),
    ]
    output.table(fields, moves)


def said_of_move(move: MoveRow, before: MoveRow | None = None) -> str:
    """What an external engine printed of a move, in words; empty for nothing. Moves of a variation
    that are not legal are marked, and a text is left out that it printed of its move ``before``,
    too."""
    counts = (("seldepth", move.seldepth), ("hashfull", move.hashfull), ("tbhits", move.tbhits))
    parts = [f"{name} {format_count(count)}" for name, count in counts if count is not None]
    if move.pv is not None:
        legal = move.pv_san or []
        parts.insert(0, " ".join([*legal, *(f"{word}?" for word in move.pv[len(legal) :])]))
    if move.string is not None and (before is None or before.string != move.string):
        parts.append(f'"{move.string}"')
    return ", ".join(parts)


def _milliseconds(move: MoveRow) -> str | None:
    return None if move.time_us is None else f"{move.time_us / 1000:.1f}"


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
