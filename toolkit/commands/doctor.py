"""``mtdf doctor``: check whether machine and installation are ready to play."""

from __future__ import annotations

import click

from toolkit.base.errors import ExitCode
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.types import WHOLE


@click.command(
    "doctor",
    cls=Command,
    examples=(
        ("mtdf doctor", "one line per check, with a fix for each problem"),
        ("mtdf doctor --jobs 8", "also check whether eight workers are too many"),
    ),
)
@click.option("--jobs", "-j", type=WHOLE, help="Number of workers to check for.")
@click.pass_context
def command(ctx: click.Context, jobs: int | None) -> None:
    """Check installation, core, database and machine. The exit code is 1 if a check fails."""
    from toolkit.base.doctor import run_checks
    from toolkit.show.tables.checks import print_check

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    failed = False
    rows = []
    for check in run_checks(invocation.db, jobs):
        failed = failed or check.status == "FAIL"
        rows.append(check)
        if not output.as_json:
            then = f"fix: {check.fix}" if check.fix else ""
            print_check(output, check.status, check.name, check.detail, then)
    if output.as_json:
        output.json_rows(rows)
    if failed:
        ctx.exit(ExitCode.FAILED)
