"""Variants, and what else every table refers to by a key: hosts and programs, labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, Select, bindparam, func, insert, select

from db.errors import NotFound, RecordError
from db.models import EventPlayer, Provenance, Variant
from db.records import VariantRecord

_VARIANTS = select(
    Variant.identity, Variant.kind, Variant.driver, Variant.parameters, Variant.spelling
)

_PROVENANCE = select(Provenance.id).where(
    Provenance.host == bindparam("host"),
    Provenance.version == bindparam("version"),
    Provenance.backend == bindparam("backend"),
    Provenance.signature == bindparam("signature"),
)


def add_variants(connection: Connection, variants: Iterable[VariantRecord]) -> None:
    """Store those that are new. Raises RecordError when an identity already means another one."""
    for record in variants:
        row = connection.execute(_VARIANTS.where(Variant.identity == record.id)).one_or_none()
        if row is None:
            connection.execute(
                insert(Variant).values(
                    identity=record.id,
                    kind=record.kind,
                    driver=record.driver,
                    parameters=dict(record.parameters),
                    spelling=record.spelling,
                )
            )
        elif (row.kind, row.driver) != (record.kind, record.driver) or row.parameters != dict(
            record.parameters
        ):
            raise RecordError(f"variant {record.id} is already stored as `{row.spelling}`")


def all_variants(connection: Connection) -> list[VariantRecord]:
    """Every variant, in the order of being stored."""
    return _records(connection, _VARIANTS.order_by(Variant.id))


def find_variant(connection: Connection, identity: str) -> VariantRecord:
    """The variant of that identity. Raises NotFound."""
    found = _records(connection, _VARIANTS.where(Variant.identity == identity))
    if not found:
        raise NotFound(f"no variant {identity} is stored")
    return found[0]


def variant_keys(connection: Connection, identities: Sequence[str]) -> dict[str, int]:
    """Keys of stored variants by identity. Raises RecordError when one is not stored."""
    query = select(Variant.identity, Variant.id).where(Variant.identity.in_(identities))
    keys = {identity: key for identity, key in connection.execute(query)}
    for identity in identities:
        if identity not in keys:
            raise RecordError(f"variant {identity} is not stored; add it first")
    return keys


def latest_labels(connection: Connection, identities: Sequence[str]) -> dict[str, str]:
    """What variants were called in their last event; the spelling of those that played in none.
    Unknown identities are left out."""
    ranked = (
        select(
            EventPlayer.variant_id,
            EventPlayer.label,
            func.row_number()
            .over(
                partition_by=EventPlayer.variant_id,
                order_by=(EventPlayer.event_id.desc(), EventPlayer.position),
            )
            .label("age"),
        )
        .join(Variant, Variant.id == EventPlayer.variant_id)
        .where(Variant.identity.in_(identities))
        .subquery()
    )
    query = (
        select(Variant.identity, func.coalesce(ranked.c.label, Variant.spelling))
        .outerjoin(ranked, (ranked.c.variant_id == Variant.id) & (ranked.c.age == 1))
        .where(Variant.identity.in_(identities))
    )
    return {identity: label for identity, label in connection.execute(query)}


def labelled_variants(connection: Connection) -> list[tuple[str, str]]:
    """Every label with every variant that played under it, the one of the newest event last."""
    newest = func.max(EventPlayer.event_id)
    query = (
        select(EventPlayer.label, Variant.identity)
        .join(Variant, Variant.id == EventPlayer.variant_id)
        .group_by(EventPlayer.label, Variant.identity)
        .order_by(newest, func.max(EventPlayer.position))
    )
    return [(label, identity) for label, identity in connection.execute(query)]


def provenance_key(
    connection: Connection, host: str, version: str, backend: str, signature: str
) -> int:
    """The key of this combination, stored if it is new."""
    values = {"host": host, "version": version, "backend": backend, "signature": signature}
    key = connection.execute(_PROVENANCE, values).scalar_one_or_none()
    if key is not None:
        return key
    return connection.execute(insert(Provenance).returning(Provenance.id), values).scalar_one()


def _records(
    connection: Connection, query: Select[str, str, str, dict[str, object], str]
) -> list[VariantRecord]:
    return [
        VariantRecord(identity, kind, driver, parameters, spelling)
        for identity, kind, driver, parameters, spelling in connection.execute(query)
    ]
