"""Limits of stored games in the spelling of tables and command lines.

A rating belongs to an engine under a limit. Stored limits are compared as data, so a field unknown
to this module still distinguishes two limits and is still printed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from engines.spec import TIME_MANAGER

UNKNOWN = "unknown"
"""The spelling of an unknown limit, as of imported games."""
_OPTIONS = {"movetime_ms": "movetime", "cpu_ms": "cpu-ms"}
"""Fields that are called as the options are that set them."""
_LIMIT_ITEMS = re.compile(r"(?:[:,](?:nodes|depth|movetime|cpu-ms|tc)=[^,\s]*)+\Z")
"""The end of a label that is made of a limit."""


def without_limit(label: str) -> str:
    """The label of an engine without the limit that it has where it was given one of its own."""
    return _LIMIT_ITEMS.sub("", label)


def limit_of_key(key: str) -> dict[str, Any]:
    """The fields of the limit of a key that :func:`db.limits.limit_key` made."""
    return dict(json.loads(key))


def spell_limit(limit: Mapping[str, Any]) -> str:
    """A stored limit in short, with the names of the options: ``nodes=2000``, ``tc=10+0.1``,
    ``depth=6,nodes=500``; ``unknown`` if it is empty. The version of the time manager is shown if
    it is not the current one; a timed limit without a version has version 1."""
    from db.limits import limit_fields

    fields = limit_fields(limit)
    if "base_ms" in fields or "movetime_ms" in fields:
        version = fields.pop("time_manager", 1)
        if version != TIME_MANAGER:
            fields["time_manager"] = version
    return spell_asked(fields)


def spell_limit_of(limit: Mapping[str, Any], variation: str) -> str:
    """The limit of an event, with why the event need not repeat itself if it need not."""
    return f"{spell_limit(limit)} ({variation})" if variation else spell_limit(limit)


def spell_asked(limit: Mapping[str, Any]) -> str:
    """:func:`spell_limit` of a limit as requested, regardless of the version of the time manager.
    Fields with equal data have the same spelling, in any order."""
    from db.limits import limit_fields

    fields = limit_fields(limit)
    parts = []
    if "base_ms" in fields:
        base, inc = fields.pop("base_ms") / 1000, fields.pop("inc_ms", 0) / 1000
        moves = f"{fields.pop('moves')}/" if "moves" in fields else ""
        parts.append(f"tc={moves}{base:.10g}+{inc:.10g}")
    parts += [f"{_OPTIONS.get(name, name)}={value}" for name, value in sorted(fields.items())]
    return ",".join(parts) or UNKNOWN


def spell_limit_key(key: str | None) -> str:
    """:func:`spell_limit` of a key; None: of games under several limits."""
    return spell_limit_or_mixed(None if key is None else limit_of_key(key))


def spell_limit_or_mixed(limit: Mapping[str, Any] | None) -> str:
    """:func:`spell_limit`; None: of games under several limits."""
    return "mixed" if limit is None else spell_limit(limit)


def spell_limits(first: Mapping[str, Any] | None, second: Mapping[str, Any] | None) -> str:
    """The limit of two players who met in short; of both where they differ. None: several."""
    one, other = map(spell_limit_or_mixed, (first, second))
    return one if one == other else f"{one} : {other}"


def order_of_limit(key: str) -> tuple[bool, list[tuple[str, float, str]]]:
    """What limits are listed by: the same kinds together, from low to high, unknown ones last."""
    fields = sorted(limit_of_key(key).items())
    sizes = [
        (name, float(value), "") if isinstance(value, int | float) else (name, 0.0, str(value))
        for name, value in fields
    ]
    return not fields, sizes
