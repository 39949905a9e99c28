"""A stored event as a TOML file, from which ``mtdf run`` plays it again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

import click

from engines.errors import VariantError
from engines.spec import Limit
from engines.variant import is_label, is_named, parse_variant
from toolkit.base.errors import UsageError
from toolkit.commands import load_command
from toolkit.commands.options.run import Setting
from toolkit.commands.runs.run_file import Engine, run_file_text
from toolkit.events.contenders import default_label, with_limit
from toolkit.events.players import PlayerSettings
from toolkit.events.settings import EventSettings
from toolkit.selection.limits import without_limit

_COMMANDS = {"ablation": "ablate"}
"""Commands that have another name than the kind of their events."""


def event_as_file(settings: EventSettings) -> str:
    """The event of these settings, with every option that its games depend on. Raises UsageError
    for the games of a study."""
    if settings.kind == "tuning":
        raise UsageError("the games of a study are no event of their own: see mtdf tune show")
    command = load_command(_COMMANDS.get(settings.kind, settings.kind))
    assert command is not None
    limit = _limit(settings.limit)

    def said(param: click.Parameter) -> Any:
        if isinstance(param, Setting):
            return param.stored(settings)
        return limit.get(param.opts[0].removeprefix("--"))

    return run_file_text(command, said, list(_engines(settings)))


def _limit(limit: Limit) -> dict[str, Any]:
    """The limit as options; also the keys of an engine."""
    fields = {
        "nodes": limit.nodes,
        "depth": limit.depth,
        "movetime": limit.movetime_ms,
        "cpu-ms": limit.cpu_ms,
    }
    options: dict[str, Any] = {name: value for name, value in fields.items() if value is not None}
    if limit.base_ms is not None:
        moves = "" if limit.moves is None else f"{limit.moves}/"
        options["tc"] = f"{moves}{limit.base_ms / 1000:.10g}+{limit.inc_ms / 1000:.10g}"
    return options


def _engines(settings: EventSettings) -> Iterator[Engine]:
    """The engines with their roles. Copies of an ablation come from its features."""
    for position, player in enumerate(settings.players):
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


def _engine(player: PlayerSettings) -> dict[str, Any]:
    """An engine as a table; an external one by its command, whatever its name stands for now."""
    table: dict[str, Any] = {}
    launch = player.launch
    if launch is None:
        table["engine"] = _text(player)
    else:
        table["command"] = list(launch.argv)
        table["options"] = dict(launch.options)
        if launch.directory is not None:
            table["dir"] = launch.directory
        if launch.environment:
            table["env"] = dict(launch.environment)
        if launch.restart:
            table["restart"] = True
        if launch.memory_mb is not None:
            table["memory"] = launch.memory_mb
        if launch.files != "read":
            table["files"] = launch.files
    name = player.label.replace(",", ";")
    # A long one is the text that meant the engine with the defaults of another time.
    if player.label != _label(player) and is_label(name):
        table["name"] = name
    return table | ({} if player.limit is None else _limit(player.limit))


def _text(player: PlayerSettings) -> str:
    """What means a variant of ours: a label with a preset, else its spelling."""
    label = without_limit(player.label)
    try:
        variant = parse_variant(label)
    except VariantError:
        return player.spelling
    return label if is_named(variant) and variant.identity == player.id else player.spelling


def _label(player: PlayerSettings) -> str:
    """The label that the player has without a name in its table."""
    if player.launch is not None:
        program = PurePath(player.launch.argv[0]).name
        return default_label(program, player.launch.options, player.limit)
    return with_limit(_text(player), player.limit)
