"""External engines as rows: those that are kept under names, and what a started one announces."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from db.records.engines import UCI_KIND
from engines.external.text import shown
from engines.spec import UciCommand, UciSetup
from toolkit.events.contenders import commit_text
from toolkit.events.players import build_of

if TYPE_CHECKING:
    from engines.external.identify import Identified

BUILD_DOC = (
    "how an engine from a repository was built: `repository`, `reference`, `commit`, `build`, "
    "`subject`, `date`, `compiler`, `bench` (null if it has none), `benched` (its "
    "arguments), `diff`; else null"
)
_DIGITS = 16
"""Of the digest of a file."""


class EngineRow(Struct, frozen=True):
    """One engine. The list has the engines in the database, except those that only tuning played,
    every driver with default values, and the external engines that are kept under names."""

    engine: Annotated[str, "label"]
    id: Annotated[
        str,
        "identity: hash of all effective parameters, or of all that an external engine is made of; "
        "empty for one that is kept and has not played",
    ]
    driver: Annotated[str, "algorithm at the root; `uci`; empty for an imported player"]
    spelling: Annotated[str, "shortest spelling on a command line; imported name"]
    parameters: Annotated[
        dict[str, Any],
        "parameters that have an effect; for an imported player its name; for an external engine "
        "what its identity is made of",
    ]
    games: Annotated[int, "counted games in the database, without tuning games"]
    kind: Annotated[
        str,
        "`native`, `uci` for external engines, or `imported` for players of PGN files, which "
        "cannot play",
    ]
    command: Annotated[
        str | None, "command line of an external engine that is kept under a name, else null"
    ]
    build: Annotated[dict[str, Any] | None, BUILD_DOC]


class OptionRow(Struct, frozen=True):
    """One option that an external engine announces."""

    option: Annotated[str, "name"]
    type: Annotated[str, "`check`, `spin`, `combo`, `button` or `string`"]
    default: Annotated[str | None, "default value in UCI spelling; null if there is none"]
    low: Annotated[int | None, "least value of a `spin`"]
    high: Annotated[int | None, "greatest value of a `spin`"]
    choices: Annotated[list[str], "values of a `combo`; else empty"]
    value: Annotated[str | None, "value that is set; null if the default is left"]


class EngineDetail(EngineRow, frozen=True):
    """One engine with the options that it announces. The id is the present one."""

    options: Annotated[
        list[OptionRow] | None, "options of an external engine that was started; else null"
    ]


def announced(row: EngineRow) -> list[OptionRow] | None:
    """The options that an external engine announced when it was started; None if it was not."""
    return row.options if isinstance(row, EngineDetail) else None


def with_kept(rows: Iterable[EngineRow], kept: Mapping[str, UciSetup]) -> list[EngineRow]:
    """The rows with the commands of kept engines, and a row for each that has not played."""
    found = [_with_command(row, kept) for row in rows]
    played = {row.spelling for row in found if row.kind == UCI_KIND}
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
        build=build_of(engine),
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
    return EngineDetail(**asdict(_with_command(row, kept)), options=options)


def external_settings(row: EngineRow, *, defaults: bool) -> dict[str, str]:
    """What an external engine is made of, by the names that a comparison shows. ``defaults``: with
    the options that are left as they are, where the row knows them."""
    facts = row.parameters
    if row.build is not None:
        found = build_lines(row.build)
    else:
        found = {"name": facts.get("name", ""), "program": str(facts.get("program", ""))[:_DIGITS]}
    for place, fact in enumerate(facts.get("arguments", ()), 1):
        found[f"argument {place}"] = text_of(fact)
    for name, value in facts.get("environment", {}).items():
        found[f"environment {name}"] = value
    known: Iterable[OptionRow] = (announced(row) or ()) if defaults else ()
    for one in known:
        if one.type != "button":
            found[f"option {one.option}"] = one.default or ""
    for name, fact in facts.get("options", {}).items():
        found[f"option {name}"] = text_of(fact)
    return found


def build_lines(build: Mapping[str, Any]) -> dict[str, str]:
    """How an engine was built, by the names that people see."""
    lines = {name: str(build[name]) for name in ("commit", "subject", "date", "build", "compiler")}
    if build["diff"]:
        lines["changes"] = f"{len(build['diff'].splitlines())} lines of diff"
    return lines | {"bench": "none" if build["bench"] is None else str(build["bench"])}


def build_text(build: Mapping[str, Any]) -> str:
    """How an engine was built, in one line."""
    lines = build_lines(build)
    changes = f" with {lines['changes']}" if "changes" in lines else ""
    parts = [f"bench {lines['bench']}", lines["compiler"]]
    commit = f"{build['commit'][:8]}{changes} {shown(lines['subject'])}"
    return ", ".join(filter(None, [commit, lines["date"][:10], *parts]))


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
        build=None,
    )


def command_line(command: UciCommand) -> str:
    """The command as a shell takes it."""
    return shlex.join(command.argv) if command.source is None else commit_text(command.source)


def _with_command(row: EngineRow, kept: Mapping[str, UciSetup]) -> EngineRow:
    """A row with the command of the kept engine that its spelling begins with."""
    engine = kept.get(row.spelling.partition(":")[0]) if row.kind == UCI_KIND else None
    return row if engine is None else replace(row, command=command_line(engine.command))
