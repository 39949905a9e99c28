"""``mtdf knockout``: matches in a bracket; losers are out."""

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
    "knockout",
    cls=Command,
    examples=(
        (
            "mtdf knockout mtdf pvs alphabeta bns --pairs 20 --nodes 2000 -j 2",
            "semi-finals and a final, each of 40 games; the first engine is the best seed",
        ),
        (
            "mtdf knockout mtdf pvs alphabeta bns mtdf:guess=zero --pairs 10 --nodes 2000 "
            "--seeding random --seed 3",
            "the bracket is drawn by lot",
        ),
    ),
)
@click.argument("engines", metavar="[ENGINE]...", type=PLAYER, nargs=-1)
@click.option(
    "--engine", "more", type=PLAYER, multiple=True, help="Another engine; may be repeated."
)
@setting(
    "--seeding",
    type=click.Choice(["given", "random"]),
    default="given",
    show_default=True,
    help="Seeds: in the order of the engines, or shuffled by --seed.",
    stored=of_form("seeding"),
)
@setting(
    "--extra-pairs",
    type=WHOLE,
    default=10,
    show_default=True,
    help="Most pairs of sudden death in a tied match; then the better seed wins.",
    stored=of_form("extra_pairs"),
)
@event_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    engines: tuple[Players, ...],
    more: tuple[Players, ...],
    seeding: Any,
    extra_pairs: int,
    **values: Any,
) -> None:
    """Play a knockout in game pairs: the loser of each match is out.

    The best two seeds can meet only in the final. If the number of engines is not a power of two,
    the best seeds have a bye in the first round. A tied match continues with one more pair at a
    time.

    An engine is a variant `driver:key=value,key=value` (see `mtdf engines parameters`), any UCI
    program `uci:COMMAND?Option=value&Option=value`, or one kept by `mtdf engines add`. Each may
    have a limit of its own, as in `mtdf:nodes=500`.
    """
    from toolkit.commands.runs.event import play_new_event
    from toolkit.events.settings import knockout_settings
    from toolkit.pairing.forms import KnockoutForm

    options = keywords(ctx, values)
    form = KnockoutForm(seeding=seeding, extra_pairs=extra_pairs)
    players = read_players(ctx.ensure_object(Invocation), *engines, *more)
    settings = knockout_settings(players, form=form, **options)
    play_new_event(ctx, settings, options.get("book"), **values)
