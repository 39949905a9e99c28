"""``mtdf round-robin``: every engine against every other."""

from __future__ import annotations

from typing import Any

import click

from toolkit.commands._base import Command
from toolkit.commands._event_options import event_arguments, event_options, load_options
from toolkit.commands._invocation import Invocation
from toolkit.commands._players import read_players
from toolkit.commands._types import PLAYER


@click.command(
    "round-robin",
    cls=Command,
    short_help="Play every engine against every other, and rate them.",
    examples=(
        (
            "mtdf round-robin mtdf pvs alphabeta --pairs 50 --nodes 2000 -j 2",
            "three pairings, 300 games",
        ),
        (
            "mtdf round-robin --engine mtdf --engine mtdf:guess=parity --engine pvs --pairs 20 "
            "--depth 5",
            "engines given as options",
        ),
        (
            "mtdf round-robin mtdf pvs bns --pairs 50 --nodes 2000 --dry-run",
            "print the plan and an estimate without playing",
        ),
    ),
)
@click.argument("engines", metavar="[ENGINE]...", type=PLAYER, nargs=-1)
@click.option(
    "--engine", "more", type=PLAYER, multiple=True, help="Another engine; may be repeated."
)
@event_options
@click.pass_context
def command(
    ctx: click.Context, /, engines: tuple[str, ...], more: tuple[str, ...], **values: Any
) -> None:
    """Play every engine against every other in game pairs, and rate them.

    An engine is a variant `driver:key=value,key=value` (see `mtdf engines parameters`), any UCI
    program `uci:COMMAND?Option=value&Option=value`, or one kept by `mtdf engines add`. Each may
    have a limit of its own, as in `mtdf:nodes=500`.
    """
    from toolkit.commands._play import play_new_event
    from toolkit.play.settings import round_robin_settings

    arguments = event_arguments(values)
    options, book = load_options(arguments)
    players = read_players(ctx.ensure_object(Invocation), (*engines, *more))
    settings = round_robin_settings(
        players, pairs=arguments.pairs, limit=arguments.limit, **options
    )
    play_new_event(ctx, settings, book, arguments)
