"""``mtdf sprt``: a sequential test of two engines, its plan, and statistics of given counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from toolkit.base.format import count_of
from toolkit.commands._base import Group
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, printed_as_data
from toolkit.commands.options.event import hypothesis_options, keywords, test_options
from toolkit.commands.options.players import read_two
from toolkit.commands.options.run import setting
from toolkit.commands.options.types import PLAYER, WHOLE, Players

if TYPE_CHECKING:
    from toolkit.selection.sequential import SprtSettings

_EXAMPLE = ("10", "120", "300", "150", "20")
"""Counts of a message."""
_MODELS = click.Choice(["normalized", "logistic", "bayesian"])


def _hypotheses(function: Any) -> Any:
    """The options for hypotheses and model."""
    model = setting(
        "--model",
        type=_MODELS,
        default="normalized",
        show_default=True,
        help="Unit of ELO in the hypotheses; bayesian needs trinomial counts.",
        stored="sprt.test.model",
    )
    return hypothesis_options(model(function))


def _test_of(values: dict[str, Any], *, by_games: bool) -> SprtSettings:
    """The test of the options of :func:`_hypotheses`, which are taken out of ``values``."""
    from toolkit.selection.sequential import SprtSettings

    given = {name: values.pop(name) for name in ("elo0", "elo1", "alpha", "beta", "model")}
    return SprtSettings.make(**given, counting="trinomial" if by_games else "pentanomial")


@click.group(
    "sprt",
    cls=Group,
    invoke_without_command=True,
    examples=(
        (
            "mtdf sprt --test mtdf:guess=previous --base mtdf:guess=parity --elo0 0 --elo1 10 "
            "--nodes 2000 -j 2",
            "is it 10 normalized Elo better, or no better?",
        ),
        ("mtdf sprt plan --elo0 0 --elo1 10", "expected length of such a test"),
        (
            "mtdf sprt calc --pentanomial 10,120,300,150,20 --elo0 0 --elo1 10 --model logistic",
            "evaluate counts from another program",
        ),
    ),
)
@click.option("--test", type=PLAYER, help="Engine under test.")
@click.option("--base", type=PLAYER, help="Engine to compare it with.")
@_hypotheses
@setting(
    "--trinomial",
    is_flag=True,
    help="Count games, not pairs.",
    stored=lambda settings: settings.sprt is not None and settings.sprt.counting == "trinomial",
)
@test_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    test: Players | None,
    base: Players | None,
    trinomial: bool,
    **values: Any,
) -> None:
    """Test one engine against another until the result is clear: H0 or H1.

    The verdict does not depend on --jobs. `mtdf resume` continues an interrupted test.
    """
    if ctx.invoked_subcommand is not None:
        return
    ctx.ensure_object(Invocation).announce_backend()
    from toolkit.commands.runs.event import play_new_event
    from toolkit.events.settings import sprt_settings

    for name, engine in (("--test", test), ("--base", base)):
        if engine is None:
            raise click.UsageError(f"{name} ENGINE is missing")
    assert test is not None and base is not None
    sprt = _test_of(values, by_games=trinomial)
    options = keywords(ctx, values)
    both = read_two(ctx.ensure_object(Invocation), test, base, "test")
    settings = sprt_settings(*both, sprt=sprt, **options)
    if settings.pairs < options["max_pairs"]:
        ctx.ensure_object(Invocation).output.warning(
            f"the book has {count_of(settings.pairs, 'line')}, so the test ends after as many "
            "pairs; a larger book or --book BOOK:repeat=on lets it go on"
        )
    play_new_event(ctx, settings, options.get("book"), **values)


@command.command(
    "calc",
    examples=(
        (
            "mtdf sprt calc --pentanomial 10,120,300,150,20 --elo0 0 --elo1 10 --model logistic",
            "pairs that scored 0, 0.5, 1, 1.5, 2 points",
        ),
        (
            "mtdf sprt calc --trinomial 110,210,130 --elo0 0 --elo1 10 --model logistic --json",
            "losses, draws, wins",
        ),
    ),
)
@click.option(
    "--pentanomial", metavar="LL,LD,DD,WD,WW", help="Game pairs by points: 0, 1/2, 1, 3/2, 2."
)
@click.option("--trinomial", metavar="L,D,W", help="Games: losses, draws and wins.")
@_hypotheses
@click.pass_obj
def calc_command(
    invocation: Invocation, /, pentanomial: str | None, trinomial: str | None, **hypotheses: Any
) -> None:
    """Compute LLR, verdict and Elo for given counts."""
    from toolkit.reports.sprt import sprt_from_counts

    if (pentanomial is None) == (trinomial is None):
        raise click.UsageError("give either --pentanomial or --trinomial")
    if pentanomial is not None and hypotheses["model"] == "bayesian":
        raise click.UsageError(
            "--model bayesian needs games, not pairs: give --trinomial L,D,W, or use --model "
            "normalized or logistic"
        )
    counts = _counts("--pentanomial", pentanomial, 5) or _counts("--trinomial", trinomial, 3)
    settings = _test_of(hypotheses, by_games=trinomial is not None)
    row = sprt_from_counts(counts, settings.test)
    output = invocation.output
    if output.as_json:
        output.json_object(row)
        return
    from toolkit.show.tables.sprt import test_lines

    for line in test_lines(row):
        output.text(line)


@command.command(
    "plan",
    short_help="Expected length and pass rate of a test by true strength.",
    examples=(
        ("mtdf sprt plan --elo0 0 --elo1 5", "by true strength, with half of the games drawn"),
        (
            "mtdf sprt plan --elo0 0 --elo1 10 --model logistic --draws 0.6 --true-elo 0",
            "for a single true strength",
        ),
        (
            "mtdf sprt plan --elo1 10 --pentanomial 10,120,300,150,20",
            "with a measured distribution of pairs",
        ),
    ),
)
@_hypotheses
@click.option("--trinomial", is_flag=True, help="Count games, not pairs.")
@click.option(
    "--draws",
    metavar="P",
    type=float,
    default=0.5,
    show_default=True,
    help="Draw rate between equal players.",
)
@click.option(
    "--pentanomial",
    metavar="LL,LD,DD,WD,WW",
    help="Measured pairs by points, instead of --draws.",
)
@click.option(
    "--true-elo",
    "true_elos",
    metavar="ELO",
    type=float,
    multiple=True,
    help="Assumed true strength; may be repeated.",
)
@click.option("--max-pairs", type=WHOLE, help="Stop without a verdict after N pairs.")
@CSV
@click.pass_context
def plan_command(
    ctx: click.Context,
    /,
    trinomial: bool,
    draws: float,
    pentanomial: str | None,
    true_elos: tuple[float, ...],
    max_pairs: int | None,
    as_csv: bool,
    **hypotheses: Any,
) -> None:
    """Compute the expected number of pairs and the pass rate by true strength, without playing."""
    from toolkit.base.ranges import check_whole
    from toolkit.reports.sprt import SprtPlanRow, sprt_plan
    from toolkit.show.tables.sprt import print_sprt_plan

    if pentanomial is not None:
        for name, option in (("draws", "--draws"), ("trinomial", "--trinomial")):
            if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
                raise click.UsageError(f"{option} and --pentanomial exclude each other", ctx)
        if hypotheses["model"] == "bayesian":
            raise click.UsageError(
                "--model bayesian needs games, not pairs: give --trinomial in place of "
                "--pentanomial, or use --model normalized or logistic",
                ctx,
            )
    if max_pairs is not None:
        check_whole("max-pairs", max_pairs, 1, 10_000_000)
    settings = _test_of(hypotheses, by_games=trinomial)
    rows = sprt_plan(
        settings,
        draw_ratio=draws,
        measured=_counts("--pentanomial", pentanomial, 5) or None,
        true_elos=true_elos or None,
        max_pairs=max_pairs,
    )
    output = ctx.ensure_object(Invocation).output
    if printed_as_data(output, as_csv, SprtPlanRow, rows):
        return
    limited = max_pairs is not None
    print_sprt_plan(output, rows, limited=limited)
    shape = "pairs as measured" if pentanomial else "games of a pair taken as independent"
    output.text(f"true Elo in the unit of the {settings.test.model} model; {shape}; approximate")


def _counts(name: str, text: str | None, wanted: int) -> tuple[int, ...]:
    if text is None:
        return ()
    parts = [part.strip() for part in text.split(",")]
    if any(part.startswith("-") and part[1:].isdecimal() for part in parts):
        raise click.UsageError(f"{name} `{text}`: counts are not negative")
    if len(parts) != wanted or not all(part.isdecimal() for part in parts):
        example = ",".join(_EXAMPLE[:wanted])
        raise click.UsageError(f"{name} `{text}`: expected {wanted} whole numbers, as in {example}")
    if max(map(len, parts)) > 15:
        raise click.UsageError(f"{name} `{text}`: numbers of at most 15 digits")
    return tuple(int(part) for part in parts)
