"""``--then COMMAND``: what is run when a run has ended."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any

import click

from db.records.events import EventRecord
from toolkit.base.config import DATABASE_VARIABLE, database_location
from toolkit.commands._invocation import THEN, Invocation

if TYPE_CHECKING:
    from msgspec import Struct

    from db.records.runs import RunRecord


def run_then(
    ctx: click.Context, run: RunRecord, status: str, row: Struct, **found: float | str | None
) -> None:
    """Run the command of ``--then``, if there is one, after this process has ended its work on a
    run and printed the result.

    It has ``row`` as JSON on standard input, and what is ``found`` in the environment, in names
    such as ``MTDF_ELO``; its output goes to standard error. That it fails is a warning.
    """
    command: str | None = ctx.meta.get(THEN)
    if command is None:
        return
    invocation = ctx.ensure_object(Invocation)
    key, kind = (run.key, run.kind) if isinstance(run, EventRecord) else (run.name, run.what)
    said: dict[str, Any] = {"run": key, "name": run.name, "kind": kind, "status": status, **found}
    environment = {
        f"MTDF_{name.upper()}": str(one) for name, one in said.items() if one is not None
    }
    environment[DATABASE_VARIABLE] = database_location(invocation.db)
    output = invocation.output
    try:
        done = subprocess.run(
            command,
            shell=True,
            env=os.environ | environment,
            input=output.json_text(row).encode(),
            stdout=2,
            check=False,
        )
    except (OSError, ValueError) as error:
        output.warning(f"--then `{command}`: {error}")
        return
    if done.returncode:
        how = f"exit code {done.returncode}"
        if done.returncode < 0:
            how = f"signal {-done.returncode}"
        output.warning(f"--then `{command}` ended with {how}")
