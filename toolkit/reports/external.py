"""External engines as rows: those that are kept under names, and what a started one announces."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from db.records import UCI_KIND
from engines.spec import UciCommand, UciSetup
from toolkit.reports.rows import EngineDetail, EngineRow, OptionRow

if TYPE_CHECKING:
    from engines.external.identify import Identified

_DIGITS = 16
"""Of the digest of a file."""


def with_kept(rows: Iterable[EngineRow], kept: Mapping[str, UciSetup]) -> list[EngineRow]:
    """The rows with the commands of kept engines, and a row for each that has not played."""
    found = [_with_command(row, kept) for row in rows]
    played = {row["spelling"] for row in found if row["kind"] == UCI_KIND}
    return found + [_kept_row(engine) for name, engine in kept.items() if name not in played]


def detail_of(
    found: Identified, kept: Mapping[str, UciSetup], games: Mapping[str, int]
) -> EngineDetail:
    """A started engine. ``games``: how many each identity has played."""
    engine = found.engine
    row = EngineRow(
        engine=engine.label,
        id=engine.identity,
        driver=UCI_KIND,
        spelling=engine.spelling,
        parameters=dict(engine.facts),
        games=games.get(engine.identity, 0),
        kind=UCI_KIND,
        command=None,
    )
    chosen = dict(engine.options)
    options = [
        OptionRow(
            option=option.name,
            type=option.kind,
            default=option.default,
            low=option.low,
            high=option.high,
            choices=list(option.choices),
            value=chosen.get(option.name),
        )
        for option in found.announced.options.values()
    ]
    return EngineDetail(**_with_command(row, kept), options=options)


def external_settings(row: EngineRow | EngineDetail, *, defaults: bool) -> dict[str, str]:
    """What an external engine is made of, by the names that a comparison shows. ``defaults``: with
    the options that are left as they are, where the row knows them."""
    facts = row["parameters"]
    found = {"name": facts.get("name", ""), "program": str(facts.get("program", ""))[:_DIGITS]}
    for place, fact in enumerate(facts.get("arguments", ()), 1):
        found[f"argument {place}"] = text_of(fact)
    for name, value in facts.get("environment", {}).items():
        found[f"environment {name}"] = value
    known: Iterable[OptionRow] = (row.get("options") or ()) if defaults else ()  # type: ignore[assignment]
    for one in known:
        if one["type"] != "button":
            found[f"option {one['option']}"] = one["default"] or ""
    for name, fact in facts.get("options", {}).items():
        found[f"option {name}"] = text_of(fact)
    return found


def text_of(fact: Any) -> str:
    """A fact of an identity: a text, or the digest of a file."""
    return f"file {fact['file'][:_DIGITS]}" if isinstance(fact, Mapping) else str(fact)


def _kept_row(engine: UciSetup) -> EngineRow:
    return EngineRow(
        engine=engine.label,
        id="",
        driver=UCI_KIND,
        spelling=engine.spelling,
        parameters={"options": dict(engine.options)} if engine.options else {},
        games=0,
        kind=UCI_KIND,
        command=command_line(engine.command),
    )


def command_line(command: UciCommand) -> str:
    """The command as a shell takes it."""
    return shlex.join(command.argv)


def _with_command(row: EngineRow, kept: Mapping[str, UciSetup]) -> EngineRow:
    """A row with the command of the kept engine that its spelling begins with."""
    engine = kept.get(row["spelling"].partition(":")[0]) if row["kind"] == UCI_KIND else None
    return row if engine is None else EngineRow(**{**row, "command": command_line(engine.command)})
