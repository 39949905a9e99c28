"""``mtdf uci``: any variant as a UCI engine."""

from __future__ import annotations

import sys

import click

from engines.spec import Variant
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.types import ENGINE


@click.command(
    "uci",
    cls=Command,
    examples=(
        ("mtdf uci --engine mtdf", "the engine command for a chess GUI"),
        ("printf 'position startpos\\ngo depth 6\\n' | mtdf uci", "one search by hand"),
        (
            "printf 'go depth 6 searchmoves d2d4 c2c4\\n' | mtdf uci",
            "the better of two moves",
        ),
    ),
)
@click.option("--engine", type=ENGINE, default="mtdf", show_default=True, help="Engine to run.")
@click.pass_context
def command(ctx: click.Context, engine: Variant) -> None:
    """Run an engine as a UCI engine on standard input and output.

    The UCI option Move Overhead reserves time on the clock for each move to come. searchmoves,
    ponder and ponderhit are supported; docs/uci.md has the full list.
    """
    from engines.rules.catalog import rules_of
    from engines.uci.session import serve
    from toolkit.base.version import program_version

    ctx.ensure_object(Invocation).reject_json(ctx, "UCI has its own output format")
    if not rules_of(engine.game).uci:
        raise click.UsageError(f"UCI is for chess, and this engine plays {engine.game}", ctx)
    serve(engine, sys.stdin, sys.stdout, program_version())
