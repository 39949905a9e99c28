"""The options of what makes a run or continues one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from toolkit.base.names import Named, check_name
from toolkit.base.ranges import check_jobs
from toolkit.commands._types import WHOLE

_Function = TypeVar("_Function", bound=Callable[..., Any])


def stacked(*options: Callable[[Any], Any]) -> Callable[[_Function], _Function]:
    """One decorator out of several, in the order of the help page."""

    def decorated(function: _Function) -> _Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorated


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


BOOK_PLIES = click.option(
    "--book-plies",
    type=WHOLE,
    help="Use only the first N plies of each game of a PGN book (default: all), or of each path "
    "through a Polyglot book (default: 8).",
)

AFFINITY = click.option(
    "--affinity", is_flag=True, help="Pin each worker and its engines to processor cores."
)

ENGINE_LOG = click.option(
    "--engine-log",
    metavar="DIR",
    help="Keep what is sent to external engines and what they print in files in DIR, at most 8 MB "
    "per engine and worker.",
)

resume_options = stacked(
    click.option(
        "--jobs",
        "-j",
        type=WHOLE,
        callback=_checked,
        help="Worker processes; default: as many as before.",
    ),
    click.option(
        "--allow-changed", is_flag=True, help="Continue even if this program plays differently."
    ),
)
"""The options of what continues a run."""


def name_option(what: Named, told: str) -> Callable[[_Function], _Function]:
    """``--name`` with the help text ``told``. The default is an empty name, but an empty name
    cannot be given. Raises UsageError when it is parsed."""

    def checked(ctx: click.Context, param: click.Parameter, value: str) -> str:
        if ctx.get_parameter_source("name") is not ParameterSource.DEFAULT:
            check_name(what, value)
        return value

    return click.option("--name", metavar="NAME", default="", callback=checked, help=told)
