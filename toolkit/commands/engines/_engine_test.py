"""``mtdf engines test``: whether an external engine keeps the protocol and its limits."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from toolkit.base.errors import ExitCode
from toolkit.base.output import Output
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.engines._named_engines import COMMAND_WORDS
from toolkit.commands.options.players import kept_engines
from toolkit.commands.options.types import KeptEngineType

if TYPE_CHECKING:
    from engines.spec import UciEngine
    from toolkit.compliance.examine import EngineTest, PointRow


class TestedType(click.ParamType[str]):
    """A word of the engine to be tested: a kept name, or part of a command."""

    name = "tested"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """Kept names, then files."""
        found = KeptEngineType().shell_complete(ctx, param, incomplete)
        return found or [CompletionItem(incomplete, type="file")]


@click.command(
    "test",
    cls=Command,
    context_settings=COMMAND_WORDS,
    short_help="Test whether an external engine keeps protocol and limits.",
    examples=(
        ("mtdf engines test sf", "a kept engine, with the options that were kept"),
        ("mtdf engines test gnuchess --uci", "a command"),
        ("mtdf engines test 'uci:stockfish?Threads=2'", "a command with options"),
    ),
)
@click.argument("words", metavar="NAME|COMMAND...", nargs=-1, required=True, type=TestedType())
@click.pass_context
def test_command(ctx: click.Context, words: Sequence[str]) -> None:
    """Test whether an external engine keeps the UCI protocol and its limits, and what it costs. It
    takes about half a minute; an engine that hangs is killed.

    FAIL means that games are lost or measured wrongly, or that a limit cannot be used; warn, that
    something else is not in order. The exit code is 1 if a point fails, 4 if the engine does not
    start. NAME is a kept engine or `uci:COMMAND`; after `--`, all words are the engine's.
    """
    from toolkit.compliance.examine import tested_engine

    invocation = ctx.ensure_object(Invocation)
    engine = tested_engine(words, lambda: kept_engines(invocation))
    report = _report(invocation.output, engine)
    if invocation.output.as_json:
        invocation.output.json_object(report)
    if not report.passed:
        ctx.exit(ExitCode.FAILED)


def _report(output: Output, engine: UciEngine) -> EngineTest:
    """Test the engine; print each finding when it is there, unless all are printed as JSON."""
    from engines.cores import available_cores
    from toolkit.compliance.examine import POINTS, EngineTest, PointRow, examine
    from toolkit.reports.external import command_line
    from toolkit.show.live.pace import now_and_then
    from toolkit.show.live.screen import Line, Screen
    from toolkit.show.tables.checks import print_check

    load, begin = os.getloadavg()[0], time.monotonic()
    if load > available_cores():
        output.warning(
            f"the load of this machine is {load:.1f} on {available_cores()} cores: points about "
            "time may fail for that reason"
        )
    rows: list[PointRow] = []
    with Screen(output) as screen:
        say = now_and_then(output, lambda text: f"testing {text}")

        def show(text: str) -> None:
            if screen.is_live:
                screen.draw([Line([f"{len(rows)}/{len(POINTS)}  {text}"])])
            else:
                say(text)

        before = begin
        for finding in examine(engine, progress=show):
            now = time.monotonic()
            row = PointRow(
                point=finding.point,
                status=finding.status,
                detail=finding.detail,
                meaning=finding.meaning,
                seconds=round(now - before, 3),
            )
            rows.append(row)
            before = now
            if not output.as_json:
                then = f"so: {finding.meaning}" if finding.meaning else ""
                print_check(output, finding.status, finding.point, finding.detail, then)
    statuses = [row.status for row in rows]
    return EngineTest(
        engine=engine.label,
        name=engine.facts.get("name", engine.label),
        id=engine.identity,
        command=command_line(engine.command),
        passed="FAIL" not in statuses,
        warnings=statuses.count("warn"),
        failures=statuses.count("FAIL"),
        seconds=round(time.monotonic() - begin, 3),
        load=load,
        points=rows,
    )
