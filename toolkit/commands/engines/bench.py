"""``mtdf bench``: the fixed bench and the signature of the core, or the speeds of two engines."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, printed_as_data, refuse_both
from toolkit.commands.options.players import read_two
from toolkit.commands.options.run import GAME
from toolkit.commands.options.types import PLAYER, WHOLE, Players

if TYPE_CHECKING:
    from toolkit.events.players import Contender


@click.command(
    "bench",
    cls=Command,
    examples=(
        ("mtdf bench", "node counts, speed and signature"),
        ("mtdf bench --json | jq -r .signature", "builds with the same signature play the same"),
        ("mtdf bench uci:./engine-main uci:./engine-patch", "is the patch faster?"),
    ),
)
@click.argument("engines", metavar="[ENGINE ENGINE]", nargs=-1, type=PLAYER)
@GAME
@click.option("--nodes", metavar="N", type=WHOLE, help="Nodes of each search; default: 50000.")
@click.option("--depth", metavar="N", type=WHOLE, help="Depth of each search.")
@click.option(
    "--rounds", metavar="N", type=WHOLE, help="Most rounds over the positions; default: 30."
)
@CSV
@click.pass_context
def command(
    ctx: click.Context,
    engines: tuple[Players, ...],
    nodes: int | None,
    depth: int | None,
    rounds: int | None,
    as_csv: bool,
) -> None:
    """Search a fixed set of positions. The signature is a hash of the node counts and values, and
    that of chess identifies the core in databases.

    With two engines, compare their speeds: both search the same positions in turn (first, second,
    second, first) until the 95 % interval of the ratio is within ± 1 %, or the rounds end. Speeds
    are in nodes per second of CPU time, so other programs on the machine affect them little.
    """
    from engines.backend import BenchSearch, bench
    from toolkit.show.tables.engines import print_bench

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    refuse_both(output, as_csv)
    if engines:
        players = tuple(chain.from_iterable(engines))
        if len(players) == 1:
            raise click.UsageError("give two engines to compare their speeds, or none", ctx)
        both = read_two(invocation, players, (), "bench of speeds")
        _compare(invocation, both, {"nodes": nodes, "depth": depth}, rounds, as_csv)
        return
    for name, value in (("nodes", nodes), ("depth", depth), ("rounds", rounds)):
        if value is not None:
            raise click.UsageError(f"--{name} is for the speeds of two engines", ctx)
    report = bench(invocation.game)
    if not printed_as_data(output, as_csv, BenchSearch, report.searches, whole=report):
        print_bench(output, report)


def _compare(
    invocation: Invocation,
    both: tuple[Contender, Contender],
    limits: dict[str, int | None],
    rounds: int | None,
    as_csv: bool,
) -> None:
    """Compare two engines, and print what was measured."""
    from engines.limit import Limit, read_limit
    from engines.rules.catalog import rules_of
    from toolkit.base.ranges import check_whole
    from toolkit.lab.positions import load_suite
    from toolkit.lab.speed import (
        NODES,
        POSITIONS,
        ROUNDS,
        EngineSpeed,
        SpeedProgress,
        compare_speed,
    )
    from toolkit.show.live.pace import now_and_then
    from toolkit.show.tables.speed import print_speeds

    output = invocation.output
    first, second = (one.engine for one in both)
    for one in both:
        if one.limit is not None:
            raise click.UsageError(f"engine {one.engine.label}: give one limit to both by --nodes")
    if first.game != second.game:
        raise click.UsageError(
            f"{first.label} plays {first.game}, and {second.label} {second.game}"
        )
    most = ROUNDS if rounds is None else rounds
    check_whole("--rounds", most, 1, 10_000)
    limit = read_limit(limits) or Limit(nodes=NODES)
    suite = load_suite(rules_of(first.game).default_suite, POSITIONS, first.game)

    def line(now: SpeedProgress) -> str:
        return f"round {now.rounds} of at most {most}: ratio {now.ratio:.4f}"

    report = compare_speed(
        *(first, second, [one.fen for one in suite.positions], limit),
        rounds=most,
        on_round=now_and_then(output, line),
    )
    rows = (report.first, report.second)
    if not printed_as_data(output, as_csv, EngineSpeed, rows, whole=report):
        print_speeds(output, report)
