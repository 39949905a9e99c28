"""External engines that the database keeps under names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from db.errors import NotFound, RecordError
from db.records import NamedEngineRecord
from engines.external.identify import identify
from engines.spec import UciCommand, UciEngine
from engines.suggestion import did_you_mean
from toolkit.base.errors import NothingMatched, UsageError
from toolkit.play.contenders import NamedEngine, check_engine_name

if TYPE_CHECKING:
    from db.session import Database


def named_engines(db: Database) -> dict[str, NamedEngine]:
    """The engines that a database keeps, by name."""
    return {record.name: _engine(record) for record in db.repository.named_engines()}


def add_named_engine(db: Database, engine: NamedEngine) -> UciEngine:
    """Keep an engine under its name, once it has been started and its options checked. Raises
    VariantError, EngineFailure, UsageError for a name that is taken."""
    check_engine_name(engine.name)
    if engine.name in named_engines(db):
        raise UsageError(
            f"an engine named `{engine.name}` is kept already: choose another name, or "
            f"mtdf engines rm {engine.name}"
        )
    found = started(engine)
    try:
        db.repository.add_named_engine(NamedEngineRecord(engine.name, _settings(engine)))
    except RecordError as error:
        raise UsageError(str(error)) from error
    return found


def started(engine: NamedEngine) -> UciEngine:
    """The engine as it is now. Raises VariantError, EngineFailure."""
    return identify(
        engine.command,
        engine.options,
        label=engine.name,
        spelling=engine.name,
        restart=engine.restart,
    ).engine


def remove_named_engine(db: Database, name: str) -> None:
    """Forget an engine; its games stay. Raises NothingMatched."""
    try:
        db.repository.remove_named_engine(name)
    except NotFound as error:
        hint = did_you_mean(name, named_engines(db))
        raise NothingMatched(f"{error}{hint} (mtdf engines list)") from error


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
