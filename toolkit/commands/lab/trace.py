"""``mtdf trace``: one exact search, pass by pass."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource
from msgspec.structs import replace

from engines.choices import DEFAULT_GAME
from engines.trees.published import PUBLISHED
from toolkit.base.errors import ExitCode
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.trace import trace_options, traced_position
from toolkit.commands.options.types import ENGINE, WHOLE

if TYPE_CHECKING:
    from engines.spec import Variant
    from toolkit.base.output import Output
    from toolkit.lab.trace import TraceQuery, TraceReport

_BY_REFERENCE = (
    "; the page plays the search of the reference backend, which orders moves differently: the "
    "value is the same, nodes and passes are not"
)


@click.command(
    "trace",
    cls=Command,
    examples=(
        ("mtdf trace --position start --depth 6", "how MTD(f) converges to the value"),
        (
            "mtdf trace --fen '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1' --depth 16 --html x.html",
            "a page on which the search can be played",
        ),
        ("mtdf trace --tree '((3 12 8) (2 4 6) (14 5 2))' --beside sss", "a tree made by hand"),
    ),
)
@trace_options
@click.option(
    "--tree",
    "made",
    metavar="TREE",
    help="Search a tree of values, as MAX at the root sees them: `((3 12 8) (2 4 6))`, with names "
    f"`A(B(3 12) C(2 B))`, one of {', '.join(PUBLISHED)}, or `random:depth=4,width=3,seed=1,"
    "values=0..20`.",
)
@click.option(
    "--beside",
    type=ENGINE,
    help="Second engine, to compare on the same position or tree and depth.",
)
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
    "--html",
    metavar="FILE",
    help="Write a page on which the search can be played.",
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
    made: str | None,
    beside: Variant | None,
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
    from toolkit.base.files import check_place, write_output
    from toolkit.lab.trace import TraceQuery, position_lines, trace_search, watched
    from toolkit.show.pages.trace import trace_page
    from toolkit.show.tables.trace import print_trace

    output = ctx.ensure_object(Invocation).output
    if record and not output.as_json:
        raise click.UsageError("--record prints with --json only", ctx)
    if made is not None:
        query = _tree_query(ctx, made)
    else:
        found = traced_position(ctx, engine, fen, position)
        query = TraceQuery(engine, found.fen, depth, check=check)
        _warn(output, query)
    if html is not None:
        check_place(Path(html))
    is_printed = made is not None and not output.as_json
    query = replace(
        query,
        first_guess=first_guess,
        check=check,
        plies=plies,
        record=record or is_printed,
        beside=beside,
    )
    report = trace_search(query)
    if html is not None:
        shown = watched(query, report)
        write_output(html, trace_page(shown))
        note = "" if shown.backend == report.backend else _BY_REFERENCE
        output.hint(f"wrote {html}{note}")
    if output.as_json:
        output.json_object(report)
    else:
        if made is None:
            for line in position_lines(report):
                output.text(line)
            output.text()
        print_trace(output, report, every=every)
    if report.check_passed is False or not report.agrees:
        output.error(_difference(report))
        ctx.exit(ExitCode.FAILED)
    if report.beside is not None and not report.beside.agrees:
        other = report.beside
        output.error(
            f"{other.engine} says {other.value}, best {other.best}; PVS says {report.pvs_value}: "
            "report this position"
        )
        ctx.exit(ExitCode.FAILED)


def _tree_query(ctx: click.Context, text: str) -> TraceQuery:
    """The query of a tree made by hand. Raises UsageError for options that it has no use for."""
    from toolkit.lab.trace import tree_query

    if text.strip().isdecimal():
        raise click.UsageError(
            f"--tree {text}: a tree is a list of values; `--top {text}` prints plies of the tree",
            ctx,
        )
    for option in ("fen", "position"):
        if ctx.params[option] is not None:
            raise click.UsageError(f"--tree has no position: leave --{option} out", ctx)
    engine = ctx.params["engine"]
    if _is_default(ctx, "engine") and engine.game == DEFAULT_GAME:
        engine = None
    query = tree_query(text, engine)
    return query if _is_default(ctx, "depth") else replace(query, depth=ctx.params["depth"])


def _is_default(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is ParameterSource.DEFAULT


def _warn(output: Output, query: TraceQuery) -> None:
    """Say what takes long, and what cannot be repeated."""
    from toolkit.base.format import format_count
    from toolkit.lab.trace import MANY_LEAVES, minimax_leaves

    game = query.variant.game
    if query.check and (leaves := minimax_leaves(query.fen, query.depth, game)) > MANY_LEAVES:
        output.hint(
            f"plain minimax visits about {format_count(leaves)} leaves, and captures below each: "
            "this may take long (Ctrl-C ends it)"
        )
    if query.variant.threads > 1:
        output.warning(
            "several threads: nodes of a pass are what all threads searched meanwhile, passes that "
            "others settled have none, and the search is not repeatable"
        )


def _difference(report: TraceReport) -> str:
    checked, move_value = report.checked, report.move_value
    truth = f"plain minimax says {checked}, and " if checked is not None else ""
    says = f"the search says {report.value}"
    if move_value is not None:
        says += f" at least and {report.best}, which is worth {move_value}"
    return f"{says}; {truth}PVS says {report.pvs_value}: report this position"
