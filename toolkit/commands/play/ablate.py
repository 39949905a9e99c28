"""``mtdf ablate``: the value of each feature of an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from engines.spec import Variant
from toolkit.commands._base import Command
from toolkit.commands._invocation import GLOBAL_OPTIONS, Invocation
from toolkit.commands.options.csv import CSV, printed_as_data, refuse_both
from toolkit.commands.options.event import ablation_options, keywords
from toolkit.commands.options.players import read_players
from toolkit.commands.options.run import setting
from toolkit.commands.options.types import ENGINE, EVENT_NAME, FEATURE, PLAYER, Players

if TYPE_CHECKING:
    from toolkit.events.settings import EventSettings


def _features(settings: EventSettings) -> list[str]:
    """What the copies of the engine have off, each labelled by one."""
    copies = settings.players[1 : max(settings.heroes, 1)] or settings.players[1:]
    return [player.label.partition("=")[0] for player in copies]


@click.command(
    "ablate",
    cls=Command,
    examples=(
        ("mtdf ablate --engine pvs --pairs 200 --nodes 2000 -j 2", "all features that pvs has on"),
        (
            "mtdf ablate --engine mtdf --feature null_move --feature hash "
            "--field 'uci:stockfish?nodes=300' --pairs 100 --nodes 2000",
            "two features, against another program with a limit of its own",
        ),
        ("mtdf ablate --event last --csv > features.csv", "export an earlier ablation as CSV"),
    ),
)
@click.option(
    "--engine",
    type=ENGINE,
    default="pvs",
    show_default=True,
    help="Engine whose features are switched off.",
)
@setting(
    "--feature",
    "features",
    type=FEATURE,
    multiple=True,
    help="Feature to switch off; may be repeated; default: all features that are on.",
    stored=_features,
)
@click.option(
    "--field",
    type=PLAYER,
    multiple=True,
    help="Opponent of the engine and of each copy, in place of the engine; may be repeated.",
)
@click.option(
    "--event",
    metavar="EVENT",
    type=EVENT_NAME,
    help="Show the table of this ablation so far, without playing.",
)
@ablation_options
@CSV
@click.pass_context
def command(
    ctx: click.Context,
    /,
    engine: Variant,
    features: tuple[str, ...],
    field: tuple[Players, ...],
    event: str | None,
    as_csv: bool,
    **values: Any,
) -> None:
    """Play an engine against copies of itself with one feature switched off each.

    With --field, the engine and the copies play the same opponents instead, such as other programs
    (`uci:COMMAND`), and the Elo of a copy is the difference of two ratings. That needs two to
    four times as many games for the same error.

    The table shows the Elo of each copy against the full engine, the greatest loss first, with
    nodes, median depth and speed. A feature is a parameter with a value that switches it off; see
    `mtdf engines parameters`. `mtdf resume` continues an interrupted ablation.
    """
    output = ctx.ensure_object(Invocation).output
    refuse_both(output, as_csv)
    if event is not None:
        _print_played(ctx, event, as_csv)
        return
    from toolkit.commands.runs.event import play_new_event
    from toolkit.reports.ablation import ablation_settings

    if values["pairs"] is None:
        raise click.UsageError("--pairs N is missing, or --event EVENT")
    options = keywords(ctx, values)
    opponents = read_players(ctx.ensure_object(Invocation), *field)
    settings = ablation_settings(engine, features, field=opponents, **options)
    play_new_event(ctx, settings, options.get("book"), **values, as_csv=as_csv)


def _print_played(ctx: click.Context, event: str, as_csv: bool) -> None:
    """The table of a stored event. Raises UsageError where options ask for games, too."""
    from toolkit.reports.ablation import AblationRow, find_ablation
    from toolkit.show.tables.ablation import print_ablation

    for param in ctx.command.params:
        given = ctx.get_parameter_source(param.name or "") is click.core.ParameterSource.COMMANDLINE
        if not given or param.opts[0] in ("--event", "--csv", *GLOBAL_OPTIONS):
            continue
        raise click.UsageError(f"--event plays nothing: leave {param.opts[0]} out")
    invocation = ctx.ensure_object(Invocation)
    with invocation.database() as db:
        table = find_ablation(db, event)
    rows = table.features
    if not printed_as_data(invocation.output, as_csv, AblationRow, rows, whole=table):
        print_ablation(invocation.output, table)
