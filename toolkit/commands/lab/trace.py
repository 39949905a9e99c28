"""``mtdf trace``: one exact search, pass by pass."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.base.errors import ExitCode
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.trace import trace_options, traced_position
from toolkit.commands.options.types import WHOLE

if TYPE_CHECKING:
    from engines.spec import Variant
    from toolkit.lab.trace import TraceReport


@click.command(
    "trace",
    cls=Command,
    examples=(
        ("mtdf trace --position start --depth 6", "how MTD(f) converges to the value"),
        (
            "mtdf trace --position lab-40 --depth 4 --engine sss --top 1",
            "a position of the suite lab-60, with the top of the tree",
        ),
        (
            "mtdf trace --fen '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1' --depth 16 --html x.html",
            "a page with the passes",
        ),
    ),
)
@trace_options
@click.option(
    "--all", "every", is_flag=True, help="Show the passes of all depths, not only the last."
)
@click.option(
    "--top",
    "plies",
    type=WHOLE,
    help="Search with the reference backend and show the top N plies of the tree.",
)
@click.option(
    "--html", metavar="FILE", help="Write a page with the passes, and the top of the tree of --top."
)
@click.option(
    "--record",
    is_flag=True,
    help="With --json: search with the reference backend, and print every visit of the last "
    "iteration.",
)
@click.option(
    "--check", is_flag=True, help="Compare the value with plain minimax, which visits every leaf."
)
@click.pass_context
def command(
    ctx: click.Context,
    fen: str | None,
    position: str | None,
    depth: int,
    engine: Variant,
    first_guess: int | None,
    every: bool,
    plies: int | None,
    html: str | None,
    record: bool,
    check: bool,
) -> None:
    """Show an exact search pass by pass: guesses, bounds, values and nodes, compared with PVS on
    the same trees.

    Re-expanded nodes are interior nodes whose moves the iteration had already searched at the same
    depth. The exit code is 1 if --check or PVS finds another value.
    """
    from toolkit.base.files import check_place
    from toolkit.base.format import format_count
    from toolkit.lab.trace import (
        MANY_LEAVES,
        TraceQuery,
        minimax_leaves,
        position_lines,
        trace_search,
    )
    from toolkit.show.tables.trace import print_trace

    output = ctx.ensure_object(Invocation).output
    if record and not output.as_json:
        raise click.UsageError("--record prints with --json only", ctx)
    found = traced_position(ctx, engine, fen, position)
    if check and (leaves := minimax_leaves(found.fen, depth, engine.game)) > MANY_LEAVES:
        output.hint(
            f"plain minimax visits about {format_count(leaves)} leaves, and captures below each: "
            "this may take long (Ctrl-C ends it)"
        )
    if html is not None:
        check_place(Path(html))
    if engine.threads > 1:
        output.warning(
            "several threads: nodes of a pass are what all threads searched meanwhile, passes that "
            "others settled have none, and the search is not repeatable"
        )
    report = trace_search(TraceQuery(engine, found.fen, depth, first_guess, check, plies, record))
    if html is not None:
        _write_page(report, html)
        output.hint(f"wrote {html}")
    if output.as_json:
        output.json_object(report)
    else:
        for line in position_lines(report):
            output.text(line)
        output.text()
        print_trace(output, report, every=every)
    if report.check_passed is False or not report.agrees:
        output.error(_difference(report))
        ctx.exit(ExitCode.FAILED)


def _write_page(report: TraceReport, path: str) -> None:
    from toolkit.base.files import write_output
    from toolkit.show.pages.document import document
    from toolkit.show.pages.trace import trace_subject

    subject = trace_subject(report)
    write_output(path, document(subject.title, [subject]))


def _difference(report: TraceReport) -> str:
    checked, move_value = report.checked, report.move_value
    truth = f"plain minimax says {checked}, and " if checked is not None else ""
    says = f"the search says {report.value}"
    if move_value is not None:
        says += f" at least and {report.best}, which is worth {move_value}"
    return f"{says}; {truth}PVS says {report.pvs_value}: report this position"
