"""Digests of the files that an engine is made of: its program, scripts, networks."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any, Self

from msgspec import Struct

from engines.errors import EngineFailure
from engines.external.builds import built
from engines.external.process import resolve_program
from engines.external.text import shown
from engines.spec import UciCommand, UciEngine

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_WRITTEN = frozenset(
    ["log", "logs", "logfile", "logging", "learn", "learning", "learned", "experience"]
)
_WRITTEN_ENDINGS = (".log", ".exp", ".lrn")
_digests: dict[tuple[str, int, int, int, int], str] = {}


def file_digest(path: str) -> str:
    """SHA-256 of a file, in hexadecimal. A file that did not change is read once a process. Raises
    EngineFailure when it cannot be read."""
    try:
        with open(path, "rb") as file:
            state = os.fstat(file.fileno())
            key = (path, state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)
            if key not in _digests:
                _digests[key] = hashlib.file_digest(file, "sha256").hexdigest()
            return _digests[key]
    except OSError as error:
        raise EngineFailure(f"cannot read `{shown(path)}`: {error.strerror}") from None


def program_digest(command: UciCommand) -> str:
    """SHA-256 of the program that the command starts. Raises EngineFailure."""
    return file_digest(resolve_program(command))


class NamedFiles(Struct, frozen=True):
    """The files that arguments and options of an engine name, as they are before it starts."""

    command: UciCommand
    states: Mapping[str, _State | None]
    """By text; None where it names no file."""

    @classmethod
    def before_start(cls, command: UciCommand, options: Iterable[str]) -> Self:
        """Those of a command and of the values of options."""
        texts = [*command.argv[1:], *options]
        return cls(command, {text: _state(text, command.directory) for text in texts})

    def fact(self, name: str, text: str) -> str | dict[str, str]:
        """What the value of an option, or an argument behind a word such as ``--log``, adds to an
        identity, after the engine has ended: ``{"file": SHA-256}`` if it is the path of a file that
        the engine reads, as seen from where it runs; else the text itself. Raises EngineFailure
        when the file cannot be read."""
        command = self.command
        state = _state(text, command.directory)
        if state is None or command.files == "none":
            return text
        if command.files == "read" and (
            _is_written(name, text) or self.states.get(text, state) != state
        ):
            return text
        return {"file": file_digest(_path(text, command.directory))}

    def arguments(self) -> list[str | dict[str, str]]:
        """The facts of all arguments."""
        words = self.command.argv
        names = (word if word.startswith("-") else "" for word in words)
        return [self.fact(name, text) for name, text in zip(names, words[1:], strict=False)]


_State = tuple[int, int, int, int]
"""Device, inode, size and time of change of a file."""


def _path(text: str, directory: str | None) -> str:
    return os.path.join(directory or os.curdir, text)


def _state(text: str, directory: str | None) -> _State | None:
    path = _path(text, directory)
    if not text or not os.path.isfile(path):
        return None
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _is_written(name: str, text: str) -> bool:
    """Whether a file is a log or what an engine learns, by the name of the option or by its own."""
    words = {word.lower() for word in _WORD.findall(name)}
    return bool(words & _WRITTEN) or os.path.splitext(text)[1].lower() in _WRITTEN_ENDINGS


def changed_part(engine: UciEngine) -> str | None:
    """What of the engine is not as it was when it was identified: its program, or a file that an
    argument or option names. Raises EngineFailure when one cannot be read."""
    command, facts = engine.command, engine.facts
    source = command.source
    program = facts["program"] if source is None else built(source).program
    if program_digest(command) != program:
        return command.argv[0]
    recorded: Mapping[str, Any] = facts["options"]
    texts = [
        *zip(command.argv[1:], facts["arguments"], strict=True),
        *((value, recorded[name]) for name, value in engine.options if name in recorded),
    ]
    for text, fact in texts:
        path = _path(text, command.directory)
        if isinstance(fact, Mapping) and not (
            os.path.isfile(path) and fact == {"file": file_digest(path)}
        ):
            return text
    return None
