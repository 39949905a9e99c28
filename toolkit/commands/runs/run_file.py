"""Events as TOML files: a command line in another spelling.

    command = "gauntlet"
    pairs = 100
    nodes = 20000
    book = "openings.epd"

    [[engine]]
    role = "hero"
    driver = "mtdf"
    guess = "parity"

    [[engine]]
    role = "field"
    command = "stockfish"
    name = "sf"
    tc = "10+0.1"
    options = { Hash = 64, Threads = 1 }

Keys are the long options of the command, without dashes before them. An engine has ``driver`` and
parameters, ``command`` (and ``options``, ``dir``, ``env``), or ``engine``: the text of a command
line. Each may have ``name`` and a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click
from msgspec import Struct

from engines.external.text import quoted_command, quoted_items
from engines.registry import DRIVERS
from engines.suggestion import did_you_mean
from toolkit.base.toml import Scalar, TomlFile, read_toml, toml_value
from toolkit.commands.options.files import NOT_IN_FILES, file_options, long_name
from toolkit.events.contenders import (
    EXTERNAL_KEYS,
    OWN_KEYS,
    UCI,
    command_words,
    is_external,
)

ROLES: dict[str, Mapping[str, str]] = {
    "match": {"": ""},
    "round-robin": {"": ""},
    "knockout": {"": ""},
    "swiss": {"": ""},
    "gauntlet": {"hero": "--hero", "field": "--field"},
    "sprt": {"test": "--test", "base": "--base"},
    "race": {"": ""},
    "ablate": {"": "--engine", "field": "--field"},
}
"""The commands that play an event: the roles of their engines, and the option of each; engines
without an option are arguments."""
NAMED_BY_FILE = "mtdf.named_by_file"
"""Where a context keeps whether the event has its name from a file."""
_KINDS = ("driver", "command", "engine")
_TABLE = "engine"
_OF_ALL = ("role", *(key for key in OWN_KEYS if key not in EXTERNAL_KEYS))
"""Keys that every engine may have."""


class RunFile(Struct, frozen=True):
    """What a file asks for: a command and its arguments."""

    command: str
    arguments: tuple[str, ...]
    names: bool
    """Whether the event has its name from the file."""


def read_run_file(
    path: str, commands: Mapping[str, click.Command], extra: Sequence[str]
) -> RunFile:
    """The command that a file describes. ``extra``: further arguments of a command line, whose
    options replace those of the file. Raises UsageError for a file that cannot be read, an unknown
    key, and a value of another kind than its option has."""
    return _Reader(read_toml(path), commands).read(extra)


_PLACES = frozenset(("jobs", "cluster"))
"""Where an event is played: one of them takes the place of the other."""


class _Reader(Struct, frozen=True):
    """Reads one file."""

    file: TomlFile
    commands: Mapping[str, click.Command]

    def read(self, extra: Sequence[str]) -> RunFile:
        data = self.file.data
        name = data.get("command")
        if not isinstance(name, str) or name not in self.commands:
            hint = did_you_mean(str(name), self.commands) or f" ({', '.join(self.commands)})"
            what = "is missing" if name is None else f"`{name}` plays no event"
            self.file.refuse(f"`command` {what}{hint}", "", "command")
        command = self.commands[name]
        given = _given(command, extra)
        options: list[str] = []
        for param, said in file_options(self.file, command.params, ("command", _TABLE)).items():
            if param.name in given or (param.name in _PLACES and _PLACES & given):
                continue
            option = long_name(param)
            if isinstance(said, bool):
                options += [option] if said else []
            else:
                texts = [said] if isinstance(said, str) else said
                options += [f"{option}={one}" for one in texts]
        engines = data.get(_TABLE, [])
        if not isinstance(engines, list) or not all(isinstance(one, dict) for one in engines):
            self.file.refuse("engines are tables: [[engine]]", "", _TABLE)
        arguments: list[str] = []
        for number, table in enumerate(engines):
            role = table.get("role", "")
            roles = ROLES[name]
            if not isinstance(role, str) or role not in roles:
                wanted = " or ".join(f"`{one}`" for one in roles if one) or "none"
                given_role = f"role `{role}` of an engine" if role else "an engine without a `role`"
                self.file.refuse(f"{given_role}: {name} has {wanted}", _TABLE, "role", number)
            text = self._engine(table, number)
            if roles[role] and _name_of(command, roles[role]) in given:
                continue
            options += [f"{roles[role]}={text}"] if roles[role] else []
            arguments += [] if roles[role] else [text]
        names = "name" in data and "name" not in given
        return RunFile(name, (*options, *extra, "--", *arguments), names)

    def _engine(self, table: Mapping[str, Any], number: int) -> str:
        """An engine as the command line writes it."""
        kinds = [kind for kind in _KINDS if kind in table]
        if len(kinds) != 1:
            self.file.refuse(
                "an engine has either `driver`, `command` or `engine`",
                _TABLE,
                kinds[-1] if kinds else "",
                number,
            )
        own = {
            key: self._scalar(table, key, number)
            for key in table
            if key in OWN_KEYS and key not in ("dir", "restart")
        }
        rest = {
            key: table[key] for key in table if key not in own and key not in ("role", kinds[0])
        }
        if kinds[0] == "driver":
            return self._variant(self._scalar(table, "driver", number), rest, own, number)
        allowed = ("options", "restart", "dir", "env") if kinds[0] == "command" else ("restart",)
        for key in rest:
            if key not in allowed:
                hint = did_you_mean(key, (*allowed, *_OF_ALL))
                self.file.refuse(f"unknown key `{key}` of an engine{hint}", _TABLE, key, number)
        if kinds[0] == "engine":
            text = self._scalar(table, "engine", number)
            return _with_items(text, own | self._switch(rest, number))
        return self._program(table, own | self._switch(rest, number), rest, number)

    def _variant(
        self, driver: str, rest: Mapping[str, Any], own: Mapping[str, str], number: int
    ) -> str:
        if driver not in DRIVERS:
            self.file.refuse(
                f"no driver `{driver}`{did_you_mean(driver, DRIVERS)}", _TABLE, "driver", number
            )
        known = (*DRIVERS[driver].parameters, "preset")
        for key in rest:
            if key not in known:
                hint = did_you_mean(key, (*known, *_OF_ALL))
                self.file.refuse(f"unknown key `{key}` of {driver}{hint}", _TABLE, key, number)
        values = {key: self._scalar(rest, key, number) for key in rest}
        parts = [f"{key}={value}" for key, value in {**values, **own}.items()]
        return driver + (f":{','.join(parts)}" if parts else "")

    def _program(
        self,
        table: Mapping[str, Any],
        own: Mapping[str, str],
        rest: Mapping[str, Any],
        number: int,
    ) -> str:
        command = table["command"]
        if isinstance(command, str):
            try:
                words = command_words(command, str(rest.get("dir") or "") or None)
            except ValueError as error:
                self.file.refuse(f"`command`: {error}", _TABLE, "command", number)
        elif isinstance(command, list) and all(isinstance(word, str) for word in command):
            words = command
        else:
            self.file.refuse(
                "`command` must be a text or an array of texts", _TABLE, "command", number
            )
        items = dict(self._table(rest, "options", number))
        items |= {f"env.{key}": value for key, value in self._table(rest, "env", number).items()}
        if "dir" in rest:
            items["dir"] = self._scalar(rest, "dir", number)
        parts = quoted_items({**items, **own})
        return f"{UCI}:{quoted_command(words)}" + ("?" + "&".join(parts) if parts else "")

    def _table(self, rest: Mapping[str, Any], key: str, number: int) -> dict[str, str]:
        table = rest.get(key, {})
        if not isinstance(table, dict):
            self.file.refuse(f"`{key}` must be a table", _TABLE, key, number)
        return {name: self._scalar(table, name, number, f"{_TABLE}.{key}") for name in table}

    def _switch(self, rest: Mapping[str, Any], number: int) -> dict[str, str]:
        return {} if "restart" not in rest else {"restart": self._scalar(rest, "restart", number)}

    def _scalar(self, table: Mapping[str, Any], key: str, number: int, where: str = _TABLE) -> str:
        value = table[key]
        if isinstance(value, bool):
            return "on" if value else "off"
        if not isinstance(value, Scalar):
            self.file.refuse(f"`{key}` must be a number, a text, true or false", where, key, number)
        return str(value)


def _with_items(text: str, items: Mapping[str, str]) -> str:
    """The text of an engine with more items."""
    first, joint = ("?", "&") if is_external(text) else (":", ",")
    begin = joint if first in text[len(UCI) + 1 :] or (joint == "," and ":" in text) else first
    native = text.partition(":")[0].strip() in DRIVERS
    added = joint.join(
        [f"{key}={value}" for key, value in items.items()] if native else quoted_items(items)
    )
    return f"{text}{begin}{added}" if added else text


def _name_of(command: click.Command, option: str) -> str | None:
    """The name of the parameter of an option."""
    return next(param.name for param in command.params if option in param.opts)


def _given(command: click.Command, extra: Sequence[str]) -> frozenset[str]:
    """The names of the parameters that a command line gives."""
    context = click.Context(
        command, info_name=command.name, resilient_parsing=True, **command.context_settings
    )
    order = command.make_parser(context).parse_args(list(extra))[2]
    return frozenset(param.name for param in order if param.name)


RoleTable = tuple[str, Mapping[str, Any]]
"""The role of an engine, and its table."""


def run_file_text(
    command: click.Command, said: Callable[[click.Parameter], Any], engines: Sequence[RoleTable]
) -> str:
    """A file that :func:`read_run_file` reads as a command with these engines. ``said``: the value
    of an option; None, False and an empty text are left out."""
    lines = [f"command = {toml_value(command.name or '')}"]
    for param in command.params:
        name = long_name(param)
        if not name or name in (*NOT_IN_FILES, *ROLES[command.name or ""].values()):
            continue
        value = said(param)
        if value is not None and value is not False and value != "":
            lines.append(f"{name[2:]} = {toml_value(value)}")
    for role, table in engines:
        lines += ["", f"[[{_TABLE}]]"]
        lines += [f"role = {toml_value(role)}"] if role else []
        for key, value in table.items():
            if isinstance(value, Mapping):
                items = (f"{toml_value(name)} = {toml_value(one)}" for name, one in value.items())
                lines.append(f"{key} = {{ {', '.join(items)} }}" if value else f"{key} = {{}}")
            else:
                lines.append(f"{key} = {toml_value(value)}")
    return "\n".join(lines) + "\n"
