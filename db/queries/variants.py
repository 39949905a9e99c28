"""Variants, their labels, and provenance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import ColumnElement, Connection, bindparam, func, insert, null, select

from db.errors import NotFound, RecordError
from db.records.engines import VariantRecord
from db.records.events import TUNING_KIND
from db.schema.declared import EVENT, EVENT_PLAYER, PROVENANCE, VARIANT

_VARIANTS = select(
    *(VARIANT.c.identity, VARIANT.c.kind, VARIANT.c.driver, VARIANT.c.parameters),
    *(VARIANT.c.spelling, VARIANT.c.build),
)

_NAMED = _VARIANTS.where(VARIANT.c.identity.in_(bindparam("identities", expanding=True)))
_KEYS = select(VARIANT.c.identity, VARIANT.c.id).where(
    VARIANT.c.identity.in_(bindparam("identities", expanding=True))
)
_PROVENANCE = select(PROVENANCE.c.id).where(
    PROVENANCE.c.host == bindparam("host"),
    PROVENANCE.c.version == bindparam("version"),
    PROVENANCE.c.backend == bindparam("backend"),
    PROVENANCE.c.signature == bindparam("signature"),
    PROVENANCE.c.speed == bindparam("speed"),
    PROVENANCE.c.time_factor == bindparam("time_factor"),
)


def add_variants(connection: Connection, variants: Iterable[VariantRecord]) -> None:
    """Store the new ones. Raises RecordError if an identity already belongs to another variant."""
    records = list(variants)
    if not records:
        return
    rows = connection.execute(_NAMED, {"identities": [record.id for record in records]})
    known = {row.identity: VariantRecord(*row) for row in rows}
    new: list[dict[str, object]] = []
    for record in records:
        stored = known.setdefault(record.id, record)
        if stored is record:
            new.append(
                {
                    "identity": record.id,
                    "kind": record.kind,
                    "driver": record.driver,
                    "parameters": dict(record.parameters),
                    "spelling": record.spelling,
                    "build": null() if record.build is None else dict(record.build),
                }
            )
        elif (stored.kind, stored.driver, dict(stored.parameters)) != (
            *(record.kind, record.driver),
            dict(record.parameters),
        ):
            raise RecordError(f"variant {record.id} is already stored as `{stored.spelling}`")
    if new:
        connection.execute(insert(VARIANT), new)


def all_variants(connection: Connection) -> list[VariantRecord]:
    """Every variant, in the order of storing."""
    return [VariantRecord(*row) for row in connection.execute(_VARIANTS.order_by(VARIANT.c.id))]


def variants_of(connection: Connection, identities: Iterable[str]) -> list[VariantRecord]:
    """The variants of these identities. Unknown ones are omitted."""
    rows = connection.execute(_NAMED, {"identities": list(dict.fromkeys(identities))})
    return [VariantRecord(*row) for row in rows]


def find_variant(connection: Connection, identity: str) -> VariantRecord:
    """The variant of that identity. Raises NotFound."""
    row = connection.execute(_VARIANTS.where(VARIANT.c.identity == identity)).one_or_none()
    if row is None:
        raise NotFound(f"no variant {identity} is stored")
    return VariantRecord(*row)


def variant_keys(connection: Connection, identities: Sequence[str]) -> dict[str, int]:
    """Keys of stored variants by identity. Raises RecordError if one is not stored."""
    rows = connection.execute(_KEYS, {"identities": list(identities)})
    keys = {identity: key for identity, key in rows}
    for identity in identities:
        if identity not in keys:
            raise RecordError(f"variant {identity} is not stored; add it first")
    return keys


def latest_labels(connection: Connection, identities: Sequence[str]) -> dict[str, str]:
    """The labels of variants in their last event; tuning events are used only if there is no other.
    Variants that never played have their spelling. Unknown identities are omitted."""
    ranked = (
        select(
            EVENT_PLAYER.c.variant_id,
            EVENT_PLAYER.c.label,
            func.row_number()
            .over(
                partition_by=EVENT_PLAYER.c.variant_id,
                order_by=(
                    *_tuning_last(connection),
                    EVENT_PLAYER.c.event_id.desc(),
                    EVENT_PLAYER.c.position,
                ),
            )
            .label("age"),
        )
        .join(VARIANT, VARIANT.c.id == EVENT_PLAYER.c.variant_id)
        .where(VARIANT.c.identity.in_(identities))
        .subquery()
    )
    query = (
        select(VARIANT.c.identity, func.coalesce(ranked.c.label, VARIANT.c.spelling))
        .outerjoin(ranked, (ranked.c.variant_id == VARIANT.c.id) & (ranked.c.age == 1))
        .where(VARIANT.c.identity.in_(identities))
    )
    return {identity: label for identity, label in connection.execute(query)}


def _tuning_last(connection: Connection) -> list[ColumnElement[bool]]:
    """Sorts players of tuning events, whose labels are numbers, after those of other events."""
    tuning = select(EVENT.c.id).where(EVENT.c.kind == TUNING_KIND)
    if connection.execute(tuning.limit(1)).first() is None:
        return []
    return [EVENT_PLAYER.c.event_id.in_(tuning)]


def labelled_variants(connection: Connection) -> list[tuple[str, str]]:
    """Every label with every variant that played under it, that of the newest event last."""
    newest = func.max(EVENT_PLAYER.c.event_id)
    query = (
        select(EVENT_PLAYER.c.label, VARIANT.c.identity)
        .join(VARIANT, VARIANT.c.id == EVENT_PLAYER.c.variant_id)
        .group_by(EVENT_PLAYER.c.label, VARIANT.c.identity)
        .order_by(newest, func.max(EVENT_PLAYER.c.position))
    )
    return [(label, identity) for label, identity in connection.execute(query)]


def provenance_key(
    connection: Connection,
    host: str,
    version: str,
    backend: str,
    signature: str,
    speed: int = 0,
    time_factor: float = 1.0,
) -> int:
    """The key of this combination, stored if it is new."""
    names = ("host", "version", "backend", "signature", "speed", "time_factor")
    what = (host, version, backend, signature, speed, time_factor)
    values = dict(zip(names, what, strict=True))
    key: int | None = connection.execute(_PROVENANCE, values).scalar_one_or_none()
    if key is None:
        new = insert(PROVENANCE).returning(PROVENANCE.c.id)
        key = int(connection.execute(new, values).scalar_one())
    return key
