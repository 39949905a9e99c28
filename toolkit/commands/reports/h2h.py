"""``mtdf h2h``: two engines head to head."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from engines.limit import spell_limits
from toolkit.base.output import Output
from toolkit.base.rows import field_names
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import csv_option, refuse_both
from toolkit.commands.options.selection import EVENT, conditions, saying_left_out, selection_of
from toolkit.commands.options.types import EngineName

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.reports.meetings import HeadToHeadPart, HeadToHeadRow
    from toolkit.selection.sequential import SprtSettings


@click.command(
    "h2h",
    cls=Command,
    examples=(
        ("mtdf h2h mtdf pvs", "all games between the two"),
        ("mtdf h2h new old --event league --elo0 0 --elo1 5", "with the LLR of a sequential test"),
        ("mtdf h2h mtdf pvs --csv > parts.csv", "all breakdowns, for a spreadsheet"),
    ),
)
@click.argument("first", metavar="ENGINE", type=EngineName())
@click.argument("second", metavar="ENGINE", type=EngineName())
@EVENT
@conditions
@click.option("--all", "all_openings", is_flag=True, help="Print all openings.")
@click.option("--mix", is_flag=True, help="Combine all engines with the same label, and all cores.")
@click.option("--mix-limits", is_flag=True, help="Combine games under all limits.")
@click.option(
    "--elo0",
    metavar="ELO",
    type=float,
    help="Also compute an LLR, with this H0; default: 0 with --elo1.",
)
@click.option("--elo1", metavar="ELO", type=float, help="H1 of that LLR; default: 5 with --elo0.")
@click.option("--alpha", metavar="P", type=float, default=0.05, help="Probability of a false H1.")
@click.option("--beta", metavar="P", type=float, default=0.05, help="Probability of a false H0.")
@click.option(
    "--model",
    type=click.Choice(["normalized", "logistic", "bayesian"]),
    default="normalized",
    show_default=True,
    help="Unit of ELO in --elo0 and --elo1.",
)
@click.option("--trinomial", is_flag=True, help="Count games, not pairs, in the LLR.")
@csv_option("Print the breakdowns as CSV.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    first: str,
    second: str,
    all_openings: bool,
    mix: bool,
    mix_limits: bool,
    as_csv: bool,
    **values: Any,
) -> None:
    """Compare two engines in the games between them: the score, game pairs, breakdowns by colour,
    end reason, length and opening, and the cost of their searches.

    Different limits and different cores (backend or signature) have separate reports, unless
    --mix-limits or --mix is given. Select one with ENGINE@LIMIT or 'ENGINE @BACKEND:SIGNATURE', as
    printed in reports. JSON output has a single report, so select one.
    """
    from toolkit.reports.meetings import HeadToHeadPart, head_to_head, heads_to_heads
    from toolkit.show.tables.h2h import print_h2h

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    refuse_both(output, as_csv)
    with invocation.database() as db:
        sprt = _sprt_of(values)
        selection = selection_of(values)
        find = head_to_head if output.as_json else heads_to_heads
        with saying_left_out(output, db, selection):
            found = find(db, first, second, selection, sprt=sprt, mix=mix, mix_limits=mix_limits)
        rows = found if isinstance(found, list) else [found]
        shown = _shown(db, rows)
    if output.as_json:
        output.json_object(rows[0])
    elif as_csv:
        output.csv_rows(field_names(HeadToHeadPart), chain.from_iterable(map(_parts, rows)))
    else:
        limits = len({spell_limits(row.first_limit, row.second_limit) for row in rows})
        cores = len({tuple(row.cores) for row in rows})
        for number, row in enumerate(rows):
            if number:
                output.text()
            print_h2h(output, row, all_openings=all_openings, core=cores > 1, shown=shown)
        if len(rows) > 1:
            output.text()
        if limits > 1:
            output.text(f"{limits} limits, compared separately (--mix-limits combines them)")
        if cores > 1:
            output.text(f"{cores} cores, compared separately (--mix combines them)")
    for row in rows:
        _warn(output, row)


def _parts(row: HeadToHeadRow) -> Iterator[HeadToHeadPart]:
    """Every part of a report, as CSV has them."""
    return chain(row.by_colour, row.by_end_reason, row.by_length, row.by_opening)


def _sprt_of(values: dict[str, Any]) -> SprtSettings | None:
    """The test that the options ask for, taken out of all values. Raises UsageError."""
    from toolkit.selection.sequential import SprtSettings

    elo0, elo1 = values.pop("elo0"), values.pop("elo1")
    alpha, beta, model = values.pop("alpha"), values.pop("beta"), values.pop("model")
    games = values.pop("trinomial")
    if elo0 is None and elo1 is None:
        return None
    return SprtSettings.make(
        0.0 if elo0 is None else elo0,
        5.0 if elo1 is None else elo1,
        alpha=alpha,
        beta=beta,
        model=model,
        counting="trinomial" if games else "pentanomial",
    )


def _shown(db: Database, rows: Sequence[HeadToHeadRow]) -> dict[str, str]:
    """What the tables call the two engines, by label; not of a label that several engines had."""
    from toolkit.selection.labels import shown_names

    sides = [
        side for row in rows for side in ((row.first, row.first_ids), (row.second, row.second_ids))
    ]
    shown = shown_names(db, [(label, identity) for label, ids in sides for identity in ids])
    return {label: shown[label, ids[0]] for label, ids in sides if len(ids) == 1}


def _warn(output: Output, row: HeadToHeadRow) -> None:
    for name, ids in ((row.first, row.first_ids), (row.second, row.second_ids)):
        if len(ids) > 1:
            output.warning(f"`{name}` was a label of {len(ids)} engines: {', '.join(ids)}")
