"""``mtdf ratings``: a rating list with intervals."""

from __future__ import annotations

import math
import shlex
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import click

from toolkit.base.config import terminal_width
from toolkit.base.output import Output
from toolkit.commands._base import WORDS, Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, printed_as_data, refuse_both
from toolkit.commands.options.selection import saying_left_out, selection_of, selection_options
from toolkit.commands.options.types import ANCHOR, WHOLE

if TYPE_CHECKING:
    from toolkit.ratings.rating_list import RatingReport

_EXPLAIN_WIDTH = 100


@click.command(
    "ratings",
    cls=Command,
    examples=(
        ("mtdf ratings", "one joint fit over all games"),
        (
            "mtdf ratings --event last --anchor pvs=0 --los",
            "one event, with pvs fixed at 0, and the likelihood of superiority of each pair",
        ),
        (
            "mtdf ratings --engine 'mtdf*' --nodes 2000 --since 30d --min-games 50 --influence",
            "a selection of games, with what the order of neighbours depends on",
        ),
    ),
)
@selection_options
@click.option("--min-games", type=WHOLE, default=0, help="Exclude engines with fewer than N games.")
@click.option(
    "--anchor",
    "anchors",
    metavar="NAME=ELO",
    type=ANCHOR,
    multiple=True,
    help="Fix the rating of an engine; NAME@LIMIT=ELO for one limit, as in pvs@nodes=2000=0; may "
    "be repeated. Without an anchor, the mean is 0.",
)
@click.option(
    "--bootstrap",
    type=WHOLE,
    default=0,
    help="Estimate errors from N bootstrap resamples, at least 100.",
)
@click.option(
    "--prior", metavar="ELO", type=float, help="Add a normal prior with this standard deviation."
)
@click.option("--mix", is_flag=True, help="Give an engine one rating for all cores.")
@click.option("--mix-limits", is_flag=True, help="Give an engine one rating for all limits.")
@click.option(
    "--los", is_flag=True, help="Also print the likelihood of superiority for every two engines."
)
@click.option(
    "--influence",
    is_flag=True,
    help="Also print, for every two neighbours, how few pairs and which opening, engine or event "
    "change their order if they are removed.",
)
@click.option("--store", is_flag=True, help="Store the list in the database, for mtdf history.")
@CSV
@click.option("--explain", is_flag=True, help="Explain how the list was computed.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    min_games: int,
    anchors: tuple[str, ...],
    bootstrap: int,
    prior: float | None,
    mix: bool,
    mix_limits: bool,
    los: bool,
    influence: bool,
    store: bool,
    as_csv: bool,
    explain: bool,
    **values: Any,
) -> None:
    """Rate the engines: one joint maximum-likelihood fit over the games.

    A rating belongs to an engine under one limit, played by one core (backend or signature). Games
    under other limits or by other cores are rated separately, unless --mix-limits or --mix is
    given. Pools that no result connects are listed separately. Without --store, nothing is written.
    """
    from toolkit.ratings.rating import RatingQuery, rate_games
    from toolkit.ratings.rating_list import explain_ratings

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    refuse_both(output, as_csv)
    machine = output.as_json or as_csv
    if machine and los and influence:
        raise click.UsageError("--los and --influence exclude each other with --json and --csv")
    query = RatingQuery(
        selection=selection_of(values),
        min_games=min_games,
        mix=mix,
        mix_limits=mix_limits,
        anchors=_anchors(anchors),
        bootstrap=bootstrap,
        prior=prior,
        influence=influence,
    )
    with invocation.database(writes=store) as db:
        with saying_left_out(output, db, query.selection):
            report = rate_games(db, query, store=store)
    _print(output, report, los, influence, as_csv)
    if explain:
        _explain(output, explain_ratings(report), beside_data=machine)
    elif not machine:
        words = [word for word in ctx.meta[WORDS] if word != "--store"]
        output.hint(f"{shlex.join(['mtdf', 'ratings', *words, '--explain'])} explains the list")
    if report.list_id is not None:
        output.hint(f"stored as list {report.list_id}; mtdf history ENGINE shows stored lists")


def _print(output: Output, report: RatingReport, los: bool, influence: bool, as_csv: bool) -> None:
    from toolkit.ratings.influence import InfluenceRow, influence_rows
    from toolkit.ratings.rating_list import LosRow, RatingLine, los_rows
    from toolkit.show.tables.ratings import print_influence, print_los, print_ratings

    if los and printed_as_data(output, as_csv, LosRow, los_rows(report)):
        return
    if influence and printed_as_data(output, as_csv, InfluenceRow, influence_rows(report)):
        return
    if not los and not influence and printed_as_data(output, as_csv, RatingLine, report.rows()):
        return
    print_ratings(output, report)
    if los:
        print_los(output, report)
    if influence:
        print_influence(output, report)


def _explain(output: Output, paragraphs: list[str], *, beside_data: bool) -> None:
    """Explain how the list was computed; with JSON or CSV on standard error."""
    width = min(_EXPLAIN_WIDTH, terminal_width(sys.stdout) or _EXPLAIN_WIDTH)
    for paragraph in paragraphs:
        if not beside_data:
            output.text()
        for line in textwrap.wrap(paragraph, width, break_on_hyphens=False):
            output.to_stderr(line) if beside_data else output.text(line)


def _anchors(texts: tuple[str, ...]) -> dict[str, float]:
    anchors: dict[str, float] = {}
    for name, elo in map(_anchor, texts):
        if anchors.setdefault(name, elo) != elo:
            raise click.UsageError(f"--anchor: `{name}` is given two ratings")
    return anchors


def _anchor(text: str) -> tuple[str, float]:
    # A variant may hold equals signs itself, so the last one counts.
    name, equals, number = text.rpartition("=")
    try:
        elo = float(number)
    except ValueError:
        elo = math.nan
    if not equals or not name or not abs(elo) <= 100_000:
        raise click.UsageError(f"--anchor `{text}`: expected NAME=ELO, as in `pvs=0`")
    return name, elo
