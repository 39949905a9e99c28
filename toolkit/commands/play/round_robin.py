"""``mtdf round-robin``: every engine against every other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.event import keywords, round_robin_options
from toolkit.commands.options.players import read_players
from toolkit.commands.options.types import PLAYER, Players

if TYPE_CHECKING:
    from toolkit.pairing.forms import AdaptiveForm

_MAX_PAIRS = 20_000
_ROUND_PAIRS_A_PAIRING = 10


@click.command(
    "round-robin",
    cls=Command,
    examples=(
        (
            "mtdf round-robin mtdf pvs alphabeta --pairs 50 --nodes 2000 -j 2",
            "three pairings, 300 games",
        ),
        (
            "mtdf round-robin mtdf pvs alphabeta --stop-when 10elo --nodes 2000 -j 2",
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
    form = _adaptive_form(values, sum(map(len, asked)))
    options = keywords(ctx, values)
    players = read_players(ctx.ensure_object(Invocation), *asked)
    settings = round_robin_settings(players, adaptive=form, **options)
    play_new_event(ctx, settings, options.get("book"), **values)


def _adaptive_form(values: dict[str, Any], players: int) -> AdaptiveForm | None:
    """Take the options of an adaptive event out of a command's values, and leave the most pairs as
    ``pairs``; None for a full round robin. Raises UsageError."""
    from toolkit.pairing.forms import DEFAULT_ZONE_ELO, AdaptiveForm

    stop_when, zone = values.pop("stop_when"), values.pop("zone")
    round_pairs, max_pairs = values.pop("round_pairs"), values.pop("max_pairs")
    if stop_when is None:
        for name, value in (("zone", zone), ("round-pairs", round_pairs), ("max-pairs", max_pairs)):
            if value is not None:
                raise click.UsageError(f"--{name} needs --stop-when")
        if values["pairs"] is None:
            raise click.UsageError("--pairs N is missing; or use --stop-when")
        return None
    if values["pairs"] is not None:
        raise click.UsageError("--stop-when decides the pairs: use --max-pairs instead of --pairs")
    if zone is not None and stop_when != "order":
        raise click.UsageError("--zone needs --stop-when order")
    pairings = players * (players - 1) // 2
    most = _MAX_PAIRS if max_pairs is None else max_pairs
    values["pairs"] = most
    if round_pairs is None:
        round_pairs = max(min(_ROUND_PAIRS_A_PAIRING * pairings, most), 1)
    return AdaptiveForm(
        stop_when=stop_when,
        round_pairs=round_pairs,
        zone_elo=DEFAULT_ZONE_ELO if zone is None else zone,
    )
