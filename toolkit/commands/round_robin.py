"""``mtdf round-robin``: every engine against every other."""

from __future__ import annotations

from typing import Any

import click

from engines.spec import Variant
from toolkit.commands._base import Command
from toolkit.commands._event_options import event_arguments, event_options, load_options
from toolkit.commands._types import ENGINE


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
@click.argument("engines", metavar="[ENGINE]...", type=ENGINE, nargs=-1)
@click.option(
    "--engine", "more", type=ENGINE, multiple=True, help="Another engine; may be repeated."
)
@event_options
@click.pass_context
def command(
    ctx: click.Context, /, engines: tuple[Variant, ...], more: tuple[Variant, ...], **values: Any
) -> None:
    """Play every engine against every other in game pairs, and rate them.

    An engine is written as `driver:key=value,key=value`; see `mtdf engines parameters`.
    """
    from toolkit.commands._play import play_new_event
    from toolkit.play.settings import round_robin_settings

    arguments = event_arguments(values)
    options, book = load_options(arguments)
    settings = round_robin_settings(
        (*engines, *more), pairs=arguments.pairs, limit=arguments.limit, **options
    )
    play_new_event(ctx, settings, book, arguments)
