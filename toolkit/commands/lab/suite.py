"""``mtdf suite``: positions whose solutions are known."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, refuse_both
from toolkit.commands.options.players import read_players
from toolkit.commands.options.run import GAME, JOBS, limit_argument, limit_options_of, name_option
from toolkit.commands.options.types import PLAYER, Players

if TYPE_CHECKING:
    from toolkit.runs.jobs import Jobs


@click.command(
    "suite",
    cls=Command,
    examples=(
        ("mtdf suite bratko-kopec --engine mtdf --engine pvs --movetime 100", "24 positions"),
        (
            "mtdf suite sts.epd --engine uci:./main --engine uci:./patch --nodes 100000 -j 2",
            "points, and whether the patch lost any",
        ),
        ("mtdf show last --searches", "each position: move, points, nodes to the solution"),
    ),
)
@click.argument("file", metavar="SUITE")
@click.option(
    "--engine",
    "engines",
    type=PLAYER,
    multiple=True,
    required=True,
    help="Engine to test; may be repeated. The others are compared with the first.",
)
@GAME
@limit_options_of(lambda kind: f"Limit of each search: {kind.help}.")
@JOBS
@name_option("run", "Name of the run; default: suite-N.")
@CSV
@click.pass_context
def command(
    ctx: click.Context,
    /,
    file: str,
    engines: tuple[Players, ...],
    jobs: Jobs,
    name: str,
    as_csv: bool,
    **limits: Any,
) -> None:
    """Let engines solve the positions of a suite.

    SUITE is `bratko-kopec`, `proven-200`, or a file of EPD with best moves (`bm`), moves to avoid
    (`am`), mates (`dm`) or points (`c0 "Nf3=10, d4=5"`), in SAN or UCI notation; other games have a
    line `POSITION; bm MOVE;`. A position is solved by the move that the engine plays in the end.
    The run is stored as a laboratory run: `show`, `resume`, `rm`, `report` know it.
    """
    from toolkit.commands.runs.suite import finish_suite, warn_about_load
    from toolkit.show.live.lab import LabView
    from toolkit.show.live.progress import Live
    from toolkit.suites.positions import load_answered
    from toolkit.suites.run import start_suite, suite_plan

    invocation = ctx.ensure_object(Invocation)
    refuse_both(invocation.output, as_csv)
    limit = limit_argument(limits)
    players = read_players(invocation, list(chain.from_iterable(engines)))
    suite = load_answered(file, players[0].engine.game)
    plan = suite_plan(suite, players, limit)
    warn_about_load(invocation.output, plan, jobs)
    with invocation.database(create=True) as db:
        with Live(invocation, LabView()) as live:
            outcome = start_suite(db, plan, suite, name=name, jobs=jobs, on_progress=live.show)
        finish_suite(ctx, db, outcome, as_csv)
