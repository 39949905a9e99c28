"""Reading TOML files of users: what a file says, and on which line, for messages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any, NoReturn

from msgspec import Struct

from toolkit.base.errors import UsageError
from toolkit.base.files import open_input

_MAX_BYTES = 1_000_000
"""A larger file is not what it should be."""
Scalar = str | int | float | bool


class TomlFile(Struct, frozen=True):
    """A file that was read."""

    path: str
    text: str
    data: Mapping[str, Any]

    def refuse(self, reason: str, table: str, key: str, nth: int = 0) -> NoReturn:
        """Raise UsageError about a key of a table (empty: the top), with its line. ``nth``: of
        which table of that name, in an array of tables."""
        line = self._line_of(table, key, nth)
        if line is None and "." in table:
            parent, _, name = table.rpartition(".")
            line = self._line_of(parent, name, nth)
        if line is None and table:
            line = self._head_of(table.partition(".")[0], nth)
        raise UsageError(f"{self.path}{f':{line}' if line else ''}: {reason}")

    def _head_of(self, table: str, nth: int) -> int | None:
        """The line of the head of a table, of the ``nth`` of an array."""
        seen = -1
        for number, line in enumerate(self.text.splitlines(), start=1):
            seen += _head(line) == table
            if seen == nth:
                return number
        return None

    def _line_of(self, table: str, key: str, nth: int) -> int | None:
        """The line, from 1, where a key of a table stands; None when it is not plain to see, as in
        an inline table."""
        current, seen = "", -1  # the last of an array of tables, from 0
        whole = table.partition(".")[0]
        for number, line in enumerate(self.text.splitlines(), start=1):
            if (head := _head(line)) is not None:
                current = head
                seen += current == whole and line.lstrip().startswith("[[")
                if current in (f"{table}.{key}", f".{key}", key) and not (table and current == key):
                    if not table or max(seen, 0) == nth:
                        return number
            elif current == table and re.match(rf"\s*([\"']?){re.escape(key)}\1\s*[=.]", line):
                if not table or max(seen, 0) == nth:
                    return number
            elif not current and re.match(rf"\s*{re.escape(f'{table}.{key}')}\s*[=.]", line):
                return number
        return None


def _head(line: str) -> str | None:
    """The table that a line begins, without quotation marks; None for another line."""
    head = re.match(r"\s*\[+\s*([^\]]*?)\s*\]", line)
    return head and head[1].replace('"', "").replace("'", "")


def read_toml(path: str) -> TomlFile:
    """The file at ``path``. Raises UsageError for one that cannot be read, or is no TOML."""
    try:
        with open_input(path) as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    if len(data) > _MAX_BYTES:
        raise UsageError(f"{path}: larger than {_MAX_BYTES // 10**6} MB, so no file of options")
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
        return TomlFile(path, text, tomllib.loads(text))
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text ({error.reason})") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(_syntax_error(path, str(error))) from error
    except ValueError:  # of Python's reader of whole numbers
        raise UsageError(f"{path}: a number in it has too many digits") from None
    except RecursionError:
        raise UsageError(f"{path}: its arrays or tables are nested too deeply") from None


def toml_value(value: Scalar | list[str]) -> str:
    """A value as TOML writes it, which is as JSON does but for some characters: those beyond the
    first 65,536, of which JSON may write the halves, and DEL, which TOML wants escaped."""
    import json

    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _syntax_error(path: str, message: str) -> str:
    found = re.fullmatch(r"(.*) \(at line (\d+), column \d+\)", message, re.DOTALL)
    what, where = (found[1], f"{path}:{found[2]}") if found else (message, path)
    return f"{where}: not TOML: {' '.join(what.split())}"
