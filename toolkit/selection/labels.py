"""The names of engines in tables.

A variant without a name is labelled with its shortest spelling, which omits default values. In a
table this may hide the difference between engines, so `mtdf` next to `mtdf:hash=1` becomes
`mtdf:hash=16`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from db.records.engines import VariantRecord
from db.records.events import EventRecord
from engines.choices import DEFAULT_GAME
from engines.errors import VariantError
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import Value
from engines.variant import format_value, is_named, parse_variant, with_neutral_values

if TYPE_CHECKING:
    from db.session import Database

MOST_ADDED = 6
"""Engines of one driver that differ in more parameters keep their labels; so many values would be
unreadable."""
Labelled = tuple[str, VariantRecord]
"""A label and what it stands for."""


def display_labels(engines: Sequence[Labelled]) -> list[str]:
    """The names of these engines in one table. If engines of one driver differ in a parameter, each
    of them shows its value. Given names are kept, and each text also works on a command line."""
    drivers: dict[str, dict[str, dict[str, Value]]] = {}
    unnamed = [_is_spelled(label, record) for label, record in engines]
    for (_, record), is_spelled in zip(engines, unnamed, strict=True):
        if is_spelled:
            values = with_neutral_values(DRIVERS[record.driver], record.parameters)
            drivers.setdefault(record.driver, {})[record.id] = values
    shown = {}
    for driver, variants in drivers.items():
        if len(variants) > 1:
            differing = _differing(variants.values())
            if len(differing) <= MOST_ADDED:
                for identity, values in variants.items():
                    shown[identity] = _spelled(driver, values, differing)
    return [
        shown[record.id]
        if is_spelled and record.id in shown and _means(shown[record.id], record)
        else label
        for (label, record), is_spelled in zip(engines, unnamed, strict=True)
    ]


def shown_names(db: Database, engines: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """What one table calls these engines of a database, by label and identity."""
    order = list(dict.fromkeys(engines))
    stored = db.repository.variants_of(identity for _, identity in order)
    variants = {variant.id: variant for variant in stored}
    labels = display_labels([(label, variants[identity]) for label, identity in order])
    return dict(zip(order, labels, strict=True))


def shown_players(db: Database, events: Iterable[EventRecord]) -> dict[str, dict[str, str]]:
    """What one table over these events calls their players, by key of the event and label."""
    players = {event.key: db.repository.event_players(event.id) for event in events}
    shown = shown_names(
        db, [(one.label, one.variant_id) for found in players.values() for one in found]
    )
    return {
        key: {one.label: shown[one.label, one.variant_id] for one in found}
        for key, found in players.items()
    }


def marked_label(label: str, identity: str) -> str:
    """A label with a prefix of the id if several engines have the label."""
    return f"{label} [{identity[:6]}]"


def _is_spelled(label: str, record: VariantRecord) -> bool:
    """Whether a label is the spelling of a variant of ours, and no given name or preset."""
    if record.kind != "native" or record.driver not in DRIVERS:
        return False
    if label == record.spelling:
        return True
    return _means(label, record) and not is_named(parse_variant(label))


def _means(text: str, record: VariantRecord) -> bool:
    """Whether a text on a command line is this variant."""
    if text.partition(":")[0] != record.driver:
        return False
    try:
        return parse_variant(text).identity == record.id
    except VariantError:
        return False


def _differing(variants: Iterable[dict[str, Value]]) -> set[str]:
    """The parameters of which these variants of one driver have different values."""
    seen: dict[str, set[Value]] = {}
    for values in variants:
        for name, value in values.items():
            seen.setdefault(name, set()).add(value)
    return {name for name, values in seen.items() if len(values) > 1}


def _spelled(driver: str, values: dict[str, Value], also: set[str]) -> str:
    """The shortest spelling of a variant that shows some parameters in any case."""
    parts = [
        f"{name}={format_value(value)}"
        for name, value in values.items()
        if name in also or value != PARAMETERS[name].default_in(values.get("game", DEFAULT_GAME))
    ]
    return driver + (":" + ",".join(parts) if parts else "")
