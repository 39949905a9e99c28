"""``mtdf swiss``: engines of equal scores meet, round after round."""

from __future__ import annotations

from typing import Any

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.event import event_options, keywords, of_form
from toolkit.commands.options.players import read_players
from toolkit.commands.options.run import setting
from toolkit.commands.options.types import PLAYER, WHOLE, Players


@click.command(
    "swiss",
    cls=Command,
    examples=(
        (
            "mtdf swiss mtdf pvs alphabeta bns mtd-best mtdf:guess=zero --rounds 3 --pairs 10 "
            "--nodes 2000 -j 2",
            "three rounds of three meetings, 180 games",
        ),
        (
            "mtdf swiss mtdf pvs alphabeta bns mtd-best --rounds 3 --pairs 10 --nodes 2000 "
            "--dry-run",
            "five engines, so one has a bye in each round; print the plan without playing",
        ),
    ),
)
@click.argument("engines", metavar="[ENGINE]...", type=PLAYER, nargs=-1)
@click.option(
    "--engine", "more", type=PLAYER, multiple=True, help="Another engine; may be repeated."
)
@setting("--rounds", type=WHOLE, required=True, help="Number of rounds.", stored=of_form("rounds"))
@event_options
@click.pass_context
def command(
    ctx: click.Context, /, engines: tuple[Players, ...], more: tuple[Players, ...], **values: Any
) -> None:
    """Play a Swiss tournament in game pairs: in each round engines of equal scores meet, and no two
    engines meet twice if that can be avoided.

    A meeting is worth 1 point, and so is a bye.

    An engine is a variant `driver:key=value,key=value` (see `mtdf engines parameters`), any UCI
    program `uci:COMMAND?Option=value&Option=value`, or one kept by `mtdf engines add`. Each may
    have a limit of its own, as in `mtdf:nodes=500`.
    """
    from toolkit.commands.runs.event import play_new_event
    from toolkit.events.settings import swiss_settings

    options = keywords(ctx, values)
    players = read_players(ctx.ensure_object(Invocation), *engines, *more)
    play_new_event(ctx, swiss_settings(players, **options), options.get("book"), **values)
