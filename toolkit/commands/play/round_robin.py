"""``mtdf round-robin``: every engine against every other."""

from __future__ import annotations

from typing import Any

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.event import adaptive_form, keywords, round_robin_options
from toolkit.commands.options.players import read_players
from toolkit.commands.options.types import PLAYER, Players


@click.command(
    "round-robin",
    cls=Command,
    examples=(
        (
            "mtdf round-robin mtdf pvs alphabeta --pairs 50 --nodes 2000 -j 2",
            "three pairings, 300 games",
        ),
        (
            "mtdf round-robin mtdf pvs alphabeta --stop-when ±10 --nodes 2000 -j 2",
            "the most informative pairings, until every rating is known to ±10 Elo",
        ),
        (
            "mtdf round-robin mtdf pvs bns --stop-when order --zone 15 --max-pairs 5000 "
            "--nodes 2000",
            "until the order is settled; differences within ±15 Elo need no order",
        ),
    ),
)
@click.argument("engines", metavar="[ENGINE]...", type=PLAYER, nargs=-1)
@click.option(
    "--engine", "more", type=PLAYER, multiple=True, help="Another engine; may be repeated."
)
@round_robin_options
@click.pass_context
def command(
    ctx: click.Context, /, engines: tuple[Players, ...], more: tuple[Players, ...], **values: Any
) -> None:
    """Play every engine against every other in game pairs, and rate them.

    With `--stop-when` the event is played in rounds of fixed size. After each round the most
    informative pairings are played next, until the goal is reached.

    An engine is a variant `driver:key=value,key=value` (see `mtdf engines parameters`), any UCI
    program `uci:COMMAND?Option=value&Option=value`, or one kept by `mtdf engines add`. Each may
    have a limit of its own, as in `mtdf:nodes=500`.
    """
    from toolkit.commands.runs.event import play_new_event
    from toolkit.events.settings import round_robin_settings

    asked = (*engines, *more)
    number = sum(map(len, asked))
    form = adaptive_form(values, number * (number - 1) // 2)
    options = keywords(ctx, values)
    players = read_players(ctx.ensure_object(Invocation), *asked)
    settings = round_robin_settings(players, adaptive=form, **options)
    play_new_event(ctx, settings, options.get("book"), **values)
