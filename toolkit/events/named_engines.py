"""External engines that the database keeps under names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from os.path import abspath
from typing import TYPE_CHECKING

from msgspec import convert, to_builtins
from msgspec.structs import replace

from db.errors import NotFound, RecordError
from db.records.engines import NamedEngineRecord
from engines.external.text import shown
from engines.spec import UciSetup
from engines.suggestion import did_you_mean
from toolkit.base.errors import NothingMatched, UsageError
from toolkit.events.contenders import GIT, anchored_command, check_engine_name, read_git_engine

if TYPE_CHECKING:
    from db.session import Database


def named_engines(db: Database) -> dict[str, UciSetup]:
    """The engines that a database keeps, by name."""
    return {
        one.name: replace(convert(one.settings, UciSetup), spelling=one.name, label=one.name)
        for one in db.repository.named_engines()
    }


def new_named_engine(
    name: str,
    argv: Sequence[str],
    options: Sequence[tuple[str, str]] = (),
    *,
    directory: str | None = None,
    environment: Sequence[tuple[str, str]] = (),
    restart: bool = False,
) -> UciSetup:
    """An engine to be kept, so that it can be started from any folder, see
    :func:`toolkit.events.contenders.anchored_command`. Raises VariantError, UsageError."""
    check_engine_name(name)
    settings = _once(options, "option", name, str.casefold)
    variables = _once(environment, "variable", name, str)
    options = tuple(settings.items())
    if len(argv) == 1 and argv[0].startswith(f"{GIT}:"):
        one = read_git_engine(argv[0])
        command, options = one.command, (*one.options, *options)
        if directory is not None:
            command = replace(command, directory=abspath(directory))
        environment = tuple(sorted({**dict(command.environment), **variables}.items()))
        command, restart = replace(command, environment=environment), restart or one.restart
    else:
        command = anchored_command(argv, settings, directory, variables)
    return UciSetup(command=command, options=options, spelling=name, label=name, restart=restart)


def check_new_name(name: str, kept: Iterable[str]) -> None:
    """Raises UsageError for a name that is taken."""
    if name in kept:
        raise UsageError(
            f"an engine named `{name}` is kept already: choose another name, or "
            f"mtdf engines rm {name}"
        )


def add_named_engine(db: Database, engine: UciSetup) -> None:
    """Keep an engine under its name. It should have been started before. Raises UsageError for a
    name that is taken."""
    check_engine_name(engine.label)
    check_new_name(engine.label, named_engines(db))
    try:
        db.repository.add_named_engine(NamedEngineRecord(engine.label, to_builtins(engine)))
    except RecordError as error:
        raise UsageError(str(error)) from error


def remove_named_engine(db: Database, name: str) -> UciSetup:
    """Forget an engine, and return it; its games stay. Raises NothingMatched."""
    kept = named_engines(db)
    try:
        db.repository.remove_named_engine(name)
    except NotFound as error:
        hint = did_you_mean(name, kept)
        raise NothingMatched(
            f"no engine named `{shown(name)}` is kept{hint} (mtdf engines list)"
        ) from error
    return kept[name]


def _once(
    pairs: Sequence[tuple[str, str]], what: str, name: str, fold: Callable[[str], str]
) -> dict[str, str]:
    """The values by key. Raises UsageError for a key that is empty, or given twice once it is
    folded."""
    values: dict[str, str] = {}
    for key, value in pairs:
        if not key:
            raise UsageError(f"engine `{name}`: {what} `={shown(value)}` has no name")
        if fold(key) in map(fold, values):
            raise UsageError(f"engine `{name}`: {what} `{shown(key)}` is given twice")
        values[key] = value
    return values
