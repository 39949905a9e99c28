"""``mtdf race``: many candidates against one base, and what that would cost."""

from __future__ import annotations

from typing import Any

import click

from toolkit.commands._base import Group
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, printed_as_data
from toolkit.commands.options.event import keywords, race_options, race_rule_options
from toolkit.commands.options.players import read_players
from toolkit.commands.options.types import PLAYER, WHOLE, Players

_RULE = ("elo0", "elo1", "alpha", "beta", "accept", "block")


class _Race(Group):
    """Takes engines as arguments, unless the first word is a command of the group."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does; it would take a command for an engine."""
        if not args or args[0] not in self.commands:
            return super().parse_args(ctx, args)
        super().parse_args(ctx, [])
        ctx._protected_args, ctx.args = args[:1], args[1:]
        return ctx.args

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Without the engines for a command of the group, whose usage line would have them."""
        found = super().get_params(ctx)
        if ctx.command is self:
            return found
        return [param for param in found if not isinstance(param, click.Argument)]


@click.group(
    "race",
    cls=_Race,
    invoke_without_command=True,
    context_settings={"allow_interspersed_args": True},
    subcommand_metavar="",
    examples=(
        (
            "mtdf race mtdf 'mtdf:guess={zero,parity,average}' --elo1 20 --nodes 2000 -j 2",
            "is one of three first guesses better than the default one?",
        ),
        (
            "mtdf race git:.@main 'git:.@{idea-a,idea-b}' --accept all --tc 10+0.1 --dry-run",
            "two branches of an engine; print the plan and the expected cost without playing",
        ),
        ("mtdf race plan --candidates 8", "compare with a sequential test of each candidate"),
    ),
)
@click.argument("engines", metavar="BASE CANDIDATE...", type=PLAYER, nargs=-1)
@race_rule_options
@race_options
@click.pass_context
def command(ctx: click.Context, /, engines: tuple[Players, ...], **values: Any) -> None:
    """Play all candidates against one base, in blocks of game pairs on the same openings, until one
    is shown to be better, or each is decided.

    Blocks go to the leaders: a candidate whose upper limit is below the best score waits, and one
    that is unlikely to gain --elo1 is dropped. One is accepted when the evidence that it is better
    than --elo0 is large enough for the whole family: the probability that any candidate that is not
    better is accepted is at most --alpha, however often one looks.

    Braces stand for several candidates, as in `mtdf:grain={1,4,8}`, `uci:PROGRAM?Contempt={0,20}`
    and `git:.@{a,b}`. The verdict does not depend on --jobs. `mtdf resume` continues an interrupted
    race; `mtdf race plan` compares the cost with that of sequential tests.
    """
    if ctx.invoked_subcommand is not None:
        return
    ctx.ensure_object(Invocation).announce_backend()
    from toolkit.commands.runs.event import play_new_event
    from toolkit.events.settings import race_settings
    from toolkit.pairing.forms import RaceForm
    from toolkit.reports.race import default_max_pairs

    form = RaceForm.make(**{name: values.pop(name) for name in _RULE})
    if values["max_pairs"] is None:
        values["max_pairs"] = default_max_pairs(max(sum(map(len, engines)) - 1, 1))
    options = keywords(ctx, values)
    base, *candidates = read_players(ctx.ensure_object(Invocation), *engines) or (None,)
    if base is None or not candidates:
        alone = "" if base is None else f", not `{base.label}` alone"
        raise click.UsageError(f"a race needs a base and at least one candidate{alone}", ctx)
    settings = race_settings(base, candidates, form=form, **options)
    play_new_event(ctx, settings, options.get("book"), **values)


@command.command(
    "plan",
    short_help="Compare the cost of a race with that of sequential tests.",
    examples=(
        ("mtdf race plan --candidates 8", "eight candidates, most of which are no better"),
        (
            "mtdf race plan --candidates 4 --elo1 10 --gain-mean 0 --gain-sd 6 --draws 0.7",
            "four candidates of which more is expected",
        ),
    ),
)
@click.option(
    "--candidates", type=WHOLE, default=8, show_default=True, help="Number of candidates."
)
@race_rule_options
@click.option("--max-pairs", type=WHOLE, help="Most game pairs; default: 20000 per candidate.")
@click.option(
    "--gain-mean",
    metavar="ELO",
    type=float,
    help="Mean of the gains to expect; default: a fifth of --elo1 below --elo0.",
)
@click.option(
    "--gain-sd",
    metavar="ELO",
    type=float,
    help="Standard deviation of the gains; default: 0.7 of --elo1 above --elo0.",
)
@click.option(
    "--draws",
    metavar="P",
    type=float,
    default=0.5,
    show_default=True,
    help="Draw rate between equal players.",
)
@click.option("--seed", type=WHOLE, default=0, show_default=True, help="Seed of the simulation.")
@CSV
@click.pass_context
def plan_command(
    ctx: click.Context,
    /,
    candidates: int,
    max_pairs: int | None,
    gain_mean: float | None,
    gain_sd: float | None,
    draws: float,
    seed: int,
    as_csv: bool,
    **rule: Any,
) -> None:
    """Simulate families of candidates whose gains are normal: what a race and sequential tests of
    each candidate cost, how often they accept one, and its gain."""
    from toolkit.pairing.forms import RaceForm
    from toolkit.reports.race import RacePlanRow, race_plan
    from toolkit.show.tables.race import print_race_plan

    rows = race_plan(
        RaceForm.make(**rule),
        candidates,
        gain_mean=gain_mean,
        gain_sd=gain_sd,
        draw_ratio=draws,
        max_pairs=max_pairs,
        seed=seed,
    )
    output = ctx.ensure_object(Invocation).output
    if printed_as_data(output, as_csv, RacePlanRow, rows):
        return
    print_race_plan(output, rows)
    output.text("gain: Elo of the best accepted candidate, 0 where none is; 200 simulated families")
