"""How a traced search is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from toolkit.commands.options.run import GAME, stacked
from toolkit.commands.options.types import ENGINE, WHOLE

if TYPE_CHECKING:
    from engines.spec import Variant
    from toolkit.books.book import Opening

trace_options = stacked(
    GAME,
    click.option("--fen", metavar="FEN", help="Position as text; in chess FEN."),
    click.option(
        "--position",
        metavar="ID",
        help="Position by its id in the suite of the game (chess: lab-60), as FILE:ID or FILE:LINE "
        "of a file, or `start`.",
    ),
    click.option(
        "--depth", type=WHOLE, default=6, show_default=True, help="Depth of the last iteration."
    ),
    click.option(
        "--engine", type=ENGINE, default="mtdf", show_default=True, help="Engine to trace."
    ),
    click.option(
        "--first-guess",
        type=WHOLE,
        help="First guess of every iteration, in units of the evaluation (chess: centipawns).",
    ),
)
"""The options that say what is traced."""


def traced_position(
    ctx: click.Context, engine: Variant, fen: str | None, position: str | None
) -> Opening:
    """The position of ``--fen`` or ``--position``, of the engine's game. Raises UsageError,
    PositionError."""
    from toolkit.lab.positions import find_position, position_of_fen

    if (fen is None) == (position is None):
        others = "--fen, --position or --tree" if "made" in ctx.params else "--fen or --position"
        raise click.UsageError(f"give either {others}", ctx)
    game = engine.game
    if fen is not None:
        return position_of_fen(fen, game)
    return find_position(position or "", game)
