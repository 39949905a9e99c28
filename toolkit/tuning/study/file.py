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
from dataclasses import dataclass, field
from typing import Any, Literal

from engines.limit import KINDS
from engines.suggestion import did_you_mean
from toolkit.base.toml import Scalar, TomlFile, read_toml

_Kind = Literal["text", "whole", "number", "flag", "texts", "text or whole"]

OPTIONS: dict[str, _Kind] = {
    "game": "text",
    "base": "text",
    "against": "texts",
    "objective": "text",
    "budget_pairs": "whole",
    "measure": "number",
    "trials": "whole",
    "pairs_per_trial": "whole",
    "in_flight": "whole",
    "sampler": "text",
    "pruner": "text",
    **{
        name.replace("-", "_"): "text" if kind.is_clock else "whole" for name, kind in KINDS.items()
    },
    "jobs": "whole",
    "cluster": "text",
    "seed": "whole",
    "name": "text",
    "book": "text",
    "book_slice": "text",
    "book_plies": "whole",
    "order": "text",
    "skip_bad": "flag",
    "chess960": "flag",
    "max_plies": "text or whole",
    "draw": "text",
    "resign": "text",
    "syzygy": "text",
    "syzygy_decides": "text",
    "time_margin": "whole",
    "positions": "text",
    "position_count": "whole",
}
"""The keys that stand for options, and what each holds."""
TABLES = ("parameters", "start", "sampler_options")
"""The keys that hold a table; ``parameters`` may be an array of texts instead."""
_FORMS = ("low", "high", "log", "choices", "when")


@dataclass(frozen=True, slots=True)
class StudyFile:
    """What a file says of a study."""

    options: Mapping[str, Any] = field(default_factory=dict)
    """By the names of :data:`OPTIONS`."""
    parameters: tuple[str, ...] = ()
    """As ``--param`` takes them."""
    start: Mapping[str, str] = field(default_factory=dict)
    sampler_options: Mapping[str, Scalar] = field(default_factory=dict)


def read_study_file(path: str) -> StudyFile:
    """The study that a file describes. Raises UsageError for a file that cannot be read, for what
    is no TOML, for an unknown key and for a value of another kind."""
    file = read_toml(path)
    return _Reader(file).study(file.data)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one file."""

    file: TomlFile

    def study(self, data: Mapping[str, Any]) -> StudyFile:
        options: dict[str, Any] = {}
        for key, value in data.items():
            name = key.replace("-", "_")
            if name in TABLES:
                continue
            if name not in OPTIONS:
                hint = did_you_mean(name, (*OPTIONS, *TABLES))
                self.file.refuse(f"unknown key `{key}`{hint}", "", key)
            options[name] = self._value(key, OPTIONS[name], value)
        return StudyFile(
            options=options,
            parameters=self._parameters(data.get("parameters", {})),
            start={name: _written(value) for name, value in self._scalars(data, "start").items()},
            sampler_options=self._scalars(data, "sampler_options"),
        )

    def _value(self, key: str, kind: _Kind, value: Any) -> Any:
        """An option's value, checked."""
        if kind == "texts":
            texts = [value] if isinstance(value, str) else value
            if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                self.file.refuse(f"`{key}` must be a text or an array of texts", "", key)
            return texts
        whole = isinstance(value, int) and not isinstance(value, bool)
        fits = {
            "text": isinstance(value, str),
            "whole": whole,
            "number": whole or isinstance(value, float),
            "flag": isinstance(value, bool),
            "text or whole": isinstance(value, str) or whole,
        }[kind]
        if not fits:
            words = {"whole": "a whole number", "number": "a number", "flag": "true or false"}
            self.file.refuse(f"`{key}` must be {words.get(kind, 'a text')}", "", key)
        return str(value) if kind == "text or whole" else value

    def _parameters(self, data: Any) -> tuple[str, ...]:
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

    def _scalars(self, data: Mapping[str, Any], key: str) -> dict[str, Scalar]:
        """A table of plain values."""
        table = data.get(key, {})
        if not isinstance(table, Mapping):
            self.file.refuse(f"`{key}` must be a table", "", key)
        for name, value in table.items():
            if not isinstance(value, Scalar):
                self.file.refuse(f"`{name}` must be a number, a text, true or false", key, name)
        return dict(table)


def _written(value: Any) -> str:
    """A value as ``--param`` and ``--start`` take it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
