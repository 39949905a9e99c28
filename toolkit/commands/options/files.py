"""Options in files of events and studies: a key is the long name of an option."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import click

from engines.suggestion import did_you_mean
from toolkit.base.toml import Scalar, TomlFile
from toolkit.commands._invocation import GLOBAL_OPTIONS
from toolkit.commands.options.types import WHOLE

NOT_IN_FILES = frozenset({*GLOBAL_OPTIONS, "--dry-run", "--then"})


def file_options(
    file: TomlFile, params: Iterable[click.Parameter], apart: Sequence[str]
) -> dict[click.Option, bool | str | list[str]]:
    """What the keys of a file say for these options: whether a flag is set, and the texts of
    another option. ``apart``: keys that are no options. Raises UsageError for an unknown key, and
    for a value of another kind than its option has."""
    options = {
        long_name(param)[2:]: param
        for param in params
        if isinstance(param, click.Option) and long_name(param) not in NOT_IN_FILES
    }
    said: dict[click.Option, bool | str | list[str]] = {}
    for key, value in file.data.items():
        if key.replace("-", "_") in apart:
            continue
        option = options.get(key.replace("_", "-"))
        if option is None:
            known = [*options, *apart]
            names = [one.replace("-", "_") for one in known] if "_" in key else known
            file.refuse(f"unknown key `{key}`{did_you_mean(key, names)}", "", key)
        said[option] = _said(file, key, option, value)
    return said


def _said(file: TomlFile, key: str, option: click.Option, value: Any) -> bool | str | list[str]:
    """The value of a key, of the kind that its option has."""
    if option.is_flag:
        if not isinstance(value, bool):
            file.refuse(f"`{key}` must be true or false", "", key)
        return value
    values = value if isinstance(value, list) and option.multiple else [value]
    number = isinstance(option.type, click.types.FloatParamType)
    for one in values:
        if option.multiple:
            fits, words = isinstance(one, str), "a text or an array of texts"
        elif number or option.type is WHOLE:
            fits, words = _is_number(option, one), "a number" if number else "a whole number"
        else:
            fits, words = _is_scalar(one), "a number or a text"
        if not fits:
            file.refuse(f"`{key}` must be {words}", "", key)
    return [str(one) for one in values] if option.multiple else str(value)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, Scalar) and not isinstance(value, bool)


def _is_number(option: click.Option, value: Any) -> bool:
    """Whether the option takes the value, perhaps beyond its range."""
    with suppress(click.BadParameter):
        option.type.convert(str(value), None, None)
        return _is_scalar(value)
    return False


def long_name(param: click.Parameter) -> str:
    """The long name of an option, which is its key; empty for an argument."""
    return next((name for name in param.opts if name.startswith("--")), "")
