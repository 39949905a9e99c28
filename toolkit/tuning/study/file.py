"""Studies as TOML files: the options of ``mtdf tune run``, and the parameters.

    base = "mtdf:guess=parity"
    budget_pairs = 4000
    nodes = 5000

    [parameters]
    grain = true                        # the registry's range
    null_move_reduction = "2..5"
    guess = ["parity", "blend"]
    futility = { low = 20, high = 200, log = true }

Errors name the file, and the line where the TOML has one for the key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engines.suggestion import did_you_mean
from toolkit.base.toml import Scalar, TomlFile

TABLES = {"parameters": "parameters", "start": "start_values", "sampler_options": "sampler_options"}
"""The keys that hold a table, and the keywords that they are; ``parameters`` may be an array of
texts instead."""
_FORMS = ("low", "high", "log", "choices", "when")


def study_tables(file: TomlFile) -> dict[str, tuple[str, ...]]:
    """The tables of a study's file, by keyword, as the options ``--param``, ``--start`` and
    ``--sampler-option`` take them. Raises UsageError for one of another form."""
    reader = _Reader(file)
    tables = {"parameters": reader.parameters(file.data.get("parameters", {}))}
    for key in ("start", "sampler_options"):
        tables[TABLES[key]] = reader.scalars(key)
    return tables


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one file."""

    file: TomlFile

    def parameters(self, data: Any) -> tuple[str, ...]:
        if isinstance(data, list) and all(isinstance(text, str) for text in data):
            return tuple(data)
        if not isinstance(data, Mapping):
            self.file.refuse("`parameters` must be a table or an array of texts", "", "parameters")
        return tuple(self._parameter(name, value) for name, value in data.items())

    def _parameter(self, name: str, value: Any) -> str:
        """One parameter as ``--param`` takes it."""
        if value is True:
            return name
        if isinstance(value, str):
            return f"{name}={value}"
        if isinstance(value, list) and all(isinstance(item, Scalar) for item in value):
            return f"{name}={'|'.join(_written(item) for item in value)}"
        if isinstance(value, Mapping):
            return f"{name}{self._table(name, value)}"
        self.file.refuse(
            f'`{name}` must be true, a text such as "1..50,log", an array of its values, or '
            "a table with low and high",
            "parameters",
            name,
        )

    def _table(self, name: str, value: Mapping[str, Any]) -> str:
        """The text after the name of a parameter that is a table."""
        for key in value:
            if key not in _FORMS:
                hint = did_you_mean(key, _FORMS)
                where = f"parameters.{name}"
                self.file.refuse(f"unknown key `{key}` in [{where}]{hint}", "parameters", name)
        range_ends = [value.get("low"), value.get("high")]
        choices, when, log = value.get("choices"), value.get("when", {}), value.get("log", False)
        if choices is not None and range_ends == [None, None] and not log:
            parts = ["|".join(map(_written, choices))] if isinstance(choices, list) else []
        elif choices is None and None not in range_ends:
            parts = ["..".join(map(_written, range_ends))]
        else:
            parts = []
        if not parts or not isinstance(when, Mapping) or not isinstance(log, bool):
            self.file.refuse(
                f"`{name}` needs either low and high, or choices; log is true or false, when a "
                "table of another parameter's values",
                "parameters",
                name,
            )
        parts += ["log"] if log else []
        for other, wanted in when.items():
            values = wanted if isinstance(wanted, list) else [wanted]
            parts.append(f"{other}={'|'.join(map(_written, values))}")
        return f"={','.join(parts)}"

    def scalars(self, key: str) -> tuple[str, ...]:
        """A table of plain values."""
        table = self.file.data.get(key, {})
        if not isinstance(table, Mapping):
            self.file.refuse(f"`{key}` must be a table", "", key)
        for name, value in table.items():
            if not isinstance(value, Scalar):
                self.file.refuse(f"`{name}` must be a number, a text, true or false", key, name)
        return tuple(f"{name}={_written(value)}" for name, value in table.items())


def _written(value: Any) -> str:
    """A value as ``--param`` and ``--start`` take it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
