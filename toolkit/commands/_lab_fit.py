"""``mtdf lab fit``: the first guesses regression and quantile from searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands._types import WHOLE
from toolkit.output import Column, Output, count_of, format_number

if TYPE_CHECKING:
    from toolkit.lab.fit_rows import LabFitReport


@click.command(
    "fit",
    cls=Command,
    short_help="Fit a first guess to searches, and measure it on others.",
    examples=(
        ("mtdf lab fit --guess regression --depth 6 -j 2", "a linear guess, on 200 positions"),
        (
            "mtdf lab fit --guess quantile --positions lab-60 --count 60 --grain 10",
            "with a shift by what failing high and failing low cost",
        ),
    ),
)
@click.option(
    "--guess", type=click.Choice(["regression", "quantile"]), required=True, help="What is fitted."
)
@click.option(
    "--positions",
    metavar="SUITE",
    default="balanced-20k",
    show_default=True,
    help="A book of the package, `lab-60`, or a file of positions (EPD, FEN, PGN).",
)
@click.option(
    "--count",
    type=WHOLE,
    default=200,
    show_default=True,
    help="Positions, spread evenly over the suite: half to fit, half to measure.",
)
@click.option("--depth", type=WHOLE, default=6, show_default=True, help="Depth of the searches.")
@click.option("--grain", type=WHOLE, help="Grain of the engine; default: as the registry says.")
@click.option("--jobs", "-j", type=WHOLE, default=1, show_default=True, help="Worker processes.")
@click.pass_obj
def command(
    invocation: Invocation,
    guess: str,
    positions: str,
    count: int,
    depth: int,
    grain: int | None,
    jobs: int,
) -> None:
    """Fit coefficients (regression) and shifts (quantile) of mtdf's first guess to exact searches
    of one half of the positions, and measure on the other half what they save."""
    from engines.variant import make_variant
    from toolkit.commands._event_options import check_jobs
    from toolkit.lab.fit import fit_guess
    from toolkit.lab.positions import load_suite

    output = invocation.output
    check_jobs(jobs)
    base = make_variant("mtdf", {} if grain is None else {"grain": grain})
    suite = load_suite(positions, count)

    def tell(purpose: str, number: int) -> None:
        output.hint(f"searching {count_of(number, 'position')} to depth {depth} {purpose}")

    print_fit(output, fit_guess(base, guess, suite, depth, jobs, tell))


def print_fit(output: Output, report: LabFitReport) -> None:
    """The variant to play with, and what it is worth."""
    if output.as_json:
        output.json_object(report)
        return
    output.text(f"engine  {report['engine']}")
    output.text(
        f"fitted  to {count_of(report['fitted'], 'position')} of {report['suite']}, depth "
        f"{report['depth']}; measured on {report['held_out']} others"
    )
    high, low, share = report["cost_high"], report["cost_low"], report["share_above"]
    if high is not None and low is not None and share is not None:
        output.text(
            f"costs   of a guess too low {100 * high:.2f} % of nodes a centipawn, too high "
            f"{100 * low:.2f} %: {100 * share:.0f} % of values are to lie above the guess"
        )
    output.text(f"error   {report['error']:.1f} centipawns on average")
    output.text()
    columns = [Column("against"), Column("error", "right"), Column("smaller by", "right")]
    columns += [Column("[95 %]"), Column("nodes", "right"), Column("[95 %]")]
    output.table(
        columns,
        [
            [
                row["against"],
                format_number(row["error"]),
                format_number(row["gain"], 1, signed=True),
                _interval(row["gain_low95"], row["gain_high95"], 1),
                format_number(row["nodes"], 3),
                _interval(row["nodes_low95"], row["nodes_high95"], 3),
            ]
            for row in report["rows"]
        ],
    )


def _interval(low: float | None, high: float | None, digits: int) -> str:
    return "" if low is None or high is None else f"[{low:.{digits}f}, {high:.{digits}f}]"
