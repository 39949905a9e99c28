"""``mtdf match``: two engines against each other."""

from __future__ import annotations

from typing import Any

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.event import adaptive_form, keywords, stopping_options
from toolkit.commands.options.players import read_two
from toolkit.commands.options.types import PLAYER, Players


class _MatchCommand(Command):
    """Refers to ``round-robin`` if more than two engines are given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as other commands do. Raises UsageError."""
        more = self.make_parser(ctx).parse_args(list(args))[1]
        if more and not ctx.resilient_parsing and not {"-h", "--help"} & set(args):
            raise click.UsageError(
                f"a match has two engines, so `{more[0]}` is one too many; use mtdf round-robin "
                "for more",
                ctx,
            )
        return super().parse_args(ctx, args)


@click.command(
    "match",
    cls=_MatchCommand,
    examples=(
        ("mtdf match mtdf pvs --pairs 100 --nodes 2000 -j 2", "200 games"),
        ("mtdf match mtdf mtdf:grain=8 --pairs 20 --depth 5 --json", "the result as JSON"),
        ("mtdf match mtdf pvs --stop-when ±10 --nodes 2000 -j 2", "until Elo is known to ±10"),
    ),
)
@click.argument("first", metavar="ENGINE", type=PLAYER)
@click.argument("second", metavar="ENGINE", type=PLAYER)
@stopping_options
@click.pass_context
def command(ctx: click.Context, /, first: Players, second: Players, **values: Any) -> None:
    """Play two engines against each other in game pairs, and rate them.

    An engine is a variant `driver:key=value,key=value` (see `mtdf engines parameters`), any UCI
    program `uci:COMMAND?Option=value&Option=value`, or one kept by `mtdf engines add`. Each may
    have a limit of its own, as in `mtdf:nodes=500`.
    """
    from toolkit.commands.runs.event import play_new_event
    from toolkit.events.settings import match_settings

    form = adaptive_form(values, 1)
    options = keywords(ctx, values)
    both = read_two(ctx.ensure_object(Invocation), first, second, "match")
    settings = match_settings(*both, adaptive=form, **options)
    play_new_event(ctx, settings, options.get("book"), **values)
