"""What engines there are: the registry's drivers and parameters, the database's variants.

Each row is a dictionary with the fields of :mod:`toolkit.commands._json`, as ``--json`` prints it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct
from msgspec.structs import asdict

from db.records.engines import UCI_KIND
from db.records.games import GameChoice
from engines.choices import GAMES
from engines.errors import VariantError
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import Param
from engines.variant import (
    condition_text,
    describe_range,
    meaningful_parameters,
    parse_variant,
    with_neutral_values,
)
from toolkit.base.errors import UsageError
from toolkit.reports.external import EngineDetail, EngineRow, announced

if TYPE_CHECKING:
    from db.session import Database


class RemovedEngine(Struct, frozen=True):
    """An external engine that is no longer kept."""

    engine: Annotated[str, "the name that it had"]
    command: Annotated[str, "its command line"]


class DifferenceRow(Struct, frozen=True):
    """One difference between two engines; null if an engine has no such setting."""

    parameter: Annotated[
        str,
        "parameter, `kind` or `driver`; `name` of an imported player; for external engines `name`, "
        "`program`, `argument N`, `environment NAME`, `option NAME`",
    ]
    engine: Annotated[Any, "value in the first engine"]
    other: Annotated[Any, "value in the second engine"]


class EngineDifference(Struct, frozen=True):
    """The differences between two engines."""

    engine: Annotated[str, "label of the first engine"]
    other: Annotated[str, "label of the second engine"]
    differences: Annotated[
        list[DifferenceRow], "the differences; empty if the two are the same engine"
    ]


class DriverRow(Struct, frozen=True):
    """One driver of the registry."""

    driver: Annotated[str, "name"]
    doc: Annotated[str, "what it does"]
    windows: Annotated[str, "root windows: `open`, `null` or `both` (null first)"]
    parameters: Annotated[list[str], "names of its parameters"]
    source: Annotated[str, "publication"]


class ParameterRow(Struct, frozen=True):
    """One parameter of the registry."""

    parameter: Annotated[str, "name"]
    kind: Annotated[str, "`int`, `float`, `choice` or `flag`"]
    default: Annotated[Any, "default value"]
    by_game: Annotated[dict[str, Any], "default value in games where it is another one"]
    games: Annotated[list[str], "games in which it can have an effect"]
    range: Annotated[str, "accepted values"]
    drivers: Annotated[list[str], "drivers with this parameter"]
    needs: Annotated[str | None, "condition for it to have an effect"]
    doc: Annotated[str, "what it does"]
    off: Annotated[Any, "value that switches the feature off; null if there is none"]


def list_engines(db: Database | None = None) -> list[EngineRow]:
    """Every engine in the database but those that only tuning played, every driver at its defaults,
    and the external engines that are kept under names."""
    from toolkit.events.named_engines import named_engines
    from toolkit.reports.external import with_kept

    rows = {row.id: row for row in (_variant_row(name) for name in DRIVERS)}
    if db is None:
        return list(rows.values())
    alone = db.repository.tuned_alone()
    stored = _stored_rows(db)
    found = rows | {key: stored[key] for key in stored if key not in alone}
    return with_kept(found.values(), named_engines(db))


def show_engine(text: str, db: Database | None = None) -> EngineDetail:
    """The engine for ``text``: a variant, even if something else has the same label; an external
    engine ``uci:...``, ``git:...`` or one that is kept under a name, which is started; else a
    label, an identity or a unique prefix of one in the database. Raises UsageError, EngineFailure,
    or VariantError if there is no database."""
    from toolkit.events.contenders import identified, is_external
    from toolkit.events.named_engines import named_engines
    from toolkit.reports.external import detail_of

    kept = {} if db is None else named_engines(db)
    head = text.partition(":")[0]
    if head not in DRIVERS and (head in kept or is_external(text)):
        found = identified(text, lambda: kept)
        assert found is not None, "these texts mean external engines"
        stored = {} if db is None else _stored_rows(db)
        return detail_of(found, kept, {key: row.games for key, row in stored.items()})
    return EngineDetail(**asdict(_known_engine(text, db)), options=None)


def _known_engine(text: str, db: Database | None) -> EngineRow:
    """A variant, or an engine in the database."""
    if db is None:
        return _variant_row(text)
    from toolkit.selection.engines import resolve_engine

    stored = _stored_rows(db)
    try:
        variant = _variant_row(text)
    except VariantError:
        found = resolve_engine(db, text)
    else:
        return stored.get(variant.id, variant)
    if found in stored:
        return stored[found]
    named = [row for row in stored.values() if row.engine == found]
    return named[-1] if named else _variant_row(text)


def list_drivers() -> list[DriverRow]:
    """Every driver of the registry."""
    rows = [
        DriverRow(
            driver=spec.name,
            doc=spec.doc,
            windows=spec.windows,
            parameters=list(spec.parameters),
            source=spec.source,
        )
        for spec in DRIVERS.values()
    ]
    return rows


def list_parameters(driver: str | None = None, game: str | None = None) -> list[ParameterRow]:
    """Every parameter of the registry, or those of one driver, or those that have an effect in one
    game. Raises UsageError if there is no such driver."""
    if driver is not None and driver not in DRIVERS:
        raise UsageError(f"no driver `{driver}` (known: {', '.join(DRIVERS)})")
    names = DRIVERS[driver].parameters if driver else tuple(PARAMETERS)
    rows = [_parameter_row(PARAMETERS[name]) for name in names]
    return [row for row in rows if game is None or game in row.games]


def diff_engines(first: EngineRow, second: EngineRow) -> list[DifferenceRow]:
    """In what two engines differ: the kind, the name of imported players, the driver, then
    parameters in the registry's order; for external engines what their identity is made of. Empty
    only where the two are one engine."""
    rows = []
    if first.kind != second.kind:
        rows.append(DifferenceRow(parameter="kind", engine=first.kind, other=second.kind))
    started = all(announced(row) is not None for row in (first, second))
    mine, yours = (_settings(row, defaults=started) for row in (first, second))
    names = [name for name in PARAMETERS if name in mine or name in yours]
    others = dict.fromkeys(name for name in [*mine, *yours] if name not in PARAMETERS)
    for name in [*others, *names]:
        if mine.get(name) != yours.get(name):
            difference = DifferenceRow(parameter=name, engine=mine.get(name), other=yours.get(name))
            rows.append(difference)
    return rows


def _settings(row: EngineRow, *, defaults: bool) -> dict[str, Any]:
    """What makes an engine what it is, by the names that a comparison shows."""
    from toolkit.reports.external import external_settings

    if row.kind == UCI_KIND:
        return {**external_settings(row, defaults=defaults), "driver": row.driver}
    return {
        **({"name": row.parameters.get("name")} if row.kind == "imported" else {}),
        "driver": row.driver,
        **(row.parameters if row.kind == "native" else {}),
    }


def _stored_rows(db: Database) -> dict[str, EngineRow]:
    games = db.repository.player_games(
        GameChoice(without_events=tuple(db.repository.tuning_events()))
    )
    variants = db.repository.variants()
    labels = db.repository.labels([variant.id for variant in variants])
    return {
        variant.id: EngineRow(
            engine=labels[variant.id],
            id=variant.id,
            driver=variant.driver,
            spelling=variant.spelling,
            parameters=_parameters(variant.driver, variant.parameters),
            games=games.get(variant.id, 0),
            kind=variant.kind,
            command=None,
            build=None if variant.build is None else dict(variant.build),
        )
        for variant in variants
    }


def _variant_row(text: str) -> EngineRow:
    variant = parse_variant(text)
    return EngineRow(
        engine=variant.label,
        id=variant.identity,
        driver=variant.driver,
        spelling=variant.spelling,
        parameters=meaningful_parameters(DRIVERS[variant.driver], variant.parameters),
        games=0,
        kind="native",
        command=None,
        build=None,
    )


def _parameters(driver: str | None, stored: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a player in the database; of one of ours with the neutral values, which its
    identity leaves out."""
    spec = DRIVERS.get(driver or "")
    return dict(stored) if spec is None else with_neutral_values(spec, stored)


def _parameter_row(param: Param) -> ParameterRow:
    return ParameterRow(
        parameter=param.name,
        kind=param.kind,
        default=param.default,
        by_game=dict(param.by_game),
        games=list(param.games or GAMES),
        range=describe_range(param),
        drivers=[spec.name for spec in DRIVERS.values() if param.name in spec.parameters],
        needs=condition_text(param),
        doc=param.doc,
        off=param.off,
    )
