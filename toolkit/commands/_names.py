"""The option ``--name``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from toolkit.base.names import Named, check_name

_Function = TypeVar("_Function", bound=Callable[..., Any])


def name_option(what: Named, told: str) -> Callable[[_Function], _Function]:
    """``--name`` with the help text ``told``. The default is an empty name, but an empty name
    cannot be given. Raises UsageError during parsing."""

    def checked(ctx: click.Context, param: click.Parameter, value: str) -> str:
        if ctx.get_parameter_source("name") is not ParameterSource.DEFAULT:
            check_name(what, value)
        return value

    return click.option("--name", metavar="NAME", default="", callback=checked, help=told)
