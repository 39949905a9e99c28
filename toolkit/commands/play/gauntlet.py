"""``mtdf gauntlet``: engines under test against a field of opponents."""

from __future__ import annotations

from typing import Any

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.event import adaptive_form, keywords, stopping_options
from toolkit.commands.options.players import read_players
from toolkit.commands.options.types import PLAYER, Players


@click.command(
    "gauntlet",
    cls=Command,
    examples=(
        (
            "mtdf gauntlet --hero mtdf --field pvs --field alphabeta --pairs 50 --nodes 2000 -j 2",
            "200 games at 2000 nodes per move, with two worker processes",
        ),
        (
            "mtdf gauntlet --hero mtdf:guess=parity --hero mtdf:guess=previous --field pvs "
            "--pairs 100 --tc 5+0.05",
            "two engines under test, with a clock",
        ),
        (
            "mtdf gauntlet --hero mtdf --field pvs --pairs 50 --nodes 2000 --dry-run",
            "print the plan and an estimate without playing",
        ),
    ),
)
@click.option(
    "--hero",
    "heroes",
    type=PLAYER,
    multiple=True,
    required=True,
    help="Engine under test; may be repeated.",
)
@click.option(
    "--field", type=PLAYER, multiple=True, required=True, help="Opponent; may be repeated."
)
@stopping_options
@click.pass_context
def command(
    ctx: click.Context, /, heroes: tuple[Players, ...], field: tuple[Players, ...], **values: Any
) -> None:
    """Play each engine under test (--hero) against each opponent (--field) in game pairs, and rate
    them.

    An engine is a variant `driver:key=value,key=value` (see `mtdf engines parameters`), any UCI
    program `uci:COMMAND?Option=value&Option=value`, or one kept by `mtdf engines add`. Each may
    have a limit of its own, as in `mtdf:nodes=500`.
    """
    from toolkit.commands.runs.event import play_new_event
    from toolkit.events.settings import gauntlet_settings

    form = adaptive_form(values, sum(map(len, heroes)) * sum(map(len, field)))
    options = keywords(ctx, values)
    players = read_players(ctx.ensure_object(Invocation), *heroes, *field)
    under_test = sum(map(len, heroes))
    settings = gauntlet_settings(
        players[:under_test], players[under_test:], adaptive=form, **options
    )
    play_new_event(ctx, settings, options.get("book"), **values)
