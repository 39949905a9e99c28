"""Digests of the files that an engine is made of: its program, scripts, networks."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from typing import Any

from engines.errors import EngineFailure
from engines.external.process import resolve_program
from engines.external.text import shown
from engines.spec import UciCommand, UciEngine

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


def text_or_file(text: str, directory: str | None) -> str | dict[str, str]:
    """The text itself, or ``{"file": SHA-256}`` if it is the path of a file, as seen from where the
    engine runs. Raises EngineFailure when that cannot be read."""
    path = os.path.join(directory or os.curdir, text)
    return {"file": file_digest(path)} if text and os.path.isfile(path) else text


def changed_part(engine: UciEngine) -> str | None:
    """What of the engine is not as it was when it was identified: its program, or a file that an
    argument or option names. Raises EngineFailure when one cannot be read."""
    command, facts = engine.command, engine.facts
    if program_digest(command) != facts["program"]:
        return command.argv[0]
    recorded: Mapping[str, Any] = facts["options"]
    texts = [
        *zip(command.argv[1:], facts["arguments"], strict=True),
        *((value, recorded[name]) for name, value in engine.options if name in recorded),
    ]
    for text, fact in texts:
        if isinstance(fact, Mapping) and text_or_file(text, command.directory) != fact:
            return text
    return None
