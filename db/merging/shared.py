"""Translating rows from one database to another: foreign keys to shared rows (variants, books,
openings, end reasons, provenance) become the keys of the same rows there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Table, select

from db.queries.books import (
    add_book,
    add_openings,
    book_key,
    book_openings,
    find_book,
    opening_keys,
)
from db.queries.pairs import end_reason_key
from db.queries.variants import add_variants, provenance_key, variant_keys, variants_of
from db.schema.declared import BOOK, END_REASON, OPENING, PROVENANCE, VARIANT

Ids = dict[int | None, int | None]
_ASKED_AT_ONCE = 400


def parts(ids: Iterable[int]) -> list[list[int]]:
    """Keys in batches for one query."""
    every = list(ids)
    return [every[at : at + _ASKED_AT_ONCE] for at in range(0, len(every), _ASKED_AT_ONCE)]


def as_stored(
    source: Connection, target: Connection, table: Table, rows: Sequence[Row[Any]], **own: Any
) -> list[dict[str, Any]]:
    """Rows of the source with foreign keys of the target; shared rows that are new there are
    stored. ``own``: columns that are given, such as the run's key; ``id`` is left out."""
    names = [name for name in table.c.keys() if name not in ("id", *own)]
    found = [{name: row._mapping[name] for name in names} | own for row in rows]
    for name in names:
        for reference in table.c[name].foreign_keys:
            of = reference.column.table
            if of in _SAME:
                ids = sorted({row[name] for row in found if row[name] is not None})
                same: Ids = {None: None}
                for some in parts(ids):
                    same |= _SAME[of](source, target, some)
                for row in found:
                    row[name] = same[row[name]]
    return found


def _variants(source: Connection, target: Connection, ids: Collection[int]) -> Ids:
    query = select(VARIANT.c.id, VARIANT.c.identity).where(VARIANT.c.id.in_(ids))
    identities = {row.id: row.identity for row in source.execute(query)}
    add_variants(target, variants_of(source, identities.values()))
    keys = variant_keys(target, list(identities.values()))
    return {key: keys[identity] for key, identity in identities.items()}


def _books(source: Connection, target: Connection, ids: Collection[int]) -> Ids:
    found: Ids = {}
    query = select(BOOK.c.id, BOOK.c.identity).where(BOOK.c.id.in_(ids))
    for key, identity in source.execute(query).all():
        if target.execute(select(BOOK.c.id).where(BOOK.c.identity == identity)).first() is None:
            book, lines = find_book(source, identity), book_openings(source, identity)
            add_book(target, book, lines if len(lines) == book.lines else ())
        found[key] = book_key(target, identity)
    return found


def _openings(source: Connection, target: Connection, ids: Collection[int]) -> Ids:
    query = select(OPENING.c.id, BOOK.c.identity, OPENING.c.line).join(BOOK)
    places = {key: tuple(row) for key, *row in source.execute(query.where(OPENING.c.id.in_(ids)))}
    keys: dict[tuple[str, int], tuple[int, str]] = {}
    for book in {book for book, _ in places.values()}:
        lines = {line for one, line in places.values() if one == book}
        found = opening_keys(target, book, lines)
        new = {line for line in lines if (book, line) not in found}
        if new:
            add_openings(target, book, book_openings(source, book, new))
            found |= opening_keys(target, book, new)
        keys |= found
    return {key: keys[book, line][0] for key, (book, line) in places.items()}


def _end_reasons(source: Connection, target: Connection, ids: Collection[int]) -> Ids:
    rows = source.execute(select(END_REASON).where(END_REASON.c.id.in_(ids))).all()
    return {row.id: end_reason_key(target, row.name) for row in rows}


def _provenances(source: Connection, target: Connection, ids: Collection[int]) -> Ids:
    rows = source.execute(select(PROVENANCE).where(PROVENANCE.c.id.in_(ids))).all()
    return {key: provenance_key(target, *made_by) for key, *made_by in rows}


_SAME: dict[Table, Callable[[Connection, Connection, Collection[int]], Ids]] = {
    VARIANT: _variants,
    BOOK: _books,
    OPENING: _openings,
    END_REASON: _end_reasons,
    PROVENANCE: _provenances,
}
