"""A stored event as a TOML file, from which ``mtdf run`` plays it again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

import click

from engines.errors import VariantError
from engines.limit import without_limit
from engines.spec import Variant
from engines.variant import is_label, is_named, parse_variant
from toolkit.base.errors import UsageError
from toolkit.commands import load_command
from toolkit.commands.options.run import Setting
from toolkit.commands.runs.run_file import RoleTable, run_file_text
from toolkit.events.contenders import default_label, git_text, with_limit
from toolkit.events.players import Contender
from toolkit.events.settings import EventSettings

_COMMANDS = {"ablation": "ablate"}
"""Commands that have another name than the kind of their events."""


def event_as_file(settings: EventSettings) -> str:
    """The event of these settings, with every option that its games depend on. Raises UsageError
    for the games of a study."""
    if settings.kind == "tuning":
        raise UsageError("the games of a study are not a separate event: see mtdf show")
    command = load_command(_COMMANDS.get(settings.kind, settings.kind))
    assert command is not None
    limit = settings.limit.items

    def said(param: click.Parameter) -> Any:
        if isinstance(param, Setting):
            return param.stored(settings)
        return limit.get(param.opts[0].removeprefix("--"))

    return run_file_text(command, said, list(_engines(settings)))


def _engines(settings: EventSettings) -> Iterator[RoleTable]:
    """The engines with their roles. Copies of an ablation come from its features."""
    players = settings.players
    if settings.kind == "race":  # the command names the base first
        players = (players[-1], *players[:-1])
    for position, player in enumerate(players):
        hero = position < settings.heroes
        role = ""
        if settings.kind == "gauntlet":
            role = "hero" if hero else "field"
        elif settings.kind == "sprt":
            role = "test" if hero else "base"
        elif settings.kind == "ablation" and position > 0:
            if hero or settings.heroes == 1:
                continue
            role = "field"
        yield role, _engine(player)


def _engine(player: Contender) -> dict[str, Any]:
    """An engine as a table; an external one by its command, whatever its name stands for now."""
    table: dict[str, Any] = {}
    engine = player.engine
    if isinstance(engine, Variant):
        table["engine"] = _text(engine)
    else:
        command = engine.command
        if command.source is not None:
            table["engine"] = git_text(engine)
        else:
            table["command"] = list(command.argv)
            table["options"] = dict(engine.options)
            if command.directory is not None:
                table["dir"] = command.directory
            if command.environment:
                table["env"] = dict(command.environment)
        if engine.restart:
            table["restart"] = True
        if command.memory_mb is not None:
            table["memory"] = command.memory_mb
        if command.files != "read":
            table["files"] = command.files
    name = player.label.replace(",", ";")
    # A long one is the text that meant the engine with the defaults of another time.
    if player.label != _label(player) and is_label(name):
        table["name"] = name
    return table | ({} if player.limit is None else player.limit.items)


def _text(stored: Variant) -> str:
    """What means a variant of ours: a label with a preset, else its spelling."""
    label = without_limit(stored.label)
    try:
        variant = parse_variant(label)
    except VariantError:
        return stored.spelling
    same = variant.identity == stored.identity
    return label if is_named(variant) and same else stored.spelling


def _label(player: Contender) -> str:
    """The label that the player has without a name in its table."""
    engine = player.engine
    if isinstance(engine, Variant):
        return with_limit(_text(engine), player.limit)
    program = PurePath(engine.command.argv[0]).name
    return default_label(program, dict(engine.options), player.limit)
