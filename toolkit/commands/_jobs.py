"""The options of what uses worker processes, and of what goes on with a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from toolkit.base.ranges import check_jobs
from toolkit.commands._types import WHOLE

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _checked(ctx: click.Context, param: click.Parameter, value: int | None) -> int | None:
    if value is not None:
        check_jobs(value)
    return value


JOBS = click.option(
    "--jobs",
    "-j",
    type=WHOLE,
    default=1,
    show_default=True,
    callback=_checked,
    help="Worker processes.",
)


def resume_options(function: _Function) -> _Function:
    """The options of what goes on with a run."""
    jobs = click.option(
        "--jobs",
        "-j",
        type=WHOLE,
        callback=_checked,
        help="Worker processes; default: as many as before.",
    )
    allow = click.option(
        "--allow-changed", is_flag=True, help="Continue even if this program plays differently."
    )
    return jobs(allow(function))
