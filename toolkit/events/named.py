"""External engines that the database keeps under names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from db.errors import NotFound, RecordError
from db.records import NamedEngineRecord
from engines.external.identify import Identified, identify
from engines.external.text import shown
from engines.spec import UciCommand
from engines.suggestion import did_you_mean
from toolkit.base.errors import NothingMatched, UsageError
from toolkit.events.contenders import NamedEngine, anchored_command, check_engine_name

if TYPE_CHECKING:
    from db.session import Database


def named_engines(db: Database) -> dict[str, NamedEngine]:
    """The engines that a database keeps, by name."""
    return {record.name: _engine(record) for record in db.repository.named_engines()}


def new_named_engine(
    name: str,
    argv: Sequence[str],
    options: Sequence[tuple[str, str]] = (),
    *,
    directory: str | None = None,
    environment: Sequence[tuple[str, str]] = (),
    restart: bool = False,
) -> NamedEngine:
    """An engine to be kept, so that it can be started from any folder, see
    :func:`toolkit.events.contenders.anchored_command`. Raises VariantError, UsageError."""
    check_engine_name(name)
    settings = _once(options, "option", name, str.casefold)
    variables = _once(environment, "variable", name, str)
    command = anchored_command(argv, settings, directory, variables)
    return NamedEngine(name, command, settings, restart)


def check_new_name(name: str, kept: Iterable[str]) -> None:
    """Raises UsageError for a name that is taken."""
    if name in kept:
        raise UsageError(
            f"an engine named `{name}` is kept already: choose another name, or "
            f"mtdf engines rm {name}"
        )


def add_named_engine(db: Database, engine: NamedEngine) -> None:
    """Keep an engine under its name. It should have been started before. Raises UsageError for a
    name that is taken."""
    check_engine_name(engine.name)
    check_new_name(engine.name, named_engines(db))
    try:
        db.repository.add_named_engine(NamedEngineRecord(engine.name, _settings(engine)))
    except RecordError as error:
        raise UsageError(str(error)) from error


def started(engine: NamedEngine) -> Identified:
    """The engine as it is now, and what it announces. Raises VariantError, EngineFailure."""
    return identify(
        engine.command,
        engine.options,
        label=engine.name,
        spelling=engine.name,
        restart=engine.restart,
    )


def remove_named_engine(db: Database, name: str) -> NamedEngine:
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


def _settings(engine: NamedEngine) -> dict[str, Any]:
    return {
        "argv": list(engine.command.argv),
        "directory": engine.command.directory,
        "environment": dict(engine.command.environment),
        "options": dict(engine.options),
        "restart": engine.restart,
    }


def _engine(record: NamedEngineRecord) -> NamedEngine:
    settings: Mapping[str, Any] = record.settings
    environment = tuple(sorted(settings["environment"].items()))
    command = UciCommand(tuple(settings["argv"]), settings["directory"], environment)
    return NamedEngine(record.name, command, settings["options"], settings["restart"])
